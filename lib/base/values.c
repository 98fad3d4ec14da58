/* SPDX-License-Identifier: MIT */
#include "base/values.h"

#include "base/cleanup.h"

#include <errno.h>
#include <math.h>
#include <stdbool.h>
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

static void swap(double *a, double *b)
{
	const double t = *a;

	*a = *b;
	*b = t;
}

/* Of three, the middle one to the middle. */
static double pivot_of(double *v, size_t n)
{
	double *const a = v, *const b = v + n / 2, *const c = v + n - 1;

	if (*a > *b)
		swap(a, b);
	if (*b > *c)
		swap(b, c);
	if (*a > *b)
		swap(a, b);
	return *b;
}

/* Moves the values below @pivot, or up to it, to the front. Returns their number. No
 * branch depends on a value: a processor could not foresee it. */
static size_t front(double *v, size_t n, double pivot, bool up_to)
{
	size_t count = 0;

	for (size_t i = 0; i < n; i++) {
		const double value = v[i];

		v[i] = v[count];
		v[count] = value;
		count += up_to ? value <= pivot : value < pivot;
	}
	return count;
}

/* Moves the value that sorting would put at @k there, none above it before and none below
 * it behind (quickselect). Values laid out to make that slow are sorted instead. */
static void select_at(double *v, size_t n, size_t k)
{
	for (unsigned int rounds = 0; n > 2 && rounds < 128; rounds++) {
		const double pivot = pivot_of(v, n);
		const size_t below = front(v, n, pivot, false);
		size_t up_to;

		if (k < below) {
			n = below;
			continue;
		}
		up_to = below + front(v + below, n - below, pivot, true);
		if (k < up_to)
			return;
		v += up_to;
		n -= up_to;
		k -= up_to;
	}
	qsort(v, n, sizeof(*v), by_value);
}

double t1s_values_select_median(struct t1s_values *s)
{
	const size_t middle = s->count / 2;
	double below;

	if (s->count == 0)
		return NAN;
	select_at(s->v, s->count, middle);
	if (s->count % 2 == 1)
		return s->v[middle];
	below = s->v[0];
	for (size_t i = 1; i < middle; i++)
		below = s->v[i] > below ? s->v[i] : below;
	return below + (s->v[middle] - below) / 2;
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
