/* SPDX-License-Identifier: MIT */
/*
 * The plot: received rate over requested SPI frequency, loss below it, one above the
 * other for each workload, several sweeps laid over each other. Drawn by gnuplot.
 * Internal to the room.
 */
#pragma once

#include "report/panels.h"

enum t1s_plot_format { T1S_PLOT_SVG, T1S_PLOT_PNG };

struct t1s_plot_options {
	enum t1s_plot_format format;
	bool narrow;    /* as wide as a phone */
	bool titled;    /* with a title in the picture: it stands for itself */
	bool plain;     /* SVG: no background, no prolog, to stand in a page */
	const char *id; /* SVG: begins the ids of its parts; unique in a page */
};

/*
 * Draws panels. Returns 0 and the picture (malloc'ed, a 0 byte behind it); -ENODATA if
 * none has a point that can be drawn; or t1s_gnuplot's errors.
 */
int t1s_plot(const struct t1s_report_list *l, const struct t1s_panel *panels,
	size_t count, const struct t1s_plot_options *o, char **ret, size_t *ret_size,
	struct t1s_error *e);
