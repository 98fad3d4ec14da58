/* SPDX-License-Identifier: MIT */
#include "base/cleanup.h"
#include "base/file.h"
#include "link/pairing.h"
#include "link/sender_session.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#define KNOWN_HOSTS_MAX_BYTES ((size_t)1024 * 1024)

static int read_state(struct t1s_sender *s, const struct t1s_sender_config *c,
	struct t1s_host_key *ret, struct t1s_error *e)
{
	switch (ssh_session_is_known_server(s->ssh)) {
	case SSH_KNOWN_HOSTS_OK:
		ret->state = T1S_HOST_KEY_PINNED;
		return 0;
	case SSH_KNOWN_HOSTS_UNKNOWN:
	case SSH_KNOWN_HOSTS_NOT_FOUND:
		ret->state = T1S_HOST_KEY_NEW;
		return 0;
	case SSH_KNOWN_HOSTS_CHANGED:
	case SSH_KNOWN_HOSTS_OTHER:
		ret->state = T1S_HOST_KEY_CHANGED;
		return 0;
	default:
		return t1s_error_set(e, EBADMSG, "%s cannot be used: %s", c->known_hosts,
			ssh_get_error(s->ssh));
	}
}

int t1s_host_key_look(const struct t1s_sender_config *c, uint64_t deadline_us,
	struct t1s_host_key *ret, struct t1s_error *e)
{
	cleanup_(t1s_sender_closep) struct t1s_sender *s = NULL;
	enum t1s_sender_failure failure;
	struct t1s_host_key key;
	char *line = NULL;
	int r = t1s_sender_connect(c, deadline_us, &s, &failure, e);

	if (r == 0)
		r = read_state(s, c, &key, e);
	if (r < 0)
		return r;
	t1s_sender_fingerprint(s, key.fingerprint);
	if (ssh_session_export_known_hosts_entry(s->ssh, &line) != SSH_OK)
		return t1s_error_set(
			e, EPROTO, "%s shows no host key that can be kept", s->name);
	r = snprintf(key.line, sizeof(key.line), "%s", line);
	ssh_string_free_char(line);
	if ((size_t)r >= sizeof(key.line))
		return t1s_error_set(
			e, EMSGSIZE, "the host key of %s is too long", s->name);
	*ret = key;
	return 0;
}

/* Whether a line is for this host and no other. */
static bool is_for(const char *line, const char *host, size_t n)
{
	return strncmp(line, host, n) == 0 && (line[n] == ' ' || line[n] == '\t');
}

/* Copies what stays of the file: whole lines, but for those of this host. */
static size_t keep_others(char *to, const char *text, const char *host, size_t n)
{
	const char *begin = to;

	for (const char *p = text; *p;) {
		const size_t line = strcspn(p, "\n");

		if (!is_for(p, host, n)) {
			memcpy(to, p, line);
			to += line;
			*to++ = '\n';
		}
		p += line + (p[line] == '\n');
	}
	return (size_t)(to - begin);
}

int t1s_host_key_pin(
	const char *known_hosts, const struct t1s_host_key *key, struct t1s_error *e)
{
	cleanup_free char *old = NULL;
	cleanup_free char *text = NULL;
	size_t size = 0, kept = 0;
	int r = t1s_read_file(known_hosts, KNOWN_HOSTS_MAX_BYTES, &old, &size, e);

	if (r < 0 && r != -ENOENT)
		return r;
	text = malloc(size + 1 + sizeof(key->line));
	if (!text)
		return t1s_error_set(e, ENOMEM, "out of memory");
	if (old)
		kept = keep_others(text, old, key->line, strcspn(key->line, " "));
	memcpy(text + kept, key->line, strlen(key->line));
	return t1s_replace_file(
		known_hosts, text, kept + strlen(key->line), 0644, false, e);
}
