/* SPDX-License-Identifier: MIT */
/*
 * One end of the emulated link: a TAP interface in a named network namespace, or the
 * network card of a virtual machine behind a socket.
 */
#pragma once

#include "base/error.h"

/*
 * Makes the TAP, with a queue long enough for bursts, link down and without addresses.
 * @spec: NETNS:IFNAME, NETNS as ip-netns(8) names it. The calling process is back in its
 * own namespace afterwards. @ret_fd: non-blocking; the interface lives as long as it.
 * Or fd:N, an inherited descriptor of which each read and write is one frame, as of a
 * datagram socket pair whose other end is QEMU's; the process takes it over.
 * Returns 0 or a negative errno.
 */
int t1s_tap_open(const char *spec, int *ret_fd, struct t1s_error *e);
