/* SPDX-License-Identifier: MIT */
#include "report/report.h"

#include "base/cleanup.h"
#include "report/plot.h"

#include <errno.h>
#include <string.h>

static const char *const names[] = {
	[T1S_FORMAT_TEXT] = "text",
	[T1S_FORMAT_JSON] = "json",
	[T1S_FORMAT_MARKDOWN] = "markdown",
	[T1S_FORMAT_HTML] = "html",
	[T1S_FORMAT_SVG] = "svg",
	[T1S_FORMAT_PNG] = "png",
};

enum t1s_report_format t1s_report_format_from_name(const char *name)
{
	for (size_t i = 0; i < T1S_ELEMENTSOF(names); i++)
		if (strcmp(names[i], name) == 0)
			return (enum t1s_report_format)i;
	return T1S_FORMAT_INVALID;
}

static int write_plot(const struct t1s_report_list *l, enum t1s_plot_format format,
	FILE *out, struct t1s_error *e)
{
	const struct t1s_plot_options o = {.format = format, .titled = true};
	cleanup_free struct t1s_panel *panels = NULL;
	cleanup_free char *picture = NULL;
	const int count = t1s_panels_of(l, &panels);
	size_t size;
	int r;

	if (count < 0)
		return count;
	r = t1s_plot(l, panels, (size_t)count, &o, &picture, &size, e);
	if (r < 0)
		return r;
	return fwrite(picture, 1, size, out) == size && fflush(out) == 0 ? 0 : -EIO;
}

int t1s_report_write(const struct t1s_report_list *l, enum t1s_report_format format,
	FILE *out, struct t1s_error *e)
{
	switch (format) {
	case T1S_FORMAT_JSON:
		return t1s_report_write_json(l, out);
	case T1S_FORMAT_MARKDOWN:
		return t1s_report_write_markdown(l, out);
	case T1S_FORMAT_HTML:
		return t1s_report_write_html(l, out);
	case T1S_FORMAT_SVG:
		return write_plot(l, T1S_PLOT_SVG, out, e);
	case T1S_FORMAT_PNG:
		return write_plot(l, T1S_PLOT_PNG, out, e);
	default:
		return t1s_report_write_text(l, out);
	}
}
