/* SPDX-License-Identifier: MIT */
#include "link/dial.h"

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>

#define ADDRESSES_MAX 8

struct addresses {
	int gai; /* getaddrinfo's verdict */
	unsigned int count;
	struct {
		struct sockaddr_storage address;
		socklen_t size;
	} each[ADDRESSES_MAX];
};

static void resolve(const char *host, uint16_t port, int flags, struct addresses *ret)
{
	const struct addrinfo hints = {
		.ai_flags = flags | AI_NUMERICSERV, .ai_socktype = SOCK_STREAM};
	struct addrinfo *found = NULL;
	char service[8];

	memset(ret, 0, sizeof(*ret));
	(void)snprintf(service, sizeof(service), "%u", port);
	ret->gai = getaddrinfo(host, service, &hints, &found);
	if (ret->gai != 0)
		return;
	for (const struct addrinfo *a = found; a && ret->count < ADDRESSES_MAX;
		a = a->ai_next) {
		memcpy(&ret->each[ret->count].address, a->ai_addr, a->ai_addrlen);
		ret->each[ret->count].size = a->ai_addrlen;
		ret->count++;
	}
	freeaddrinfo(found);
}

static _Noreturn void resolve_in_child(
	const char *host, uint16_t port, int fd, pid_t parent)
{
	struct addresses found;

	/* with the parent's files open (its lock among them) it must not outlive it */
	(void)prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(1);
	resolve(host, port, 0, &found);
	_exit(t1s_write_all(fd, &found, sizeof(found)) < 0);
}

static int read_answer(int fd, uint64_t deadline_us, struct addresses *ret)
{
	size_t used = 0;

	while (used < sizeof(*ret)) {
		struct pollfd p = {.fd = fd, .events = POLLIN};
		int r = poll(&p, 1, t1s_left_ms(deadline_us));
		ssize_t n;

		if (r < 0 && errno == EINTR)
			continue;
		if (r <= 0)
			return r < 0 ? -errno : -ETIMEDOUT;
		n = read(fd, (char *)ret + used, sizeof(*ret) - used);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return n < 0 ? -errno : -ECHILD;
		used += (size_t)n;
	}
	return 0;
}

/* Asks in a child process, which is ended at the deadline. */
static int resolve_by(const char *host, uint16_t port, uint64_t deadline_us,
	struct addresses *ret, struct t1s_error *e)
{
	cleanup_close int from = -1;
	cleanup_close int to = -1;
	pid_t self = getpid(), pid;
	int ends[2], r;

	if (pipe2(ends, O_CLOEXEC) < 0)
		return t1s_error_set(e, errno, "cannot make a pipe: %s", strerror(errno));
	from = ends[0];
	to = ends[1];
	(void)fflush(NULL);
	pid = fork();
	if (pid < 0)
		return t1s_error_set(
			e, errno, "cannot start a process: %s", strerror(errno));
	if (pid == 0)
		resolve_in_child(host, port, to, self);
	(void)close(to);
	to = -1;
	r = read_answer(from, deadline_us, ret);
	(void)kill(pid, SIGKILL);
	while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
		;
	if (r == -ETIMEDOUT)
		return t1s_error_set(e, ETIMEDOUT,
			"the name %s was not resolved in time: no name server answers. "
			"Give the address in Host= or in /etc/hosts",
			host);
	if (r < 0)
		return t1s_error_set(
			e, -r, "cannot resolve the name %s: %s", host, strerror(-r));
	return 0;
}

static int look_up(const char *host, uint16_t port, uint64_t deadline_us,
	struct addresses *ret, struct t1s_error *e)
{
	int r;

	resolve(host, port, AI_NUMERICHOST, ret);
	if (ret->gai == 0)
		return 0;
	r = resolve_by(host, port, deadline_us, ret, e);
	if (r < 0)
		return r;
	switch (ret->gai) {
	case 0:
		return 0;
	case EAI_NONAME:
	case EAI_NODATA:
	case EAI_ADDRFAMILY:
		return t1s_error_set(e, ENXIO,
			"the name %s is not known: check Host= in [Sender], or add the "
			"name to /etc/hosts",
			host);
	case EAI_AGAIN:
		return t1s_error_set(e, EAGAIN,
			"no name server answered for %s: is the management network up? "
			"An address in Host= or a line in /etc/hosts needs none",
			host);
	default:
		return t1s_error_set(e, EIO, "cannot resolve the name %s: %s", host,
			gai_strerror(ret->gai));
	}
}

static int wait_connected(int fd, uint64_t deadline_us)
{
	socklen_t size = sizeof(int);
	int error = 0;

	for (;;) {
		struct pollfd p = {.fd = fd, .events = POLLOUT};
		int r = poll(&p, 1, t1s_left_ms(deadline_us));

		if (r < 0 && errno == EINTR)
			continue;
		if (r <= 0)
			return r < 0 ? -errno : -ETIMEDOUT;
		break;
	}
	if (getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &size) < 0)
		return -errno;
	return -error;
}

static int connect_one(const struct sockaddr_storage *address, socklen_t size,
	uint64_t deadline_us, int *ret_fd)
{
	cleanup_close int fd =
		socket(address->ss_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	const int on = 1;
	int r = 0;

	if (fd < 0)
		return -errno;
	if (connect(fd, (const struct sockaddr *)address, size) < 0)
		r = errno == EINPROGRESS ? wait_connected(fd, deadline_us) : -errno;
	if (r < 0)
		return r;
	/* small requests and answers: each one goes out at once */
	(void)setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
	*ret_fd = fd;
	fd = -1;
	return 0;
}

static int tell(const char *host, uint16_t port, int r, struct t1s_error *e)
{
	switch (r) {
	case -ECONNREFUSED:
		return t1s_error_set(e, ECONNREFUSED,
			"%s refused the connection to port %u: no SSH server listens "
			"there. On the sender: sudo systemctl enable --now ssh; or set "
			"Port= in [Sender]",
			host, port);
	case -ETIMEDOUT:
		return t1s_error_set(e, ETIMEDOUT,
			"%s did not answer on port %u in time: is it switched on, is its "
			"address right, does a firewall keep us out?",
			host, port);
	case -EHOSTUNREACH:
	case -ENETUNREACH:
		return t1s_error_set(e, -r,
			"there is no route to %s (%s): is the management network up "
			"here, "
			"and the sender on it?",
			host, strerror(-r));
	default:
		return t1s_error_set(e, -r, "cannot connect to %s port %u: %s", host,
			port, strerror(-r));
	}
}

int t1s_dial(const char *host, uint16_t port, uint64_t deadline_us, int *ret_fd,
	struct t1s_error *e)
{
	struct addresses found;
	int r = look_up(host, port, deadline_us, &found, e);

	if (r < 0)
		return r;
	r = -ENXIO;
	for (unsigned int i = 0; i < found.count; i++) {
		uint64_t now_us = t1s_now_us();
		uint64_t left_us = deadline_us > now_us ? deadline_us - now_us : 0;

		r = connect_one(&found.each[i].address, found.each[i].size,
			now_us + left_us / (found.count - i), ret_fd);
		if (r == 0)
			return 0;
	}
	return tell(host, port, r, e);
}
