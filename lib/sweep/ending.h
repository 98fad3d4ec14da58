/* SPDX-License-Identifier: MIT */
/* How a sweep ends: the original back, verified, the unit disabled. Internal to the room.
 */
#pragma once

#include "sweep/context.h"

/*
 * Turns the sweep towards its end: from here on the overlay is to hold the original
 * value.
 * @reason: "" for a sweep that has measured all its points; with @stopping false, why it
 * ends early. Only the state is written; t1s_end_advance does the rest.
 */
int t1s_end_begin(
	struct t1s_context *c, bool stopping, const char *reason, struct t1s_error *e);

/*
 * In the phase RESTORING: writes the original value; ends the sweep if the live tree
 * shows it already, else asks for the reboot. Where the overlay cannot be restored the
 * sweep ends as stopped, with how to do it by hand. Returns T1S_STEP_DONE,
 * T1S_STEP_STOPPED or a negative errno.
 */
int t1s_end_advance(struct t1s_context *c, struct t1s_error *e);

/* In the phase RESTORING, in a new boot: verifies the original in file and live tree, and
 * ends the sweep. Returns as t1s_end_advance. */
int t1s_end_verify(struct t1s_context *c, struct t1s_error *e);

/* Disables the unit of an ended sweep and notes it. */
int t1s_end_disarm(struct t1s_context *c, struct t1s_error *e);

/*
 * Ends the sweep at once: FINISHED, or STOPPED if it is stopping. @restored: the original
 * is back in the file; the pristine copy goes then. Tells the journal.
 * Returns T1S_STEP_DONE, T1S_STEP_STOPPED or a negative errno.
 */
int t1s_end_now(struct t1s_context *c, bool restored, struct t1s_error *e);

/* Asks for the reboot: state is on disk, nothing else remains to be done in this boot. */
int t1s_ask_reboot(struct t1s_context *c, struct t1s_error *e);

/* Structured fields that every event carries. */
struct t1s_log_fields;
void t1s_context_fields(const struct t1s_context *c, struct t1s_log_fields *ret);
