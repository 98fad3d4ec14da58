/* SPDX-License-Identifier: MIT */
/*
 * Search=knee: the lowest frequency with full throughput, by bisection. What to measure
 * next follows from what was measured alone: each step of each boot comes to the same
 * answer, whatever was cut off in between.
 *
 * The candidates are the distinct clocks, highest first; the first is the reference. What
 * one boot measured at one of them is full or limited where the 95 % interval of its runs
 * lies on one side of the line, the share Full= of the best median so far; else it is
 * repeated, within bounds, and then stands as undecided. A candidate is full if more than
 * half of its boots say so, and the knee is the lowest full one.
 *
 * What disturbs a whole boot is not seen by repeating within it. So the knee and its
 * neighbour below are measured in a second boot, and in a third where two contradict each
 * other, and its neighbour above in one boot at least: it tells whether the rate still
 * rises there.
 *
 * The rate of what the SPI clock limits falls with the clock. Where two results below the
 * knee do not (in a dip that something else made, in a boot that was disturbed), one in
 * between is measured before either is believed.
 */
#pragma once

#include "base/values.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct t1s_candidate {
	uint32_t freq_hz; /* requested */
	uint32_t sclk_hz; /* predicted; 0 unknown */
};

/* What one boot measured. */
struct t1s_knee_boot {
	size_t candidate;
	unsigned int runs;        /* done, those without a result included */
	struct t1s_values mbit_s; /* results */
};

/* At most so many boots for one candidate. */
#define T1S_KNEE_BOOTS_MAX 3

struct t1s_knee {
	const struct t1s_candidate *candidates; /* by falling clock */
	size_t count;                           /* at least 1 */
	const struct t1s_knee_boot *boots;      /* in order; the last may be under way */
	size_t boots_count;
	double full_share;
	unsigned int repeats_min, repeats_max; /* at least 2 */
};

enum t1s_knee_vote { T1S_KNEE_UNDECIDED, T1S_KNEE_FULL, T1S_KNEE_LIMITED };

enum t1s_knee_step {
	T1S_KNEE_REPEAT,  /* the last boot needs another run */
	T1S_KNEE_MEASURE, /* a boot at .candidate */
	T1S_KNEE_DONE,
};

struct t1s_knee_next {
	enum t1s_knee_step step;
	size_t candidate;
	/* boots still to come, that one included, unless results contradict each other */
	size_t boots_left;
	/* the last boot, and what it was held against */
	enum t1s_knee_vote last;
	struct t1s_interval last_mbit_s; /* NaN if there is none */
	double line_mbit_s;              /* NaN if nothing was measured yet */
	/* the answer so far; the answer if DONE */
	bool found;                    /* something is full */
	size_t knee;                   /* the lowest full candidate, if found */
	size_t below;                  /* the next one measured; count if none was */
	enum t1s_knee_vote below_vote; /* what its boots say in sum */
};

/* What to do next. Returns 0 or -ENOMEM. */
int t1s_knee_ask(const struct t1s_knee *k, struct t1s_knee_next *ret);

/* "full", "limited", "undecided". */
const char *t1s_knee_vote_name(enum t1s_knee_vote v);
