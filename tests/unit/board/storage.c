/* SPDX-License-Identifier: MIT */
#include "board/storage.h"

#include "mounts.h"
#include "tree.h"

#include <errno.h>
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <unistd.h>

#include <cmocka.h>

#define CARD                                                                             \
	"21 1 179:2 / / rw,noatime shared:1 - ext4 /dev/root rw\n"                       \
	"22 21 0:19 / /proc rw,nosuid shared:5 - proc proc rw\n"
#define VFAT_RW                                                                          \
	"30 21 179:1 / /boot/firmware rw,relatime shared:9 - vfat /dev/mmcblk0p1 "       \
	"rw,fmask=0022\n"
#define VFAT_RO_BY_MOUNT                                                                 \
	"30 21 179:1 / /boot/firmware ro,relatime - vfat /dev/mmcblk0p1 "                \
	"rw,errors=remount-ro\n"
#define VFAT_RO_BY_ERROR                                                                 \
	"30 21 179:1 / /boot/firmware rw,relatime - vfat /dev/mmcblk0p1 "                \
	"ro,errors=remount-ro\n"

static void mounts(const struct tree *t, const char *mountinfo)
{
	tree_write_text(t, "/proc/self/mountinfo", mountinfo);
	tree_folder(t, "/boot/firmware");
	tree_folder(t, "/var/lib/t1s-sweep");
}

static void mount_is_the_innermost_and_uppermost(void **state)
{
	const struct tree *t = *state;
	struct t1s_mount m;

	mounts(t, CARD VFAT_RW "31 21 0:40 / /var/lib rw - tmpfs tmpfs rw\n"
			       "32 21 8:1 / /var/lib rw - xfs /dev/sda1 rw\n"
			       "33 21 0:41 / /var/library rw - tmpfs tmpfs rw\n");
	assert_int_equal(t1s_mount_of(t->root, "/etc/x", &m, NULL), 0);
	assert_string_equal(m.point, "/");
	assert_string_equal(m.type, "ext4");
	assert_false(m.read_only);
	assert_int_equal(t1s_mount_of(t->root, "/boot/firmware/config.txt", &m, NULL), 0);
	assert_string_equal(m.point, "/boot/firmware");
	assert_string_equal(m.type, "vfat");
	assert_int_equal(t1s_mount_of(t->root, "/var/lib/t1s-sweep", &m, NULL), 0);
	assert_string_equal(m.type, "xfs");
	assert_int_equal(t1s_mount_of(t->root, "/var/librarian", &m, NULL), 0);
	assert_string_equal(m.point, "/");
}

static void mount_point_with_a_blank_is_read(void **state)
{
	const struct tree *t = *state;
	struct t1s_mount m;

	mounts(t, CARD "31 21 8:1 / /my\\040card\\134x rw - ext4 /dev/sda1 rw\n");
	assert_int_equal(t1s_mount_of(t->root, "/my card\\x/y", &m, NULL), 0);
	assert_string_equal(m.point, "/my card\\x");
}

static void lines_that_make_no_sense_are_passed_over(void **state)
{
	const struct tree *t = *state;
	struct t1s_mount m;

	mounts(t, "\n1\n1 2 3 4 /\n1 2 3 / / rw shared:1\n1 2 3 / / rw -\n" CARD
		  "9 9 9:9 / /var rw a:1 b:2 c - ext4 /dev/x\n");
	assert_int_equal(t1s_mount_of(t->root, "/etc", &m, NULL), 0);
	assert_string_equal(m.type, "ext4");
	assert_int_equal(t1s_mount_of(t->root, "/var", &m, NULL), 0);
	assert_string_equal(m.point, "/var");
	assert_false(m.read_only);
}

static void nothing_is_known_without_mountinfo(void **state)
{
	const struct tree *t = *state;
	struct t1s_mount m;
	struct t1s_error e = {0};

	assert_int_equal(t1s_mount_of(t->root, "/", &m, &e), -ENOENT);
	mounts(t, "30 21 179:1 / /boot/firmware rw - vfat /dev/x rw\n");
	assert_int_equal(t1s_mount_of(t->root, "/etc", &m, &e), -ENOENT);
	assert_non_null(strstr(e.text, "/etc"));
}

static int lasts(const struct tree *t, const char *root_mount, struct t1s_error *e)
{
	mounts(t, root_mount);
	return t1s_storage_lasts(t->root, "/var/lib/t1s-sweep", 1, e);
}

static void card_lasts_and_memory_does_not(void **state)
{
	static const char *const forgetful[] = {
		"21 1 0:2 / / rw - overlay overlay rw,lowerdir=/lower\n",
		"21 1 0:2 / / rw - overlayfs overlay rw\n",
		"21 1 0:2 / / rw - tmpfs tmpfs rw\n",
		"21 1 0:2 / / rw - rootfs rootfs rw\n",
		"31 1 0:2 / /var/lib rw - ramfs none rw\n",
	};
	struct t1s_error e = {0};

	assert_int_equal(lasts(*state, CARD, NULL), 0);
	for (size_t i = 0; i < sizeof(forgetful) / sizeof(forgetful[0]); i++)
		assert_int_equal(lasts(*state, forgetful[i], &e), -EMEDIUMTYPE);
	assert_non_null(strstr(e.text, "ramfs"));
	assert_non_null(strstr(e.text, "/var/lib"));
}

static void read_only_card_does_not_last(void **state)
{
	struct t1s_error e = {0};

	assert_int_equal(
		lasts(*state, "21 1 8:2 / / ro - ext4 /dev/root rw\n", &e), -EROFS);
	assert_non_null(strstr(e.text, "remount,rw"));
	assert_int_equal(
		lasts(*state, "21 1 8:2 / / rw - ext4 /dev/root ro\n", NULL), -EROFS);
	/* options that only begin like it */
	assert_int_equal(
		lasts(*state, "21 1 8:2 / / rw,rom - ext4 /dev/root rw,ro1\n", NULL), 0);
}

static void too_little_space_is_told_in_any_case(void **state)
{
	const struct tree *t = *state;
	struct t1s_error e = {0};

	tree_folder(t, "/var/lib/t1s-sweep");
	/* no mountinfo: space is still looked at */
	assert_int_equal(t1s_storage_lasts(t->root, "/var/lib/t1s-sweep", 1, NULL), 0);
	assert_int_equal(t1s_storage_lasts(t->root, "/var/lib/t1s-sweep", UINT64_MAX, &e),
		-ENOSPC);
	assert_non_null(strstr(e.text, "make room"));
	assert_int_equal(t1s_storage_lasts(t->root, "/var/lib/gone", 1, NULL), -ENOENT);
}

static int boot_ready(const struct tree *t, const char *mountinfo, struct t1s_error *e)
{
	char folder[PATH_MAX];

	mounts(t, mountinfo);
	(void)snprintf(folder, sizeof(folder), "%s/boot/firmware", t->root);
	return t1s_storage_boot_ready(t->root, folder, e);
}

static void boot_partition_must_be_mounted_and_writable(void **state)
{
	struct t1s_error e = {0};

	assert_int_equal(boot_ready(*state, CARD VFAT_RW, NULL), 0);
	assert_int_equal(boot_ready(*state, CARD, &e), -ENOTBLK);
	assert_non_null(strstr(e.text, "mount /boot/firmware"));
	/* systemd's automount that could not mount */
	assert_int_equal(
		boot_ready(*state,
			CARD "29 21 0:9 / /boot/firmware rw - autofs systemd-1 rw\n",
			NULL),
		-ENOTBLK);
	assert_int_equal(
		boot_ready(*state,
			CARD
			"29 21 0:9 / /boot/firmware rw - autofs systemd-1 rw\n" VFAT_RW,
			NULL),
		0);
	assert_int_equal(boot_ready(*state, CARD VFAT_RO_BY_MOUNT, &e), -EROFS);
	assert_non_null(strstr(e.text, "read-only"));
	assert_int_equal(boot_ready(*state, CARD VFAT_RO_BY_ERROR, NULL), -EROFS);
}

static void boot_partition_of_a_tree_seen_from_elsewhere_passes(void **state)
{
	const struct tree *t = *state;
	char folder[PATH_MAX];

	tree_folder(t, "/boot/firmware");
	(void)snprintf(folder, sizeof(folder), "%s/boot/firmware", t->root);
	assert_int_equal(t1s_storage_boot_ready(t->root, folder, NULL), 0);
}

/* On this machine itself: a tmpfs, reached by its path and by a link. */
static int on_a_real_mount(const void *arg)
{
	const struct tree *t = arg;
	char point[PATH_MAX], link[PATH_MAX], real[PATH_MAX];
	struct t1s_mount m;

	if (!realpath(t->root, real))
		return 1;
	(void)snprintf(point, sizeof(point), "%.200s/my card", real);
	(void)snprintf(link, sizeof(link), "%.200s/link", real);
	if (mount("none", point, "tmpfs", 0, "size=4096") < 0)
		return CANNOT_MOUNT;
	if (symlink(point, link) < 0)
		return 2;
	if (t1s_mount_of("", point, &m, NULL) < 0 || strcmp(m.point, point) != 0 ||
		strcmp(m.type, "tmpfs") != 0)
		return 3;
	if (t1s_mount_of("", link, &m, NULL) < 0 || strcmp(m.point, point) != 0)
		return 4;
	if (t1s_storage_lasts("", point, 1, NULL) != -EMEDIUMTYPE)
		return 5;
	if (t1s_storage_boot_ready("", link, NULL) != 0)
		return 6;
	if (mount(NULL, point, NULL, MS_REMOUNT | MS_RDONLY, "size=4096") < 0)
		return 7;
	return t1s_storage_boot_ready("", link, NULL) == -EROFS ? 0 : 8;
}

static void this_machine_s_own_mounts_are_seen_through_links(void **state)
{
	const struct tree *t = *state;
	int r;

	tree_folder(t, "/my card");
	r = with_own_mounts(on_a_real_mount, t);
	if (r == CANNOT_MOUNT)
		skip();
	assert_int_equal(r, 0);
}

#define IN_TREE(f) cmocka_unit_test_setup_teardown(f, tree_setup, tree_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		IN_TREE(mount_is_the_innermost_and_uppermost),
		IN_TREE(mount_point_with_a_blank_is_read),
		IN_TREE(lines_that_make_no_sense_are_passed_over),
		IN_TREE(nothing_is_known_without_mountinfo),
		IN_TREE(card_lasts_and_memory_does_not),
		IN_TREE(read_only_card_does_not_last),
		IN_TREE(too_little_space_is_told_in_any_case),
		IN_TREE(boot_partition_must_be_mounted_and_writable),
		IN_TREE(boot_partition_of_a_tree_seen_from_elsewhere_passes),
		IN_TREE(this_machine_s_own_mounts_are_seen_through_links),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
