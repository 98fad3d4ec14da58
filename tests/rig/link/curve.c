/* SPDX-License-Identifier: MIT */
#include "curve.h"

#include "base/cleanup.h"
#include "base/file.h"
#include "base/text.h"

#include <errno.h>
#include <string.h>

#define CURVE_BYTES_MAX 65536

static int by_frequency(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return (x > y) - (x < y);
}

static int add_point(struct t1s_curve *c, char *line)
{
	char *comma = strchr(line, ',');
	uint64_t freq_hz;
	double share;

	if (!comma || c->count >= T1S_CURVE_MAX)
		return -EINVAL;
	*comma = '\0';
	if (t1s_parse_uint(line, UINT32_MAX, &freq_hz) < 0 ||
		t1s_parse_double(comma + 1, &share) < 0 || share < 0 || share > 1)
		return -EINVAL;
	c->points[c->count].freq_hz = (uint32_t)freq_hz;
	c->points[c->count].share = share;
	c->count++;
	return 0;
}

int t1s_curve_load(const char *path, struct t1s_curve *ret, struct t1s_error *e)
{
	cleanup_free char *text = NULL;
	struct t1s_curve c = {0};
	char *rest, *line;
	unsigned int number = 0;

	int r = t1s_read_file(path, CURVE_BYTES_MAX, &text, NULL, e);
	if (r < 0)
		return r;
	rest = text;
	while ((line = strsep(&rest, "\n"))) {
		number++;
		line[strcspn(line, "\r")] = '\0';
		if (!*line || *line == '#' || !strcmp(line, "spi_hz,share"))
			continue;
		if (add_point(&c, line) < 0)
			return t1s_error_set(e, EINVAL,
				"%s, line %u: expected spi_hz,share with a share from 0 "
				"to 1",
				path, number);
	}
	if (!c.count)
		return t1s_error_set(e, EINVAL, "%s: no point in it", path);
	qsort(c.points, c.count, sizeof(c.points[0]), by_frequency);
	*ret = c;
	return 0;
}

double t1s_curve_share(const struct t1s_curve *c, uint32_t freq_hz)
{
	size_t i = 0;

	while (i < c->count && c->points[i].freq_hz < freq_hz)
		i++;
	if (i == c->count)
		return c->points[i - 1].share;
	if (i == 0 || c->points[i].freq_hz == freq_hz)
		return c->points[i].share;

	double width = (double)c->points[i].freq_hz - c->points[i - 1].freq_hz;
	double way = (freq_hz - c->points[i - 1].freq_hz) / width;
	return c->points[i - 1].share +
	       way * (c->points[i].share - c->points[i - 1].share);
}
