/* SPDX-License-Identifier: MIT */
#include "points.h"

#include <errno.h>
#include <json-c/json.h>
#include <string.h>

#define COLUMNS_MAX 100

static void json_putp(struct json_object **o)
{
	json_object_put(*o);
}

static struct t1s_report_list list_of(struct t1s_report *r)
{
	return (struct t1s_report_list){.reports = r, .count = 1, .files = 1};
}

static char *text_of(struct t1s_report *r)
{
	const struct t1s_report_list list = list_of(r);
	char *text = NULL;
	size_t size;
	FILE *f = open_memstream(&text, &size);

	assert_non_null(f);
	assert_int_equal(t1s_report_write_text(&list, f), 0);
	assert_int_equal(fclose(f), 0);
	return text;
}

static char *json_text_of(struct t1s_report *r)
{
	const struct t1s_report_list list = list_of(r);
	char *text = NULL;
	size_t size;
	FILE *f = open_memstream(&text, &size);

	assert_non_null(f);
	assert_int_equal(t1s_report_write_json(&list, f), 0);
	assert_int_equal(fclose(f), 0);
	return text;
}

static struct json_object *json_of(struct t1s_report *r)
{
	cleanup_free char *text = json_text_of(r);
	struct json_object *o = json_tokener_parse(text);

	assert_non_null(o);
	return o;
}

static struct json_object *member(struct json_object *o, const char *key)
{
	struct json_object *v;

	if (!json_object_object_get_ex(o, key, &v))
		fail_msg("no member \"%s\"", key);
	return v;
}

static size_t columns_of(const char *line, size_t bytes)
{
	size_t n = 0;

	for (size_t i = 0; i < bytes; i++)
		n += ((unsigned char)line[i] & 0xc0) != 0x80;
	return n;
}

static void assert_fits(const char *text)
{
	for (const char *p = text; *p;) {
		const size_t bytes = strcspn(p, "\n");

		if (columns_of(p, bytes) > COLUMNS_MAX)
			fail_msg("too wide: %.*s", (int)bytes, p);
		p += bytes + (p[bytes] == '\n');
	}
}

/* The text without its line breaks, so that a sentence can be searched in it. */
static char *joined(char *text)
{
	char *to = text;

	for (const char *p = text; *p; p++) {
		if (*p == '\n' || (*p == ' ' && to > text && to[-1] == ' '))
			*to++ = ' ';
		else
			*to++ = *p;
		while (to > text + 1 && to[-1] == ' ' && to[-2] == ' ')
			to--;
	}
	*to = '\0';
	return text;
}

static void assert_says(struct t1s_report *r, const char *words)
{
	cleanup_free char *text = joined(text_of(r));

	if (!strstr(text, words))
		fail_msg("\"%s\" is not in:\n%s", words, text);
}

static void assert_silent(struct t1s_report *r, const char *words)
{
	cleanup_free char *text = joined(text_of(r));

	if (strstr(text, words))
		fail_msg("\"%s\" is in:\n%s", words, text);
}

static void text_fits_a_hundred_columns(void **state)
{
	double samples[2][1];
	struct t1s_report_point p[] = {
		at(20, 9.5389, samples[0]), at(8, 0.2, samples[1])};
	cleanup_(judged_done) struct t1s_report r = judged(p, 2);
	cleanup_free char *plain = text_of(&r);
	cleanup_free char *spread = NULL;

	(void)state;
	assert_fits(plain);
	p[1].runs = 3;
	p[1].received_interval = (struct t1s_interval){0.1, 0.3};
	p[1].failed = 2;
	p[1].sclk_predicted_hz = 7692307;
	p[1].lost_percent = 100;
	p[1].jitter_ms = 1234.5;
	spread = text_of(&r);
	assert_fits(spread);
	assert_non_null(strstr(spread, "0.20-0.20"));
	assert_non_null(strstr(spread, "3/5"));
}

static void bars_are_as_long_as_the_share(void **state)
{
	double samples[3][1];
	struct t1s_report_point p[] = {at(20, 9.5389, samples[0]),
		at(10, 9.5389 / 2, samples[1]), at(5, 0, samples[2])};
	cleanup_(judged_done) struct t1s_report r = judged(p, 3);
	cleanup_free char *text = text_of(&r);
	static const char block[] = "█";
	size_t blocks = 0;

	(void)state;
	for (const char *s = text; (s = strstr(s, block)); s += strlen(block))
		blocks++;
	assert_int_equal(blocks, 24 + 12 + 0);
}

static void text_tells_the_answer(void **state)
{
	double samples[3][1];
	struct t1s_report_point p[] = {at(20, 9.5389, samples[0]),
		at(13, 9.5, samples[1]), at(12, 8, samples[2])};
	cleanup_(judged_done) struct t1s_report r = judged(p, 3);

	(void)state;
	assert_says(&r, "Lowest request with full throughput: 13.000 MHz.");
	assert_says(&r, "The original setting, 20.000 MHz, has a margin of 1.54.");
	assert_says(&r, "Best: 9.539 Mbit/s at 20.000 MHz, 100.0 % of the wire limit of "
			"9.5389 Mbit/s.");
	assert_says(&r,
		"full from 93 % of the best rate, limited from 50 %, severe from 5 "
		"%, collapsed below");
	assert_silent(&r, "Not monotonic");
	assert_silent(&r, "Failed runs");
	assert_silent(&r, "Closing baseline");
	assert_silent(&r, "become one SCLK");
	assert_silent(&r, "binding");
	r.specified_min_hz = 15000000;
	assert_says(&r, "That is below 15 MHz, the least that");
}

static void full_down_to_the_end_says_that_the_limit_was_not_found(void **state)
{
	double samples[2][1];
	struct t1s_report_point p[] = {at(20, 9.5, samples[0]), at(19, 9.5, samples[1])};
	cleanup_(judged_done) struct t1s_report r = judged(p, 2);

	(void)state;
	assert_says(&r, "down to the lowest request, 19.000 MHz: the limit lies below");
}

static void original_below_the_lowest_full_is_told(void **state)
{
	double samples[2][1];
	struct t1s_report_point p[] = {at(20, 9.5, samples[0]), at(10, 5, samples[1])};
	cleanup_(judged_done) struct t1s_report r = judged(p, 2);

	(void)state;
	assert_says(&r, "it has no margin");
	r.original_hz = 10000000;
	r.margin = 0.5;
	assert_says(&r, "The original setting, 10.000 MHz, lies below that");
}

static void points_out_of_order_are_listed_with_advice(void **state)
{
	double samples[4][1];
	struct t1s_report_point p[] = {at(20, 9.5, samples[0]), at(19, 8, samples[1]),
		at(18, 8, samples[2]), at(17, 9.5, samples[3])};
	cleanup_(judged_done) struct t1s_report r = judged(p, 4);
	cleanup_(json_putp) struct json_object *o = json_of(&r);
	struct json_object *list = member(member(o, "summary"), "not_monotonic");

	(void)state;
	assert_says(&r,
		"Not monotonic: not full although above 17.000 MHz: 19.000, 18.000 "
		"MHz.");
	assert_says(&r, "repeat with Passes=3 and Order=shuffled");
	assert_int_equal(json_object_array_length(list), 2);
	assert_int_equal(
		json_object_get_int(json_object_array_get_idx(list, 0)), 19000000);
	assert_int_equal(
		json_object_get_int(json_object_array_get_idx(list, 1)), 18000000);
}

static void long_lists_are_cut_and_counted(void **state)
{
	struct t1s_report_point p[61];
	cleanup_(judged_done) struct t1s_report r = {0};
	cleanup_free char *text = NULL;

	(void)state;
	for (uint32_t i = 0; i < 60; i++)
		p[i] = at(100 - i, NAN, NULL);
	p[60] = at(10, 9.5, NULL);
	p[60].runs = 0;
	r = judged(p, 61);
	text = text_of(&r);
	assert_fits(text);
	assert_says(&r, "(no result there) and 44 more. ");
}

static void shared_clocks_failures_and_disagreement_are_told(void **state)
{
	double samples[3][3] = {{9.5}, {7, 9.5, 9.5}, {7}};
	struct t1s_report_point p[] = {
		at(20, 9.5, samples[0]), at(11, 9.5, NULL), at(10, 7, samples[2])};
	cleanup_(judged_done) struct t1s_report r = {0};
	cleanup_(json_putp) struct json_object *o = NULL;
	struct json_object *group, *point;

	(void)state;
	p[1].samples = samples[1];
	p[1].samples_count = p[1].runs = 3;
	p[1].failed = 1;
	p[1].received_min = 7;
	p[1].sclk_predicted_hz = 10000000;
	p[2].sclk_predicted_hz = 10000000;
	r = judged(p, 3);
	o = json_of(&r);
	group = json_object_array_get_idx(member(member(o, "summary"), "one_sclk"), 0);
	point = json_object_array_get_idx(member(o, "points"), 1);

	assert_says(
		&r, "Requests that become one SCLK: 11.000 to 10.000 MHz → 10.000 MHz");
	assert_says(&r, "Failed runs, not counted: 1 of 4 at 11.000 MHz.");
	assert_says(&r, "Runs disagree about the verdict at 11.000 MHz (7.000 to 9.500");
	assert_int_equal(
		json_object_get_int(member(group, "sclk_predicted_hz")), 10000000);
	assert_int_equal(json_object_array_length(member(group, "requested_hz")), 2);
	assert_int_equal(json_object_get_int(member(point, "failed")), 1);
	assert_true(json_object_get_boolean(member(point, "repeats_disagree")));
	assert_int_equal(json_object_array_length(member(point, "samples_mbit_s")), 3);
}

static void closing_baseline_is_compared_with_the_opening(void **state)
{
	double samples[1][1];
	struct t1s_report_point p[] = {at(20, 9.5, samples[0])};
	cleanup_(judged_done) struct t1s_report r = judged(p, 1);

	(void)state;
	r.closing_runs = 1;
	assert_says(&r, "The closing baseline has no run that can be believed.");
	r.closing_mbit_s = 9.4;
	assert_says(&r, "there is no opening one to compare it with");
	r.opening_mbit_s = 9.5;
	assert_says(&r,
		"Closing baseline at 20.000 MHz: 9.400 Mbit/s, -1.1 % against the "
		"opening's 9.500: no drift.");
	r.closing_mbit_s = 9.4999;
	assert_says(&r, ", +0.0 % against");
	r.opening_mbit_s = 0;
	assert_says(&r, ", where the opening carried nothing.");
	r.opening_mbit_s = 9.5;
	r.closing_mbit_s = 8.5;
	assert_says(&r, "-10.5 % against the opening's 9.500: something other than");
}

static void more_than_the_wire_carries_is_told(void **state)
{
	double samples[2][1];
	struct t1s_report_point p[] = {at(20, 9.9, samples[0]), at(10, 5, samples[1])};
	cleanup_(judged_done) struct t1s_report r = judged(p, 2);

	(void)state;
	assert_says(&r,
		"20.000 MHz: 9.900 Mbit/s are more than the wire limit of 9.5389, so that "
		"the link is another than LinkRate= and PlcaOverhead= say, or packets came "
		"twice.");
}

static void boots_that_measured_something_else_are_told(void **state)
{
	double samples[1][1];
	struct t1s_report_point p[] = {at(20, 9.5, samples[0])};
	cleanup_(judged_done) struct t1s_report r = judged(p, 1);

	(void)state;
	r.unlike_boots = 1;
	(void)snprintf(r.unlike, sizeof(r.unlike), "kernel 6.12 (was 6.6)");
	assert_says(&r,
		"Not all boots measured the same thing: kernel 6.12 (was 6.6). 1 boot "
		"is unlike those before");
	r.unlike_boots = 2;
	assert_says(&r, "2 boots are unlike those before");
}

static void clock_that_was_not_set_is_told(void **state)
{
	double samples[1][1];
	struct t1s_report_point p[] = {at(20, 9.5, samples[0])};
	cleanup_(judged_done) struct t1s_report r = judged(p, 1);

	(void)state;
	(void)snprintf(r.first_timestamp, sizeof(r.first_timestamp), "A");
	(void)snprintf(r.last_timestamp, sizeof(r.last_timestamp), "B");
	r.clock_synchronised = -1;
	assert_says(&r, "measured A to B wire limit");
	r.clock_synchronised = 0;
	assert_says(&r, "measured A to B, clock not synchronised");
}

static void sweep_without_any_believable_run_has_no_answer(void **state)
{
	struct t1s_report_point p[] = {at(20, NAN, NULL)};
	cleanup_(judged_done) struct t1s_report r = judged(p, 1);
	cleanup_(json_putp) struct json_object *o = json_of(&r);
	struct json_object *s = member(o, "summary");

	(void)state;
	assert_says(&r, "No run can be believed, so there is no answer");
	assert_silent(&r, "Lowest request");
	assert_null(member(s, "lowest_full_hz"));
	assert_null(member(s, "margin"));
	assert_null(member(s, "best_mbit_s"));
}

static void unknown_is_null_and_never_zero_or_nan(void **state)
{
	static const char *const unknown[] = {"sclk_predicted_hz", "received_mbit_s",
		"received_min", "received_max", "lost_percent", "jitter_ms",
		"asked_mbit_s", "offered_mbit_s", "wire_share", "spi_ceiling_mbit_s",
		"verdict", "bound_by"};
	struct t1s_report_point p[] = {at(20, NAN, NULL)};
	cleanup_(judged_done) struct t1s_report r = judged(p, 1);
	cleanup_free char *text = json_text_of(&r);
	cleanup_(json_putp) struct json_object *o = json_of(&r);
	struct json_object *point = json_object_array_get_idx(member(o, "points"), 0);

	(void)state;
	for (size_t i = 0; i < T1S_ELEMENTSOF(unknown); i++)
		assert_null(member(point, unknown[i]));
	assert_int_equal(json_object_get_int(member(point, "runs")), 0);
	assert_null(member(o, "sweep_id"));
	assert_null(member(o, "clock_synchronised"));
	assert_null(strstr(text, "nan"));
	assert_null(strstr(text, "NaN"));
	assert_null(strstr(text, "inf"));
}

static void zero_throughput_is_zero_and_not_null(void **state)
{
	double samples[1][1];
	struct t1s_report_point p[] = {at(20, 0, samples[0])};
	cleanup_(judged_done) struct t1s_report r = judged(p, 1);
	cleanup_(json_putp) struct json_object *o = json_of(&r);
	struct json_object *point = json_object_array_get_idx(member(o, "points"), 0);

	(void)state;
	assert_true(json_object_get_double(member(point, "received_mbit_s")) == 0);
	assert_non_null(member(point, "received_mbit_s"));
	assert_string_equal(
		json_object_get_string(member(point, "verdict")), "collapsed");
	assert_says(&r, "No request carried any data.");
}

static void json_keeps_the_digits_that_count(void **state)
{
	double samples[2][1];
	struct t1s_report_point p[] = {
		at(20, 9.538953, samples[0]), at(13, 9.538608, samples[1])};
	cleanup_(judged_done) struct t1s_report r = {0};
	cleanup_free char *text = NULL;

	(void)state;
	p[0].lost_percent = 4.60914881297047;
	p[0].jitter_ms = 0.057408192176391565;
	r = judged(p, 2);
	text = json_text_of(&r);
	assert_non_null(strstr(text, "\"received_mbit_s\": 9.538953,"));
	assert_non_null(strstr(text, "\"lost_percent\": 4.60914881297047,"));
	assert_non_null(strstr(text, "\"jitter_ms\": 0.057408192176391565,"));
	assert_non_null(strstr(text, "\"margin\": 1.5384615384615385,"));
	assert_non_null(strstr(text, "\"full_share\": 0.93,"));
}

static void full_disk_is_an_error(void **state)
{
	struct t1s_report_point p[] = {at(20, NAN, NULL)};
	cleanup_(judged_done) struct t1s_report r = judged(p, 1);
	const struct t1s_report_list list = list_of(&r);
	FILE *full = fopen("/dev/full", "w");

	(void)state;
	if (!full)
		skip();
	assert_int_equal(t1s_report_write_text(&list, full), -EIO);
	(void)fclose(full);
	full = fopen("/dev/full", "w");
	assert_non_null(full);
	assert_int_equal(t1s_report_write_json(&list, full), -EIO);
	(void)fclose(full);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(text_fits_a_hundred_columns),
		cmocka_unit_test(bars_are_as_long_as_the_share),
		cmocka_unit_test(text_tells_the_answer),
		cmocka_unit_test(full_down_to_the_end_says_that_the_limit_was_not_found),
		cmocka_unit_test(original_below_the_lowest_full_is_told),
		cmocka_unit_test(points_out_of_order_are_listed_with_advice),
		cmocka_unit_test(long_lists_are_cut_and_counted),
		cmocka_unit_test(shared_clocks_failures_and_disagreement_are_told),
		cmocka_unit_test(closing_baseline_is_compared_with_the_opening),
		cmocka_unit_test(more_than_the_wire_carries_is_told),
		cmocka_unit_test(boots_that_measured_something_else_are_told),
		cmocka_unit_test(clock_that_was_not_set_is_told),
		cmocka_unit_test(sweep_without_any_believable_run_has_no_answer),
		cmocka_unit_test(unknown_is_null_and_never_zero_or_nan),
		cmocka_unit_test(zero_throughput_is_zero_and_not_null),
		cmocka_unit_test(json_keeps_the_digits_that_count),
		cmocka_unit_test(full_disk_is_an_error),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
