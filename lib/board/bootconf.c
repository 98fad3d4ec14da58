/* SPDX-License-Identifier: MIT */
#include "board/bootconf.h"

#include "base/path.h"
#include "board/livetree.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define PREFIX_MAX 256

int t1s_boot_folder(const char *root, char ret[PATH_MAX], struct t1s_error *e)
{
	static const char *const places[] = {"/boot/firmware", "/boot"};
	struct stat st;

	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		if (t1s_path(ret, root, "%s", places[i]) == 0 && stat(ret, &st) == 0 &&
			S_ISDIR(st.st_mode))
			return 0;
	}
	ret[0] = '\0';
	return t1s_error_set(e, ENOENT,
		"there is no boot folder: neither %s/boot/firmware nor %s/boot", root,
		root);
}

/* Whether a path from the live tree or the configuration stays in the boot folder. */
static bool stays_inside(const char *path)
{
	if (path[0] == '/')
		return false;
	for (const char *p = path; *p; p += strspn(p, "/")) {
		size_t n = strcspn(p, "/");

		if (n == 2 && p[0] == '.' && p[1] == '.')
			return false;
		p += n;
	}
	return true;
}

static int check_parts(const char *os_prefix, const char *overlay_prefix,
	const char *name, struct t1s_error *e)
{
	if (!stays_inside(os_prefix) || !stays_inside(overlay_prefix))
		return t1s_error_set(e, EINVAL,
			"os_prefix \"%s\" and overlay_prefix \"%s\" of the live tree "
			"lead out "
			"of the boot partition: name the file with OverlayFile=",
			os_prefix, overlay_prefix);
	if (name[0] == '\0' || strchr(name, '/') || strcmp(name, "..") == 0)
		return t1s_error_set(e, EINVAL,
			"\"%s\" is no name of an overlay: give it as in dtoverlay=NAME, "
			"without folder and .dtbo",
			name);
	return 0;
}

/* The firmware takes overlays from under os_prefix only if a README lies there, too. */
static bool prefix_has_overlays(
	const char *boot, const char *os_prefix, const char *overlay_prefix)
{
	char readme[PATH_MAX];

	if (t1s_path(readme, boot, "/%s%sREADME", os_prefix, overlay_prefix) < 0)
		return false;
	return access(readme, F_OK) == 0;
}

int t1s_boot_overlay_path(
	const char *root, const char *name, char ret[PATH_MAX], struct t1s_error *e)
{
	char boot[PATH_MAX], os_prefix[PREFIX_MAX], overlay_prefix[PREFIX_MAX];
	int r = t1s_boot_folder(root, boot, e);

	if (r < 0)
		return r;
	(void)t1s_live_chosen(root, "os_prefix", os_prefix, sizeof(os_prefix));
	if (t1s_live_chosen(
		    root, "overlay_prefix", overlay_prefix, sizeof(overlay_prefix)) < 0)
		(void)snprintf(overlay_prefix, sizeof(overlay_prefix), "overlays/");
	r = check_parts(os_prefix, overlay_prefix, name, e);
	if (r < 0)
		return r;
	if (os_prefix[0] && !prefix_has_overlays(boot, os_prefix, overlay_prefix))
		os_prefix[0] = '\0';
	r = t1s_path(ret, boot, "/%s%s%s.dtbo", os_prefix, overlay_prefix, name);
	if (r < 0)
		return t1s_error_set(e, -r, "path too long: overlay %s", name);
	return 0;
}
