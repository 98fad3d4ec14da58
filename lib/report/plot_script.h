/* SPDX-License-Identifier: MIT */
/* The script that gnuplot draws a plot by. Internal to the room. */
#pragma once

#include "report/plot.h"

/* Colours of the plot: what svg.c turns into those of a dark page. */
#define T1S_PLOT_INK "#000000"
#define T1S_PLOT_SOFT "#5a6472"
#define T1S_PLOT_GRID "#d5dae0"
#define T1S_PLOT_SERIES                                                                  \
	{                                                                                \
		"#0b4f8a", "#c2410c", "#157347", "#7a3ea8"                               \
	}
#define T1S_PLOT_LIMIT "#3d3d3d"
#define T1S_PLOT_CEILING "#8a6d00"

/* Writes it; what goes wrong shows in @out's error flag. */
void t1s_plot_script(const struct t1s_report_list *l, const struct t1s_panel *panels,
	size_t count, const struct t1s_plot_options *o, FILE *out);
