/* SPDX-License-Identifier: MIT */
/*
 * OpenMetrics 1.0, for the textfile collector of Prometheus' node exporter. That one
 * reads the older text format, so only gauges are used, and no timestamps.
 */
#include "report/report.h"

#include "base/cleanup.h"
#include "base/text.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

#define PREFIX "t1s_sweep_"
#define MBIT (1e6 / 8) /* in bytes, the unit that Prometheus asks for */

static double known_hz(uint32_t hz)
{
	return hz > 0 ? (double)hz : (double)NAN;
}

/* Of a report, or of one of its points. NaN: not known, not told. */
struct metric {
	const char *name, *unit, *help; /* unit: "" */
	double (*of_report)(const struct t1s_report *r);
	double (*of_point)(const struct t1s_report_point *p);
};

#define REPORT_METRIC(function, expression)                                              \
	static double function(const struct t1s_report *r)                               \
	{                                                                                \
		return expression;                                                       \
	}
#define POINT_METRIC(function, expression)                                               \
	static double function(const struct t1s_report_point *p)                         \
	{                                                                                \
		return expression;                                                       \
	}

REPORT_METRIC(lowest_full, known_hz(r->lowest_full_hz))
REPORT_METRIC(original, known_hz(r->original_hz))
REPORT_METRIC(margin, r->margin)
REPORT_METRIC(best, r->best_mbit_s *MBIT)
REPORT_METRIC(wire_limit, r->wire_limit_mbit_s *MBIT)
REPORT_METRIC(drift, t1s_report_drift_percent(r) / 100)
REPORT_METRIC(rows, (double)r->own_rows)
POINT_METRIC(received, p->received_mbit_s *MBIT)
POINT_METRIC(offered, p->offered_mbit_s *MBIT)
POINT_METRIC(lost, p->lost_percent / 100)
POINT_METRIC(jitter, p->jitter_ms / 1e3)
POINT_METRIC(wire_share, p->wire_share)
POINT_METRIC(sclk, known_hz(p->sclk_predicted_hz))
POINT_METRIC(core, p->cpu_core_percent / 100)
POINT_METRIC(runs, p->runs)
POINT_METRIC(failed, p->failed)

static const struct metric metrics[] = {
	{"lowest_full_hertz", "hertz",
		"Lowest requested SPI frequency with full throughput.", lowest_full,
		NULL},
	{"original_hertz", "hertz", "SPI frequency in use before the sweep.", original,
		NULL},
	{"margin_ratio", "ratio", "Original frequency over the lowest full one.", margin,
		NULL},
	{"best_bytes_per_second", "bytes_per_second",
		"Best median of payload received, over all frequencies.", best, NULL},
	{"wire_limit_bytes_per_second", "bytes_per_second",
		"Payload that the wire can carry at most.", wire_limit, NULL},
	{"drift_ratio", "ratio", "Closing baseline against the opening one.", drift,
		NULL},
	{"rows", "", "Rows of results that the sweep has so far.", rows, NULL},
	{"point_received_bytes_per_second", "bytes_per_second",
		"Median of payload received at one requested frequency.", NULL, received},
	{"point_offered_bytes_per_second", "bytes_per_second",
		"Median of payload sent at one requested frequency.", NULL, offered},
	{"point_lost_ratio", "ratio", "Median share of datagrams lost.", NULL, lost},
	{"point_jitter_seconds", "seconds", "Median jitter.", NULL, jitter},
	{"point_wire_ratio", "ratio", "Received as a share of the wire limit.", NULL,
		wire_share},
	{"point_sclk_hertz", "hertz", "SPI clock predicted for the request.", NULL, sclk},
	{"point_core_ratio", "ratio",
		"Median share of system and softirq time of the busiest core.", NULL,
		core},
	{"point_runs", "", "Runs that count.", NULL, runs},
	{"point_failed_runs", "", "Runs that do not count.", NULL, failed},
};

static void put_family(const char *name, const char *unit, const char *help, FILE *out)
{
	(void)fprintf(out, "# HELP " PREFIX "%s %s\n# TYPE " PREFIX "%s gauge\n", name,
		help, name);
	if (unit[0])
		(void)fprintf(out, "# UNIT " PREFIX "%s %s\n", name, unit);
}

static void put_label(FILE *out, const char *before, const char *name, const char *value)
{
	(void)fprintf(out, "%s%s=\"", before, name);
	for (; *value; value++) {
		if (strchr("\\\"", *value))
			(void)fputc('\\', out);
		(void)fputc(*value, out);
	}
	(void)fputc('"', out);
}

/* Every sample has them: what one file holds must not collide with what another does. */
static void put_labels(
	const struct t1s_report_list *l, const struct t1s_report *r, FILE *out)
{
	char number[24];

	put_label(out, "{", "sweep", r->file_name);
	(void)snprintf(number, sizeof(number), "%zu", r->file + 1);
	if (l->files > 1)
		put_label(out, ",", "file", number);
	put_label(out, ",", "workload", r->workload);
	put_label(out, ",", "direction", r->direction);
}

static void put_value(FILE *out, double v)
{
	char text[T1S_NUMBER_MAX];

	t1s_format_shortest(text, v);
	(void)fprintf(out, "} %s\n", text);
}

static void put_point_labels(const struct t1s_report_list *l, const struct t1s_report *r,
	const struct t1s_report_point *p, FILE *out)
{
	char hz[16];

	(void)snprintf(hz, sizeof(hz), "%" PRIu32, p->spi_requested_hz);
	put_labels(l, r, out);
	put_label(out, ",", "requested_hertz", hz);
}

static void put_samples(const struct metric *m, const struct t1s_report_list *l,
	const struct t1s_report *r, FILE *out)
{
	if (m->of_report && !isnan(m->of_report(r))) {
		(void)fprintf(out, PREFIX "%s", m->name);
		put_labels(l, r, out);
		put_value(out, m->of_report(r));
	}
	for (size_t i = 0; m->of_point && i < r->count; i++) {
		if (isnan(m->of_point(&r->points[i])))
			continue;
		(void)fprintf(out, PREFIX "%s", m->name);
		put_point_labels(l, r, &r->points[i], out);
		put_value(out, m->of_point(&r->points[i]));
	}
}

/* What a text is the value of stands in a label, and the sample is 1. */
static void put_texts(const struct t1s_report_list *l, FILE *out)
{
	put_family("info", "", "What was measured, as labels.", out);
	for (size_t i = 0; i < l->count; i++) {
		const struct t1s_report *r = &l->reports[i];

		(void)fputs(PREFIX "info", out);
		put_labels(l, r, out);
		put_label(out, ",", "host", r->host);
		put_label(out, ",", "overlay", r->overlay);
		put_label(out, ",", "protocol", r->protocol);
		put_value(out, 1);
	}
	put_family("point_verdict", "", "What a point is, as a label.", out);
	for (size_t i = 0; i < l->count; i++)
		for (size_t k = 0; k < l->reports[i].count; k++) {
			const struct t1s_report_point *p = &l->reports[i].points[k];
			const char *verdict = t1s_verdict_name(p->verdict);

			(void)fputs(PREFIX "point_verdict", out);
			put_point_labels(l, &l->reports[i], p, out);
			put_label(out, ",", "verdict", verdict ? verdict : "unknown");
			put_value(out, 1);
		}
}

int t1s_report_write_openmetrics(const struct t1s_report_list *l, FILE *out)
{
	for (size_t m = 0; m < T1S_ELEMENTSOF(metrics); m++) {
		put_family(metrics[m].name, metrics[m].unit, metrics[m].help, out);
		for (size_t i = 0; i < l->count; i++)
			put_samples(&metrics[m], l, &l->reports[i], out);
	}
	put_texts(l, out);
	(void)fputs("# EOF\n", out);
	return fflush(out) == 0 && !ferror(out) ? 0 : -EIO;
}
