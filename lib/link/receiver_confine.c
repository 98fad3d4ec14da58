/* SPDX-License-Identifier: MIT */
#include "link/receiver_confine.h"

#include "base/cleanup.h"

#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <sched.h>
#include <seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

int t1s_door_make(const struct t1s_receiver_config *c, struct t1s_door *ret)
{
	const struct addrinfo hints = {.ai_flags = AI_NUMERICHOST};
	struct addrinfo *found;

	memset(ret, 0, sizeof(*ret));
	(void)snprintf(ret->interface, sizeof(ret->interface), "%s", c->interface);
	if (getaddrinfo(c->peer, NULL, &hints, &found) != 0)
		return -EINVAL;
	memcpy(&ret->peer, found->ai_addr, found->ai_addrlen);
	freeaddrinfo(found);
	return 0;
}

int t1s_door_narrow(const struct t1s_door *g, int fd)
{
	if (setsockopt(fd, SOL_SOCKET, SO_BINDTODEVICE, g->interface,
		    (socklen_t)strlen(g->interface)) < 0)
		return -errno;
	return 0;
}

bool t1s_door_knows(const struct t1s_door *g, const struct sockaddr_storage *from)
{
	if (from->ss_family != g->peer.ss_family)
		return false;
	if (from->ss_family == AF_INET) {
		const struct sockaddr_in *a = (const void *)from,
					 *b = (const void *)&g->peer;

		return a->sin_addr.s_addr == b->sin_addr.s_addr;
	}
	if (from->ss_family == AF_INET6) {
		const struct sockaddr_in6 *a = (const void *)from,
					  *b = (const void *)&g->peer;

		return memcmp(&a->sin6_addr, &b->sin6_addr, sizeof(a->sin6_addr)) == 0;
	}
	return false;
}

/*
 * Memory, time and signals as the C library needs them; sockets; the result's file and
 * the library's buffer file; threads, which the library makes from 3.16 on.
 */
static const int calls[] = {SCMP_SYS(brk), SCMP_SYS(munmap), SCMP_SYS(mremap),
	SCMP_SYS(madvise), SCMP_SYS(clock_gettime), SCMP_SYS(clock_gettime64),
	SCMP_SYS(clock_nanosleep), SCMP_SYS(clock_nanosleep_time64), SCMP_SYS(nanosleep),
	SCMP_SYS(gettimeofday), SCMP_SYS(time), SCMP_SYS(getrusage), SCMP_SYS(uname),
	SCMP_SYS(getrandom), SCMP_SYS(getpid), SCMP_SYS(gettid), SCMP_SYS(getppid),
	SCMP_SYS(rt_sigaction), SCMP_SYS(rt_sigprocmask), SCMP_SYS(rt_sigreturn),
	SCMP_SYS(sigaltstack), SCMP_SYS(restart_syscall), SCMP_SYS(bind),
	SCMP_SYS(listen), SCMP_SYS(accept), SCMP_SYS(accept4), SCMP_SYS(connect),
	SCMP_SYS(shutdown), SCMP_SYS(getsockname), SCMP_SYS(getpeername),
	SCMP_SYS(getsockopt), SCMP_SYS(setsockopt), SCMP_SYS(recvfrom), SCMP_SYS(recvmsg),
	SCMP_SYS(sendto), SCMP_SYS(sendmsg), SCMP_SYS(select), SCMP_SYS(_newselect),
	SCMP_SYS(pselect6), SCMP_SYS(pselect6_time64), SCMP_SYS(poll), SCMP_SYS(ppoll),
	SCMP_SYS(ppoll_time64), SCMP_SYS(read), SCMP_SYS(write), SCMP_SYS(writev),
	SCMP_SYS(close), SCMP_SYS(lseek), SCMP_SYS(_llseek), SCMP_SYS(fstat),
	SCMP_SYS(fstat64), SCMP_SYS(newfstatat), SCMP_SYS(fstatat64), SCMP_SYS(statx),
	SCMP_SYS(fcntl), SCMP_SYS(fcntl64), SCMP_SYS(ftruncate), SCMP_SYS(ftruncate64),
	SCMP_SYS(unlink), SCMP_SYS(unlinkat), SCMP_SYS(futex), SCMP_SYS(futex_time64),
	SCMP_SYS(set_robust_list), SCMP_SYS(rseq), SCMP_SYS(sched_yield),
	SCMP_SYS(sched_getaffinity), SCMP_SYS(exit), SCMP_SYS(exit_group)};

static int allow_calls(scmp_filter_ctx filter)
{
	int r = 0;

	/* what this architecture does not have is left out by the library */
	for (size_t i = 0; r == 0 && i < T1S_ELEMENTSOF(calls); i++)
		r = seccomp_rule_add(filter, SCMP_ACT_ALLOW, calls[i], 0);
	return r;
}

/* Calls of which only some uses are allowed: a new file, sockets of the internet, memory
 * that is no code, a thread. */
#define NEW_FILE (O_CREAT | O_EXCL)
#define THREAD (CLONE_VM | CLONE_THREAD)
static const struct {
	int call;
	struct scmp_arg_cmp when;
} uses[] = {
	{SCMP_SYS(openat), {2, SCMP_CMP_MASKED_EQ, NEW_FILE, NEW_FILE}},
	{SCMP_SYS(open), {1, SCMP_CMP_MASKED_EQ, NEW_FILE, NEW_FILE}},
	{SCMP_SYS(socket), {0, SCMP_CMP_EQ, AF_INET, 0}},
	{SCMP_SYS(socket), {0, SCMP_CMP_EQ, AF_INET6, 0}},
	{SCMP_SYS(mmap), {2, SCMP_CMP_MASKED_EQ, PROT_EXEC, 0}},
	{SCMP_SYS(mmap2), {2, SCMP_CMP_MASKED_EQ, PROT_EXEC, 0}},
	{SCMP_SYS(mprotect), {2, SCMP_CMP_MASKED_EQ, PROT_EXEC, 0}},
	{SCMP_SYS(clone), {0, SCMP_CMP_MASKED_EQ, THREAD, THREAD}},
};

static int allow_uses(scmp_filter_ctx filter)
{
	const struct scmp_arg_cmp itself = {0, SCMP_CMP_EQ, (scmp_datum_t)getpid(), 0};
	int r = seccomp_rule_add_array(
		filter, SCMP_ACT_ALLOW, SCMP_SYS(tgkill), 1, &itself);

	for (size_t i = 0; r == 0 && i < T1S_ELEMENTSOF(uses); i++)
		r = seccomp_rule_add_array(
			filter, SCMP_ACT_ALLOW, uses[i].call, 1, &uses[i].when);
	/* its flags lie in memory, where a filter cannot look: the C library then takes
	 * the one before */
	if (r == 0)
		r = seccomp_rule_add(filter, SCMP_ACT_ERRNO(ENOSYS), SCMP_SYS(clone3), 0);
	return r;
}

int t1s_confine_calls(void)
{
	scmp_filter_ctx filter = seccomp_init(SCMP_ACT_ERRNO(EPERM));
	int r;

	if (!filter)
		return -ENOMEM;
	r = allow_calls(filter);
	if (r == 0)
		r = allow_uses(filter);
	if (r == 0)
		r = seccomp_load(filter);
	seccomp_release(filter);
	return r;
}
