/* SPDX-License-Identifier: MIT */
#include "setup/check.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const struct t1s_terminal pipe_end = {.is_one = false};
static const struct t1s_terminal coloured = {
	.is_one = true, .colour = true, .columns = 70};

static struct t1s_check_item make(
	enum t1s_check_mark mark, const char *found, const char *remedy)
{
	struct t1s_check_item item = {
		.group = T1S_CHECK_LINK, .mark = mark, .name = "route"};

	(void)snprintf(item.found, sizeof(item.found), "%s", found);
	(void)snprintf(item.remedy, sizeof(item.remedy), "%s", remedy);
	return item;
}

static char *write_one(const struct t1s_terminal *t, enum t1s_check_group previous,
	const struct t1s_check_item *item)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	assert_non_null(out);
	t1s_check_write_item(out, t, previous, item);
	assert_int_equal(fclose(out), 0);
	return text;
}

static char *write_end(const struct t1s_check_result *r)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	assert_non_null(out);
	t1s_check_write_end(out, &pipe_end, r);
	assert_int_equal(fclose(out), 0);
	return text;
}

static void an_item_is_one_line_and_its_remedy_another(void **state)
{
	const struct t1s_check_item item =
		make(T1S_CHECK_BAD, "a way that is not the one", "sudo ip route");
	char *text = write_one(&pipe_end, T1S_CHECK_LINK, &item);

	(void)state;
	assert_string_equal(text, "  ✗ route          a way that is not the one\n"
				  "                   → sudo ip route\n");
	free(text);
}

static void a_group_is_named_once_before_its_first_item(void **state)
{
	const struct t1s_check_item item = make(T1S_CHECK_GOOD, "over t1s0", "");
	char *first = write_one(&pipe_end, T1S_CHECK_GROUP_MAX, &item);
	char *after = write_one(&pipe_end, T1S_CHECK_SENDER, &item);

	(void)state;
	assert_string_equal(first, "T1S link\n  ✓ route          over t1s0\n");
	assert_string_equal(first, after);
	free(first);
	free(after);
}

static void a_pipe_gets_whole_lines_and_no_colour(void **state)
{
	char found[600];
	struct t1s_check_item item;
	char *text;

	(void)state;
	memset(found, 'x', sizeof(found) - 1);
	for (size_t i = 7; i < sizeof(found) - 1; i += 8)
		found[i] = ' ';
	found[sizeof(found) - 1] = '\0';
	item = make(T1S_CHECK_NOTE, found, "");
	text = write_one(&pipe_end, T1S_CHECK_LINK, &item);
	assert_ptr_equal(strchr(text, '\n'), text + strlen(text) - 1);
	assert_null(strchr(text, '\033'));
	free(text);
}

/* Without the sequences, which take no column. */
static int longest_line(const char *text)
{
	int longest = 0, n = 0;

	for (const char *p = text; *p; p++) {
		if (*p == '\033')
			p += strcspn(p, "m");
		else if (*p == '\n')
			n = 0;
		else if (((unsigned char)*p & 0xc0) != 0x80 && ++n > longest)
			longest = n;
	}
	return longest;
}

static void a_terminal_gets_lines_that_fit_and_colours_that_end(void **state)
{
	struct t1s_check_item item = make(T1S_CHECK_BAD,
		"a sentence of words – some of them in Umlauten: äöü äöü äöü äöü – that "
		"is longer than the line of the terminal",
		"");
	char *text = write_one(&coloured, T1S_CHECK_GROUP_MAX, &item);
	size_t sequences = 0;

	(void)state;
	assert_true(longest_line(text) < 70);
	assert_true(longest_line(text) > 60);
	for (const char *p = text; (p = strchr(p, '\033')); p++)
		sequences++;
	assert_int_equal(sequences, 4);
	assert_non_null(strstr(text, "\033[31m✗\033[0m"));
	free(text);
}

static void a_remedy_is_never_broken(void **state)
{
	const char *remedy = "sudo nmcli connection add con-name t1s type ethernet "
			     "ifname beiis-t1s0 ipv4.method manual";
	struct t1s_check_item item = make(T1S_CHECK_BAD, "x", remedy);
	char *text = write_one(&coloured, T1S_CHECK_LINK, &item);

	(void)state;
	assert_non_null(strstr(text, remedy));
	free(text);
}

static void the_end_says_what_comes_next(void **state)
{
	const struct {
		struct t1s_check_result result;
		const char *text;
	} cases[] = {
		{{.of = {5, 0, 0}}, "\nReady. To begin: sudo systemctl enable t1s-sweep "
				    "&& sudo reboot\n"},
		{{.of = {5, 2, 0}, .armed = true},
			"\nReady; 2 ! worth a look. The next boot begins a sweep: sudo "
			"reboot\n"},
		{{.of = {5, 0, 0}, .armed = true, .under_way = true},
			"\nReady. A sweep is under way: t1s-sweep status\n"},
		{{.of = {5, 0, 1}}, "\nNot ready: 1 ✗ to put right.\n"},
		{{.of = {5, 3, 2}, .armed = true},
			"\nNot ready: 2 ✗ to put right; 3 ! worth a look.\n"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char *text = write_end(&cases[i].result);

		assert_string_equal(text, cases[i].text);
		free(text);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_item_is_one_line_and_its_remedy_another),
		cmocka_unit_test(a_group_is_named_once_before_its_first_item),
		cmocka_unit_test(a_pipe_gets_whole_lines_and_no_colour),
		cmocka_unit_test(a_terminal_gets_lines_that_fit_and_colours_that_end),
		cmocka_unit_test(a_remedy_is_never_broken),
		cmocka_unit_test(the_end_says_what_comes_next),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
