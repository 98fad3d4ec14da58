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

/* ROOT/proc/sys/kernel/random/boot_id, without the newline. Returns 0, -EBADMSG if it is
 * empty, or what t1s_read_line_file says. */
int t1s_boot_id(const char *root, char ret[T1S_BOOT_ID_MAX], struct t1s_error *e);

/* Whether ROOT/proc/cmdline holds @word as one of its words ("t1s_sweep=off"). */
bool t1s_cmdline_has(const char *root, const char *word);

/*
 * Asks logind to reboot after @delay_us (ScheduleShutdown), with @wall_message shown to
 * logged-in users. Not from inside a oneshot without a delay: the reboot would cancel the
 * unit's own start job.
 * Connecting and each call take 10 s at most. While another program holds a block
 * inhibitor against it (which from systemd 257 on stops root, too), it is tried again for
 * up to 60 s.
 * Returns 0; -EBUSY if it stays blocked (the text says by whom); -EACCES if refused;
 * -ESRCH if logind is not on the bus; -ETIMEDOUT if it or the bus does not answer; else
 * what connecting to the bus or the call gave. The text says what to do.
 */
int t1s_power_reboot(uint64_t delay_us, const char *wall_message, struct t1s_error *e);

/*
 * Disables a unit. With @root: removes its links from the X.wants and X.requires folders
 * of ROOT/etc/systemd/system, as systemctl --root does; without: DisableUnitFiles of the
 * service manager, bounded and with the errors as above. A unit that is not enabled is
 * success. Returns 0, -EINVAL if @unit is no plain name, or another negative errno.
 */
int t1s_power_disable_unit(const char *root, const char *unit, struct t1s_error *e);
