/* SPDX-License-Identifier: MIT */
#include "sweep/search.h"

#include "base/cleanup.h"
#include "sweep/context.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* Runs of one point, as many times the fewest, before it is given up as undecided. */
#define REPEATS_FACTOR 3U

bool t1s_search_is_on(const struct t1s_state *s)
{
	return s->search.count > 0;
}

int t1s_search_make(const struct t1s_config *c, uint64_t seed,
	uint32_t (*sclk_hz)(uint32_t freq_hz, void *data), void *data,
	struct t1s_state *s, struct t1s_error *e)
{
	int r = t1s_plan_make(c, s->original_hz, seed, sclk_hz, data, &s->plan, e);

	if (r < 0 || c->search != T1S_SEARCH_KNEE)
		return r;
	r = t1s_plan_candidates(c, s->original_hz, sclk_hz, data, &s->search.candidates,
		&s->search.count, e);
	if (r == 0) {
		const struct t1s_knee k = {
			.candidates = s->search.candidates, .count = s->search.count};
		struct t1s_knee_next next;

		r = t1s_knee_ask(&k, &next);
		if (r < 0)
			return t1s_error_set(e, -r, "out of memory for the plan");
		s->search.points = s->plan.count - 1 + next.boots_left;
	}
	return r;
}

unsigned int t1s_search_repeats_max(const struct t1s_config *c)
{
	return t1s_plan_repeats(c, true, 0) * REPEATS_FACTOR;
}

static size_t find_candidate(const struct t1s_search_state *search, uint32_t freq_hz)
{
	size_t i = 0;

	/* the state was refused if it is none of them */
	while (i + 1 < search->count && search->candidates[i].freq_hz != freq_hz)
		i++;
	return i;
}

/* The points up to the current one, but for the baselines at the ends. */
struct span {
	size_t first, end;
};

static struct span measured_span(const struct t1s_state *s)
{
	const struct t1s_point *points = s->plan.points;
	struct span span = {
		.first = points[0].pass == 0 ? 1 : 0,
		.end = points[s->point].pass == 0 ? s->point : s->point + 1,
	};

	if (span.end < span.first)
		span.end = span.first;
	return span;
}

static int fill_boots(const struct t1s_progress *p, const struct t1s_state *s,
	const struct t1s_config *c, const struct t1s_knee *k, struct span span,
	struct t1s_knee_boot *boots)
{
	int r = 0;

	for (size_t i = span.first; i < span.end; i++) {
		struct t1s_knee_boot *b = &boots[i - span.first];

		b->candidate = find_candidate(&s->search, s->plan.points[i].freq_hz);
		b->runs = i == s->point ? t1s_progress_done_runs(p, c) : k->repeats_max;
	}
	for (size_t i = 0; r == 0 && i < p->samples_count; i++) {
		const struct t1s_progress_sample *sample = &p->samples[i];

		if (sample->point >= span.first && sample->point < span.end)
			r = t1s_values_add(&boots[sample->point - span.first].mbit_s,
				sample->mbit_s);
	}
	return r;
}

int t1s_search_ask(const struct t1s_progress *p, const struct t1s_state *s,
	const struct t1s_config *c, struct t1s_knee_next *ret)
{
	const struct span span = measured_span(s);
	const size_t count = span.end - span.first;
	struct t1s_knee_boot *boots = calloc(count + 1, sizeof(*boots));
	const struct t1s_knee k = {
		.candidates = s->search.candidates,
		.count = s->search.count,
		.boots = boots,
		.boots_count = count,
		.full_share = c->full_share,
		.repeats_min = t1s_plan_repeats(c, true, 0),
		.repeats_max = t1s_search_repeats_max(c),
	};
	int r = boots ? fill_boots(p, s, c, &k, span, boots) : -ENOMEM;

	if (r == 0)
		r = t1s_knee_ask(&k, ret);
	for (size_t i = 0; boots && i < count; i++)
		t1s_values_done(&boots[i].mbit_s);
	free(boots);
	return r;
}

/* Whether the plan holds no more points of the search behind the current one. */
static bool is_at_end(const struct t1s_state *s)
{
	const size_t next = s->point + 1;

	return s->plan.points[s->point].pass > 0 &&
	       (next >= s->plan.count || s->plan.points[next].pass == 0);
}

/* Boots at this frequency so far; the pass of a point counts them. */
static unsigned int count_boots(const struct t1s_plan *p, uint32_t freq_hz)
{
	unsigned int n = 0;

	for (size_t i = 0; i < p->count; i++)
		n += p->points[i].pass > 0 && p->points[i].freq_hz == freq_hz;
	return n;
}

int t1s_search_extend(struct t1s_state *s, const struct t1s_knee_next *next)
{
	struct t1s_point point = {.kind = T1S_POINT_SWEEP};
	int r = 0;

	if (!is_at_end(s))
		return 0;
	if (next->step == T1S_KNEE_MEASURE) {
		point.freq_hz = s->search.candidates[next->candidate].freq_hz;
		point.pass = count_boots(&s->plan, point.freq_hz) + 1;
		r = t1s_plan_insert(&s->plan, s->point + 1, point);
	}
	s->search.points = s->plan.count + (point.pass ? next->boots_left - 1 : 0);
	return r;
}

void t1s_search_describe(const struct t1s_knee_next *next, char *ret, size_t size)
{
	const struct t1s_interval *i = &next->last_mbit_s;

	if (isnan(i->low))
		(void)snprintf(ret, size, "%s", t1s_knee_vote_name(next->last));
	else
		(void)snprintf(ret, size, "%s (%.2f to %.2f Mbit/s, full from %.2f)",
			t1s_knee_vote_name(next->last), fmax(i->low, 0), i->high,
			next->line_mbit_s);
}

static int describe_candidate(const struct t1s_candidate *c, char *ret, size_t size)
{
	if (c->sclk_hz == 0)
		return snprintf(ret, size, T1S_MHZ_FMT, t1s_mhz(c->freq_hz));
	return snprintf(ret, size, T1S_MHZ_FMT " (SCLK " T1S_MHZ_FMT ", predicted)",
		t1s_mhz(c->freq_hz), t1s_mhz(c->sclk_hz));
}

void t1s_search_answer(const struct t1s_state *s, const struct t1s_knee_next *next,
	char *ret, size_t size)
{
	const struct t1s_candidate *c = s->search.candidates;
	char knee[96], below[96];

	if (!next->found) {
		(void)snprintf(ret, size, "no frequency with full throughput was found");
		return;
	}
	(void)describe_candidate(&c[next->knee], knee, sizeof(knee));
	if (next->below >= s->search.count) {
		(void)snprintf(ret, size,
			"lowest frequency with full throughput: %s, the lowest of the "
			"search",
			knee);
		return;
	}
	(void)describe_candidate(&c[next->below], below, sizeof(below));
	(void)snprintf(ret, size,
		"lowest frequency with full throughput: %s; the next below, %s, is %s",
		knee, below, t1s_knee_vote_name(next->below_vote));
}
