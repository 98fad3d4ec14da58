/* SPDX-License-Identifier: MIT */
/*
 * Faults that strace cannot make, for LD_PRELOAD: T1S_SHORT_WRITE=WORD lets the first
 * write to a file whose path holds the word come half through, and the next ones find no
 * room; T1S_CLOCK_SHIFT_S=N has the wall clock N seconds off.
 */
#include <dlfcn.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static bool is_meant(int fd)
{
	const char *word = getenv("T1S_SHORT_WRITE");
	char link[32], path[4096];
	ssize_t n;

	if (!word)
		return false;
	(void)snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	n = readlink(link, path, sizeof(path) - 1);
	if (n < 0)
		return false;
	path[n] = '\0';
	return strstr(path, word) != NULL;
}

/* NOLINTNEXTLINE(readability-inconsistent-declaration-parameter-name) */
ssize_t write(int fd, const void *data, size_t size)
{
	static bool full;
	ssize_t (*next)(int, const void *, size_t);

	*(void **)&next = dlsym(RTLD_NEXT, "write");
	if (!is_meant(fd))
		return next(fd, data, size);
	if (full) {
		errno = ENOSPC;
		return -1;
	}
	full = true;
	(void)fprintf(stderr, "(INJECTED)\n");
	return next(fd, data, size / 2);
}

/* NOLINTNEXTLINE(readability-inconsistent-declaration-parameter-name) */
int clock_gettime(clockid_t clock, struct timespec *ret)
{
	const char *shift = getenv("T1S_CLOCK_SHIFT_S");
	int (*next)(clockid_t, struct timespec *);
	int r;

	*(void **)&next = dlsym(RTLD_NEXT, "clock_gettime");
	r = next(clock, ret);
	if (r == 0 && shift && clock == CLOCK_REALTIME)
		ret->tv_sec += atol(shift); /* NOLINT(cert-err34-c) */
	return r;
}
