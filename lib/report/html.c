/* SPDX-License-Identifier: MIT */
/*
 * The report as one page: what a person can mail, print, or put on a server. It holds all
 * that it shows, and says in a policy of its own that it loads nothing.
 */
#include "report/html.h"

#include "base/cleanup.h"
#include "report/columns.h"
#include "report/plot.h"
#include "report/svg.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

void t1s_html_put_text(FILE *out, const char *text)
{
	for (; *text; text++)
		switch (*text) {
		case '&':
			(void)fputs("&amp;", out);
			break;
		case '<':
			(void)fputs("&lt;", out);
			break;
		case '>':
			(void)fputs("&gt;", out);
			break;
		case '"':
			(void)fputs("&quot;", out);
			break;
		case '\'':
			(void)fputs("&#39;", out);
			break;
		default:
			(void)fputc(*text, out);
		}
}

static void put_element(FILE *out, const char *open, const char *text, const char *close)
{
	(void)fputs(open, out);
	t1s_html_put_text(out, text);
	(void)fputs(close, out);
}

static int put_item(const char *sentence, void *data)
{
	put_element(data, "<li>", sentence, "</li>\n");
	return 0;
}

static void put_title(const struct t1s_report_list *l, FILE *out)
{
	const struct t1s_report *r = l->count > 0 ? &l->reports[0] : NULL;

	(void)fputs("SPI frequency sweep", out);
	if (l->files > 1)
		(void)fprintf(out, "s, %zu laid over each other", l->files);
	else if (r && r->overlay[0])
		put_element(out, " of ", r->overlay, "");
}

static void put_head(const struct t1s_report_list *l, FILE *out)
{
	(void)fputs(
		"<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
		"<meta name=\"viewport\" content=\"width=device-width, "
		"initial-scale=1\">\n"
		"<meta http-equiv=\"Content-Security-Policy\" content=\"default-src "
		"'none'; style-src 'unsafe-inline'; img-src data:\">\n"
		"<link rel=\"icon\" href=\"data:,\">\n<title>",
		out);
	put_title(l, out);
	(void)fputs("</title>\n<style>\n", out);
	t1s_svg_write_style(out);
	(void)fputs(t1s_html_style, out);
	(void)fputs("</style>\n</head>\n<body>\n<main>\n<header>\n"
		    "<p class=\"kind\">t1s-sweep report</p>\n<h1>",
		out);
	put_title(l, out);
	(void)fputs("</h1>\n</header>\n", out);
}

/* A number and its unit; nothing where it is not known. */
static void put_number(
	FILE *out, const char *name, int places, double v, const char *unit)
{
	if (isfinite(v))
		(void)fprintf(out, "<div><dt>%s</dt><dd>%.*f%s</dd></div>\n", name,
			places, v, unit);
}

static double mhz(uint32_t hz)
{
	return hz ? (double)hz / 1e6 : NAN;
}

static void put_figures(const struct t1s_report *r, FILE *out)
{
	(void)fputs("<dl class=\"figures\">\n", out);
	put_number(out, "Lowest full request", 3, mhz(r->lowest_full_hz), " MHz");
	put_number(out, "Setting in use", 3, mhz(r->original_hz), " MHz");
	put_number(out, "Margin", 2, r->margin, "");
	put_number(out, "Best median", 3, r->best_mbit_s, " Mbit/s");
	put_number(out, "Wire limit", 4, r->wire_limit_mbit_s, " Mbit/s");
	put_number(out, "Best, of that limit", 1,
		100 * r->best_mbit_s / r->wire_limit_mbit_s, " %");
	put_number(out, "Drift", 1, t1s_report_drift_percent(r), " %");
	(void)fputs("</dl>\n", out);
}

static int put_answer(
	const struct t1s_report_list *l, const struct t1s_report *r, FILE *out)
{
	char label[T1S_REPORT_LABEL_MAX];
	int q;

	if (t1s_report_label(l, r, label)[0])
		put_element(out, "<h2>", label, "</h2>\n");
	if (r->first_timestamp[0]) {
		put_element(
			out, "<p class=\"dates\">Measured ", r->first_timestamp, " to ");
		put_element(out, "", r->last_timestamp, "");
		(void)fprintf(out, ", %" PRId64 " rows</p>\n", r->own_rows);
	}
	(void)fputs("<div class=\"short\"><p>", out);
	q = t1s_report_in_short(r, out);
	(void)fputs("</p></div>\n", out);
	put_figures(r, out);
	return q;
}

static int put_plot(const struct t1s_report_list *l, const struct t1s_panel *p,
	size_t index, bool narrow, FILE *out, struct t1s_error *e)
{
	char id[32];
	const struct t1s_plot_options o = {
		.format = T1S_PLOT_SVG, .narrow = narrow, .plain = true, .id = id};
	cleanup_free char *picture = NULL;
	size_t size;
	int r;

	(void)snprintf(id, sizeof(id), "%c%zu-", narrow ? 'n' : 'w', index);
	r = t1s_plot(l, p, 1, &o, &picture, &size, e);
	if (r == 0)
		(void)fwrite(picture, 1, size, out);
	return r;
}

/* Twice: a plot made for a page's width cannot be read on a phone. */
static int put_figure(const struct t1s_report_list *l, const struct t1s_panel *p,
	size_t index, FILE *out)
{
	struct t1s_error e = {{0}};
	char label[T1S_REPORT_LABEL_MAX];
	int r;

	if (p->title[0])
		put_element(out, "<h2>", p->title, "</h2>\n");
	(void)fputs("<figure>\n", out);
	r = put_plot(l, p, index, false, out, &e);
	if (r == 0)
		r = put_plot(l, p, index, true, out, &e);
	if (r == -ENOMEM)
		return r;
	if (r < 0) {
		put_element(out, "<figcaption>", t1s_error_text(&e),
			"</figcaption>\n</figure>\n");
		return 0;
	}
	(void)fputs(
		"<figcaption>Received rate and loss over the requested SPI frequency. "
		"Shaded: where the rate is not full; \"?\" is undecided. The strip between "
		"shows the predicted SCLK; requests that share a box become one clock.",
		out);
	if (p->count > 1)
		put_element(out, " Shades and strip are those of ",
			t1s_report_label(l, p->reports[0], label), ".");
	(void)fputs("</figcaption>\n</figure>\n", out);
	return 0;
}

/* An element of the table, of the classes of its column. */
static void open_cell(FILE *out, const char *element, const struct t1s_column *c)
{
	(void)fprintf(out, "<%s class=\"%s%s%s\">", element, c->is_number ? "n" : "",
		strcmp(c->name, "Because") == 0 ? "because"
		: strcmp(c->name, "Marks") == 0 ? "marks"
						: "",
		c->is_detail ? " detail" : "");
}

static void put_table_head(const struct t1s_report *r, FILE *out)
{
	(void)fputs("<thead><tr>", out);
	for (size_t i = 0; i < t1s_columns_count; i++) {
		const struct t1s_column *c = &t1s_columns[i];

		if (!t1s_column_is_used(c, r))
			continue;
		open_cell(out, "th scope=\"col\"", c);
		(void)fprintf(out, "%s <small>%s</small></th>", c->name, c->unit);
	}
	(void)fputs("</tr></thead>\n", out);
}

static void put_cell(
	const struct t1s_report *r, size_t i, const struct t1s_column *c, FILE *out)
{
	char cell[T1S_CELL_MAX];
	const char *text = c->cell(r, i, cell) ? cell : "–";

	if (c == t1s_columns) {
		put_element(out, "<th scope=\"row\" class=\"n\">", text, "</th>");
		return;
	}
	if (strcmp(c->name, "Verdict") == 0 && r->points[i].runs > 0) {
		(void)fprintf(out, "<td class=\"verdict %s\"><b>%s</b></td>", text, text);
		return;
	}
	open_cell(out, "td", c);
	put_element(out, "", text, "</td>");
}

static void put_table(const struct t1s_report *r, FILE *out)
{
	(void)fputs("<div class=\"scroll\" tabindex=\"0\" role=\"region\" "
		    "aria-label=\"Table of points\"><table>\n",
		out);
	put_table_head(r, out);
	(void)fputs("<tbody>\n", out);
	for (size_t i = 0; i < r->count; i++) {
		(void)fputs("<tr>", out);
		for (size_t c = 0; c < t1s_columns_count; c++)
			if (t1s_column_is_used(&t1s_columns[c], r))
				put_cell(r, i, &t1s_columns[c], out);
		(void)fputs("</tr>\n", out);
	}
	(void)fprintf(out,
		"</tbody></table></div>\n<p class=\"note\">Received is the median over "
		"repeats and passes; the interval is the %s. Wire: received as a share of "
		"the wire limit; ceiling: what the predicted SCLK can carry at most; core: "
		"system and softirq of the busiest one. Full from %.3g %% of the best "
		"median, limited from %.3g %%, severe from %.3g %%, collapsed below; with "
		"more than one run, full or not is decided where interval and median lie "
		"on one side of the line. Interrupts and errors are means.</p>\n",
		T1S_INTERVAL_METHOD, 100 * r->full_share, 100 * r->severe_share,
		100 * r->collapse_share);
}

static int put_points(const struct t1s_report_list *l, const struct t1s_report *r,
	bool alone, FILE *out)
{
	char label[T1S_REPORT_LABEL_MAX];
	int q;

	(void)t1s_report_label(l, r, label);
	put_element(out, "<h3>", alone ? "What was found" : label, "</h3>\n<ul>\n");
	q = t1s_report_sentences(r, put_item, out);
	(void)fputs("</ul>\n", out);
	if (r->count > 0)
		put_table(r, out);
	return q;
}

static void put_condition(FILE *out, const char *name, const char *value, bool changed)
{
	if (value[0] == '\0')
		return;
	put_element(out, "<dt>", name, "</dt>");
	put_element(out, "<dd>", value, changed ? " (not at all boots)" : "");
	(void)fputs("</dd>\n", out);
}

/* Of a file's first report: they are those of the file. */
static void put_conditions(
	const struct t1s_report_list *l, const struct t1s_report *r, FILE *out)
{
	char text[128];

	if (l->files > 1)
		put_element(out, "<h3>", r->file_name, "</h3>\n");
	(void)fputs("<dl class=\"conditions\">\n", out);
	put_condition(out, "Sweep", r->sweep_id, false);
	put_condition(out, "Overlay", r->overlay, false);
	put_condition(out, "From", r->first_timestamp, false);
	put_condition(out, "To", r->last_timestamp, false);
	(void)snprintf(text, sizeof(text), "%" PRId64, r->rows);
	put_condition(out, "Rows", text, false);
	(void)snprintf(text, sizeof(text), "%" PRId64, r->boots);
	put_condition(out, "Boots", r->boots > 0 ? text : "", false);
	if (r->seed >= 0)
		(void)snprintf(text, sizeof(text), "shuffled, seed %" PRId64, r->seed);
	put_condition(out, "Order", r->seed >= 0 ? text : "", false);
	for (size_t i = 0; i < r->conditions_count; i++)
		put_condition(out, r->conditions[i].name, r->conditions[i].value,
			r->conditions[i].changed);
	(void)snprintf(text, sizeof(text),
		"%g Mbit/s, %" PRIu32 " bit times of PLCA per frame", r->link_rate_mbit_s,
		r->plca_overhead_bits);
	put_condition(out, "Wire limit for", text, false);
	(void)fputs("</dl>\n", out);
}

static bool is_first_of_file(const struct t1s_report_list *l, size_t i)
{
	return i == 0 || l->reports[i - 1].file != l->reports[i].file;
}

static int put_end(const struct t1s_report_list *l, FILE *out)
{
	char label[T1S_REPORT_LABEL_MAX];

	(void)fputs("<section>\n<h2>Measured with</h2>\n", out);
	for (size_t i = 0; i < l->count; i++)
		if (is_first_of_file(l, i))
			put_conditions(l, &l->reports[i], out);
	(void)fputs("</section>\n<section>\n<h2>Limits of what was tested</h2>\n", out);
	for (size_t i = 0; i < l->count; i++) {
		int q;

		if (t1s_report_label(l, &l->reports[i], label)[0])
			put_element(out, "<h3>", label, "</h3>\n");
		(void)fputs("<ul>\n", out);
		q = t1s_report_limits(&l->reports[i], put_item, out);
		if (q < 0)
			return q;
		(void)fputs("</ul>\n", out);
	}
	(void)fputs("</section>\n<footer>Made by t1s-sweep. This page loads nothing and "
		    "tells nobody that it is read.</footer>\n</main>\n</body>\n</html>\n",
		out);
	return 0;
}

static int put_panel(const struct t1s_report_list *l, const struct t1s_panel *p,
	size_t index, FILE *out)
{
	int r;

	(void)fputs("<section>\n", out);
	r = put_figure(l, p, index, out);
	if (r == 0 && p->count > 1)
		r = t1s_html_put_comparison(l, p, out);
	for (size_t k = 0; r == 0 && k < p->count; k++)
		r = put_points(l, p->reports[k], p->count == 1, out);
	(void)fputs("</section>\n", out);
	return r;
}

int t1s_report_write_html(const struct t1s_report_list *l, FILE *out)
{
	cleanup_free struct t1s_panel *panels = NULL;
	const int count = t1s_panels_of(l, &panels);
	int r = count < 0 ? count : 0;

	if (r < 0)
		return r;
	put_head(l, out);
	for (size_t i = 0; r == 0 && i < l->count; i++)
		r = put_answer(l, &l->reports[i], out);
	for (int k = 0; r == 0 && k < count; k++)
		r = put_panel(l, &panels[k], (size_t)k, out);
	if (r == 0)
		r = put_end(l, out);
	if (r < 0)
		return r;
	return fflush(out) == 0 && !ferror(out) ? 0 : -EIO;
}
