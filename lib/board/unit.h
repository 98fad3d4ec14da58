/* SPDX-License-Identifier: MIT */
/* What the service manager knows of a unit, and logind of a reboot to come. Changes
 * nothing. */
#pragma once

#include "base/error.h"

#include <stdint.h>

#define T1S_UNIT_STATE_MAX 32
#define T1S_UNIT_STATUS_MAX 256

/*
 * Whether a unit is switched on, in systemctl's words: "enabled", "disabled", "masked",
 * "static", …. With @root by the files of the tree, where only the first three are told
 * apart; without, the service manager is asked (10 s at most).
 * Returns 0; -ENOENT if there is no such unit; -EINVAL if @unit is no plain name; or why
 * the manager could not be asked.
 */
int t1s_unit_file_state(const char *root, const char *unit, char ret[T1S_UNIT_STATE_MAX],
	struct t1s_error *e);

struct t1s_unit_doing {
	char active[T1S_UNIT_STATE_MAX];  /* "inactive", "activating", "failed", … */
	char status[T1S_UNIT_STATUS_MAX]; /* the service's last word (STATUS=); "" */
	uint64_t reboot_wall_us;          /* when logind will reboot; 0: not planned */
};

/* What a service is doing now. Asks the running system's bus, 10 s at most for each of
 * two questions. Returns 0, or why the manager could not be asked; a logind that does not
 * answer plans no reboot. */
int t1s_unit_doing(const char *unit, struct t1s_unit_doing *ret, struct t1s_error *e);
