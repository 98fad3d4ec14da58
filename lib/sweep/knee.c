/* SPDX-License-Identifier: MIT */
#include "sweep/knee.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#define ROUNDING 1e-9 /* so that 93.0 % of a rate is "from 93 %" in binary too */
/* The least fall of the rate, as a share of the clock's, that the clock can explain. */
#define FALL_MIN 0.5

/* What is known of a candidate. */
struct place {
	struct t1s_values all; /* of all its boots */
	double median;
	unsigned int boots, full, limited;
};

struct search {
	const struct t1s_knee *k;
	struct place *places;
	double line_mbit_s;
};

static void release(struct search *s)
{
	for (size_t i = 0; s->places && i < s->k->count; i++)
		t1s_values_done(&s->places[i].all);
	free(s->places);
}

static int gather(struct search *s)
{
	const struct t1s_knee *k = s->k;
	double best = NAN;
	int r = 0;

	for (size_t i = 0; i < k->boots_count; i++) {
		const struct t1s_values *v = &k->boots[i].mbit_s;

		for (size_t j = 0; r == 0 && j < v->count; j++)
			r = t1s_values_add(
				&s->places[k->boots[i].candidate].all, v->v[j]);
	}
	for (size_t i = 0; i < k->count; i++) {
		struct place *p = &s->places[i];

		t1s_values_sort(&p->all);
		p->median = t1s_values_median(&p->all);
		best = fmax(best, p->median); /* the one that is a number */
	}
	s->line_mbit_s = best * k->full_share;
	return r;
}

/* Nothing came through in all runs so far, or in two: each such result rests on several
 * tries of its own already. */
static bool is_dead(const struct t1s_values *v)
{
	size_t nothing = 0;

	for (size_t i = 0; i < v->count; i++)
		nothing += v->v[i] <= 0;
	return nothing > 0 && (nothing == v->count || nothing >= 2);
}

static enum t1s_knee_vote vote_of(const struct search *s, const struct t1s_knee_boot *b)
{
	const double line = s->line_mbit_s * (1 - ROUNDING);
	const struct t1s_interval i = t1s_values_interval(&b->mbit_s);

	if (is_dead(&b->mbit_s))
		return T1S_KNEE_LIMITED;
	if (b->mbit_s.count < s->k->repeats_min)
		return T1S_KNEE_UNDECIDED;
	if (i.low >= line)
		return T1S_KNEE_FULL;
	return i.high < line ? T1S_KNEE_LIMITED : T1S_KNEE_UNDECIDED;
}

static void count_votes(struct search *s)
{
	for (size_t i = 0; i < s->k->boots_count; i++) {
		const struct t1s_knee_boot *b = &s->k->boots[i];
		const enum t1s_knee_vote vote = vote_of(s, b);
		struct place *p = &s->places[b->candidate];

		p->boots++;
		p->full += vote == T1S_KNEE_FULL;
		p->limited += vote == T1S_KNEE_LIMITED;
	}
}

static enum t1s_knee_vote sum_of(const struct place *p)
{
	if (2 * p->full > p->boots)
		return T1S_KNEE_FULL;
	return 2 * p->limited > p->boots ? T1S_KNEE_LIMITED : T1S_KNEE_UNDECIDED;
}

static bool needs_boot(const struct place *p)
{
	return p->boots < 2 ||
	       (p->boots < T1S_KNEE_BOOTS_MAX && sum_of(p) == T1S_KNEE_UNDECIDED);
}

/* Without a full one the reference is the upper end. */
static void find_bracket(const struct search *s, struct t1s_knee_next *ret)
{
	ret->found = false;
	ret->knee = 0;
	ret->below_vote = T1S_KNEE_UNDECIDED;
	for (size_t i = 0; i < s->k->count; i++) {
		if (sum_of(&s->places[i]) != T1S_KNEE_FULL)
			continue;
		ret->found = true;
		ret->knee = i;
	}
	for (ret->below = ret->knee + 1; ret->below < s->k->count; ret->below++) {
		if (s->places[ret->below].boots == 0)
			continue;
		ret->below_vote = sum_of(&s->places[ret->below]);
		break;
	}
}

static double clock_of(const struct t1s_candidate *c)
{
	return c->sclk_hz ? c->sclk_hz : c->freq_hz;
}

/* Whether the clock does not explain what was measured at @a and, lower, at @b. */
static bool is_flat(const struct search *s, size_t a, size_t b)
{
	const struct t1s_candidate *c = s->k->candidates;
	const double rate_a = s->places[a].median, rate_b = s->places[b].median;

	/* false where neither carried anything, which is no number */
	return 1 - rate_b / rate_a < FALL_MIN * (1 - clock_of(&c[b]) / clock_of(&c[a]));
}

/* The middle of the lowest unmeasured gap between two such; 0 if there is none. */
static size_t find_flat(const struct search *s, size_t from)
{
	size_t found = 0, above = s->k->count;

	for (size_t i = from; i < s->k->count; i++) {
		if (s->places[i].boots == 0)
			continue;
		if (above < i && i - above > 1 && is_flat(s, above, i))
			found = above + (i - above) / 2;
		above = i;
	}
	return found;
}

static size_t halvings(size_t width)
{
	size_t n = 0;

	while (width > 1) {
		width -= width / 2;
		n++;
	}
	return n;
}

static void measure(struct t1s_knee_next *ret, size_t candidate, size_t boots_left)
{
	ret->step = T1S_KNEE_MEASURE;
	ret->candidate = candidate;
	ret->boots_left = boots_left;
}

/* Whether the rate still rises above the knee is not known yet. */
static bool lacks_above(const struct search *s, size_t knee)
{
	return knee > 0 && s->places[knee - 1].boots == 0;
}

static void confirm(const struct search *s, struct t1s_knee_next *ret)
{
	const size_t knee = needs_boot(&s->places[ret->knee]);
	const size_t below =
		ret->below < s->k->count && needs_boot(&s->places[ret->below]);

	if (lacks_above(s, ret->knee))
		measure(ret, ret->knee - 1, 1 + below + knee);
	else if (below > 0)
		measure(ret, ret->below, below + knee);
	else if (knee > 0)
		measure(ret, ret->knee, knee);
	else
		ret->step = T1S_KNEE_DONE;
}

/* Boots after those of the bisection: above, below, and at the knee itself. */
static size_t confirming(size_t candidates)
{
	return candidates < 3 ? candidates : 3;
}

static void decide(const struct search *s, struct t1s_knee_next *ret)
{
	const size_t width = ret->below - ret->knee;
	const size_t flat = find_flat(s, ret->below);

	if (s->k->boots_count == 0)
		measure(ret, 0, 1 + halvings(s->k->count) + confirming(s->k->count));
	else if (flat > 0)
		measure(ret, flat, 1 + halvings(width) + 3);
	else if (width > 1)
		measure(ret, ret->knee + width / 2, halvings(width) + 3);
	else
		confirm(s, ret);
}

static void look_at_last(const struct search *s, struct t1s_knee_next *ret)
{
	const struct t1s_knee_boot *b = &s->k->boots[s->k->boots_count - 1];

	ret->last = vote_of(s, b);
	ret->last_mbit_s = t1s_values_interval(&b->mbit_s);
	if (ret->last == T1S_KNEE_UNDECIDED && b->runs < s->k->repeats_max)
		ret->step = T1S_KNEE_REPEAT;
}

int t1s_knee_ask(const struct t1s_knee *k, struct t1s_knee_next *ret)
{
	struct search s = {.k = k};
	struct t1s_knee_next next = {.step = T1S_KNEE_DONE, .last_mbit_s = {NAN, NAN}};
	int r;

	s.places = calloc(k->count, sizeof(*s.places));
	r = s.places ? gather(&s) : -ENOMEM;
	if (r == 0) {
		count_votes(&s);
		find_bracket(&s, &next);
		decide(&s, &next);
		next.line_mbit_s = s.line_mbit_s;
		if (k->boots_count > 0)
			look_at_last(&s, &next);
		*ret = next;
	}
	release(&s);
	return r;
}

const char *t1s_knee_vote_name(enum t1s_knee_vote v)
{
	static const char *const names[] = {
		[T1S_KNEE_UNDECIDED] = "undecided",
		[T1S_KNEE_FULL] = "full",
		[T1S_KNEE_LIMITED] = "limited",
	};

	return names[v];
}
