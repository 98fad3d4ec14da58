/* SPDX-License-Identifier: MIT */
#include "report/compare.h"

#include "base/cleanup.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

static int falling(const void *a, const void *b)
{
	const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return (x < y) - (x > y);
}

int t1s_compare_requests(const struct t1s_panel *p, uint32_t **ret)
{
	size_t all = 0, count = 0;
	uint32_t *hz;

	for (size_t k = 0; k < p->count; k++)
		all += p->reports[k]->count;
	hz = calloc(all + 1, sizeof(*hz));
	if (!hz)
		return -ENOMEM;
	for (size_t k = 0; k < p->count; k++)
		for (size_t i = 0; i < p->reports[k]->count; i++)
			hz[count++] = p->reports[k]->points[i].spi_requested_hz;
	qsort(hz, all, sizeof(*hz), falling);
	count = 0;
	for (size_t i = 0; i < all; i++)
		if (count == 0 || hz[count - 1] != hz[i])
			hz[count++] = hz[i];
	*ret = hz;
	return (int)count;
}

const struct t1s_report_point *t1s_compare_point(const struct t1s_report *r, uint32_t hz)
{
	size_t low = 0, high = r->count;

	while (low < high) {
		const size_t middle = low + (high - low) / 2;

		if (r->points[middle].spi_requested_hz > hz)
			low = middle + 1;
		else
			high = middle;
	}
	return low < r->count && r->points[low].spi_requested_hz == hz ? &r->points[low]
								       : NULL;
}

static double lowest_full_mhz(const struct t1s_report *r)
{
	return r->lowest_full_hz > 0 ? (double)r->lowest_full_hz / 1e6 : (double)NAN;
}

static double margin(const struct t1s_report *r)
{
	return r->margin;
}

static double best_mbit_s(const struct t1s_report *r)
{
	return r->best_mbit_s;
}

const struct t1s_compared_answer t1s_compared_answers[T1S_COMPARED_ANSWERS] = {
	{"Lowest full request, MHz", "full", 3, lowest_full_mhz},
	{"Margin", "margin", 2, margin},
	{"Best, Mbit/s", "best", 3, best_mbit_s},
};

int t1s_compare_each(const struct t1s_report_list *l, t1s_comparison_fn put, FILE *out)
{
	cleanup_free struct t1s_panel *panels = NULL;
	const int count = t1s_panels_of(l, &panels);
	int r = count < 0 ? count : 0;

	for (int i = 0; r == 0 && i < count; i++)
		if (panels[i].count > 1)
			r = put(l, &panels[i], out);
	return r;
}
