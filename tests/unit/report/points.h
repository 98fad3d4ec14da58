/* SPDX-License-Identifier: MIT */
/* What the tests of judging and writing share: reports whose points stand on the stack.
 */
#pragma once

#include "base/cleanup.h"
#include "report/bound.h"
#include "report/judge.h"
#include "report/report.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#define WIRE 9.5389

/* A point with one run of this rate; NaN: no believable run. @samples: room for it, or
 * NULL. */
static inline struct t1s_report_point at(uint32_t mhz, double rate, double *samples)
{
	struct t1s_report_point p = {
		.spi_requested_hz = mhz * 1000000,
		.runs = isnan(rate) ? 0U : 1U,
		.failed = isnan(rate) ? 1U : 0U,
		.received_mbit_s = rate,
		.received_min = rate,
		.received_max = rate,
		.received_interval = {NAN, NAN},
		.lost_percent = NAN,
		.jitter_ms = NAN,
		.offered_mbit_s = NAN,
		.asked_mbit_s = NAN,
		.cpu_core_percent = NAN,
		.spi_ceiling_mbit_s = NAN,
		.samples = samples,
		.samples_count = samples && !isnan(rate) ? 1 : 0,
	};

	for (size_t i = 0; i < T1S_MEANS; i++)
		p.means[i] = NAN;
	if (samples)
		samples[0] = rate;
	return p;
}

/* Several runs of these rates, rising. */
static inline struct t1s_report_point runs_at(uint32_t mhz, double *rates, size_t count)
{
	struct t1s_report_point p = at(mhz, rates[0], rates);
	const struct t1s_values v = {.v = rates, .count = count};

	p.runs = (unsigned int)count;
	p.samples_count = count;
	p.received_mbit_s = t1s_values_median(&v);
	p.received_max = rates[count - 1];
	p.received_interval = t1s_values_interval(&v);
	return p;
}

static inline struct t1s_report report_of(struct t1s_report_point *points, size_t n)
{
	return (struct t1s_report){
		.points = points,
		.count = n,
		.protocol = "udp",
		.rows = (int64_t)n,
		.length_bytes = 1448,
		.full_share = 0.93,
		.severe_share = 0.50,
		.collapse_share = 0.05,
		.wire_limit_mbit_s = WIRE,
		.original_hz = 20000000,
		.clock_synchronised = -1,
		.seed = -1,
		.temperature_min_c = NAN,
		.temperature_max_c = NAN,
		.opening_mbit_s = NAN,
		.closing_mbit_s = NAN,
	};
}

static inline struct t1s_report judged(struct t1s_report_point *points, size_t n)
{
	struct t1s_report r = report_of(points, n);

	assert_int_equal(t1s_report_judge(&r), 0);
	t1s_report_bound(&r, NULL);
	return r;
}

static inline void judged_done(struct t1s_report *r)
{
	free(r->not_monotonic_hz);
	free(r->undecided_hz);
}
