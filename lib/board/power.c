/* SPDX-License-Identifier: MIT */
/* What is told by files; D-Bus is spoken in power_bus.c. */
#include "board/power.h"

#include "base/cleanup.h"
#include "base/file.h"
#include "base/path.h"
#include "board/power_bus.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>

#define CMDLINE_MAX_BYTES 65536U

int t1s_boot_id(const char *root, char ret[T1S_BOOT_ID_MAX], struct t1s_error *e)
{
	char path[PATH_MAX];
	int r = t1s_path(path, root, "/proc/sys/kernel/random/boot_id");

	if (r < 0)
		return t1s_error_set(e, -r, "path too long: %s", root);
	r = t1s_read_line_file(path, ret, T1S_BOOT_ID_MAX, e);
	if (r == 0 && ret[0] == '\0')
		return t1s_error_set(e, EBADMSG, "%s is empty", path);
	return r;
}

bool t1s_cmdline_has(const char *root, const char *word)
{
	cleanup_free char *text = NULL;
	char path[PATH_MAX];
	char *save = NULL;

	if (t1s_path(path, root, "/proc/cmdline") < 0 ||
		t1s_read_file(path, CMDLINE_MAX_BYTES, &text, NULL, NULL) < 0)
		return false;
	for (char *w = strtok_r(text, " \t\n", &save); w;
		w = strtok_r(NULL, " \t\n", &save)) {
		if (strcmp(w, word) == 0)
			return true;
	}
	return false;
}

static bool ends_with(const char *text, const char *end)
{
	size_t n = strlen(text), k = strlen(end);

	return n >= k && strcmp(text + n - k, end) == 0;
}

/* Removes FOLDER/UNIT if it is a link. */
static int remove_link(const char *folder, const char *unit, struct t1s_error *e)
{
	char path[PATH_MAX];
	struct stat st;

	if (t1s_path(path, folder, "/%s", unit) < 0 || lstat(path, &st) < 0 ||
		!S_ISLNK(st.st_mode))
		return 0;
	if (unlink(path) < 0) {
		int errnum = errno;

		return t1s_error_set(e, errnum, "cannot remove %s, which enables %s: %s",
			path, unit, strerror(errnum));
	}
	return t1s_sync_parent(path, e);
}

static int disable_below(const char *root, const char *unit, struct t1s_error *e)
{
	cleanup_closedir DIR *d = NULL;
	char folder[PATH_MAX], wants[PATH_MAX];
	struct dirent *entry;
	int r = t1s_path(folder, root, "/etc/systemd/system");

	if (r < 0)
		return t1s_error_set(e, -r, "path too long: %s", root);
	d = opendir(folder);
	if (!d) {
		int errnum = errno;

		if (errnum == ENOENT)
			return 0;
		return t1s_error_set(
			e, errnum, "cannot read %s: %s", folder, strerror(errnum));
	}
	while ((entry = readdir(d))) {
		if (!ends_with(entry->d_name, ".wants") &&
			!ends_with(entry->d_name, ".requires"))
			continue;
		if (t1s_path(wants, folder, "/%s", entry->d_name) < 0)
			continue;
		r = remove_link(wants, unit, e);
		if (r < 0)
			return r;
	}
	return 0;
}

/*
 * The service manager removes the links, and syncs nothing: a power cut could bring them
 * back, with a state that says that they are gone.
 */
static int sync_links(struct t1s_error *e)
{
	static const char *const folders[] = {
		"/etc/systemd/system/multi-user.target.wants/", "/etc/systemd/system/"};

	for (size_t i = 0; i < T1S_ELEMENTSOF(folders); i++) {
		int r = t1s_sync_parent(folders[i], e);

		if (r < 0 && r != -ENOENT) /* an empty one is removed itself */
			return r;
	}
	return 0;
}

int t1s_power_reboot(uint64_t delay_us, const char *wall_message, struct t1s_error *e)
{
	return t1s_bus_reboot(delay_us, wall_message, &t1s_bus_usual_patience, e);
}

int t1s_power_disable_unit(const char *root, const char *unit, struct t1s_error *e)
{
	int r;

	if (unit[0] == '\0' || strchr(unit, '/'))
		return t1s_error_set(e, EINVAL, "\"%s\" is no name of a unit", unit);
	if (root[0])
		return disable_below(root, unit, e);
	r = t1s_bus_disable_unit(unit, &t1s_bus_usual_patience, e);
	return r < 0 ? r : sync_links(e);
}
