/* SPDX-License-Identifier: MIT */
/*
 * What bounds a point, and the figures that this rests on. The first that holds:
 *
 * wire: the received rate is within 2 % of the wire limit (both ways together where both
 *   were measured at once on a medium that they share, as with PLCA).
 * sender: less was offered than asked for, or less asked for than the wire carries, and
 *   within 2 % all of that came through.
 * cpu: a core was at 90 % or more in system and softirq.
 * spi: the SCLK's ceiling is below the wire limit; or the rate falls with SCLK, no slower
 *   clock carries more, and the busiest core is known to have room. Not where another
 *   clock carries the same (within 2 %): SCLKs 10 % apart or more, or requests a factor
 *   of two apart where the SCLK is not known, for no even divider makes one clock of
 *   those.
 *
 * What is not known decides nothing. Internal to the room.
 */
#pragma once

#include "report/report.h"

/* Sets bound_by and bound_because of each point. @other: the report of the same workload
 * in the other direction at the same time, or NULL. */
void t1s_report_bound(struct t1s_report *r, const struct t1s_report *other);

/* More came through than the predicted SCLK can carry: the prediction is wrong. */
bool t1s_report_above_ceiling(const struct t1s_report_point *p);
