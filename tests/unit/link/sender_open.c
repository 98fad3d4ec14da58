/* SPDX-License-Identifier: MIT */
/* Opening a session with a real sshd: host keys, our key, and whom it trusts. */
#include "link/sender.h"

#include "sshd_peer.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

static struct t1s_error error;
static enum t1s_sender_failure failure;

static int try_open(void)
{
	struct t1s_sender *s = NULL;
	int r;

	error.text[0] = '\0';
	failure = T1S_SENDER_FAILURE_MAX;
	r = t1s_sender_open(&peer.config, in_ms(30000), &s, &failure, &error);
	assert_true((r == 0) == (s != NULL));
	assert_true((r == 0) == (failure == T1S_SENDER_OK));
	t1s_sender_close(s);
	return r;
}

static void assert_opens(void)
{
	int r = try_open();

	if (r != 0)
		fail_msg("%d: %s", r, error.text);
}

static void use_key(const char *name)
{
	(void)snprintf(peer.config.key_file, sizeof(peer.config.key_file), "%s",
		peer_path("%s", name));
}

static void use_known_hosts(const char *name)
{
	(void)snprintf(peer.config.known_hosts, sizeof(peer.config.known_hosts), "%s",
		peer_path("%s", name));
}

static void known_host_and_key_open_a_session(void **state)
{
	(void)state;
	assert_opens();
}

static int opens(void)
{
	return try_open() != 0;
}

static void configuration_of_the_system_and_the_user_is_not_read(void **state)
{
	char text[256];

	(void)state;
	/* both are traps: who reads them cannot connect */
	peer_line(text, sizeof(text),
		"ssh -o BatchMode=yes -p %d -i %s/key -o "
		"UserKnownHostsFile=%s/known_hosts -F /etc/ssh/ssh_config root@127.0.0.1 "
		"echo connected 2>/dev/null || echo trapped",
		SSHD_PORT, peer.folder, peer.folder);
	assert_string_equal(text, "trapped");
	assert_opens();
}

static void hashed_known_hosts_are_read(void **state)
{
	(void)state;
	peer_shell("cp %s/known_hosts %s/hashed && ssh-keygen -q -H -f %s/hashed "
		   ">/dev/null 2>&1 && rm -f %s/hashed.old",
		peer.folder, peer.folder, peer.folder, peer.folder);
	use_known_hosts("hashed");
	assert_opens();
}

static void paths_with_spaces_percents_and_tildes_are_taken_as_they_are(void **state)
{
	(void)state;
	peer_shell("mkdir -p '%s/~a b%%h%%%%d' && cp %s/key %s/known_hosts "
		   "'%s/~a b%%h%%%%d'",
		peer.folder, peer.folder, peer.folder, peer.folder);
	use_key("~a b%h%%d/key");
	use_known_hosts("~a b%h%%d/known_hosts");
	assert_opens();
}

static void ipv6_sender_is_known_by_its_address(void **state)
{
	(void)state;
	if (access("/proc/net/if_inet6", R_OK) < 0)
		skip();
	(void)snprintf(peer.config.host, sizeof(peer.config.host), "::1");
	peer_shell("echo \"[::1]:%d $(cat %s/host_key.pub)\" > %s/known6", SSHD_PORT,
		peer.folder, peer.folder);
	use_known_hosts("known6");
	assert_opens();
}

static void unknown_host_key_is_shown_and_refused(void **state)
{
	char expected[256], *shown;

	(void)state;
	peer_write(peer_path("nobody"), "");
	use_known_hosts("nobody");
	assert_int_equal(try_open(), -EKEYREJECTED);
	assert_int_equal(failure, T1S_SENDER_HOST_KEY);
	peer_assert_says(error.text, "is not known");
	peer_assert_says(error.text, "t1s-sweep pair root@127.0.0.1");
	/* "256 SHA256:… comment (ED25519)" */
	peer_line(expected, sizeof(expected), "ssh-keygen -lf %s/host_key.pub",
		peer.folder);
	shown = strstr(expected, "SHA256:");
	assert_non_null(shown);
	shown[strcspn(shown, " ")] = '\0';
	peer_assert_says(error.text, shown);
}

static void host_key_of_another_port_is_unknown(void **state)
{
	(void)state;
	peer_shell("echo \"127.0.0.1 $(cat %s/host_key.pub)\" > %s/other_port",
		peer.folder, peer.folder);
	use_known_hosts("other_port");
	assert_int_equal(try_open(), -EKEYREJECTED);
	assert_int_equal(failure, T1S_SENDER_HOST_KEY);
	peer_assert_says(error.text, "is not known");
}

static void changed_host_key_is_refused(void **state)
{
	(void)state;
	peer_shell("echo \"[127.0.0.1]:%d $(cat %s/key.pub)\" > %s/changed", SSHD_PORT,
		peer.folder, peer.folder);
	use_known_hosts("changed");
	assert_int_equal(try_open(), -EKEYREJECTED);
	assert_int_equal(failure, T1S_SENDER_HOST_KEY);
	peer_assert_says(error.text, "has changed");
	peer_assert_says(error.text, "SHA256:");
}

static void host_key_of_another_type_is_refused(void **state)
{
	(void)state;
	peer_shell("ssh-keygen -q -t ecdsa -N '' -C '' -f %s/ecdsa", peer.folder);
	peer_shell("echo \"[127.0.0.1]:%d $(cat %s/ecdsa.pub)\" > %s/other", SSHD_PORT,
		peer.folder, peer.folder);
	use_known_hosts("other");
	assert_int_equal(try_open(), -EKEYREJECTED);
	assert_int_equal(failure, T1S_SENDER_HOST_KEY);
	peer_assert_says(error.text, "another type");
	peer_assert_says(error.text, "ed25519 SHA256:");
}

static void missing_known_hosts_is_a_fault_of_the_set_up(void **state)
{
	(void)state;
	use_known_hosts("not there");
	assert_int_equal(try_open(), -ENOENT);
	assert_int_equal(failure, T1S_SENDER_SETUP);
	peer_assert_says(error.text, "not there");
	peer_assert_says(error.text, "t1s-sweep pair");
}

static void missing_key_is_told(void **state)
{
	(void)state;
	use_key("no_key");
	assert_int_equal(try_open(), -ENOENT);
	assert_int_equal(failure, T1S_SENDER_KEY);
	peer_assert_says(error.text, "there is no private key");
	peer_assert_says(error.text, "no_key");
}

/* Runs it as an ordinary user that has no entry in passwd; its verdict. */
static int as_nobody(int (*f)(void))
{
	int status;
	pid_t pid = fork();

	assert_true(pid >= 0);
	if (pid == 0) {
		if (setgid(54321) < 0 || setuid(54321) < 0 || unsetenv("HOME") < 0)
			_exit(126);
		status = f();
		if (status != 0)
			(void)fprintf(stderr, "%s\n", error.text);
		_exit(status);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	return WEXITSTATUS(status);
}

static int finds_key_unreadable(void)
{
	return !(try_open() == -EACCES && failure == T1S_SENDER_KEY &&
		 strstr(error.text, "cannot be read by this user"));
}

static void unreadable_key_is_told(void **state)
{
	(void)state;
	assert_int_equal(chmod(peer_path("key"), 0600), 0);
	assert_int_equal(as_nobody(finds_key_unreadable), 0);
}

static void user_without_a_home_can_use_it(void **state)
{
	(void)state;
	peer_shell("cp %s/key %s/key54321 && chown 54321 %s/key54321", peer.folder,
		peer.folder, peer.folder);
	use_key("key54321");
	assert_int_equal(as_nobody(opens), 0);
}

static void permissions_of_the_key_are_its_owners_business(void **state)
{
	(void)state;
	for (mode_t mode = 0400; mode <= 0444; mode += 044) {
		assert_int_equal(chmod(peer_path("key"), mode), 0);
		assert_opens();
	}
	assert_int_equal(chmod(peer_path("key"), 0600), 0);
}

static void keys_of_other_kinds_open_too(void **state)
{
	static const char *const kinds[] = {
		"-t rsa -b 2048", "-t rsa -b 2048 -m PEM", "-t ecdsa", "-t ecdsa -m PEM"};

	(void)state;
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		peer_shell(
			"ssh-keygen -q %s -N '' -f %s/kind%zu && cat %s/kind%zu.pub >> "
			"%s/home/.ssh/authorized_keys",
			kinds[i], peer.folder, i, peer.folder, i, peer.folder);
		use_key(i == 0 ? "kind0" : i == 1 ? "kind1" : i == 2 ? "kind2" : "kind3");
		assert_opens();
	}
}

static void encrypted_key_is_told_and_nobody_is_asked(void **state)
{
	static const char *const kinds[] = {
		"-t ed25519", "-t rsa -b 2048 -m PEM", "-t rsa -b 2048 -m PKCS8"};

	(void)state;
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		peer_shell("rm -f %s/locked* && ssh-keygen -q %s -N secret -f %s/locked",
			peer.folder, kinds[i], peer.folder);
		use_key("locked");
		assert_int_equal(try_open(), -ENOKEY);
		assert_int_equal(failure, T1S_SENDER_KEY);
		peer_assert_says(error.text, "is encrypted");
	}
}

static void malformed_key_is_told(void **state)
{
	static const char *const texts[] = {"", "\n", "no key at all\n",
		("-----BEGIN OPENSSH PRIVATE KEY-----\nAAAA\n"
		 "-----END OPENSSH PRIVATE KEY-----\n"),
		"-----BEGIN RSA PRIVATE KEY-----\n",
		"-----BEGIN OPENSSH PRIVATE KEY-----\n"};

	(void)state;
	use_key("broken");
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		peer_write(peer_path("broken"), texts[i]);
		assert_int_equal(try_open(), -EBADMSG);
		assert_int_equal(failure, T1S_SENDER_KEY);
		peer_assert_says(error.text, "holds no private key");
	}
	use_key("key.pub");
	assert_int_equal(try_open(), -EBADMSG);
	use_key("home");
	assert_int_equal(try_open(), -EINVAL);
	assert_int_equal(failure, T1S_SENDER_KEY);
}

static void key_that_the_sender_refuses_is_told(void **state)
{
	(void)state;
	peer_shell("ssh-keygen -q -t ed25519 -N '' -f %s/stranger", peer.folder);
	use_key("stranger");
	assert_int_equal(try_open(), -EPERM);
	assert_int_equal(failure, T1S_SENDER_KEY);
	peer_assert_says(error.text, "root@127.0.0.1 refused the key");
	peer_assert_says(error.text, "authorized_keys");
}

static void user_that_the_sender_does_not_know_is_refused(void **state)
{
	(void)state;
	(void)snprintf(peer.config.user, sizeof(peer.config.user), "nobody-there");
	assert_int_equal(try_open(), -EPERM);
	assert_int_equal(failure, T1S_SENDER_KEY);
	peer_assert_says(error.text, "nobody-there@127.0.0.1");
}

static void key_that_is_only_half_of_the_proof_is_refused(void **state)
{
	pid_t pid = peer_sshd(SSHD_PORT + 1,
		"KbdInteractiveAuthentication yes\n"
		"AuthenticationMethods publickey,keyboard-interactive");

	(void)state;
	peer.config.port = SSHD_PORT + 1;
	peer_shell("sed 's/:%d/:%d/' %s/known_hosts > %s/next_port", SSHD_PORT,
		SSHD_PORT + 1, peer.folder, peer.folder);
	use_known_hosts("next_port");
	assert_int_equal(try_open(), -EPERM);
	assert_int_equal(failure, T1S_SENDER_KEY);
	peer_assert_says(error.text, "only proof");
	peer_end(pid);
}

#define peer_test(f) cmocka_unit_test_setup_teardown(f, peer_before, peer_after)

int main(void)
{
	const struct CMUnitTest tests[] = {
		peer_test(known_host_and_key_open_a_session),
		peer_test(configuration_of_the_system_and_the_user_is_not_read),
		peer_test(hashed_known_hosts_are_read),
		peer_test(paths_with_spaces_percents_and_tildes_are_taken_as_they_are),
		peer_test(ipv6_sender_is_known_by_its_address),
		peer_test(unknown_host_key_is_shown_and_refused),
		peer_test(host_key_of_another_port_is_unknown),
		peer_test(changed_host_key_is_refused),
		peer_test(host_key_of_another_type_is_refused),
		peer_test(missing_known_hosts_is_a_fault_of_the_set_up),
		peer_test(missing_key_is_told),
		peer_test(unreadable_key_is_told),
		peer_test(user_without_a_home_can_use_it),
		peer_test(permissions_of_the_key_are_its_owners_business),
		peer_test(keys_of_other_kinds_open_too),
		peer_test(encrypted_key_is_told_and_nobody_is_asked),
		peer_test(malformed_key_is_told),
		peer_test(key_that_the_sender_refuses_is_told),
		peer_test(user_that_the_sender_does_not_know_is_refused),
		peer_test(key_that_is_only_half_of_the_proof_is_refused),
	};

	peer_enter();
	return cmocka_run_group_tests(tests, peer_start, peer_stop);
}
