/* SPDX-License-Identifier: MIT */
#include "sweep/schedule.h"

#include "sweep/plan.h"

#define BOOT_GUESS_US (60 * T1S_USEC_PER_SEC)

static uint64_t cycle_us(const struct t1s_state *s, const struct t1s_config *c)
{
	return s->cycle_us ? s->cycle_us : t1s_plan_point_us(c) + BOOT_GUESS_US;
}

/* What a cycle takes beside measuring. */
static uint64_t boot_us(const struct t1s_state *s, const struct t1s_config *c)
{
	const uint64_t cycle = cycle_us(s, c), planned = t1s_plan_point_us(c);

	return cycle > planned ? cycle - planned : 0;
}

uint64_t t1s_schedule_left_us(
	const struct t1s_state *s, const struct t1s_config *c, size_t next)
{
	if (next >= t1s_state_points(s))
		return s->expected_hz == s->original_hz ? 0 : boot_us(s, c);
	return (t1s_state_points(s) - next) * cycle_us(s, c) + boot_us(s, c);
}

uint64_t t1s_schedule_end_us(const struct t1s_state *s, const struct t1s_config *c)
{
	const uint64_t now_us = t1s_wall_us(), cycle = cycle_us(s, c);
	const bool sane = s->advanced_wall_us > 0 && s->advanced_wall_us <= now_us &&
			  now_us - s->advanced_wall_us < cycle;

	if (t1s_state_ended(s))
		return 0;
	if (s->phase == T1S_PHASE_RESTORING)
		return (sane ? s->advanced_wall_us : now_us) + boot_us(s, c);
	return (sane ? s->advanced_wall_us : now_us) +
	       t1s_schedule_left_us(s, c, s->point);
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
