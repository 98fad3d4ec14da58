/* SPDX-License-Identifier: MIT */
#include "setup/pair.h"

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/path.h"
#include "link/gate.h"
#include "link/sender_way.h"
#include "setup/pair_files.h"
#include "setup/restriction.h"
#include "sweep/reach.h"

#include <errno.h>
#include <limits.h>
#include <string.h>
#include <sys/utsname.h>

#define PASSWORD_MAX 1024
#define INSTALL_US (40 * T1S_USEC_PER_SEC)
#define WAY_SPARE_S 3U
#define LETTERS "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-"

struct pairing {
	const struct t1s_pair_request *q;
	struct t1s_config config;
	struct t1s_sender_config sender;
	char public_key[T1S_PUBLIC_KEY_MAX];
	bool installed;
	char interface[IF_NAMESIZE]; /* the sender's on the link; "" not known */
};

/* Each step begins with its name. */
static void say(const struct pairing *p, const char *what, const char *text)
{
	(void)fprintf(p->q->out, "%-12s%s\n", what, text);
	(void)fflush(p->q->out);
}

static uint64_t soon_us(void)
{
	return t1s_now_us() + T1S_REACH_TRY_US;
}

/* They become lines of files, and words of commands that people copy. */
static int take_who(struct pairing *p, struct t1s_error *e)
{
	const char *who = p->q->who, *at = strrchr(who, '@');
	const char *host = at ? at + 1 : "";
	const size_t user = at ? (size_t)(at - who) : 0;

	if (user == 0 || user != strspn(who, LETTERS "$") || who[0] == '-' ||
		user >= sizeof(p->config.sender_user) || !host[0] || host[0] == '-' ||
		strlen(host) >= sizeof(p->config.sender_host) ||
		host[strspn(host, LETTERS ":%")] != '\0')
		return t1s_error_set(e, EINVAL,
			"\"%.200s\": expected USER@HOST, as in pi@192.168.1.20 or "
			"pi@sender.local",
			who);
	(void)snprintf(p->config.sender_user, sizeof(p->config.sender_user), "%.*s",
		(int)user, who);
	(void)snprintf(p->config.sender_host, sizeof(p->config.sender_host), "%s", host);
	return 0;
}

static int prepare(struct pairing *p, struct t1s_error *e)
{
	const struct t1s_pair_request *q = p->q;
	char id[T1S_GATE_ID_MAX];
	int r = t1s_config_load(q->root, q->config_path, false, &p->config, e);

	if (r == 0)
		r = take_who(p, e);
	if (r == 0)
		r = t1s_gate_id(p->config.sender_iperf3, id, e);
	if (r < 0)
		return r;
	if (!q->root[0] && geteuid() != 0)
		return t1s_error_set(e, EPERM,
			"the key is root's, and so is the configuration: sudo t1s-sweep "
			"pair %s",
			q->who);
	t1s_reach_settings(q->root, &p->config, &p->sender);
	return 0;
}

static int ensure_key(struct pairing *p, struct t1s_error *e)
{
	const char *path = p->sender.key_file;
	char folder[PATH_MAX], text[PATH_MAX + 32], public_path[PATH_MAX];
	const bool there = access(path, F_OK) == 0;
	int r = 0;

	(void)snprintf(
		folder, sizeof(folder), "%.*s", (int)(strrchr(path, '/') - path), path);
	if (!there) {
		r = t1s_make_folder(folder, 0700, e);
		if (r == 0)
			r = t1s_key_make(path, e);
	}
	if (r == 0)
		r = t1s_key_public(path, p->public_key, e);
	if (r < 0)
		return r;
	(void)snprintf(text, sizeof(text), "%s%s", t1s_path_below(p->q->root, path),
		there ? "" : " made");
	say(p, "our key", text);
	if (there || t1s_path(public_path, "", "%s.pub", path) < 0)
		return 0;
	/* for people; nothing depends on it */
	(void)snprintf(text, sizeof(text), "%s\n", p->public_key);
	return t1s_replace_file(public_path, text, strlen(text), 0644, false, e);
}

/* "SHA256:…" behind the type, which may be left out. */
static bool same_fingerprint(const char *shown, const char *given)
{
	const char *hash = strchr(shown, ' ');

	return strcmp(given, shown) == 0 || (hash && strcmp(given, hash + 1) == 0);
}

/* The command that shows it on the sender. */
static void show_command(const char *fingerprint, char *ret, size_t size)
{
	const char *type = strncmp(fingerprint, "ecdsa", 5) == 0     ? "ecdsa"
			   : strncmp(fingerprint, "ssh-rsa", 7) == 0 ? "rsa"
								     : "ed25519";

	(void)snprintf(ret, size, "ssh-keygen -lf /etc/ssh/ssh_host_%s_key.pub", type);
}

static int ask_whether_it_is(
	struct pairing *p, const struct t1s_host_key *key, struct t1s_error *e)
{
	char answer[T1S_FINGERPRINT_MAX] = "", command[80], text[96];
	int r;

	show_command(key->fingerprint, command, sizeof(command));
	if (!p->q->somebody)
		return t1s_error_set(e, EKEYREJECTED,
			"%s shows the host key %s, which is not pinned, and nobody is "
			"there to be asked: if that is what \"%s\" says on the sender, "
			"give it: --fingerprint=%s",
			p->sender.host, key->fingerprint, command,
			strchr(key->fingerprint, ' ') ? strchr(key->fingerprint, ' ') + 1
						      : key->fingerprint);
	say(p, "", "Does the sender say the same? There, on its own keyboard:");
	(void)snprintf(text, sizeof(text), "  %s", command);
	say(p, "", text);
	r = p->q->asker.ask("            Is it the same? [yes/no] ", true, answer,
		sizeof(answer), p->q->asker.data);
	if (r < 0)
		return t1s_error_set(e, -r, "no answer; nothing was trusted");
	if (strcmp(answer, "yes") != 0 && !same_fingerprint(key->fingerprint, answer))
		return t1s_error_set(e, EKEYREJECTED,
			"not the same (\"yes\" was expected): another machine answers at "
			"%s, or stands in between",
			p->sender.host);
	return 0;
}

static int trust(struct pairing *p, const struct t1s_host_key *key, struct t1s_error *e)
{
	const char *expected = p->q->fingerprint;

	if (!expected)
		return ask_whether_it_is(p, key, e);
	if (same_fingerprint(key->fingerprint, expected))
		return 0;
	return t1s_error_set(e, EKEYREJECTED,
		"%s shows the host key %s, not %.100s: another machine answers there, or "
		"stands in between",
		p->sender.host, key->fingerprint, expected);
}

static int ensure_host_key(struct pairing *p, struct t1s_error *e)
{
	struct t1s_host_key key;
	char text[T1S_FINGERPRINT_MAX + 64];
	int r = t1s_host_key_look(&p->sender, soon_us(), &key, e);

	if (r < 0)
		return r;
	(void)snprintf(text, sizeof(text), "%s%s", key.fingerprint,
		key.state == T1S_HOST_KEY_PINNED    ? ", pinned"
		: key.state == T1S_HOST_KEY_CHANGED ? ", NOT the pinned one"
						    : "");
	say(p, "host key", text);
	if (key.state == T1S_HOST_KEY_PINNED && !p->q->fingerprint)
		return 0;
	r = trust(p, &key, e);
	if (r < 0 || key.state == T1S_HOST_KEY_PINNED)
		return r;
	r = t1s_host_key_pin(p->sender.known_hosts, &key, e);
	if (r == 0)
		r = t1s_host_key_look(&p->sender, soon_us(), &key, e);
	if (r < 0)
		return r;
	if (key.state != T1S_HOST_KEY_PINNED)
		return t1s_error_set(e, EKEYREJECTED,
			"%s still holds another key for this host, in a line of another "
			"form: remove it (sudo ssh-keygen -R %s -f %s)",
			p->sender.known_hosts, p->sender.host, p->sender.known_hosts);
	say(p, "", "pinned");
	return 0;
}

/* Whether our key is there, behind the gate that it should have. */
static int look_whether_installed(struct pairing *p, struct t1s_error *e)
{
	cleanup_(t1s_sender_closep) struct t1s_sender *s = NULL;
	enum t1s_restriction restriction = T1S_RESTRICTION_NONE;
	enum t1s_sender_failure failure;
	int r = t1s_sender_open(&p->sender, soon_us(), &s, &failure, e);

	if (r < 0 && failure == T1S_SENDER_KEY)
		return 0;
	if (r == 0)
		r = t1s_restriction_ask(s, &p->config, &restriction, e);
	if (r < 0)
		return r;
	p->installed = restriction == T1S_RESTRICTION_CURRENT;
	if (restriction == T1S_RESTRICTION_NONE)
		say(p, "login", "our key is there, but may run anything; to be changed");
	else if (restriction == T1S_RESTRICTION_OTHER)
		say(p, "login",
			"our key is there, with other restrictions; to be changed");
	return 0;
}

static int get_password(struct pairing *p, char ret[PASSWORD_MAX], struct t1s_error *e)
{
	char prompt[512];
	int r;

	(void)snprintf(prompt, sizeof(prompt),
		"%-12sPassword of %s@%s (asked once, not kept): ", "login",
		p->sender.user, p->sender.host);
	r = p->q->asker.ask(prompt, false, ret, PASSWORD_MAX, p->q->asker.data);
	if (r < 0)
		return t1s_error_set(e, -r,
			"no password was given; a key that the sender takes already can "
			"be given instead (--key=FILE)");
	return 0;
}

static int make_line(
	const struct pairing *p, char ret[T1S_GATE_LINE_MAX], struct t1s_error *e)
{
	struct utsname uts;
	char comment[96];

	(void)snprintf(comment, sizeof(comment), "t1s-sweep@%.64s",
		uname(&uts) == 0 ? uts.nodename : "");
	return t1s_gate_line(p->config.sender_iperf3, p->public_key, comment, ret, e);
}

static int install(struct pairing *p, struct t1s_error *e)
{
	cleanup_(t1s_sender_closep) struct t1s_sender *s = NULL;
	char password[PASSWORD_MAX] = "", line[T1S_GATE_LINE_MAX];
	const struct t1s_proof proof = {
		.key_file = p->q->key_file, .password = password, .asker = p->q->asker};
	int r = make_line(p, line, e);

	if (r == 0 && !p->q->key_file)
		r = get_password(p, password, e);
	if (r == 0)
		r = t1s_pairing_open(&p->sender, &proof, soon_us(), &s, e);
	explicit_bzero(password, sizeof(password));
	if (r == 0)
		r = t1s_pairing_install(
			s, line, p->public_key, t1s_now_us() + INSTALL_US, e);
	if (r == 0)
		say(p, "",
			"our key installed in ~/.ssh/authorized_keys, for a sweep's "
			"commands only");
	return r;
}

/* What the person would only find out at the first boot. */
static void look_at_iperf(struct pairing *p, struct t1s_sender *s)
{
	char version[T1S_REACH_VERSION_MAX];
	struct t1s_error why = {{0}};

	if (t1s_reach_version(s, &p->config, version, &why) == 0)
		say(p, "iperf3", version);
	else
		say(p, "iperf3", "missing; on the sender: sudo apt install iperf3");
}

static void find_interface(struct pairing *p, struct t1s_sender *s)
{
	cleanup_(t1s_sender_output_done) struct t1s_sender_output out = {0};
	struct t1s_sender_way way;
	char command[1024], text[192];

	if (t1s_sender_way_command(p->config.receiver_address, p->config.sender_address,
		    command, sizeof(command)) < 0 ||
		t1s_sender_run(s, command, T1S_SENDER_WAY_MAX_BYTES,
			t1s_now_us() +
				(T1S_SENDER_WAY_S + WAY_SPARE_S) * T1S_USEC_PER_SEC,
			NULL, NULL, &out, NULL) < 0)
		return;
	t1s_sender_way_read(out.out, p->config.sender_address, &way);
	(void)snprintf(p->interface, sizeof(p->interface), "%s", way.holder);
	if (!way.asked)
		return;
	if (way.holder[0])
		(void)snprintf(text, sizeof(text), "%s has %s", way.holder,
			p->config.sender_address);
	else
		(void)snprintf(text, sizeof(text),
			"no interface there has %s yet; set it up and pair again",
			p->config.sender_address);
	say(p, "link", text);
}

/* With the key alone, as a sweep will do it. */
static int verify(struct pairing *p, struct t1s_error *e)
{
	cleanup_(t1s_sender_closep) struct t1s_sender *s = NULL;
	enum t1s_restriction restriction = T1S_RESTRICTION_NONE;
	enum t1s_sender_failure failure;
	int r = t1s_sender_open(&p->sender, soon_us(), &s, &failure, e);

	if (r == -EPERM)
		return t1s_error_set(e, EPERM,
			"the key stands in ~/.ssh/authorized_keys of %s@%s now, but is "
			"refused: look at AuthorizedKeysFile and PubkeyAuthentication in "
			"its sshd_config, and whether others may write its home "
			"(StrictModes)",
			p->sender.user, p->sender.host);
	if (r == 0)
		r = t1s_restriction_ask(s, &p->config, &restriction, e);
	if (r < 0)
		return r;
	if (restriction != T1S_RESTRICTION_CURRENT)
		return t1s_error_set(e, EACCES,
			"the key may still run something else on %s: another line of an "
			"authorized_keys file has it too",
			p->sender.host);
	r = t1s_restriction_try(s, &p->config, e);
	if (r < 0)
		return r;
	say(p, "login", "works with the key, and lets a sweep's commands through");
	look_at_iperf(p, s);
	find_interface(p, s);
	return 0;
}

static int write_drop_in(struct pairing *p, struct t1s_error *e)
{
	char path[PATH_MAX], text[PATH_MAX + 16];
	struct t1s_config after;
	int r = t1s_pair_drop_in_path(p->q->root, p->q->config_path, path);

	if (r < 0)
		return t1s_error_set(e, -r, "path too long: %s", p->q->root);
	r = t1s_pair_write_drop_in(path, p->sender.user, p->sender.host, p->interface, e);
	if (r < 0)
		return r;
	(void)snprintf(text, sizeof(text), "%s%s", t1s_path_below(p->q->root, path),
		r > 0 ? " written" : "");
	say(p, "configured", text);
	r = t1s_config_load(p->q->root, p->q->config_path, true, &after, e);
	if (r < 0)
		return r;
	if (strcmp(after.sender_host, p->sender.host) != 0 ||
		strcmp(after.sender_user, p->sender.user) != 0)
		return t1s_error_set(e, EEXIST,
			"a later drop-in beside it says %s@%s: remove Host= and User= "
			"there",
			after.sender_user, after.sender_host);
	return 0;
}

int t1s_pair(const struct t1s_pair_request *q, struct t1s_error *e)
{
	struct pairing p = {.q = q};
	int r = prepare(&p, e);

	if (r == 0)
		r = ensure_key(&p, e);
	if (r == 0)
		r = ensure_host_key(&p, e);
	if (r == 0)
		r = look_whether_installed(&p, e);
	if (r == 0 && !p.installed)
		r = install(&p, e);
	if (r == 0)
		r = verify(&p, e);
	if (r == 0)
		r = write_drop_in(&p, e);
	if (r == 0)
		say(&p, "", "Paired. Next: sudo t1s-sweep check");
	return r;
}
