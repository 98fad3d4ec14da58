/* SPDX-License-Identifier: MIT */
/* When a sweep will end: from the time that one point took so far. Internal to the room.
 */
#pragma once

#include "base/clock.h"
#include "sweep/config.h"
#include "sweep/state.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Time from now to the end, in microseconds, with the points from index @next on still to
 * be measured and the original to be brought back. By the measured cycle where there is
 * one, else by the plan with a minute for each boot.
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
