/* SPDX-License-Identifier: MIT */
#include "base/values.h"

#include "base/cleanup.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

void t1s_values_done(struct t1s_values *s)
{
	free(s->v);
	*s = (struct t1s_values){0};
}

int t1s_values_add(struct t1s_values *s, double value)
{
	if (isnan(value))
		return 0;
	if (s->count == s->room) {
		const size_t room = s->room ? s->room * 2 : 8;
		double *v = reallocarray(s->v, room, sizeof(*v));

		if (!v)
			return -ENOMEM;
		s->v = v;
		s->room = room;
	}
	s->v[s->count++] = value;
	return 0;
}

static int by_value(const void *a, const void *b)
{
	const double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

void t1s_values_sort(struct t1s_values *s)
{
	if (s->count > 1)
		qsort(s->v, s->count, sizeof(*s->v), by_value);
}

double t1s_values_median(const struct t1s_values *s)
{
	const size_t middle = s->count / 2;

	if (s->count == 0)
		return NAN;
	if (s->count % 2 == 1)
		return s->v[middle];
	return s->v[middle - 1] + (s->v[middle] - s->v[middle - 1]) / 2;
}

double t1s_values_min(const struct t1s_values *s)
{
	return s->count ? s->v[0] : NAN;
}

double t1s_values_max(const struct t1s_values *s)
{
	return s->count ? s->v[s->count - 1] : NAN;
}

double t1s_values_mean(const struct t1s_values *s)
{
	double sum = 0;

	for (size_t i = 0; i < s->count; i++)
		sum += s->v[i];
	return s->count ? sum / (double)s->count : NAN;
}

double t1s_student_factor(size_t freedom)
{
	static const double table[] = {NAN, 12.7062, 4.3027, 3.1824, 2.7764};
	/* the normal distribution's, and the coefficients of the expansion at it */
	static const double z = 1.959964, g[] = {2.372272, 2.822499, 2.555850, 1.589534};
	const double n = (double)freedom;

	if (freedom < T1S_ELEMENTSOF(table))
		return table[freedom];
	return z + (g[0] + (g[1] + (g[2] + g[3] / n) / n) / n) / n;
}

struct t1s_interval t1s_values_interval(const struct t1s_values *s)
{
	const double n = (double)s->count, mean = t1s_values_mean(s);
	double squares = 0, half;

	if (s->count < 2)
		return (struct t1s_interval){NAN, NAN};
	for (size_t i = 0; i < s->count; i++)
		squares += (s->v[i] - mean) * (s->v[i] - mean);
	half = t1s_student_factor(s->count - 1) * sqrt(squares / (n - 1) / n);
	return (struct t1s_interval){mean - half, mean + half};
}
