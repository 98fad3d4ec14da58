/* SPDX-License-Identifier: MIT */
/* What gnuplot's SVG lacks: colours for a dark page, a name, ids of its own. Internal to
 * the room. */
#pragma once

#include "report/plot.h"

/* Rewrites gnuplot's SVG. Returns 0, -ENOMEM, or -EIO if it is none. */
int t1s_svg_dress(const char *svg, size_t size, const struct t1s_plot_options *o,
	char **ret, size_t *ret_size, struct t1s_error *e);

/* Style sheet for plots in a page: the rules that t1s_svg_dress puts into one that stands
 * for itself. */
void t1s_svg_write_style(FILE *out);
