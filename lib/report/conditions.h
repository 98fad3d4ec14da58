/* SPDX-License-Identifier: MIT */
/* What a sweep was measured with, and whether that stayed the same. Internal to the room.
 */
#pragma once

#include "report/report.h"

/* Members of a row that the conditions are read from, for t1s_results_read_some. */
extern const size_t t1s_conditions_members[];
extern const size_t t1s_conditions_members_count;

/* Takes what a row tells: the first value of each is kept, another one marks it as
 * changed. To be called for the rows of each
 * boot up to its first measurement. */
void t1s_conditions_take(struct t1s_report *r, const struct t1s_row *row);
