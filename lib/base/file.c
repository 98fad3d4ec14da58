/* SPDX-License-Identifier: MIT */
#include "base/file.h"

#include "base/cleanup.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>

int t1s_open_regular(const char *path, struct t1s_error *e)
{
	struct stat st;
	/* O_NONBLOCK: a FIFO planted here must not make us wait for a writer */
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY);

	if (fd < 0) {
		int errnum = errno;

		if (errnum == ELOOP)
			return t1s_error_set(e, ELOOP,
				"%s is a symbolic link, a regular file was expected",
				path);
		return t1s_error_set(
			e, errnum, "cannot open %s: %s", path, strerror(errnum));
	}
	if (fstat(fd, &st) < 0 || !S_ISREG(st.st_mode)) {
		(void)close(fd);
		return t1s_error_set(e, EINVAL, "%s is not a regular file", path);
	}
	t1s_leave_no_access_time(fd);
	return fd;
}

void t1s_leave_no_access_time(int fd)
{
	int flags = fcntl(fd, F_GETFL);

	if (flags >= 0)
		(void)fcntl(fd, F_SETFL, flags | O_NOATIME);
}

int t1s_read_file(const char *path, size_t max_bytes, char **ret_data, size_t *ret_size,
	struct t1s_error *e)
{
	cleanup_close int fd = t1s_open_regular(path, e);
	cleanup_free char *data = NULL;
	size_t used = 0, room = 0;

	if (fd < 0)
		return fd;
	/* read to the end instead of trusting st_size: /proc and /sys say 0 or a page */
	for (;;) {
		ssize_t n;

		if (used + 1 >= room) {
			size_t more = room ? room * 2 : 4096;
			char *p;

			more = more > max_bytes + 2 ? max_bytes + 2 : more;
			p = realloc(data, more);
			if (!p)
				return t1s_error_set(
					e, ENOMEM, "out of memory reading %s", path);
			data = p;
			room = more;
		}
		n = read(fd, data + used, room - used - 1);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0) {
			int errnum = errno;

			return t1s_error_set(
				e, errnum, "cannot read %s: %s", path, strerror(errnum));
		}
		if (n == 0)
			break;
		used += (size_t)n;
		if (used > max_bytes)
			return t1s_error_set(e, EFBIG,
				"%s is larger than the %zu bytes that are expected at "
				"most",
				path, max_bytes);
	}
	data[used] = '\0';
	*ret_data = t1s_steal(data);
	if (ret_size)
		*ret_size = used;
	return 0;
}

int t1s_read_line_file(const char *path, char *ret_line, size_t size, struct t1s_error *e)
{
	cleanup_free char *data = NULL;
	size_t n = 0;
	int r = t1s_read_file(path, size - 1, &data, &n, e);

	if (!data)
		return r;
	while (n > 0 && (data[n - 1] == '\0' || isspace((unsigned char)data[n - 1])))
		n--;
	memcpy(ret_line, data, n);
	ret_line[n] = '\0';
	return 0;
}

int t1s_write_all(int fd, const void *data, size_t size)
{
	const char *p = data;

	while (size > 0) {
		ssize_t n = write(fd, p, size);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		if (n == 0)
			return -EIO; /* or this would go on for ever */
		p += n;
		size -= (size_t)n;
	}
	return 0;
}

static int parent_of(const char *path, char ret[PATH_MAX])
{
	const char *slash = strrchr(path, '/');
	size_t n = slash ? (size_t)(slash - path) : 0;

	if (!slash) {
		memcpy(ret, ".", 2);
		return 0;
	}
	if (n >= PATH_MAX)
		return -ENAMETOOLONG;
	if (n == 0)
		n = 1;
	memcpy(ret, path, n);
	ret[n] = '\0';
	return 0;
}

int t1s_sync_parent(const char *path, struct t1s_error *e)
{
	char folder[PATH_MAX];
	cleanup_close int fd = -1;
	int r = parent_of(path, folder);

	if (r < 0)
		return t1s_error_set(e, -r, "path too long: %s", path);
	fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0 || fsync(fd) < 0) {
		int errnum = errno;

		return t1s_error_set(
			e, errnum, "cannot sync folder %s: %s", folder, strerror(errnum));
	}
	return 0;
}

/* Writes and syncs the temporary file; it is the caller's to rename or to remove. */
static int write_temporary(const char *path, const void *data, size_t size, mode_t mode)
{
	cleanup_close int fd = -1;
	int r;

	/* one writer per file: a temporary file found here is left from a power cut */
	(void)unlink(path);
	fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, mode);
	if (fd < 0)
		return -errno;
	if (fchmod(fd, mode) < 0)
		return -errno;
	r = t1s_write_all(fd, data, size);
	if (r < 0)
		return r;
	return fsync(fd) < 0 ? -errno : 0;
}

static int keep_as_previous(const char *path)
{
	char previous[PATH_MAX];
	char fresh[PATH_MAX];

	if (snprintf(previous, sizeof(previous), "%s.previous", path) >= PATH_MAX ||
		snprintf(fresh, sizeof(fresh), "%s.previous.new", path) >= PATH_MAX)
		return -ENAMETOOLONG;
	/* link + rename: at every instant one complete copy has the name */
	(void)unlink(fresh);
	if (link(path, fresh) < 0)
		return errno == ENOENT ? 0 : -errno;
	if (rename(fresh, previous) < 0) {
		int r = -errno;

		(void)unlink(fresh);
		return r;
	}
	return 0;
}

int t1s_replace_file(const char *path, const void *data, size_t size, mode_t mode,
	bool keep_previous, struct t1s_error *e)
{
	char temporary[PATH_MAX];
	int r;

	if (snprintf(temporary, sizeof(temporary), "%s.new", path) >= PATH_MAX)
		return t1s_error_set(e, ENAMETOOLONG, "path too long: %s", path);
	r = write_temporary(temporary, data, size, mode);
	if (r == 0 && keep_previous)
		r = keep_as_previous(path);
	if (r == 0 && rename(temporary, path) < 0)
		r = -errno;
	if (r < 0) {
		(void)unlink(temporary);
		return t1s_error_set(e, -r, "cannot write %s: %s", path, strerror(-r));
	}
	return t1s_sync_parent(path, e);
}

static int make_one_folder(const char *path, mode_t mode, struct t1s_error *e)
{
	struct stat st;
	int errnum;

	if (mkdir(path, mode) == 0)
		return t1s_sync_parent(path, e);
	errnum = errno;
	if (errnum == EEXIST && stat(path, &st) == 0 && S_ISDIR(st.st_mode))
		return 0;
	return t1s_error_set(
		e, errnum, "cannot make folder %s: %s", path, strerror(errnum));
}

int t1s_make_folder(const char *path, mode_t mode, struct t1s_error *e)
{
	char part[PATH_MAX];
	size_t n = strlen(path);

	if (n >= sizeof(part))
		return t1s_error_set(e, ENAMETOOLONG, "path too long: %s", path);
	memcpy(part, path, n + 1);
	for (size_t i = 1; i <= n; i++) {
		char c = part[i];
		int r;

		if (c != '/' && c != '\0')
			continue;
		part[i] = '\0';
		r = make_one_folder(part, mode, e);
		if (r < 0)
			return r;
		part[i] = c;
	}
	return 0;
}

int t1s_lock_file(const char *path, int *ret_fd, struct t1s_error *e)
{
	cleanup_close int fd =
		open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0600);

	if (fd < 0) {
		int errnum = errno;

		return t1s_error_set(e, errnum, "cannot open lock file %s: %s", path,
			strerror(errnum));
	}
	if (flock(fd, LOCK_EX | LOCK_NB) < 0) {
		if (errno == EWOULDBLOCK)
			return t1s_error_set(e, EBUSY,
				"another t1s-sweep is at work (it holds %s); see: "
				"systemctl status "
				"t1s-sweep",
				path);
		return t1s_error_set(e, errno, "cannot lock %s", path);
	}
	*ret_fd = t1s_steal_fd(&fd);
	return 0;
}
