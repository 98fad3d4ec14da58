/* SPDX-License-Identifier: MIT */
/*
 * state.json: what the sweep intends. Written by the privileged steps only (begin,
 * advance, restore), replaced atomically, the previous copy kept. What was measured is
 * not in here: results.csv is the truth about that.
 */
#pragma once

#include "base/digest.h"
#include "base/error.h"
#include "board/livetree.h"
#include "board/power.h"
#include "sweep/plan.h"
#include "sweep/results.h"

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Goes up when an older program would misunderstand the state. A member that is only
 * added does not raise it; it is then optional in reading. */
#define T1S_STATE_VERSION 1
#define T1S_BOOTS_MAX 1000000U /* of a sweep, and at a point: counting ends there */
#define T1S_STATE_FREE_MIN_BYTES (UINT64_C(16) * 1024 * 1024) /* where it lies */
#define T1S_STATE_MAX_BYTES ((size_t)4 * 1024 * 1024)

enum t1s_phase {
	T1S_PHASE_MEASURING, /* this boot measures the current point */
	T1S_PHASE_REBOOTING, /* the overlay holds or shall hold the current point's
				frequency */
	T1S_PHASE_RESTORING, /* the overlay holds or shall hold the original value */
	T1S_PHASE_FINISHED,
	T1S_PHASE_STOPPED,
	T1S_PHASE_MAX,
	T1S_PHASE_INVALID = -1,
};

/* What a search for the knee chooses its next point from. */
struct t1s_search_state {
	struct t1s_candidate *candidates; /* malloc'ed */
	size_t count;                     /* 0: no search, the plan is whole */
	size_t points; /* of the plan in the end, unless results contradict each other */
};

/* What the last cycles took beside measuring: the boots. The newest is the last. */
#define T1S_BOOT_TIMES_MAX 5
struct t1s_boot_times {
	uint64_t us[T1S_BOOT_TIMES_MAX];
	size_t count;
};

struct t1s_state {
	char sweep_id[T1S_SWEEP_ID_MAX];
	enum t1s_phase phase;
	char reason[1024]; /* why it stops or stopped, or why it ends early; "" */
	bool stopping;     /* in RESTORING: it will end as STOPPED */
	bool disarmed;     /* ended, and the unit has been disabled */
	struct t1s_plan plan;
	struct t1s_search_state search;
	size_t point;         /* index of the current point */
	uint32_t expected_hz; /* what the live tree shall show at the next (or this) boot
			       */
	uint32_t original_hz;
	char boot_id[T1S_BOOT_ID_MAX]; /* the boot in which this was written */
	unsigned int boots;            /* boots of this sweep so far, this one included */
	unsigned int boots_here;       /* of them, at the current point */
	unsigned int asks;             /* for a reboot, in the boot of boot_id */
	uint64_t core_clock_hz;    /* in this boot, as only root may read it; 0 unknown */
	uint64_t advanced_wall_us; /* wall time of the last advance; 0 none */
	struct t1s_boot_times boot_times;
	struct {
		char name[128];                  /* Overlay= */
		char path[PATH_MAX];             /* without the root in front */
		char sha256[T1S_SHA256_HEX_MAX]; /* of the pristine blob */
		char node_path[512];
		struct t1s_node_match match;
	} overlay;
};

void t1s_state_done(struct t1s_state *s);

/* Points of the plan, those that a search is still expected to add included. */
size_t t1s_state_points(const struct t1s_state *s);

/* Whether a search chooses from this frequency. */
bool t1s_state_is_candidate(const struct t1s_state *s, uint32_t freq_hz);

/* Whether the sweep may have set this frequency: the original, a point of the plan, or
 * what a search chooses from (a copy of the state may be older than its last choice). */
bool t1s_state_may_have_set(const struct t1s_state *s, uint32_t freq_hz);

/* "measuring", …; NULL and T1S_PHASE_INVALID for what is none. */
const char *t1s_phase_name(enum t1s_phase p);
enum t1s_phase t1s_phase_from_name(const char *name);

/* Whether a sweep has ended (FINISHED or STOPPED). */
bool t1s_state_ended(const struct t1s_state *s);

/* ROOT/var/lib/t1s-sweep, the state folder. Returns 0 or -ENAMETOOLONG. */
int t1s_state_folder(const char *root, char ret[PATH_MAX]);

/* ROOT/var/lib/t1s-sweep/results/SWEEP-ID. Returns 0 or -ENAMETOOLONG. */
int t1s_results_folder(const char *root, const char *sweep_id, char ret[PATH_MAX]);

/*
 * Reads the state, or its previous copy where the state is damaged (@ret_damaged says
 * so). Refuses a newer schema, and anything that does not fit together: an expected
 * frequency that is neither a point of the plan nor the original, a point beyond the
 * plan's end. Returns 0; -ENOENT if no sweep was ever begun; -EPROTONOSUPPORT for a newer
 * schema; -EACCES; -EBADMSG if what is there cannot be used.
 */
int t1s_state_load(
	const char *root, struct t1s_state *ret, bool *ret_damaged, struct t1s_error *e);

/* Replaces the state on disk; it survives a power cut from the moment this returns 0. */
int t1s_state_save(const char *root, const struct t1s_state *s, struct t1s_error *e);

/*
 * The JSON text itself (state_json.c). Parse: 0, -EPROTONOSUPPORT for a newer schema,
 * -EBADMSG for anything that is not a state; @ret is then untouched. Format: 0 or
 * -ENOMEM;
 * @ret is malloc'ed.
 */
int t1s_state_parse(
	const char *text, size_t size, struct t1s_state *ret, struct t1s_error *e);
int t1s_state_format(const struct t1s_state *s, char **ret);

/* Moves a state that cannot be used out of the way (state.json.unusable-N), and its
 * previous copy. Returns 0 or a negative errno. */
int t1s_state_set_aside(const char *root, struct t1s_error *e);
