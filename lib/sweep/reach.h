/* SPDX-License-Identifier: MIT */
/*
 * The configured sender, as the sweep reaches it: by which key and host key, with which
 * iperf3, and what it tells about itself.
 */
#pragma once

#include "base/error.h"
#include "link/sender.h"
#include "link/sender_facts.h"
#include "sweep/config.h"

#define T1S_REACH_TRY_US (15 * T1S_USEC_PER_SEC) /* for one try to log in */
#define T1S_REACH_VERSION_MAX 32

/*
 * What t1s_sender_open needs: key and pinned host key are the service's credentials
 * (LoadCredential=, $CREDENTIALS_DIRECTORY), else, and always with a root, those of
 * ROOT/etc/t1s-sweep/ssh.
 */
void t1s_reach_settings(
	const char *root, const struct t1s_config *c, struct t1s_sender_config *ret);

/* The command that asks for the version of the sender's iperf3. Returns 0 or
 * -ENAMETOOLONG. */
int t1s_reach_version_command(
	const struct t1s_config *c, char *ret, size_t size, struct t1s_error *e);

/*
 * Version of the sender's iperf3, as "iperf 3.12".
 * Returns 0; -ENOEXEC if there is no iperf3 that answers so; -ECONNRESET if the session
 * was lost or stalled; or t1s_sender_run's errors.
 */
int t1s_reach_version(struct t1s_sender *sender, const struct t1s_config *c,
	char ret[T1S_REACH_VERSION_MAX], struct t1s_error *e);

/* The version in what "iperf3 --version" wrote, which begins "iperf 3.12 (cJSON 1.7.15)".
 * Returns 0 or -EBADMSG. */
int t1s_reach_read_version(const char *output, char ret[T1S_REACH_VERSION_MAX]);

/*
 * What the sender tells about itself. Returns 0, also where it does not tell, or
 * -ECONNRESET if the session was lost.
 */
int t1s_reach_facts(struct t1s_sender *sender, const struct t1s_config *c,
	struct t1s_sender_facts *ret, struct t1s_error *e);
