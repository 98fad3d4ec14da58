/* SPDX-License-Identifier: MIT */
#include "base/cleanup.h"
#include "base/file.h"
#include "sweep/results_fields.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>

#define BLOCK_BYTES 4096
#define TORN_FILES_MAX 1000

/* One results file, open and locked. */
struct target {
	const char *path;
	int fd;
	off_t size;
	struct t1s_error *error;
};

static int fail(const struct target *t, int errnum, const char *what)
{
	return t1s_error_set(
		t->error, errnum, "cannot %s %s: %s", what, t->path, strerror(errnum));
}

static int open_target(const char *path, struct target *t)
{
	struct stat st;

	t->fd = open(path,
		O_RDWR | O_APPEND | O_CREAT | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK |
			O_NOCTTY,
		0644);
	if (t->fd < 0 && errno == ELOOP)
		return t1s_error_set(t->error, ELOOP,
			"%s is a symbolic link, a regular file was expected", path);
	if (t->fd < 0)
		return fail(t, errno, "open");
	if (fstat(t->fd, &st) < 0)
		return fail(t, errno, "look at");
	if (!S_ISREG(st.st_mode))
		return t1s_error_set(t->error, EINVAL, "%s is not a regular file", path);
	if (flock(t->fd, LOCK_EX | LOCK_NB) < 0) {
		if (errno != EWOULDBLOCK)
			return fail(t, errno, "lock");
		return t1s_error_set(t->error, EBUSY,
			"another t1s-sweep is writing to %s; see: systemctl status "
			"t1s-sweep",
			path);
	}
	/* only now: before the lock another one may have been writing */
	if (fstat(t->fd, &st) < 0)
		return fail(t, errno, "look at");
	t->size = st.st_size;
	return 0;
}

/* Reads exactly @size bytes at @offset: the file is ours, so a short read is an error. */
static int read_at(const struct target *t, char *ret, size_t size, off_t offset)
{
	while (size > 0) {
		ssize_t n = pread(t->fd, ret, size, offset);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return fail(t, n < 0 ? errno : EIO, "read");
		ret += n;
		size -= (size_t)n;
		offset += n;
	}
	return 0;
}

/*
 * Where the last write has a hole, else the file's end: after a power cut a page of it
 * can be zeros with the next one whole behind it.
 */
static int find_hole(const struct target *t, off_t *ret)
{
	char block[BLOCK_BYTES];
	off_t at = t->size > T1S_RESULTS_WRITE_MAX ? t->size - T1S_RESULTS_WRITE_MAX : 0;

	at -= at % BLOCK_BYTES;
	while (at < t->size) {
		size_t n =
			t->size - at < BLOCK_BYTES ? (size_t)(t->size - at) : BLOCK_BYTES;
		size_t hole;
		int r = read_at(t, block, n, at);

		if (r < 0)
			return r;
		hole = t1s_results_hole(block, n, at, t->size);
		at += (off_t)hole;
		if (hole < n)
			break;
	}
	*ret = at;
	return 0;
}

/* Where the last whole line ends: behind the last newline before any hole, 0 if there is
 * none. */
static int find_whole_end(const struct target *t, off_t *ret)
{
	char block[BLOCK_BYTES];
	off_t end = 0;
	int r = find_hole(t, &end);

	if (r < 0)
		return r;
	while (end > 0) {
		size_t n = end < BLOCK_BYTES ? (size_t)end : BLOCK_BYTES;
		const char *newline;

		r = read_at(t, block, n, end - (off_t)n);
		if (r < 0)
			return r;
		newline = memrchr(block, '\n', n);
		end -= (off_t)n;
		if (newline) {
			*ret = end + (newline - block) + 1;
			return 0;
		}
	}
	*ret = 0;
	return 0;
}

static int copy_tail(const struct target *t, off_t from, int to)
{
	char block[BLOCK_BYTES];

	while (from < t->size) {
		off_t left = t->size - from;
		size_t n = left < BLOCK_BYTES ? (size_t)left : BLOCK_BYTES;
		int r = read_at(t, block, n, from);

		if (r == 0)
			r = t1s_write_all(to, block, n);
		if (r < 0)
			return r;
		from += (off_t)n;
	}
	return fsync(to) < 0 ? -errno : 0;
}

static int make_torn_file(const struct target *t, char ret[PATH_MAX])
{
	for (int i = 1; i <= TORN_FILES_MAX; i++) {
		int fd;

		if (snprintf(ret, PATH_MAX, "%s.torn-%d", t->path, i) >= PATH_MAX)
			return -ENAMETOOLONG;
		fd = open(ret, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
		if (fd >= 0 || errno != EEXIST)
			return fd >= 0 ? fd : -errno;
	}
	return -EEXIST;
}

/*
 * What a power cut left behind the last newline is kept beside the file, for whoever
 * wants to know, and cut off. The copy is on disk before the cut, so nothing can be lost
 * in between.
 */
static int set_tail_aside(struct target *t, off_t whole)
{
	char torn[PATH_MAX];
	cleanup_close int to = make_torn_file(t, torn);
	int r = to < 0 ? to : copy_tail(t, whole, to);

	if (r < 0) {
		if (to >= 0)
			(void)unlink(torn);
		return t1s_error_set(t->error, -r,
			"cannot set the torn last line of %s aside as %s: %s", t->path,
			torn, strerror(-r));
	}
	r = t1s_sync_parent(t->path, t->error);
	if (r < 0)
		return r;
	if (ftruncate(t->fd, whole) < 0 || fsync(t->fd) < 0)
		return fail(t, errno, "cut the torn last line off");
	t->size = whole;
	return 0;
}

/*
 * The file's own header line decides what goes where: it may have been begun by another
 * version, with fewer columns, or have been given some by hand. @ret_missing may be NULL.
 */
static int read_header(
	const struct target *t, struct t1s_header *ret, char ret_missing[T1S_MISSING_MAX])
{
	char line[T1S_ROW_LINE_MAX], missing[T1S_MISSING_MAX];
	size_t size = t->size < (off_t)sizeof(line) ? (size_t)t->size : sizeof(line);
	int r = read_at(t, line, size, 0);
	const char *newline;

	if (r < 0)
		return r;
	newline = memchr(line, '\n', size);
	if (!newline)
		return t1s_error_set(t->error, EBADMSG,
			"%s:1: no end of the line in %zu bytes, expected the header line "
			"of a results file",
			t->path, size);
	r = t1s_header_parse(line, (size_t)(newline - line), t->path, ret, t->error);
	if (r < 0)
		return r;
	return t1s_header_missing(
		ret, t->path, ret_missing ? ret_missing : missing, t->error);
}

/* All or nothing: what was written in part is taken back. */
static int write_whole(const struct target *t, const char *text, size_t size)
{
	ssize_t n;
	int errnum;

	do {
		n = write(t->fd, text, size);
	} while (n < 0 && errno == EINTR);
	if (n == (ssize_t)size && fsync(t->fd) == 0)
		return 0;
	/* a part of a row is written when the disk is full in the middle of it */
	errnum = n < 0 || n == (ssize_t)size ? errno : ENOSPC;
	if (ftruncate(t->fd, t->size) < 0)
		return t1s_error_set(t->error, errnum,
			"cannot write a row to %s: %s; and cannot cut off what was "
			"written of it: %s",
			t->path, strerror(errnum), strerror(errno));
	(void)fsync(t->fd);
	return fail(t, errnum, "write a row to");
}

static int append(struct target *t, const struct t1s_row *rows, unsigned int count)
{
	char text[(1 + T1S_RUN_ROWS_MAX) * T1S_ROW_LINE_MAX];
	struct t1s_header header;
	size_t size = 0;
	off_t whole = 0;
	int r = find_whole_end(t, &whole);
	const bool fresh = whole == 0;

	/* before anything is cut: the file may be somebody else's */
	if (r == 0 && !fresh)
		r = read_header(t, &header, NULL);
	if (r == 0 && whole < t->size)
		r = set_tail_aside(t, whole);
	if (r < 0)
		return r;
	if (fresh) {
		t1s_header_ours(&header);
		size = t1s_results_header(text);
	}
	for (unsigned int i = 0; i < count; i++)
		size += t1s_results_line(&rows[i], &header, text + size);
	r = write_whole(t, text, size);
	return r == 0 && fresh ? t1s_sync_parent(t->path, t->error) : r;
}

int t1s_results_check(
	const char *path, char ret_missing[T1S_MISSING_MAX], struct t1s_error *e)
{
	struct target t = {.path = path, .fd = t1s_open_regular(path, e), .error = e};
	struct t1s_header header;
	struct stat st;
	off_t whole = 0;
	int r;

	ret_missing[0] = '\0';
	if (t.fd < 0)
		return t.fd == -ENOENT ? 0 : t.fd;
	r = fstat(t.fd, &st) < 0 ? fail(&t, errno, "look at") : 0;
	t.size = r == 0 ? st.st_size : 0;
	if (r == 0)
		r = find_whole_end(&t, &whole);
	if (r == 0 && whole > 0)
		r = read_header(&t, &header, ret_missing);
	(void)close(t.fd);
	return r;
}

int t1s_results_append(const char *path, const struct t1s_row *row, struct t1s_error *e)
{
	return t1s_results_append_run(path, row, 1, e);
}

int t1s_results_append_run(const char *path, const struct t1s_row *rows,
	unsigned int count, struct t1s_error *e)
{
	struct target t = {.path = path, .fd = -1, .error = e};
	int r;

	if (count == 0 || count > T1S_RUN_ROWS_MAX)
		return t1s_error_set(e, EINVAL, "%u rows of one run for %s", count, path);
	for (unsigned int i = 0; i < count; i++)
		if (!t1s_run_status_name(rows[i].status))
			return t1s_error_set(e, EINVAL,
				"a row for %s has no status: this is a defect of the "
				"program",
				path);
	r = open_target(path, &t);
	if (r == 0)
		r = append(&t, rows, count);
	if (t.fd >= 0)
		(void)close(t.fd);
	return r;
}
