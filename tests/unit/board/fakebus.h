/* SPDX-License-Identifier: MIT */
/*
 * A system bus with logind and the service manager on it, in a child process: one client,
 * real D-Bus on a socket, and such manners as a test wants.
 */
#pragma once

#include <stdbool.h>
#include <sys/types.h>

#define FAKEBUS_CALLS_MAX 4096

struct fakebus_manners {
	bool silent_bus;    /* takes the connection and says nothing */
	bool closes;        /* closes it at once */
	bool silent_logind; /* no answer to ScheduleShutdown */
	bool no_wall;       /* SetWallMessage fails */
	const char *error;  /* answer to the first @errors real requests */
	int errors;
	const char *holder; /* holds a block inhibitor against a shutdown */
	const char *state;  /* of the unit's file; NULL: there is no such unit */
	const char *doing;  /* the service's status text */
	bool reboots;       /* a reboot is planned, for 12 s after 1970 */
};

struct fakebus {
	pid_t child;
	int calls_fd;
};

/* Starts it and points $DBUS_SYSTEM_BUS_ADDRESS there. */
void fakebus_start(struct fakebus *bus, const struct fakebus_manners *manners);

/* Ends it; @ret_calls: what was asked, one line each ("" if nobody came). */
void fakebus_stop(struct fakebus *bus, char ret_calls[FAKEBUS_CALLS_MAX]);
