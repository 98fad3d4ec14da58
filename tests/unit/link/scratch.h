/* SPDX-License-Identifier: MIT */
/* A folder of a test's own, with everything in it gone afterwards. */
#pragma once

#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#define SCRATCH_MAX 64

static inline int scratch_make(char ret[SCRATCH_MAX])
{
	(void)snprintf(ret, SCRATCH_MAX, "/tmp/t1s-link-XXXXXX");
	return mkdtemp(ret) ? 0 : -1;
}

static inline int scratch_remove_one(
	const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	(void)st;
	(void)type;
	(void)ftw;
	return remove(path);
}

static inline int scratch_remove(const char *path)
{
	return nftw(path, scratch_remove_one, 16, FTW_DEPTH | FTW_PHYS);
}
