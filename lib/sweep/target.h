/* SPDX-License-Identifier: MIT */
/* The configured overlay and its node, in the file and in the live tree. Internal to the
 * room. */
#pragma once

#include "base/error.h"
#include "board/bootconf.h"
#include "board/overlay.h"
#include "sweep/config.h"
#include "sweep/state.h"

#include <limits.h>
#include <stdint.h>

struct t1s_target {
	char path[PATH_MAX]; /* with the root in front */
	char property[64];
	struct t1s_overlay overlay;
	struct t1s_overlay_node node;
};

void t1s_target_done(struct t1s_target *t);

/*
 * The configured overlay file without the root in front: OverlayFile=, else what the
 * firmware loads for Overlay=. Returns 0 or a negative errno.
 */
int t1s_target_path(const char *root, const struct t1s_config *c, char ret[PATH_MAX],
	struct t1s_error *e);

/* Reads the overlay at @path (without root) and finds the node. See t1s_overlay_load and
 * t1s_overlay_find for errors; @ret is to be released by t1s_target_done on success. */
int t1s_target_open(const char *root, const char *path,
	const struct t1s_node_match *match, struct t1s_target *ret, struct t1s_error *e);

/*
 * Opens the overlay that the state names and checks that it is still the one the sweep
 * began with: but for the four bytes of the frequency every bit is the same. Returns 0,
 * -ESTALE, or t1s_target_open's errors. @e is needed.
 */
int t1s_target_open_same(const char *root, const struct t1s_state *s,
	struct t1s_target *ret, struct t1s_error *e);

/* As t1s_target_open_same, and the frequency must be a point of the plan or the original
 * one: what no person has asked for now acts on nothing else. */
int t1s_target_open_checked(const char *root, const struct t1s_state *s,
	struct t1s_target *ret, struct t1s_error *e);

/*
 * Waits up to @wait_us for the live node (overlays can be loaded by a service during
 * boot) and reads its frequency. Returns 0 or t1s_live_find's errors.
 */
int t1s_target_live(const char *root, const struct t1s_node_match *match,
	uint64_t wait_us, struct t1s_live_node *ret, struct t1s_error *e);

/*
 * What config.txt says of the overlay: the line that names it, or the one that sets its
 * frequency. Returns 0 or a reading error.
 */
int t1s_target_shadow(const char *root, const char *overlay_name,
	const struct t1s_target *t, struct t1s_boot_shadow *ret, struct t1s_error *e);

/*
 * Why the live tree shows another frequency than the overlay file holds, as well as can
 * be told: a parameter in config.txt, a file that is not the one loaded. @ret is one
 * sentence.
 */
void t1s_target_explain_mismatch(const char *root, const char *overlay_name,
	const struct t1s_target *t, char *ret, size_t size);

/*
 * Whether config.txt shadows the value in the blob. Returns 0 if not, -EEXIST with file,
 * line and remedy in the text if so, or a reading error.
 */
int t1s_target_not_shadowed(const char *root, const char *overlay_name,
	const struct t1s_target *t, struct t1s_error *e);
