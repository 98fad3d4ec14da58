/* SPDX-License-Identifier: MIT */
/* The plan: which requested frequencies are measured, in which order. */
#pragma once

#include "base/error.h"
#include "sweep/config.h"
#include "sweep/knee.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum t1s_point_kind { T1S_POINT_SWEEP, T1S_POINT_OPENING, T1S_POINT_CLOSING };

struct t1s_point {
	uint32_t freq_hz;  /* requested */
	unsigned int pass; /* 1-based; 0 for the baselines */
	enum t1s_point_kind kind;
};

struct t1s_plan {
	struct t1s_point *points; /* malloc'ed */
	size_t count;             /* at most T1S_PLAN_MAX */
	uint64_t seed;            /* of the shuffle; 0 if not shuffled */
};

#define T1S_PLAN_MAX 10000

void t1s_plan_done(struct t1s_plan *p);

/*
 * Makes the plan: Points= or Start, Start - Step, … down to Minimum (Minimum is included
 * if the steps hit it), ordered, once per pass; each pass of a shuffled order has its own
 * permutation from @seed. ClosingBaseline adds one point at @original_hz at the end,
 * OpeningBaseline one at the beginning, unless the plan begins there anyhow.
 * @sclk_hz: predicted SCLK of a request, for SkipEqualClock; NULL or returning 0: not
 * known, nothing is skipped.
 * A search for the knee has only its reference and the baselines in its plan to begin
 * with.
 * Returns 0, -EINVAL, -E2BIG or -ENOMEM.
 */
int t1s_plan_make(const struct t1s_config *c, uint32_t original_hz, uint64_t seed,
	uint32_t (*sclk_hz)(uint32_t freq_hz, void *data), void *data,
	struct t1s_plan *ret, struct t1s_error *e);

/*
 * What a search for the knee chooses from: the requests of the plan by falling clock, for
 * each predicted clock the lowest one, since whatever makes a lower clock than predicted
 * then speaks for the others. The first, the reference, is the highest request, or the
 * original where that is higher or the same clock. @ret is malloc'ed, of @ret_count.
 * Returns as t1s_plan_make.
 */
int t1s_plan_candidates(const struct t1s_config *c, uint32_t original_hz,
	uint32_t (*sclk_hz)(uint32_t freq_hz, void *data), void *data,
	struct t1s_candidate **ret, size_t *ret_count, struct t1s_error *e);

/* Puts a point at index @at, which moves those from there on. Returns 0, -E2BIG or
 * -ENOMEM. */
int t1s_plan_insert(struct t1s_plan *p, size_t at, struct t1s_point point);

/* Runs of a workload at each point; of the first one, by which a search decides, the
 * fewest that it can do with. */
unsigned int t1s_plan_repeats(
	const struct t1s_config *c, bool is_search, unsigned int workload);

/* Whether the plan sets this frequency at some point. */
bool t1s_plan_has(const struct t1s_plan *p, uint32_t freq_hz);

/*
 * Time of one point without booting: settle, workloads with repeats, reboot delay, in
 * microseconds. Booting is added by the caller, who has measured it.
 */
uint64_t t1s_plan_point_us(const struct t1s_config *c);
