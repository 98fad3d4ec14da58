/* SPDX-License-Identifier: MIT */
/* Order statistics over a growing set of values. */
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

/* Of sorted values: the middle one, the mean of the two middle ones, NaN if there are
 * none. */
double t1s_values_median(const struct t1s_values *s);
double t1s_values_min(const struct t1s_values *s);
double t1s_values_max(const struct t1s_values *s);
