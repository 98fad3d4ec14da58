/* SPDX-License-Identifier: MIT */
#include "link/receiver_child.h"

#include "link/libiperf.h"
#include "link/receiver_confine.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <limits.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { EXIT_TEST_FAILED = 1, EXIT_SETUP_FAILED = 2 };

/* The library's own source of random bytes; it is not in its header. */
extern int readentropy(void *ret, size_t size) __attribute__((weak));

/* In the child only, which is one receiver and has one door. */
static struct t1s_door door;
static bool peer_came;

static bool has_door(void)
{
	return door.peer.ss_family != AF_UNSPEC;
}

/* As accept(2) gives an address back. */
static void copy_address(const struct sockaddr_storage *from, socklen_t from_size,
	struct sockaddr *ret, socklen_t *size)
{
	if (!ret || !size)
		return;
	memcpy(ret, from, *size < from_size ? *size : from_size);
	*size = from_size;
}

/* The words go where the library's own would: into the result. */
static _Noreturn void give_up(const char *what, int errnum)
{
	(void)printf("{\"error\":\"cannot %s: %s\"}\n", what, strerror(errnum));
	(void)fflush(stdout);
	_exit(EXIT_SETUP_FAILED);
}

static void die_with(pid_t parent)
{
	if (prctl(PR_SET_PDEATHSIG, SIGKILL) < 0)
		give_up("be bound to the parent", errno);
	/* it may have died before the prctl, then no signal comes */
	if (getppid() != parent)
		_exit(EXIT_SETUP_FAILED);
}

static void reset_signals(void)
{
	struct sigaction action = {.sa_handler = SIG_DFL};
	sigset_t none;

	for (int s = 1; s < NSIG; s++)
		(void)sigaction(s, &action, NULL); /* some cannot be set; no matter */
	/* a client that goes away is an error of a write, not a reason to die */
	action.sa_handler = SIG_IGN;
	(void)sigaction(SIGPIPE, &action, NULL);
	(void)sigemptyset(&none);
	(void)sigprocmask(SIG_SETMASK, &none, NULL);
}

/*
 * Leaves standard input and error at /dev/null, standard output at the file, nothing
 * else. Standard error must not share the file: a warning in it would spoil the JSON.
 */
static void take_files(int json_fd)
{
	int null_fd = open("/dev/null", O_RDWR | O_CLOEXEC);

	if (dup2(json_fd, STDOUT_FILENO) < 0)
		_exit(EXIT_SETUP_FAILED);
	if (null_fd < 0 || dup2(null_fd, STDIN_FILENO) < 0 ||
		dup2(null_fd, STDERR_FILENO) < 0)
		give_up("open /dev/null", errno);
	if (close_range(STDERR_FILENO + 1, UINT_MAX, 0) < 0)
		give_up("close the parent's files", errno);
}

static void limit(uint64_t max_bytes)
{
	const struct rlimit none = {0, 0};
	const struct rlimit file = {(rlim_t)max_bytes, (rlim_t)max_bytes};

	if (setrlimit(RLIMIT_CORE, &none) < 0 || setrlimit(RLIMIT_FSIZE, &file) < 0)
		give_up("set limits", errno);
}

/*
 * The library makes a file for each stream's buffer and removes its name at once. Beside
 * the result is the one place that is known to be writable; by a relative name, as its
 * own room for a path is short.
 */
static void enter_folder_of(const char *json_file)
{
	const char *slash = strrchr(json_file, '/');
	char folder[PATH_MAX];
	size_t n = slash ? (size_t)(slash - json_file) : 0;

	if (!slash)
		return;
	if (n >= sizeof(folder))
		give_up("enter the result's folder", ENAMETOOLONG);
	memcpy(folder, json_file, n);
	folder[n] = '\0';
	if (chdir(n ? folder : "/") < 0)
		give_up("enter the result's folder", errno);
}

static void become(uid_t uid, gid_t gid)
{
	if (uid == 0)
		return;
	if (setgroups(0, NULL) < 0 || setresgid(gid, gid, gid) < 0 ||
		setresuid(uid, uid, uid) < 0)
		give_up("give up root's rights", errno);
}

/*
 * The three that follow stand in front of the C library's for the whole program, and so
 * for libiperf, which has no way to choose the interface and the peer of its sockets.
 */
/* NOLINTNEXTLINE(readability-inconsistent-declaration-parameter-name) */
int bind(int fd, __CONST_SOCKADDR_ARG address, socklen_t size)
{
	const struct sockaddr *to = address.__sockaddr__;
	int r = has_door() ? t1s_door_narrow(&door, fd) : 0;

	if (r < 0) {
		errno = -r;
		return -1;
	}
	return (int)syscall(SYS_bind, fd, to, size);
}

/* A stranger is sent away; once the peer is there, by the library, which may not wait. */
/* NOLINTNEXTLINE(readability-inconsistent-declaration-parameter-name) */
int accept(int fd, __SOCKADDR_ARG address, socklen_t *size)
{
	struct sockaddr *ret = address.__sockaddr__;

	for (;;) {
		struct sockaddr_storage from = {0};
		socklen_t from_size = sizeof(from);
		int s = (int)syscall(SYS_accept4, fd, &from, &from_size, 0);
		bool known = !has_door() || t1s_door_knows(&door, &from);

		if (s < 0)
			return s;
		if (known)
			peer_came = true;
		else
			(void)shutdown(s, SHUT_RD);
		if (peer_came) {
			copy_address(&from, from_size, ret, size);
			return s;
		}
		(void)close(s);
	}
}

/* The library takes whoever sends the first datagram for the one to receive from. */
/* NOLINTNEXTLINE(readability-inconsistent-declaration-parameter-name) */
ssize_t recvfrom(
	int fd, void *data, size_t n, int flags, __SOCKADDR_ARG address, socklen_t *size)
{
	struct sockaddr *ret = address.__sockaddr__;

	for (;;) {
		struct sockaddr_storage from = {0};
		socklen_t from_size = sizeof(from);
		ssize_t got =
			syscall(SYS_recvfrom, fd, data, n, flags, &from, &from_size);

		if (got >= 0 && has_door() && from.ss_family != AF_UNSPEC &&
			!t1s_door_knows(&door, &from))
			continue;
		if (got >= 0)
			copy_address(&from, from_size, ret, size);
		return got;
	}
}

static void confine(const struct t1s_receiver_config *c)
{
	char byte;
	int r = t1s_door_make(c, &door);

	if (r < 0)
		give_up("read the sender's address", -r);
	/* opens /dev/urandom in some versions, and keeps it open */
	if (readentropy)
		(void)readentropy(&byte, sizeof(byte));
	r = t1s_confine_calls();
	if (r < 0)
		give_up("give up system calls", -r);
}

static int serve(const struct t1s_receiver_config *c)
{
	struct iperf_test *test = iperf_new_test();
	int r;

	if (!test || iperf_defaults(test) < 0)
		give_up("set up a test", ENOMEM);
	iperf_set_test_role(test, 's');
	iperf_set_test_one_off(test, 1);
	iperf_set_test_json_output(test, 1);
	iperf_set_test_server_port(test, c->port);
	iperf_set_test_bind_address(test, c->address);
	iperf_set_test_template(test, ".iperf3-XXXXXX");
	r = iperf_run_server(test);
	if (r < 0) {
		/* what iperf3 itself does here: the document is not written yet */
		iperf_err(test, "%s", iperf_strerror(i_errno));
		(void)iperf_json_finish(test);
	}
	return r < 0 ? EXIT_TEST_FAILED : EXIT_SUCCESS;
}

_Noreturn void t1s_receiver_child(
	const struct t1s_receiver_config *c, int json_fd, pid_t parent)
{
	int r;

	take_files(json_fd);
	die_with(parent);
	(void)setpgid(0, 0);
	reset_signals();
	limit(c->max_bytes);
	become(c->uid, c->gid);
	die_with(parent); /* another user is not bound any more */
	enter_folder_of(c->json_file);
	/* the library must not talk to the service manager in our name */
	(void)unsetenv("NOTIFY_SOCKET");
	confine(c);
	r = serve(c);
	if (fflush(stdout) != 0)
		r = EXIT_TEST_FAILED;
	_exit(r);
}
