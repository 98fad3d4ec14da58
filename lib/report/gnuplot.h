/* SPDX-License-Identifier: MIT */
/*
 * gnuplot as a process: a script goes in, a picture comes out. Without a shell, without
 * the user's start-up files, bounded in time and size. Internal to the room.
 */
#pragma once

#include "base/error.h"

#include <stddef.h>
#include <stdint.h>

/*
 * Runs gnuplot, found by PATH, on @script, for @patience_us at most.
 * @ret, @ret_size: what it wrote to standard output; malloc'ed, with a 0 byte behind it.
 * Returns 0; -ENOENT if there is no gnuplot; -ETIMEDOUT; -EFBIG; -EIO if it failed or
 * wrote nothing, with what it said in the text; or what the system said.
 */
int t1s_gnuplot(const char *script, size_t size, uint64_t patience_us, char **ret,
	size_t *ret_size, struct t1s_error *e);
