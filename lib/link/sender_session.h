/* SPDX-License-Identifier: MIT */
/* Inside the room only: what the files about the sender share. */
#pragma once

#include "base/cleanup.h"
#include "link/pairing.h"
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

static inline void t1s_ssh_key_freep(ssh_key *key)
{
	ssh_key_free(*key);
}

#define cleanup_ssh_key cleanup_(t1s_ssh_key_freep)

/*
 * Connects and shakes hands; whose host key that is, is not looked at yet. Failures as
 * those of t1s_sender_open up to there.
 */
int t1s_sender_connect(const struct t1s_sender_config *c, uint64_t deadline_us,
	struct t1s_sender **ret, enum t1s_sender_failure *ret_failure,
	struct t1s_error *e);

/* Whether the file of pinned host keys can be read. */
int t1s_sender_check_known_hosts(const char *path, struct t1s_error *e);

/* Returns 0 if the host key is pinned and the same, -EKEYREJECTED. */
int t1s_sender_check_host_key(
	struct t1s_sender *s, const struct t1s_sender_config *c, struct t1s_error *e);

/* "ssh-ed25519 SHA256:…", the hash as ssh-keygen -l shows it. */
void t1s_sender_fingerprint(struct t1s_sender *s, char ret[T1S_FINGERPRINT_MAX]);

/* Loads a private key; @asker is asked for its passphrase, NULL: nobody is there.
 * Failures as those of t1s_sender_open. */
int t1s_sender_load_key(const char *path, const struct t1s_asker *asker, ssh_key *ret,
	struct t1s_error *e);

/* Logs in by a key; @key_file names it. Returns 0, -EPERM, -ETIMEDOUT, -ECONNRESET. */
int t1s_sender_log_in(struct t1s_sender *s, const char *key_file, ssh_key key,
	uint64_t deadline_us, struct t1s_error *e);

/* While logging in: waits, or -ETIMEDOUT; tells that the connection is gone. */
int t1s_sender_await_login(
	struct t1s_sender *s, uint64_t deadline_us, struct t1s_error *e);
int t1s_sender_lost_login(struct t1s_sender *s, struct t1s_error *e);
