/* SPDX-License-Identifier: MIT */
#include "report/report.h"

#include "base/cleanup.h"
#include "report/plot.h"

#include <errno.h>
#include <string.h>

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

static int write_svg(const struct t1s_report_list *l, FILE *out, struct t1s_error *e)
{
	return write_plot(l, T1S_PLOT_SVG, out, e);
}

static int write_png(const struct t1s_report_list *l, FILE *out, struct t1s_error *e)
{
	return write_plot(l, T1S_PLOT_PNG, out, e);
}

const struct t1s_report_format t1s_report_formats[] = {
	{.name = "text", .write = t1s_report_write_text},
	{.name = "json", .write = t1s_report_write_json},
	{.name = "markdown", .write = t1s_report_write_markdown},
	{.name = "html", .write = t1s_report_write_html},
	{.name = "openmetrics", .write = t1s_report_write_openmetrics},
	{.name = "junit", .write = t1s_report_write_junit},
	{.name = "lava", .write = t1s_report_write_lava},
	{.name = "svg", .write_or_say = write_svg},
	{.name = "png", .write_or_say = write_png, .binary = true},
	{0},
};

const struct t1s_report_format *t1s_report_format_of(const char *name)
{
	for (const struct t1s_report_format *f = t1s_report_formats; f->name; f++)
		if (strcmp(f->name, name) == 0)
			return f;
	return NULL;
}

int t1s_report_write(const struct t1s_report_list *l, const struct t1s_report_format *f,
	FILE *out, struct t1s_error *e)
{
	return f->write ? f->write(l, out) : f->write_or_say(l, out, e);
}
