/* SPDX-License-Identifier: MIT */
/* Files that are empty, hostile, or far too long. */
#include "base/cleanup.h"
#include "scratch.h"

#include <errno.h>
#include <json-c/json.h>
#include <string.h>

static void no_row_and_no_file_are_errors(void **state)
{
	const struct scratch *s = *state;
	struct t1s_report_list l = {0};
	struct t1s_error e = {0};
	struct t1s_config c;

	t1s_config_defaults(&c);
	assert_int_equal(t1s_report_add(&l, s->path, &c, NULL, &e), -ENOENT);
	write_text(s, HEADER);
	e.text[0] = '\0';
	assert_int_equal(t1s_report_add(&l, s->path, &c, NULL, &e), -ENODATA);
	assert_non_null(strstr(e.text, s->path));
	assert_int_equal(l.count, 0);
}

static void hostile_text_reaches_no_terminal(void **state)
{
	const struct scratch *s = *state;
	cleanup_(report_done) struct t1s_report r = {0};
	cleanup_free char *text = NULL, *json = NULL;
	struct json_object *o, *overlay;
	size_t size;
	FILE *f;

	write_text(s, HEADER
		"\033[2J,OK,pi1,A\033]0;x\007\302\233B\233C\377D\360\237E\340\200\200F\355\240\200,20000000,20.000,"
		"10M,9.5,1,0.1,10,1,20,3,i,10.0.0.2,10.0.0.1,pi@h,\033[31mred\n");
	r = built_by_default(s->path);
	assert_string_equal(r.overlay, "A?]0;x???B?C?D??E???F???");
	f = open_memstream(&text, &size);
	assert_non_null(f);
	assert_int_equal(
		t1s_report_write_text(
			&(struct t1s_report_list){.reports = &r, .count = 1, .files = 1},
			f),
		0);
	assert_int_equal(fclose(f), 0);
	assert_null(strchr(text, '\033'));
	assert_null(strstr(text, "\233"));
	f = open_memstream(&json, &size);
	assert_non_null(f);
	assert_int_equal(
		t1s_report_write_json(
			&(struct t1s_report_list){.reports = &r, .count = 1, .files = 1},
			f),
		0);
	assert_int_equal(fclose(f), 0);
	o = json_tokener_parse(json);
	assert_true(json_object_object_get_ex(o, "overlay", &overlay));
	assert_string_equal(json_object_get_string(overlay), "A?]0;x???B?C?D??E???F???");
	json_object_put(o);
}

static void write_frequencies(const struct scratch *s, unsigned int n)
{
	FILE *f = fopen(s->path, "w");

	assert_non_null(f);
	(void)fputs(HEADER, f);
	for (unsigned int i = 0; i < n; i++)
		(void)fprintf(f,
			"t,OK,h,o,%u,1.000,10M,9.5,1,0.1,10,1,20,3,i,1.1.1.2,1.1.1.1,p@h,"
			"\n",
			MHZ + i);
	assert_int_equal(fclose(f), 0);
}

static void frequencies_are_bounded(void **state)
{
	const struct scratch *s = *state;
	cleanup_(report_done) struct t1s_report r = {0};
	struct t1s_report_list l = {0};
	struct t1s_error e = {0};
	struct t1s_config c;

	t1s_config_defaults(&c);
	write_frequencies(s, T1S_REPORT_POINTS_MAX + 1);
	assert_int_equal(t1s_report_add(&l, s->path, &c, NULL, &e), -E2BIG);
	assert_non_null(strstr(e.text, "more than 10000 different frequencies"));
	write_frequencies(s, T1S_REPORT_POINTS_MAX);
	r = built(s->path, &c, NULL);
	assert_int_equal(l.count, 0);
	assert_int_equal(r.count, T1S_REPORT_POINTS_MAX);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		in_scratch(no_row_and_no_file_are_errors),
		in_scratch(hostile_text_reaches_no_terminal),
		in_scratch(frequencies_are_bounded),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
