/* SPDX-License-Identifier: MIT */
#include "report/groups.h"

#include "points.h"

static struct t1s_groups groups_of(double *v, size_t n, double least)
{
	struct t1s_values s = {.v = v, .count = n};

	t1s_values_sort(&s);
	return t1s_groups_of(&s, least);
}

static void two_heaps_are_two_groups(void **state)
{
	double v[] = {9.539, 9.054, 9.538, 9.047, 9.539, 9.057};
	const struct t1s_groups g = groups_of(v, 6, 0.19);

	(void)state;
	assert_int_equal(g.low_count, 3);
	assert_int_equal(g.high_count, 3);
	assert_true(fabs(g.low - (9.054 + 9.047 + 9.057) / 3) < 1e-9);
	assert_true(fabs(g.high - (9.539 + 9.538 + 9.539) / 3) < 1e-9);
}

static void groups_that_lie_closer_than_matters_are_none(void **state)
{
	double v[] = {9.539, 9.520, 9.539, 9.520};

	(void)state;
	assert_int_equal(groups_of(v, 4, 0.19).low_count, 0);
	assert_int_equal(groups_of(v, 4, 0.01).low_count, 2);
}

static void one_run_beside_the_others_is_no_group(void **state)
{
	double v[] = {9.5, 9.5, 9.5, 9.5, 2};

	(void)state;
	assert_int_equal(groups_of(v, 5, 0.1).low_count, 0);
}

static void fewer_than_four_runs_are_no_groups(void **state)
{
	double v[] = {9.5, 9.5, 2};

	(void)state;
	assert_int_equal(groups_of(v, 3, 0.1).low_count, 0);
	assert_int_equal(groups_of(v, 0, 0.1).low_count, 0);
}

static void scatter_around_one_middle_is_no_group(void **state)
{
	double even[101], bell[12] = {-1.6, -1.1, -0.8, -0.5, -0.3, -0.1, 0.1, 0.3, 0.5,
				  0.8, 1.1, 1.6};

	(void)state;
	for (size_t i = 0; i < 101; i++)
		even[i] = (double)i;
	assert_int_equal(groups_of(even, 101, 1).low_count, 0);
	assert_int_equal(groups_of(bell, 12, 0.1).low_count, 0);
}

static void equal_values_and_an_unknown_measure_are_no_groups(void **state)
{
	double same[] = {1, 1, 1, 1}, two[] = {1, 1, 2, 2};

	(void)state;
	assert_int_equal(groups_of(same, 4, 0.1).low_count, 0);
	assert_int_equal(groups_of(two, 4, NAN).low_count, 0);
}

static void full_points_in_two_groups_that_frequency_does_not_explain_are_marked(
	void **state)
{
	struct t1s_report_point p[] = {at(20, 9.539, NULL), at(19, 9.054, NULL),
		at(18, 9.056, NULL), at(17, 9.539, NULL), at(16, 9.538, NULL),
		at(15, 3, NULL)};
	cleanup_(judged_done) struct t1s_report r = judged(p, 6);

	(void)state;
	assert_int_equal(r.plateau.low_count, 2);
	assert_int_equal(r.plateau.high_count, 3);
	for (size_t i = 0; i < 6; i++)
		assert_int_equal(p[i].lower_group, i == 1 || i == 2);
}

static void full_points_that_fall_with_frequency_are_no_groups(void **state)
{
	struct t1s_report_point p[] = {at(20, 9.539, NULL), at(19, 9.539, NULL),
		at(18, 9.056, NULL), at(17, 9.054, NULL)};
	cleanup_(judged_done) struct t1s_report r = judged(p, 4);

	(void)state;
	assert_int_equal(r.plateau.low_count, 0);
	assert_false(p[2].lower_group);
}

static void runs_of_one_point_in_two_groups_are_marked(void **state)
{
	double two[] = {9.047, 9.05, 9.538, 9.539, 9.539},
	       one[] = {9.537, 9.538, 9.539, 9.54};
	struct t1s_report_point p[] = {runs_at(20, one, 4), runs_at(19, two, 5)};
	cleanup_(judged_done) struct t1s_report r = judged(p, 2);

	(void)state;
	assert_int_equal(r.count, 2);
	assert_int_equal(p[0].groups.low_count, 0);
	assert_int_equal(p[1].groups.low_count, 2);
	assert_int_equal(p[1].groups.high_count, 3);
}

static void neighbours_that_read_the_same_on_a_slope_are_as_one_clock(void **state)
{
	struct t1s_report_point p[] = {at(12, 8.7, NULL), at(11, 7.09, NULL),
		at(10, 7.11, NULL), at(9, 4, NULL), at(8, 2.7, NULL)};
	cleanup_(judged_done) struct t1s_report r = judged(p, 5);

	(void)state;
	for (size_t i = 0; i < 5; i++)
		assert_int_equal(t1s_report_is_one_clock(&r, i), i == 1 || i == 2);
}

static void known_clocks_are_not_read_off(void **state)
{
	struct t1s_report_point p[] = {at(20, 9.5, NULL), at(12, 8.0, NULL),
		at(11, 7.09, NULL), at(10, 7.11, NULL), at(9, 4, NULL)};
	cleanup_(judged_done) struct t1s_report r = {0};

	(void)state;
	for (size_t i = 0; i < 5; i++)
		p[i].sclk_predicted_hz = p[i].spi_requested_hz;
	r = judged(p, 5);
	for (size_t i = 0; i < 5; i++)
		assert_false(t1s_report_is_one_clock(&r, i));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(two_heaps_are_two_groups),
		cmocka_unit_test(groups_that_lie_closer_than_matters_are_none),
		cmocka_unit_test(one_run_beside_the_others_is_no_group),
		cmocka_unit_test(fewer_than_four_runs_are_no_groups),
		cmocka_unit_test(scatter_around_one_middle_is_no_group),
		cmocka_unit_test(equal_values_and_an_unknown_measure_are_no_groups),
		cmocka_unit_test(
			full_points_in_two_groups_that_frequency_does_not_explain_are_marked),
		cmocka_unit_test(full_points_that_fall_with_frequency_are_no_groups),
		cmocka_unit_test(runs_of_one_point_in_two_groups_are_marked),
		cmocka_unit_test(
			neighbours_that_read_the_same_on_a_slope_are_as_one_clock),
		cmocka_unit_test(known_clocks_are_not_read_off),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
