/* SPDX-License-Identifier: MIT */
/*
 * Whether all boots of a sweep measured the same thing: board, kernel, driver, PLCA, link
 * set-up, governor, overlay and iperf3 of a row, compared with those of the rows before.
 * The MAC address is left out, since without one in the device tree it is another at each
 * boot.
 */
#pragma once

#include "sweep/results.h"

#include <stddef.h>

#define T1S_AUDIT_TEXT_MAX 512

/*
 * What is compared, as the first row that knew it had it. Start from t1s_row_init on
 * @reference and call this for each row in the order of the file: what it knows, and the
 * reference does not yet, is taken over.
 */
void t1s_audit_learn(struct t1s_row *reference, const struct t1s_row *row);

/*
 * How many of them a row has otherwise than the reference; what either does not know is
 * no difference. @ret: "kernel 6.12.20 (was 6.6.31), cpu_governor powersave (was
 * ondemand)", with the columns' names, cut where it does not fit; "" if there is none.
 */
unsigned int t1s_audit_compare(const struct t1s_row *reference, const struct t1s_row *row,
	char ret[T1S_AUDIT_TEXT_MAX]);

/* Which members of a row these functions look at, for t1s_results_read_some: their
 * offsets. Returns how many; @ret has room for them, or is NULL. */
size_t t1s_audit_members(size_t *ret);
