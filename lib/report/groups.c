/* SPDX-License-Identifier: MIT */
#include "report/groups.h"

#include "base/cleanup.h"

#include <math.h>

#define LEAST_MEMBERS 2
#define EXPLAINED 0.94 /* of the scatter, by the groups' means */

/* For few values: what fewer than one in a hundred normally distributed sets reach. */
static double least_explained(size_t count)
{
	static const double few[] = {0.994, 0.984, 0.965, 0.950};
	const size_t least = (size_t)2 * LEAST_MEMBERS;

	return count - least < T1S_ELEMENTSOF(few) ? few[count - least] : EXPLAINED;
}

/* The scatter of all values around their mean. */
static double scatter(const struct t1s_values *s, double mean)
{
	double sum = 0;

	for (size_t i = 0; i < s->count; i++)
		sum += (s->v[i] - mean) * (s->v[i] - mean);
	return sum;
}

/* The cut whose two means explain most. Returns the scatter that they explain. */
static double best_cut(const struct t1s_values *s, double mean, struct t1s_groups *ret)
{
	const double n = (double)s->count;
	double below = 0, best = -1;

	for (size_t k = 1; k < s->count; k++) {
		double low, high, explained;

		below += s->v[k - 1];
		if (k < LEAST_MEMBERS || s->count - k < LEAST_MEMBERS)
			continue;
		low = below / (double)k;
		high = (mean * n - below) / (n - (double)k);
		explained = (double)k * (n - (double)k) / n * (high - low) * (high - low);
		if (explained > best) {
			best = explained;
			*ret = (struct t1s_groups){k, s->count - k, low, high};
		}
	}
	return best;
}

struct t1s_groups t1s_groups_of(const struct t1s_values *s, double least)
{
	const struct t1s_groups none = {0, 0, NAN, NAN};
	const double mean = t1s_values_mean(s);
	struct t1s_groups g = none;
	double explained;

	if (s->count < (size_t)2 * LEAST_MEMBERS)
		return none;
	explained = best_cut(s, mean, &g);
	if (explained < least_explained(s->count) * scatter(s, mean))
		return none;
	return g.high - g.low >= least ? g : none;
}
