/* SPDX-License-Identifier: MIT */
/*
 * Faults of the link, switched while it runs by a small file of KEY=VALUE lines:
 *   silent=ab|ba|both    nothing gets through in that direction
 *   flap=UP,DOWN         the link is up for UP ms, then silent for DOWN ms, and so on
 *   duplicate=N          every Nth UDP frame arrives twice
 *   reorder=N            every Nth UDP frame arrives after the one that follows it
 *   corrupt=N            every Nth UDP frame arrives with a flipped bit
 * A missing or empty file is a sound link.
 */
#pragma once

#include "base/error.h"

#include <stdbool.h>
#include <stdint.h>

struct t1s_faults {
	bool silent_ab, silent_ba;
	uint32_t flap_up_ms, flap_down_ms;    /* down 0: no flapping */
	uint32_t duplicate, reorder, corrupt; /* 0: never */
};

/* Reads the file. Returns 0, or -EINVAL with the line in the text; @ret is then
 * untouched. */
int t1s_faults_load(const char *path, struct t1s_faults *ret, struct t1s_error *e);

/* Whether frames from end A (else from end B) are swallowed at this time. */
bool t1s_faults_silent(const struct t1s_faults *f, bool from_a, uint64_t now_us);
