/* SPDX-License-Identifier: MIT */
#include "report/panels.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static bool belongs(const struct t1s_report_list *l, const struct t1s_panel *p,
	const struct t1s_report *r)
{
	const struct t1s_report *first = p->reports[0];

	if (p->count == T1S_REPORT_FILES_MAX)
		return false;
	for (size_t i = 0; i < p->count; i++)
		if (p->reports[i]->file == r->file)
			return false;
	return l->count == l->files ||
	       (strcmp(first->workload, r->workload) == 0 &&
		       strcmp(first->direction, r->direction) == 0);
}

static void set_title(struct t1s_panel *p)
{
	const struct t1s_report *r = p->reports[0];

	(void)snprintf(p->title, sizeof(p->title), "%s%s%s", r->workload,
		r->workload[0] && r->direction[0] ? ", " : "", r->direction);
}

int t1s_panels_of(const struct t1s_report_list *l, struct t1s_panel **ret)
{
	struct t1s_panel *panels;
	int count = 0;

	*ret = NULL;
	if (l->count == 0)
		return 0;
	panels = calloc(l->count, sizeof(*panels));
	if (!panels)
		return -ENOMEM;
	for (size_t i = 0; i < l->count; i++) {
		const struct t1s_report *r = &l->reports[i];
		int k = 0;

		while (k < count && !belongs(l, &panels[k], r))
			k++;
		count += k == count;
		panels[k].reports[panels[k].count++] = r;
	}
	for (int k = 0; k < count && count > 1; k++)
		set_title(&panels[k]);
	*ret = panels;
	return count;
}

bool t1s_panel_is_drawable(const struct t1s_panel *p)
{
	for (size_t i = 0; i < p->count; i++)
		for (size_t k = 0; k < p->reports[i]->count; k++) {
			const struct t1s_report_point *q = &p->reports[i]->points[k];

			if (q->spi_requested_hz && !isnan(q->received_mbit_s))
				return true;
		}
	return false;
}
