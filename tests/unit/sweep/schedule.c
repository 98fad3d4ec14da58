/* SPDX-License-Identifier: MIT */
/* clang-format off */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
/* clang-format on */

#include "sweep/schedule.h"
#include "sweep/plan.h"

#include <stdbool.h>

#define S T1S_USEC_PER_SEC
#define MHZ 1000000U

/* 20, 15 and 10 MHz from an original of 20, each measured 20 s. */
static struct t1s_point points[] = {{20 * MHZ, 1, T1S_POINT_SWEEP},
	{15 * MHZ, 1, T1S_POINT_SWEEP}, {10 * MHZ, 1, T1S_POINT_SWEEP}};

static const struct t1s_state three_points = {
	.original_hz = 20 * MHZ, .plan = {.points = points, .count = 3}};

static const struct t1s_config twenty_seconds = {
	.workloads_count = 1, .workloads = {{.duration_s = 20, .repeats = 1}}};

static void a_boot_takes_the_median_of_the_last_ones(void **state)
{
	struct t1s_boot_times t = {.count = 0};

	(void)state;
	assert_int_equal(t1s_schedule_boot_us(&t), 60 * S);
	t1s_schedule_note_boot(&t, 40 * S);
	assert_int_equal(t1s_schedule_boot_us(&t), 40 * S);
	t1s_schedule_note_boot(&t, 30 * S);
	t1s_schedule_note_boot(&t, UINT64_C(28800) * S); /* a night without power */
	assert_int_equal(t1s_schedule_boot_us(&t), 40 * S);
}

static void what_is_older_than_the_last_ones_is_forgotten(void **state)
{
	struct t1s_boot_times t = {.count = 0};

	(void)state;
	for (unsigned int i = 0; i < 3; i++)
		t1s_schedule_note_boot(&t, 90 * S);
	for (unsigned int i = 0; i < T1S_BOOT_TIMES_MAX; i++)
		t1s_schedule_note_boot(&t, (10 + i) * S);
	assert_int_equal(t.count, T1S_BOOT_TIMES_MAX);
	assert_int_equal(t.us[0], 10 * S);
	assert_int_equal(t1s_schedule_boot_us(&t), 12 * S);
}

static void the_original_is_brought_back_by_a_boot_of_its_own(void **state)
{
	struct t1s_state s = three_points;

	(void)state;
	assert_int_equal(t1s_schedule_boots(&s), 4);
	assert_int_equal(t1s_schedule_whole_us(&s, &twenty_seconds), 300 * S);
	s.original_hz =
		10 * MHZ; /* then it is set at the end, but not at the beginning */
	assert_int_equal(t1s_schedule_boots(&s), 4);
	s.original_hz = 25 * MHZ;
	assert_int_equal(t1s_schedule_boots(&s), 5);
}

static void the_end_is_reckoned_from_the_last_advance(void **state)
{
	struct t1s_state s = three_points;
	const uint64_t now_us = t1s_wall_us();

	(void)state;
	s.phase = T1S_PHASE_MEASURING;
	s.point = 1;
	s.expected_hz = 15 * MHZ;
	s.advanced_wall_us = now_us - 30 * S;
	/* two points and the boot back */
	assert_int_equal(
		t1s_schedule_end_us(&s, &twenty_seconds), now_us - 30 * S + 220 * S);
	s.phase = T1S_PHASE_RESTORING;
	assert_int_equal(
		t1s_schedule_end_us(&s, &twenty_seconds), now_us - 30 * S + 60 * S);
	s.phase = T1S_PHASE_FINISHED;
	assert_int_equal(t1s_schedule_end_us(&s, &twenty_seconds), 0);
}

static void a_sweep_that_rested_goes_on_from_now(void **state)
{
	struct t1s_state s = three_points;
	const uint64_t now_us = t1s_wall_us();

	(void)state;
	s.phase = T1S_PHASE_MEASURING;
	s.point = 1;
	s.advanced_wall_us = now_us - 3600 * S;
	assert_true(t1s_schedule_end_us(&s, &twenty_seconds) >= now_us + 220 * S);
	s.advanced_wall_us = now_us + 3600 * S; /* the clock was put back */
	assert_true(t1s_schedule_end_us(&s, &twenty_seconds) >= now_us + 220 * S);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_boot_takes_the_median_of_the_last_ones),
		cmocka_unit_test(what_is_older_than_the_last_ones_is_forgotten),
		cmocka_unit_test(the_original_is_brought_back_by_a_boot_of_its_own),
		cmocka_unit_test(the_end_is_reckoned_from_the_last_advance),
		cmocka_unit_test(a_sweep_that_rested_goes_on_from_now),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
