/* SPDX-License-Identifier: MIT */
#include "base/text.h"

#include "base/cleanup.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <errno.h>
#include <float.h>
#include <inttypes.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#define UNTOUCHED UINT64_C(0x5a5a5a5a)

struct case_of {
	const char *text;
	int result;
	uint64_t value; /* where the result is 0 */
};

typedef int (*parser)(const char *text, uint64_t *ret);

static void hold(parser parse, const struct case_of *cases, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		uint64_t v = UNTOUCHED;
		int r = parse(cases[i].text, &v);

		if (r != cases[i].result)
			fail_msg("\"%s\": %d, expected %d", cases[i].text, r,
				cases[i].result);
		if (v != (r == 0 ? cases[i].value : UNTOUCHED))
			fail_msg("\"%s\": %" PRIu64, cases[i].text, v);
	}
}

static int parse_plain_si(const char *text, uint64_t *ret)
{
	return t1s_parse_si(text, NULL, ret);
}

static int parse_hz(const char *text, uint64_t *ret)
{
	return t1s_parse_si(text, "Hz", ret);
}

static int parse_up_to_300(const char *text, uint64_t *ret)
{
	return t1s_parse_uint(text, 300, ret);
}

static int parse_any_uint(const char *text, uint64_t *ret)
{
	return t1s_parse_uint(text, UINT64_MAX, ret);
}

static void numbers_may_have_a_decimal_multiplier(void **state)
{
	static const struct case_of cases[] = {
		{"0", 0, 0},
		{"20000000", 0, 20000000},
		{"20M", 0, 20000000},
		{" 20M ", 0, 20000000},
		{"20 M", 0, 20000000},
		{"500k", 0, 500000},
		{"500K", 0, 500000},
		{"1G", 0, 1000000000},
		{"12.5M", 0, 12500000},
		{"0.000001M", 0, 1},
		{".5k", 0, 500},
		{"1.0", 0, 1},
		{"1.500", -EINVAL, 0},
		{"1.5", -EINVAL, 0},
		{"0.0000001M", -EINVAL, 0},
		{"1.2345k", -EINVAL, 0},
		{"18446744073709551615", 0, UINT64_MAX},
		{"18446744073709551616", -ERANGE, 0},
		{"18446744073709551615k", -ERANGE, 0},
		{"99999999999999999999999", -ERANGE, 0},
		{"20000000000G", -ERANGE, 0},
		{"", -EINVAL, 0},
		{" ", -EINVAL, 0},
		{".", -EINVAL, 0},
		{"M", -EINVAL, 0},
		{"-1", -EINVAL, 0},
		{"+1", -EINVAL, 0},
		{"1,5M", -EINVAL, 0},
		{"1.2.3", -EINVAL, 0},
		{"1m", -EINVAL, 0},
		{"1kk", -EINVAL, 0},
		{"1X", -EINVAL, 0},
		{"1e6", -EINVAL, 0},
		{"0x10", -EINVAL, 0},
		{"20M x", -EINVAL, 0},
		{"20MHz", -EINVAL, 0},
	};

	(void)state;
	hold(parse_plain_si, cases, T1S_ELEMENTSOF(cases));
}

static void numbers_may_have_their_unit(void **state)
{
	static const struct case_of cases[] = {
		{"20M", 0, 20000000},
		{"20MHz", 0, 20000000},
		{"500 kHz", 0, 500000},
		{"12.5 MHz", 0, 12500000},
		{"7Hz", 0, 7},
		{"7 Hz", 0, 7},
		{"Hz", -EINVAL, 0},
		{"20Mhz", -EINVAL, 0},
		{"20MHzHz", -EINVAL, 0},
		{"20bit/s", -EINVAL, 0},
	};

	(void)state;
	hold(parse_hz, cases, T1S_ELEMENTSOF(cases));
}

static void durations_have_units_and_plain_digits_are_seconds(void **state)
{
	static const struct case_of cases[] = {
		{"0", 0, 0},
		{"20", 0, 20000000},
		{"20s", 0, 20000000},
		{"20 s", 0, 20000000},
		{"3min", 0, 180000000},
		{"1h", 0, 3600000000},
		{"500ms", 0, 500000},
		{"1h 30min", 0, 5400000000},
		{"1h30min 5s", 0, 5405000000},
		{"1.5h", 0, 5400000000},
		{"0.1min", 0, 6000000},
		{"0.25", 0, 250000},
		{"0.001ms", 0, 1},
		{"0.0001ms", -EINVAL, 0},
		{"0.0000001", -EINVAL, 0},
		{"", -EINVAL, 0},
		{" ", -EINVAL, 0},
		{"s", -EINVAL, 0},
		{"-1s", -EINVAL, 0},
		{"5m", -EINVAL, 0},
		{"5sec", -EINVAL, 0},
		{"5 apples", -EINVAL, 0},
		{"5,5s", -EINVAL, 0},
		{"5s x", -EINVAL, 0},
		{"18446744073709s", 0, UINT64_C(18446744073709000000)},
		{"18446744073710s", -ERANGE, 0},
		{"18446744073709s 1s", -ERANGE, 0},
		{"99999999999999999999s", -ERANGE, 0},
	};

	(void)state;
	hold(t1s_parse_duration, cases, T1S_ELEMENTSOF(cases));
}

static void whole_numbers_are_digits_only(void **state)
{
	static const struct case_of small[] = {
		{"0", 0, 0},
		{"300", 0, 300},
		{"007", 0, 7},
		{"301", -ERANGE, 0},
		{"99999999999999999999", -ERANGE, 0},
		{"", -EINVAL, 0},
		{" 1", -EINVAL, 0},
		{"1 ", -EINVAL, 0},
		{"-1", -EINVAL, 0},
		{"+1", -EINVAL, 0},
		{"1.0", -EINVAL, 0},
		{"1k", -EINVAL, 0},
		{"0x1", -EINVAL, 0},
	};
	static const struct case_of large[] = {
		{"18446744073709551615", 0, UINT64_MAX},
		{"18446744073709551616", -ERANGE, 0},
	};

	(void)state;
	hold(parse_up_to_300, small, T1S_ELEMENTSOF(small));
	hold(parse_any_uint, large, T1S_ELEMENTSOF(large));
}

static void decimal_numbers_are_read_and_nothing_else_is(void **state)
{
	static const struct {
		const char *text;
		int result;
		double value;
	} cases[] = {
		{"0", 0, 0},
		{"9.538953", 0, 9.538953},
		{"-1.5", 0, -1.5},
		{"+1.5", 0, 1.5},
		{".5", 0, 0.5},
		{"5.", 0, 5},
		{"1e-3", 0, 1e-3},
		{"1E3", 0, 1000},
		{"0.057408192176391565", 0, 0.057408192176391565},
		{"179769313486231570000000000000", 0, 1.7976931348623157e29},
		{"1e308", 0, 1e308},
		{"1e309", -ERANGE, 0},
		{"-1e309", -ERANGE, 0},
		{"1e-400", -ERANGE, 0},
		{"", -EINVAL, 0},
		{".", -EINVAL, 0},
		{"-", -EINVAL, 0},
		{"e5", -EINVAL, 0},
		{"1e", -EINVAL, 0},
		{"1,5", -EINVAL, 0},
		{"1.5 ", -EINVAL, 0},
		{" 1.5", -EINVAL, 0},
		{"1.2.3", -EINVAL, 0},
		{"nan", -EINVAL, 0},
		{"inf", -EINVAL, 0},
		{"infinity", -EINVAL, 0},
		{"0x1p3", -EINVAL, 0},
		{"5.924e 06", -EINVAL, 0},
	};

	(void)state;
	for (size_t i = 0; i < T1S_ELEMENTSOF(cases); i++) {
		double v = -77;
		int r = t1s_parse_double(cases[i].text, &v);

		if (r != cases[i].result || v != (r == 0 ? cases[i].value : -77))
			fail_msg("\"%s\": %d, %.17g", cases[i].text, r, v);
	}
}

static void is_read_as_strtod_does(const char *text)
{
	double v = -1;
	double expected = strtod(text, NULL);

	if (t1s_parse_double(text, &v) < 0 || v != expected)
		fail_msg("%s: %.17g, expected %.17g", text, v, expected);
}

static void a_number_of_a_given_length_ends_there(void **state)
{
	double v = -1;

	(void)state;
	assert_int_equal(t1s_parse_double_of("12.5\0", 5, &v), -EINVAL);
	assert_int_equal(t1s_parse_double_of("12\0.5", 5, &v), -EINVAL);
	assert_int_equal(t1s_parse_double_of("-1e3\0", 5, &v), -EINVAL);
	assert_int_equal(t1s_parse_double_of("", 0, &v), -EINVAL);
	assert_true(v == -1);
	assert_int_equal(t1s_parse_double_of("-1e3", 4, &v), 0);
	assert_true(v == -1000);
}

static void numbers_at_the_most_digits_are_read_as_strtod_does(void **state)
{
	(void)state;
	is_read_as_strtod_does("9999999999999999999");
	is_read_as_strtod_does("99999999999999999999");
	is_read_as_strtod_does("18446744073709551616");
	is_read_as_strtod_does("9.999999999999999999");
	is_read_as_strtod_does("9.9999999999999999999");
	is_read_as_strtod_does(".99999999999999999999");
	is_read_as_strtod_does("00000000000000000001.5");
}

static uint64_t next_random(uint64_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return *state;
}

static void decimals_are_rounded_exactly_as_strtod_does(void **state)
{
	uint64_t random = 88172645463325252;
	char text[64];

	(void)state;
	for (int i = 0; i < 60000; i++) {
		uint64_t whole = next_random(&random) >> (next_random(&random) % 64);
		uint64_t part = next_random(&random) >> (next_random(&random) % 64);

		(void)snprintf(text, sizeof(text), "%" PRIu64 ".%" PRIu64, whole, part);
		is_read_as_strtod_does(text);
		(void)snprintf(text, sizeof(text), "0.%018" PRIu64, part);
		is_read_as_strtod_does(text);
		(void)snprintf(text, sizeof(text), "%.17g",
			(double)(whole >> 11) / 9007199254740992.0);
		is_read_as_strtod_does(text);
	}
}

/* Exactly in the middle between two doubles, and a little beside it. */
static void the_middle_between_two_doubles_is_rounded_to_even(void **state)
{
	uint64_t random = 12345;
	char text[64];

	(void)state;
	is_read_as_strtod_does("9007199254740993");
	is_read_as_strtod_does("9007199254740995");
	is_read_as_strtod_does("9007199254740993.001");
	is_read_as_strtod_does("9007199254740992.999");
	is_read_as_strtod_does("18014398509481983.99");
	is_read_as_strtod_does("4503599627370497.5");
	is_read_as_strtod_does("2251799813685249.75");
	is_read_as_strtod_does("18446744073709551615");
	is_read_as_strtod_does("0.00000000000000000001");
	for (int i = 0; i < 30000; i++) {
		uint64_t m = (UINT64_C(1) << 53) + (next_random(&random) >> 11);

		(void)snprintf(text, sizeof(text), "%" PRIu64, m | 1);
		is_read_as_strtod_does(text);
		(void)snprintf(text, sizeof(text), "%" PRIu64 ".5", m >> 1);
		is_read_as_strtod_does(text);
		(void)snprintf(text, sizeof(text), "%" PRIu64 ".25", m >> 2);
		is_read_as_strtod_does(text);
		(void)snprintf(text, sizeof(text), "%" PRIu64 ".125", m >> 3);
		is_read_as_strtod_does(text);
	}
}

static void shares_are_percentages(void **state)
{
	static const struct {
		const char *text;
		int result;
		double value;
	} cases[] = {
		{"5%", 0, 0.05},
		{"93 %", 0, 0.93},
		{" 12.5% ", 0, 0.125},
		{"12.34%", 0, 0.1234},
		{"0.07%", 0, 0.0007},
		{"0", 0, 0},
		{"0.0", 0, 0},
		{"0%", 0, 0},
		{"100%", 0, 1},
		{"100.1%", -ERANGE, 0},
		{"99999999999999999999999%", -ERANGE, 0},
		{"5", -EINVAL, 0},
		{"0.05", -EINVAL, 0},
		{"", -EINVAL, 0},
		{"%", -EINVAL, 0},
		{"-5%", -EINVAL, 0},
		{"5%%", -EINVAL, 0},
		{"5,5%", -EINVAL, 0},
		{"nan%", -EINVAL, 0},
	};

	(void)state;
	for (size_t i = 0; i < T1S_ELEMENTSOF(cases); i++) {
		double v = -77;
		int r = t1s_parse_percent(cases[i].text, &v);

		if (r != cases[i].result || v != (r == 0 ? cases[i].value : -77))
			fail_msg("\"%s\": %d, %.17g", cases[i].text, r, v);
	}
}

static void switches_are_read_as_systemd_reads_them(void **state)
{
	static const char *const yes[] = {
		"yes", "YES", "true", "True", "on", "1", "y", "t"};
	static const char *const no[] = {"no", "No", "false", "off", "0", "n", "f"};
	static const char *const neither[] = {"", "2", "yess", " yes", "yes ", "maybe"};
	bool v;

	(void)state;
	for (size_t i = 0; i < T1S_ELEMENTSOF(yes); i++) {
		v = false;
		assert_int_equal(t1s_parse_bool(yes[i], &v), 0);
		assert_true(v);
	}
	for (size_t i = 0; i < T1S_ELEMENTSOF(no); i++) {
		v = true;
		assert_int_equal(t1s_parse_bool(no[i], &v), 0);
		assert_false(v);
	}
	for (size_t i = 0; i < T1S_ELEMENTSOF(neither); i++)
		assert_int_equal(t1s_parse_bool(neither[i], &v), -EINVAL);
}

static void is_written_as(double value, int places, const char *expected)
{
	char text[T1S_NUMBER_MAX];

	if (places >= 0)
		t1s_format_fixed(text, value, places);
	else
		t1s_format_shortest(text, value);
	assert_string_equal(text, expected);
}

static void numbers_are_written_with_fixed_places(void **state)
{
	(void)state;
	is_written_as(9.538953, 6, "9.538953");
	is_written_as(0, 6, "0.000000");
	is_written_as(1.0 / 3, 6, "0.333333");
	is_written_as(-2.0 / 3, 3, "-0.667");
	is_written_as(20, 3, "20.000");
	is_written_as(999999999999999, 9, "999999999999999.000000000");
	/* what would not fit is not cut */
	is_written_as(1e15, 6, "1e+15");
	is_written_as(DBL_MAX, 6, "1.7976931348623157e+308");
}

static void numbers_are_written_with_as_few_digits_as_tell_them_apart(void **state)
{
	(void)state;
	is_written_as(0, -1, "0");
	is_written_as(100, -1, "100");
	is_written_as(4.60914881297047, -1, "4.60914881297047");
	is_written_as(9.438332368268673, -1, "9.438332368268673");
	is_written_as(0.057408192176391565, -1, "0.057408192176391565");
	is_written_as(0.1 + 0.2, -1, "0.30000000000000004");
	is_written_as(-DBL_MIN, -1, "-2.2250738585072014e-308");
}

static void what_is_written_shortest_is_read_as_the_same(void **state)
{
	uint64_t random = 4711;

	(void)state;
	for (int i = 0; i < 30000; i++) {
		uint64_t bits = next_random(&random);
		char text[T1S_NUMBER_MAX];
		double v, back = 0;

		memcpy(&v, &bits, sizeof(v));
		if (!isnormal(v))
			continue;
		t1s_format_shortest(text, v);
		if (t1s_parse_double(text, &back) < 0 || back != v)
			fail_msg("%s is not %.17g", text, v);
	}
}

/* A locale with a decimal comma, compiled for this test alone. */
static bool use_comma_locale(char *folder)
{
	char command[256];

	if (!mkdtemp(folder))
		return false;
	(void)snprintf(command, sizeof(command),
		"localedef -i de_DE -f UTF-8 '%s/de_DE.UTF-8' >/dev/null 2>&1", folder);
	/* NOLINTNEXTLINE(cert-env33-c): a path of our own making */
	return system(command) == 0 && setenv("LOCPATH", folder, 1) == 0 &&
	       setlocale(LC_ALL, "de_DE.UTF-8") != NULL;
}

static void numbers_have_a_point_in_any_locale(void **state)
{
	char folder[] = "/tmp/t1s-locale-XXXXXX", command[64], half[8];
	bool made = use_comma_locale(folder);

	(void)snprintf(command, sizeof(command), "rm -rf '%s'", folder);
	/* NOLINTNEXTLINE(cert-env33-c): a path of our own making */
	assert_int_equal(system(command), 0);
	if (!made) {
		print_message("no de_DE locale can be made: package \"locales\"\n");
		skip();
	}
	(void)snprintf(half, sizeof(half), "%.1f", 0.5);
	assert_string_equal(half, "0,5"); /* it would matter */
	decimal_numbers_are_read_and_nothing_else_is(state);
	shares_are_percentages(state);
	numbers_are_written_with_fixed_places(state);
	numbers_are_written_with_as_few_digits_as_tell_them_apart(state);
	(void)snprintf(half, sizeof(half), "%.1f", 0.5);
	assert_string_equal(half, "0,5"); /* and is left as it was */
	(void)setlocale(LC_ALL, "C");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(numbers_may_have_a_decimal_multiplier),
		cmocka_unit_test(numbers_may_have_their_unit),
		cmocka_unit_test(durations_have_units_and_plain_digits_are_seconds),
		cmocka_unit_test(whole_numbers_are_digits_only),
		cmocka_unit_test(decimal_numbers_are_read_and_nothing_else_is),
		cmocka_unit_test(a_number_of_a_given_length_ends_there),
		cmocka_unit_test(numbers_at_the_most_digits_are_read_as_strtod_does),
		cmocka_unit_test(decimals_are_rounded_exactly_as_strtod_does),
		cmocka_unit_test(the_middle_between_two_doubles_is_rounded_to_even),
		cmocka_unit_test(shares_are_percentages),
		cmocka_unit_test(switches_are_read_as_systemd_reads_them),
		cmocka_unit_test(numbers_are_written_with_fixed_places),
		cmocka_unit_test(
			numbers_are_written_with_as_few_digits_as_tell_them_apart),
		cmocka_unit_test(what_is_written_shortest_is_read_as_the_same),
		cmocka_unit_test(numbers_have_a_point_in_any_locale),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
