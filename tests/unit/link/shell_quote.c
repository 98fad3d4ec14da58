/* SPDX-License-Identifier: MIT */
#include "link/sender.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static void words_are_quoted_once(void **state)
{
	static const char *const cases[][2] = {{"", "''"}, {"iperf3", "'iperf3'"},
		{"a b", "'a b'"}, {"$(id)", "'$(id)'"}, {"it's", "'it'\\''s'"},
		{"'", "''\\'''"}, {"\\", "'\\'"}};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char quoted[32];

		assert_int_equal(t1s_shell_quote(cases[i][0], quoted, sizeof(quoted)), 0);
		assert_string_equal(quoted, cases[i][1]);
	}
}

static void word_that_does_not_fit_is_enametoolong_and_nothing_is_written(void **state)
{
	char quoted[8] = "before";

	(void)state;
	assert_int_equal(t1s_shell_quote("12345", quoted, sizeof(quoted)), 0);
	assert_string_equal(quoted, "'12345'");
	assert_int_equal(
		t1s_shell_quote("123456", quoted, sizeof(quoted)), -ENAMETOOLONG);
	assert_int_equal(t1s_shell_quote("12'4", quoted, sizeof(quoted)), -ENAMETOOLONG);
	assert_string_equal(quoted, "'12345'");
	assert_int_equal(t1s_shell_quote("", quoted, 2), -ENAMETOOLONG);
	assert_int_equal(t1s_shell_quote("", quoted, 3), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(words_are_quoted_once),
		cmocka_unit_test(
			word_that_does_not_fit_is_enametoolong_and_nothing_is_written),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
