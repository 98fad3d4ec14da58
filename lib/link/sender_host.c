/* SPDX-License-Identifier: MIT */
/* Whether the sender is the one it was: host keys. */
#include "base/cleanup.h"
#include "base/file.h"
#include "link/sender_session.h"

#include <errno.h>
#include <stdio.h>

#define KNOWN_HOSTS_MAX_BYTES ((size_t)1024 * 1024)

int t1s_sender_check_known_hosts(const char *path, struct t1s_error *e)
{
	cleanup_free char *data = NULL;
	int r = t1s_read_file(path, KNOWN_HOSTS_MAX_BYTES, &data, NULL, e);

	if (r < 0)
		return t1s_error_prefix(e, r,
			"the sender's host key cannot be checked (t1s-sweep pair "
			"USER@HOST pins it)");
	return 0;
}

void t1s_sender_fingerprint(struct t1s_sender *s, char ret[T1S_FINGERPRINT_MAX])
{
	cleanup_ssh_key ssh_key key = NULL;
	unsigned char *hash = NULL;
	char *text = NULL;
	size_t size;

	(void)snprintf(ret, T1S_FINGERPRINT_MAX, "no fingerprint");
	if (ssh_get_server_publickey(s->ssh, &key) < 0)
		return;
	if (ssh_get_publickey_hash(key, SSH_PUBLICKEY_HASH_SHA256, &hash, &size) < 0)
		return;
	text = ssh_get_fingerprint_hash(SSH_PUBLICKEY_HASH_SHA256, hash, size);
	if (text)
		(void)snprintf(ret, T1S_FINGERPRINT_MAX, "%s %s",
			ssh_key_type_to_char(ssh_key_type(key)), text);
	ssh_string_free_char(text);
	ssh_clean_pubkey_hash(&hash);
}

int t1s_sender_check_host_key(
	struct t1s_sender *s, const struct t1s_sender_config *c, struct t1s_error *e)
{
	enum ssh_known_hosts_e known = ssh_session_is_known_server(s->ssh);
	char shown[T1S_FINGERPRINT_MAX];

	if (known == SSH_KNOWN_HOSTS_OK)
		return 0;
	t1s_sender_fingerprint(s, shown);
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
