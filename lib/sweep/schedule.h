/* SPDX-License-Identifier: MIT */
/* When a sweep will end: from the plan, and from what the last boots took. Internal to
 * the room and to the views. */
#pragma once

#include "base/clock.h"
#include "sweep/config.h"
#include "sweep/state.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Notes what a boot took beside the measurement. What is older than the last
 * T1S_BOOT_TIMES_MAX goes.
 */
void t1s_schedule_note_boot(struct t1s_boot_times *t, uint64_t us);

/* What a boot takes: the median of the last ones; a minute where none is known. */
uint64_t t1s_schedule_boot_us(const struct t1s_boot_times *t);

/*
 * Boots of a whole sweep, with the one that it begins in and the one that brings the
 * original back; of a search, at most, unless results disagree.
 */
size_t t1s_schedule_boots(const struct t1s_state *s);

/* What these boots and the measurements of all points take, in microseconds. */
uint64_t t1s_schedule_whole_us(const struct t1s_state *s, const struct t1s_config *c);

/*
 * Time from now to the end, in microseconds, with the points from index @next on still to
 * be measured, each in a boot of its own, and the original to be brought back.
 */
uint64_t t1s_schedule_left_us(
	const struct t1s_state *s, const struct t1s_config *c, size_t next);

/* The end as local time of day, "23:10". False where nothing remains. */
bool t1s_schedule_end_clock(const struct t1s_state *s, const struct t1s_config *c,
	size_t next, char ret[T1S_TIMESTAMP_MAX]);

/*
 * The end of a sweep under way as wall time in microseconds, reckoned from the last
 * advance where that was less than a cycle ago; 0 where it has ended.
 */
uint64_t t1s_schedule_end_us(const struct t1s_state *s, const struct t1s_config *c);
