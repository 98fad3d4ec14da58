/* SPDX-License-Identifier: MIT */
#include "base/clock.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define SEC T1S_USEC_PER_SEC
#define MIN (60 * SEC)
#define HOUR (60 * MIN)

static void set_zone(const char *zone)
{
	(void)setenv("TZ", zone, 1);
	tzset();
}

static void a_timestamp_has_the_form_of_the_reference(void **state)
{
	char text[T1S_TIMESTAMP_MAX];

	(void)state;
	set_zone("BST-1"); /* an hour east, whatever zone data is installed */
	t1s_format_timestamp(UINT64_C(1784063358) * SEC + 999999, text);
	assert_string_equal(text, "2026-07-14T22:09:18+01:00");
}

static void a_timestamp_tells_its_zone(void **state)
{
	char text[T1S_TIMESTAMP_MAX];

	(void)state;
	set_zone("UTC0");
	t1s_format_timestamp(0, text);
	assert_string_equal(text, "1970-01-01T00:00:00+00:00");
	set_zone("NST3:30");
	t1s_format_timestamp(0, text);
	assert_string_equal(text, "1969-12-31T20:30:00-03:30");
}

static void a_time_of_day_is_local(void **state)
{
	char text[T1S_TIMESTAMP_MAX];

	(void)state;
	set_zone("BST-1");
	t1s_format_clock(UINT64_C(1784063358) * SEC, text);
	assert_string_equal(text, "22:09");
}

static void is_shown_as(uint64_t us, const char *expected)
{
	char text[T1S_TIMESTAMP_MAX];

	t1s_format_duration(us, text);
	assert_string_equal(text, expected);
}

static void a_duration_is_told_in_the_unit_a_person_would_use(void **state)
{
	(void)state;
	is_shown_as(0, "0 s");
	is_shown_as(SEC / 2 - 1, "0 s");
	is_shown_as(SEC / 2, "1 s");
	is_shown_as(45 * SEC, "45 s");
	is_shown_as(89 * SEC, "89 s");
	is_shown_as(90 * SEC, "2 min");
	is_shown_as(12 * MIN, "12 min");
	is_shown_as(59 * MIN + 29 * SEC, "59 min");
	is_shown_as(59 * MIN + 30 * SEC, "1 h 00 min");
	is_shown_as(HOUR, "1 h 00 min");
	is_shown_as(HOUR + 5 * MIN, "1 h 05 min");
	is_shown_as(2 * HOUR - 1 * SEC, "2 h 00 min");
	is_shown_as(100 * HOUR + 59 * MIN, "100 h 59 min");
}

static void the_time_left_is_rounded_up_and_never_negative(void **state)
{
	const uint64_t now = t1s_now_us();

	(void)state;
	assert_int_equal(t1s_left_ms(0), 0);
	assert_int_equal(t1s_left_ms(now), 0);
	/* between here and there time goes by, but not an hour */
	assert_in_range(t1s_left_ms(now + 2 * HOUR), 3600 * 1000, 7200 * 1000);
	assert_int_equal(t1s_left_ms(UINT64_MAX), INT_MAX);
}

static void a_wait_as_long_as_the_time_left_reaches_the_deadline(void **state)
{
	(void)state;
	for (int i = 0; i < 20; i++) {
		const uint64_t deadline = t1s_now_us() + 900;
		int left;

		while ((left = t1s_left_ms(deadline)) > 0)
			t1s_sleep_us((uint64_t)left * T1S_USEC_PER_MSEC);
		assert_true(t1s_now_us() >= deadline);
	}
}

static void clocks_go_forward(void **state)
{
	const uint64_t now = t1s_now_us(), up = t1s_uptime_us();

	(void)state;
	t1s_sleep_us(1000);
	assert_true(t1s_now_us() >= now + 1000);
	assert_true(t1s_uptime_us() >= up + 1000);
	assert_true(t1s_wall_us() > UINT64_C(1600000000) * SEC);
	/* either answer is right on some machine; it must not fail on any */
	(void)t1s_clock_synchronised();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_timestamp_has_the_form_of_the_reference),
		cmocka_unit_test(a_timestamp_tells_its_zone),
		cmocka_unit_test(a_time_of_day_is_local),
		cmocka_unit_test(a_duration_is_told_in_the_unit_a_person_would_use),
		cmocka_unit_test(the_time_left_is_rounded_up_and_never_negative),
		cmocka_unit_test(a_wait_as_long_as_the_time_left_reaches_the_deadline),
		cmocka_unit_test(clocks_go_forward),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
