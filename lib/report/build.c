/* SPDX-License-Identifier: MIT */
#include "report/report.h"

#include "base/cleanup.h"
#include "base/log.h"
#include "base/text.h"
#include "base/values.h"
#include "board/chips.h"
#include "board/spi.h"
#include "link/wire.h"
#include "report/judge.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* What a row says about its point. */
struct sample {
	uint32_t freq_hz, sclk_hz;
	bool counts;
	double received_mbit_s; /* if it counts */
	double lost_percent, jitter_ms, offered_mbit_s, asked_mbit_s;
};

/* The rows as they come. */
struct collection {
	const struct t1s_config *config;
	const char *controller;
	const struct t1s_chip *chip; /* NULL: not known */
	struct t1s_report *r;
	struct t1s_error *e;
	struct sample *samples;
	size_t count, room;
	struct t1s_values opening, closing;
	struct t1s_values
		first_pass; /* at the original: the opening if there is no other */
	bool tcp;
	struct t1s_row reference; /* what was measured on so far */
	char audited_boot[sizeof(((struct t1s_row *)0)->boot_id)];
};

static void collection_done(struct collection *c)
{
	free(c->samples);
	t1s_values_done(&c->opening);
	t1s_values_done(&c->first_pass);
	t1s_values_done(&c->closing);
}

void t1s_report_done(struct t1s_report *r)
{
	for (size_t i = 0; i < r->count; i++)
		free(r->points[i].samples);
	free(r->points);
	free(r->not_monotonic_hz);
	*r = (struct t1s_report){0};
}

/* Copies text of a file so that it can be shown on any terminal and stands in JSON. */
static void copy_text(char *ret, size_t size, const char *text)
{
	(void)snprintf(ret, size, "%s", text);
	t1s_printable(ret);
}

static void begin(struct collection *c, const struct t1s_row *row)
{
	const struct t1s_workload *w = &c->config->workloads[0];
	struct t1s_report *r = c->r;

	c->chip = t1s_chip_find(
		row->compatible[0] ? row->compatible : c->config->match.compatible);
	r->clock_synchronised = -1;
	copy_text(r->sweep_id, sizeof(r->sweep_id), row->sweep_id);
	copy_text(r->overlay, sizeof(r->overlay), row->overlay);
	copy_text(r->workload, sizeof(r->workload), row->workload);
	copy_text(r->first_timestamp, sizeof(r->first_timestamp), row->timestamp);
	r->original_hz = row->original_hz > 0 && row->original_hz <= UINT32_MAX
				 ? (uint32_t)row->original_hz
				 : row->spi_requested_hz;
	r->length_bytes = row->length_bytes > 0 && row->length_bytes <= UINT32_MAX
				  ? (uint32_t)row->length_bytes
				  : w->length_bytes;
	/* A row with a UDP target is a UDP row. */
	if (row->protocol[0])
		c->tcp = strcmp(row->protocol, t1s_protocol_name(T1S_PROTOCOL_TCP)) == 0;
	else
		c->tcp = !row->udp_target[0] && w->protocol == T1S_PROTOCOL_TCP;
}

static double asked_mbit_s(const struct collection *c, const struct t1s_row *row)
{
	uint64_t bps;

	if (row->udp_target[0] == '\0' || t1s_parse_si(row->udp_target, NULL, &bps) < 0)
		bps = c->config->workloads[0].rate_bps;
	return bps > 0 ? (double)bps / 1e6 : NAN;
}

static uint32_t sclk_of(const struct collection *c, const struct t1s_row *row)
{
	if (row->sclk_predicted_hz > 0 && row->sclk_predicted_hz <= UINT32_MAX)
		return (uint32_t)row->sclk_predicted_hz;
	if (!c->controller)
		return 0;
	return t1s_spi_sclk_hz(
		c->controller, c->config->spi_clk_hz, row->spi_requested_hz);
}

static double counted_rate(const struct t1s_row *row)
{
	switch (row->status) {
	case T1S_RUN_OK:
		return row->received_mbit_s;
	case T1S_RUN_NO_DATA:
	case T1S_RUN_NO_LINK:
		return 0;
	case T1S_RUN_DRIVER_DEAD:
		return row->attempt >= 2 ? 0 : NAN;
	default:
		return NAN;
	}
}

static struct sample sample_of(const struct collection *c, const struct t1s_row *row)
{
	const double rate = counted_rate(row);
	const bool ok = row->status == T1S_RUN_OK;

	return (struct sample){
		.freq_hz = row->spi_requested_hz,
		.sclk_hz = sclk_of(c, row),
		.counts = !isnan(rate),
		.received_mbit_s = rate,
		.lost_percent = ok ? row->lost_percent : NAN,
		.jitter_ms = ok ? row->jitter_ms : NAN,
		.offered_mbit_s = ok ? row->offered_mbit_s : NAN,
		.asked_mbit_s = asked_mbit_s(c, row),
	};
}

static int keep(struct collection *c, const struct sample *s)
{
	if (c->count == c->room) {
		const size_t room = c->room ? c->room * 2 : 64;
		struct sample *grown = reallocarray(c->samples, room, sizeof(*grown));

		if (!grown)
			return -ENOMEM;
		c->samples = grown;
		c->room = room;
	}
	c->samples[c->count++] = *s;
	return 0;
}

static int refuse_second_sweep(const struct collection *c, const struct t1s_row *row)
{
	char other[T1S_SWEEP_ID_MAX];

	copy_text(other, sizeof(other), row->sweep_id);
	return t1s_error_set(c->e, ENOTUNIQ,
		"row %lld is of sweep \"%s\", the rows before it are of \"%s\"; a report "
		"is about one sweep: split the file by its column sweep_id",
		(long long)c->r->rows, other, c->r->sweep_id);
}

/* Once in each boot, by its first row that holds a measurement: that knows most. */
static void audit(struct collection *c, const struct t1s_row *row)
{
	char unlike[T1S_AUDIT_TEXT_MAX];

	if (row->status != T1S_RUN_OK || strcmp(row->boot_id, c->audited_boot) == 0)
		return;
	memcpy(c->audited_boot, row->boot_id, sizeof(c->audited_boot));
	if (t1s_audit_compare(&c->reference, row, unlike) > 0 &&
		c->r->unlike_boots++ == 0)
		copy_text(c->r->unlike, sizeof(c->r->unlike), unlike);
	t1s_audit_learn(&c->reference, row);
}

static int take_row(const struct t1s_row *row, void *data)
{
	struct collection *c = data;
	struct t1s_report *r = c->r;
	char text[T1S_NAME_MAX];
	struct sample s;
	int q;

	if (++r->rows > T1S_REPORT_ROWS_MAX)
		return t1s_error_set(c->e, E2BIG, "more than %ld rows in one file",
			T1S_REPORT_ROWS_MAX);
	if (r->rows == 1)
		begin(c, row);
	copy_text(text, sizeof(text), row->sweep_id);
	if (strcmp(text, r->sweep_id) != 0)
		return refuse_second_sweep(c, row);
	audit(c, row);
	copy_text(text, sizeof(text), row->workload);
	if (strcmp(text, r->workload) != 0) {
		r->other_rows++;
		return 0;
	}
	copy_text(r->last_timestamp, sizeof(r->last_timestamp), row->timestamp);
	if (row->clock_synchronised >= 0 && r->clock_synchronised != 0)
		r->clock_synchronised = row->clock_synchronised > 0;
	s = sample_of(c, row);
	if (row->pass == 0 && row->point == 1)
		return t1s_values_add(&c->opening, s.received_mbit_s);
	if (row->pass == 0) {
		r->closing_runs++;
		return t1s_values_add(&c->closing, s.received_mbit_s);
	}
	if (s.freq_hz == r->original_hz && (row->pass == 1 || row->pass < 0)) {
		q = t1s_values_add(&c->first_pass, s.received_mbit_s);
		if (q < 0)
			return q;
	}
	return keep(c, &s);
}

static int by_falling_frequency(const void *a, const void *b)
{
	const struct sample *x = a, *y = b;

	return (x->freq_hz < y->freq_hz) - (x->freq_hz > y->freq_hz);
}

typedef double (*member_fn)(const struct sample *s);

static double lost_of(const struct sample *s)
{
	return s->lost_percent;
}

static double jitter_of(const struct sample *s)
{
	return s->jitter_ms;
}

static double offered_of(const struct sample *s)
{
	return s->offered_mbit_s;
}

static double asked_of(const struct sample *s)
{
	return s->asked_mbit_s;
}

static int median_of(const struct sample *s, size_t n, member_fn member, double *ret)
{
	cleanup_(t1s_values_done) struct t1s_values v = {0};

	for (size_t i = 0; i < n; i++) {
		const int r = t1s_values_add(&v, member(&s[i]));

		if (r < 0)
			return r;
	}
	t1s_values_sort(&v);
	*ret = t1s_values_median(&v);
	return 0;
}

/* The received rates; the point takes them over as its samples. */
static int point_rates(struct t1s_report_point *p, const struct sample *s, size_t n)
{
	cleanup_(t1s_values_done) struct t1s_values v = {0};

	for (size_t i = 0; i < n; i++) {
		const int r = s[i].counts ? t1s_values_add(&v, s[i].received_mbit_s) : 0;

		if (r < 0)
			return r;
		p->failed += s[i].counts ? 0U : 1U;
		if (s[i].sclk_hz)
			p->sclk_predicted_hz = s[i].sclk_hz;
	}
	t1s_values_sort(&v);
	p->runs = (unsigned int)v.count;
	p->received_mbit_s = t1s_values_median(&v);
	p->received_min = t1s_values_min(&v);
	p->received_max = t1s_values_max(&v);
	p->samples = t1s_steal(v.v);
	return 0;
}

static double ceiling_mbit_s(const struct collection *c, uint32_t sclk_hz)
{
	double bps = c->chip && !c->tcp ? t1s_spi_ceiling_bps(&c->chip->framing, sclk_hz,
						  c->r->length_bytes)
					: 0;

	return bps > 0 ? bps / 1e6 : NAN;
}

static int make_point(const struct collection *c, struct t1s_report_point *p,
	const struct sample *s, size_t n)
{
	int r;

	*p = (struct t1s_report_point){.spi_requested_hz = s->freq_hz};
	r = point_rates(p, s, n);
	if (r >= 0)
		r = median_of(s, n, lost_of, &p->lost_percent);
	if (r >= 0)
		r = median_of(s, n, jitter_of, &p->jitter_ms);
	if (r >= 0)
		r = median_of(s, n, offered_of, &p->offered_mbit_s);
	if (r >= 0)
		r = median_of(s, n, asked_of, &p->asked_mbit_s);
	p->spi_ceiling_mbit_s = ceiling_mbit_s(c, p->sclk_predicted_hz);
	return r;
}

static size_t count_frequencies(const struct collection *c)
{
	size_t n = 0;

	for (size_t i = 0; i < c->count; i++)
		n += i == 0 || c->samples[i].freq_hz != c->samples[i - 1].freq_hz;
	return n;
}

static int make_points(struct collection *c)
{
	struct t1s_report *r = c->r;
	size_t n;

	if (c->count == 0)
		return 0;
	qsort(c->samples, c->count, sizeof(*c->samples), by_falling_frequency);
	n = count_frequencies(c);
	if (n > T1S_REPORT_POINTS_MAX)
		return t1s_error_set(c->e, E2BIG, "%zu different frequencies; at most %d",
			n, T1S_REPORT_POINTS_MAX);
	r->points = calloc(n, sizeof(*r->points));
	if (!r->points)
		return -ENOMEM;
	for (size_t i = 0, end; i < c->count; i = end) {
		int q;

		end = i + 1;
		while (end < c->count && c->samples[end].freq_hz == c->samples[i].freq_hz)
			end++;
		q = make_point(c, &r->points[r->count++], &c->samples[i], end - i);
		if (q < 0)
			return q;
	}
	return 0;
}

static void set_comparison(struct collection *c)
{
	const struct t1s_config *config = c->config;
	struct t1s_config defaults;
	struct t1s_report *r = c->r;

	/* A sweep that goes on below the collapse line has points to be named by it. */
	t1s_config_defaults(&defaults);
	r->full_share = config->full_share;
	r->severe_share = config->severe_share;
	r->collapse_share = config->collapse_below > 0 ? config->collapse_below
						       : defaults.collapse_below;
	r->wire_limit_mbit_s =
		c->tcp || config->link_rate_bps <= 0
			? NAN
			: t1s_wire_limit_udp_bps(config->link_rate_bps, r->length_bytes,
				  config->plca_overhead_bits, 0) /
				  1e6;
	if (c->chip)
		r->specified_min_hz = c->chip->min_hz;
	t1s_values_sort(&c->opening);
	t1s_values_sort(&c->first_pass);
	t1s_values_sort(&c->closing);
	r->opening_mbit_s =
		t1s_values_median(c->opening.count > 0 ? &c->opening : &c->first_pass);
	r->closing_mbit_s = t1s_values_median(&c->closing);
}

int t1s_report_build(const char *results_path, const struct t1s_config *c,
	const char *controller, struct t1s_report *ret, struct t1s_error *e)
{
	cleanup_(t1s_report_done) struct t1s_report report = {0};
	cleanup_(collection_done) struct collection all = {
		.config = c, .controller = controller, .r = &report, .e = e};
	int64_t rows;
	int r;

	t1s_row_init(&all.reference);
	rows = t1s_results_read(results_path, take_row, &all, e);
	if (rows < 0)
		return (int)rows;
	if (rows == 0)
		return t1s_error_set(e, ENODATA,
			"%s: no row yet; the first is written when the first point has "
			"been measured",
			results_path);
	set_comparison(&all);
	r = make_points(&all);
	if (r >= 0)
		r = t1s_report_judge(&report);
	if (r < 0)
		return r;
	*ret = report;
	report = (struct t1s_report){0};
	return 0;
}
