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
#include <stdio.h>

/*
 * Where the sweep stands: from state.json, the live tree and the configuration (for the
 * expected end; done without if it cannot be read). No sweep ever begun is no error.
 * Returns 0, -EIO, or t1s_state_load's errors.
 */
int t1s_view_status(const char *root, const char *config_path, bool json, FILE *out,
	struct t1s_error *e);

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
