/* SPDX-License-Identifier: MIT */
/* The T1S interface of this Pi: is it there, has it its address, what did it count. */
#pragma once

#include "base/error.h"

#include <stdint.h>

struct t1s_iface_counters {
	uint64_t rx_bytes, rx_packets, rx_dropped, rx_errors;
	uint64_t tx_bytes, tx_packets, tx_dropped, tx_errors;
};

/*
 * Whether the interface exists (ROOT/sys/class/net/NAME), is up and has the IPv4 or IPv6
 * @address (from the running system's netlink). Returns 0; -ENODEV no interface,
 * -ENETDOWN not up, -EADDRNOTAVAIL without the address (the text tells which it has).
 */
int t1s_iface_ready(
	const char *root, const char *name, const char *address, struct t1s_error *e);

/* Waits until t1s_iface_ready or the deadline (t1s_now_us); the last error then. */
int t1s_iface_wait(const char *root, const char *name, const char *address,
	uint64_t deadline_us, struct t1s_error *e);

/* Counters from ROOT/sys/class/net/NAME/statistics. Returns 0, -ENODEV or -EINVAL. */
int t1s_iface_counters(const char *root, const char *name, struct t1s_iface_counters *ret,
	struct t1s_error *e);
