/* SPDX-License-Identifier: MIT */
#include "report/plot.h"

#include "base/cleanup.h"
#include "base/clock.h"
#include "report/gnuplot.h"
#include "report/plot_script.h"
#include "report/svg.h"

#include <errno.h>
#include <stdlib.h>

/* The first plot after a boot of the smallest Pi takes seconds. */
#define GNUPLOT_PATIENCE_US (30 * T1S_USEC_PER_SEC)

/* Only what can be drawn, in its order. */
static size_t pick_drawable(
	const struct t1s_panel *panels, size_t count, struct t1s_panel *ret)
{
	size_t n = 0;

	for (size_t i = 0; i < count; i++)
		if (t1s_panel_is_drawable(&panels[i]))
			ret[n++] = panels[i];
	return n;
}

static int write_script(const struct t1s_report_list *l, const struct t1s_panel *panels,
	size_t count, const struct t1s_plot_options *o, char **ret, size_t *ret_size)
{
	FILE *f = open_memstream(ret, ret_size);
	bool failed;

	if (!f)
		return -ENOMEM;
	t1s_plot_script(l, panels, count, o, f);
	failed = ferror(f);
	return fclose(f) != 0 || failed ? -ENOMEM : 0;
}

int t1s_plot(const struct t1s_report_list *l, const struct t1s_panel *panels,
	size_t count, const struct t1s_plot_options *o, char **ret, size_t *ret_size,
	struct t1s_error *e)
{
	cleanup_free struct t1s_panel *drawn = calloc(count + 1, sizeof(*drawn));
	cleanup_free char *script = NULL, *picture = NULL;
	size_t n, script_size, size;
	int r;

	if (!drawn)
		return -ENOMEM;
	n = pick_drawable(panels, count, drawn);
	for (size_t i = 0; o->plain && i < n; i++)
		drawn[i].title[0] = '\0'; /* the page has it */
	if (n == 0)
		return t1s_error_set(e, ENODATA,
			"no plot: no point has a known SPI frequency and a result");
	r = write_script(l, drawn, n, o, &script, &script_size);
	if (r == 0)
		r = t1s_gnuplot(
			script, script_size, GNUPLOT_PATIENCE_US, &picture, &size, e);
	if (r == 0 && o->format == T1S_PLOT_SVG)
		return t1s_svg_dress(picture, size, o, ret, ret_size, e);
	if (r == 0) {
		*ret = t1s_steal(picture);
		*ret_size = size;
	}
	return r;
}
