/* SPDX-License-Identifier: MIT */
/*
 * Files that survive power loss, and reads that cannot be led astray: no symbolic link
 * is followed at the last component, only regular files are read, and never more than a
 * given size.
 */
#pragma once

#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/*
 * Opens a regular file for reading. Returns the descriptor, which is the caller's to
 * close; -ENOENT, -ELOOP (a link), -EINVAL (not a regular file), or what the system said.
 */
int t1s_open_regular(const char *path, struct t1s_error *e);

/*
 * From now on reading from this descriptor leaves the file's access time alone, which on
 * vfat would be a write of the folder's sector some seconds later. Only the file's owner
 * may ask for it; for others nothing changes. t1s_open_regular does it.
 */
void t1s_leave_no_access_time(int fd);

/*
 * Reads a whole regular file (files of /proc and /sys included).
 * @max_bytes: more than this is -EFBIG.
 * @ret_data: malloc'ed, with a 0 byte after the content; the caller frees it.
 * @ret_size: bytes without that 0; may be NULL.
 * Returns 0; -ENOENT, -ELOOP (a link), -EINVAL (not a regular file), -EFBIG, or what the
 * system said. On failure nothing is returned.
 */
int t1s_read_file(const char *path, size_t max_bytes, char **ret_data, size_t *ret_size,
	struct t1s_error *e);

/*
 * As t1s_read_file, and cuts white space and the device tree's terminating 0 bytes from
 * the end: for one-line files.
 */
int t1s_read_line_file(
	const char *path, char *ret_line, size_t size, struct t1s_error *e);

/*
 * Replaces a file so that after a power cut either the old or the new content is there:
 * temporary file in the same folder, fsync, rename, fsync of the folder.
 * @keep_previous: the old content stays under PATH.previous (a hard link, no gap).
 * Not for vfat, where a rename is not atomic. Returns 0 or a negative errno; on failure
 * the old file is untouched and no temporary file stays (but if the last step, the fsync
 * of the folder, fails, then the new content is there and may not last).
 */
int t1s_replace_file(const char *path, const void *data, size_t size, mode_t mode,
	bool keep_previous, struct t1s_error *e);

/* Writes everything to @fd or fails: 0 or a negative errno. */
int t1s_write_all(int fd, const void *data, size_t size);

/* fsync of the folder that holds @path, so that its creation or removal lasts. */
int t1s_sync_parent(const char *path, struct t1s_error *e);

/* Makes a folder and those above it that are missing, and makes them last. Returns 0;
 * -EEXIST if there is something else in the place of one, or what the system said. */
int t1s_make_folder(const char *path, mode_t mode, struct t1s_error *e);

/*
 * Takes an exclusive lock on a file that is created if missing, without waiting.
 * @ret_fd: to be closed by the caller, which gives the lock back.
 * Returns 0; -EBUSY if another process has it.
 */
int t1s_lock_file(const char *path, int *ret_fd, struct t1s_error *e);
