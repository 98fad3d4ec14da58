/* SPDX-License-Identifier: MIT */
/* Senders that cannot be reached, or answer with something else than SSH. */
#include "base/clock.h"
#include "link/sender.h"

#include "sshd_peer.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#define REFUSING_PORT (SSHD_PORT + 7)
#define HANGING_PORT (SSHD_PORT + 8)
#define HALF_PORT (SSHD_PORT + 9)
#define FULL_PORT (SSHD_PORT + 10)
#define SHORT_MS 400

static struct t1s_error error;

/* Fails to open, as unreachable, and in time. */
static int unreachable(uint64_t wait_ms)
{
	enum t1s_sender_failure failure = T1S_SENDER_FAILURE_MAX;
	struct t1s_sender *s = NULL;
	int r;

	error.text[0] = '\0';
	r = t1s_sender_open(&peer.config, in_ms(wait_ms), &s, &failure, &error);
	assert_true(r < 0);
	assert_null(s);
	assert_int_equal(failure, T1S_SENDER_UNREACHABLE);
	return r;
}

static void use_host(const char *host)
{
	(void)snprintf(peer.config.host, sizeof(peer.config.host), "%s", host);
}

/* Listens on a port that the kernel chooses, and makes it the sender's. */
static int listener(int backlog)
{
	struct sockaddr_in a = {
		.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	socklen_t size = sizeof(a);
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	assert_true(fd >= 0);
	assert_int_equal(bind(fd, (struct sockaddr *)&a, sizeof(a)), 0);
	assert_int_equal(listen(fd, backlog), 0);
	assert_int_equal(getsockname(fd, (struct sockaddr *)&a, &size), 0);
	peer.config.port = ntohs(a.sin_port);
	return fd;
}

/* Answers one connection with this text, then is silent or closes; ended by stop(). */
static pid_t speaker(const char *text, bool close_then)
{
	int fd = listener(4);
	pid_t pid = fork();

	assert_true(pid >= 0);
	if (pid == 0) {
		int c;

		(void)prctl(PR_SET_PDEATHSIG, SIGKILL);
		c = accept(fd, NULL, NULL);
		if (c < 0 || write(c, text, strlen(text)) < 0)
			_exit(1);
		if (close_then)
			(void)close(c);
		for (;;)
			(void)pause();
	}
	(void)close(fd);
	return pid;
}

static void stop(pid_t pid)
{
	assert_int_equal(kill(pid, SIGKILL), 0);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
}

static void refused_connection_is_told(void **state)
{
	(void)state;
	peer.config.port = REFUSING_PORT;
	assert_int_equal(unreachable(20000), -ECONNREFUSED);
	peer_assert_says(error.text, "refused the connection to port 2229");
	peer_assert_says(error.text, "systemctl enable --now ssh");
}

static void silence_ends_at_the_deadline(void **state)
{
	/* with one connection waiting, a queue of none takes no other */
	int fd = listener(0);
	int waiting = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	struct sockaddr_in a = {.sin_family = AF_INET,
		.sin_port = htons(peer.config.port),
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK)};

	(void)state;
	assert_int_equal(connect(waiting, (struct sockaddr *)&a, sizeof(a)), 0);
	assert_int_equal(unreachable(SHORT_MS), -ETIMEDOUT);
	peer_assert_says(error.text, "in time: is it switched on");
	(void)close(waiting);
	(void)close(fd);
}

static void missing_route_is_told(void **state)
{
	(void)state;
	use_host("198.51.100.7");
	assert_int_equal(unreachable(20000), -ENETUNREACH);
	peer_assert_says(error.text, "no route to 198.51.100.7");
	peer_shell("ip route add unreachable 203.0.113.0/24");
	use_host("203.0.113.9");
	assert_int_equal(unreachable(20000), -EHOSTUNREACH);
	peer_assert_says(error.text, "no route to 203.0.113.9");
}

static void bind_over(const char *path, const char *text)
{
	peer_write(peer_path("over"), text);
	/* "over" is a new file each time, and the mount keeps its own */
	assert_int_equal(mount(peer_path("over"), path, NULL, MS_BIND, NULL), 0);
}

static void with_hosts(const char *hosts, const char *resolver)
{
	bind_over("/etc/nsswitch.conf", "hosts: files dns\npasswd: files\n");
	bind_over("/etc/hosts", hosts);
	bind_over("/etc/resolv.conf", resolver);
}

static void without_hosts(void)
{
	assert_int_equal(umount("/etc/resolv.conf"), 0);
	assert_int_equal(umount("/etc/hosts"), 0);
	assert_int_equal(umount("/etc/nsswitch.conf"), 0);
}

static void name_of_the_hosts_file_is_resolved_and_known_by_it(void **state)
{
	enum t1s_sender_failure failure;
	struct t1s_sender *s = NULL;
	int r;

	(void)state;
	with_hosts("127.0.0.1 sending-pi\n", "");
	use_host("sending-pi");
	peer_shell("sed 's/127.0.0.1/sending-pi/' %s/known_hosts > %s/by_name",
		peer.folder, peer.folder);
	(void)snprintf(peer.config.known_hosts, sizeof(peer.config.known_hosts), "%s",
		peer_path("by_name"));
	r = t1s_sender_open(&peer.config, in_ms(20000), &s, &failure, &error);
	without_hosts();
	if (r < 0)
		fail_msg("%s", error.text);
	t1s_sender_close(s);
}

/* A host whose IPv6 address, which is tried first, is silent; sshd is at the other. */
static void first_silent_address_leaves_time_for_the_second(void **state)
{
	struct sockaddr_in6 a = {.sin6_family = AF_INET6,
		.sin6_port = htons(HALF_PORT),
		.sin6_addr = IN6ADDR_LOOPBACK_INIT};
	int fd = socket(AF_INET6, SOCK_STREAM | SOCK_CLOEXEC, 0);
	int waiting = socket(AF_INET6, SOCK_STREAM | SOCK_CLOEXEC, 0);
	enum t1s_sender_failure failure;
	struct t1s_sender *s = NULL;
	pid_t pid;
	int r;

	(void)state;
	if (fd < 0 || bind(fd, (struct sockaddr *)&a, sizeof(a)) < 0) {
		(void)close(fd);
		(void)close(waiting);
		skip(); /* IPv6 is switched off here */
	}
	assert_int_equal(listen(fd, 0), 0);
	assert_int_equal(connect(waiting, (struct sockaddr *)&a, sizeof(a)), 0);
	pid = peer_sshd(HALF_PORT, "");
	with_hosts("::1 sending-pi\n127.0.0.1 sending-pi\n", "");
	use_host("sending-pi");
	peer.config.port = HALF_PORT;
	r = t1s_sender_open(&peer.config, in_ms(6000), &s, &failure, &error);
	without_hosts();
	/* by that name the host is not known, but it was reached */
	assert_int_equal(r, -EKEYREJECTED);
	peer_end(pid);
	(void)close(waiting);
	(void)close(fd);
}

static void unknown_name_is_told(void **state)
{
	int r;

	(void)state;
	bind_over("/etc/nsswitch.conf", "hosts: files\npasswd: files\n");
	use_host("no-such-pi");
	r = unreachable(20000);
	assert_int_equal(umount("/etc/nsswitch.conf"), 0);
	assert_int_equal(r, -ENXIO);
	peer_assert_says(error.text, "the name no-such-pi is not known");
	peer_assert_says(error.text, "Host= in [Sender]");
}

static void missing_name_server_is_told(void **state)
{
	int r;

	(void)state;
	with_hosts("", "nameserver 198.51.100.53\noptions timeout:1 attempts:1\n");
	use_host("sending-pi.example");
	r = unreachable(20000);
	without_hosts();
	assert_int_equal(r, -EAGAIN);
	peer_assert_says(error.text, "no name server answered for sending-pi.example");
}

static void silent_name_server_does_not_hold_up_the_deadline(void **state)
{
	struct sockaddr_in a = {.sin_family = AF_INET,
		.sin_port = htons(53),
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	int r;

	(void)state;
	assert_int_equal(bind(fd, (struct sockaddr *)&a, sizeof(a)), 0);
	/* alone it would take 30 s */
	with_hosts("", "nameserver 127.0.0.1\noptions timeout:30 attempts:1\n");
	use_host("sending-pi.example");
	r = unreachable(SHORT_MS);
	without_hosts();
	(void)close(fd);
	assert_int_equal(r, -ETIMEDOUT);
	peer_assert_says(error.text, "sending-pi.example was not resolved in time");
}

static void peer_that_never_speaks_ends_at_the_deadline(void **state)
{
	pid_t pid = speaker("", false);

	(void)state;
	assert_int_equal(unreachable(SHORT_MS), -ETIMEDOUT);
	peer_assert_says(error.text, "did not finish the SSH handshake in time");
	stop(pid);
}

static void peer_that_stalls_in_the_handshake_ends_at_the_deadline(void **state)
{
	pid_t pid = speaker("SSH-2.0-OpenSSH_9.2\r\n", false);

	(void)state;
	assert_int_equal(unreachable(SHORT_MS), -ETIMEDOUT);
	peer_assert_says(error.text, "did not finish the SSH handshake in time");
	stop(pid);
}

static void sshd_that_hangs_ends_at_the_deadline(void **state)
{
	pid_t pid = peer_sshd(HANGING_PORT, "");

	(void)state;
	peer.config.port = HANGING_PORT;
	assert_int_equal(kill(pid, SIGSTOP), 0);
	/* the kernel still accepts for it */
	assert_int_equal(unreachable(SHORT_MS), -ETIMEDOUT);
	assert_int_equal(kill(pid, SIGCONT), 0);
	peer_end(pid);
}

/* A connection that an sshd has taken and greeted, and on which nobody logs in. */
static int occupy(unsigned int port)
{
	struct sockaddr_in a = {.sin_family = AF_INET,
		.sin_port = htons((uint16_t)port),
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK)};

	for (int i = 0; i < 100; i++) {
		int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
		char greeting[4] = "";

		assert_int_equal(connect(fd, (struct sockaddr *)&a, sizeof(a)), 0);
		if (recv(fd, greeting, sizeof(greeting), MSG_WAITALL) ==
				sizeof(greeting) &&
			memcmp(greeting, "SSH-", sizeof(greeting)) == 0)
			return fd;
		(void)close(fd);
		t1s_sleep_us(20 * T1S_USEC_PER_MSEC);
	}
	fail_msg("sshd on port %u takes nobody", port);
	return -1;
}

static void sshd_that_takes_nobody_now_is_told_with_its_reasons(void **state)
{
	pid_t pid = peer_sshd(FULL_PORT, "MaxStartups 1");
	int fd = occupy(FULL_PORT);

	(void)state;
	peer.config.port = FULL_PORT;
	assert_int_equal(unreachable(20000), -EPROTO);
	peer_assert_says(error.text, "MaxStartups");
	peer_assert_says(error.text, "PerSourcePenalties");
	(void)close(fd);
	peer_end(pid);
}

static void peer_that_is_no_ssh_server_is_told(void **state)
{
	static const char *const texts[] = {"HTTP/1.1 400 Bad Request\r\n\r\n",
		"SSH-1.5-old\r\n", "SSH-2.0-x\r\n\x7f\xff\xff\xff\x01garbage......"};

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		pid_t pid = speaker(texts[i], true);

		assert_int_equal(unreachable(20000), -EPROTO);
		peer_assert_says(error.text, "no SSH handshake came about");
		stop(pid);
	}
}

static void peer_that_hangs_up_is_told(void **state)
{
	pid_t pid = speaker("", true);

	(void)state;
	assert_int_equal(unreachable(20000), -EPROTO);
	stop(pid);
}

static void deadline_that_has_passed_ends_at_once(void **state)
{
	int r;

	(void)state;
	assert_int_equal(unreachable(0), -ETIMEDOUT);
	use_host("sending-pi.example");
	r = unreachable(0);
	/* nothing is waited for, but an answer that is there already is taken */
	assert_true(r == -ETIMEDOUT || r == -EAGAIN);
}

#define peer_test(f) cmocka_unit_test_setup_teardown(f, peer_before, peer_after)

int main(void)
{
	const struct CMUnitTest tests[] = {
		peer_test(refused_connection_is_told),
		peer_test(silence_ends_at_the_deadline),
		peer_test(missing_route_is_told),
		peer_test(name_of_the_hosts_file_is_resolved_and_known_by_it),
		peer_test(first_silent_address_leaves_time_for_the_second),
		peer_test(unknown_name_is_told),
		peer_test(missing_name_server_is_told),
		peer_test(silent_name_server_does_not_hold_up_the_deadline),
		peer_test(peer_that_never_speaks_ends_at_the_deadline),
		peer_test(peer_that_stalls_in_the_handshake_ends_at_the_deadline),
		peer_test(sshd_that_hangs_ends_at_the_deadline),
		peer_test(sshd_that_takes_nobody_now_is_told_with_its_reasons),
		peer_test(peer_that_is_no_ssh_server_is_told),
		peer_test(peer_that_hangs_up_is_told),
		peer_test(deadline_that_has_passed_ends_at_once),
	};

	peer_enter();
	return cmocka_run_group_tests(tests, peer_start, peer_stop);
}
