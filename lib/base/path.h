/* SPDX-License-Identifier: MIT */
/*
 * Paths below the injectable root. Everything outside the program is reached through
 * here, so that tests, the demo and a rescue from another machine run the same code.
 */
#pragma once

#include <limits.h>

/*
 * Builds ROOT + formatted absolute path.
 * @root: "" for the running system, else a folder, without a slash at its end.
 * Returns 0, or -ENAMETOOLONG (and ret is then an empty string, which opens nothing).
 */
int t1s_path(char ret[PATH_MAX], const char *root, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* The path as the person knows it: without the root in front. */
const char *t1s_path_below(const char *root, const char *path);
