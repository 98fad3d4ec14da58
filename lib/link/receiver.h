/* SPDX-License-Identifier: MIT */
/*
 * The receiver: one iperf3 server for one test, by libiperf, in a child process of its
 * own, since the library has no stop call, waits for ever and may end the process. It
 * hears the peer only, and has no more of the system than it needs (receiver_confine.h).
 */
#pragma once

#include "base/error.h"

#include <stdint.h>
#include <sys/types.h>

struct t1s_receiver_config {
	char address[64]; /* to bind to, IPv4 or IPv6 */
	uint16_t port;
	char interface[16];   /* the one to be heard on */
	char peer[64];        /* the one address to be heard, IPv4 or IPv6 as @address */
	char json_file[4096]; /* the server's JSON goes here; made anew, mode 0644 */
	uint64_t max_bytes;   /* of that file; the child may not write more */
	uid_t uid;            /* whom the child becomes, before it opens a socket … */
	gid_t gid; /* … where uid is not 0; the file's folder must be theirs */
};

struct t1s_receiver {
	pid_t pid;  /* 0: none */
	int status; /* wait status once ended */
};

/*
 * Starts the server and waits until it listens. The caller must have one thread only, and
 * nobody else may wait for its children.
 * The file is there and empty until the server writes its whole result at the end of the
 * test; if it is ended before that, the file stays empty.
 * Returns 0; -EADDRINUSE if the port is taken, -EADDRNOTAVAIL if the address is not
 * there, -EINVAL if it is none, -ETIMEDOUT if it does not listen by @deadline_us, -ECHILD
 * if it ended at once (its own words in the text), or what the system said of the file.
 * On failure no child is left.
 */
int t1s_receiver_start(const struct t1s_receiver_config *c, uint64_t deadline_us,
	struct t1s_receiver *ret, struct t1s_error *e);

/* Whether it has ended: 1 ended (reaped, status set), 0 still running. */
int t1s_receiver_ended(struct t1s_receiver *r);

/*
 * Waits until it has ended by itself, or ends it (SIGKILL) at the deadline. Always leaves
 * no child. Returns 0 if it ended by itself, -ETIMEDOUT if it had to be killed.
 */
int t1s_receiver_finish(struct t1s_receiver *r, uint64_t deadline_us);
