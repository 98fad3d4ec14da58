/* SPDX-License-Identifier: MIT */
#include "sweep/plan.h"

#include "base/cleanup.h"
#include "base/clock.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* The fewest that an interval of some use can rest on. */
#define SEARCH_REPEATS_MIN 3U

typedef uint32_t (*sclk_fn)(uint32_t freq_hz, void *data);

void t1s_plan_done(struct t1s_plan *p)
{
	free(p->points);
	*p = (struct t1s_plan){0};
}

static uint64_t requests_count(const struct t1s_config *c)
{
	if (c->points_count > 0)
		return c->points_count;
	if (c->step_hz == 0 || c->start_hz < c->minimum_hz)
		return 0;
	return (uint64_t)(c->start_hz - c->minimum_hz) / c->step_hz + 1;
}

static int by_falling_frequency(const void *a, const void *b)
{
	uint32_t x = ((const struct t1s_point *)a)->freq_hz;
	uint32_t y = ((const struct t1s_point *)b)->freq_hz;

	return (x < y) - (x > y);
}

/* Of the requests that become one clock, which are neighbours, the highest stays, in any
 * order of measuring. */
static size_t drop_equal_clocks(
	struct t1s_point *points, size_t count, sclk_fn sclk_hz, void *data)
{
	uint32_t last = 0;
	size_t kept = 0;

	for (size_t i = 0; i < count; i++) {
		uint32_t sclk = sclk_hz(points[i].freq_hz, data);

		if (sclk == 0 || sclk != last)
			points[kept++] = points[i];
		last = sclk;
	}
	return kept;
}

/* By falling frequency. */
static void fill_requests(const struct t1s_config *c, size_t count, struct t1s_point *ret)
{
	for (size_t i = 0; i < count; i++) {
		ret[i].freq_hz = c->points_count > 0
					 ? c->points_hz[i]
					 : c->start_hz - (uint32_t)i * c->step_hz;
		ret[i].pass = 1;
		ret[i].kind = T1S_POINT_SWEEP;
	}
	qsort(ret, count, sizeof(*ret), by_falling_frequency);
}

/* The requests of one pass, by falling frequency; returns how many. */
static size_t fill_pass(const struct t1s_config *c, size_t count, sclk_fn sclk_hz,
	void *data, struct t1s_point *ret)
{
	fill_requests(c, count, ret);
	if (c->skip_equal_clock && sclk_hz)
		count = drop_equal_clocks(ret, count, sclk_hz, data);
	return count;
}

static void swap(struct t1s_point *a, struct t1s_point *b)
{
	struct t1s_point t = *a;

	*a = *b;
	*b = t;
}

static void reverse(struct t1s_point *points, size_t count)
{
	for (size_t i = 0; i < count / 2; i++)
		swap(&points[i], &points[count - 1 - i]);
}

/*
 * SplitMix64 (Steele, Lea, Flood: Fast splittable pseudorandom number generators, 2014):
 * the same seed gives the same order on every machine, which rand() does not promise.
 */
static uint64_t next_random(uint64_t *state)
{
	uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);

	z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
	return z ^ (z >> 31);
}

/* 0 to n - 1, each as likely: what does not divide evenly is drawn again. */
static uint64_t random_below(uint64_t *state, uint64_t n)
{
	const uint64_t limit = UINT64_MAX - UINT64_MAX % n;
	uint64_t v;

	do {
		v = next_random(state);
	} while (v >= limit);
	return v % n;
}

/* Fisher-Yates: every order is as likely. */
static void shuffle(struct t1s_point *points, size_t count, uint64_t *state)
{
	for (size_t i = count; i > 1; i--)
		swap(&points[i - 1], &points[random_below(state, i)]);
}

/* Makes the first pass and copies it for the others, each in its order. */
static void fill_passes(const struct t1s_config *c, size_t per_pass, uint64_t seed,
	sclk_fn sclk_hz, void *data, struct t1s_plan *ret)
{
	uint64_t state = seed;

	per_pass = fill_pass(c, per_pass, sclk_hz, data, ret->points);
	if (c->order == T1S_ORDER_ASCENDING)
		reverse(ret->points, per_pass);
	for (unsigned int pass = 1; pass <= c->passes; pass++) {
		struct t1s_point *points = ret->points + (pass - 1) * per_pass;

		if (pass > 1)
			memcpy(points, points - per_pass, per_pass * sizeof(*points));
		for (size_t i = 0; i < per_pass; i++)
			points[i].pass = pass;
		if (c->order == T1S_ORDER_SHUFFLED)
			shuffle(points, per_pass, &state);
	}
	ret->count = per_pass * c->passes;
	ret->seed = c->order == T1S_ORDER_SHUFFLED ? seed : 0;
}

/* The highest request, or the original where that is higher or the same clock. */
static uint32_t choose_reference(
	uint32_t highest_hz, uint32_t original_hz, sclk_fn sclk_hz, void *data)
{
	uint32_t sclk = sclk_hz ? sclk_hz(highest_hz, data) : 0;

	if (original_hz > highest_hz ||
		(original_hz > 0 && sclk > 0 && sclk_hz(original_hz, data) == sclk))
		return original_hz;
	return highest_hz;
}

/* The reference is all that is known to be measured; the points have room for each
 * request. */
static void fill_search(const struct t1s_config *c, size_t requests, uint32_t original_hz,
	sclk_fn sclk_hz, void *data, struct t1s_plan *ret)
{
	fill_requests(c, requests, ret->points);
	ret->points[0].freq_hz =
		choose_reference(ret->points[0].freq_hz, original_hz, sclk_hz, data);
	ret->count = 1;
}

static bool wants_opening(const struct t1s_config *c)
{
	return c->opening_baseline < 0 ? c->closing_baseline : c->opening_baseline > 0;
}

/* There is room for two more. A first point at the original serves as its baseline. */
static void add_baselines(
	const struct t1s_config *c, uint32_t original_hz, struct t1s_plan *p)
{
	if (wants_opening(c) && p->points[0].freq_hz != original_hz) {
		memmove(p->points + 1, p->points, p->count++ * sizeof(*p->points));
		p->points[0] = (struct t1s_point){
			.freq_hz = original_hz, .kind = T1S_POINT_OPENING};
	}
	if (c->closing_baseline)
		p->points[p->count++] = (struct t1s_point){
			.freq_hz = original_hz, .kind = T1S_POINT_CLOSING};
}

static int refuse_empty(const struct t1s_config *c, struct t1s_error *e)
{
	return t1s_error_set(e, EINVAL,
		"the plan has no points: Start=%u Hz, Minimum=%u Hz, Step=%u Hz, "
		"Passes=%u; expected Start= to be at least Minimum=, and Step= and "
		"Passes= above 0",
		c->start_hz, c->minimum_hz, c->step_hz, c->passes);
}

static int refuse_large(uint64_t total, struct t1s_error *e)
{
	return t1s_error_set(e, E2BIG,
		"the plan has %" PRIu64 " points, expected at most %d: choose a larger "
		"Step= or fewer Passes=",
		total, T1S_PLAN_MAX);
}

int t1s_plan_make(const struct t1s_config *c, uint32_t original_hz, uint64_t seed,
	uint32_t (*sclk_hz)(uint32_t freq_hz, void *data), void *data,
	struct t1s_plan *ret, struct t1s_error *e)
{
	uint64_t per_pass = requests_count(c);
	uint64_t total = c->search == T1S_SEARCH_KNEE ? per_pass : per_pass * c->passes;
	struct t1s_plan p = {0};

	if (total == 0)
		return refuse_empty(c, e);
	if ((c->closing_baseline || wants_opening(c)) && original_hz == 0)
		return t1s_error_set(e, EINVAL,
			"the baselines need the original frequency, which is not known: "
			"set ClosingBaseline=no and OpeningBaseline=no to do without");
	if (total > T1S_PLAN_MAX)
		return refuse_large(total, e);
	p.points = calloc(total + 2, sizeof(*p.points));
	if (!p.points)
		return t1s_error_set(e, ENOMEM, "out of memory for the plan");
	if (c->search == T1S_SEARCH_KNEE)
		fill_search(c, per_pass, original_hz, sclk_hz, data, &p);
	else
		fill_passes(c, per_pass, seed, sclk_hz, data, &p);
	add_baselines(c, original_hz, &p);
	if (p.count > T1S_PLAN_MAX) {
		total = p.count;
		t1s_plan_done(&p);
		return refuse_large(total, e);
	}
	*ret = p;
	return 0;
}

/* Of the requests that become one clock, which are neighbours, the lowest stays, but of
 * the highest clock the reference. */
static size_t fill_candidates(const struct t1s_point *requests, size_t requests_count,
	uint32_t reference_hz, sclk_fn sclk_hz, void *data, struct t1s_candidate *ret)
{
	size_t count = 1;

	ret[0].freq_hz = reference_hz;
	ret[0].sclk_hz = sclk_hz ? sclk_hz(reference_hz, data) : 0;
	for (size_t i = 0; i < requests_count; i++) {
		const uint32_t freq_hz = requests[i].freq_hz;
		const uint32_t sclk = sclk_hz ? sclk_hz(freq_hz, data) : 0;
		const bool same = sclk > 0 && sclk == ret[count - 1].sclk_hz;

		if (freq_hz >= reference_hz || (same && count == 1))
			continue;
		ret[same ? count - 1 : count] =
			(struct t1s_candidate){.freq_hz = freq_hz, .sclk_hz = sclk};
		count += !same;
	}
	return count;
}

int t1s_plan_candidates(const struct t1s_config *c, uint32_t original_hz,
	uint32_t (*sclk_hz)(uint32_t freq_hz, void *data), void *data,
	struct t1s_candidate **ret, size_t *ret_count, struct t1s_error *e)
{
	const uint64_t count = requests_count(c);
	cleanup_free struct t1s_point *requests = NULL;
	struct t1s_candidate *candidates;

	if (count == 0)
		return refuse_empty(c, e);
	if (count > T1S_PLAN_MAX)
		return refuse_large(count, e);
	requests = calloc(count, sizeof(*requests));
	candidates = calloc(count + 1, sizeof(*candidates));
	if (!requests || !candidates) {
		free(candidates);
		return t1s_error_set(e, ENOMEM, "out of memory for the plan");
	}
	fill_requests(c, count, requests);
	*ret_count = fill_candidates(requests, count,
		choose_reference(requests[0].freq_hz, original_hz, sclk_hz, data),
		sclk_hz, data, candidates);
	*ret = candidates;
	return 0;
}

int t1s_plan_insert(struct t1s_plan *p, size_t at, struct t1s_point point)
{
	struct t1s_point *points;

	if (p->count >= T1S_PLAN_MAX)
		return -E2BIG;
	points = reallocarray(p->points, p->count + 1, sizeof(*points));
	if (!points)
		return -ENOMEM;
	p->points = points;
	memmove(points + at + 1, points + at, (p->count++ - at) * sizeof(*points));
	points[at] = point;
	return 0;
}

unsigned int t1s_plan_repeats(
	const struct t1s_config *c, bool is_search, unsigned int workload)
{
	const unsigned int repeats = c->workloads[workload].repeats;

	if (!is_search || workload > 0)
		return repeats;
	return repeats < SEARCH_REPEATS_MIN ? SEARCH_REPEATS_MIN : repeats;
}

bool t1s_plan_has(const struct t1s_plan *p, uint32_t freq_hz)
{
	for (size_t i = 0; i < p->count; i++)
		if (p->points[i].freq_hz == freq_hz)
			return true;
	return false;
}

uint64_t t1s_plan_point_us(const struct t1s_config *c)
{
	uint64_t us = c->settle_us + c->reboot_delay_us;

	for (unsigned int i = 0; i < c->workloads_count; i++) {
		const struct t1s_workload *w = &c->workloads[i];

		us += ((uint64_t)w->omit_s + w->duration_s) *
		      t1s_plan_repeats(c, c->search == T1S_SEARCH_KNEE, i) *
		      T1S_USEC_PER_SEC;
	}
	return us;
}
