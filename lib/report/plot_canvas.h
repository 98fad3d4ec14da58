/* SPDX-License-Identifier: MIT */
/* Where things stand in a plot: pixels of the picture, and what gnuplot counts in.
 * Internal to the room. */
#pragma once

#include "report/plot.h"

#define T1S_PLOT_TITLE_PX 34       /* above all panels */
#define T1S_PLOT_PANEL_TITLE_PX 30 /* above one of several panels */
#define T1S_PLOT_X_LABEL_PX 14     /* above a panel's end */

/* One part of a panel: pixels from the panel's top. */
struct t1s_plot_part {
	int top, bottom;
};

struct t1s_plot_layout {
	int width, height; /* of one panel */
	int left, right;   /* margins */
	struct t1s_plot_part rate, clock, loss;
	int font_px, small_px;
};

/* A panel while its script is being written. */
struct t1s_canvas {
	FILE *out;
	const struct t1s_report_list *list;
	const struct t1s_panel *panel;
	const struct t1s_plot_layout *layout;
	int above_px, total_px; /* pixels above the panel, and of the picture */
	double low_mhz, high_mhz, high_mbit_s;
	bool has_loss;
};

const struct t1s_plot_layout *t1s_plot_layout(bool narrow);

double t1s_plot_mhz(uint32_t hz);

/* Text between single quotes, harmless to gnuplot and in an SVG. */
void t1s_plot_put_text(FILE *out, const char *text);

/* Whether a point can be drawn: frequency and rate known. */
bool t1s_plot_is_drawn(const struct t1s_report_point *p);

/* Half the way from a point to the next faster or slower one, in MHz; where there is
 * none, as far as on the other side. */
double t1s_plot_edge(const struct t1s_report *r, size_t i, bool faster);

/* Sets the scales so that all of the panel's points and limits are in. */
void t1s_canvas_measure(struct t1s_canvas *c);

/* Pixels that the panel's title takes. */
int t1s_panel_title_px(const struct t1s_panel *p);

/* gnuplot's screen coordinate of a pixel from the panel's top. */
double t1s_canvas_y(const struct t1s_canvas *c, int px);

/* Sets gnuplot's margins to a part of the panel. */
void t1s_canvas_put_margins(const struct t1s_canvas *c, const struct t1s_plot_part *p);

double t1s_canvas_px_per_mhz(const struct t1s_canvas *c);

/* Whether small text fits between two frequencies. */
bool t1s_canvas_fits(
	const struct t1s_canvas *c, const char *text, double from_mhz, double to_mhz);

/*
 * Sets a tic of the x axis at each of the first sweep's points, with its number where it
 * has room; gnuplot's own where they are too many or do not reach as far as the panel.
 */
void t1s_canvas_put_tics(const struct t1s_canvas *c, bool labelled);
