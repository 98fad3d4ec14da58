/* SPDX-License-Identifier: MIT */
/*
 * Scope-bound release: variables marked with these attributes give back what they
 * hold when they go out of scope, on every path.
 */
#pragma once

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static inline void t1s_cleanup_freep(void *p)
{
	free(*(void **)p);
}

static inline void t1s_cleanup_closep(int *fd)
{
	if (*fd >= 0)
		(void)close(*fd);
}

static inline void t1s_cleanup_fclosep(FILE **f)
{
	if (*f)
		(void)fclose(*f);
}

static inline void t1s_cleanup_closedirp(DIR **d)
{
	if (*d)
		(void)closedir(*d);
}

#define cleanup_(f) __attribute__((cleanup(f)))
#define cleanup_free cleanup_(t1s_cleanup_freep)
#define cleanup_close cleanup_(t1s_cleanup_closep)
#define cleanup_fclose cleanup_(t1s_cleanup_fclosep)
#define cleanup_closedir cleanup_(t1s_cleanup_closedirp)

/* Takes a pointer out of a cleanup variable, to hand it to the caller. */
#define t1s_steal(p)                                                                     \
	({                                                                               \
		__typeof__(p) stolen_ = (p);                                             \
		(p) = NULL;                                                              \
		stolen_;                                                                 \
	})

/* The same for a descriptor. */
static inline int t1s_steal_fd(int *fd)
{
	int stolen = *fd;

	*fd = -1;
	return stolen;
}

#define T1S_ELEMENTSOF(a) (sizeof(a) / sizeof((a)[0]))
