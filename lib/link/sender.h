/* SPDX-License-Identifier: MIT */
/*
 * The sender: the other Pi, reached over the management network by SSH (libssh). Only a
 * host key that is pinned and the same is accepted; every wait has a deadline; nothing of
 * the user's own SSH configuration is read. The caller must have one thread only.
 */
#pragma once

#include "base/error.h"

#include <stddef.h>
#include <stdint.h>

struct t1s_sender_config {
	char host[256];
	char user[64];
	uint16_t port;
	char key_file[4096];    /* private key, without passphrase */
	char known_hosts[4096]; /* OpenSSH format */
};

/* Why a sender could not be used; decides between "try again" and "stop". */
enum t1s_sender_failure {
	T1S_SENDER_OK = 0,
	T1S_SENDER_UNREACHABLE, /* name unknown, no route, refused, timed out, link cut,
				   no SSH there: try again later */
	T1S_SENDER_HOST_KEY,    /* unknown, changed or other type: stop */
	T1S_SENDER_KEY,   /* our key missing, unreadable, encrypted, or refused: stop */
	T1S_SENDER_SETUP, /* a local set-up fault, e.g. no known_hosts file: stop */
	T1S_SENDER_FAILURE_MAX,
};

struct t1s_sender; /* an open session */

/*
 * Connects, checks the host key against @c->known_hosts and logs in by the key.
 * @deadline_us: t1s_now_us() time by which it has ended.
 * @ret_failure: set on failure. @ret: to be closed by t1s_sender_close.
 * Returns 0 or a negative errno:
 *  UNREACHABLE: -ENXIO name unknown, -EAGAIN no name server, -ECONNREFUSED, -ETIMEDOUT,
 *  -EHOSTUNREACH, -ENETUNREACH, -EPROTO (no SSH handshake came about), -ECONNRESET;
 *  HOST_KEY: -EKEYREJECTED; SETUP: -ENOENT, -EACCES, … for the known_hosts file;
 *  KEY: -ENOENT, -EACCES, … for the file, -ENOKEY encrypted, -EBADMSG malformed, -EPERM
 *  refused by the sender.
 */
int t1s_sender_open(const struct t1s_sender_config *c, uint64_t deadline_us,
	struct t1s_sender **ret, enum t1s_sender_failure *ret_failure,
	struct t1s_error *e);

/* Closes a session without waiting for the other side; NULL is fine. */
void t1s_sender_close(struct t1s_sender *s);

static inline void t1s_sender_closep(struct t1s_sender **s)
{
	t1s_sender_close(*s);
}

struct t1s_sender_output {
	char *out; /* standard output, 0-terminated; never NULL after success */
	size_t out_size;
	char *err; /* standard error, 0-terminated */
	size_t err_size;
	int exit_status; /* -1: none was sent (the command died by a signal) */
};

void t1s_sender_output_done(struct t1s_sender_output *o);

/*
 * Runs one command and collects its output, at most @max_bytes of each stream (more is
 * -EMSGSIZE: the channel is closed and what came is dropped). Ends when the command has
 * ended and nobody holds its output open any more.
 * @command: as the remote shell takes it; words that come from the configuration must
 * have gone through t1s_shell_quote. It must bound itself (timeout(1)): closing a channel
 * does not end it.
 * @tick: called at least every 100 ms with @tick_data while waiting; a negative return
 * ends the run with that value; may be NULL.
 * Returns 0 (whatever the exit status), -ETIMEDOUT, -ECONNRESET (session lost), -EPROTO
 * (the sender lets no command run), or others. On failure @ret is left alone. After
 * -ECONNRESET the session is of no use; after the others it can run a next command.
 */
int t1s_sender_run(struct t1s_sender *s, const char *command, size_t max_bytes,
	uint64_t deadline_us, int (*tick)(void *), void *tick_data,
	struct t1s_sender_output *ret, struct t1s_error *e);

/*
 * Quotes one word for a POSIX shell ('…'). Returns 0, or -ENAMETOOLONG.
 */
int t1s_shell_quote(const char *word, char *ret, size_t size);
