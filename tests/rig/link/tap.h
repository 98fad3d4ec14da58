/* SPDX-License-Identifier: MIT */
/* A TAP interface in a named network namespace: one end of the emulated link. */
#pragma once

#include "base/error.h"

/*
 * Makes the TAP, with a queue long enough for bursts, link down and without addresses.
 * @spec: NETNS:IFNAME, NETNS as ip-netns(8) names it. The calling process is back in its
 * own namespace afterwards. @ret_fd: non-blocking; the interface lives as long as it.
 * Returns 0 or a negative errno.
 */
int t1s_tap_open(const char *spec, int *ret_fd, struct t1s_error *e);
