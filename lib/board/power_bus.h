/* SPDX-License-Identifier: MIT */
/* logind and the service manager over D-Bus. Inside the room only: power.h is the door.
 */
#pragma once

#include "base/error.h"

#include <stdint.h>

/* How long things may take; tests are less patient. */
struct t1s_bus_patience {
	uint64_t call_us;      /* connecting, and each call */
	uint64_t inhibitor_us; /* until whoever blocks the reboot lets go */
	uint64_t poll_us;      /* between two tries while it is blocked */
};

extern const struct t1s_bus_patience t1s_bus_usual_patience;

struct sd_bus;

/* Connects to the system bus and waits until it has let us in. @ret: to be released by
 * sd_bus_close_unref. Returns 0, -ETIMEDOUT, or what connecting gave. */
int t1s_bus_connect(const struct t1s_bus_patience *patience, struct sd_bus **ret,
	struct t1s_error *e);

/* As t1s_power_reboot. */
int t1s_bus_reboot(uint64_t delay_us, const char *wall_message,
	const struct t1s_bus_patience *patience, struct t1s_error *e);

/* As t1s_power_disable_unit without a root. */
int t1s_bus_disable_unit(
	const char *unit, const struct t1s_bus_patience *patience, struct t1s_error *e);
