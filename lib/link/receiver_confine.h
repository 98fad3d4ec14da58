/* SPDX-License-Identifier: MIT */
/*
 * Inside the room only: what keeps the receiver's child process to its work. Its sockets
 * hear one peer on one interface, and of system calls it has those that an iperf3 server
 * makes: no program is run, no file that exists is opened, nobody else is signalled.
 */
#pragma once

#include "link/receiver.h"

#include <stdbool.h>
#include <sys/socket.h>

/* Who is let in. */
struct t1s_door {
	char interface[16];
	struct sockaddr_storage peer; /* its port does not count */
};

/* For the configured interface and peer. Returns 0, or -EINVAL if the peer is no IPv4 or
 * IPv6 address. */
int t1s_door_make(const struct t1s_receiver_config *c, struct t1s_door *ret);

/* Makes a socket hear its interface only. Returns 0 or a negative errno. */
int t1s_door_narrow(const struct t1s_door *g, int fd);

/* Whether this is the peer's address. */
bool t1s_door_knows(const struct t1s_door *g, const struct sockaddr_storage *from);

/*
 * From here on this process, with whatever threads it makes, has only the system calls of
 * an iperf3 server; others fail with EPERM. For good. Returns 0 or a negative errno.
 */
int t1s_confine_calls(void);
