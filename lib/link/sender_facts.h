/* SPDX-License-Identifier: MIT */
/* What the sender tells about itself in one command: its kernel, and PLCA on its end. */
#pragma once

#include "link/plca.h"

#include <stddef.h>

#define T1S_SENDER_FACTS_MAX_BYTES ((size_t)4096) /* longer output is none */
#define T1S_SENDER_FACTS_S 12U                    /* the command's own bound */

struct t1s_sender_facts {
	char kernel[65]; /* "6.6.31+rpt-rpi-v8"; "" unknown */
	struct t1s_plca plca;
};

/* The command, for a POSIX shell. @interface: the sender's on the T1S link; "": only its
 * kernel is asked for. Returns 0 or -ENAMETOOLONG. */
int t1s_sender_facts_command(const char *interface, char *ret, size_t size);

/* Reads what it wrote to standard output and error. What is not in it, or makes no sense,
 * is unknown: ethtool may be missing, or older than PLCA (6.3). */
void t1s_sender_facts_read(
	const char *output, const char *errors, struct t1s_sender_facts *ret);
