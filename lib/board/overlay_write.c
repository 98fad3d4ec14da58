/* SPDX-License-Identifier: MIT */
/* Setting the value in the file in place, and the pristine copy beside it. */
#include "board/overlay.h"

#include "base/cleanup.h"
#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <libfdt.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#define SECTOR_BYTES 512U
#define DIRECT_ALIGN 4096U /* what O_DIRECT asks for at most on usual media */

/* A buffer that O_DIRECT may read into, larger than any overlay, so that a file that has
 * grown is noticed. */
static unsigned char *direct_buffer(size_t *ret_size)
{
	*ret_size = T1S_OVERLAY_MAX_BYTES + DIRECT_ALIGN;
	return aligned_alloc(DIRECT_ALIGN, *ret_size);
}

/* The name of the property whose value stands at node->offset, NULL if there is none:
 * then the node is of another blob. */
static const char *property_at(
	const struct t1s_overlay *o, const struct t1s_overlay_node *node, int fdt_node)
{
	int p;

	fdt_for_each_property_offset(p, o->blob, fdt_node)
	{
		const char *name;
		int size;
		const unsigned char *value =
			fdt_getprop_by_offset(o->blob, p, &name, &size);

		if (value && size == 4 && (size_t)(value - o->blob) == node->offset)
			return name;
	}
	return NULL;
}

/* Makes @copy, which has the blob's size, the blob with the value set. */
static int patched_copy(const struct t1s_overlay *o, const struct t1s_overlay_node *node,
	uint32_t freq_hz, unsigned char *copy, struct t1s_error *e)
{
	int fdt_node = fdt_path_offset(o->blob, node->path);
	const char *name = fdt_node >= 0 ? property_at(o, node, fdt_node) : NULL;
	int r;

	if (!name)
		return t1s_error_set(e, EINVAL,
			"the overlay has no 4-byte property at offset %zu in node %s",
			node->offset, node->path);
	memcpy(copy, o->blob, o->size);
	r = fdt_setprop_inplace_u32(copy, fdt_node, name, freq_hz);
	if (r < 0)
		return t1s_error_set(e, EINVAL, "cannot set %s of node %s: %s", name,
			node->path, fdt_strerror(r));
	return 0;
}

int t1s_overlay_digest_with(const struct t1s_overlay *o,
	const struct t1s_overlay_node *node, uint32_t freq_hz,
	char ret[T1S_SHA256_HEX_MAX], struct t1s_error *e)
{
	cleanup_free unsigned char *copy = malloc(o->size);
	int r;

	if (!copy)
		return t1s_error_set(e, ENOMEM, "out of memory");
	r = patched_copy(o, node, freq_hz, copy, e);
	if (r < 0)
		return r;
	r = t1s_sha256_hex(copy, o->size, ret);
	if (r < 0)
		return t1s_error_set(e, -r, "libcrypto refused to make a SHA-256 digest");
	return 0;
}

/* Reads the file from its start. Returns the number of bytes or a negative errno. */
static ssize_t read_whole(int fd, unsigned char *buffer, size_t size)
{
	size_t used = 0;

	for (;;) {
		ssize_t n = pread(fd, buffer + used, size - used, (off_t)used);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		used += (size_t)n;
		/* O_DIRECT cannot go on from an odd length, which only the end of file
		 * has */
		if (n == 0 || used == size || used % DIRECT_ALIGN != 0)
			return (ssize_t)used;
	}
}

/*
 * Reads back what is on the medium and not what the page cache holds: with O_DIRECT where
 * the file system can, else after the clean pages were dropped.
 */
static ssize_t read_back(int fd, unsigned char *buffer, size_t size)
{
	int flags = fcntl(fd, F_GETFL);
	ssize_t n = -EINVAL;

	if (flags >= 0 && fcntl(fd, F_SETFL, flags | O_DIRECT) == 0) {
		n = read_whole(fd, buffer, size);
		if (fcntl(fd, F_SETFL, flags) < 0)
			return -errno;
	}
	if (n >= 0)
		return n;
	(void)posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
	return read_whole(fd, buffer, size);
}

/* Opens a regular file to change it; never a link, never waiting for a FIFO's reader. */
static int open_to_write(const char *path, int flags, struct t1s_error *e)
{
	struct stat st;
	int fd = open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | flags, 0644);

	if (fd < 0) {
		int errnum = errno;
		const char *what = errnum == EROFS    ? "; is the boot partition mounted "
							"read-only (mount -o remount,rw)?"
				   : errnum == ENOSPC ? "; make room on the partition"
				   : errnum == EACCES ? "; only root may: try with sudo"
						      : "";

		return t1s_error_set(e, errnum, "cannot open %s for writing: %s%s", path,
			strerror(errnum), what);
	}
	if (fstat(fd, &st) < 0 || !S_ISREG(st.st_mode)) {
		(void)close(fd);
		return t1s_error_set(e, EINVAL, "%s is not a regular file", path);
	}
	t1s_leave_no_access_time(fd);
	return fd;
}

/* Which of the two contents the file has: 1 the new one, 0 the old one, else -ESTALE. */
static int compare_with_file(const char *path, int fd, const struct t1s_overlay *o,
	const unsigned char *fresh, unsigned char *buffer, size_t size,
	struct t1s_error *e)
{
	ssize_t n = read_whole(fd, buffer, size);

	if (n < 0)
		return t1s_error_set(
			e, (int)-n, "cannot read %s: %s", path, strerror((int)-n));
	if ((size_t)n == o->size && memcmp(buffer, fresh, o->size) == 0)
		return 1;
	if ((size_t)n == o->size && memcmp(buffer, o->blob, o->size) == 0)
		return 0;
	return t1s_error_set(e, ESTALE,
		"%s is no longer the file that was read: someone else has changed it; it "
		"was "
		"left as it is",
		path);
}

/* Writes the one cell and makes it last. */
static int write_cell(const char *path, int fd, const unsigned char *fresh,
	const struct t1s_overlay_node *node, struct t1s_error *e)
{
	ssize_t n;

	/* only so a power cut leaves the old or the new value, and no half of one */
	if (node->offset % SECTOR_BYTES > SECTOR_BYTES - 4)
		return t1s_error_set(e, EINVAL,
			"the value at offset %zu of %s lies across two sectors: a power "
			"cut "
			"could tear it, so it is not written",
			node->offset, path);
	n = pwrite(fd, fresh + node->offset, 4, (off_t)node->offset);
	if (n != 4) {
		int errnum = n < 0 ? errno : EIO;

		return t1s_error_set(e, errnum,
			"cannot write 4 bytes at offset %zu of %s: %s", node->offset,
			path, strerror(errnum));
	}
	return 0;
}

/* Tells of what fsync or fdatasync has just returned. */
static int check_sync(const char *path, int result, struct t1s_error *e)
{
	int errnum = errno;

	if (result == 0)
		return 0;
	return t1s_error_set(
		e, errnum, "cannot write %s to the medium: %s", path, strerror(errnum));
}

static int verify(const char *path, int fd, const unsigned char *expected,
	size_t expected_size, unsigned char *buffer, size_t size, struct t1s_error *e)
{
	ssize_t n = read_back(fd, buffer, size);

	if (n < 0)
		return t1s_error_set(
			e, (int)-n, "cannot read %s back: %s", path, strerror((int)-n));
	if ((size_t)n != expected_size || memcmp(buffer, expected, expected_size) != 0)
		return t1s_error_set(e, EIO,
			"%s reads back from the medium with other content than was "
			"written: "
			"the card may be failing; put the original overlay back before "
			"rebooting",
			path);
	return 0;
}

int t1s_overlay_set(const char *path, struct t1s_overlay *o,
	const struct t1s_overlay_node *node, uint32_t freq_hz, struct t1s_error *e)
{
	size_t size;
	cleanup_free unsigned char *fresh = malloc(o->size);
	cleanup_free unsigned char *buffer = direct_buffer(&size);
	cleanup_close int fd = -1;
	int r;

	if (!fresh || !buffer)
		return t1s_error_set(e, ENOMEM, "out of memory");
	r = patched_copy(o, node, freq_hz, fresh, e);
	if (r < 0)
		return r;
	fd = open_to_write(path, 0, e);
	if (fd < 0)
		return fd;
	r = compare_with_file(path, fd, o, fresh, buffer, size, e);
	if (r == 0)
		r = write_cell(path, fd, fresh, node, e);
	if (r < 0)
		return r;
	/* not fsync: that would write the folder's sector, too, for the time of the
	 * change. The kernel writes it when the partition is unmounted. */
	r = check_sync(path, fdatasync(fd), e);
	if (r == 0)
		r = verify(path, fd, fresh, o->size, buffer, size, e);
	if (r < 0)
		return r;
	memcpy(o->blob, fresh, o->size);
	return 0;
}

static int pristine_path(const char *path, char ret[PATH_MAX], struct t1s_error *e)
{
	if (snprintf(ret, PATH_MAX, "%s.t1s-orig", path) >= PATH_MAX)
		return t1s_error_set(e, ENAMETOOLONG, "path too long: %s", path);
	return 0;
}

static int write_pristine(
	const char *copy, int fd, const struct t1s_overlay *o, struct t1s_error *e)
{
	int r = ftruncate(fd, 0) < 0 ? -errno : 0;

	if (r == 0)
		r = t1s_write_all(fd, o->blob, o->size);
	if (r < 0)
		return t1s_error_set(e, -r, "cannot write %s: %s%s", copy, strerror(-r),
			r == -ENOSPC ? "; make room on the boot partition" : "");
	return 0;
}

/* A torn copy is no overlay any more; one that is whole may be the only original left. */
static int refuse_other_copy(const char *path, const char *copy, int fd,
	unsigned char *buffer, size_t size, struct t1s_error *e)
{
	ssize_t n = read_whole(fd, buffer, size);

	if (n < 0)
		return t1s_error_set(
			e, (int)-n, "cannot read %s: %s", copy, strerror((int)-n));
	if (t1s_overlay_check(buffer, (size_t)n, NULL) < 0)
		return 0;
	return t1s_error_set(e, EEXIST,
		"%s was left by an earlier sweep, and %s differs from it: the original "
		"overlay was not put back then, or was replaced since. Put it back with "
		"t1s-sweep restore (or copy the one over the other) and reboot; if the "
		"overlay is right as it is, remove %s",
		copy, path, copy);
}

static int fill_pristine(const char *path, const char *copy, int fd,
	const struct t1s_overlay *o, struct t1s_error *e)
{
	size_t size;
	cleanup_free unsigned char *buffer = direct_buffer(&size);
	int r;

	if (!buffer)
		return t1s_error_set(e, ENOMEM, "out of memory");
	if (compare_with_file(copy, fd, o, o->blob, buffer, size, NULL) < 0) {
		r = refuse_other_copy(path, copy, fd, buffer, size, e);
		if (r == 0)
			r = write_pristine(copy, fd, o, e);
		if (r < 0)
			return r;
	}
	r = check_sync(copy, fsync(fd), e);
	return r < 0 ? r : verify(copy, fd, o->blob, o->size, buffer, size, e);
}

int t1s_overlay_keep_pristine(
	const char *path, const struct t1s_overlay *o, struct t1s_error *e)
{
	cleanup_close int fd = -1;
	char copy[PATH_MAX];
	int r = pristine_path(path, copy, e);

	if (r < 0)
		return r;
	fd = open_to_write(copy, O_CREAT, e);
	if (fd < 0)
		return fd;
	r = fill_pristine(path, copy, fd, o, e);
	if (r == 0)
		return t1s_sync_parent(copy, e);
	if (r == -EEXIST)
		return r;
	/* a torn copy must not pass for the original one day */
	(void)unlink(copy);
	(void)t1s_sync_parent(copy, NULL);
	return r;
}

int t1s_overlay_drop_pristine(const char *path, struct t1s_error *e)
{
	char copy[PATH_MAX];
	struct stat st;
	int r = pristine_path(path, copy, e);

	if (r < 0)
		return r;
	/* asked first, since on a read-only mount unlink would fail either way */
	if (lstat(copy, &st) < 0 && errno == ENOENT)
		return 0;
	if (unlink(copy) < 0) {
		int errnum = errno;

		return t1s_error_set(
			e, errnum, "cannot remove %s: %s", copy, strerror(errnum));
	}
	return t1s_sync_parent(copy, e);
}
