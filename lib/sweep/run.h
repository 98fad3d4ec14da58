/* SPDX-License-Identifier: MIT */
/* One run: receiver here, sender there, counters around it, a row for each direction.
 * Internal to the room. */
#pragma once

#include "base/error.h"
#include "board/livetree.h"
#include "link/sender.h"
#include "sweep/audit.h"
#include "sweep/context.h"
#include "sweep/progress.h"
#include "sweep/results.h"
#include "sweep/surroundings.h"

#include <limits.h>

/* What the runs of one boot share. */
struct t1s_measurement {
	struct t1s_context *context;
	char folder[PATH_MAX]; /* the sweep's results folder */
	struct t1s_live_node live;
	uint32_t sclk_predicted_hz; /* 0 unknown */
	struct t1s_sender *sender;  /* open session, or NULL */
	char sender_version[32];    /* "iperf 3.12" */
	struct t1s_surroundings surroundings;
	struct t1s_row *reference;     /* what the sweep was measured on so far */
	char told[T1S_AUDIT_TEXT_MAX]; /* the differences from it that were told */
	unsigned int session_losses;   /* during the run under way */
	bool is_only_run;              /* of the point */
	bool no_link;                  /* the interface has had its time */
	bool driver_died;              /* in an earlier boot at this point */
	bool driver_dead;              /* in this one */
};

struct t1s_run_id {
	const struct t1s_workload *workload;
	unsigned int repeat, attempt;
	unsigned int number, total; /* among those wanted at this point, to be told */
	const struct t1s_progress_run *progress; /* what the results hold of it */
};

/* Rows of a run: one for each direction. */
unsigned int t1s_run_rows_count(const struct t1s_workload *w);

/* Fills what a run's rows hold before anything was measured. Returns how many. */
unsigned int t1s_run_start_rows(const struct t1s_measurement *m,
	const struct t1s_run_id *id, struct t1s_row ret[T1S_RUN_ROWS_MAX]);

/*
 * Does one run and fills its rows, their status included. One in both directions that is
 * FAILED in one is so in the other: it was not the load that was asked for.
 * Returns 0; -ECONNRESET if the session to the sender was lost or stalled (no row then:
 * open a new one and try again); -ENOEXEC if the sender no longer has iperf3; or a local
 * failure (the receiver could not be started), none of which says anything about the
 * link.
 */
int t1s_run_once(const struct t1s_measurement *m, const struct t1s_run_id *id,
	struct t1s_row ret[T1S_RUN_ROWS_MAX], struct t1s_error *e);
