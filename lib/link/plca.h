/* SPDX-License-Identifier: MIT */
/*
 * PLCA (IEEE 802.3cg clause 148): whether the nodes of a T1S segment take turns, and in
 * which place this one stands. Without it they collide (CSMA/CD), and everything that is
 * measured is different. Its settings do not survive a reboot.
 */
#pragma once

#include "base/error.h"

#include <stdbool.h>
#include <stdint.h>

enum t1s_plca_state {
	T1S_PLCA_UNKNOWN,
	T1S_PLCA_UNSUPPORTED, /* by driver or kernel: no error */
	T1S_PLCA_OFF,
	T1S_PLCA_ON,
};

/* "unsupported", "off", "on"; NULL if unknown. */
const char *t1s_plca_state_name(enum t1s_plca_state s);

/* What is not known is -1. */
struct t1s_plca {
	enum t1s_plca_state state; /* as it was set */
	int64_t node_id;           /* 0: the coordinator; 255: none was set */
	int64_t node_count;        /* counts at the coordinator only */
	int64_t to_timer_bits;     /* length of a transmit opportunity, in bit times */
	int64_t burst_count;       /* frames beyond the first in one opportunity */
	int64_t operating; /* 1: the coordinator's beacon is there; 0: it is not */
};

/* Everything unknown. */
void t1s_plca_init(struct t1s_plca *ret);

/*
 * PLCA of an interface of this machine, by ethtool's generic netlink family
 * (ETHTOOL_MSG_PLCA_GET_CFG and …_GET_STATUS). Any user may ask.
 * Returns 0, also where there is none (UNSUPPORTED); -ENODEV without the interface,
 * -ETIMEDOUT, or what the kernel said. @ret is all unknown on failure.
 */
int t1s_plca_get(const char *interface, struct t1s_plca *ret, struct t1s_error *e);

/* Whether it is on with this node id, and this count where one is given (not -1). */
bool t1s_plca_is(const struct t1s_plca *p, int node_id, int node_count);

/*
 * Switches PLCA on for an interface of this machine, as this node
 * (ETHTOOL_MSG_PLCA_SET_CFG; needs CAP_NET_ADMIN). @node_id: 0 to 254. @node_count: 1 to
 * 255; -1: as it is. Returns 0; -EOPNOTSUPP where driver or kernel have no PLCA, -EPERM,
 * -ENODEV, -ETIMEDOUT, or what the driver said.
 */
int t1s_plca_set(const char *interface, int node_id, int node_count, struct t1s_error *e);
