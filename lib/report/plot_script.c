/* SPDX-License-Identifier: MIT */
#include "report/plot_script.h"

#include "base/cleanup.h"
#include "report/plot_canvas.h"

#include <math.h>
#include <string.h>

#define HEADROOM 1.22     /* above the highest line, for the regions' names */
#define OTHER_LIMIT 0.001 /* two wire limits that differ by more are two lines */

/* Degrees of grey that also tell the regions apart on paper: RGB with the transparency
 * in front, as gnuplot has it. */
static const char *shade_of(enum t1s_verdict v)
{
	switch (v) {
	case T1S_VERDICT_LIMITED:
	case T1S_VERDICT_UNDECIDED:
		return "#f2000000";
	case T1S_VERDICT_SEVERE:
		return "#e6000000";
	case T1S_VERDICT_COLLAPSED:
		return "#d6000000";
	default:
		return NULL;
	}
}

static void put_region(
	struct t1s_canvas *c, const struct t1s_report *r, size_t first, size_t n)
{
	const enum t1s_verdict v = r->points[first].verdict;
	const double from = t1s_plot_edge(r, first + n - 1, false),
		     to = t1s_plot_edge(r, first, true);
	const char *shade = shade_of(v), *name = t1s_verdict_name(v);

	if (v == T1S_VERDICT_UNDECIDED && !t1s_canvas_fits(c, name, from, to))
		name = "?";
	if (shade)
		(void)fprintf(c->out,
			"set object rectangle from %.6f, graph 0 to %.6f, graph 1 behind "
			"fillcolor rgb '%s' fillstyle solid noborder\n",
			from, to, shade);
	if (first > 0)
		(void)fprintf(c->out,
			"set arrow from %.6f, graph 0 to %.6f, graph 1 nohead back "
			"linecolor rgb '" T1S_PLOT_SOFT "' linewidth 0.6 dashtype 3\n",
			to, to);
	if (name && t1s_canvas_fits(c, name, from, to))
		(void)fprintf(c->out,
			"set label '%s' at %.6f, graph 0.955 center front font ',%d' "
			"textcolor rgb '" T1S_PLOT_SOFT "'\n",
			name, (from + to) / 2, c->layout->small_px);
}

/* Neighbours of one verdict are a region. */
static void put_regions(struct t1s_canvas *c)
{
	const struct t1s_report *r = c->panel->reports[0];

	for (size_t i = 0, n; i < r->count; i += n) {
		n = 1;
		while (i + n < r->count &&
			r->points[i + n].verdict == r->points[i].verdict)
			n++;
		if (r->points[i].spi_requested_hz)
			put_region(c, r, i, n);
	}
}

static void clear(struct t1s_canvas *c)
{
	(void)fputs("unset object\nunset label\nunset arrow\nunset key\n", c->out);
}

static void put_axes(struct t1s_canvas *c)
{
	(void)fputs("set border 3 linecolor rgb '" T1S_PLOT_SOFT "' linewidth 0.8\n"
		    "set tics nomirror out scale 0.6\n"
		    "set grid ytics linetype 1 linecolor rgb '" T1S_PLOT_GRID
		    "' linewidth 0.6\n",
		c->out);
	(void)fprintf(c->out, "set xrange [%.6f:%.6f]\n", c->low_mhz, c->high_mhz);
}

static const char *colour_of(size_t k)
{
	static const char *const colours[] = T1S_PLOT_SERIES;

	return colours[k % T1S_ELEMENTSOF(colours)];
}

/* Solid for one sweep and the first of several; what else there is differs. */
static size_t dash_of(size_t k)
{
	return k % 5 + 1;
}

/* Marks that differ on paper too; the next lower number is the same one, open. */
static int mark_of(size_t k)
{
	static const int marks[] = {7, 5, 9, 13, 11};

	return marks[k % T1S_ELEMENTSOF(marks)];
}

static bool is_doubtful(const struct t1s_report_point *p)
{
	return p->groups.low_count > 0 || p->lower_group;
}

static void put_data(struct t1s_canvas *c)
{
	for (size_t k = 0; k < c->panel->count; k++) {
		const struct t1s_report *r = c->panel->reports[k];

		(void)fprintf(c->out, "$sweep%zu << END\n", k);
		for (size_t i = 0; i < r->count; i++) {
			const struct t1s_report_point *p = &r->points[i];
			const bool spread = p->runs > 1;

			if (!t1s_plot_is_drawn(p))
				continue;
			(void)fprintf(c->out, "%.6f %g %g %g %g %g %g %g %g %g\n",
				t1s_plot_mhz(p->spi_requested_hz), p->received_mbit_s,
				spread ? p->received_min : NAN,
				spread ? p->received_max : NAN,
				fmax(p->received_interval.low, 0),
				p->received_interval.high, p->lost_percent,
				p->spi_ceiling_mbit_s,
				is_doubtful(p) ? NAN : p->received_mbit_s,
				is_doubtful(p) ? p->received_mbit_s : NAN);
		}
		(void)fputs("END\n", c->out);
	}
}

static bool has_ceiling(const struct t1s_report *r)
{
	for (size_t i = 0; i < r->count; i++)
		if (t1s_plot_is_drawn(&r->points[i]) &&
			!isnan(r->points[i].spi_ceiling_mbit_s))
			return true;
	return false;
}

static bool has_doubtful(const struct t1s_report *r)
{
	for (size_t i = 0; i < r->count; i++)
		if (t1s_plot_is_drawn(&r->points[i]) && is_doubtful(&r->points[i]))
			return true;
	return false;
}

static bool has_spread(const struct t1s_report *r)
{
	for (size_t i = 0; i < r->count; i++)
		if (t1s_plot_is_drawn(&r->points[i]) && r->points[i].runs > 1)
			return true;
	return false;
}

/* Each limit once, named on its line. */
static void put_wire_limits(struct t1s_canvas *c)
{
	double told = NAN;

	for (size_t k = 0; k < c->panel->count; k++) {
		const double limit = c->panel->reports[k]->wire_limit_mbit_s;

		if (isnan(limit) || fabs(limit / told - 1) <= OTHER_LIMIT)
			continue;
		told = limit;
		if (limit > c->high_mbit_s) {
			(void)fprintf(c->out,
				"set label 'wire limit %.4g Mbit/s, above this scale' at "
				"graph 0.01, graph 0.88 left front textcolor rgb "
				"'" T1S_PLOT_LIMIT "'\n",
				limit);
			continue;
		}
		(void)fprintf(c->out,
			"set arrow from graph 0, first %.6f to graph 1, first %.6f nohead "
			"front linecolor rgb '" T1S_PLOT_LIMIT
			"' linewidth 1.2 dashtype 2\n"
			"set label 'wire limit %.4f Mbit/s' at graph 0.01, first %.6f left "
			"front offset 0,0.6 textcolor rgb '" T1S_PLOT_LIMIT "'\n",
			limit, limit, limit, limit);
	}
}

/* What a point of the plot stands for. */
static void put_series_title(struct t1s_canvas *c, const struct t1s_report *r)
{
	char label[T1S_REPORT_LABEL_MAX];

	if (c->panel->count > 1) {
		t1s_plot_put_text(c->out, t1s_report_label(c->list, r, label));
		return;
	}
	(void)fputs(has_spread(r) ? "'received, median'" : "'received'", c->out);
}

/* Least to most, and thicker the confidence interval. */
static void plot_spread(struct t1s_canvas *c, size_t k)
{
	const char *colour = colour_of(k);
	const bool named = c->panel->count == 1;

	(void)fprintf(c->out,
		"$sweep%zu using 1:3:(0):($4-$3) with vectors heads size screen 0.004,90 "
		"linecolor rgb '%s' linewidth 0.9 title %s, \\\n"
		"$sweep%zu using 1:5:(0):($6-$5) with vectors nohead linecolor rgb "
		"'#90%s' linewidth 5 title %s, \\\n",
		k, colour, named ? "'least to most'" : "''", k, colour + 1,
		named ? "'95 % interval of the mean'" : "''");
}

/* The line, the marks on it, and open marks where there is doubt. */
static void plot_series(struct t1s_canvas *c, size_t k)
{
	const struct t1s_report *r = c->panel->reports[k];
	const char *colour = colour_of(k);

	if (has_spread(r))
		plot_spread(c, k);
	(void)fprintf(c->out,
		"$sweep%zu using 1:2 with lines linecolor rgb '%s' linewidth 1.4 "
		"dashtype %zu notitle, \\\n"
		"$sweep%zu using 1:9 with points linecolor rgb '%s' pointtype %d "
		"pointsize 0.8 notitle, \\\n",
		k, colour, dash_of(k), k, colour, mark_of(k));
	if (has_doubtful(r))
		(void)fprintf(c->out,
			"$sweep%zu using 1:10 with points linecolor rgb '%s' linewidth 1.4 "
			"pointtype %d pointsize 1.1 title %s, \\\n",
			k, colour, mark_of(k) - 1,
			k == 0 ? "'one of two groups: repeat'" : "''");
	(void)fprintf(c->out,
		"NaN with linespoints linecolor rgb '%s' linewidth 1.4 dashtype %zu "
		"pointtype %d pointsize 0.8 title ",
		colour, dash_of(k), mark_of(k));
	put_series_title(c, r);
}

static void plot_ceilings(struct t1s_canvas *c)
{
	for (size_t k = 0; k < c->panel->count; k++) {
		if (!has_ceiling(c->panel->reports[k]))
			continue;
		(void)fprintf(c->out,
			"$sweep%zu using 1:8 with lines linecolor rgb "
			"'" T1S_PLOT_CEILING "' linewidth 1.2 dashtype 4 title %s, \\\n",
			k, k == 0 ? "'SPI ceiling (predicted SCLK)'" : "''");
	}
}

/* At one distance from the edge, however wide the numbers are. */
static void put_y_label(struct t1s_canvas *c, const char *text)
{
	(void)fprintf(c->out,
		"set label '%s' at screen %.5f, graph 0.5 center rotate by 90 front\n",
		text, 14.0 / c->layout->width);
}

static void put_rate(struct t1s_canvas *c)
{
	clear(c);
	put_axes(c);
	t1s_canvas_put_margins(c, &c->layout->rate);
	t1s_canvas_put_tics(c, false);
	put_regions(c);
	put_wire_limits(c);
	(void)fprintf(c->out,
		"set yrange [0:%.6f]\nset ytics nomirror autofreq\n"
		"set key bottom right inside Right samplen 2 spacing 1.1\n",
		c->high_mbit_s * HEADROOM);
	put_y_label(c, "Received (Mbit/s)");
	if (c->panel->title[0]) {
		(void)fputs("set label ", c->out);
		t1s_plot_put_text(c->out, c->panel->title);
		(void)fprintf(c->out, " at graph 0, screen %.5f left front\n",
			t1s_canvas_y(
				c, c->layout->rate.top - T1S_PLOT_PANEL_TITLE_PX / 2));
	}
	(void)fputs("plot ", c->out);
	plot_ceilings(c);
	for (size_t k = 0; k < c->panel->count; k++) {
		(void)fputs(k ? ", \\\n" : "", c->out);
		plot_series(c, k);
	}
	(void)fputc('\n', c->out);
}

/* Requests that are one clock, with that clock where it is known. Returns how many. */
static size_t clock_group(const struct t1s_report *r, size_t i)
{
	return r->points[i].reads_as_next ? 2 : t1s_report_same_clock(r, i);
}

static bool has_predicted(const struct t1s_report *r)
{
	for (size_t i = 0; i < r->count; i++)
		if (r->points[i].sclk_predicted_hz)
			return true;
	return false;
}

static bool has_clocks(const struct t1s_report *r)
{
	for (size_t i = 0; i < r->count; i++)
		if (r->points[i].reads_as_next)
			return true;
	return has_predicted(r);
}

static void put_clock(
	struct t1s_canvas *c, const struct t1s_report *r, size_t first, size_t n)
{
	const double from = t1s_plot_edge(r, first + n - 1, false),
		     to = t1s_plot_edge(r, first, true);
	const double gap = 2 / t1s_canvas_px_per_mhz(c);
	const uint32_t sclk_hz = r->points[first].sclk_predicted_hz;
	char text[32] = "one clock?";

	if (sclk_hz)
		(void)snprintf(text, sizeof(text), "%.2f", t1s_plot_mhz(sclk_hz));
	else if (n == 1)
		return;
	else if (!t1s_canvas_fits(c, text, from, to))
		(void)snprintf(text, sizeof(text), "one?");
	(void)fprintf(c->out,
		"set object rectangle from %.6f, graph 0 to %.6f, graph 1 behind fillcolor "
		"rgb '%s' fillstyle solid noborder\n",
		from + gap, to - gap, n > 1 ? "#d6000000" : "#f2000000");
	if (t1s_canvas_fits(c, text, from, to))
		(void)fprintf(c->out,
			"set label '%s' at %.6f, graph 0.5 center front font ',%d'\n",
			text, (from + to) / 2, c->layout->small_px);
}

static void put_clocks(struct t1s_canvas *c)
{
	const struct t1s_report *r = c->panel->reports[0];

	if (!has_clocks(r))
		return;
	clear(c);
	t1s_canvas_put_margins(c, &c->layout->clock);
	(void)fputs("unset border\nunset xtics\nunset ytics\nunset grid\n"
		    "set yrange [0:1]\n",
		c->out);
	(void)fprintf(c->out,
		"set label 'SCLK%s' at screen %.5f, graph 0.5 right front font ',%d' "
		"textcolor rgb '" T1S_PLOT_SOFT "'\n",
		has_predicted(r) ? ", MHz" : "",
		(double)(c->layout->left - 8) / c->layout->width, c->layout->small_px);
	for (size_t i = 0, n; i < r->count; i += n) {
		n = clock_group(r, i);
		put_clock(c, r, i, n);
	}
	(void)fputs("plot 2 with lines notitle\n", c->out); /* above the range */
}

static void put_loss(struct t1s_canvas *c)
{
	const char *separator = "plot ";

	clear(c);
	put_axes(c);
	t1s_canvas_put_margins(c, &c->layout->loss);
	t1s_canvas_put_tics(c, true);
	put_regions(c);
	(void)fputs("unset label\nset yrange [0:100]\nset ytics nomirror 0, 50, 100\n"
		    "set label 'Requested SPI frequency (MHz)' at graph 0.5, ",
		c->out);
	(void)fprintf(c->out, "screen %.5f center front\n",
		t1s_canvas_y(c, c->layout->height - T1S_PLOT_X_LABEL_PX));
	put_y_label(c, "Loss (%)");
	if (!c->has_loss)
		(void)fprintf(c->out,
			"set label 'not known%s' at graph 0.5, graph 0.5 center front\n",
			strcmp(c->panel->reports[0]->protocol, "tcp") == 0
				? ": TCP sends again what is lost"
				: "");
	for (size_t k = 0; k < c->panel->count; k++) {
		(void)fprintf(c->out,
			"%s$sweep%zu using 1:7 with linespoints linecolor rgb '%s' "
			"linewidth 1.4 dashtype %zu pointtype %d pointsize 0.8 notitle",
			separator, k, colour_of(k), dash_of(k), mark_of(k));
		separator = ", \\\n";
	}
	if (!c->has_loss)
		(void)fputs(", \\\n200 with lines notitle", c->out); /* above the range */
	(void)fputc('\n', c->out);
}

static void put_terminal(const struct t1s_plot_options *o,
	const struct t1s_plot_layout *l, int height, FILE *out)
{
	if (o->format == T1S_PLOT_PNG)
		(void)fprintf(out,
			"set terminal pngcairo size %d,%d noenhanced font 'sans,%d' "
			"fontscale 1.5 linewidth 3 pointscale 2 background '#ffffff'\n",
			2 * l->width, 2 * height, l->font_px);
	else
		(void)fprintf(out,
			"set terminal svg size %d,%d dynamic noenhanced font "
			"'sans-serif,%d' linewidth 1.5%s\n",
			l->width, height, l->font_px,
			o->plain ? "" : " background '#ffffff'");
	(void)fputs(
		"set encoding utf8\nset datafile missing 'nan'\nset multiplot\n", out);
}

static int height_of(const struct t1s_canvas *c, const struct t1s_panel *panels,
	size_t count, bool titled)
{
	int px = titled ? T1S_PLOT_TITLE_PX : 0;

	for (size_t k = 0; k < count; k++)
		px += c->layout->height + t1s_panel_title_px(&panels[k]);
	return px;
}

static void put_title(const struct t1s_report_list *l, const struct t1s_canvas *c)
{
	const struct t1s_report *r = &l->reports[0];
	char title[300];

	(void)snprintf(title, sizeof(title), "%s%s: received rate over SPI frequency",
		r->overlay[0] ? r->overlay : "t1s-sweep",
		l->files > 1 ? " and others" : "");
	(void)fputs("set label 1 ", c->out);
	t1s_plot_put_text(c->out, title);
	(void)fprintf(c->out, " at screen 0.5, screen %.5f center\n",
		1.0 - T1S_PLOT_TITLE_PX / 2.0 / c->total_px);
	(void)fputs("unset border\nunset tics\nset yrange [0:1]\nunset key\n"
		    "plot [0:1] 2 with lines notitle\n",
		c->out);
}

void t1s_plot_script(const struct t1s_report_list *l, const struct t1s_panel *panels,
	size_t count, const struct t1s_plot_options *o, FILE *out)
{
	struct t1s_canvas c = {
		.out = out, .list = l, .layout = t1s_plot_layout(o->narrow)};

	c.total_px = height_of(&c, panels, count, o->titled);
	put_terminal(o, c.layout, c.total_px, out);
	if (o->titled) {
		put_title(l, &c);
		c.above_px = T1S_PLOT_TITLE_PX;
	}
	for (size_t k = 0; k < count; k++) {
		c.panel = &panels[k];
		c.has_loss = false;
		c.above_px += t1s_panel_title_px(c.panel);
		t1s_canvas_measure(&c);
		put_data(&c);
		put_rate(&c);
		put_clocks(&c);
		put_loss(&c);
		c.above_px += c.layout->height;
	}
	(void)fputs("unset multiplot\n", out);
}
