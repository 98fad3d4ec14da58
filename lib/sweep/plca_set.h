/* SPDX-License-Identifier: MIT */
/*
 * PLCA as [Link] has it, set at each boot, since it survives none. A failure is told and
 * is no error: at a low SPI frequency the chip may not answer any more, which is a
 * result, and each row tells how PLCA was.
 */
#pragma once

#include "base/error.h"
#include "link/sender.h"
#include "link/sender_facts.h"
#include "link/sender_plca.h"
#include "sweep/config.h"

/*
 * On this machine, where PlcaNodeId= is set; waits for the interface up to its
 * WaitTime=. Needs CAP_NET_ADMIN. With a @root nothing is done: the interface is none of
 * that tree's.
 */
void t1s_plca_set_here(const char *root, const struct t1s_config *c);

/*
 * On the sender, where SenderPlcaNodeId= is set and @facts are not that already; they are
 * asked for anew then. Returns 0, or -ECONNRESET if the session was lost.
 */
int t1s_plca_set_there(struct t1s_sender *sender, const struct t1s_config *c,
	struct t1s_sender_facts *facts, struct t1s_error *e);

/* What would be set there, on this interface. */
void t1s_plca_wanted_there(
	const struct t1s_config *c, const char *interface, struct t1s_sender_plca *ret);

/* Whether the sender's account may set it: 1, 0, or -ECONNRESET. */
int t1s_plca_may_there(struct t1s_sender *sender, const struct t1s_config *c,
	const char *interface, struct t1s_error *e);
