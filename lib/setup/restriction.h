/* SPDX-License-Identifier: MIT */
/* What our key may do on the sender: which gate stands before it, and whether that lets
 * the configured sweep through. Internal to the room. */
#pragma once

#include "link/sender.h"
#include "sweep/config.h"

enum t1s_restriction {
	T1S_RESTRICTION_CURRENT, /* the gate that pair would install */
	T1S_RESTRICTION_OTHER,   /* of another version, or for another iperf3 */
	T1S_RESTRICTION_NONE,    /* it may run anything */
};

/* Which one it is. Returns 0, -EINVAL (no gate can be made for this Iperf3=), or
 * t1s_sender_run's errors. */
int t1s_restriction_ask(struct t1s_sender *s, const struct t1s_config *c,
	enum t1s_restriction *ret, struct t1s_error *e);

/* Whether every command that a sweep would send gets through; none is run. Returns 0,
 * -EACCES with the command in the text, or t1s_sender_run's errors. */
int t1s_restriction_try(
	struct t1s_sender *s, const struct t1s_config *c, struct t1s_error *e);
