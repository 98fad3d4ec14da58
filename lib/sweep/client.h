/* SPDX-License-Identifier: MIT */
/* What the sender's machine is asked to run. Internal to the room. */
#pragma once

#include "base/error.h"
#include "sweep/config.h"

#include <stddef.h>

/* Longest time one run of this workload may take there, in seconds: then timeout(1) ends
 * the client. */
unsigned int t1s_client_timeout_s(const struct t1s_workload *w);

/*
 * The command for the sender's shell: iperf3's client under timeout(1), since closing the
 * channel would not end it. It sends (Direction=receive), has us send (-R), or both
 * (--bidir). Returns 0 or -ENAMETOOLONG.
 */
int t1s_client_command(const struct t1s_config *c, const struct t1s_workload *w,
	char *ret, size_t size, struct t1s_error *e);

/*
 * Whether this version of the sender's iperf3 ("iperf 3.12") can run all workloads:
 * results of both directions at once can be read from 3.11 on. Returns 0 or
 * -EPROTONOSUPPORT.
 */
int t1s_client_check(
	const struct t1s_config *c, const char *version, struct t1s_error *e);
