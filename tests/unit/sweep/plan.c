/* SPDX-License-Identifier: MIT */
#include "sweep/plan.h"

#include "base/cleanup.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>
#include <errno.h>
#include <string.h>

#define ORIGINAL_HZ 20000000U
#define SEED UINT64_C(42)

static struct t1s_config config;
static struct t1s_plan plan;
static struct t1s_error error;

static int set_up(void **state)
{
	(void)state;
	t1s_config_defaults(&config);
	memset(&plan, 0, sizeof(plan));
	memset(&error, 0, sizeof(error));
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	t1s_plan_done(&plan);
	return 0;
}

static void make(void)
{
	t1s_plan_done(&plan);
	if (t1s_plan_make(&config, ORIGINAL_HZ, SEED, NULL, NULL, &plan, &error) < 0)
		fail_msg("%s", error.text);
}

static void points_are(const uint32_t *mhz, size_t count)
{
	assert_int_equal(plan.count, count);
	for (size_t i = 0; i < count; i++)
		assert_int_equal(plan.points[i].freq_hz, mhz[i] * 1000000);
}

#define POINTS_ARE(...)                                                                  \
	do {                                                                             \
		const uint32_t expected_[] = {__VA_ARGS__};                              \
		points_are(expected_, T1S_ELEMENTSOF(expected_));                        \
	} while (0)

static void the_default_goes_from_20_down_to_5_mhz_and_closes_at_the_original(
	void **state)
{
	(void)state;
	make();
	POINTS_ARE(20, 19, 18, 17, 16, 15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 20);
	for (size_t i = 0; i < 16; i++) {
		assert_int_equal(plan.points[i].pass, 1);
		assert_int_equal(plan.points[i].kind, T1S_POINT_SWEEP);
	}
	assert_int_equal(plan.points[16].pass, 0);
	assert_int_equal(plan.points[16].kind, T1S_POINT_CLOSING);
	assert_int_equal(plan.seed, 0);
}

static void minimum_is_included_only_if_the_steps_hit_it(void **state)
{
	(void)state;
	config.closing_baseline = false;
	config.step_hz = 4000000;
	make();
	POINTS_ARE(20, 16, 12, 8);
	config.step_hz = 5000000;
	make();
	POINTS_ARE(20, 15, 10, 5);
	config.step_hz = 125000000;
	make();
	POINTS_ARE(20);
	config.minimum_hz = config.start_hz;
	make();
	POINTS_ARE(20);
}

static void given_points_are_ordered_and_once_per_pass(void **state)
{
	const uint32_t given_hz[] = {12000000, 20000000, 6000000};

	(void)state;
	config.closing_baseline = false;
	memcpy(config.points_hz, given_hz, sizeof(given_hz));
	config.points_count = 3;
	config.passes = 2;
	make();
	POINTS_ARE(20, 12, 6, 20, 12, 6);
	assert_int_equal(plan.points[2].pass, 1);
	assert_int_equal(plan.points[3].pass, 2);
	config.order = T1S_ORDER_ASCENDING;
	make();
	POINTS_ARE(6, 12, 20, 6, 12, 20);
	/* Start=, Minimum= and Step= do not count then */
	config.start_hz = 1;
	config.step_hz = 0;
	make();
	POINTS_ARE(6, 12, 20, 6, 12, 20);
}

static void a_shuffled_pass_holds_each_point_once_in_an_order_of_its_own(void **state)
{
	bool differ = false;

	(void)state;
	config.order = T1S_ORDER_SHUFFLED;
	config.closing_baseline = false;
	config.passes = 3;
	make();
	assert_int_equal(plan.count, 48);
	assert_int_equal(plan.seed, SEED);
	for (size_t pass = 0; pass < 3; pass++) {
		unsigned int seen = 0;

		for (size_t i = 0; i < 16; i++) {
			const struct t1s_point *p = &plan.points[pass * 16 + i];

			assert_int_equal(p->pass, pass + 1);
			seen |= 1U << (p->freq_hz / 1000000);
			differ = differ || (pass > 0 && p->freq_hz != p[-16].freq_hz);
		}
		assert_int_equal(seen, 0x1fffe0); /* bits 5 to 20 */
	}
	assert_true(differ);
}

static void the_same_seed_gives_the_same_order_everywhere(void **state)
{
	(void)state;
	config.order = T1S_ORDER_SHUFFLED;
	config.closing_baseline = false;
	make();
	/* recorded once: a sweep that was begun must go on after an update */
	POINTS_ARE(8, 7, 16, 18, 6, 14, 13, 12, 9, 5, 11, 10, 17, 20, 19, 15);
}

static void another_seed_gives_another_order(void **state)
{
	struct t1s_plan other;

	(void)state;
	config.order = T1S_ORDER_SHUFFLED;
	make();
	assert_int_equal(
		t1s_plan_make(&config, ORIGINAL_HZ, SEED + 1, NULL, NULL, &other, &error),
		0);
	assert_memory_not_equal(
		plan.points, other.points, plan.count * sizeof(*plan.points));
	t1s_plan_done(&other);
}

static void no_place_is_preferred_by_the_shuffle(void **state)
{
	/* 3 points, 6 orders: each about 1000 times in 6000 passes */
	unsigned int seen[1 << 6] = {0};
	unsigned int orders = 0;

	(void)state;
	config.order = T1S_ORDER_SHUFFLED;
	config.closing_baseline = false;
	config.start_hz = 3000000;
	config.minimum_hz = 1000000;
	config.passes = 3000;
	make();
	for (size_t i = 0; i < plan.count; i += 3) {
		const struct t1s_point *p = &plan.points[i];

		seen[(p[0].freq_hz / 1000000) << 4 | (p[1].freq_hz / 1000000) << 2 |
			p[2].freq_hz / 1000000]++;
	}
	for (size_t i = 0; i < T1S_ELEMENTSOF(seen); i++)
		if (seen[i]) {
			orders++;
			assert_in_range(seen[i], 400, 600); /* 4.9 sigma */
		}
	assert_int_equal(orders, 6);
}

/* Raspberry Pi 5: 200 MHz by an even divider. */
static uint32_t sclk_of_200_mhz(uint32_t freq_hz, void *data)
{
	uint32_t divider = (200000000 + freq_hz - 1) / freq_hz;

	(*(unsigned int *)data)++;
	return 200000000 / ((divider + 1) & ~1U);
}

static uint32_t sclk_unknown(uint32_t freq_hz, void *data)
{
	(void)freq_hz;
	(void)data;
	return 0;
}

static void requests_with_an_equal_clock_can_be_left_out(void **state)
{
	unsigned int calls = 0;

	(void)state;
	config.closing_baseline = false;
	config.skip_equal_clock = true;
	assert_int_equal(t1s_plan_make(&config, ORIGINAL_HZ, SEED, sclk_of_200_mhz,
				 &calls, &plan, &error),
		0);
	POINTS_ARE(20, 19, 16, 14, 12, 11, 9, 8, 7, 6, 5);
	assert_true(calls > 0);
	t1s_plan_done(&plan);
	config.order = T1S_ORDER_ASCENDING;
	config.passes = 2;
	assert_int_equal(t1s_plan_make(&config, ORIGINAL_HZ, SEED, sclk_of_200_mhz,
				 &calls, &plan, &error),
		0);
	POINTS_ARE(5, 6, 7, 8, 9, 11, 12, 14, 16, 19, 20, 5, 6, 7, 8, 9, 11, 12, 14, 16,
		19, 20);
}

static void nothing_is_left_out_where_the_clock_is_not_known_or_it_is_not_asked_for(
	void **state)
{
	unsigned int calls = 0;

	(void)state;
	config.closing_baseline = false;
	assert_int_equal(t1s_plan_make(&config, ORIGINAL_HZ, SEED, sclk_of_200_mhz,
				 &calls, &plan, &error),
		0);
	assert_int_equal(plan.count, 16);
	config.skip_equal_clock = true;
	make();
	assert_int_equal(plan.count, 16);
	t1s_plan_done(&plan);
	assert_int_equal(t1s_plan_make(&config, ORIGINAL_HZ, SEED, sclk_unknown, NULL,
				 &plan, &error),
		0);
	assert_int_equal(plan.count, 16);
}

static void a_plan_that_begins_elsewhere_opens_at_the_original(void **state)
{
	(void)state;
	config.start_hz = 7000000;
	make();
	POINTS_ARE(20, 7, 6, 5, 20);
	assert_int_equal(plan.points[0].pass, 0);
	assert_int_equal(plan.points[0].kind, T1S_POINT_OPENING);
	assert_int_equal(plan.points[1].pass, 1);
	assert_int_equal(plan.points[1].kind, T1S_POINT_SWEEP);
	assert_int_equal(plan.points[4].kind, T1S_POINT_CLOSING);
	/* each without the other; neither unless asked otherwise where one is not wanted
	 */
	config.opening_baseline = 0;
	make();
	POINTS_ARE(7, 6, 5, 20);
	config.closing_baseline = false;
	config.opening_baseline = -1;
	make();
	POINTS_ARE(7, 6, 5);
	config.opening_baseline = 1;
	make();
	POINTS_ARE(20, 7, 6, 5);
}

static void a_shuffled_order_opens_and_closes_at_the_original(void **state)
{
	(void)state;
	config.order = T1S_ORDER_SHUFFLED;
	config.passes = 2;
	make();
	assert_int_equal(plan.count, 34);
	assert_int_equal(plan.points[0].freq_hz, ORIGINAL_HZ);
	assert_int_equal(plan.points[0].kind, T1S_POINT_OPENING);
	/* the passes themselves are those of the seed */
	assert_int_equal(plan.points[1].freq_hz, 8000000);
	assert_int_equal(plan.points[33].freq_hz, ORIGINAL_HZ);
	assert_int_equal(plan.points[33].kind, T1S_POINT_CLOSING);
}

static void fails(int errnum, uint32_t original_hz, const char *expected)
{
	struct t1s_plan untouched = {.seed = 7};

	assert_int_equal(
		t1s_plan_make(&config, original_hz, SEED, NULL, NULL, &untouched, &error),
		-errnum);
	assert_non_null(strstr(error.text, expected));
	assert_null(untouched.points);
	assert_int_equal(untouched.seed, 7);
}

static void a_plan_without_points_is_refused(void **state)
{
	(void)state;
	config.start_hz = 4999999;
	fails(EINVAL, ORIGINAL_HZ, "no points: Start=4999999 Hz, Minimum=5000000 Hz");
	set_up(state);
	config.step_hz = 0;
	fails(EINVAL, ORIGINAL_HZ, "Step=0 Hz");
	set_up(state);
	config.passes = 0;
	fails(EINVAL, ORIGINAL_HZ, "Passes=0");
}

static void baselines_need_the_original_frequency(void **state)
{
	(void)state;
	fails(EINVAL, 0, "ClosingBaseline=no and OpeningBaseline=no");
	config.opening_baseline = 1;
	config.closing_baseline = false;
	fails(EINVAL, 0, "OpeningBaseline=no");
	config.opening_baseline = 0;
	config.closing_baseline = false;
	assert_int_equal(t1s_plan_make(&config, 0, SEED, NULL, NULL, &plan, &error), 0);
}

static void a_plan_that_is_too_large_is_refused(void **state)
{
	(void)state;
	config.minimum_hz = 20000000 - 9998;
	config.step_hz = 1;
	make();
	assert_int_equal(plan.count, T1S_PLAN_MAX);
	assert_int_equal(plan.points[9998].freq_hz, config.minimum_hz);
	config.minimum_hz++;
	config.start_hz++;
	fails(E2BIG, ORIGINAL_HZ, "10001 points"); /* with the opening baseline */
	config.start_hz--;
	config.minimum_hz -= 2;
	fails(E2BIG, ORIGINAL_HZ, "10001 points, expected at most 10000");
	config.minimum_hz = 1000;
	config.start_hz = 125000000;
	config.passes = 1000;
	fails(E2BIG, ORIGINAL_HZ, "124999001000 points");
}

static void only_frequencies_of_the_plan_are_in_it(void **state)
{
	(void)state;
	config.start_hz = 15000000;
	make();
	assert_true(t1s_plan_has(&plan, 15000000));
	assert_true(t1s_plan_has(&plan, 5000000));
	assert_true(t1s_plan_has(&plan, ORIGINAL_HZ)); /* closing baseline */
	assert_false(t1s_plan_has(&plan, 16000000));
	assert_false(t1s_plan_has(&plan, 15000001));
	assert_false(t1s_plan_has(&plan, 0));
	config.closing_baseline = false;
	make();
	assert_false(t1s_plan_has(&plan, ORIGINAL_HZ));
}

static void a_point_takes_settling_all_runs_and_the_reboot_delay(void **state)
{
	(void)state;
	assert_int_equal(t1s_plan_point_us(&config), (10 + 23 + 10) * 1000000);
	config.workloads[0].repeats = 3;
	assert_int_equal(t1s_plan_point_us(&config), (10 + 3 * 23 + 10) * 1000000);
	config.workloads[1] = config.workloads[0];
	config.workloads_count = 2;
	assert_int_equal(t1s_plan_point_us(&config), (10 + 6 * 23 + 10) * 1000000);
	config.workloads[0].duration_s = 86400;
	config.workloads[0].repeats = 1000;
	assert_int_equal(t1s_plan_point_us(&config),
		(UINT64_C(20) + 86403000 + 69) * UINT64_C(1000000));
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(the_default_goes_from_20_down_to_5_mhz_and_closes_at_the_original),
		TEST(minimum_is_included_only_if_the_steps_hit_it),
		TEST(given_points_are_ordered_and_once_per_pass),
		TEST(a_shuffled_pass_holds_each_point_once_in_an_order_of_its_own),
		TEST(the_same_seed_gives_the_same_order_everywhere),
		TEST(another_seed_gives_another_order),
		TEST(no_place_is_preferred_by_the_shuffle),
		TEST(requests_with_an_equal_clock_can_be_left_out),
		TEST(nothing_is_left_out_where_the_clock_is_not_known_or_it_is_not_asked_for),
		TEST(a_plan_without_points_is_refused),
		TEST(a_plan_that_begins_elsewhere_opens_at_the_original),
		TEST(a_shuffled_order_opens_and_closes_at_the_original),
		TEST(baselines_need_the_original_frequency),
		TEST(a_plan_that_is_too_large_is_refused),
		TEST(only_frequencies_of_the_plan_are_in_it),
		TEST(a_point_takes_settling_all_runs_and_the_reboot_delay),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
