/* SPDX-License-Identifier: MIT */
/*
 * Making a sender ours: our key, its host key, and a login by whatever it takes now to
 * install the one there. Every wait has a deadline, but for what a person is asked.
 */
#pragma once

#include "base/error.h"
#include "link/sender.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define T1S_FINGERPRINT_MAX 128
#define T1S_PUBLIC_KEY_MAX 1024

/* Somebody who can be asked for a password or the like. */
struct t1s_asker {
	/* @echo: whether what is typed may be seen. Returns 0, or -ECANCELED and others
	 * if there is no answer. */
	int (*ask)(const char *prompt, bool echo, char *ret, size_t size, void *data);
	void *data;
};

/* Makes a private key (ed25519, no passphrase) in a file of mode 0600, which lasts.
 * Returns 0, -EIO, or t1s_replace_file's errors. */
int t1s_key_make(const char *path, struct t1s_error *e);

/* The public half of the key in a file: "ssh-ed25519 AAAA…". Returns 0 or the errors of
 * t1s_sender_open for a key. */
int t1s_key_public(const char *path, char ret[T1S_PUBLIC_KEY_MAX], struct t1s_error *e);

enum t1s_host_key_state {
	T1S_HOST_KEY_PINNED,  /* the very one */
	T1S_HOST_KEY_NEW,     /* none is pinned for this host */
	T1S_HOST_KEY_CHANGED, /* another one, or one of another type, is pinned */
};

struct t1s_host_key {
	enum t1s_host_key_state state;
	char fingerprint[T1S_FINGERPRINT_MAX]; /* "ssh-ed25519 SHA256:…" */
	char line[T1S_PUBLIC_KEY_MAX];         /* for known_hosts, with its newline */
};

/*
 * Looks at the host key that the sender shows. @c->known_hosts may be missing; the key
 * file is not looked at.
 * Returns 0, or as t1s_sender_open up to there; -EBADMSG if known_hosts cannot be read.
 */
int t1s_host_key_look(const struct t1s_sender_config *c, uint64_t deadline_us,
	struct t1s_host_key *ret, struct t1s_error *e);

/* Pins it: the line takes the place of those for the same host and port. The file lasts
 * (mode 0644). Returns 0 or a negative errno. */
int t1s_host_key_pin(
	const char *known_hosts, const struct t1s_host_key *key, struct t1s_error *e);

/* By what one may log in now. */
struct t1s_proof {
	const char *key_file; /* a private key; NULL: by password */
	const char *password;
	struct t1s_asker asker; /* for a passphrase, or what else the sender asks */
};

/*
 * Opens a session by that proof, with the host key pinned. A password is given to the
 * method "password", or as the answer to the first hidden question of
 * "keyboard-interactive"; it is sent once.
 * Returns 0 or as t1s_sender_open; -EPERM if the proof is refused, or nobody is let in by
 * such a proof.
 */
int t1s_pairing_open(const struct t1s_sender_config *c, const struct t1s_proof *p,
	uint64_t deadline_us, struct t1s_sender **ret, struct t1s_error *e);

/*
 * Puts a line (see t1s_gate_line) into the account's ~/.ssh/authorized_keys, in the place
 * of all that hold the same public key. The file is replaced as a whole, and lasts.
 * Returns 0; -EREMOTEIO with the sender's words; or t1s_sender_run's errors.
 */
int t1s_pairing_install(struct t1s_sender *s, const char *line, const char *public_key,
	uint64_t deadline_us, struct t1s_error *e);
