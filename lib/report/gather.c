/* SPDX-License-Identifier: MIT */
#include "report/gather.h"

#include "base/cleanup.h"
#include "base/log.h"
#include "base/text.h"
#include "board/spi.h"
#include "report/conditions.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The rows as they come. */
struct gathering {
	const struct t1s_config *config;
	const char *controller;
	struct t1s_gathered *g;
	struct t1s_error *error;
	char sweep_id[T1S_SWEEP_ID_MAX]; /* as in the file */
	uint32_t original_hz;
	int64_t rows, other_rows;
	struct t1s_row reference; /* what was measured on so far */
	char audited_boot[sizeof(((struct t1s_row *)0)->boot_id)];
	unsigned int unlike_boots;
	char unlike[T1S_AUDIT_TEXT_MAX];
	size_t last; /* series of the row before */
};

/* The rows of a file are many, and mostly say what the row before said. */
static bool same(const char *a, const char *b)
{
	return a[0] == b[0] && (a[0] == '\0' || strcmp(a, b) == 0);
}

/* Text of a file so that it can be shown on any terminal and stands in JSON. */
static void copy_text(char *ret, size_t size, const char *text)
{
	(void)snprintf(ret, size, "%s", text);
	t1s_printable(ret);
}

static const struct t1s_workload *workload_of(
	const struct t1s_config *c, const struct t1s_row *row)
{
	for (unsigned int i = 0; i < c->workloads_count; i++)
		if (strcmp(c->workloads[i].name, row->workload) == 0)
			return &c->workloads[i];
	return &c->workloads[0];
}

static uint32_t known_hz(int64_t hz)
{
	return hz > 0 && hz <= UINT32_MAX ? (uint32_t)hz : 0;
}

/* A row with a UDP target is a UDP row. */
static const char *protocol_of(const struct t1s_row *row, const struct t1s_workload *w)
{
	if (row->protocol[0])
		return row->protocol;
	return t1s_protocol_name(row->udp_target[0] ? T1S_PROTOCOL_UDP : w->protocol);
}

static void begin_series(const struct gathering *g, const struct t1s_row *row,
	struct t1s_gathered_series *s)
{
	const struct t1s_workload *w = workload_of(g->config, row);
	struct t1s_report *r = &s->head;
	/* the first one's rate is nothing to a workload of another name */
	const bool known_rate =
		w->rate_bps > 0 &&
		(row->workload[0] == '\0' || strcmp(w->name, row->workload) == 0);

	*s = (struct t1s_gathered_series){
		.configured_mbit_s = known_rate ? (double)w->rate_bps / 1e6 : NAN};
	s->rate_mbit_s = s->configured_mbit_s;
	(void)snprintf(s->compatible, sizeof(s->compatible), "%s",
		row->compatible[0] ? row->compatible : g->config->match.compatible);
	(void)snprintf(s->workload, sizeof(s->workload), "%s", row->workload);
	(void)snprintf(s->direction, sizeof(s->direction), "%s", row->direction);
	copy_text(r->sweep_id, sizeof(r->sweep_id), row->sweep_id);
	copy_text(r->host, sizeof(r->host), row->receiver_host);
	copy_text(r->overlay, sizeof(r->overlay), row->overlay);
	copy_text(r->workload, sizeof(r->workload), row->workload);
	copy_text(r->direction, sizeof(r->direction), row->direction);
	copy_text(r->protocol, sizeof(r->protocol), protocol_of(row, w));
	copy_text(r->first_timestamp, sizeof(r->first_timestamp), row->timestamp);
	r->clock_synchronised = -1;
	r->seed = -1;
	r->temperature_min_c = r->temperature_max_c = NAN;
	r->original_hz = g->original_hz;
	r->length_bytes = known_hz(row->length_bytes);
	if (r->length_bytes == 0)
		r->length_bytes = w->length_bytes;
}

static int add_series(struct gathering *g, const struct t1s_row *row, size_t *ret)
{
	struct t1s_gathered *all = g->g;
	struct t1s_gathered_series *grown =
		reallocarray(all->series, all->count + 1, sizeof(*grown));
	struct t1s_gathered_series *s;

	if (!grown)
		return -ENOMEM;
	all->series = grown;
	s = &grown[all->count];
	begin_series(g, row, s);
	if (t1s_gathered_index(s) < 0)
		return -ENOMEM;
	*ret = all->count++;
	return 0;
}

/* NULL in @ret: one too many. */
static int find_series(
	struct gathering *g, const struct t1s_row *row, struct t1s_gathered_series **ret)
{
	const size_t count = g->g->count;

	for (size_t i = 0, at = g->last; i < count; i++, at = (at + 1) % count) {
		struct t1s_gathered_series *s = &g->g->series[at];

		if (same(s->workload, row->workload) &&
			same(s->direction, row->direction)) {
			g->last = at;
			*ret = s;
			return 0;
		}
	}
	*ret = NULL;
	if (count == T1S_REPORT_SERIES_MAX)
		return 0;
	if (add_series(g, row, &g->last) < 0)
		return -ENOMEM;
	*ret = &g->g->series[g->last];
	return 0;
}

static uint32_t sclk_of(const struct gathering *g, const struct t1s_row *row)
{
	const uint32_t predicted = known_hz(row->sclk_predicted_hz);

	if (predicted || !g->controller)
		return predicted;
	return t1s_spi_sclk_hz(
		g->controller, g->config->spi_clk_hz, row->spi_requested_hz);
}

static void take_rate_text(struct t1s_gathered_series *s, const char *text)
{
	uint64_t bps;

	if (same(s->rate_text, text))
		return;
	(void)snprintf(s->rate_text, sizeof(s->rate_text), "%s", text);
	s->rate_mbit_s = t1s_parse_si(text, NULL, &bps) == 0 && bps > 0
				 ? (double)bps / 1e6
				 : s->configured_mbit_s;
}

/* NaN: the row does not count. */
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

static void add_mean(struct t1s_gathered_point *p, enum t1s_mean m, double value)
{
	if (isnan(value))
		return;
	p->means[m].sum += value;
	p->means[m].rows++;
}

static double known(int64_t count)
{
	return count < 0 ? NAN : (double)count;
}

static void take_counters(struct t1s_gathered_point *p, const struct t1s_row *row)
{
	add_mean(p, T1S_MEAN_CPU_BUSY, row->cpu_busy_percent);
	add_mean(p, T1S_MEAN_CPU_SYSTEM, row->cpu_system_percent);
	add_mean(p, T1S_MEAN_CPU_SOFTIRQ, row->cpu_softirq_percent);
	add_mean(p, T1S_MEAN_RX_DROPPED, known(row->iface_rx_dropped));
	add_mean(p, T1S_MEAN_SOFTNET_DROPPED, known(row->softnet_dropped));
	add_mean(p, T1S_MEAN_SPI_ERRORS,
		known(row->spi_errors) +
			(double)(row->spi_timedout > 0 ? row->spi_timedout : 0));
	if (row->span_s > 0) {
		add_mean(p, T1S_MEAN_IRQ_SPI, known(row->irq_spi) / row->span_s);
		add_mean(p, T1S_MEAN_IRQ_MAC, known(row->irq_mac) / row->span_s);
	}
}

static int take_run(struct t1s_gathered_point *p, const struct t1s_row *row, double rate)
{
	int r = 0;

	if (isnan(rate))
		p->failed++;
	else
		r = t1s_values_add(&p->received, rate);
	if (row->status != T1S_RUN_OK)
		return r;
	r = r < 0 ? r : t1s_values_add(&p->lost, row->lost_percent);
	r = r < 0 ? r : t1s_values_add(&p->jitter, row->jitter_ms);
	r = r < 0 ? r : t1s_values_add(&p->offered, row->offered_mbit_s);
	r = r < 0 ? r : t1s_values_add(&p->cpu, row->cpu_core_percent);
	add_mean(p, T1S_MEAN_LOST_PACKETS, known(row->lost_packets));
	if (!isnan(row->span_s) || !isnan(row->cpu_busy_percent))
		take_counters(p, row);
	return r;
}

static void take_surroundings(struct t1s_gathered_series *s, const struct t1s_row *row)
{
	struct t1s_report *r = &s->head;

	memcpy(r->last_timestamp, row->timestamp, sizeof(r->last_timestamp));
	if (row->clock_synchronised >= 0 && r->clock_synchronised != 0)
		r->clock_synchronised = row->clock_synchronised > 0;
	if (row->pass > r->passes)
		r->passes = row->pass;
	if (row->seed >= 0)
		r->seed = row->seed;
	if (!isnan(row->temperature_c)) {
		r->temperature_min_c = fmin(r->temperature_min_c, row->temperature_c);
		r->temperature_max_c = fmax(r->temperature_max_c, row->temperature_c);
	}
	if (!same(row->boot_id, s->boot_id)) {
		memcpy(s->boot_id, row->boot_id, sizeof(s->boot_id));
		r->boots++;
		s->told = false;
	}
	if (s->told)
		return;
	/* a row that holds a measurement knows most */
	t1s_conditions_take(r, row);
	s->told = row->status == T1S_RUN_OK;
}

static int take_point_row(const struct gathering *g, struct t1s_gathered_series *s,
	const struct t1s_row *row, double rate)
{
	struct t1s_gathered_point *p;
	int r;

	if (row->spi_requested_hz == s->head.original_hz &&
		(row->pass == 1 || row->pass < 0)) {
		r = t1s_values_add(&s->first_pass, rate);
		if (r < 0)
			return r;
	}
	r = t1s_gathered_find(s, row->spi_requested_hz, &p);
	if (r == -E2BIG)
		return t1s_error_set(g->error, E2BIG,
			"more than %d different frequencies", T1S_REPORT_POINTS_MAX);
	if (r < 0)
		return r;
	take_rate_text(s, row->udp_target);
	p->asked_mbit_s = s->rate_mbit_s;
	if (p->sclk_hz == 0)
		p->sclk_hz = sclk_of(g, row);
	return take_run(p, row, rate);
}

static int refuse_second_sweep(const struct gathering *g, const struct t1s_row *row)
{
	char first[T1S_SWEEP_ID_MAX], other[T1S_SWEEP_ID_MAX];

	copy_text(first, sizeof(first), g->sweep_id);
	copy_text(other, sizeof(other), row->sweep_id);
	return t1s_error_set(g->error, ENOTUNIQ,
		"row %lld is of sweep \"%s\", the rows before it are of \"%s\"; a report "
		"is about one sweep: split the file by its column sweep_id",
		(long long)g->rows, other, first);
}

/* Once in each boot, by its first row that holds a measurement: that knows most. */
static void audit(struct gathering *g, const struct t1s_row *row)
{
	char unlike[T1S_AUDIT_TEXT_MAX];

	if (row->status != T1S_RUN_OK || same(row->boot_id, g->audited_boot))
		return;
	memcpy(g->audited_boot, row->boot_id, sizeof(g->audited_boot));
	if (t1s_audit_compare(&g->reference, row, unlike) > 0 && g->unlike_boots++ == 0)
		copy_text(g->unlike, sizeof(g->unlike), unlike);
	t1s_audit_learn(&g->reference, row);
}

static void begin_file(struct gathering *g, const struct t1s_row *row)
{
	memcpy(g->sweep_id, row->sweep_id, sizeof(g->sweep_id));
	g->original_hz = known_hz(row->original_hz);
	if (g->original_hz == 0)
		g->original_hz = row->spi_requested_hz;
}

static int take_row(const struct t1s_row *row, void *data)
{
	struct gathering *g = data;
	const double rate = counted_rate(row);
	struct t1s_gathered_series *s;
	int r;

	if (++g->rows > T1S_REPORT_ROWS_MAX)
		return t1s_error_set(g->error, E2BIG, "more than %ld rows in one file",
			T1S_REPORT_ROWS_MAX);
	if (g->rows == 1)
		begin_file(g, row);
	if (!same(row->sweep_id, g->sweep_id))
		return refuse_second_sweep(g, row);
	audit(g, row);
	r = find_series(g, row, &s);
	if (r < 0)
		return r;
	if (!s) {
		g->other_rows++;
		return 0;
	}
	take_surroundings(s, row);
	s->head.own_rows++;
	if (row->pass != 0)
		return take_point_row(g, s, row, rate);
	if (row->point == 1)
		return t1s_values_add(&s->opening, rate);
	s->head.closing_runs++;
	return t1s_values_add(&s->closing, rate);
}

#define MEMBER(m) offsetof(struct t1s_row, m)

static const size_t members[] = {
	MEMBER(timestamp),
	MEMBER(status),
	MEMBER(receiver_host),
	MEMBER(overlay),
	MEMBER(spi_requested_hz),
	MEMBER(udp_target),
	MEMBER(received_mbit_s),
	MEMBER(lost_percent),
	MEMBER(jitter_ms),
	MEMBER(lost_packets),
	MEMBER(sweep_id),
	MEMBER(point),
	MEMBER(pass),
	MEMBER(workload),
	MEMBER(protocol),
	MEMBER(direction),
	MEMBER(length_bytes),
	MEMBER(attempt),
	MEMBER(compatible),
	MEMBER(boot_id),
	MEMBER(original_hz),
	MEMBER(sclk_predicted_hz),
	MEMBER(offered_mbit_s),
	MEMBER(clock_synchronised),
	MEMBER(seed),
	MEMBER(temperature_c),
	MEMBER(span_s),
	MEMBER(cpu_busy_percent),
	MEMBER(cpu_system_percent),
	MEMBER(cpu_softirq_percent),
	MEMBER(cpu_core_percent),
	MEMBER(irq_spi),
	MEMBER(irq_mac),
	MEMBER(softnet_dropped),
	MEMBER(spi_errors),
	MEMBER(spi_timedout),
	MEMBER(iface_rx_dropped),
};

static int64_t read_rows(const char *path, struct gathering *g)
{
	const size_t own = T1S_ELEMENTSOF(members);
	const size_t audited = own + t1s_conditions_members_count;
	const size_t count = audited + t1s_audit_members(NULL);
	cleanup_free size_t *wanted = malloc(count * sizeof(*wanted));

	if (!wanted)
		return -ENOMEM;
	memcpy(wanted, members, sizeof(members));
	memcpy(wanted + own, t1s_conditions_members,
		t1s_conditions_members_count * sizeof(*wanted));
	(void)t1s_audit_members(wanted + audited);
	return t1s_results_read_some(path, wanted, count, take_row, g, g->error);
}

int t1s_gather(const char *results_path, const struct t1s_config *c,
	const char *controller, struct t1s_gathered *ret, struct t1s_error *e)
{
	cleanup_(t1s_gathered_done) struct t1s_gathered all = {0};
	struct gathering g = {
		.config = c, .controller = controller, .g = &all, .error = e};
	int64_t rows;

	t1s_row_init(&g.reference);
	rows = read_rows(results_path, &g);
	if (rows < 0)
		return (int)rows;
	if (rows == 0)
		return t1s_error_set(e, ENODATA,
			"%s: no row yet; the first is written when the first point has "
			"been measured",
			results_path);
	for (size_t i = 0; i < all.count; i++) {
		struct t1s_report *r = &all.series[i].head;

		r->rows = g.rows;
		r->other_rows = g.other_rows;
		r->unlike_boots = g.unlike_boots;
		memcpy(r->unlike, g.unlike, sizeof(r->unlike));
	}
	*ret = all;
	all = (struct t1s_gathered){0};
	return 0;
}
