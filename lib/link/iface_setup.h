/* SPDX-License-Identifier: MIT */
/* How an interface is set up, as far as it bears on what is measured over it. */
#pragma once

#include <stdint.h>

/* "" and -1: not known. */
struct t1s_iface_setup {
	char mac[20];            /* "02:00:00:00:00:02" */
	int64_t mtu;             /* bytes */
	char driver[64];         /* "lan8650" */
	char driver_version[64]; /* the module's version, else "srcversion " and the
				    checksum of its source */
	char qdisc[32];          /* kind of the root queueing discipline: "pfifo_fast" */
};

/*
 * MAC address and MTU from ROOT/sys/class/net/NAME; driver from its device/driver there
 * and ROOT/sys/module; queueing discipline from the running system's route netlink
 * (RTM_GETLINK).
 */
void t1s_iface_setup_read(
	const char *root, const char *name, struct t1s_iface_setup *ret);
