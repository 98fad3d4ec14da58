/* SPDX-License-Identifier: MIT */
/*
 * What stands beside a measurement in its row: what the machine did during the run, and
 * what it, the link and the sender were. Nothing in here fails a run: what cannot be told
 * stays unknown. Internal to the room.
 */
#pragma once

#include "board/host.h"
#include "board/livetree.h"
#include "link/iface.h"
#include "link/sender.h"
#include "link/sender_facts.h"
#include "sweep/context.h"
#include "sweep/results.h"

#include <stdbool.h>

/* What holds for a whole boot. */
struct t1s_surroundings {
	char board[T1S_MODEL_MAX];
	char kernel[65];
	struct t1s_sender_facts sender;
};

/* Board and kernel; the sender is unknown yet. */
void t1s_surroundings_read(const struct t1s_context *c, struct t1s_surroundings *ret);

/* Puts them into a row. */
void t1s_surroundings_fill(const struct t1s_surroundings *s, const struct t1s_context *c,
	struct t1s_row *row);

/* A run under way: whose counters are watched, and how they stood before. */
struct t1s_watch {
	struct t1s_host host;
	struct t1s_host_snapshot before;
	struct t1s_iface_counters counters; /* of the T1S interface, if have_counters */
	bool have_counters;
};

/* Begins to watch a run over an interface. @root must live until the end. */
void t1s_watch_begin(const char *root, const char *interface, struct t1s_watch *ret);

/* Ends it, and puts what was seen into the run's rows, with how the link is set up. */
void t1s_watch_end(const struct t1s_watch *w, struct t1s_row *rows, unsigned int count);
