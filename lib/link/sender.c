/* SPDX-License-Identifier: MIT */
#include "link/sender.h"

#include "base/cleanup.h"
#include "base/clock.h"
#include "link/dial.h"
#include "link/sender_session.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#define WAIT_MAX_MS 100

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

/* Why an SSH server may hang up before it has said that it is one. */
static const char *no_banner_hint(const struct t1s_sender *s)
{
	return ssh_get_serverbanner(s->ssh)
		       ? ""
		       : ". An sshd hangs up so on too many connections at once "
			 "(MaxStartups) and, from OpenSSH 9.8 on, on who failed to log in "
			 "shortly before (PerSourcePenalties): its log tells, and a minute "
			 "later it may answer";
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
				"about: %s%s",
				s->name, ssh_get_error(s->ssh), no_banner_hint(s));
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

int t1s_sender_log_in(struct t1s_sender *s, const char *key_file, ssh_key key,
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
				s->name, key_file,
				r == SSH_AUTH_PARTIAL ? " as the only proof" : "",
				s->name);
		if (r != SSH_AUTH_AGAIN)
			return t1s_sender_lost_login(s, e);
		r = t1s_sender_await_login(s, deadline_us, e);
		if (r < 0)
			return r;
	}
}

int t1s_sender_lost_login(struct t1s_sender *s, struct t1s_error *e)
{
	return t1s_error_set(e, ECONNRESET,
		"%s ended the connection while logging in: %s", s->name,
		ssh_get_error(s->ssh));
}

int t1s_sender_await_login(
	struct t1s_sender *s, uint64_t deadline_us, struct t1s_error *e)
{
	if (t1s_left_ms(deadline_us) == 0)
		return t1s_error_set(
			e, ETIMEDOUT, "%s did not answer to the login in time", s->name);
	(void)t1s_sender_wait(s, deadline_us);
	return 0;
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

int t1s_sender_connect(const struct t1s_sender_config *c, uint64_t deadline_us,
	struct t1s_sender **ret, enum t1s_sender_failure *ret_failure,
	struct t1s_error *e)
{
	cleanup_(t1s_sender_closep) struct t1s_sender *s = NULL;
	cleanup_close int fd = -1;
	int r;

	*ret_failure = T1S_SENDER_UNREACHABLE;
	r = t1s_dial(c->host, c->port, deadline_us, &fd, e);
	if (r < 0)
		return r;
	*ret_failure = T1S_SENDER_SETUP;
	s = new_sender(c);
	if (!s)
		return t1s_error_set(e, ENOMEM, "out of memory");
	r = set_options(s->ssh, c, fd);
	if (r < 0)
		return t1s_error_set(e, -r,
			"host, user or the path of known_hosts cannot be used: %s",
			ssh_get_error(s->ssh));
	fd = -1; /* libssh's from here on */
	*ret_failure = T1S_SENDER_UNREACHABLE;
	r = shake_hands(s, deadline_us, e);
	if (r < 0)
		return r;
	*ret_failure = T1S_SENDER_OK;
	*ret = t1s_steal(s);
	return 0;
}

int t1s_sender_open(const struct t1s_sender_config *c, uint64_t deadline_us,
	struct t1s_sender **ret, enum t1s_sender_failure *ret_failure,
	struct t1s_error *e)
{
	cleanup_(t1s_sender_closep) struct t1s_sender *s = NULL;
	cleanup_ssh_key ssh_key key = NULL;
	int r;

	*ret_failure = T1S_SENDER_SETUP;
	r = t1s_sender_check_known_hosts(c->known_hosts, e);
	if (r < 0)
		return r;
	*ret_failure = T1S_SENDER_KEY;
	r = t1s_sender_load_key(c->key_file, NULL, &key, e);
	if (r < 0)
		return r;
	r = t1s_sender_connect(c, deadline_us, &s, ret_failure, e);
	if (!s)
		return r;
	*ret_failure = T1S_SENDER_HOST_KEY;
	r = t1s_sender_check_host_key(s, c, e);
	if (r < 0)
		return r;
	r = t1s_sender_log_in(s, c->key_file, key, deadline_us, e);
	*ret_failure = r == 0        ? T1S_SENDER_OK
		       : r == -EPERM ? T1S_SENDER_KEY
				     : T1S_SENDER_UNREACHABLE;
	if (r < 0)
		return r;
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
