/* SPDX-License-Identifier: MIT */
/*
 * What the results say about the sweep: which runs of the current point are done, what
 * each point carried. Internal to the room.
 */
#pragma once

#include "base/error.h"
#include "sweep/config.h"
#include "sweep/results.h"
#include "sweep/state.h"

#include <stdbool.h>
#include <stddef.h>

struct t1s_progress_run {
	bool done[2]; /* by direction: T1S_DIRECTION_RECEIVE, T1S_DIRECTION_SEND */
	unsigned int attempts; /* number of the last attempt that has a FAILED row */
};

struct t1s_progress_sample {
	size_t point;
	double mbit_s;
};

struct t1s_progress {
	unsigned int workloads, repeats_max;
	struct t1s_progress_run *runs; /* of the current point: [workload][repeat - 1] */
	/* counting runs of the first workload, all points; where it runs in both
	 * directions, of the receiving one */
	struct t1s_progress_sample *samples;
	size_t samples_count, samples_room;
	struct t1s_row reference; /* what the sweep was measured on so far, see audit.h */
	unsigned int wanted[T1S_WORKLOADS_MAX]; /* runs of the current point, as far as
						   known */
	struct t1s_knee_next next;              /* what a search decides; else unset */
	char stray[T1S_NAME_MAX]; /* a workload that has rows but is not configured */
	/* of the current point */
	bool driver_died;     /* once: to be tried again in another boot */
	struct t1s_row last;  /* last row */
	struct t1s_row shown; /* last row of those that give the samples */
	struct t1s_row wrong; /* row of a run that took another path */
	bool have_last, have_shown, have_wrong;
};

void t1s_progress_done(struct t1s_progress *p);

/*
 * Reads the sweep's results. None yet is success. A run is done with a row that is OK,
 * NO_DATA or NO_LINK, a second DRIVER_DEAD, or the last of the allowed FAILED attempts;
 * one in both directions, with such a row for each.
 * Returns 0 or t1s_results_read's errors.
 */
int t1s_progress_read(const char *root, const struct t1s_state *s,
	const struct t1s_config *c, struct t1s_progress *ret, struct t1s_error *e);

/* State of a run of the current point; @repeat is 1-based. */
struct t1s_progress_run *t1s_progress_run(
	const struct t1s_progress *p, unsigned int workload, unsigned int repeat);

/* Whether it is done, and in one direction (not T1S_DIRECTION_BOTH). */
bool t1s_progress_run_done(
	const struct t1s_progress_run *run, const struct t1s_workload *w);
bool t1s_progress_direction_done(
	const struct t1s_progress_run *run, enum t1s_direction direction);

/* How many runs of the first workload are done at the current point, from the first on.
 */
unsigned int t1s_progress_done_runs(
	const struct t1s_progress *p, const struct t1s_config *c);

/* Whether all runs wanted at the current point are done. */
bool t1s_progress_complete(const struct t1s_progress *p, const struct t1s_config *c);

/* Whether the row is of a kind that counts as zero throughput. */
bool t1s_progress_counts_as_zero(const struct t1s_row *row);

/* Median of a point's samples, Mbit/s; NaN if it has none. */
double t1s_progress_median(const struct t1s_progress *p, size_t point);

/*
 * Whether the current point ends its pass by the collapse rule: it and the ones before it
 * in this pass, CollapsePoints= in all, carried less than CollapseBelow= of the best
 * point so far, by their samples: the first workload decides. Only in descending order:
 * in any other, lower points are still to come anyhow.
 */
bool t1s_progress_collapsed(const struct t1s_progress *p, const struct t1s_state *s,
	const struct t1s_config *c);
