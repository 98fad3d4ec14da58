/* SPDX-License-Identifier: MIT */
/* Several sweeps beside each other, request by request. Internal to the room. */
#pragma once

#include "report/panels.h"

#include <stdio.h>

/* Writes one comparison: 0 or a negative errno. */
typedef int (*t1s_comparison_fn)(
	const struct t1s_report_list *l, const struct t1s_panel *p, FILE *out);

/* Calls @put for each panel that holds more than one report. Returns 0, -ENOMEM, or the
 * first error of @put. */
int t1s_compare_each(const struct t1s_report_list *l, t1s_comparison_fn put, FILE *out);

/* The requests of all sweeps of a panel, falling. Returns how many, or -ENOMEM; @ret is
 * malloc'ed. */
int t1s_compare_requests(const struct t1s_panel *p, uint32_t **ret);

/* A sweep's point at a request; NULL: it has none. */
const struct t1s_report_point *t1s_compare_point(const struct t1s_report *r, uint32_t hz);

/* What the reports came to, as lines under the points. */
struct t1s_compared_answer {
	const char *name;
	const char *short_name; /* up to seven letters */
	int places;
	double (*value)(const struct t1s_report *r); /* NaN: not known */
};

#define T1S_COMPARED_ANSWERS 3
extern const struct t1s_compared_answer t1s_compared_answers[T1S_COMPARED_ANSWERS];
