/* SPDX-License-Identifier: MIT */
/* Starting and ending the receiver, without a client. */
#include "link/receiver.h"

#include "base/clock.h"
#include "base/file.h"
#include "receiver_case.h"

#include <arpa/inet.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <netinet/in.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#define STARTS 200

static void listens_when_started_and_leaves_no_child_when_ended(void **state)
{
	struct t1s_receiver r;

	(void)state;
	assert_int_equal(start(&r), 0);
	assert_true(r.pid > 0);
	assert_int_equal(t1s_receiver_ended(&r), 0);
	assert_int_equal(t1s_receiver_start(&config, 0, &r, &error), -EADDRINUSE);
	assert_int_equal(t1s_receiver_finish(&r, 0), -ETIMEDOUT);
	assert_int_equal(r.pid, 0);
	assert_true(WIFSIGNALED(r.status) && WTERMSIG(r.status) == SIGKILL);
	assert_no_child();
	assert_int_equal(t1s_receiver_ended(&r), 1);
	assert_int_equal(t1s_receiver_finish(&r, 0), 0);
}

static void one_that_nobody_calls_ends_at_the_deadline_with_an_empty_file(void **state)
{
	struct t1s_receiver r;
	struct stat st;
	uint64_t deadline;

	(void)state;
	assert_int_equal(start(&r), 0);
	deadline = t1s_now_us() + 100 * T1S_USEC_PER_MSEC;
	assert_int_equal(t1s_receiver_finish(&r, deadline), -ETIMEDOUT);
	assert_true(t1s_now_us() >= deadline);
	assert_no_child();
	assert_int_equal(stat(config.json_file, &st), 0);
	assert_int_equal(st.st_size, 0);
	assert_int_equal(st.st_mode & 07777, 0644);
}

static void listens_on_ipv6_too(void **state)
{
	struct t1s_receiver r;
	int k;

	(void)state;
	(void)snprintf(config.address, sizeof(config.address), "::1");
	k = start(&r);
	if (k == -EADDRNOTAVAIL || k == -EAFNOSUPPORT)
		skip(); /* IPv6 is switched off here */
	assert_int_equal(k, 0);
	assert_int_equal(t1s_receiver_finish(&r, 0), -ETIMEDOUT);
}

static void listens_on_the_given_address_only(void **state)
{
	struct sockaddr_in other = {.sin_family = AF_INET,
		.sin_port = htons(config.port),
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK + 1)};
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	struct t1s_receiver r;

	(void)state;
	assert_int_equal(start(&r), 0);
	assert_int_equal(bind(fd, (struct sockaddr *)&other, sizeof(other)), 0);
	(void)close(fd);
	assert_int_equal(t1s_receiver_finish(&r, 0), -ETIMEDOUT);
}

static void port_taken_by_a_listener_is_eaddrinuse_with_advice(void **state)
{
	struct t1s_receiver r;
	int fd = bound_socket(SOCK_STREAM, config.port);

	(void)state;
	assert_int_equal(listen(fd, 1), 0);
	assert_int_equal(start(&r), -EADDRINUSE);
	assert_says("taken by another program");
	assert_says("Port= in [Receiver]");
	assert_no_child();
	(void)close(fd);
	assert_int_equal(start(&r), 0);
	assert_int_equal(t1s_receiver_finish(&r, 0), -ETIMEDOUT);
}

static void port_taken_for_udp_is_eaddrinuse(void **state)
{
	struct t1s_receiver r;
	int fd = bound_socket(SOCK_DGRAM, config.port);

	(void)state;
	assert_int_equal(start(&r), -EADDRINUSE);
	assert_no_child();
	(void)close(fd);
}

static void second_receiver_on_a_port_is_refused_and_the_first_goes_on(void **state)
{
	struct t1s_receiver first, second = {.pid = 0};

	(void)state;
	assert_int_equal(start(&first), 0);
	assert_int_equal(start(&second), -EADDRINUSE);
	assert_int_equal(second.pid, 0);
	assert_int_equal(t1s_receiver_ended(&first), 0);
	assert_int_equal(t1s_receiver_finish(&first, 0), -ETIMEDOUT);
	assert_no_child();
}

static void address_that_is_not_there_is_eaddrnotavail(void **state)
{
	struct t1s_receiver r;

	(void)state;
	(void)snprintf(config.address, sizeof(config.address), "192.0.2.1");
	assert_int_equal(start(&r), -EADDRNOTAVAIL);
	assert_says("192.0.2.1");
	assert_no_child();
}

static void text_that_is_no_address_is_einval(void **state)
{
	struct t1s_receiver r;

	(void)state;
	(void)snprintf(config.address, sizeof(config.address), "localhost");
	assert_int_equal(start(&r), -EINVAL);
	assert_says("\"localhost\" is no IPv4 or IPv6 address");
}

static void file_that_cannot_be_made_is_told(void **state)
{
	struct t1s_receiver r;

	(void)state;
	(void)snprintf(
		config.json_file, sizeof(config.json_file), "%s/none/r.json", folder);
	assert_int_equal(start(&r), -ENOENT);
	assert_says("none/r.json");
	assert_no_child();
}

static void link_in_the_files_place_is_replaced_not_followed(void **state)
{
	struct t1s_receiver r;
	char other[PATH_MAX], *data;
	struct stat st;
	size_t size;

	(void)state;
	(void)snprintf(other, sizeof(other), "%s/other", folder);
	assert_int_equal(t1s_replace_file(other, "mine", 4, 0600, false, NULL), 0);
	assert_int_equal(symlink(other, config.json_file), 0);
	assert_int_equal(start(&r), 0);
	assert_int_equal(t1s_receiver_finish(&r, 0), -ETIMEDOUT);
	assert_int_equal(lstat(config.json_file, &st), 0);
	assert_true(S_ISREG(st.st_mode));
	assert_int_equal(t1s_read_file(other, 10, &data, &size, NULL), 0);
	assert_string_equal(data, "mine");
	free(data);
}

static void each_of_many_starts_listens(void **state)
{
	(void)state;
	for (unsigned int i = 0; i < STARTS; i++) {
		struct t1s_receiver r;
		int k = start(&r);

		if (k != 0)
			fail_msg("start %u: %s", i, error.text);
		/* it really listens: nobody else can */
		assert_int_equal(t1s_receiver_start(&config, 0, &r, NULL), -EADDRINUSE);
		assert_int_equal(t1s_receiver_finish(&r, 0), -ETIMEDOUT);
	}
	assert_no_child();
}

/* Binds to the port without pause, as the wait for the listener does, until killed. */
static _Noreturn void hammer(void)
{
	struct sockaddr_in a = {.sin_family = AF_INET,
		.sin_port = htons(config.port),
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK)};

	(void)prctl(PR_SET_PDEATHSIG, SIGKILL);
	for (;;) {
		int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
		const int on = 1;

		(void)setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
		(void)bind(fd, (struct sockaddr *)&a, sizeof(a));
		(void)close(fd);
	}
}

static void waiting_does_not_keep_the_server_from_listening(void **state)
{
	pid_t pid = fork();

	(void)state;
	assert_true(pid >= 0);
	if (pid == 0)
		hammer();
	for (unsigned int i = 0; i < 20; i++) {
		struct t1s_receiver r;
		int k = start(&r);

		if (k != 0)
			fail_msg("start %u: %s", i, error.text);
		assert_int_equal(t1s_receiver_finish(&r, 0), -ETIMEDOUT);
	}
	assert_int_equal(kill(pid, SIGKILL), 0);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
}

static uint64_t status_mask(pid_t pid, const char *key)
{
	char path[64], *text, *line;
	uint64_t value;

	(void)snprintf(path, sizeof(path), "/proc/%d/status", pid);
	assert_int_equal(t1s_read_file(path, 65536, &text, NULL, NULL), 0);
	line = strstr(text, key);
	assert_non_null(line);
	value = strtoull(line + strlen(key), NULL, 16);
	free(text);
	return value;
}

static void assert_only_own_files(pid_t pid)
{
	char path[64], target[PATH_MAX];
	struct dirent *entry;
	unsigned int sockets = 0;
	DIR *d;

	(void)snprintf(path, sizeof(path), "/proc/%d/fd", pid);
	d = opendir(path);
	assert_non_null(d);
	while ((entry = readdir(d))) {
		ssize_t n =
			readlinkat(dirfd(d), entry->d_name, target, sizeof(target) - 1);
		int number = atoi(entry->d_name); /* NOLINT(cert-err34-c) */

		if (n < 0)
			continue; /* . and .. */
		target[n] = '\0';
		if (number == 1)
			assert_string_equal(target, config.json_file);
		else if (number <= 2)
			assert_string_equal(target, "/dev/null");
		else if (strncmp(target, "socket:", 7) == 0)
			sockets++;
		else if (strcmp(target, "/dev/urandom") != 0) /* the library's own */
			fail_msg("descriptor %d is %s", number, target);
	}
	(void)closedir(d);
	assert_int_equal(sockets, 1);
}

static void child_is_cut_off_from_its_parent(void **state)
{
	struct sigaction ignore = {.sa_handler = SIG_IGN}, before;
	sigset_t all, mask;
	struct t1s_receiver r;
	int pair[2];
	int other = open("/proc/self/stat", O_RDONLY); /* without O_CLOEXEC */

	(void)state;
	assert_true(other >= 0);
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
	(void)sigfillset(&all);
	assert_int_equal(sigaction(SIGTERM, &ignore, &before), 0);
	assert_int_equal(sigprocmask(SIG_BLOCK, &all, &mask), 0);
	assert_int_equal(start(&r), 0);
	assert_int_equal(sigprocmask(SIG_SETMASK, &mask, NULL), 0);
	assert_int_equal(sigaction(SIGTERM, &before, NULL), 0);
	assert_only_own_files(r.pid);
	assert_int_equal(getpgid(r.pid), r.pid);
	assert_int_equal(status_mask(r.pid, "SigBlk:"), 0);
	/* signals 32 and 33 are the C library's own and cannot be set */
	assert_int_equal(
		status_mask(r.pid, "SigIgn:") & 0x7fffffff, UINT64_C(1) << (SIGPIPE - 1));
	assert_int_equal(t1s_receiver_finish(&r, 0), -ETIMEDOUT);
	(void)close(pair[0]);
	(void)close(pair[1]);
	(void)close(other);
}

static void child_dies_with_its_parent(void **state)
{
	int pipe_fd[2], status;
	struct t1s_receiver r;
	pid_t parent;

	(void)state;
	/* orphans come to us, so that we see how the receiver ended */
	assert_int_equal(prctl(PR_SET_CHILD_SUBREAPER, 1), 0);
	assert_int_equal(pipe2(pipe_fd, O_CLOEXEC), 0);
	parent = fork();
	assert_true(parent >= 0);
	if (parent == 0) {
		if (start(&r) < 0 || t1s_write_all(pipe_fd[1], &r, sizeof(r)) < 0)
			_exit(1);
		for (;;)
			(void)pause();
	}
	(void)close(pipe_fd[1]);
	assert_int_equal(read(pipe_fd[0], &r, sizeof(r)), sizeof(r));
	assert_int_equal(kill(parent, SIGKILL), 0);
	assert_int_equal(waitpid(parent, &status, 0), parent);
	assert_int_equal(waitpid(r.pid, &status, 0), r.pid);
	assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
	(void)close(pipe_fd[0]);
	assert_int_equal(prctl(PR_SET_CHILD_SUBREAPER, 0), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		receiver_test(listens_when_started_and_leaves_no_child_when_ended),
		receiver_test(
			one_that_nobody_calls_ends_at_the_deadline_with_an_empty_file),
		receiver_test(listens_on_ipv6_too),
		receiver_test(listens_on_the_given_address_only),
		receiver_test(port_taken_by_a_listener_is_eaddrinuse_with_advice),
		receiver_test(port_taken_for_udp_is_eaddrinuse),
		receiver_test(second_receiver_on_a_port_is_refused_and_the_first_goes_on),
		receiver_test(address_that_is_not_there_is_eaddrnotavail),
		receiver_test(text_that_is_no_address_is_einval),
		receiver_test(file_that_cannot_be_made_is_told),
		receiver_test(link_in_the_files_place_is_replaced_not_followed),
		receiver_test(each_of_many_starts_listens),
		receiver_test(waiting_does_not_keep_the_server_from_listening),
		receiver_test(child_is_cut_off_from_its_parent),
		receiver_test(child_dies_with_its_parent),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
