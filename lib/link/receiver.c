/* SPDX-License-Identifier: MIT */
#include "link/receiver.h"

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/file.h"
#include "link/iperf_json.h"
#include "link/receiver_child.h"

#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/pidfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>

#define POLL_US (5 * T1S_USEC_PER_MSEC)
#define WORDS_MAX_BYTES ((size_t)64 * 1024)

static int look_up(const struct t1s_receiver_config *c, int type,
	struct sockaddr_storage *ret, socklen_t *ret_size, struct t1s_error *e)
{
	const struct addrinfo hints = {
		.ai_flags = AI_NUMERICHOST | AI_NUMERICSERV, .ai_socktype = type};
	struct addrinfo *found;
	char port[8];
	int r;

	(void)snprintf(port, sizeof(port), "%u", c->port);
	r = getaddrinfo(c->address, port, &hints, &found);
	if (r != 0)
		return t1s_error_set(e, EINVAL, "\"%s\" is no IPv4 or IPv6 address (%s)",
			c->address, gai_strerror(r));
	memcpy(ret, found->ai_addr, found->ai_addrlen);
	*ret_size = found->ai_addrlen;
	freeaddrinfo(found);
	return 0;
}

/*
 * Whether one can bind there: 0 or a negative errno. With SO_REUSEADDR, TCP says
 * -EADDRINUSE only because of a listener (or of one who bound without that option), so
 * that this socket and a server that is about to listen do not disturb each other, and
 * connections that are closing do not count.
 */
static int try_bind(const struct t1s_receiver_config *c, int type, struct t1s_error *e)
{
	cleanup_close int fd = -1;
	struct sockaddr_storage address = {0};
	socklen_t size = 0;
	const int on = 1;
	int r = look_up(c, type, &address, &size, e);

	if (r < 0)
		return r;
	fd = socket(address.ss_family, type | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return t1s_error_set(
			e, errno, "cannot make a socket: %s", strerror(errno));
	/* for UDP the option would allow two to share a port, and hide the other one */
	if (type == SOCK_STREAM &&
		setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on)) < 0)
		return t1s_error_set(
			e, errno, "cannot set up a socket: %s", strerror(errno));
	if (bind(fd, (struct sockaddr *)&address, size) < 0)
		return t1s_error_set(e, errno, "cannot bind to %s port %u: %s",
			c->address, c->port, strerror(errno));
	return 0;
}

static int check_free(const struct t1s_receiver_config *c, struct t1s_error *e)
{
	int r = try_bind(c, SOCK_STREAM, e);

	if (r == 0)
		r = try_bind(c, SOCK_DGRAM, e);
	if (r == -EADDRINUSE)
		return t1s_error_set(e, EADDRINUSE,
			"port %u of %s is taken by another program, perhaps an iperf3 "
			"server of its own (see: ss -lnptu sport = :%u). End that one, "
			"or "
			"choose another Port= in [Receiver]",
			c->port, c->address, c->port);
	if (r == -EADDRNOTAVAIL)
		return t1s_error_set(e, EADDRNOTAVAIL,
			"no interface has the address %s now (see: ip address)",
			c->address);
	return r;
}

static int make_file(const char *path, struct t1s_error *e)
{
	int fd;

	/* a new file, so that no link leads the result to another one */
	(void)unlink(path);
	fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0644);
	if (fd < 0 || fchmod(fd, 0644) < 0) {
		int errnum = errno;

		if (fd >= 0)
			(void)close(fd);
		return t1s_error_set(
			e, errnum, "cannot make %s: %s", path, strerror(errnum));
	}
	return fd;
}

/* The server's own words for why it ended before a test. */
static int tell_why_it_ended(const struct t1s_receiver_config *c,
	const struct t1s_receiver *r, struct t1s_error *e)
{
	cleanup_free char *data = NULL;
	json_object *top = NULL;
	const char *words = NULL;
	char why[200] = "";
	size_t size;

	if (WIFSIGNALED(r->status))
		return t1s_error_set(e, ECHILD,
			"the receiver was ended by signal %d before it listened",
			WTERMSIG(r->status));
	if (t1s_read_file(c->json_file, WORDS_MAX_BYTES, &data, &size, NULL) == 0 &&
		t1s_iperf_parse(data, size, &top, why, sizeof(why)) == 0)
		words = t1s_iperf_string(top, "error");
	(void)t1s_error_set(e, ECHILD,
		"the receiver ended before a test (exit status %d): %s",
		WEXITSTATUS(r->status), words ? words : "it left no words");
	json_object_put(top);
	return -ECHILD;
}

/* Waits until somebody listens; that nobody else did was checked before. */
static int wait_for_listener(const struct t1s_receiver_config *c, uint64_t deadline_us,
	struct t1s_receiver *r, struct t1s_error *e)
{
	bool listens = false;

	for (;;) {
		int k;

		if (t1s_receiver_ended(r))
			return tell_why_it_ended(c, r, e);
		/* seen, and the child is still there a moment later: it was not another
		 * program that came first and made the child's own try fail */
		if (listens)
			return 0;
		k = try_bind(c, SOCK_STREAM, e);
		listens = k == -EADDRINUSE;
		if (k < 0 && !listens)
			return k;
		if (!listens && t1s_now_us() >= deadline_us)
			return t1s_error_set(e, ETIMEDOUT,
				"the receiver does not listen on %s port %u in time",
				c->address, c->port);
		t1s_sleep_us(POLL_US);
	}
}

int t1s_receiver_start(const struct t1s_receiver_config *c, uint64_t deadline_us,
	struct t1s_receiver *ret, struct t1s_error *e)
{
	struct t1s_receiver started = {0};
	cleanup_close int fd = -1;
	pid_t self = getpid();
	int r = check_free(c, e);

	if (r < 0)
		return r;
	fd = make_file(c->json_file, e);
	if (fd < 0)
		return fd;
	/* what is buffered must not be written a second time by the child */
	(void)fflush(NULL);
	started.pid = fork();
	if (started.pid < 0)
		return t1s_error_set(
			e, errno, "cannot start the receiver: %s", strerror(errno));
	if (started.pid == 0)
		t1s_receiver_child(c, fd, self);
	r = wait_for_listener(c, deadline_us, &started, e);
	if (r < 0)
		(void)t1s_receiver_finish(&started, 0);
	else
		*ret = started;
	return r;
}

int t1s_receiver_ended(struct t1s_receiver *r)
{
	pid_t pid;

	if (r->pid == 0)
		return 1;
	do
		pid = waitpid(r->pid, &r->status, WNOHANG);
	while (pid < 0 && errno == EINTR);
	if (pid == 0)
		return 0;
	r->pid = 0; /* also if it is no child (any more): nothing left to wait for */
	return 1;
}

/* Returns when the process has ended, at the deadline, or earlier. */
static void wait_for_end(int pid_fd, uint64_t deadline_us)
{
	struct pollfd p = {.fd = pid_fd, .events = POLLIN};

	if (pid_fd >= 0)
		(void)poll(&p, 1, t1s_left_ms(deadline_us));
	else /* a kernel or a sandbox without pidfd_open */
		t1s_sleep_us(POLL_US);
}

int t1s_receiver_finish(struct t1s_receiver *r, uint64_t deadline_us)
{
	cleanup_close int pid_fd = r->pid > 0 ? pidfd_open(r->pid, 0) : -1;

	while (!t1s_receiver_ended(r)) {
		if (t1s_now_us() >= deadline_us) {
			(void)kill(r->pid, SIGKILL);
			while (waitpid(r->pid, &r->status, 0) < 0 && errno == EINTR)
				;
			r->pid = 0;
			return -ETIMEDOUT;
		}
		wait_for_end(pid_fd, deadline_us);
	}
	return 0;
}
