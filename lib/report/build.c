/* SPDX-License-Identifier: MIT */
#include "report/report.h"

#include "base/cleanup.h"
#include "base/log.h"
#include "board/chips.h"
#include "board/spi.h"
#include "link/wire.h"
#include "report/bound.h"
#include "report/gather.h"
#include "report/judge.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static void report_done(struct t1s_report *r)
{
	for (size_t i = 0; i < r->count; i++)
		free(r->points[i].samples);
	free(r->points);
	free(r->not_monotonic_hz);
	free(r->undecided_hz);
}

/* Releases the reports from @first on. */
static void cut(struct t1s_report_list *l, size_t first)
{
	while (l->count > first)
		report_done(&l->reports[--l->count]);
}

void t1s_report_list_done(struct t1s_report_list *l)
{
	cut(l, 0);
	free(l->reports);
	*l = (struct t1s_report_list){0};
}

static bool is_of(const struct t1s_report *r, const char *workload)
{
	return strcmp(r->workload, workload) == 0;
}

static int no_such_workload(
	const struct t1s_report_list *l, const char *workload, struct t1s_error *e)
{
	struct t1s_error found = {{0}};

	for (size_t i = 0; i < l->count; i++) {
		const struct t1s_report *r = &l->reports[i];
		bool told = !r->workload[0];

		for (size_t k = 0; k < i && !told; k++)
			told = is_of(&l->reports[k], r->workload);
		if (!told)
			(void)t1s_error_set(&found, ENODATA, "%s%s%s", found.text,
				found.text[0] ? ", " : "", r->workload);
	}
	return t1s_error_set(e, ENODATA,
		"no workload \"%s\" in these results, which hold: %.500s", workload,
		found.text[0] ? found.text : "one without a name");
}

int t1s_report_keep_workload(
	struct t1s_report_list *l, const char *workload, struct t1s_error *e)
{
	size_t kept = 0;

	for (size_t i = 0; i < l->count; i++)
		kept += is_of(&l->reports[i], workload);
	if (kept == 0)
		return no_such_workload(l, workload, e);
	kept = 0;
	for (size_t i = 0; i < l->count; i++) {
		if (is_of(&l->reports[i], workload))
			l->reports[kept++] = l->reports[i];
		else
			report_done(&l->reports[i]);
	}
	l->count = kept;
	return 0;
}

static int by_falling_frequency(const void *a, const void *b)
{
	const struct t1s_gathered_point *x = a, *y = b;

	return (x->freq_hz < y->freq_hz) - (x->freq_hz > y->freq_hz);
}

/* Of the runs, or of as many as are told, spread evenly over the order of measuring. */
static int keep_samples(struct t1s_report_point *p, const struct t1s_values *runs)
{
	const size_t step =
		(runs->count + T1S_REPORT_SAMPLES_MAX - 1) / T1S_REPORT_SAMPLES_MAX;
	struct t1s_values kept = {0};

	for (size_t i = 0; i < runs->count; i += step) {
		const int r = t1s_values_add(&kept, runs->v[i]);

		if (r < 0) {
			t1s_values_done(&kept);
			return r;
		}
	}
	t1s_values_sort(&kept);
	p->samples = kept.v;
	p->samples_count = kept.count;
	return 0;
}

static void set_range(struct t1s_report_point *p, const struct t1s_values *runs)
{
	p->received_min = p->received_max = runs->count > 0 ? runs->v[0] : NAN;
	for (size_t i = 1; i < runs->count; i++) {
		if (runs->v[i] < p->received_min)
			p->received_min = runs->v[i];
		if (runs->v[i] > p->received_max)
			p->received_max = runs->v[i];
	}
}

static double ceiling_mbit_s(
	const struct t1s_report *r, const struct t1s_chip *chip, uint32_t sclk_hz)
{
	double bps = 0;

	if (chip && strcmp(r->protocol, "udp") == 0)
		bps = t1s_spi_ceiling_bps(&chip->framing, sclk_hz, r->length_bytes);
	else if (chip && strcmp(r->protocol, "tcp") == 0)
		bps = t1s_spi_ceiling_tcp_bps(&chip->framing, sclk_hz);
	return bps > 0 ? bps / 1e6 : NAN;
}

static int make_point(const struct t1s_report *r, const struct t1s_chip *chip,
	struct t1s_gathered_point *g, struct t1s_report_point *p)
{
	*p = (struct t1s_report_point){
		.spi_requested_hz = g->freq_hz,
		.sclk_predicted_hz = g->sclk_hz,
		.runs = (unsigned int)g->received.count,
		.failed = g->failed,
		.asked_mbit_s = g->asked_mbit_s,
		.received_interval = t1s_values_interval(&g->received),
		.lost_percent = t1s_values_select_median(&g->lost),
		.jitter_ms = t1s_values_select_median(&g->jitter),
		.offered_mbit_s = t1s_values_select_median(&g->offered),
		.cpu_core_percent = t1s_values_select_median(&g->cpu),
		.spi_ceiling_mbit_s = ceiling_mbit_s(r, chip, g->sclk_hz),
	};
	for (size_t i = 0; i < T1S_MEANS; i++)
		p->means[i] = g->means[i].rows
				      ? g->means[i].sum / (double)g->means[i].rows
				      : NAN;
	set_range(p, &g->received);
	if (keep_samples(p, &g->received) < 0)
		return -ENOMEM;
	p->received_mbit_s =
		t1s_values_select_median(&g->received); /* changes the order */
	return 0;
}

static int make_points(
	struct t1s_gathered_series *s, const struct t1s_chip *chip, struct t1s_report *r)
{
	if (s->count == 0)
		return 0;
	qsort(s->points, s->count, sizeof(*s->points), by_falling_frequency);
	r->points = calloc(s->count, sizeof(*r->points));
	if (!r->points)
		return -ENOMEM;
	for (size_t i = 0; i < s->count; i++) {
		const int q = make_point(r, chip, &s->points[i], &r->points[r->count++]);

		if (q < 0)
			return q;
	}
	return 0;
}

/* Payload that the wire carries at most; NaN where there is no model. */
static double wire_limit_mbit_s(const struct t1s_report *r)
{
	const double link_bps = r->link_rate_mbit_s * 1e6;
	const uint32_t plca = r->plca_overhead_bits;
	double bps = NAN;

	if (strcmp(r->protocol, "udp") == 0)
		bps = t1s_wire_limit_udp_bps(link_bps, r->length_bytes, plca, 0);
	else if (strcmp(r->protocol, "tcp") == 0)
		bps = t1s_wire_limit_tcp_bps(
			link_bps, plca, 0, plca > 0 ? T1S_TCP_SEGMENTS_PER_ACK : 0);
	else if (strcmp(r->protocol, "frames") == 0)
		bps = 8.0 * r->length_bytes *
		      t1s_wire_frames_per_s(link_bps, r->length_bytes, plca, 0);
	return bps > 0 ? bps / 1e6 : NAN;
}

/* The configuration's link is that of the configured chip; the rows may be of another. */
static void set_link(
	const struct t1s_config *c, const struct t1s_chip *chip, struct t1s_report *r)
{
	const struct t1s_chip *configured = t1s_chip_find(c->match.compatible);
	const bool other =
		chip && (!configured || strcmp(chip->name, configured->name) != 0);

	r->link_rate_mbit_s = (other ? chip->link_rate_bps : c->link_rate_bps) / 1e6;
	r->plca_overhead_bits = other ? chip->plca_overhead_bits : c->plca_overhead_bits;
}

static void set_comparison(
	const struct t1s_config *c, const struct t1s_chip *chip, struct t1s_report *r)
{
	struct t1s_config defaults;

	/* A sweep that goes on below the collapse line has points to be named by it. */
	t1s_config_defaults(&defaults);
	r->full_share = c->full_share;
	r->severe_share = c->severe_share;
	r->collapse_share =
		c->collapse_below > 0 ? c->collapse_below : defaults.collapse_below;
	set_link(c, chip, r);
	r->wire_limit_mbit_s = wire_limit_mbit_s(r);
}

static void set_baselines(struct t1s_gathered_series *s, struct t1s_report *r)
{
	r->opening_mbit_s = t1s_values_select_median(
		s->opening.count > 0 ? &s->opening : &s->first_pass);
	r->closing_mbit_s = t1s_values_select_median(&s->closing);
}

static int make_report(
	const struct t1s_config *c, struct t1s_gathered_series *s, struct t1s_report *r)
{
	const struct t1s_chip *chip = t1s_chip_find(s->compatible);
	int q;

	*r = s->head;
	r->specified_min_hz = chip ? chip->min_hz : 0;
	set_comparison(c, chip, r);
	set_baselines(s, r);
	q = make_points(s, chip, r);
	if (q < 0)
		return q;
	t1s_printable(r->last_timestamp);
	return t1s_report_judge(r);
}

/* The same workload the other way; NULL: there is none. */
static const struct t1s_report *other_way(
	const struct t1s_report_list *l, const struct t1s_report *r)
{
	for (size_t i = 0; i < l->count; i++) {
		const struct t1s_report *o = &l->reports[i];

		if (o != r && o->file == r->file && strcmp(o->workload, r->workload) == 0)
			return o;
	}
	return NULL;
}

/* "results.csv" says nothing: then the folder's name. */
static void name_file(struct t1s_report *r, const char *path)
{
	const char *last = strrchr(path, '/');
	const char *begin = last ? last + 1 : path;
	size_t n = strlen(begin);

	if (last && last > path && strcmp(begin, "results.csv") == 0) {
		begin = memrchr(path, '/', (size_t)(last - path));
		begin = begin ? begin + 1 : path;
		n = (size_t)(last - begin);
	}
	if (r->sweep_id[0])
		(void)snprintf(r->file_name, sizeof(r->file_name), "%s", r->sweep_id);
	else
		(void)snprintf(r->file_name, sizeof(r->file_name), "%.*s", (int)n, begin);
	t1s_printable(r->file_name);
}

static int make_reports(struct t1s_report_list *l, struct t1s_gathered *g,
	const struct t1s_config *c, const char *path)
{
	const size_t first = l->count;
	struct t1s_report *grown =
		reallocarray(l->reports, l->count + g->count, sizeof(*grown));

	if (!grown)
		return -ENOMEM;
	l->reports = grown;
	for (size_t i = 0; i < g->count; i++) {
		struct t1s_report *report = &l->reports[l->count++];
		const int r = make_report(c, &g->series[i], report);

		if (r < 0)
			return r;
		report->file = l->files;
		name_file(report, path);
	}
	for (size_t i = first; i < l->count; i++)
		t1s_report_bound(&l->reports[i], other_way(l, &l->reports[i]));
	l->files++;
	return 0;
}

int t1s_report_add(struct t1s_report_list *l, const char *results_path,
	const struct t1s_config *c, const char *controller, struct t1s_error *e)
{
	cleanup_(t1s_gathered_done) struct t1s_gathered g = {0};
	const size_t first = l->count;
	int r;

	if (l->files == T1S_REPORT_FILES_MAX)
		return t1s_error_set(
			e, E2BIG, "more than %d files at once", T1S_REPORT_FILES_MAX);
	r = t1s_gather(results_path, c, controller, &g, e);
	if (r == 0)
		r = make_reports(l, &g, c, results_path);
	if (r < 0)
		cut(l, first);
	return r;
}
