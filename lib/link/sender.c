/* SPDX-License-Identifier: MIT */
#include "link/sender.h"

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/file.h"
#include "link/dial.h"
#include "link/sender_session.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#define KEY_MAX_BYTES ((size_t)64 * 1024)
#define KNOWN_HOSTS_MAX_BYTES ((size_t)1024 * 1024)
#define WAIT_MAX_MS 100

static void key_freep(ssh_key *key)
{
	ssh_key_free(*key);
}

#define cleanup_key cleanup_(key_freep)

int t1s_sender_wait(struct t1s_sender *s, uint64_t deadline_us)
{
	struct pollfd p = {.fd = ssh_get_fd(s->ssh), .events = POLLIN};
	int left_ms = t1s_left_ms(deadline_us);

	if (p.fd < 0)
		return -ECONNRESET;
	if (ssh_get_poll_flags(s->ssh) & SSH_WRITE_PENDING)
		p.events |= POLLOUT;
	(void)poll(&p, 1, left_ms < WAIT_MAX_MS ? left_ms : WAIT_MAX_MS);
	return 0;
}

/* A path as an option of libssh, which would expand % and ~ in it. */
static int set_path(ssh_session ssh, enum ssh_options_e option, const char *path)
{
	char escaped[2 * PATH_MAX];
	size_t n = 0;

	for (const char *p = path; *p; p++) {
		if (n + 3 > sizeof(escaped))
			return -ENAMETOOLONG;
		if (*p == '%')
			escaped[n++] = '%';
		escaped[n++] = *p;
	}
	escaped[n] = '\0';
	return ssh_options_set(ssh, option, escaped) < 0 ? -EINVAL : 0;
}

static int set_options(ssh_session ssh, const struct t1s_sender_config *c, int fd)
{
	const bool off = false;
	const int strict = 1;
	const unsigned int port = c->port;
	int r;

	if (ssh_options_set(ssh, SSH_OPTIONS_PROCESS_CONFIG, &off) < 0 ||
		ssh_options_set(ssh, SSH_OPTIONS_STRICTHOSTKEYCHECK, &strict) < 0 ||
		ssh_options_set(ssh, SSH_OPTIONS_HOST, c->host) < 0 ||
		ssh_options_set(ssh, SSH_OPTIONS_PORT, &port) < 0 ||
		ssh_options_set(ssh, SSH_OPTIONS_USER, c->user) < 0 ||
		/* else it looks for a home, which a service's user may not have */
		ssh_options_set(ssh, SSH_OPTIONS_SSH_DIR, "/nonexistent") < 0 ||
		ssh_options_set(ssh, SSH_OPTIONS_GLOBAL_KNOWNHOSTS, "/dev/null") < 0)
		return -EINVAL;
	r = set_path(ssh, SSH_OPTIONS_KNOWNHOSTS, c->known_hosts);
	if (r < 0)
		return r;
	return ssh_options_set(ssh, SSH_OPTIONS_FD, &fd) < 0 ? -EINVAL : 0;
}

static int check_known_hosts(const char *path, struct t1s_error *e)
{
	cleanup_free char *data = NULL;
	int r = t1s_read_file(path, KNOWN_HOSTS_MAX_BYTES, &data, NULL, e);

	if (r < 0)
		return t1s_error_prefix(e, r,
			"the sender's host key cannot be checked (t1s-sweep pair "
			"USER@HOST pins it)");
	return 0;
}

/* Called by libssh where a passphrase is needed: nobody is there to type one. */
static int note_passphrase(
	const char *prompt, char *buf, size_t len, int echo, int verify, void *data)
{
	(void)prompt;
	(void)buf;
	(void)len;
	(void)echo;
	(void)verify;
	*(bool *)data = true;
	return -1;
}

static int tell_key_unread(const char *path, int r, struct t1s_error *e)
{
	if (r == -ENOENT)
		return t1s_error_set(e, ENOENT,
			"there is no private key %s; make it with: sudo t1s-sweep pair "
			"USER@HOST",
			path);
	if (r == -EACCES)
		return t1s_error_set(e, EACCES,
			"the private key %s cannot be read by this user: check its owner "
			"and permissions, and those of its folders",
			path);
	return t1s_error_prefix(e, r, "the private key");
}

static int load_key(const char *path, ssh_key *ret, struct t1s_error *e)
{
	cleanup_free char *text = NULL;
	bool encrypted = false;
	size_t size;
	int r = t1s_read_file(path, KEY_MAX_BYTES, &text, &size, e);

	if (r < 0)
		return tell_key_unread(path, r, e);
	r = ssh_pki_import_privkey_base64(text, NULL, note_passphrase, &encrypted, ret);
	explicit_bzero(text, size);
	if (r == SSH_OK)
		return 0;
	if (encrypted)
		return t1s_error_set(e, ENOKEY,
			"the private key %s is encrypted, and nobody is there to type "
			"its "
			"passphrase: use one without (ssh-keygen -p -N '' -f FILE), or "
			"make a new one with: sudo t1s-sweep pair USER@HOST",
			path);
	return t1s_error_set(e, EBADMSG,
		"%s holds no private key that can be read: an OpenSSH or PEM key was "
		"expected",
		path);
}

static int shake_hands(struct t1s_sender *s, uint64_t deadline_us, struct t1s_error *e)
{
	for (;;) {
		int r = ssh_connect(s->ssh);

		if (r == SSH_OK)
			return 0;
		if (r != SSH_AGAIN)
			return t1s_error_set(e, EPROTO,
				"%s accepted the connection, but no SSH handshake came "
				"about: %s",
				s->name, ssh_get_error(s->ssh));
		if (t1s_left_ms(deadline_us) == 0)
			return t1s_error_set(e, ETIMEDOUT,
				"%s accepted the connection, but did not finish the SSH "
				"handshake in time: it hangs, or what listens there is "
				"no "
				"SSH server",
				s->name);
		(void)t1s_sender_wait(s, deadline_us);
	}
}

#define FINGERPRINT_MAX 128

/* "ED25519 SHA256:…", as ssh-keygen -l shows it. */
static void fingerprint(ssh_session ssh, char ret[FINGERPRINT_MAX])
{
	cleanup_key ssh_key key = NULL;
	unsigned char *hash = NULL;
	char *text = NULL;
	size_t size;

	(void)snprintf(ret, FINGERPRINT_MAX, "no fingerprint");
	if (ssh_get_server_publickey(ssh, &key) < 0)
		return;
	if (ssh_get_publickey_hash(key, SSH_PUBLICKEY_HASH_SHA256, &hash, &size) < 0)
		return;
	text = ssh_get_fingerprint_hash(SSH_PUBLICKEY_HASH_SHA256, hash, size);
	if (text)
		(void)snprintf(ret, FINGERPRINT_MAX, "%s %s",
			ssh_key_type_to_char(ssh_key_type(key)), text);
	ssh_string_free_char(text);
	ssh_clean_pubkey_hash(&hash);
}

static int check_host_key(
	struct t1s_sender *s, const struct t1s_sender_config *c, struct t1s_error *e)
{
	enum ssh_known_hosts_e known = ssh_session_is_known_server(s->ssh);
	char shown[FINGERPRINT_MAX];

	if (known == SSH_KNOWN_HOSTS_OK)
		return 0;
	fingerprint(s->ssh, shown);
	switch (known) {
	case SSH_KNOWN_HOSTS_CHANGED:
		return t1s_error_set(e, EKEYREJECTED,
			"the host key of %s has changed: it shows %s, another one is "
			"pinned in %s. Either the sender was set up anew or somebody "
			"stands in between. Compare on the sender: ssh-keygen -lf "
			"/etc/ssh/ssh_host_ed25519_key.pub; if it is the same, pin it "
			"with: sudo t1s-sweep pair %s",
			c->host, shown, c->known_hosts, s->name);
	case SSH_KNOWN_HOSTS_OTHER:
		return t1s_error_set(e, EKEYREJECTED,
			"the host key of %s is of another type than the pinned one: it "
			"shows %s, which is not in %s. Compare it on the sender and pin "
			"it with: sudo t1s-sweep pair %s",
			c->host, shown, c->known_hosts, s->name);
	case SSH_KNOWN_HOSTS_UNKNOWN:
	case SSH_KNOWN_HOSTS_NOT_FOUND:
		return t1s_error_set(e, EKEYREJECTED,
			"the host key of %s port %u is not known: it shows %s, which is "
			"not in %s. Compare it on the sender (ssh-keygen -lf "
			"/etc/ssh/ssh_host_ed25519_key.pub) and pin it with: sudo "
			"t1s-sweep pair %s",
			c->host, c->port, shown, c->known_hosts, s->name);
	default:
		return t1s_error_set(e, EKEYREJECTED,
			"the host key of %s (%s) could not be checked: %s", c->host,
			shown, ssh_get_error(s->ssh));
	}
}

static int log_in(struct t1s_sender *s, const struct t1s_sender_config *c, ssh_key key,
	uint64_t deadline_us, struct t1s_error *e)
{
	for (;;) {
		int r = ssh_userauth_publickey(s->ssh, NULL, key);

		if (r == SSH_AUTH_SUCCESS)
			return 0;
		if (r == SSH_AUTH_DENIED || r == SSH_AUTH_PARTIAL)
			return t1s_error_set(e, EPERM,
				"%s refused the key %s%s: its public half must stand in "
				"~/.ssh/authorized_keys of that user there (sudo "
				"t1s-sweep pair %s does it)",
				s->name, c->key_file,
				r == SSH_AUTH_PARTIAL ? " as the only proof" : "",
				s->name);
		if (r != SSH_AUTH_AGAIN)
			return t1s_error_set(e, ECONNRESET,
				"%s ended the connection while logging in: %s", s->name,
				ssh_get_error(s->ssh));
		if (t1s_left_ms(deadline_us) == 0)
			return t1s_error_set(e, ETIMEDOUT,
				"%s did not answer to the login in time", s->name);
		(void)t1s_sender_wait(s, deadline_us);
	}
}

/* From the connected socket to the logged-in session; @fd is libssh's from here on. */
static int open_session(struct t1s_sender *s, const struct t1s_sender_config *c,
	ssh_key key, uint64_t deadline_us, enum t1s_sender_failure *ret_failure,
	struct t1s_error *e)
{
	int r = shake_hands(s, deadline_us, e);

	*ret_failure = T1S_SENDER_UNREACHABLE;
	if (r < 0)
		return r;
	r = check_host_key(s, c, e);
	if (r < 0) {
		*ret_failure = T1S_SENDER_HOST_KEY;
		return r;
	}
	r = log_in(s, c, key, deadline_us, e);
	if (r == -EPERM)
		*ret_failure = T1S_SENDER_KEY;
	return r;
}

static struct t1s_sender *new_sender(const struct t1s_sender_config *c)
{
	struct t1s_sender *s = calloc(1, sizeof(*s));

	if (!s)
		return NULL;
	s->ssh = ssh_new();
	if (!s->ssh) {
		free(s);
		return NULL;
	}
	(void)snprintf(s->name, sizeof(s->name), "%s@%s", c->user, c->host);
	ssh_set_blocking(s->ssh, 0);
	return s;
}

int t1s_sender_open(const struct t1s_sender_config *c, uint64_t deadline_us,
	struct t1s_sender **ret, enum t1s_sender_failure *ret_failure,
	struct t1s_error *e)
{
	cleanup_(t1s_sender_closep) struct t1s_sender *s = NULL;
	cleanup_key ssh_key key = NULL;
	cleanup_close int fd = -1;
	int r;

	*ret_failure = T1S_SENDER_SETUP;
	r = check_known_hosts(c->known_hosts, e);
	if (r < 0)
		return r;
	s = new_sender(c);
	if (!s)
		return t1s_error_set(e, ENOMEM, "out of memory");
	*ret_failure = T1S_SENDER_KEY;
	r = load_key(c->key_file, &key, e);
	if (r < 0)
		return r;
	*ret_failure = T1S_SENDER_UNREACHABLE;
	r = t1s_dial(c->host, c->port, deadline_us, &fd, e);
	if (r < 0)
		return r;
	*ret_failure = T1S_SENDER_SETUP;
	r = set_options(s->ssh, c, fd);
	if (r < 0)
		return t1s_error_set(e, -r,
			"host, user or the path of known_hosts cannot be used: %s",
			ssh_get_error(s->ssh));
	fd = -1;
	r = open_session(s, c, key, deadline_us, ret_failure, e);
	if (r < 0)
		return r;
	*ret_failure = T1S_SENDER_OK;
	*ret = t1s_steal(s);
	return 0;
}

void t1s_sender_close(struct t1s_sender *s)
{
	if (!s)
		return;
	/* no ssh_disconnect: it would leave a socket that was given to it open */
	ssh_free(s->ssh);
	free(s);
}
