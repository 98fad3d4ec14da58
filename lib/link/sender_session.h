/* SPDX-License-Identifier: MIT */
/* Inside the room only: what sender.c and sender_run.c share. */
#pragma once

#include "link/sender.h"

#include <libssh/libssh.h>

struct t1s_sender {
	ssh_session ssh; /* non-blocking: every wait is ours */
	char name[330];  /* user@host, for messages */
};

/*
 * Waits until the session's socket has something to do, the deadline, or 100 ms,
 * whichever is first. Returns 0, or -ECONNRESET if there is no socket any more.
 */
int t1s_sender_wait(struct t1s_sender *s, uint64_t deadline_us);
