/* SPDX-License-Identifier: MIT */
/* Setting PLCA on the sender, by ethtool there, as far as the account may: it is root, or
 * sudo lets it without a password. */
#pragma once

#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>

#define T1S_SENDER_PLCA_MAX_BYTES ((size_t)4096)
#define T1S_SENDER_PLCA_S 5U /* the command's own bound */

struct t1s_sender_plca {
	const char *user;      /* the account */
	const char *interface; /* the sender's on the link */
	int node_id;           /* 0 to 254 */
	int node_count;        /* 1 to 255; -1: as it is */
};

/* The command that sets it, for a POSIX shell. Returns 0 or -ENAMETOOLONG. */
int t1s_sender_plca_command(const struct t1s_sender_plca *p, char *ret, size_t size);

/* The command that succeeds where the one above would be let run, and runs nothing. */
int t1s_sender_plca_may_command(const struct t1s_sender_plca *p, char *ret, size_t size);

/*
 * How the first one went, from its exit status and standard error. Returns 0; -EOPNOTSUPP
 * where its driver or kernel have no PLCA; -EACCES where the account may not; -ENOSYS
 * without an ethtool that can set it (6.3); -EREMOTEIO else.
 */
int t1s_sender_plca_read(const struct t1s_sender_plca *p, int exit_status,
	const char *errors, struct t1s_error *e);
