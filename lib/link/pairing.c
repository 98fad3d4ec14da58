/* SPDX-License-Identifier: MIT */
#include "link/pairing.h"

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/log.h"
#include "link/sender_session.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#define ROUNDS_MAX 8 /* of questions, of keyboard-interactive */
#define ANSWER_MAX 1024
#define OUTPUT_MAX_BYTES ((size_t)4096)

/* For a POSIX shell; $1 is the line, $2 the public key. Made beside the file and renamed,
 * so that a login at this instant finds the old or the new one. */
static const char install_sh[] =
	"set -eu\n"
	"umask 077\n"
	"cd\n"
	"mkdir -p .ssh\n"
	"file=.ssh/authorized_keys\n"
	"[ ! -L $file ] || file=$(readlink -f $file)\n"
	"new=$file.t1s-sweep\n"
	"[ -e \"$file\" ] || : >\"$file\"\n"
	"while IFS= read -r line || [ -n \"$line\" ]; do\n"
	"	case $line in *\"$2\"*) ;; *) printf '%s\\n' \"$line\" ;; esac\n"
	"done <\"$file\" >\"$new\"\n"
	"printf '%s\\n' \"$1\" >>\"$new\"\n"
	"sync \"$new\" 2>/dev/null || sync\n"
	"mv -f \"$new\" \"$file\"\n"
	"sync .ssh 2>/dev/null || sync\n"
	"! command -v restorecon >/dev/null || restorecon -R .ssh\n";

static int refused(struct t1s_sender *s, const char *what, struct t1s_error *e)
{
	return t1s_error_set(e, EPERM,
		"%s refused the %s: is it the right one, and may this user log in by it?",
		s->name, what);
}

/* Asks the sender which methods it takes; it tells them with its refusal. */
static int list_methods(struct t1s_sender *s, uint64_t deadline_us,
	unsigned int *ret_methods, struct t1s_error *e)
{
	for (;;) {
		int r = ssh_userauth_none(s->ssh, NULL);

		if (r == SSH_AUTH_SUCCESS) {
			*ret_methods = 0; /* it asks nobody for anything */
			return 0;
		}
		if (r == SSH_AUTH_DENIED || r == SSH_AUTH_PARTIAL) {
			*ret_methods = (unsigned int)ssh_userauth_list(s->ssh, NULL);
			return 0;
		}
		if (r != SSH_AUTH_AGAIN)
			return t1s_sender_lost_login(s, e);
		r = t1s_sender_await_login(s, deadline_us, e);
		if (r < 0)
			return r;
	}
}

static int send_password(struct t1s_sender *s, const char *password, uint64_t deadline_us,
	struct t1s_error *e)
{
	for (;;) {
		int r = ssh_userauth_password(s->ssh, NULL, password);

		if (r == SSH_AUTH_SUCCESS)
			return 0;
		if (r == SSH_AUTH_DENIED || r == SSH_AUTH_PARTIAL)
			return refused(s, "password", e);
		if (r != SSH_AUTH_AGAIN)
			return t1s_sender_lost_login(s, e);
		r = t1s_sender_await_login(s, deadline_us, e);
		if (r < 0)
			return r;
	}
}

/* The sender's questions of one round. The password answers the first hidden one. */
static int answer_round(struct t1s_sender *s, const struct t1s_proof *p,
	bool *password_given, struct t1s_error *e)
{
	const int count = ssh_userauth_kbdint_getnprompts(s->ssh);

	for (int i = 0; i < count; i++) {
		char answer[ANSWER_MAX], question[256], echo = 0;
		const char *prompt =
			ssh_userauth_kbdint_getprompt(s->ssh, (unsigned int)i, &echo);
		int r = 0;

		if (!echo && !*password_given) {
			(void)snprintf(answer, sizeof(answer), "%s", p->password);
			*password_given = true;
		} else {
			(void)snprintf(
				question, sizeof(question), "%s", prompt ? prompt : "");
			t1s_printable(question);
			r = p->asker.ask(question, echo != 0, answer, sizeof(answer),
				p->asker.data);
		}
		if (r < 0)
			return t1s_error_set(e, -r, "%s asked \"%s\", and got no answer",
				s->name, question);
		r = ssh_userauth_kbdint_setanswer(s->ssh, (unsigned int)i, answer);
		explicit_bzero(answer, sizeof(answer));
		if (r < 0)
			return t1s_sender_lost_login(s, e);
	}
	return 0;
}

static int answer_questions(struct t1s_sender *s, const struct t1s_proof *p,
	uint64_t deadline_us, struct t1s_error *e)
{
	bool password_given = false;
	unsigned int rounds = 0;

	for (;;) {
		int r = ssh_userauth_kbdint(s->ssh, NULL, NULL);
		const uint64_t before_us = t1s_now_us();

		if (r == SSH_AUTH_SUCCESS)
			return 0;
		if (r == SSH_AUTH_DENIED || r == SSH_AUTH_PARTIAL || rounds > ROUNDS_MAX)
			return refused(s, "password", e);
		if (r == SSH_AUTH_INFO) {
			rounds++;
			r = answer_round(s, p, &password_given, e);
			/* a person's time is not the sender's */
			deadline_us += t1s_now_us() - before_us;
		} else if (r == SSH_AUTH_AGAIN) {
			r = t1s_sender_await_login(s, deadline_us, e);
		} else {
			r = t1s_sender_lost_login(s, e);
		}
		if (r < 0)
			return r;
	}
}

static int log_in_by_password(struct t1s_sender *s, const struct t1s_proof *p,
	uint64_t deadline_us, struct t1s_error *e)
{
	unsigned int methods = 0;
	int r = list_methods(s, deadline_us, &methods, e);

	if (r < 0 || methods == 0)
		return r;
	if (methods & SSH_AUTH_METHOD_PASSWORD)
		return send_password(s, p->password, deadline_us, e);
	if (methods & SSH_AUTH_METHOD_INTERACTIVE)
		return answer_questions(s, p, deadline_us, e);
	return t1s_error_set(e, EPERM,
		"%s lets nobody in by password: use a key that it takes already "
		"(--key=FILE), or allow PasswordAuthentication in its sshd_config for as "
		"long as this takes",
		s->name);
}

int t1s_pairing_open(const struct t1s_sender_config *c, const struct t1s_proof *p,
	uint64_t deadline_us, struct t1s_sender **ret, struct t1s_error *e)
{
	cleanup_(t1s_sender_closep) struct t1s_sender *s = NULL;
	cleanup_ssh_key ssh_key key = NULL;
	enum t1s_sender_failure failure;
	int r = p->key_file ? t1s_sender_load_key(p->key_file, &p->asker, &key, e) : 0;

	if (r == 0)
		r = t1s_sender_connect(c, deadline_us, &s, &failure, e);
	if (r == 0)
		r = t1s_sender_check_host_key(s, c, e);
	if (r != 0)
		return r;
	if (key)
		r = t1s_sender_log_in(s, p->key_file, key, deadline_us, e);
	else
		r = log_in_by_password(s, p, deadline_us, e);
	if (r == -EPERM && key)
		return refused(s, "key", e);
	if (r < 0)
		return r;
	*ret = t1s_steal(s);
	return 0;
}

/* The account's shell may be any; what it is given is one command of quoted words. */
static int install_command(const char *line, const char *public_key, char *ret,
	size_t size, struct t1s_error *e)
{
	char script[2 * sizeof(install_sh)], quoted_line[8192], quoted_key[1536];
	int n;

	if (t1s_shell_quote(install_sh, script, sizeof(script)) < 0 ||
		t1s_shell_quote(line, quoted_line, sizeof(quoted_line)) < 0 ||
		t1s_shell_quote(public_key, quoted_key, sizeof(quoted_key)) < 0)
		return t1s_error_set(e, ENAMETOOLONG, "the key's line is too long");
	n = snprintf(ret, size, "timeout 20 /bin/sh -c %s t1s-sweep %s %s", script,
		quoted_line, quoted_key);
	if (n < 0 || (size_t)n >= size)
		return t1s_error_set(e, ENAMETOOLONG, "the key's line is too long");
	return 0;
}

int t1s_pairing_install(struct t1s_sender *s, const char *line, const char *public_key,
	uint64_t deadline_us, struct t1s_error *e)
{
	cleanup_(t1s_sender_output_done) struct t1s_sender_output out = {0};
	char command[16384];
	int r = install_command(line, public_key, command, sizeof(command), e);

	if (r == 0)
		r = t1s_sender_run(
			s, command, OUTPUT_MAX_BYTES, deadline_us, NULL, NULL, &out, e);
	if (r < 0)
		return r;
	if (out.exit_status == 0)
		return 0;
	t1s_printable(out.err);
	return t1s_error_set(e, EREMOTEIO,
		"%s could not put the key into ~/.ssh/authorized_keys (exit status %d): "
		"%.300s",
		s->name, out.exit_status, out.err[0] ? out.err : "no word why");
}
