/* SPDX-License-Identifier: MIT */
#include "points.h"

static void lines_belong_to_the_better_verdict(void **state)
{
	struct t1s_report_point p[] = {at(20, 9, NULL), at(19, 8.37, NULL),
		at(18, 9 * 0.93 - 1e-6, NULL), at(17, 9 * 0.5, NULL),
		at(16, 9 * 0.5 - 1e-6, NULL), at(15, 9 * 0.05, NULL),
		at(14, 9 * 0.05 - 1e-6, NULL)};
	cleanup_(judged_done) struct t1s_report r = judged(p, T1S_ELEMENTSOF(p));
	static const enum t1s_verdict want[] = {T1S_VERDICT_FULL, T1S_VERDICT_FULL,
		T1S_VERDICT_LIMITED, T1S_VERDICT_LIMITED, T1S_VERDICT_SEVERE,
		T1S_VERDICT_SEVERE, T1S_VERDICT_COLLAPSED};

	(void)state;
	for (size_t i = 0; i < T1S_ELEMENTSOF(p); i++)
		assert_int_equal(p[i].verdict, want[i]);
	assert_int_equal(r.lowest_full_hz, 19000000);
	assert_int_equal(r.not_monotonic_count, 0);
}

static void best_is_a_median_wherever_it_stands(void **state)
{
	struct t1s_report_point p[] = {
		at(20, 5, NULL), at(19, 9, NULL), at(18, NAN, NULL), at(17, 8, NULL)};
	cleanup_(judged_done) struct t1s_report r = judged(p, T1S_ELEMENTSOF(p));

	(void)state;
	assert_true(r.best_mbit_s == 9);
	assert_int_equal(r.best_hz, 19000000);
	assert_int_equal(p[0].verdict, T1S_VERDICT_LIMITED);
	assert_int_equal(p[2].verdict, T1S_VERDICT_UNKNOWN);
	assert_true(isnan(p[2].wire_share));
}

static void points_above_the_lowest_full_that_are_not_full_are_listed(void **state)
{
	struct t1s_report_point p[] = {at(20, 9.5, NULL), at(19, 8, NULL),
		at(18, NAN, NULL), at(17, 0, NULL), at(16, 9.4, NULL), at(15, 3, NULL)};
	cleanup_(judged_done) struct t1s_report r = judged(p, T1S_ELEMENTSOF(p));

	(void)state;
	assert_int_equal(r.lowest_full_hz, 16000000);
	assert_int_equal(r.not_monotonic_count, 2);
	assert_int_equal(r.not_monotonic_hz[0], 19000000);
	assert_int_equal(r.not_monotonic_hz[1], 17000000);
}

static void silent_sweep_is_collapsed_and_not_full(void **state)
{
	struct t1s_report_point p[] = {at(20, 0, NULL), at(19, 0, NULL)};
	cleanup_(judged_done) struct t1s_report r = judged(p, T1S_ELEMENTSOF(p));

	(void)state;
	assert_int_equal(p[0].verdict, T1S_VERDICT_COLLAPSED);
	assert_int_equal(p[1].verdict, T1S_VERDICT_COLLAPSED);
	assert_true(r.best_mbit_s == 0);
	assert_int_equal(r.lowest_full_hz, 0);
	assert_true(isnan(r.margin));
}

static void without_a_believable_run_nothing_is_known(void **state)
{
	struct t1s_report_point p[] = {at(20, NAN, NULL), at(19, NAN, NULL)};
	cleanup_(judged_done) struct t1s_report r = judged(p, T1S_ELEMENTSOF(p));

	(void)state;
	assert_true(isnan(r.best_mbit_s));
	assert_int_equal(r.best_hz, 0);
	assert_int_equal(r.lowest_full_hz, 0);
	assert_int_equal(p[0].verdict, T1S_VERDICT_UNKNOWN);
	assert_int_equal(p[0].bound_by, T1S_BOUND_UNKNOWN);
	assert_false(p[0].repeats_disagree);
}

static void margin_is_original_over_lowest_full(void **state)
{
	struct t1s_report_point p[] = {at(20, 9, NULL), at(13, 9, NULL), at(12, 5, NULL)};
	cleanup_(judged_done) struct t1s_report r = judged(p, T1S_ELEMENTSOF(p));

	(void)state;
	assert_true(r.margin == 20.0 / 13.0);
}

static void runs_that_would_be_judged_differently_disagree(void **state)
{
	struct t1s_report_point p[] = {
		at(20, 9.5, NULL), at(19, 9.5, NULL), at(18, 9.5, NULL)};
	cleanup_(judged_done) struct t1s_report r = {0};

	(void)state;
	p[1].received_min = 9.3; /* still full */
	p[2].received_min = 7;
	r = judged(p, T1S_ELEMENTSOF(p));
	assert_int_equal(r.count, 3);
	assert_false(p[0].repeats_disagree);
	assert_false(p[1].repeats_disagree);
	assert_true(p[2].repeats_disagree);
}

static void interval_on_the_line_leaves_it_undecided(void **state)
{
	double best[] = {9.538, 9.539, 9.54}, above[] = {9.0, 9.05, 9.1},
	       across[] = {8.7, 9.0, 9.1}, below[] = {8.0, 8.05, 8.1};
	struct t1s_report_point p[] = {runs_at(20, best, 3), runs_at(19, above, 3),
		runs_at(18, across, 3), runs_at(17, below, 3)};
	cleanup_(judged_done) struct t1s_report r = judged(p, T1S_ELEMENTSOF(p));

	(void)state;
	assert_int_equal(p[0].verdict, T1S_VERDICT_FULL);
	assert_int_equal(p[1].verdict, T1S_VERDICT_FULL);
	assert_int_equal(p[2].verdict, T1S_VERDICT_UNDECIDED);
	assert_int_equal(p[3].verdict, T1S_VERDICT_LIMITED);
	assert_int_equal(r.lowest_full_hz, 19000000);
	assert_int_equal(r.undecided_count, 1);
	assert_int_equal(r.undecided_hz[0], 18000000);
	assert_int_equal(r.not_monotonic_count, 0);
}

/* The median says full, the interval of the mean, which holds the silent runs, does not.
 */
static void median_and_interval_that_contradict_leave_it_undecided(void **state)
{
	double best[] = {9.539, 9.539}, mixed[101];
	struct t1s_report_point p[] = {runs_at(20, best, 2), at(19, 0, NULL)};
	cleanup_(judged_done) struct t1s_report r = {0};

	(void)state;
	for (size_t i = 0; i < 101; i++)
		mixed[i] = i < 40 ? 0 : 9.5;
	p[1] = runs_at(19, mixed, 101);
	r = judged(p, 2);
	assert_true(p[1].received_interval.high < 0.93 * 9.539);
	assert_int_equal(p[1].verdict, T1S_VERDICT_UNDECIDED);
	assert_int_equal(r.lowest_full_hz, 20000000);
}

static void interval_does_not_decide_between_limited_and_severe(void **state)
{
	double best[] = {9.539, 9.539}, across[] = {4.0, 4.8, 5.0};
	struct t1s_report_point p[] = {runs_at(20, best, 2), runs_at(9, across, 3)};
	cleanup_(judged_done) struct t1s_report r = judged(p, 2);

	(void)state;
	assert_int_equal(r.undecided_count, 0);
	assert_int_equal(p[1].verdict, T1S_VERDICT_LIMITED);
}

static void wire_binds_within_two_percent_of_its_limit(void **state)
{
	struct t1s_report_point p[] = {at(20, WIRE, NULL), at(19, WIRE * 0.981, NULL),
		at(18, WIRE * 0.979, NULL)};
	cleanup_(judged_done) struct t1s_report r = judged(p, T1S_ELEMENTSOF(p));

	(void)state;
	assert_int_equal(r.count, 3);
	assert_int_equal(p[0].bound_by, T1S_BOUND_WIRE);
	assert_int_equal(p[1].bound_by, T1S_BOUND_WIRE);
	assert_int_equal(p[2].bound_by, T1S_BOUND_UNKNOWN);
	assert_true(p[0].wire_share == 1);
}

static void spi_binds_below_its_ceiling_only(void **state)
{
	struct t1s_report_point p[] = {
		at(20, 9, NULL), at(12, 8.7, NULL), at(10, 7.1, NULL), at(9, 4, NULL)};
	cleanup_(judged_done) struct t1s_report r = {0};

	(void)state;
	p[0].spi_ceiling_mbit_s = 17.7;
	p[1].spi_ceiling_mbit_s = 9.8;
	p[2].spi_ceiling_mbit_s = 8.87;
	r = judged(p, T1S_ELEMENTSOF(p));
	assert_int_equal(r.count, T1S_ELEMENTSOF(p));
	assert_int_equal(p[0].bound_by, T1S_BOUND_UNKNOWN);
	assert_int_equal(p[1].bound_by, T1S_BOUND_UNKNOWN);
	assert_int_equal(p[2].bound_by, T1S_BOUND_SPI);
	assert_int_equal(p[3].bound_by, T1S_BOUND_UNKNOWN); /* SCLK not known */
}

static void sender_binds_where_all_it_offered_came_through(void **state)
{
	struct t1s_report_point p[] = {
		at(20, 8, NULL), at(19, 5, NULL), at(18, 9.5, NULL), at(10, 5, NULL)};
	cleanup_(judged_done) struct t1s_report r = {0};

	(void)state;
	p[0].offered_mbit_s = 8.01;
	p[1].offered_mbit_s = 8.01; /* much of it was lost: not the sender */
	p[2].offered_mbit_s = 9.52; /* at the wire limit: the wire */
	p[3].offered_mbit_s = 5;
	p[3].asked_mbit_s = 5;
	p[3].spi_ceiling_mbit_s = 8.87;
	r = judged(p, T1S_ELEMENTSOF(p));
	assert_int_equal(r.count, T1S_ELEMENTSOF(p));
	assert_int_equal(p[0].bound_by, T1S_BOUND_SENDER);
	assert_int_equal(p[1].bound_by, T1S_BOUND_UNKNOWN);
	assert_int_equal(p[2].bound_by, T1S_BOUND_WIRE);
	assert_int_equal(p[3].bound_by, T1S_BOUND_SENDER);
}

static void neighbours_with_one_known_clock_are_grouped(void **state)
{
	struct t1s_report_point p[] = {
		at(14, 9, NULL), at(13, 9, NULL), at(12, 9, NULL), at(11, 9, NULL)};
	struct t1s_report r = {.points = p, .count = T1S_ELEMENTSOF(p)};

	(void)state;
	p[0].sclk_predicted_hz = 12500000;
	p[1].sclk_predicted_hz = 12500000;
	assert_int_equal(t1s_report_same_clock(&r, 0), 2);
	assert_int_equal(t1s_report_same_clock(&r, 2), 1); /* both unknown: no group */
	assert_int_equal(t1s_report_same_clock(&r, 3), 1);
}

static void names_are_those_of_the_report(void **state)
{
	(void)state;
	assert_string_equal(t1s_verdict_name(T1S_VERDICT_FULL), "full");
	assert_string_equal(t1s_verdict_name(T1S_VERDICT_LIMITED), "limited");
	assert_string_equal(t1s_verdict_name(T1S_VERDICT_SEVERE), "severe");
	assert_string_equal(t1s_verdict_name(T1S_VERDICT_COLLAPSED), "collapsed");
	assert_string_equal(t1s_verdict_name(T1S_VERDICT_UNDECIDED), "undecided");
	assert_null(t1s_verdict_name(T1S_VERDICT_UNKNOWN));
	assert_string_equal(t1s_bound_name(T1S_BOUND_WIRE), "wire");
	assert_string_equal(t1s_bound_name(T1S_BOUND_SPI), "spi");
	assert_string_equal(t1s_bound_name(T1S_BOUND_CPU), "cpu");
	assert_string_equal(t1s_bound_name(T1S_BOUND_SENDER), "sender");
	assert_null(t1s_bound_name(T1S_BOUND_UNKNOWN));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lines_belong_to_the_better_verdict),
		cmocka_unit_test(best_is_a_median_wherever_it_stands),
		cmocka_unit_test(
			points_above_the_lowest_full_that_are_not_full_are_listed),
		cmocka_unit_test(silent_sweep_is_collapsed_and_not_full),
		cmocka_unit_test(without_a_believable_run_nothing_is_known),
		cmocka_unit_test(margin_is_original_over_lowest_full),
		cmocka_unit_test(runs_that_would_be_judged_differently_disagree),
		cmocka_unit_test(interval_on_the_line_leaves_it_undecided),
		cmocka_unit_test(median_and_interval_that_contradict_leave_it_undecided),
		cmocka_unit_test(interval_does_not_decide_between_limited_and_severe),
		cmocka_unit_test(wire_binds_within_two_percent_of_its_limit),
		cmocka_unit_test(spi_binds_below_its_ceiling_only),
		cmocka_unit_test(sender_binds_where_all_it_offered_came_through),
		cmocka_unit_test(neighbours_with_one_known_clock_are_grouped),
		cmocka_unit_test(names_are_those_of_the_report),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
