/* SPDX-License-Identifier: MIT */
/* Keys, host keys and logins of pairing, with a real sshd. Logins by password are shown
 * in tests/steps/test_pair.py, where there is an account with one. */
#include "link/pairing.h"

#include "base/file.h"
#include "sshd_peer.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

static struct t1s_error error;

static int refuse_to_answer(
	const char *prompt, bool echo, char *ret, size_t size, void *data)
{
	(void)prompt;
	(void)echo;
	(void)ret;
	(void)size;
	(void)data;
	return -ECANCELED;
}

static const struct t1s_asker nobody = {.ask = refuse_to_answer};

static void read_text(const char *path, char *ret, size_t size)
{
	char *data = NULL;

	assert_int_equal(t1s_read_file(path, size - 1, &data, NULL, NULL), 0);
	(void)snprintf(ret, size, "%s", data);
	free(data);
}

static void pin_text(const char *text)
{
	peer_write(peer_path("pinned"), text);
	(void)snprintf(peer.config.known_hosts, sizeof(peer.config.known_hosts), "%s",
		peer_path("pinned"));
}

static enum t1s_host_key_state look(struct t1s_host_key *key)
{
	int r = t1s_host_key_look(&peer.config, in_ms(30000), key, &error);

	if (r != 0)
		fail_msg("%d: %s", r, error.text);
	return key->state;
}

static void a_key_that_is_made_is_one_for_its_owner_only(void **state)
{
	const char *path = peer_path("made");
	char public_key[T1S_PUBLIC_KEY_MAX], shown[T1S_PUBLIC_KEY_MAX];
	struct stat st;

	(void)state;
	assert_int_equal(t1s_key_make(path, &error), 0);
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_mode & 07777, 0600);
	assert_int_equal(t1s_key_public(path, public_key, &error), 0);
	peer_line(shown, sizeof(shown), "ssh-keygen -y -f %s", path);
	assert_string_equal(public_key, shown);
	assert_int_equal(t1s_key_make("/nowhere/key", &error), -ENOENT);
	assert_int_equal(t1s_key_public("/nowhere/key", public_key, &error), -ENOENT);
}

static void a_host_key_that_nobody_pinned_is_new_and_is_the_server_s(void **state)
{
	struct t1s_host_key key;
	char shown[T1S_PUBLIC_KEY_MAX];

	(void)state;
	(void)snprintf(peer.config.known_hosts, sizeof(peer.config.known_hosts),
		"/nowhere/at/all");
	assert_int_equal(look(&key), T1S_HOST_KEY_NEW);
	peer_line(shown, sizeof(shown), "ssh-keygen -lf %s/host_key.pub | cut -d' ' -f2",
		peer.folder);
	peer_assert_says(key.fingerprint, shown);
	peer_line(shown, sizeof(shown),
		"echo \"[127.0.0.1]:%d $(cut -d' ' -f1-2 %s/host_key.pub)\"", SSHD_PORT,
		peer.folder);
	key.line[strcspn(key.line, "\n")] = '\0';
	assert_string_equal(key.line, shown);
}

static void pinning_replaces_lines_of_this_host_and_port_only(void **state)
{
	static const char others[] = "# mine\n127.0.0.1 ssh-rsa AAAA\n"
				     "[127.0.0.1]:22222 ssh-rsa AAAA\n"
				     "other ssh-rsa AAAA\n";
	char text[4096], expected[4096], another[T1S_PUBLIC_KEY_MAX];
	struct t1s_host_key key;

	(void)state;
	peer_line(another, sizeof(another), "cat %s/key.pub", peer.folder);
	(void)snprintf(text, sizeof(text), "[127.0.0.1]:%d %s\n%s[127.0.0.1]:%d %s",
		SSHD_PORT, another, others, SSHD_PORT, another);
	pin_text(text);
	assert_int_equal(look(&key), T1S_HOST_KEY_CHANGED);
	assert_int_equal(t1s_host_key_pin(peer.config.known_hosts, &key, &error), 0);
	read_text(peer.config.known_hosts, text, sizeof(text));
	(void)snprintf(expected, sizeof(expected), "%s%s", others, key.line);
	assert_string_equal(text, expected);
	assert_int_equal(look(&key), T1S_HOST_KEY_PINNED);
}

static void pinning_makes_the_file_and_ends_its_last_line(void **state)
{
	char text[4096], expected[4096];
	struct t1s_host_key key;

	(void)state;
	pin_text("other ssh-rsa AAAA");
	assert_int_equal(look(&key), T1S_HOST_KEY_NEW);
	assert_int_equal(t1s_host_key_pin(peer.config.known_hosts, &key, &error), 0);
	read_text(peer.config.known_hosts, text, sizeof(text));
	(void)snprintf(expected, sizeof(expected), "other ssh-rsa AAAA\n%s", key.line);
	assert_string_equal(text, expected);
	assert_int_equal(unlink(peer.config.known_hosts), 0);
	assert_int_equal(t1s_host_key_pin(peer.config.known_hosts, &key, &error), 0);
	assert_int_equal(look(&key), T1S_HOST_KEY_PINNED);
}

static int open_by(const struct t1s_proof *proof)
{
	struct t1s_sender *s = NULL;
	int r = t1s_pairing_open(&peer.config, proof, in_ms(30000), &s, &error);

	assert_true((r == 0) == (s != NULL));
	t1s_sender_close(s);
	return r;
}

static void nobody_gets_to_the_login_of_a_host_that_is_not_pinned(void **state)
{
	const struct t1s_proof proof = {.password = "secret", .asker = nobody};

	(void)state;
	pin_text("other ssh-rsa AAAA\n");
	assert_int_equal(open_by(&proof), -EKEYREJECTED);
}

static void a_key_lets_in_and_another_does_not(void **state)
{
	const struct t1s_proof proof = {.key_file = peer_path("key"), .asker = nobody};
	const struct t1s_proof other = {
		.key_file = peer_path("host_key"), .asker = nobody};

	(void)state;
	assert_int_equal(open_by(&proof), 0);
	assert_int_equal(open_by(&other), -EPERM);
	peer_assert_says(error.text, "refused the key");
}

static void a_server_without_passwords_is_told(void **state)
{
	const struct t1s_proof proof = {.password = "secret", .asker = nobody};

	(void)state;
	assert_int_equal(open_by(&proof), -EPERM);
	peer_assert_says(error.text, "--key=FILE");
}

static void a_key_is_installed_once_beside_others(void **state)
{
	char text[4096], expected[4096], key[T1S_PUBLIC_KEY_MAX];
	struct t1s_sender *s = NULL;
	const struct t1s_proof proof = {.key_file = peer_path("key"), .asker = nobody};

	(void)state;
	assert_int_equal(t1s_key_public(peer_path("key"), key, NULL), 0);
	assert_int_equal(
		t1s_pairing_open(&peer.config, &proof, in_ms(30000), &s, &error), 0);
	for (int i = 0; i < 2; i++)
		assert_int_equal(t1s_pairing_install(s, "it's \"$a\" \\line AAAA",
					 "ssh-x AAAA", in_ms(30000), &error),
			0);
	assert_int_equal(
		t1s_pairing_install(s, "by ssh-x AAAA now", "AAAA", in_ms(30000), &error),
		0);
	t1s_sender_close(s);
	read_text(peer_path("home/.ssh/authorized_keys"), text, sizeof(text));
	peer_shell(
		"cp %s/key.pub %s/home/.ssh/authorized_keys", peer.folder, peer.folder);
	(void)snprintf(expected, sizeof(expected), "by ssh-x AAAA now\n");
	/* the first key's own base64 begins with AAAA, too */
	assert_string_equal(text, expected);
}

static void a_home_that_cannot_be_written_is_told_in_the_sender_s_words(void **state)
{
	struct t1s_sender *s = NULL;
	const struct t1s_proof proof = {.key_file = peer_path("key"), .asker = nobody};

	(void)state;
	assert_int_equal(
		t1s_pairing_open(&peer.config, &proof, in_ms(30000), &s, &error), 0);
	peer_shell("rm -rf %s/home/.ssh.away; mv %s/home/.ssh %s/home/.ssh.away; "
		   "touch %s/home/.ssh",
		peer.folder, peer.folder, peer.folder, peer.folder);
	assert_int_equal(
		t1s_pairing_install(s, "line", "key", in_ms(30000), &error), -EREMOTEIO);
	peer_assert_says(error.text, "authorized_keys");
	peer_assert_says(error.text, ".ssh");
	t1s_sender_close(s);
	peer_shell("rm %s/home/.ssh; mv %s/home/.ssh.away %s/home/.ssh", peer.folder,
		peer.folder, peer.folder);
}

static void a_sender_that_is_silent_is_not_waited_for_without_end(void **state)
{
	struct sockaddr_in a = {
		.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	const struct t1s_proof proof = {.password = "secret", .asker = nobody};
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	socklen_t size = sizeof(a);
	struct t1s_sender *s = NULL;
	struct t1s_host_key key;

	(void)state;
	assert_int_equal(bind(fd, (struct sockaddr *)&a, sizeof(a)), 0);
	assert_int_equal(listen(fd, 4), 0);
	assert_int_equal(getsockname(fd, (struct sockaddr *)&a, &size), 0);
	peer.config.port = ntohs(a.sin_port);
	assert_int_equal(
		t1s_host_key_look(&peer.config, in_ms(300), &key, &error), -ETIMEDOUT);
	assert_int_equal(t1s_pairing_open(&peer.config, &proof, in_ms(300), &s, &error),
		-ETIMEDOUT);
	(void)close(fd);
}

#define WITH_PEER(f) cmocka_unit_test_setup_teardown(f, peer_before, peer_after)

int main(void)
{
	const struct CMUnitTest tests[] = {
		WITH_PEER(a_key_that_is_made_is_one_for_its_owner_only),
		WITH_PEER(a_host_key_that_nobody_pinned_is_new_and_is_the_server_s),
		WITH_PEER(pinning_replaces_lines_of_this_host_and_port_only),
		WITH_PEER(pinning_makes_the_file_and_ends_its_last_line),
		WITH_PEER(nobody_gets_to_the_login_of_a_host_that_is_not_pinned),
		WITH_PEER(a_key_lets_in_and_another_does_not),
		WITH_PEER(a_server_without_passwords_is_told),
		WITH_PEER(a_key_is_installed_once_beside_others),
		WITH_PEER(a_home_that_cannot_be_written_is_told_in_the_sender_s_words),
		WITH_PEER(a_sender_that_is_silent_is_not_waited_for_without_end),
	};

	peer_enter();
	return cmocka_run_group_tests(tests, peer_start, peer_stop);
}
