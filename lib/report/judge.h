/* SPDX-License-Identifier: MIT */
/* From medians to verdicts: the second half of building a report. */
#pragma once

#include "report/report.h"

/*
 * Sets, from the points' medians and the shares, the wire limit and the original setting
 * that @r holds already: the best rate, each point's wire share, verdict and bound, and
 * the answer. Returns 0 or -ENOMEM.
 */
int t1s_report_judge(struct t1s_report *r);
