/* SPDX-License-Identifier: MIT */
/* What a search for the knee chooses from, and its plan to begin with. */
#include "sweep/search.h"

#include "base/cleanup.h"
#include "board/spi.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>
#include <errno.h>
#include <string.h>

#define MHZ 1000000U

static struct t1s_config config;
static struct t1s_state state;
static struct t1s_error error;

static int set_up(void **data)
{
	(void)data;
	t1s_config_defaults(&config);
	config.search = T1S_SEARCH_KNEE;
	memset(&state, 0, sizeof(state));
	state.original_hz = 20 * MHZ;
	return 0;
}

static int tear_down(void **data)
{
	(void)data;
	t1s_state_done(&state);
	return 0;
}

static uint32_t sclk_of_pi_4(uint32_t freq_hz, void *data)
{
	(void)data;
	return t1s_spi_sclk_hz("brcm,bcm2835-spi", UINT64_C(500) * MHZ, freq_hz);
}

static uint32_t sclk_of_pi_5(uint32_t freq_hz, void *data)
{
	(void)data;
	return t1s_spi_sclk_hz("snps,dw-apb-ssi", UINT64_C(200) * MHZ, freq_hz);
}

static void make(uint32_t (*sclk_hz)(uint32_t freq_hz, void *data))
{
	t1s_state_done(&state);
	if (t1s_search_make(&config, 1, sclk_hz, NULL, &state, &error) < 0)
		fail_msg("%s", error.text);
}

static void candidates_are(const uint32_t *mhz, size_t count)
{
	assert_int_equal(state.search.count, count);
	for (size_t i = 0; i < count; i++)
		assert_int_equal(
			state.search.candidates[i].freq_hz, mhz[i] * (uint64_t)MHZ);
}

#define CANDIDATES_ARE(...)                                                              \
	do {                                                                             \
		const uint32_t expected_[] = {__VA_ARGS__};                              \
		candidates_are(expected_, T1S_ELEMENTSOF(expected_));                    \
	} while (0)

static void each_clock_is_there_once_by_its_lowest_request(void **data)
{
	(void)data;
	make(sclk_of_pi_4);
	CANDIDATES_ARE(20, 18, 17, 16, 15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5);
	make(sclk_of_pi_5);
	CANDIDATES_ARE(20, 17, 15, 13, 12, 10, 9, 8, 7, 6, 5);
	assert_int_equal(state.search.candidates[3].sclk_hz, 12500000);
	for (size_t i = 1; i < state.search.count; i++)
		assert_true(state.search.candidates[i].sclk_hz <
			    state.search.candidates[i - 1].sclk_hz);
}

static void without_a_known_clock_each_request_is_there(void **data)
{
	(void)data;
	make(NULL);
	assert_int_equal(state.search.count, 16);
	assert_int_equal(state.search.candidates[0].sclk_hz, 0);
	assert_int_equal(state.search.candidates[15].freq_hz, 5 * MHZ);
}

static void the_plan_begins_at_the_reference_and_ends_at_the_baseline(void **data)
{
	(void)data;
	make(sclk_of_pi_4);
	assert_int_equal(state.plan.count, 2);
	assert_int_equal(state.plan.points[0].freq_hz, 20 * MHZ);
	assert_int_equal(state.plan.points[0].pass, 1);
	assert_int_equal(state.plan.points[1].kind, T1S_POINT_CLOSING);
	assert_int_equal(t1s_state_points(&state), 9);
	config.closing_baseline = false;
	make(sclk_of_pi_4);
	assert_int_equal(state.plan.count, 1);
	assert_int_equal(t1s_state_points(&state), 8);
}

static void an_original_above_the_requests_is_the_reference(void **data)
{
	(void)data;
	state.original_hz = 25 * MHZ;
	make(sclk_of_pi_5);
	CANDIDATES_ARE(25, 20, 17, 15, 13, 12, 10, 9, 8, 7, 6, 5);
	assert_int_equal(state.plan.points[0].freq_hz, 25 * MHZ);
	assert_int_equal(state.plan.points[0].kind, T1S_POINT_SWEEP);
}

static void an_original_of_the_highest_clock_is_the_reference(void **data)
{
	(void)data;
	state.original_hz = 18 * MHZ;
	config.start_hz = 19 * MHZ;
	make(sclk_of_pi_5);
	CANDIDATES_ARE(18, 15, 13, 12, 10, 9, 8, 7, 6, 5);
	assert_int_equal(state.plan.points[0].freq_hz, 18 * MHZ);
	/* where nothing tells that they are one clock, the higher one */
	make(NULL);
	assert_int_equal(state.search.candidates[0].freq_hz, 19 * MHZ);
}

static void an_original_below_is_no_reference_but_the_opening_baseline(void **data)
{
	(void)data;
	state.original_hz = 12 * MHZ;
	make(sclk_of_pi_4);
	assert_int_equal(state.plan.count, 3);
	assert_int_equal(state.plan.points[0].freq_hz, 12 * MHZ);
	assert_int_equal(state.plan.points[0].kind, T1S_POINT_OPENING);
	assert_int_equal(state.plan.points[1].freq_hz, 20 * MHZ);
	assert_int_equal(t1s_state_points(&state), 10);
}

static void one_request_is_a_search_too(void **data)
{
	(void)data;
	config.minimum_hz = config.start_hz;
	make(sclk_of_pi_4);
	CANDIDATES_ARE(20);
	assert_int_equal(t1s_state_points(&state), 3);
}

static void order_passes_and_given_points_do_not_change_what_is_chosen_from(void **data)
{
	const uint32_t given_hz[] = {6 * MHZ, 20 * MHZ, 19 * MHZ, 18 * MHZ};

	(void)data;
	config.order = T1S_ORDER_ASCENDING;
	config.passes = 1000;
	config.skip_equal_clock = true;
	memcpy(config.points_hz, given_hz, sizeof(given_hz));
	config.points_count = 4;
	make(sclk_of_pi_4);
	CANDIDATES_ARE(20, 18, 6);
}

static void any_other_sweep_has_no_candidates(void **data)
{
	(void)data;
	config.search = T1S_SEARCH_ALL;
	make(sclk_of_pi_4);
	assert_int_equal(state.search.count, 0);
	assert_false(t1s_search_is_on(&state));
	assert_int_equal(t1s_state_points(&state), 17);
}

static void a_plan_takes_a_point_at_any_place(void **data)
{
	const struct t1s_point point = {.freq_hz = 1, .pass = 3};

	(void)data;
	make(sclk_of_pi_4);
	assert_int_equal(t1s_plan_insert(&state.plan, 1, point), 0);
	assert_int_equal(t1s_plan_insert(&state.plan, 3, point), 0);
	assert_int_equal(t1s_plan_insert(&state.plan, 0, point), 0);
	assert_int_equal(state.plan.count, 5);
	assert_int_equal(state.plan.points[0].freq_hz, 1);
	assert_int_equal(state.plan.points[1].freq_hz, 20 * MHZ);
	assert_int_equal(state.plan.points[2].pass, 3);
	assert_int_equal(state.plan.points[3].kind, T1S_POINT_CLOSING);
	assert_int_equal(state.plan.points[4].freq_hz, 1);
	while (state.plan.count < T1S_PLAN_MAX)
		assert_int_equal(t1s_plan_insert(&state.plan, 0, point), 0);
	assert_int_equal(t1s_plan_insert(&state.plan, 0, point), -E2BIG);
}

static void a_search_takes_three_runs_at_least(void **data)
{
	(void)data;
	config.workloads[0].repeats = 1;
	assert_int_equal(t1s_plan_repeats(&config, true, 0), 3);
	assert_int_equal(t1s_plan_repeats(&config, false, 0), 1);
	config.workloads[0].repeats = 5;
	assert_int_equal(t1s_plan_repeats(&config, true, 0), 5);
	assert_int_equal(t1s_search_repeats_max(&config), 15);
}

static void fails(int errnum, const char *expected)
{
	t1s_state_done(&state);
	assert_int_equal(
		t1s_search_make(&config, 1, NULL, NULL, &state, &error), -errnum);
	assert_non_null(strstr(error.text, expected));
	assert_int_equal(state.search.count, 0);
}

static void what_cannot_be_a_plan_is_refused(void **data)
{
	(void)data;
	config.minimum_hz = 21 * MHZ;
	fails(EINVAL, "no points");
	config.minimum_hz = 1000;
	config.step_hz = 1;
	fails(E2BIG, "expected at most 10000");
}

#define CANDIDATES_TEST(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		CANDIDATES_TEST(each_clock_is_there_once_by_its_lowest_request),
		CANDIDATES_TEST(without_a_known_clock_each_request_is_there),
		CANDIDATES_TEST(
			the_plan_begins_at_the_reference_and_ends_at_the_baseline),
		CANDIDATES_TEST(an_original_above_the_requests_is_the_reference),
		CANDIDATES_TEST(an_original_of_the_highest_clock_is_the_reference),
		CANDIDATES_TEST(
			an_original_below_is_no_reference_but_the_opening_baseline),
		CANDIDATES_TEST(one_request_is_a_search_too),
		CANDIDATES_TEST(
			order_passes_and_given_points_do_not_change_what_is_chosen_from),
		CANDIDATES_TEST(any_other_sweep_has_no_candidates),
		CANDIDATES_TEST(a_plan_takes_a_point_at_any_place),
		CANDIDATES_TEST(a_search_takes_three_runs_at_least),
		CANDIDATES_TEST(what_cannot_be_a_plan_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
