/* SPDX-License-Identifier: MIT */
#include "board/storage.h"

#include "base/cleanup.h"
#include "base/file.h"
#include "base/path.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <sys/statvfs.h>

#define MOUNTINFO_MAX_BYTES ((size_t)1024 * 1024)

/* One line of mountinfo, see proc(5); the strings point into the line. */
struct mount_line {
	char *point, *options, *type, *super_options;
};

/* Undoes mountinfo's "\040" for blanks and the like, in place. */
static void unescape(char *text)
{
	char *to = text;

	for (const char *from = text; *from; from++) {
		if (from[0] == '\\' && from[1] >= '0' && from[1] <= '3' &&
			from[2] >= '0' && from[2] <= '7' && from[3] >= '0' &&
			from[3] <= '7') {
			*to++ = (char)((from[1] - '0') << 6 | (from[2] - '0') << 3 |
				       (from[3] - '0'));
			from += 3;
		} else {
			*to++ = *from;
		}
	}
	*to = '\0';
}

static bool parse_line(char *line, struct mount_line *ret)
{
	char *fields[6];
	char *save = NULL;
	char *word = strtok_r(line, " ", &save);

	/* id, parent, device, root, point, options; then optional ones up to "-" */
	for (size_t i = 0; i < T1S_ELEMENTSOF(fields); i++) {
		if (!word)
			return false;
		fields[i] = word;
		word = strtok_r(NULL, " ", &save);
	}
	while (word && strcmp(word, "-") != 0)
		word = strtok_r(NULL, " ", &save);
	ret->point = fields[4];
	ret->options = fields[5];
	ret->type = strtok_r(NULL, " ", &save);
	(void)strtok_r(NULL, " ", &save); /* source */
	ret->super_options = strtok_r(NULL, " ", &save);
	if (!word || !ret->type)
		return false;
	unescape(ret->point);
	return true;
}

static bool has_option(const char *options, const char *word)
{
	size_t n = strlen(word);

	for (const char *p = options; p && *p; p += strspn(p, ",")) {
		size_t k = strcspn(p, ",");

		if (k == n && memcmp(p, word, n) == 0)
			return true;
		p += k;
	}
	return false;
}

/* Whether @path is at or below the mount point. */
static bool covers(const char *point, const char *path)
{
	size_t n = strlen(point);

	if (n == 1 && point[0] == '/')
		return true;
	return strncmp(path, point, n) == 0 && (path[n] == '\0' || path[n] == '/');
}

static void copy_text(char *ret, size_t size, const char *text)
{
	size_t n = strnlen(text, size - 1);

	memcpy(ret, text, n);
	ret[n] = '\0';
}

/* The path without links where that can be known: mountinfo holds such paths only, and
 * /boot/firmware or /var/lib may be a link. */
static void resolve(const char *root, const char *path, char ret[PATH_MAX])
{
	if (root[0] || !realpath(path, ret))
		copy_text(ret, PATH_MAX, path);
}

int t1s_mount_of(
	const char *root, const char *path, struct t1s_mount *ret, struct t1s_error *e)
{
	cleanup_free char *text = NULL;
	struct t1s_mount found = {0};
	char file[PATH_MAX], resolved[PATH_MAX];
	char *save = NULL;
	bool any = false;
	int r = t1s_path(file, root, "/proc/self/mountinfo");

	if (r == 0)
		r = t1s_read_file(file, MOUNTINFO_MAX_BYTES, &text, NULL, e);
	if (r < 0)
		return r;
	resolve(root, path, resolved);
	for (char *line = strtok_r(text, "\n", &save); line;
		line = strtok_r(NULL, "\n", &save)) {
		struct mount_line m;

		if (!parse_line(line, &m) || !covers(m.point, resolved))
			continue;
		/* of two on one point, the later lies on top */
		if (any && strlen(m.point) < strlen(found.point))
			continue;
		any = true;
		copy_text(found.point, sizeof(found.point), m.point);
		copy_text(found.type, sizeof(found.type), m.type);
		found.read_only =
			has_option(m.options, "ro") || has_option(m.super_options, "ro");
	}
	if (!any)
		return t1s_error_set(
			e, ENOENT, "%s names no mount that holds %s", file, resolved);
	*ret = found;
	return 0;
}

static bool forgets(const char *type)
{
	static const char *const types[] = {
		"tmpfs", "ramfs", "rootfs", "overlay", "overlayfs", "aufs"};

	for (size_t i = 0; i < T1S_ELEMENTSOF(types); i++) {
		if (strcmp(type, types[i]) == 0)
			return true;
	}
	return false;
}

static int check_space(const char *root, const char *folder, uint64_t min_free_bytes,
	struct t1s_error *e)
{
	char path[PATH_MAX];
	struct statvfs st;
	uint64_t free_bytes;
	int r = t1s_path(path, root, "%s", folder);

	if (r < 0)
		return t1s_error_set(e, -r, "path too long: %s", folder);
	if (statvfs(path, &st) < 0) {
		int errnum = errno;

		return t1s_error_set(e, errnum,
			"cannot look at the file system of %s: %s", path,
			strerror(errnum));
	}
	if (__builtin_mul_overflow(
		    (uint64_t)st.f_bavail, (uint64_t)st.f_frsize, &free_bytes))
		free_bytes = UINT64_MAX;
	if (free_bytes < min_free_bytes)
		return t1s_error_set(e, ENOSPC,
			"%s has %llu KiB left, at least %llu KiB are needed: make room "
			"on "
			"the card",
			folder, (unsigned long long)(free_bytes / 1024),
			(unsigned long long)((min_free_bytes + 1023) / 1024));
	return 0;
}

int t1s_storage_lasts(const char *root, const char *folder, uint64_t min_free_bytes,
	struct t1s_error *e)
{
	struct t1s_mount m = {0};
	int r = t1s_mount_of(root, folder, &m, NULL);

	if (r == 0 && forgets(m.type))
		return t1s_error_set(e, EMEDIUMTYPE,
			"%s lies on %s (mounted at %s), which is lost at a reboot: "
			"switch "
			"the overlay file system off (raspi-config, Performance) or "
			"mount a "
			"card there",
			folder, m.type, m.point);
	if (r == 0 && m.read_only)
		return t1s_error_set(e, EROFS,
			"%s is read-only (mounted at %s): mount it writable (mount -o "
			"remount,rw %s)",
			folder, m.point, m.point);
	return check_space(root, folder, min_free_bytes, e);
}

/* A boot partition that systemd mounts on first use: looking inside mounts it. */
static void trigger_automount(const char *folder)
{
	cleanup_closedir DIR *d = opendir(folder);

	if (d)
		(void)readdir(d);
}

int t1s_storage_boot_ready(const char *root, const char *boot_folder, struct t1s_error *e)
{
	const char *below = t1s_path_below(root, boot_folder);
	char resolved[PATH_MAX];
	struct t1s_mount m = {0};

	trigger_automount(boot_folder);
	if (t1s_mount_of(root, below, &m, NULL) < 0)
		return 0;
	resolve(root, below, resolved);
	if (strcmp(m.point, resolved) != 0 || strcmp(m.type, "autofs") == 0)
		return t1s_error_set(e, ENOTBLK,
			"no boot partition is mounted at %s (it lies on %s, mounted at "
			"%s), "
			"so the firmware would not see a change: mount it (mount %s) and "
			"see "
			"to its line in /etc/fstab",
			below, m.type, m.point, below);
	if (m.read_only)
		return t1s_error_set(e, EROFS,
			"the boot partition at %s is mounted read-only: mount it "
			"writable "
			"(mount -o remount,rw %s); if it became read-only by itself, "
			"check the "
			"card",
			below, below);
	return 0;
}
