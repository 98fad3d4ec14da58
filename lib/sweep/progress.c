/* SPDX-License-Identifier: MIT */
#include "sweep/progress.h"

#include "base/path.h"
#include "base/values.h"
#include "sweep/audit.h"
#include "sweep/search.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

void t1s_progress_done(struct t1s_progress *p)
{
	free(p->runs);
	free(p->samples);
	memset(p, 0, sizeof(*p));
}

struct t1s_progress_run *t1s_progress_run(
	const struct t1s_progress *p, unsigned int workload, unsigned int repeat)
{
	return &p->runs[(size_t)workload * p->repeats_max + (repeat - 1)];
}

bool t1s_progress_counts_as_zero(const struct t1s_row *row)
{
	return row->status == T1S_RUN_NO_DATA || row->status == T1S_RUN_NO_LINK ||
	       (row->status == T1S_RUN_DRIVER_DEAD && row->attempt >= 2);
}

static int add_sample(struct t1s_progress *p, size_t point, double mbit_s)
{
	if (p->samples_count == p->samples_room) {
		size_t room = p->samples_room ? 2 * p->samples_room : 64;
		struct t1s_progress_sample *more =
			realloc(p->samples, room * sizeof(*more));

		if (!more)
			return -ENOMEM;
		p->samples = more;
		p->samples_room = room;
	}
	p->samples[p->samples_count++] =
		(struct t1s_progress_sample){.point = point, .mbit_s = mbit_s};
	return 0;
}

struct reading {
	struct t1s_progress *p;
	const struct t1s_state *s;
	const struct t1s_config *c;
};

static int find_workload(const struct t1s_config *c, const char *name)
{
	for (unsigned int i = 0; i < c->workloads_count; i++)
		if (strcmp(c->workloads[i].name, name) == 0)
			return (int)i;
	return -1;
}

/* A file without the column knows one direction only. */
static enum t1s_direction direction_of(
	const struct t1s_row *row, const struct t1s_workload *w)
{
	for (int d = T1S_DIRECTION_RECEIVE; d <= T1S_DIRECTION_SEND; d++)
		if (strcmp(row->direction, t1s_direction_name((enum t1s_direction)d)) ==
			0)
			return (enum t1s_direction)d;
	return w->direction == T1S_DIRECTION_BOTH ? T1S_DIRECTION_RECEIVE : w->direction;
}

static void note_failure(struct t1s_progress_run *run, bool *done,
	const struct t1s_row *row, unsigned int max)
{
	if (row->attempt > (int64_t)run->attempts && row->attempt <= UINT16_MAX)
		run->attempts = (unsigned int)row->attempt;
	*done = *done || row->attempt >= (int64_t)max;
}

static void note_run(struct reading *rd, unsigned int workload,
	enum t1s_direction direction, const struct t1s_row *row)
{
	struct t1s_progress_run *run;
	bool *done;

	if (row->repeat < 1 || row->repeat > rd->p->repeats_max)
		return;
	run = t1s_progress_run(rd->p, workload, (unsigned int)row->repeat);
	done = &run->done[direction];
	switch (row->status) {
	case T1S_RUN_OK:
	case T1S_RUN_NO_DATA:
	case T1S_RUN_NO_LINK:
		*done = true;
		break;
	case T1S_RUN_DRIVER_DEAD:
		*done = *done || row->attempt >= 2;
		rd->p->driver_died = true;
		break;
	case T1S_RUN_FAILED:
		note_failure(run, done, row, rd->c->attempts);
		break;
	case T1S_RUN_WRONG_PATH: /* stops the sweep: the run stays open */
		rd->p->wrong = *row;
		rd->p->have_wrong = true;
		break;
	default:
		break;
	}
}

static int note_row(const struct t1s_row *row, void *data)
{
	struct reading *rd = data;
	size_t point = (size_t)(row->point - 1);
	int workload = find_workload(rd->c, row->workload);
	enum t1s_direction direction;
	bool is_sample;

	if (strcmp(row->sweep_id, rd->s->sweep_id) != 0 || row->point < 1 ||
		point >= rd->s->plan.count)
		return 0;
	if (workload < 0) {
		memcpy(rd->p->stray, row->workload, sizeof(rd->p->stray));
		return 0;
	}
	t1s_audit_learn(&rd->p->reference, row);
	direction = direction_of(row, &rd->c->workloads[workload]);
	is_sample = workload == 0 &&
		    (direction == T1S_DIRECTION_SEND) ==
			    (rd->c->workloads[0].direction == T1S_DIRECTION_SEND);
	if (point == rd->s->point) {
		note_run(rd, (unsigned int)workload, direction, row);
		rd->p->last = *row;
		rd->p->have_last = true;
		if (is_sample) {
			rd->p->shown = *row;
			rd->p->have_shown = true;
		}
	}
	if (!is_sample)
		return 0;
	if (row->status == T1S_RUN_OK)
		return add_sample(rd->p, point, row->received_mbit_s);
	return t1s_progress_counts_as_zero(row) ? add_sample(rd->p, point, 0) : 0;
}

/* A search decides by the first workload, one run after the other. */
static int find_wanted(
	struct t1s_progress *p, const struct t1s_state *s, const struct t1s_config *c)
{
	const bool is_search = t1s_search_is_on(s);
	int r;

	for (unsigned int w = 0; w < p->workloads; w++)
		p->wanted[w] = t1s_plan_repeats(c, is_search, w);
	if (!is_search)
		return 0;
	r = t1s_search_ask(p, s, c, &p->next);
	if (r < 0 || s->plan.points[s->point].pass == 0)
		return r;
	p->wanted[0] = t1s_progress_done_runs(p, c);
	if (p->next.step == T1S_KNEE_REPEAT)
		p->wanted[0]++;
	return 0;
}

static unsigned int most_repeats(const struct t1s_state *s, const struct t1s_config *c)
{
	unsigned int most = t1s_search_is_on(s) ? t1s_search_repeats_max(c) : 1;

	for (unsigned int i = 0; i < c->workloads_count; i++)
		if (c->workloads[i].repeats > most)
			most = c->workloads[i].repeats;
	return most;
}

int t1s_progress_read(const char *root, const struct t1s_state *s,
	const struct t1s_config *c, struct t1s_progress *ret, struct t1s_error *e)
{
	struct t1s_progress p = {
		.workloads = c->workloads_count, .repeats_max = most_repeats(s, c)};
	struct reading rd = {.p = &p, .s = s, .c = c};
	char folder[PATH_MAX], path[PATH_MAX];
	int64_t r;

	t1s_row_init(&p.reference);
	p.runs = calloc((size_t)p.workloads * p.repeats_max + 1, sizeof(*p.runs));
	if (!p.runs)
		return t1s_error_set(e, ENOMEM, "out of memory");
	if (t1s_results_folder(root, s->sweep_id, folder) < 0 ||
		t1s_path(path, folder, "/results.csv") < 0) {
		t1s_progress_done(&p);
		return t1s_error_set(e, ENAMETOOLONG, "path too long: %s", root);
	}
	r = t1s_results_read(path, note_row, &rd, e);
	if (r < 0 && r != -ENOENT) {
		t1s_progress_done(&p);
		return (int)r;
	}
	if (find_wanted(&p, s, c) < 0) {
		t1s_progress_done(&p);
		return t1s_error_set(e, ENOMEM, "out of memory");
	}
	*ret = p;
	return 0;
}

bool t1s_progress_direction_done(
	const struct t1s_progress_run *run, enum t1s_direction direction)
{
	return run->done[direction == T1S_DIRECTION_SEND];
}

bool t1s_progress_run_done(
	const struct t1s_progress_run *run, const struct t1s_workload *w)
{
	if (w->direction == T1S_DIRECTION_BOTH)
		return run->done[T1S_DIRECTION_RECEIVE] && run->done[T1S_DIRECTION_SEND];
	return t1s_progress_direction_done(run, w->direction);
}

unsigned int t1s_progress_done_runs(
	const struct t1s_progress *p, const struct t1s_config *c)
{
	unsigned int n = 0;

	while (n < p->repeats_max &&
		t1s_progress_run_done(t1s_progress_run(p, 0, n + 1), &c->workloads[0]))
		n++;
	return n;
}

bool t1s_progress_complete(const struct t1s_progress *p, const struct t1s_config *c)
{
	for (unsigned int w = 0; w < c->workloads_count; w++)
		for (unsigned int i = 1; i <= p->wanted[w]; i++)
			if (!t1s_progress_run_done(
				    t1s_progress_run(p, w, i), &c->workloads[w]))
				return false;
	return true;
}

double t1s_progress_median(const struct t1s_progress *p, size_t point)
{
	struct t1s_values v = {0};
	double median;
	int r = 0;

	for (size_t i = 0; r == 0 && i < p->samples_count; i++)
		if (p->samples[i].point == point)
			r = t1s_values_add(&v, p->samples[i].mbit_s);
	t1s_values_sort(&v);
	median = r < 0 ? NAN : t1s_values_median(&v);
	t1s_values_done(&v);
	return median;
}

bool t1s_progress_collapsed(const struct t1s_progress *p, const struct t1s_state *s,
	const struct t1s_config *c)
{
	const unsigned int pass = s->plan.points[s->point].pass;
	unsigned int low = 0;
	double best = 0;

	if (t1s_search_is_on(s) || c->collapse_below <= 0 ||
		c->order != T1S_ORDER_DESCENDING || pass == 0)
		return false;
	for (size_t i = 0; i < s->plan.count; i++) {
		double m = t1s_progress_median(p, i);

		if (m > best)
			best = m;
	}
	for (size_t i = s->point + 1; i-- > 0 && s->plan.points[i].pass == pass;) {
		double m = t1s_progress_median(p, i);

		/* where nothing ever came through, zero is a collapse too */
		if (isnan(m) || (best > 0 ? m >= c->collapse_below * best : m > 0))
			break;
		low++;
	}
	return low >= c->collapse_points;
}
