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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(odd_count_has_the_middle_value),
		cmocka_unit_test(even_count_has_the_mean_of_the_middle_two),
		cmocka_unit_test(nothing_known_is_nan_and_not_zero),
		cmocka_unit_test(unknown_values_do_not_move_the_median),
		cmocka_unit_test(many_values_are_kept),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
