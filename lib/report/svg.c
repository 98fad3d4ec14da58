/* SPDX-License-Identifier: MIT */
#include "report/svg.h"

#include "base/cleanup.h"
#include "report/plot_script.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define TITLE "Received rate and loss over the requested SPI frequency"

/* A colour of the plot and what it is on a dark page. */
struct pair {
	const char *light, *dark;
};

static const struct pair pairs[] = {
	{T1S_PLOT_SOFT, "#a3afbd"},
	{T1S_PLOT_GRID, "#3a434e"},
	{T1S_PLOT_LIMIT, "#e8e8e8"},
	{T1S_PLOT_CEILING, "#e3c26a"},
};

static const char *const series[] = T1S_PLOT_SERIES;
static const char *const dark_series[] = {"#6cb6ff", "#ff9e64", "#63d297", "#d2a8ff"};

_Static_assert(T1S_ELEMENTSOF(series) == T1S_ELEMENTSOF(dark_series), "one for each");

/* gnuplot writes '#0b4f8a' as 'rgb( 11,  79, 138)', and for text without the blanks. */
static void put_rule(FILE *out, const char *light, const char *dark)
{
	const unsigned long rgb = strtoul(light + 1, NULL, 16);
	const unsigned long red = rgb >> 16, green = rgb >> 8 & 0xff, blue = rgb & 0xff;
	char name[32];

	(void)snprintf(name, sizeof(name), "rgb(%3lu, %3lu, %3lu)", red, green, blue);
	(void)fprintf(out,
		".plot [stroke='%s']{stroke:%s}.plot [fill='%s']{fill:%s}"
		".plot [color='%s']{color:%s}.plot [fill='rgb(%lu,%lu,%lu)']{fill:%s}\n",
		name, dark, name, dark, name, dark, red, green, blue, dark);
}

void t1s_svg_write_style(FILE *out)
{
	(void)fputs(
		".plot{display:block;width:100%;height:auto}\n"
		".plot text{font-family:system-ui,'Liberation Sans','DejaVu Sans',"
		"sans-serif}\n"
		"@media screen and (prefers-color-scheme:dark){\n"
		".plot [stroke='black']{stroke:#dfe4ea}.plot [fill='black']{fill:#dfe4ea}"
		".plot [color='black']{color:#dfe4ea}\n",
		out);
	put_rule(out, T1S_PLOT_INK, "#ffffff");
	for (size_t i = 0; i < T1S_ELEMENTSOF(pairs); i++)
		put_rule(out, pairs[i].light, pairs[i].dark);
	for (size_t i = 0; i < T1S_ELEMENTSOF(series); i++)
		put_rule(out, series[i], dark_series[i]);
	(void)fputs("}\n", out);
}

/* Ids of gnuplot's, which would be those of every plot in a page. */
static const char *const ids[] = {
	"gpPt", "gpDot", "textbox", "greybox", "gnuplot_canvas"};

static size_t id_at(const char *p)
{
	for (size_t i = 0; i < T1S_ELEMENTSOF(ids); i++) {
		const size_t n = strlen(ids[i]);

		if (strncmp(p, ids[i], n) == 0)
			return n;
	}
	return 0;
}

/* Copies, with @id in front of each of gnuplot's ids: behind a quote or a "#". */
static void put_body(FILE *out, const char *body, const char *id)
{
	for (const char *p = body; *p; p++) {
		(void)fputc(*p, out);
		if ((*p == '\'' || *p == '"' || *p == '#') && id_at(p + 1))
			(void)fputs(id, out);
	}
}

static void put_head(FILE *out, const struct t1s_plot_options *o, const char *attributes,
	size_t length)
{
	if (!o->plain)
		(void)fputs("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n", out);
	(void)fprintf(out,
		"<svg class=\"plot%s\" role=\"img\" %.*s>\n<title>" TITLE "</title>\n",
		o->narrow ? " narrow" : " wide", (int)length, attributes);
	if (o->plain)
		return;
	(void)fputs("<style>\n", out);
	t1s_svg_write_style(out);
	(void)fputs("@media screen and (prefers-color-scheme:dark){.plot [fill='#ffffff']"
		    "{fill:#15191e}}\n</style>\n",
		out);
}

static int write_dressed(const char *svg, const struct t1s_plot_options *o, FILE *out)
{
	const char *begin = strstr(svg, "<svg"), *end, *body;

	end = begin ? strchr(begin, '>') : NULL;
	body = end ? strstr(end, "</desc>") : NULL;
	if (!body)
		return -EIO;
	begin += strlen("<svg");
	put_head(out, o, begin, (size_t)(end - begin));
	put_body(out, body + strlen("</desc>"), o->id ? o->id : "");
	return 0;
}

int t1s_svg_dress(const char *svg, size_t size, const struct t1s_plot_options *o,
	char **ret, size_t *ret_size, struct t1s_error *e)
{
	cleanup_free char *text = NULL;
	FILE *f;
	int r;

	if (strlen(svg) != size)
		return t1s_error_set(e, EIO, "gnuplot's picture is no SVG");
	f = open_memstream(&text, ret_size);
	if (!f)
		return -ENOMEM;
	r = write_dressed(svg, o, f);
	if (fclose(f) != 0)
		r = -ENOMEM;
	if (r == -EIO)
		return t1s_error_set(e, EIO, "gnuplot's picture is no SVG");
	if (r < 0)
		return r;
	*ret = t1s_steal(text);
	return 0;
}
