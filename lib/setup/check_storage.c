/* SPDX-License-Identifier: MIT */
#include "base/path.h"
#include "board/bootconf.h"
#include "board/storage.h"
#include "setup/checking.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#define GROUP T1S_CHECK_STORAGE
#define STATE_FOLDER "/var/lib/t1s-sweep"
#define COPY_FREE_MIN_BYTES                                                              \
	(UINT64_C(64) * 1024) /* the pristine copy, in whole clusters */

static void remedy_lasts(struct t1s_checking *c, int r, const struct t1s_mount *m)
{
	if (r == -EMEDIUMTYPE)
		t1s_check_remedy(c, "sudo raspi-config nonint disable_overlayfs && sudo "
				    "reboot");
	else if (r == -EROFS)
		t1s_check_remedy(c, "sudo mount -o remount,rw %s", m->point);
	else if (r == -ENOSPC)
		t1s_check_remedy(
			c, "sudo apt clean && sudo journalctl --vacuum-size=50M");
}

static void check_state_folder(struct t1s_checking *c)
{
	const char *folder = STATE_FOLDER;
	struct t1s_error why = {{0}};
	struct t1s_mount m = {.type = ""};
	char path[PATH_MAX];
	int r;

	/* begin makes it where it is missing */
	if (t1s_path(path, c->root, "%s", folder) < 0 || access(path, F_OK) < 0)
		folder = "/var/lib";
	r = t1s_storage_lasts(c->root, folder, T1S_STATE_FREE_MIN_BYTES, &why);
	(void)t1s_mount_of(c->root, folder, &m, NULL);
	if (r == 0) {
		t1s_check_say(c, GROUP, T1S_CHECK_GOOD, "state",
			"%s lies on %s, with room left", STATE_FOLDER,
			m.type[0] ? m.type : "a file system that can be written");
		return;
	}
	remedy_lasts(c, r, &m);
	t1s_check_say(c, GROUP, T1S_CHECK_BAD, "state", "%s", why.text);
}

static void check_boot_kind(struct t1s_checking *c, const char *below)
{
	struct t1s_mount m;

	if (t1s_mount_of(c->root, below, &m, NULL) < 0)
		t1s_check_say(c, GROUP, T1S_CHECK_NOTE, "boot",
			"%s is there; whether it is mounted is not known in this tree",
			below);
	else if (strcmp(m.type, "vfat") != 0)
		t1s_check_say(c, GROUP, T1S_CHECK_NOTE, "boot",
			"%s is mounted and can be written, but as %s; the firmware reads "
			"vfat",
			below, m.type);
	else
		t1s_check_say(c, GROUP, T1S_CHECK_GOOD, "boot",
			"%s is mounted, vfat, and can be written", below);
}

static void check_boot(struct t1s_checking *c)
{
	struct t1s_error why = {{0}};
	char folder[PATH_MAX];
	const char *below = "/boot/firmware";
	int r = t1s_boot_folder(c->root, folder, &why);

	if (r == 0) {
		below = t1s_path_below(c->root, folder);
		r = t1s_storage_boot_ready(c->root, folder, &why);
	}
	if (r == 0) {
		check_boot_kind(c, below);
		r = t1s_storage_lasts(c->root, below, COPY_FREE_MIN_BYTES, &why);
		if (r < 0) {
			t1s_check_remedy(c, "df -h %s; ls -lS %s", below, below);
			t1s_check_say(
				c, GROUP, T1S_CHECK_BAD, "boot-room", "%s", why.text);
		}
		return;
	}
	t1s_check_remedy(
		c, r == -EROFS ? "sudo mount -o remount,rw %s" : "sudo mount %s", below);
	t1s_check_say(c, GROUP, T1S_CHECK_BAD, "boot", "%s", why.text);
}

void t1s_check_storage(struct t1s_checking *c)
{
	check_state_folder(c);
	check_boot(c);
}
