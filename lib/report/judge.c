/* SPDX-License-Identifier: MIT */
#include "report/judge.h"

#include "base/cleanup.h"
#include "report/groups.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#define ROUNDING 1e-9 /* so that 93.0 % of a rate is "from 93 %" in binary too */
#define DRIFT_PERCENT 2.0
#define APART_SHARE 0.02 /* of the best rate: two groups that matter */
#define SAME_SHARE 0.02  /* two points that read the same */
#define OTHER_SHARE 0.10 /* and their neighbours that do not */

static const char *const verdict_names[] = {
	[T1S_VERDICT_FULL] = "full",
	[T1S_VERDICT_LIMITED] = "limited",
	[T1S_VERDICT_SEVERE] = "severe",
	[T1S_VERDICT_COLLAPSED] = "collapsed",
	[T1S_VERDICT_UNDECIDED] = "undecided",
	[T1S_VERDICT_UNKNOWN] = NULL,
};

const char *t1s_verdict_name(enum t1s_verdict v)
{
	return v <= T1S_VERDICT_UNKNOWN ? verdict_names[v] : NULL;
}

static bool reaches(double rate, double limit)
{
	return rate >= limit * (1 - ROUNDING);
}

/* Of a rate alone. */
static enum t1s_verdict verdict_of(const struct t1s_report *r, double rate)
{
	if (isnan(rate))
		return T1S_VERDICT_UNKNOWN;
	if (rate <= 0)
		return T1S_VERDICT_COLLAPSED; /* also where the best is 0 */
	if (reaches(rate, r->best_mbit_s * r->full_share))
		return T1S_VERDICT_FULL;
	if (reaches(rate, r->best_mbit_s * r->severe_share))
		return T1S_VERDICT_LIMITED;
	if (reaches(rate, r->best_mbit_s * r->collapse_share))
		return T1S_VERDICT_SEVERE;
	return T1S_VERDICT_COLLAPSED;
}

/* Full or not is decided where the interval and the median lie on one side of the line.
 * One run has no interval: it stands as it is. */
static enum t1s_verdict verdict_of_point(
	const struct t1s_report *r, const struct t1s_report_point *p)
{
	const enum t1s_verdict v = verdict_of(r, p->received_mbit_s);
	const bool full = v == T1S_VERDICT_FULL;

	if (v == T1S_VERDICT_UNKNOWN || isnan(p->received_interval.low))
		return v;
	if (full != (verdict_of(r, p->received_interval.low) == T1S_VERDICT_FULL) ||
		full != (verdict_of(r, p->received_interval.high) == T1S_VERDICT_FULL))
		return T1S_VERDICT_UNDECIDED;
	return v;
}

static void find_best(struct t1s_report *r)
{
	r->best_mbit_s = NAN;
	r->best_hz = 0;
	for (size_t i = 0; i < r->count; i++) {
		const double rate = r->points[i].received_mbit_s;

		if (isnan(rate) || rate <= r->best_mbit_s)
			continue;
		r->best_mbit_s = rate;
		r->best_hz = r->points[i].spi_requested_hz;
	}
}

static void judge_points(struct t1s_report *r)
{
	for (size_t i = 0; i < r->count; i++) {
		struct t1s_report_point *p = &r->points[i];
		const struct t1s_values runs = {
			.v = p->samples, .count = p->samples_count};

		p->wire_share = p->received_mbit_s / r->wire_limit_mbit_s;
		p->verdict = verdict_of_point(r, p);
		p->on_plateau = p->verdict == T1S_VERDICT_FULL ||
				p->verdict == T1S_VERDICT_UNDECIDED;
		p->repeats_disagree =
			verdict_of(r, p->received_min) != verdict_of(r, p->received_max);
		p->groups = t1s_groups_of(&runs, APART_SHARE * r->best_mbit_s);
	}
}

static void find_lowest_full(struct t1s_report *r)
{
	r->lowest_full_hz = 0;
	for (size_t i = 0; i < r->count; i++)
		if (r->points[i].verdict == T1S_VERDICT_FULL)
			r->lowest_full_hz = r->points[i].spi_requested_hz;
	r->margin = r->original_hz && r->lowest_full_hz
			    ? (double)r->original_hz / (double)r->lowest_full_hz
			    : NAN;
}

typedef bool (*point_is_fn)(const struct t1s_report *r, const struct t1s_report_point *p);

/* A point without a believable run is not listed: nothing is known about it. */
static bool breaks_order(const struct t1s_report *r, const struct t1s_report_point *p)
{
	return p->spi_requested_hz > r->lowest_full_hz && r->lowest_full_hz > 0 &&
	       p->verdict != T1S_VERDICT_FULL && p->verdict != T1S_VERDICT_UNDECIDED &&
	       p->verdict != T1S_VERDICT_UNKNOWN;
}

static bool is_undecided(const struct t1s_report *r, const struct t1s_report_point *p)
{
	(void)r;
	return p->verdict == T1S_VERDICT_UNDECIDED;
}

static int list(
	const struct t1s_report *r, point_is_fn is, uint32_t **ret_hz, size_t *ret)
{
	size_t n = 0;

	for (size_t i = 0; i < r->count; i++)
		n += is(r, &r->points[i]) ? 1U : 0U;
	if (n == 0)
		return 0;
	*ret_hz = calloc(n, sizeof(**ret_hz));
	if (!*ret_hz)
		return -ENOMEM;
	for (size_t i = 0; i < r->count; i++)
		if (is(r, &r->points[i]))
			(*ret_hz)[(*ret)++] = r->points[i].spi_requested_hz;
	return 0;
}

/* Whether a point of the lower group is faster than one of the upper: then something else
 * than the frequency made the groups. Points stand by falling frequency. */
static bool groups_are_mixed(const struct t1s_report *r, double between)
{
	bool lower = false;

	for (size_t i = 0; i < r->count; i++) {
		if (!r->points[i].on_plateau)
			continue;
		if (r->points[i].received_mbit_s < between)
			lower = true;
		else if (lower)
			return true;
	}
	return false;
}

static int find_plateau_groups(struct t1s_report *r)
{
	cleanup_(t1s_values_done) struct t1s_values rates = {0};
	struct t1s_groups g;

	for (size_t i = 0; i < r->count; i++)
		if (r->points[i].on_plateau &&
			t1s_values_add(&rates, r->points[i].received_mbit_s) < 0)
			return -ENOMEM;
	t1s_values_sort(&rates);
	g = t1s_groups_of(&rates, APART_SHARE * r->best_mbit_s);
	if (g.low_count == 0 || !groups_are_mixed(r, (g.low + g.high) / 2))
		return 0;
	r->plateau = g;
	for (size_t i = 0; i < r->count; i++)
		r->points[i].lower_group =
			r->points[i].on_plateau &&
			r->points[i].received_mbit_s < (g.low + g.high) / 2;
	return 0;
}

static double difference(const struct t1s_report *r, size_t i, size_t k)
{
	const double a = r->points[i].received_mbit_s, b = r->points[k].received_mbit_s;

	return fabs(a - b) / fmax(a, b);
}

/* Where the rate falls from point to point, two neighbours that read the same are as one
 * clock would be. Only said where the SCLK is not predicted. */
static bool reads_as_next(const struct t1s_report *r, size_t i)
{
	if (i == 0 || i + 2 >= r->count || r->points[i].on_plateau ||
		r->points[i].sclk_predicted_hz || r->points[i + 1].sclk_predicted_hz)
		return false;
	return r->points[i + 1].received_mbit_s > 0 &&
	       difference(r, i, i + 1) <= SAME_SHARE &&
	       difference(r, i - 1, i) >= OTHER_SHARE &&
	       difference(r, i + 1, i + 2) >= OTHER_SHARE;
}

int t1s_report_judge(struct t1s_report *r)
{
	int q;

	find_best(r);
	judge_points(r);
	find_lowest_full(r);
	for (size_t i = 0; i < r->count; i++)
		r->points[i].reads_as_next = reads_as_next(r, i);
	q = find_plateau_groups(r);
	if (q == 0)
		q = list(r, breaks_order, &r->not_monotonic_hz, &r->not_monotonic_count);
	if (q == 0)
		q = list(r, is_undecided, &r->undecided_hz, &r->undecided_count);
	return q;
}

double t1s_report_drift_percent(const struct t1s_report *r)
{
	const double change = r->closing_mbit_s / r->opening_mbit_s - 1;
	const double percent = round(1000 * change) / 10;

	if (!isfinite(percent))
		return NAN;
	return percent == 0 ? 0 : percent; /* no "-0.0" */
}

bool t1s_report_has_drifted(const struct t1s_report *r)
{
	return fabs(t1s_report_drift_percent(r)) > DRIFT_PERCENT;
}

size_t t1s_report_same_clock(const struct t1s_report *r, size_t first)
{
	const uint32_t sclk_hz = r->points[first].sclk_predicted_hz;
	size_t end = first + 1;

	while (sclk_hz && end < r->count && r->points[end].sclk_predicted_hz == sclk_hz)
		end++;
	return end - first;
}

bool t1s_report_is_one_clock(const struct t1s_report *r, size_t i)
{
	const uint32_t sclk_hz = r->points[i].sclk_predicted_hz;
	const bool before = i > 0, after = i + 1 < r->count;

	if (sclk_hz)
		return (before && r->points[i - 1].sclk_predicted_hz == sclk_hz) ||
		       (after && r->points[i + 1].sclk_predicted_hz == sclk_hz);
	return r->points[i].reads_as_next || (before && r->points[i - 1].reads_as_next);
}
