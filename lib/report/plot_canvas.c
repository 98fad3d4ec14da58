/* SPDX-License-Identifier: MIT */
#include "report/plot_canvas.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

#define OFF_THE_SCALE 3.0 /* a limit so many times the highest rate is only named */
#define LABEL_GAP_PX 6
#define TICS_MAX 80U      /* requests that each have a tic of their own */
#define CHARACTER_EM 0.53 /* width of a character, on average */

static const struct t1s_plot_layout wide = {
	960, 580, 86, 18, {12, 370}, {378, 400}, {412, 520}, 14, 13};
static const struct t1s_plot_layout narrow = {
	400, 570, 70, 8, {12, 340}, {348, 368}, {382, 500}, 13, 11};

const struct t1s_plot_layout *t1s_plot_layout(bool is_narrow)
{
	return is_narrow ? &narrow : &wide;
}

double t1s_plot_mhz(uint32_t hz)
{
	return (double)hz / 1e6;
}

/* gnuplot takes all characters between them as they are but the quote. Names come from
 * files: what gnuplot, SVG or a shell could see as more than a letter is replaced. */
void t1s_plot_put_text(FILE *out, const char *text)
{
	static const char harmless[] = " ._-+:/,()%=";

	(void)fputc('\'', out);
	for (; *text; text++) {
		const unsigned char c = (unsigned char)*text;

		(void)fputc(
			c >= 0x80 || isalnum(c) || strchr(harmless, c) ? c : '?', out);
	}
	(void)fputc('\'', out);
}

bool t1s_plot_is_drawn(const struct t1s_report_point *p)
{
	return p->spi_requested_hz > 0 && !isnan(p->received_mbit_s);
}

double t1s_plot_edge(const struct t1s_report *r, size_t i, bool faster)
{
	const double here = t1s_plot_mhz(r->points[i].spi_requested_hz);
	const bool has_faster = i > 0, has_slower = i + 1 < r->count;
	double step = here / 10;

	if (has_faster && (faster || !has_slower))
		step = t1s_plot_mhz(r->points[i - 1].spi_requested_hz) - here;
	else if (has_slower)
		step = here - t1s_plot_mhz(r->points[i + 1].spi_requested_hz);
	return here + (faster ? step : -step) / 2;
}

static void measure_report(struct t1s_canvas *c, const struct t1s_report *r)
{
	for (size_t i = 0; i < r->count; i++) {
		const struct t1s_report_point *p = &r->points[i];

		if (p->spi_requested_hz == 0)
			continue;
		c->low_mhz = fmin(c->low_mhz, t1s_plot_edge(r, i, false));
		c->high_mhz = fmax(c->high_mhz, t1s_plot_edge(r, i, true));
		c->high_mbit_s = fmax(c->high_mbit_s, p->received_max);
		c->has_loss = c->has_loss || !isnan(p->lost_percent);
	}
}

void t1s_canvas_measure(struct t1s_canvas *c)
{
	c->low_mhz = c->high_mhz = c->high_mbit_s = NAN;
	for (size_t i = 0; i < c->panel->count; i++)
		measure_report(c, c->panel->reports[i]);
	for (size_t i = 0; i < c->panel->count; i++) {
		const double limit = c->panel->reports[i]->wire_limit_mbit_s;

		if (limit < c->high_mbit_s * OFF_THE_SCALE)
			c->high_mbit_s = fmax(c->high_mbit_s, limit);
	}
	if (!(c->high_mbit_s > 0))
		c->high_mbit_s = 1;
	c->low_mhz = fmax(c->low_mhz, 0);
}

int t1s_panel_title_px(const struct t1s_panel *p)
{
	return p->title[0] ? T1S_PLOT_PANEL_TITLE_PX : 0;
}

double t1s_canvas_y(const struct t1s_canvas *c, int px)
{
	return 1.0 - (double)(c->above_px + px) / c->total_px;
}

void t1s_canvas_put_margins(const struct t1s_canvas *c, const struct t1s_plot_part *p)
{
	const struct t1s_plot_layout *l = c->layout;

	(void)fprintf(c->out,
		"set lmargin at screen %.5f\nset rmargin at screen %.5f\n"
		"set tmargin at screen %.5f\nset bmargin at screen %.5f\n",
		(double)l->left / l->width, 1.0 - (double)l->right / l->width,
		t1s_canvas_y(c, p->top), t1s_canvas_y(c, p->bottom));
}

double t1s_canvas_px_per_mhz(const struct t1s_canvas *c)
{
	return (c->layout->width - c->layout->left - c->layout->right) /
	       (c->high_mhz - c->low_mhz);
}

/* What a frequency's number takes below the axis, with the gap to the next. */
static double label_mhz(const struct t1s_canvas *c, double mhz)
{
	char text[32];
	const int n = snprintf(text, sizeof(text), "%g", mhz);

	return (n * CHARACTER_EM * c->layout->font_px + LABEL_GAP_PX) /
	       t1s_canvas_px_per_mhz(c);
}

bool t1s_canvas_fits(
	const struct t1s_canvas *c, const char *text, double from_mhz, double to_mhz)
{
	return (double)strlen(text) * CHARACTER_EM * c->layout->small_px <=
	       (to_mhz - from_mhz) * t1s_canvas_px_per_mhz(c);
}

/* Whether the first sweep's points are few enough for a tic each, and reach as far as
 * those of the sweeps that are laid over it. */
static bool has_tic_each(const struct t1s_canvas *c)
{
	const struct t1s_report *r = c->panel->reports[0];

	return r->count > 0 && r->count <= TICS_MAX &&
	       t1s_plot_edge(r, 0, true) >= c->high_mhz &&
	       t1s_plot_edge(r, r->count - 1, false) <= c->low_mhz;
}

void t1s_canvas_put_tics(const struct t1s_canvas *c, bool labelled)
{
	const struct t1s_report *r = c->panel->reports[0];
	double room_mhz = NAN; /* lower end of what is taken */

	(void)fprintf(c->out, "set format x '%s'\n", labelled ? "%g" : "");
	if (!has_tic_each(c)) {
		(void)fputs("set xtics nomirror autofreq\n", c->out);
		return;
	}
	(void)fputs("set xtics nomirror (", c->out);
	for (size_t i = 0; i < r->count; i++) {
		const double mhz = t1s_plot_mhz(r->points[i].spi_requested_hz);
		const double half_mhz = label_mhz(c, mhz) / 2;
		const bool has_room = !(mhz + half_mhz > room_mhz);

		(void)fprintf(
			c->out, "%s%s%.6f", i ? ", " : "", has_room ? "" : "'' ", mhz);
		if (has_room)
			room_mhz = mhz - half_mhz;
	}
	(void)fputs(")\n", c->out);
}
