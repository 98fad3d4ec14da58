/* SPDX-License-Identifier: MIT */
/*
 * Which reports are laid over each other: those of the same workload and direction in
 * several files, or all of them if each file has only one. Internal to the room.
 */
#pragma once

#include "report/report.h"

#define T1S_PANELS_MAX (T1S_REPORT_FILES_MAX * T1S_REPORT_SERIES_MAX)

struct t1s_panel {
	const struct t1s_report *reports[T1S_REPORT_FILES_MAX];
	size_t count;
	char title[T1S_REPORT_LABEL_MAX]; /* workload and direction; "" for the only one
					   */
};

/* Returns the number of panels, in the order of the list, or -ENOMEM; @ret is malloc'ed,
 * or NULL for none. */
int t1s_panels_of(const struct t1s_report_list *l, struct t1s_panel **ret);

/* Whether a report has a point that can be drawn: frequency and rate known. */
bool t1s_panel_is_drawable(const struct t1s_panel *p);
