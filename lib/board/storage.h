/* SPDX-License-Identifier: MIT */
/*
 * Whether what is written will be there at the next boot: kind of file system, mounted or
 * not, writable or not, space left.
 */
#pragma once

#include "base/error.h"

#include <stdbool.h>
#include <stdint.h>

struct t1s_mount {
	char point[256]; /* mount point that holds the path, without the root in front */
	char type[32];   /* "vfat", "ext4", "overlay", … */
	bool read_only;  /* by mount or by file system */
};

/*
 * The mount that holds a path, from ROOT/proc/self/mountinfo.
 * @path: absolute, without @root in front.
 * Returns 0, or -ENOENT if there is no mountinfo below @root (a tree looked at from
 * elsewhere): then nothing is known.
 */
int t1s_mount_of(
	const char *root, const char *path, struct t1s_mount *ret, struct t1s_error *e);

/*
 * Refuses what would lose state: the folder's file system is tmpfs, ramfs, overlay or
 * read-only, or less than @min_free_bytes are free. Returns 0, -EMEDIUMTYPE, -EROFS or
 * -ENOSPC, with what to do in the text. Where no mountinfo is known only space is
 * checked.
 * @folder: absolute, without @root; it must exist.
 */
int t1s_storage_lasts(const char *root, const char *folder, uint64_t min_free_bytes,
	struct t1s_error *e);

/*
 * Refuses a boot partition on which a change would have no effect or is impossible: not a
 * mount point of its own, or read-only. @boot_folder: absolute, with @root in front.
 * Returns 0, -ENOTBLK (not mounted) or -EROFS. Where no mountinfo is known: 0.
 */
int t1s_storage_boot_ready(
	const char *root, const char *boot_folder, struct t1s_error *e);
