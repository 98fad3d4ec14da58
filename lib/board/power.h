/* SPDX-License-Identifier: MIT */
/*
 * The machine's own running: boot id, reboot through logind, the unit's enablement
 * through the service manager. The only place where D-Bus is spoken.
 */
#pragma once

#include "base/error.h"

#include <stdbool.h>
#include <stdint.h>

#define T1S_BOOT_ID_MAX 40

/* ROOT/proc/sys/kernel/random/boot_id, without the newline. Returns 0 or a negative
 * errno. */
int t1s_boot_id(const char *root, char ret[T1S_BOOT_ID_MAX], struct t1s_error *e);

/* Whether ROOT/proc/cmdline holds @word as one of its words ("t1s_sweep=off"). */
bool t1s_cmdline_has(const char *root, const char *word);

/*
 * Asks logind to reboot after @delay_us (ScheduleShutdown), with @wall_message shown to
 * logged-in users. Not from inside a oneshot without a delay: the reboot would cancel the
 * unit's own start job. Bounded by D-Bus's time-out. Returns 0 or a negative errno, with
 * what to do in the text (no D-Bus, no logind, refused).
 */
int t1s_power_reboot(uint64_t delay_us, const char *wall_message, struct t1s_error *e);

/*
 * Disables a unit. With @root: removes its links from ROOT/etc/systemd/system/X.wants, as
 * systemctl --root does; without: DisableUnitFiles of the service manager. A unit that is
 * not enabled is success. Returns 0 or a negative errno.
 */
int t1s_power_disable_unit(const char *root, const char *unit, struct t1s_error *e);
