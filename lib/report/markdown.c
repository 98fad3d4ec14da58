/* SPDX-License-Identifier: MIT */
/* The report as Markdown with tables (GitHub's), for a ticket or a wiki. */
#include "report/columns.h"
#include "report/compare.h"

#include "base/cleanup.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

/* Names and texts of the file are in it: what Markdown or HTML would take for more than
 * text is escaped. */
static void put_text(FILE *out, const char *text)
{
	for (; *text; text++) {
		if (strchr("\\`*_[]<>|&", *text))
			(void)fputc('\\', out);
		(void)fputc(*text, out);
	}
}

static int put_item(const char *sentence, void *data)
{
	FILE *out = data;

	(void)fputs("- ", out);
	put_text(out, sentence);
	(void)fputc('\n', out);
	return 0;
}

static void put_row_end(FILE *out)
{
	(void)fputs(" |\n", out);
}

static void put_head(const struct t1s_report *r, FILE *out)
{
	for (size_t c = 0; c < t1s_columns_count; c++) {
		const struct t1s_column *column = &t1s_columns[c];

		if (t1s_column_is_used(column, r))
			(void)fprintf(out, "%s%s%s%s%s", c ? " | " : "| ", column->name,
				column->unit[0] ? " (" : "", column->unit,
				column->unit[0] ? ")" : "");
	}
	put_row_end(out);
	for (size_t c = 0; c < t1s_columns_count; c++)
		if (t1s_column_is_used(&t1s_columns[c], r))
			(void)fputs(t1s_columns[c].is_number ? "| ---: " : "| --- ", out);
	(void)fputs("|\n", out);
}

static void put_table(const struct t1s_report *r, FILE *out)
{
	put_head(r, out);
	for (size_t i = 0; i < r->count; i++) {
		for (size_t c = 0; c < t1s_columns_count; c++) {
			char cell[T1S_CELL_MAX];

			if (!t1s_column_is_used(&t1s_columns[c], r))
				continue;
			(void)fputs(c ? " | " : "| ", out);
			put_text(out, t1s_columns[c].cell(r, i, cell) ? cell : "–");
		}
		put_row_end(out);
	}
	(void)fprintf(out,
		"\nFull from %.3g %% of the best rate, limited from %.3g %%, severe from "
		"%.3g %%, collapsed below. Received is a median; the interval is the "
		"%s.\n\n",
		100 * r->full_share, 100 * r->severe_share, 100 * r->collapse_share,
		T1S_INTERVAL_METHOD);
}

static void put_conditions(const struct t1s_report *r, FILE *out)
{
	(void)fputs("| Condition | |\n| --- | --- |\n| Sweep | ", out);
	put_text(out, r->sweep_id[0] ? r->sweep_id : "–");
	(void)fputs(" |\n| Overlay | ", out);
	put_text(out, r->overlay[0] ? r->overlay : "–");
	(void)fputs(" |\n| Measured | ", out);
	put_text(out, r->first_timestamp);
	(void)fputs(" to ", out);
	put_text(out, r->last_timestamp);
	(void)fprintf(out, " |\n| Rows | %" PRId64 " |\n", r->own_rows);
	for (size_t i = 0; i < r->conditions_count; i++) {
		(void)fprintf(out, "| %s | ", r->conditions[i].name);
		put_text(out, r->conditions[i].value);
		(void)fputs(r->conditions[i].changed ? " (not at all boots) |\n" : " |\n",
			out);
	}
	(void)fputc('\n', out);
}

static int put_report(
	const struct t1s_report_list *l, const struct t1s_report *r, FILE *out)
{
	char label[T1S_REPORT_LABEL_MAX];
	int q;

	(void)fputs("## ", out);
	put_text(out, t1s_report_label(l, r, label)[0] ? label : "Result");
	(void)fputs("\n\n", out);
	q = t1s_report_in_short(r, out);
	(void)fputs("\n\n", out);
	if (r->count > 0)
		put_table(r, out);
	q = q < 0 ? q : t1s_report_sentences(r, put_item, out);
	(void)fputs("\n### Measured with\n\n", out);
	put_conditions(r, out);
	(void)fputs("### Limits of what was tested\n\n", out);
	q = q < 0 ? q : t1s_report_limits(r, put_item, out);
	(void)fputc('\n', out);
	return q;
}

static void put_compared_head(
	const struct t1s_report_list *l, const struct t1s_panel *p, FILE *out)
{
	char label[T1S_REPORT_LABEL_MAX];

	(void)fputs("## Received, Mbit/s", out);
	if (p->title[0])
		(void)fputs(": ", out);
	put_text(out, p->title);
	(void)fputs("\n\n| Request (MHz)", out);
	for (size_t k = 0; k < p->count; k++) {
		(void)fputs(" | ", out);
		put_text(out, t1s_report_label(l, p->reports[k], label));
	}
	(void)fputs(" |\n| ---:", out);
	for (size_t k = 0; k < p->count; k++)
		(void)fputs(" | ---:", out);
	put_row_end(out);
}

static void put_compared_answers(const struct t1s_panel *p, FILE *out)
{
	for (size_t a = 0; a < T1S_COMPARED_ANSWERS; a++) {
		const struct t1s_compared_answer *answer = &t1s_compared_answers[a];

		(void)fprintf(out, "| **%s**", answer->name);
		for (size_t k = 0; k < p->count; k++) {
			const double value = answer->value(p->reports[k]);

			if (isnan(value))
				(void)fputs(" | –", out);
			else
				(void)fprintf(out, " | %.*f", answer->places, value);
		}
		put_row_end(out);
	}
}

static int put_comparison(
	const struct t1s_report_list *l, const struct t1s_panel *p, FILE *out)
{
	cleanup_free uint32_t *requests = NULL;
	const int count = t1s_compare_requests(p, &requests);

	if (count < 0)
		return count;
	put_compared_head(l, p, out);
	for (int i = 0; i < count; i++) {
		(void)fprintf(out, "| %.3f", (double)requests[i] / 1e6);
		for (size_t k = 0; k < p->count; k++) {
			const struct t1s_report_point *q =
				t1s_compare_point(p->reports[k], requests[i]);

			if (q && !isnan(q->received_mbit_s))
				(void)fprintf(out, " | %.3f", q->received_mbit_s);
			else
				(void)fputs(" | –", out);
		}
		put_row_end(out);
	}
	put_compared_answers(p, out);
	(void)fputc('\n', out);
	return 0;
}

int t1s_report_write_markdown(const struct t1s_report_list *l, FILE *out)
{
	int q;

	(void)fputs("# SPI frequency sweep", out);
	if (l->count > 0 && l->files == 1 && l->reports[0].overlay[0]) {
		(void)fputs(" of ", out);
		put_text(out, l->reports[0].overlay);
	}
	(void)fputs("\n\n", out);
	for (size_t i = 0; i < l->count; i++) {
		q = put_report(l, &l->reports[i], out);
		if (q < 0)
			return q;
	}
	q = t1s_compare_each(l, put_comparison, out);
	if (q < 0)
		return q;
	return fflush(out) == 0 && !ferror(out) ? 0 : -EIO;
}
