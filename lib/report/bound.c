/* SPDX-License-Identifier: MIT */
#include "report/bound.h"

#include "base/cleanup.h"

#include <math.h>
#include <stdarg.h>
#include <string.h>

#define WHOLE 0.98    /* of a limit or an offer: as good as all of it */
#define ROUNDING 1e-9 /* so that 98.0 % of a rate is "within 2 %" in binary too */
#define CPU_FULL_PERCENT 90.0
#define OTHER_SCLK 1.1    /* apart enough for a rate to follow, if it does */
#define OTHER_REQUEST 2.0 /* the same, where the SCLK is not known */

static const char *const names[] = {
	[T1S_BOUND_WIRE] = "wire",
	[T1S_BOUND_SPI] = "spi",
	[T1S_BOUND_CPU] = "cpu",
	[T1S_BOUND_SENDER] = "sender",
	[T1S_BOUND_UNKNOWN] = NULL,
};

const char *t1s_bound_name(enum t1s_bound b)
{
	return b <= T1S_BOUND_UNKNOWN ? names[b] : NULL;
}

/* A point, and what it is seen against. */
struct view {
	const struct t1s_report *r, *other;
	struct t1s_report_point *p;
};

static __attribute__((format(printf, 2, 3))) bool because(
	struct t1s_report_point *p, const char *format, ...)
{
	va_list ap;

	va_start(ap, format);
	(void)vsnprintf(p->bound_because, sizeof(p->bound_because), format, ap);
	va_end(ap);
	return true;
}

/* Comparisons with NaN are false: what is not known decides nothing. */
static bool whole(double rate, double limit)
{
	return rate >= limit * WHOLE * (1 - ROUNDING);
}

static double mhz(uint32_t hz)
{
	return (double)hz / 1e6;
}

/* What went the other way at the same point; 0: nothing, or not known. */
static double other_mbit_s(const struct view *v)
{
	for (size_t i = 0; v->other && i < v->other->count; i++) {
		const struct t1s_report_point *p = &v->other->points[i];

		if (p->spi_requested_hz == v->p->spi_requested_hz)
			return isnan(p->received_mbit_s) ? 0 : p->received_mbit_s;
	}
	return 0;
}

static bool by_wire(const struct view *v)
{
	const double limit = v->r->wire_limit_mbit_s, here = v->p->received_mbit_s;
	double other = v->r->plca_overhead_bits > 0 ? other_mbit_s(v) : 0;

	if (!whole(limit, here + other))
		other = 0; /* more than one medium carries: not at the same time */
	if (!whole(here + other, limit))
		return false;
	if (other > 0)
		return because(v->p,
			"%.3f Mbit/s, and %.3f the other way, are %.1f %% of the wire "
			"limit of %.4f Mbit/s",
			here, other, 100 * (here + other) / limit, limit);
	return because(v->p, "%.3f Mbit/s are %.1f %% of the wire limit of %.4f Mbit/s",
		here, 100 * here / limit, limit);
}

/* TCP offers what was acknowledged: only what was asked for can have held it back. */
static double offer_of(const struct view *v)
{
	const bool tcp = strcmp(v->r->protocol, "tcp") == 0;

	return tcp || isnan(v->p->offered_mbit_s) ? v->p->asked_mbit_s
						  : v->p->offered_mbit_s;
}

static bool by_sender(const struct view *v)
{
	const double offer = offer_of(v), asked = v->p->asked_mbit_s;
	const double received = v->p->received_mbit_s;
	const bool less_than_asked = offer < asked * WHOLE;

	if (!(offer > 0) || !whole(received, offer) || !whole(offer, received))
		return false;
	if (!less_than_asked && !(offer < v->r->wire_limit_mbit_s * WHOLE))
		return false;
	if (less_than_asked)
		return because(v->p,
			"the sender offered %.3f of the %.3f Mbit/s asked for, and "
			"%.1f %% of that came through",
			offer, asked, 100 * received / offer);
	return because(v->p,
		"%.3f Mbit/s were asked for, less than the wire carries, and %.1f %% of "
		"that came through",
		offer, 100 * received / offer);
}

static bool by_cpu(const struct view *v)
{
	if (!(v->p->cpu_core_percent >= CPU_FULL_PERCENT))
		return false;
	return because(v->p, "a core is at %.0f %% in system and softirq",
		v->p->cpu_core_percent);
}

static double ratio(double a, double b)
{
	return a > b ? a / b : b / a;
}

static bool is_other_clock(
	const struct t1s_report_point *a, const struct t1s_report_point *b)
{
	if (a->sclk_predicted_hz && b->sclk_predicted_hz)
		return ratio(a->sclk_predicted_hz, b->sclk_predicted_hz) >= OTHER_SCLK;
	return a->spi_requested_hz && b->spi_requested_hz &&
	       ratio(a->spi_requested_hz, b->spi_requested_hz) >= OTHER_REQUEST;
}

/* A point at another clock that carries the same: the clock is not what bounds it. */
static const struct t1s_report_point *same_elsewhere(const struct view *v)
{
	for (size_t i = 0; i < v->r->count; i++) {
		const struct t1s_report_point *p = &v->r->points[i];

		if (p->received_mbit_s > 0 && is_other_clock(p, v->p) &&
			whole(p->received_mbit_s, v->p->received_mbit_s) &&
			whole(v->p->received_mbit_s, p->received_mbit_s))
			return p;
	}
	return NULL;
}

bool t1s_report_above_ceiling(const struct t1s_report_point *p)
{
	return p->received_mbit_s * WHOLE > p->spi_ceiling_mbit_s;
}

static bool by_ceiling(const struct view *v)
{
	const double ceiling = v->p->spi_ceiling_mbit_s;

	if (!(ceiling < v->r->wire_limit_mbit_s) || t1s_report_above_ceiling(v->p))
		return false;
	return because(v->p,
		"an SCLK of %.3f MHz carries at most %.3f Mbit/s, less than the wire's "
		"%.3f",
		mhz(v->p->sclk_predicted_hz), ceiling, v->r->wire_limit_mbit_s);
}

/* Nearest faster clock; NULL: none. Points stand by falling frequency. */
static const struct t1s_report_point *next_faster(const struct view *v)
{
	const struct t1s_report_point *p = v->p;

	while (p-- > v->r->points)
		if (p->sclk_predicted_hz > v->p->sclk_predicted_hz)
			return p;
	return NULL;
}

static bool slower_carries_more(const struct view *v)
{
	const struct t1s_report_point *end = v->r->points + v->r->count;

	for (const struct t1s_report_point *p = v->p + 1; p < end; p++)
		if (p->sclk_predicted_hz &&
			v->p->received_mbit_s < p->received_mbit_s * WHOLE)
			return true;
	return false;
}

static bool by_fall(const struct view *v)
{
	const struct t1s_report_point *faster;

	if (v->p->sclk_predicted_hz == 0 || !(v->p->cpu_core_percent < CPU_FULL_PERCENT))
		return false;
	faster = next_faster(v);
	if (!faster || slower_carries_more(v) ||
		!(v->p->received_mbit_s < faster->received_mbit_s * WHOLE))
		return false;
	return because(v->p,
		"%.3f Mbit/s at an SCLK of %.3f MHz, %.3f at %.3f, and the busiest core is "
		"at %.0f %%",
		v->p->received_mbit_s, mhz(v->p->sclk_predicted_hz),
		faster->received_mbit_s, mhz(faster->sclk_predicted_hz),
		v->p->cpu_core_percent);
}

static bool by_spi(const struct view *v)
{
	return !same_elsewhere(v) && (by_ceiling(v) || by_fall(v));
}

static void tell_unknown(const struct view *v)
{
	const struct t1s_report_point *same = same_elsewhere(v), *p = v->p;
	const double share = v->p->wire_share;
	char of_limit[64] = "";

	if (!isnan(share))
		(void)snprintf(of_limit, sizeof(of_limit), "%.1f %% of the wire limit; ",
			100 * share);
	if (same && same->spi_requested_hz)
		(void)because(v->p,
			"%snot the SPI clock: %.3f Mbit/s at %.3f MHz, %.3f at %.3f",
			of_limit, p->received_mbit_s, mhz(p->spi_requested_hz),
			same->received_mbit_s, mhz(same->spi_requested_hz));
	else
		(void)because(v->p, "%s%s%s%s", of_limit,
			isnan(p->cpu_core_percent) ? "CPU load not known"
						   : "the CPU has room",
			p->sclk_predicted_hz ? "" : ", SCLK not known",
			isnan(p->spi_ceiling_mbit_s)
				? ""
				: ", the SPI clock could carry more");
}

void t1s_report_bound(struct t1s_report *r, const struct t1s_report *other)
{
	static const struct {
		enum t1s_bound bound;
		bool (*holds)(const struct view *v);
	} bounds[] = {
		{T1S_BOUND_WIRE, by_wire},
		{T1S_BOUND_SENDER, by_sender},
		{T1S_BOUND_CPU, by_cpu},
		{T1S_BOUND_SPI, by_spi},
	};

	for (size_t i = 0; i < r->count; i++) {
		const struct view v = {.r = r, .other = other, .p = &r->points[i]};
		size_t b = 0;

		v.p->bound_by = T1S_BOUND_UNKNOWN;
		v.p->bound_because[0] = '\0';
		if (v.p->runs == 0)
			continue;
		while (b < T1S_ELEMENTSOF(bounds) && !bounds[b].holds(&v))
			b++;
		if (b < T1S_ELEMENTSOF(bounds))
			v.p->bound_by = bounds[b].bound;
		else
			tell_unknown(&v);
	}
}
