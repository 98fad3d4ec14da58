/* SPDX-License-Identifier: MIT */
#include "base/values.h"

#include "base/cleanup.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void fill(struct t1s_values *s, const double *v, size_t n)
{
	for (size_t i = 0; i < n; i++)
		assert_int_equal(t1s_values_add(s, v[i]), 0);
	t1s_values_sort(s);
}

static void odd_count_has_the_middle_value(void **state)
{
	cleanup_(t1s_values_done) struct t1s_values s = {0};

	(void)state;
	fill(&s, (const double[]){9.5, 0.1, 9.1}, 3);
	assert_true(t1s_values_median(&s) == 9.1);
	assert_true(t1s_values_min(&s) == 0.1);
	assert_true(t1s_values_max(&s) == 9.5);
}

static void even_count_has_the_mean_of_the_middle_two(void **state)
{
	cleanup_(t1s_values_done) struct t1s_values s = {0};

	(void)state;
	fill(&s, (const double[]){4, 1, 3, 100}, 4);
	assert_true(t1s_values_median(&s) == 3.5);
}

static void nothing_known_is_nan_and_not_zero(void **state)
{
	cleanup_(t1s_values_done) struct t1s_values s = {0};

	(void)state;
	fill(&s, (const double[]){NAN, NAN}, 2);
	assert_int_equal(s.count, 0);
	assert_true(isnan(t1s_values_median(&s)));
	assert_true(isnan(t1s_values_min(&s)));
	assert_true(isnan(t1s_values_max(&s)));
}

static void unknown_values_do_not_move_the_median(void **state)
{
	cleanup_(t1s_values_done) struct t1s_values s = {0};

	(void)state;
	fill(&s, (const double[]){NAN, 2, NAN, 1, 3}, 5);
	assert_true(t1s_values_median(&s) == 2);
}

static void many_values_are_kept(void **state)
{
	cleanup_(t1s_values_done) struct t1s_values s = {0};

	(void)state;
	for (int i = 1000; i >= 0; i--)
		assert_int_equal(t1s_values_add(&s, i), 0);
	t1s_values_sort(&s);
	assert_int_equal(s.count, 1001);
	assert_true(t1s_values_median(&s) == 500);
	assert_true(t1s_values_min(&s) == 0);
	assert_true(t1s_values_max(&s) == 1000);
}

static void assert_near(double found, double expected, double share)
{
	if (!(fabs(found - expected) <= share * fabs(expected)))
		fail_msg("found %.6f, expected %.6f", found, expected);
}

static void student_factors_are_those_of_the_tables(void **state)
{
	static const struct {
		size_t freedom;
		double factor;
	} known[] = {{1, 12.706}, {2, 4.303}, {3, 3.182}, {4, 2.776}, {5, 2.571},
		{6, 2.447}, {7, 2.365}, {8, 2.306}, {9, 2.262}, {10, 2.228}, {15, 2.131},
		{20, 2.086}, {30, 2.042}, {60, 2.000}, {120, 1.980}, {1000000, 1.960}};

	(void)state;
	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		assert_near(t1s_student_factor(known[i].freedom), known[i].factor, 3e-4);
	for (size_t i = 1; i < 200; i++)
		assert_true(t1s_student_factor(i) > t1s_student_factor(i + 1));
	assert_true(isnan(t1s_student_factor(0)));
}

/* Worked by hand: mean 3, s² = 10/4, s/√5 = 0.70711, times 2.7764. */
static void interval_is_the_mean_and_what_its_scatter_allows(void **state)
{
	cleanup_(t1s_values_done) struct t1s_values s = {0};
	struct t1s_interval i;

	(void)state;
	fill(&s, (const double[]){5, 1, 4, 2, 3}, 5);
	assert_true(t1s_values_mean(&s) == 3);
	i = t1s_values_interval(&s);
	assert_near(i.low, 3 - 1.96324, 1e-4);
	assert_near(i.high, 3 + 1.96324, 1e-4);
}

static void equal_values_have_an_interval_without_width(void **state)
{
	cleanup_(t1s_values_done) struct t1s_values s = {0};
	struct t1s_interval i;

	(void)state;
	fill(&s, (const double[]){9.5, 9.5, 9.5}, 3);
	i = t1s_values_interval(&s);
	assert_true(i.low == 9.5 && i.high == 9.5);
}

static void one_value_has_no_interval(void **state)
{
	cleanup_(t1s_values_done) struct t1s_values s = {0};
	struct t1s_interval i;

	(void)state;
	assert_true(isnan(t1s_values_mean(&s)));
	fill(&s, (const double[]){9.5}, 1);
	assert_true(t1s_values_mean(&s) == 9.5);
	i = t1s_values_interval(&s);
	assert_true(isnan(i.low) && isnan(i.high));
}

static void two_groups_have_a_wide_interval(void **state)
{
	cleanup_(t1s_values_done) struct t1s_values one = {0}, two = {0};
	struct t1s_interval narrow, wide;

	(void)state;
	fill(&one, (const double[]){9.53, 9.54, 9.55, 9.54}, 4);
	fill(&two, (const double[]){9.54, 9.05, 9.54, 9.05}, 4);
	narrow = t1s_values_interval(&one);
	wide = t1s_values_interval(&two);
	assert_true(narrow.high - narrow.low < 0.03);
	assert_true(wide.high - wide.low > 0.5);
}

/* The property that gives the interval its name, over normal values by Box and Muller. */
static void interval_holds_the_mean_in_95_of_100_cases(void **state)
{
	const double tau = 6.283185307179586;
	uint32_t seed = 1;
	int held = 0;

	(void)state;
	for (int trial = 0; trial < 4000; trial++) {
		cleanup_(t1s_values_done) struct t1s_values s = {0};
		struct t1s_interval found;

		for (int i = 0; i < 5; i++) {
			double u, v;

			seed = seed * 1664525U + 1013904223U;
			u = (seed + 1.0) / 4294967297.0;
			seed = seed * 1664525U + 1013904223U;
			v = seed / 4294967296.0;
			assert_int_equal(t1s_values_add(&s,
						 9.5 + sqrt(-2 * log(u)) * cos(tau * v)),
				0);
		}
		found = t1s_values_interval(&s);
		held += found.low <= 9.5 && 9.5 <= found.high;
	}
	if (held < 3720 || held > 3880)
		fail_msg("%d of 4000", held);
}

/* A generator of our own: the same values everywhere. */
static double next_value(uint32_t *seed)
{
	*seed = *seed * UINT32_C(1664525) + UINT32_C(1013904223);
	return *seed >> 16;
}

static void selected_median_is_the_sorted_one(void **state)
{
	uint32_t seed = 1;

	(void)state;
	for (size_t n = 0; n < 200; n++) {
		cleanup_(t1s_values_done) struct t1s_values s = {0}, same = {0};

		for (size_t i = 0; i < n; i++) {
			/* many equal ones at the odd sizes */
			const double v = fmod(next_value(&seed), n % 2 ? 7 : 1e9);

			assert_int_equal(t1s_values_add(&s, v), 0);
			assert_int_equal(t1s_values_add(&same, v), 0);
		}
		t1s_values_sort(&same);
		if (n == 0)
			assert_true(isnan(t1s_values_select_median(&s)));
		else
			assert_true(
				t1s_values_select_median(&s) == t1s_values_median(&same));
	}
}

static void selection_keeps_all_values_in_any_order_of_input(void **state)
{
	static const size_t n = 1000;

	(void)state;
	for (int shape = 0; shape < 4; shape++) {
		cleanup_(t1s_values_done) struct t1s_values s = {0};

		for (size_t i = 0; i < n; i++) {
			const double shapes[] = {(double)i, (double)(n - i), 5,
				(double)(i < n / 2 ? i : n - i)};

			assert_int_equal(t1s_values_add(&s, shapes[shape]), 0);
		}
		(void)t1s_values_select_median(&s);
		t1s_values_sort(&s);
		assert_int_equal(s.count, n);
		assert_true(s.v[0] == (shape == 1 ? 1 : shape == 2 ? 5 : 0));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(selected_median_is_the_sorted_one),
		cmocka_unit_test(selection_keeps_all_values_in_any_order_of_input),
		cmocka_unit_test(odd_count_has_the_middle_value),
		cmocka_unit_test(even_count_has_the_mean_of_the_middle_two),
		cmocka_unit_test(nothing_known_is_nan_and_not_zero),
		cmocka_unit_test(unknown_values_do_not_move_the_median),
		cmocka_unit_test(many_values_are_kept),
		cmocka_unit_test(student_factors_are_those_of_the_tables),
		cmocka_unit_test(interval_is_the_mean_and_what_its_scatter_allows),
		cmocka_unit_test(equal_values_have_an_interval_without_width),
		cmocka_unit_test(one_value_has_no_interval),
		cmocka_unit_test(two_groups_have_a_wide_interval),
		cmocka_unit_test(interval_holds_the_mean_in_95_of_100_cases),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
