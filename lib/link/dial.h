/* SPDX-License-Identifier: MIT */
/*
 * Inside the room only: a TCP connection to a named host by a deadline. The resolver has
 * time-outs of its own that add up to a minute, so that a child process asks it.
 */
#pragma once

#include "base/error.h"

#include <stdint.h>

/*
 * Connects to the first of the host's addresses that answers; the time left is shared
 * among those not tried yet.
 * @host: a name or an address. @ret_fd: non-blocking, close-on-exec; to be closed by the
 * caller.
 * Returns 0; -ENXIO no such name, -EAGAIN no name server answered, -ECONNREFUSED,
 * -ETIMEDOUT, -EHOSTUNREACH, -ENETUNREACH, or what else the system said.
 */
int t1s_dial(const char *host, uint16_t port, uint64_t deadline_us, int *ret_fd,
	struct t1s_error *e);
