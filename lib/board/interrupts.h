/* SPDX-License-Identifier: MIT */
/* How often a device interrupted, and what the receive path dropped: /proc/interrupts and
 * /proc/net/softnet_stat. */
#pragma once

#include <stddef.h>
#include <stdint.h>

/*
 * Interrupts since boot, over all cores and all lines of ROOT/proc/interrupts on which
 * one of @names is an action. Drivers give their line the name of the device ("spi0.0",
 * "fe204000.spi"), of the network interface, or their own. A line that several devices
 * share counts whole. -1: no such line. "" and NULL in @names match nothing.
 */
int64_t t1s_interrupts(const char *root, const char *const *names, size_t count);

struct t1s_softnet {
	int64_t dropped;  /* packets that found the backlog full; -1: unknown */
	int64_t squeezed; /* times the softirq had to leave with work undone */
};

/* The second and third column of ROOT/proc/net/softnet_stat, over all cores. */
void t1s_softnet_read(const char *root, struct t1s_softnet *ret);
