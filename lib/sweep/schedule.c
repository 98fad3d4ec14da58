/* SPDX-License-Identifier: MIT */
#include "sweep/schedule.h"

#include "sweep/plan.h"

#define BOOT_GUESS_US (60 * T1S_USEC_PER_SEC)

uint64_t t1s_schedule_left_us(
	const struct t1s_state *s, const struct t1s_config *c, size_t next)
{
	uint64_t planned_us = t1s_plan_point_us(c);
	uint64_t cycle_us = s->cycle_us ? s->cycle_us : planned_us + BOOT_GUESS_US;
	uint64_t boot_us = cycle_us > planned_us ? cycle_us - planned_us : 0;

	if (next >= t1s_state_points(s))
		return s->expected_hz == s->original_hz ? 0 : boot_us;
	return (t1s_state_points(s) - next) * cycle_us + boot_us;
}

bool t1s_schedule_end_clock(const struct t1s_state *s, const struct t1s_config *c,
	size_t next, char ret[T1S_TIMESTAMP_MAX])
{
	uint64_t left_us = t1s_schedule_left_us(s, c, next);

	if (left_us == 0)
		return false;
	t1s_format_clock(t1s_wall_us() + left_us, ret);
	return true;
}
