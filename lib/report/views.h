/* SPDX-License-Identifier: MIT */
/*
 * What the small verbs show: status, plan, overlay, explain. Each is gathered once and
 * written as text or as JSON.
 */
#pragma once

#include "base/error.h"
#include "link/iperf.h"
#include "sweep/config.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct t1s_status_view {
	const char *root;
	const char *config_path; /* NULL: the usual one */
	uint64_t watch_us;       /* look again so often; 0: once */
	bool json;
};

/*
 * Where the sweep stands: from state.json, results.csv, the live tree, the service
 * manager, and the configuration (for the expected end); done without what cannot be
 * read. No sweep ever begun is no error. On a terminal with colours.
 * A watch ends with the sweep that was under way, or by SIGINT, SIGTERM or SIGHUP;
 * elsewhere than on a terminal it writes only what has changed.
 * Returns 0, -EIO, or the errors of t1s_state_load and t1s_results_read.
 */
int t1s_view_status(const struct t1s_status_view *v, FILE *out, struct t1s_error *e);

/*
 * The points that a sweep begun now would measure, with predicted SCLK and ceilings.
 * Returns 0 or a negative errno.
 */
int t1s_view_plan(const char *root, const struct t1s_config *c, bool json, FILE *out,
	struct t1s_error *e);

/* The nodes of an overlay blob that hold the property. Returns 0 or a negative errno. */
int t1s_view_overlay(const char *path, const char *property, bool json, FILE *out,
	struct t1s_error *e);

/* How one raw result was read. Returns 0 or -EIO. */
int t1s_view_explain(const struct t1s_iperf_result *r, bool json, FILE *out);
