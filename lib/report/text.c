/* SPDX-License-Identifier: MIT */
/* The report for a terminal: tables with bars, at most 100 columns wide. */
#include "base/cleanup.h"
#include "report/compare.h"

#include "base/terminal.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

#define WRAP_COLUMNS 88
#define BAR_WIDE 24
#define BAR_NARROW 8 /* where the spread of repeats needs room */

#define COMPARED_MAX 10 /* sweeps that fit beside each other */

struct table {
	FILE *out;
	const struct t1s_report *r;
	int bar; /* columns */
	bool spread;
	double scale_mbit_s; /* that fills a bar */
};

/* A number in a column, "-" where it is not known. */
static void put_number(FILE *out, int width, int places, double v)
{
	if (isnan(v))
		(void)fprintf(out, "%*s", width, "-");
	else
		(void)fprintf(out, "%*.*f", width, places, v);
}

static void put_hz(FILE *out, int width, uint32_t hz)
{
	put_number(out, width, 3, hz ? (double)hz / 1e6 : NAN);
}

static void put_word(FILE *out, int width, const char *word)
{
	(void)fprintf(out, "%-*s", width, word ? word : "-");
}

/* Half the width of the confidence interval, and the range. */
static void put_spread(FILE *out, const struct t1s_report_point *p)
{
	const struct t1s_interval i = p->received_interval;
	char text[32] = "-";

	put_number(out, 7, 3, (i.high - i.low) / 2);
	if (p->runs > 1)
		(void)snprintf(text, sizeof(text), "%.2f-%.2f", p->received_min,
			p->received_max);
	(void)fprintf(out, "%12s", text);
}

static void put_runs(FILE *out, const struct t1s_report_point *p)
{
	char text[32];

	if (p->failed)
		(void)snprintf(text, sizeof(text), "%u/%u", p->runs, p->runs + p->failed);
	else
		(void)snprintf(text, sizeof(text), "%u", p->runs);
	(void)fprintf(out, "%6s", text);
}

static void put_marks(const struct table *t, size_t i)
{
	const struct t1s_report_point *p = &t->r->points[i];

	(void)fprintf(t->out, "%c%c", t1s_report_is_one_clock(t->r, i) ? '=' : ' ',
		p->groups.low_count || p->lower_group ? '2' : ' ');
}

static void put_point(const struct table *t, size_t i)
{
	const struct t1s_report_point *p = &t->r->points[i];
	FILE *out = t->out;

	put_hz(out, 7, p->spi_requested_hz);
	put_hz(out, 8, p->sclk_predicted_hz);
	put_number(out, 9, 3, p->received_mbit_s);
	if (t->spread)
		put_spread(out, p);
	(void)fputs("  ", out);
	t1s_put_bar(out, t->bar, p->received_mbit_s / t->scale_mbit_s);
	put_number(out, 6, 1, 100 * p->wire_share);
	put_number(out, 7, 2, p->lost_percent);
	put_number(out, 7, 3, p->jitter_ms);
	put_runs(out, p);
	(void)fputc(' ', out);
	put_marks(t, i);
	(void)fputc(' ', out);
	put_word(out, 10, t1s_verdict_name(p->verdict));
	(void)fprintf(out, "%s\n",
		t1s_bound_name(p->bound_by) ? t1s_bound_name(p->bound_by) : "-");
}

static void put_head(const struct table *t)
{
	(void)fprintf(t->out, "%7s%8s%9s%s  %-*s%6s%7s%7s%6s    %-10s%s\n", "request",
		"SCLK", "received", t->spread ? "   95 %         min" : "", t->bar, "",
		"wire", "loss", "jitter", "runs", "verdict", "bound");
	(void)fprintf(t->out, "%7s%8s%9s%s  %-*s%6s%7s%7s%6s    %-10s%s\n", "MHz", "MHz",
		"Mbit/s", t->spread ? "      ±      to max" : "", t->bar, "", "%", "%",
		"ms", "", "", "by");
}

static void put_table(const struct t1s_report *r, FILE *out)
{
	struct table t = {.out = out, .r = r, .bar = BAR_WIDE};

	t.scale_mbit_s =
		isnan(r->wire_limit_mbit_s) ? r->best_mbit_s : r->wire_limit_mbit_s;
	for (size_t i = 0; i < r->count; i++)
		t.spread = t.spread || r->points[i].runs > 1;
	if (t.spread)
		t.bar = BAR_NARROW;
	put_head(&t);
	for (size_t i = 0; i < r->count; i++)
		put_point(&t, i);
}

static void put_wire_limit(const struct t1s_report *r, FILE *out)
{
	if (isnan(r->wire_limit_mbit_s))
		return;
	(void)fprintf(out, "wire limit %.4f Mbit/s of payload", r->wire_limit_mbit_s);
	if (strcmp(r->protocol, "tcp") == 0)
		(void)fputs(" over TCP in full segments", out);
	else
		(void)fprintf(out, " in %s of %" PRIu32 " bytes",
			strcmp(r->protocol, "frames") == 0 ? "frames" : "datagrams",
			r->length_bytes);
	(void)fputs("; a full bar is this limit\n", out);
}

static void put_title(
	const struct t1s_report_list *l, const struct t1s_report *r, FILE *out)
{
	char label[T1S_REPORT_LABEL_MAX];

	if (t1s_report_label(l, r, label)[0])
		(void)fprintf(out, "== %s ==\n", label);
	(void)fprintf(out, "Sweep%s%s of %s, %" PRId64 " rows\n",
		r->sweep_id[0] ? " " : "", r->sweep_id,
		r->overlay[0] ? r->overlay : "an unnamed overlay", r->rows);
	if (r->first_timestamp[0])
		(void)fprintf(out, "measured %s to %s%s\n", r->first_timestamp,
			r->last_timestamp,
			r->clock_synchronised == 0 ? ", clock not synchronised" : "");
	put_wire_limit(r, out);
	(void)fputc('\n', out);
}

static void put_legend(const struct t1s_report *r, FILE *out)
{
	bool spread = false, clocks = false, groups = false;

	for (size_t i = 0; i < r->count; i++) {
		const struct t1s_report_point *p = &r->points[i];

		spread = spread || p->runs > 1;
		clocks = clocks || t1s_report_is_one_clock(r, i);
		groups = groups || p->groups.low_count || p->lower_group;
	}
	(void)fprintf(out,
		"\nfull from %.3g %% of the best rate, limited from %.3g %%, severe from "
		"%.3g %%, collapsed below\n",
		100 * r->full_share, 100 * r->severe_share, 100 * r->collapse_share);
	if (spread)
		(void)fputs(
			"received: median; ±: 95 % confidence interval of the mean by "
			"Student's t, half of it\n"
			"full or not is decided where interval and median lie on one "
			"side of the line\n",
			out);
	if (clocks)
		(void)fputs("=: one clock with a neighbour\n", out);
	if (groups)
		(void)fputs("2: two groups, see below\n", out);
	(void)fputc('\n', out);
}
/* Columns that a word takes: bytes that begin a UTF-8 character. */
static int columns_of(const char *word, size_t bytes)
{
	int n = 0;

	for (size_t i = 0; i < bytes; i++)
		n += ((unsigned char)word[i] & 0xc0) != 0x80;
	return n;
}

static int put_sentence(const char *sentence, void *data)
{
	FILE *out = data;
	int used = 0;

	for (const char *p = sentence; *p;) {
		const size_t bytes = strcspn(p, " ");
		const int columns = columns_of(p, bytes);

		if (used > 0 && used + 1 + columns > WRAP_COLUMNS) {
			(void)fputs("\n  ", out);
			used = 2;
		} else if (used > 0) {
			(void)fputc(' ', out);
			used++;
		}
		(void)fwrite(p, 1, bytes, out);
		used += columns;
		p += bytes;
		p += strspn(p, " ");
	}
	(void)fputc('\n', out);
	return 0;
}

static void put_compared_answers(const struct t1s_panel *p, FILE *out)
{
	for (size_t a = 0; a < T1S_COMPARED_ANSWERS; a++) {
		const struct t1s_compared_answer *answer = &t1s_compared_answers[a];

		(void)fprintf(out, "%7s", answer->short_name);
		for (size_t k = 0; k < p->count && k < COMPARED_MAX; k++)
			put_number(out, 9, answer->places, answer->value(p->reports[k]));
		(void)fputc('\n', out);
	}
	(void)fputs("\nfull: lowest request with full throughput, MHz; margin: of the "
		    "original setting\n\n",
		out);
}

/* Sweeps laid over each other: the median that each received, with a letter for its
 * name. */
static int put_comparison(
	const struct t1s_report_list *l, const struct t1s_panel *p, FILE *out)
{
	cleanup_free uint32_t *requests = NULL;
	const int count = t1s_compare_requests(p, &requests);
	char label[T1S_REPORT_LABEL_MAX];

	if (count < 0)
		return count;
	(void)fprintf(out, "\nreceived, Mbit/s%s%s\n\n%7s", p->title[0] ? ": " : "",
		p->title, "MHz");
	for (size_t k = 0; k < p->count && k < COMPARED_MAX; k++)
		(void)fprintf(out, "%9c", (int)('A' + k));
	(void)fputc('\n', out);
	for (int i = 0; i < count; i++) {
		put_hz(out, 7, requests[i]);
		for (size_t k = 0; k < p->count && k < COMPARED_MAX; k++) {
			const struct t1s_report_point *q =
				t1s_compare_point(p->reports[k], requests[i]);

			put_number(out, 9, 3, q ? q->received_mbit_s : NAN);
		}
		(void)fputc('\n', out);
	}
	(void)fputc('\n', out);
	put_compared_answers(p, out);
	for (size_t k = 0; k < p->count && k < COMPARED_MAX; k++)
		(void)fprintf(out, "%c: %s\n", (int)('A' + k),
			t1s_report_label(l, p->reports[k], label));
	return 0;
}

int t1s_report_write_text(const struct t1s_report_list *l, FILE *out)
{
	int q;

	for (size_t i = 0; i < l->count; i++) {
		const struct t1s_report *r = &l->reports[i];

		if (i > 0)
			(void)fputc('\n', out);
		put_title(l, r, out);
		if (r->count > 0) {
			put_table(r, out);
			put_legend(r, out);
		}
		q = t1s_report_sentences(r, put_sentence, out);
		if (q < 0)
			return q;
	}
	q = t1s_compare_each(l, put_comparison, out);
	if (q < 0)
		return q;
	return fflush(out) == 0 && !ferror(out) ? 0 : -EIO;
}
