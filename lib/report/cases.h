/* SPDX-License-Identifier: MIT */
/*
 * The report as a list of cases that pass or fail, for machines that run tests. What is
 * asked of a sweep is that the setting in use, and all above it, carry the full rate:
 * points below it are there to find the margin, and are not asked for anything. Internal
 * to the room.
 */
#pragma once

#include "report/report.h"

enum t1s_outcome {
	T1S_OUTCOME_PASS,
	T1S_OUTCOME_FAIL,
	T1S_OUTCOME_SKIP,    /* nothing was asked of it */
	T1S_OUTCOME_UNKNOWN, /* no run of it can be believed */
	T1S_OUTCOMES,
};

struct t1s_case {
	char id[64]; /* letters, digits and '-': "full-at-20000000-hz" */
	enum t1s_outcome outcome;
	char message[320];  /* why not passed; "" */
	double measurement; /* NaN */
	const char *units;  /* static */
};

/* How many cases a report has: the answer, one for each point, and the drift where it is
 * known. */
size_t t1s_cases_count(const struct t1s_report *r);

/* The case of this index. */
void t1s_case_of(const struct t1s_report *r, size_t i, struct t1s_case *ret);

/* Cases of this outcome. */
size_t t1s_cases_of(const struct t1s_report *r, enum t1s_outcome outcome);

/* What tells a report from the others of its list: "SWEEP.WORKLOAD.DIRECTION", with the
 * number of the file before it where there are several. Letters, digits, '-', '_' and '.'
 * only. */
#define T1S_SUITE_MAX 256
void t1s_suite_name(const struct t1s_report_list *l, const struct t1s_report *r,
	char ret[T1S_SUITE_MAX]);
