/* SPDX-License-Identifier: MIT */
#include "report/gather.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define INDEX_BITS 15
#define INDEX_SIZE (1U << INDEX_BITS) /* three times the most points */

static void point_done(struct t1s_gathered_point *p)
{
	t1s_values_done(&p->received);
	t1s_values_done(&p->lost);
	t1s_values_done(&p->jitter);
	t1s_values_done(&p->offered);
	t1s_values_done(&p->cpu);
}

static void series_done(struct t1s_gathered_series *s)
{
	for (size_t i = 0; i < s->count; i++)
		point_done(&s->points[i]);
	free(s->points);
	free(s->index);
	t1s_values_done(&s->opening);
	t1s_values_done(&s->closing);
	t1s_values_done(&s->first_pass);
}

void t1s_gathered_done(struct t1s_gathered *g)
{
	for (size_t i = 0; i < g->count; i++)
		series_done(&g->series[i]);
	free(g->series);
	*g = (struct t1s_gathered){0};
}

int t1s_gathered_index(struct t1s_gathered_series *s)
{
	s->index = malloc(INDEX_SIZE * sizeof(*s->index));
	if (!s->index)
		return -ENOMEM;
	memset(s->index, 0xff, INDEX_SIZE * sizeof(*s->index)); /* -1: none */
	return 0;
}

static int add_point(struct t1s_gathered_series *s, uint32_t freq_hz)
{
	if (s->count == s->room) {
		const size_t room = s->room ? s->room * 2 : 32;
		struct t1s_gathered_point *grown =
			reallocarray(s->points, room, sizeof(*grown));

		if (!grown)
			return -ENOMEM;
		s->points = grown;
		s->room = room;
	}
	s->points[s->count++] =
		(struct t1s_gathered_point){.freq_hz = freq_hz, .asked_mbit_s = NAN};
	return 0;
}

/* Multiplicative hashing: the upper bits of the product are well mixed. */
static size_t slot_of(uint32_t freq_hz)
{
	return (uint32_t)(freq_hz * UINT32_C(2654435769)) >> (32 - INDEX_BITS);
}

int t1s_gathered_find(
	struct t1s_gathered_series *s, uint32_t freq_hz, struct t1s_gathered_point **ret)
{
	size_t slot = slot_of(freq_hz);

	if (s->last < s->count && s->points[s->last].freq_hz == freq_hz) {
		*ret = &s->points[s->last];
		return 0;
	}
	while (s->index[slot] >= 0 && s->points[s->index[slot]].freq_hz != freq_hz)
		slot = (slot + 1) % INDEX_SIZE;
	if (s->index[slot] < 0) {
		if (s->count == T1S_REPORT_POINTS_MAX)
			return -E2BIG;
		s->index[slot] = (int32_t)s->count;
		if (add_point(s, freq_hz) < 0)
			return -ENOMEM;
	}
	s->last = (size_t)s->index[slot];
	*ret = &s->points[s->last];
	return 0;
}
