/* SPDX-License-Identifier: MIT */
/* Statistics over a growing set of values. */
#pragma once

#include <stddef.h>

/* Start from {0}. */
struct t1s_values {
	double *v;
	size_t count, room;
};

void t1s_values_done(struct t1s_values *s);

/* Adds a value; NaN ("unknown") is left out. Returns 0 or -ENOMEM. */
int t1s_values_add(struct t1s_values *s, double value);

/* Sorts rising; what the functions below expect. */
void t1s_values_sort(struct t1s_values *s);

/* Of sorted values: the middle one, the mean of the two middle ones; NaN if there are
 * none. */
double t1s_values_median(const struct t1s_values *s);

/* The same of values in any order, which changes: quicker than sorting very many. */
double t1s_values_select_median(struct t1s_values *s);

/* Of sorted values; NaN if there are none. */
double t1s_values_min(const struct t1s_values *s);
double t1s_values_max(const struct t1s_values *s);

/* In any order: the arithmetic mean; NaN if there are none. */
double t1s_values_mean(const struct t1s_values *s);

struct t1s_interval {
	double low, high;
};

/*
 * In any order: the 95 % confidence interval of the mean by Student's t, that is
 * mean ± t(0.975, n - 1) · s / √n (NIST/SEMATECH e-Handbook of Statistical Methods,
 * 1.3.5.2). It holds for values that scatter independently around one mean; two groups of
 * values make it wide, as they should. NaN for fewer than two values.
 */
struct t1s_interval t1s_values_interval(const struct t1s_values *s);

/*
 * t(0.975, @freedom), the factor of the interval. To 0.02 %: tabled below 5 (NIST
 * Technical Note 1297, table B.1), else by the expansion 26.7.5 in Abramowitz and Stegun,
 * Handbook of Mathematical Functions. NaN for 0.
 */
double t1s_student_factor(size_t freedom);
