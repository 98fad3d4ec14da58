/* SPDX-License-Identifier: MIT */
/* clang-format off */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
/* clang-format on */

#include "base/terminal.h"
#include "base/cleanup.h"

#include <math.h>
#include <string.h>

static char *wrapped(int columns, int indent, const char *text)
{
	const struct t1s_terminal t = {.is_one = columns > 0, .columns = columns};
	char *ret = NULL;
	size_t size;
	FILE *f = open_memstream(&ret, &size);

	assert_non_null(f);
	t1s_put_wrapped(f, &t, indent, text);
	assert_int_equal(fclose(f), 0);
	return ret;
}

static char *bar(int columns, double share)
{
	char *ret = NULL;
	size_t size;
	FILE *f = open_memstream(&ret, &size);

	assert_non_null(f);
	t1s_put_bar(f, columns, share);
	assert_int_equal(fclose(f), 0);
	return ret;
}

static void words_go_on_below_the_first(void **state)
{
	cleanup_free char *text = wrapped(60, 50, "one two three fourteen");

	(void)state;
	assert_string_equal(text,
		"one two\n"
		"                                                  three\n"
		"                                                  fourteen\n");
}

static void letters_are_counted_not_bytes(void **state)
{
	cleanup_free char *text = wrapped(60, 50, "ÄÖÜ ÄÖÜ ÄÖ");

	(void)state;
	assert_string_equal(text,
		"ÄÖÜ ÄÖÜ\n"
		"                                                  ÄÖ\n");
}

static void what_is_no_terminal_or_a_narrow_one_gets_one_line(void **state)
{
	static const int columns[] = {0, 1, 59};

	(void)state;
	for (size_t i = 0; i < T1S_ELEMENTSOF(columns); i++) {
		cleanup_free char *text = wrapped(columns[i], 50, "one two three four");

		assert_string_equal(text, "one two three four\n");
	}
}

static void a_word_longer_than_a_line_stays_whole(void **state)
{
	cleanup_free char *text = wrapped(60, 50, "/a/path/that/is/long end");

	(void)state;
	assert_string_equal(text,
		"/a/path/that/is/long\n"
		"                                                  end\n");
}

static void a_bar_is_filled_to_half_a_column(void **state)
{
	static const struct {
		double share;
		const char *expected;
	} cases[] = {{0, "    "}, {0.5, "██  "}, {0.625, "██▌ "}, {1, "████"},
		{7, "████"}, {-1, "    "}, {NAN, "    "}, {INFINITY, "████"}};

	(void)state;
	for (size_t i = 0; i < T1S_ELEMENTSOF(cases); i++) {
		cleanup_free char *text = bar(4, cases[i].share);

		assert_string_equal(text, cases[i].expected);
	}
}

static void a_bar_without_room_is_nothing(void **state)
{
	cleanup_free char *none = bar(0, 1), *less = bar(-3, 1);

	(void)state;
	assert_string_equal(none, "");
	assert_string_equal(less, "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(words_go_on_below_the_first),
		cmocka_unit_test(letters_are_counted_not_bytes),
		cmocka_unit_test(what_is_no_terminal_or_a_narrow_one_gets_one_line),
		cmocka_unit_test(a_word_longer_than_a_line_stays_whole),
		cmocka_unit_test(a_bar_is_filled_to_half_a_column),
		cmocka_unit_test(a_bar_without_room_is_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
