/* SPDX-License-Identifier: MIT */
/* Private keys: reading one, making one. */
#include "base/cleanup.h"
#include "base/file.h"
#include "link/pairing.h"
#include "link/sender_session.h"

#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>

#define KEY_MAX_BYTES ((size_t)64 * 1024)

/* Who holds a private key leaves no core, and others of the same user cannot look into
 * its memory. */
static void hide_memory(void)
{
	(void)prctl(PR_SET_DUMPABLE, 0);
}

struct passphrase {
	const struct t1s_asker *asker; /* NULL: nobody is there to type one */
	const char *path;
	bool asked;
};

/* Called by libssh where a passphrase is needed. */
static int give_passphrase(
	const char *prompt, char *buf, size_t len, int echo, int verify, void *data)
{
	struct passphrase *p = data;
	char question[PATH_MAX + 32];

	(void)prompt;
	(void)echo;
	(void)verify;
	p->asked = true;
	if (!p->asker)
		return -1;
	(void)snprintf(question, sizeof(question), "Passphrase of %s: ", p->path);
	return p->asker->ask(question, false, buf, len, p->asker->data);
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

int t1s_sender_load_key(const char *path, const struct t1s_asker *asker, ssh_key *ret,
	struct t1s_error *e)
{
	struct passphrase passphrase = {.asker = asker, .path = path};
	cleanup_free char *text = NULL;
	size_t size;
	int r;

	hide_memory();
	r = t1s_read_file(path, KEY_MAX_BYTES, &text, &size, e);
	if (r < 0)
		return tell_key_unread(path, r, e);
	r = ssh_pki_import_privkey_base64(text, NULL, give_passphrase, &passphrase, ret);
	explicit_bzero(text, size);
	if (r == SSH_OK)
		return 0;
	if (passphrase.asked && asker)
		return t1s_error_set(e, ENOKEY, "that is not the passphrase of %s", path);
	if (passphrase.asked)
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

int t1s_key_public(const char *path, char ret[T1S_PUBLIC_KEY_MAX], struct t1s_error *e)
{
	cleanup_ssh_key ssh_key key = NULL;
	char *base64 = NULL;
	int r = t1s_sender_load_key(path, NULL, &key, e);

	if (r < 0)
		return r;
	if (ssh_pki_export_pubkey_base64(key, &base64) != SSH_OK)
		return t1s_error_set(
			e, EBADMSG, "%s: its public half cannot be made", path);
	r = snprintf(ret, T1S_PUBLIC_KEY_MAX, "%s %s",
		ssh_key_type_to_char(ssh_key_type(key)), base64);
	ssh_string_free_char(base64);
	return r < T1S_PUBLIC_KEY_MAX ? 0
				      : t1s_error_set(e, EMSGSIZE,
						"%s: its public half is too long", path);
}

int t1s_key_make(const char *path, struct t1s_error *e)
{
	cleanup_ssh_key ssh_key key = NULL;
	char *text = NULL;
	int r;

	if (ssh_pki_generate(SSH_KEYTYPE_ED25519, 0, &key) != SSH_OK ||
		ssh_pki_export_privkey_base64(key, NULL, NULL, NULL, &text) != SSH_OK)
		return t1s_error_set(e, EIO, "cannot make a private key");
	r = t1s_replace_file(path, text, strlen(text), 0600, false, e);
	explicit_bzero(text, strlen(text));
	ssh_string_free_char(text);
	return r;
}
