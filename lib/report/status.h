/* SPDX-License-Identifier: MIT */
/*
 * Where a sweep stands, gathered once for text and JSON, without rights and without a
 * lock: state.json is replaced as a whole, results.csv only grows. Internal to the room.
 */
#pragma once

#include "base/error.h"
#include "base/terminal.h"
#include "base/values.h"
#include "board/unit.h"
#include "sweep/config.h"
#include "sweep/results.h"
#include "sweep/state.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* One point that has rows: those of the first workload, in its first direction. */
struct t1s_status_point {
	size_t point; /* of the plan, from 1 */
	uint32_t freq_hz;
	struct t1s_values received, lost; /* sorted */
	unsigned int rows;
	enum t1s_run_status last;
};

struct t1s_status {
	struct t1s_state state;
	bool have_state, damaged; /* the previous copy is told */
	struct t1s_config config; /* defaults where it cannot be read */
	uint32_t live_hz;         /* 0: the live tree could not be read */
	uint32_t next_hz;         /* at the next boot of the sweep; 0: none, not known */
	uint64_t end_wall_us;     /* 0: it has ended, or that is not known */
	struct t1s_unit_doing doing;
	bool have_doing;                  /* the service manager could be asked */
	char enabled[T1S_UNIT_STATE_MAX]; /* of the unit: "enabled", …; "" not known */
	char switched_off[PATH_MAX + 64]; /* by which stop switch; "" */
	char workload[T1S_NAME_MAX];      /* of the points below */
	bool other_workloads;             /* the results hold others */
	struct t1s_status_point *points;  /* in the order of measuring */
	size_t points_count;
};

/*
 * Gathers it. No sweep ever begun is no error. Only state and results can fail it:
 * t1s_state_load's and t1s_results_read's errors. @ret is to be released on success.
 */
int t1s_status_gather(const char *root, const char *config_path, struct t1s_status *ret,
	struct t1s_error *e);
void t1s_status_done(struct t1s_status *s);

/* What is being done now, or what would have to be done, as one sentence; "" where that
 * is not known, or no sweep is under way. */
void t1s_status_sentence(const struct t1s_status *s, char *ret, size_t size);

/* Writers. Return 0, -EIO or -ENOMEM. */
int t1s_status_write_text(
	const struct t1s_status *s, const struct t1s_terminal *t, FILE *out);
int t1s_status_write_json(const struct t1s_status *s, FILE *out);
