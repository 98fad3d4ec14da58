/* SPDX-License-Identifier: MIT */
#include "report/judge.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#define WHOLE 0.98    /* of a limit or an offer: as good as all of it */
#define ROUNDING 1e-9 /* so that 93.0 % of a rate is "from 93 %" in binary too */

static const char *const verdict_names[] = {
	[T1S_VERDICT_FULL] = "full",
	[T1S_VERDICT_LIMITED] = "limited",
	[T1S_VERDICT_SEVERE] = "severe",
	[T1S_VERDICT_COLLAPSED] = "collapsed",
	[T1S_VERDICT_UNKNOWN] = NULL,
};

static const char *const bound_names[] = {
	[T1S_BOUND_WIRE] = "wire",
	[T1S_BOUND_SPI] = "spi",
	[T1S_BOUND_CPU] = "cpu",
	[T1S_BOUND_SENDER] = "sender",
	[T1S_BOUND_UNKNOWN] = NULL,
};

const char *t1s_verdict_name(enum t1s_verdict v)
{
	return v <= T1S_VERDICT_UNKNOWN ? verdict_names[v] : NULL;
}

const char *t1s_bound_name(enum t1s_bound b)
{
	return b <= T1S_BOUND_UNKNOWN ? bound_names[b] : NULL;
}

static bool reaches(double rate, double limit)
{
	return rate >= limit * (1 - ROUNDING);
}

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

/* Comparisons with NaN are false: what is not known decides nothing. */
static enum t1s_bound bound_of(
	const struct t1s_report *r, const struct t1s_report_point *p)
{
	const double wire = r->wire_limit_mbit_s;
	const double offered = p->offered_mbit_s;

	if (reaches(p->received_mbit_s, wire * WHOLE))
		return T1S_BOUND_WIRE;
	if (offered < wire * WHOLE && reaches(p->received_mbit_s, offered * WHOLE))
		return T1S_BOUND_SENDER;
	if (p->spi_ceiling_mbit_s < wire && p->received_mbit_s < wire * WHOLE)
		return T1S_BOUND_SPI;
	return T1S_BOUND_UNKNOWN;
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

		p->wire_share = p->received_mbit_s / r->wire_limit_mbit_s;
		p->verdict = verdict_of(r, p->received_mbit_s);
		p->bound_by = bound_of(r, p);
		p->repeats_disagree =
			verdict_of(r, p->received_min) != verdict_of(r, p->received_max);
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

/* A point without a believable run is not listed: nothing is known about it. */
static bool breaks_order(const struct t1s_report *r, const struct t1s_report_point *p)
{
	return p->spi_requested_hz > r->lowest_full_hz && r->lowest_full_hz > 0 &&
	       p->verdict != T1S_VERDICT_FULL && p->verdict != T1S_VERDICT_UNKNOWN;
}

static int list_not_monotonic(struct t1s_report *r)
{
	size_t n = 0;

	for (size_t i = 0; i < r->count; i++)
		n += breaks_order(r, &r->points[i]) ? 1U : 0U;
	if (n == 0)
		return 0;
	r->not_monotonic_hz = calloc(n, sizeof(*r->not_monotonic_hz));
	if (!r->not_monotonic_hz)
		return -ENOMEM;
	for (size_t i = 0; i < r->count; i++)
		if (breaks_order(r, &r->points[i]))
			r->not_monotonic_hz[r->not_monotonic_count++] =
				r->points[i].spi_requested_hz;
	return 0;
}

int t1s_report_judge(struct t1s_report *r)
{
	find_best(r);
	judge_points(r);
	find_lowest_full(r);
	return list_not_monotonic(r);
}

size_t t1s_report_same_clock(const struct t1s_report *r, size_t first)
{
	const uint32_t sclk_hz = r->points[first].sclk_predicted_hz;
	size_t end = first + 1;

	while (sclk_hz && end < r->count && r->points[end].sclk_predicted_hz == sclk_hz)
		end++;
	return end - first;
}
