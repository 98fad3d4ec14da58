/* SPDX-License-Identifier: MIT */
/*
 * The step machine: the three steps of one boot, and the way out. begin and advance run
 * as root and never open a socket to the network; measure runs as an ordinary user and
 * writes nothing but results. Each step may be killed at any instant and started again.
 */
#pragma once

#include "base/error.h"

#include <stdbool.h>
#include <stdint.h>

/* What a sweep has found out, for its last word. Unknown is 0, or NaN. */
struct t1s_answer {
	uint32_t lowest_full_hz;
	double margin; /* of the original over it */
	double best_mbit_s, wire_limit_mbit_s;
};

struct t1s_env {
	const char
		*root; /* "" for the running system; else nothing outside it is touched */
	const char *config_path; /* --config=FILE, or NULL */
	/* Reads the answer from a results file; false if there is none. NULL: it is not
	 * told. Results are judged by the report, which is above this room. */
	bool (*answer)(const struct t1s_env *env, const char *results_path,
		struct t1s_answer *ret);
};

/* What a step returns beside a negative errno (with its text in @e). */
#define T1S_STEP_DONE 0
#define T1S_STEP_STOPPED 1 /* the sweep has ended as stopped; this has been told */

/*
 * May this boot measure? Begins a new sweep if none is under way; else compares boot id,
 * live tree, overlay and state, and settles what a power cut left open. Sets the state to
 * "measuring" only if the live frequency is the expected one.
 * -EINVAL: the configuration; -EBUSY: another one is at work.
 */
int t1s_step_begin(const struct t1s_env *env, struct t1s_error *e);

/*
 * Measures what the current point still lacks, if this boot may measure; else does
 * nothing. Returns -EHOSTUNREACH if the sender stayed away: the next boot tries again.
 */
int t1s_step_measure(const struct t1s_env *env, struct t1s_error *e);

/*
 * Decides from the results what comes next, sets the overlay and asks for the reboot; at
 * the end puts the original back, and disables the unit once that is verified.
 */
int t1s_step_advance(const struct t1s_env *env, struct t1s_error *e);

/*
 * The way out by hand: the original value back in the overlay (from the state, or from
 * the pristine copy where the state cannot be used), the sweep ended as stopped, the unit
 * disabled. Does not reboot. Returns 0 also if there was nothing to restore.
 */
int t1s_restore(const struct t1s_env *env, struct t1s_error *e);
