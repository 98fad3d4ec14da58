/* SPDX-License-Identifier: MIT */
#include "sweep/schedule.h"

#include "base/values.h"
#include "sweep/plan.h"
#include "sweep/search.h"

#include <string.h>

#define BOOT_GUESS_US (60 * T1S_USEC_PER_SEC)

void t1s_schedule_note_boot(struct t1s_boot_times *t, uint64_t us)
{
	if (t->count == T1S_BOOT_TIMES_MAX)
		memmove(t->us, t->us + 1, --t->count * sizeof(t->us[0]));
	t->us[t->count++] = us;
}

/* One that was long (a night without power, a file system check) does not count for
 * more than one. */
uint64_t t1s_schedule_boot_us(const struct t1s_boot_times *t)
{
	double us[T1S_BOOT_TIMES_MAX];
	struct t1s_values v = {.v = us, .count = t->count, .room = T1S_BOOT_TIMES_MAX};

	for (size_t i = 0; i < t->count; i++)
		us[i] = (double)t->us[i];
	if (t->count == 0)
		return BOOT_GUESS_US;
	t1s_values_sort(&v);
	return (uint64_t)t1s_values_median(&v);
}

/* Whether the last point leaves another frequency than the original; a search does not
 * know its last point, unless that is the closing baseline. */
static bool restores_by_boot(const struct t1s_state *s)
{
	return s->plan.count == 0 ||
	       s->plan.points[s->plan.count - 1].freq_hz != s->original_hz ||
	       (t1s_search_is_on(s) &&
		       s->plan.points[s->plan.count - 1].kind != T1S_POINT_CLOSING);
}

size_t t1s_schedule_boots(const struct t1s_state *s)
{
	const bool sets_first =
		s->plan.count > 0 && s->plan.points[0].freq_hz != s->original_hz;

	return t1s_state_points(s) + sets_first + restores_by_boot(s);
}

uint64_t t1s_schedule_whole_us(const struct t1s_state *s, const struct t1s_config *c)
{
	return t1s_state_points(s) * t1s_plan_point_us(c) +
	       t1s_schedule_boots(s) * t1s_schedule_boot_us(&s->boot_times);
}

static uint64_t cycle_us(const struct t1s_state *s, const struct t1s_config *c)
{
	return t1s_plan_point_us(c) + t1s_schedule_boot_us(&s->boot_times);
}

uint64_t t1s_schedule_left_us(
	const struct t1s_state *s, const struct t1s_config *c, size_t next)
{
	const uint64_t boot_us = t1s_schedule_boot_us(&s->boot_times);

	if (next >= t1s_state_points(s))
		return s->expected_hz == s->original_hz ? 0 : boot_us;
	return (t1s_state_points(s) - next) * cycle_us(s, c) +
	       (restores_by_boot(s) ? boot_us : 0);
}

uint64_t t1s_schedule_end_us(const struct t1s_state *s, const struct t1s_config *c)
{
	const uint64_t now_us = t1s_wall_us();
	const bool sane = s->advanced_wall_us > 0 && s->advanced_wall_us <= now_us &&
			  now_us - s->advanced_wall_us < cycle_us(s, c);

	if (t1s_state_ended(s))
		return 0;
	return (sane ? s->advanced_wall_us : now_us) +
	       (s->phase == T1S_PHASE_RESTORING ? t1s_schedule_boot_us(&s->boot_times)
						: t1s_schedule_left_us(s, c, s->point));
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
