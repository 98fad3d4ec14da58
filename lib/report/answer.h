/* SPDX-License-Identifier: MIT */
/* What the service gives out of the report by itself: the answer in its last word, and
 * files beside the results. */
#pragma once

#include "base/error.h"
#include "sweep/steps.h"

/* For struct t1s_env: the answer of the first workload. Its configuration is read as that
 * of a report; where it cannot be, the defaults judge. */
bool t1s_report_answer(
	const struct t1s_env *env, const char *results_path, struct t1s_answer *ret);

/*
 * Writes the report of the sweep's results beside them: report.txt and report.json, and
 * report.html where no later step will, or the sweep has ended; over those of the point
 * before. Nothing to write from, or nothing new, is success. To be called by the step
 * that may write there. Returns 0 or a negative errno.
 */
int t1s_report_keep(const struct t1s_env *env, struct t1s_error *e);
