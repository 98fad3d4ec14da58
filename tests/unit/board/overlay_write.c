/* SPDX-License-Identifier: MIT */
#include "base/cleanup.h"
#include "base/file.h"
#include "blob.h"
#include "mounts.h"
#include "tree.h"

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#define cleanup_overlay cleanup_(t1s_overlay_done)
#define MAX_BYTES ((size_t)2 * 1024 * 1024)

/* What the system was asked for: the linker leads these calls through here. */
static struct {
	int writes, syncs, data_syncs;
	size_t write_size;
	off_t write_offset;
	bool medium_forgets; /* the next sync is followed by another content */
} seen;

int __real_fsync(int fd);
int __wrap_fsync(int fd);
int __real_fdatasync(int fd);
int __wrap_fdatasync(int fd);
ssize_t __real_pwrite64(int fd, const void *data, size_t size, off_t offset);
ssize_t __wrap_pwrite64(int fd, const void *data, size_t size, off_t offset);

ssize_t __wrap_pwrite64(int fd, const void *data, size_t size, off_t offset)
{
	seen.writes++;
	seen.write_size = size;
	seen.write_offset = offset;
	return __real_pwrite64(fd, data, size, offset);
}

static void forget_once(int fd)
{
	if (!seen.medium_forgets)
		return;
	seen.medium_forgets = false;
	(void)__real_pwrite64(fd, "?", 1, 100);
	(void)__real_fsync(fd);
}

int __wrap_fsync(int fd)
{
	int r = __real_fsync(fd);

	seen.syncs++;
	forget_once(fd);
	return r;
}

int __wrap_fdatasync(int fd)
{
	int r = __real_fdatasync(fd);

	seen.data_syncs++;
	forget_once(fd);
	return r;
}

/* A copy of our overlay in the test's tree, loaded. */
struct work {
	char path[512], pristine[540];
	struct t1s_overlay o;
	struct t1s_overlay_node node;
};

static void work_begin(const struct tree *t, struct work *w)
{
	tree_copy(t, OUR_CS0, "/boot/x.dtbo");
	(void)snprintf(w->path, sizeof(w->path), "%s/boot/x.dtbo", t->root);
	(void)snprintf(w->pristine, sizeof(w->pristine), "%s.t1s-orig", w->path);
	blob_load(w->path, &w->o);
	blob_find(&w->o, 0, &w->node);
	memset(&seen, 0, sizeof(seen));
}

static void work_done(struct work *w)
{
	t1s_overlay_done(&w->o);
}

#define cleanup_work cleanup_(work_done)

/* Number of bytes in which two files differ; -1 if their sizes do. */
static int difference(const char *a_path, const char *b_path)
{
	cleanup_free char *a = NULL, *b = NULL;
	size_t a_size, b_size;
	int n = 0;

	assert_int_equal(t1s_read_file(a_path, MAX_BYTES, &a, &a_size, NULL), 0);
	assert_int_equal(t1s_read_file(b_path, MAX_BYTES, &b, &b_size, NULL), 0);
	if (a_size != b_size)
		return -1;
	for (size_t i = 0; i < a_size; i++)
		n += a[i] != b[i];
	return n;
}

static void value_is_set_by_one_write_of_4_bytes_within_a_sector(void **state)
{
	cleanup_work struct work w = {0};
	cleanup_overlay struct t1s_overlay again = {0};
	struct t1s_overlay_node node;

	work_begin(*state, &w);
	assert_int_equal(t1s_overlay_set(w.path, &w.o, &w.node, 19000000, NULL), 0);
	assert_int_equal(seen.writes, 1);
	assert_int_equal(seen.write_size, 4);
	assert_int_equal(seen.write_offset, w.node.offset);
	assert_int_equal(w.node.offset / 512, (w.node.offset + 3) / 512);
	/* fsync would write the folder's sector, too */
	assert_int_equal(seen.data_syncs, 1);
	assert_int_equal(seen.syncs, 0);
	blob_load(w.path, &again);
	blob_find(&again, 0, &node);
	assert_int_equal(node.freq_hz, 19000000);
	/* the loaded copy has followed, so that the next value can be set */
	assert_memory_equal(w.o.blob, again.blob, again.size);
	assert_int_equal(t1s_overlay_set(w.path, &w.o, &w.node, 18000000, NULL), 0);
}

static void everything_else_stays_as_it_was(void **state)
{
	cleanup_work struct work w = {0};

	work_begin(*state, &w);
	/* all four bytes of this value differ from those of 20 MHz */
	assert_int_equal(t1s_overlay_set(w.path, &w.o, &w.node, 0xaaaaaaaa, NULL), 0);
	assert_int_equal(difference(w.path, OUR_CS0), 4);
	assert_int_equal(t1s_overlay_set(w.path, &w.o, &w.node, 20000000, NULL), 0);
	assert_int_equal(difference(w.path, OUR_CS0), 0);
}

static void value_that_is_there_is_not_written_but_made_to_last(void **state)
{
	cleanup_work struct work w = {0};

	work_begin(*state, &w);
	assert_int_equal(t1s_overlay_set(w.path, &w.o, &w.node, 20000000, NULL), 0);
	assert_int_equal(seen.writes, 0);
	assert_int_equal(seen.data_syncs, 1);
}

static void value_set_by_an_earlier_try_is_success(void **state)
{
	cleanup_work struct work w = {0}, earlier = {0};

	work_begin(*state, &w);
	blob_load(w.path, &earlier.o);
	assert_int_equal(t1s_overlay_set(w.path, &earlier.o, &w.node, 9000000, NULL), 0);
	seen.writes = 0;
	assert_int_equal(t1s_overlay_set(w.path, &w.o, &w.node, 9000000, NULL), 0);
	assert_int_equal(seen.writes, 0);
	assert_memory_equal(w.o.blob, earlier.o.blob, w.o.size);
}

static void file_changed_by_someone_else_is_left_alone(void **state)
{
	const struct tree *t = *state;
	cleanup_work struct work w = {0};
	struct t1s_error e = {0};

	work_begin(t, &w);
	tree_copy(t, TWO_CHIPS, "/boot/x.dtbo");
	assert_int_equal(t1s_overlay_set(w.path, &w.o, &w.node, 9000000, &e), -ESTALE);
	assert_non_null(strstr(e.text, w.path));
	assert_int_equal(difference(w.path, TWO_CHIPS), 0);
	/* one bit elsewhere */
	w.o.blob[60] ^= 1;
	tree_write(t, "/boot/x.dtbo", w.o.blob, w.o.size);
	w.o.blob[60] ^= 1;
	assert_int_equal(t1s_overlay_set(w.path, &w.o, &w.node, 9000000, NULL), -ESTALE);
	/* a third value, neither the loaded nor the wanted one */
	w.o.blob[w.node.offset] ^= 1;
	tree_write(t, "/boot/x.dtbo", w.o.blob, w.o.size);
	w.o.blob[w.node.offset] ^= 1;
	assert_int_equal(t1s_overlay_set(w.path, &w.o, &w.node, 9000000, NULL), -ESTALE);
	assert_int_equal(seen.writes, 0);
	/* another length */
	tree_write(t, "/boot/x.dtbo", w.o.blob, w.o.size - 4);
	assert_int_equal(t1s_overlay_set(w.path, &w.o, &w.node, 9000000, NULL), -ESTALE);
	tree_write(t, "/boot/x.dtbo", "", 0);
	assert_int_equal(t1s_overlay_set(w.path, &w.o, &w.node, 9000000, NULL), -ESTALE);
}

static void file_grown_beyond_all_measure_is_stale(void **state)
{
	const struct tree *t = *state;
	cleanup_work struct work w = {0};

	work_begin(t, &w);
	assert_int_equal(truncate(w.path, (off_t)MAX_BYTES), 0);
	assert_int_equal(t1s_overlay_set(w.path, &w.o, &w.node, 9000000, NULL), -ESTALE);
}

static void medium_that_gives_back_other_content_is_an_error(void **state)
{
	cleanup_work struct work w = {0};
	struct t1s_error e = {0};

	work_begin(*state, &w);
	seen.medium_forgets = true;
	assert_int_equal(t1s_overlay_set(w.path, &w.o, &w.node, 9000000, &e), -EIO);
	assert_non_null(strstr(e.text, w.path));
}

static void node_of_another_blob_is_not_written(void **state)
{
	cleanup_work struct work w = {0};

	work_begin(*state, &w);
	w.node.offset += 4;
	assert_int_equal(t1s_overlay_set(w.path, &w.o, &w.node, 9000000, NULL), -EINVAL);
	assert_int_equal(difference(w.path, OUR_CS0), 0);
}

static void link_folder_or_missing_file_is_not_written(void **state)
{
	cleanup_work struct work w = {0};
	char link[520];

	work_begin(*state, &w);
	(void)snprintf(
		link, sizeof(link), "%s/link.dtbo", ((const struct tree *)*state)->root);
	assert_int_equal(symlink(w.path, link), 0);
	assert_int_equal(t1s_overlay_set(link, &w.o, &w.node, 9000000, NULL), -ELOOP);
	assert_int_equal(unlink(link), 0);
	assert_int_equal(t1s_overlay_set(link, &w.o, &w.node, 9000000, NULL), -ENOENT);
	assert_int_equal(mkfifo(link, 0600), 0);
	assert_int_equal(t1s_overlay_set(link, &w.o, &w.node, 9000000, NULL), -EINVAL);
	assert_int_equal(difference(w.path, OUR_CS0), 0);
}

static void pristine_copy_is_the_file_as_loaded(void **state)
{
	cleanup_work struct work w = {0};

	work_begin(*state, &w);
	assert_int_equal(t1s_overlay_keep_pristine(w.path, &w.o, NULL), 0);
	assert_int_equal(difference(w.pristine, OUR_CS0), 0);
	assert_int_equal(t1s_overlay_set(w.path, &w.o, &w.node, 9000000, NULL), 0);
	assert_int_equal(difference(w.pristine, OUR_CS0), 0);
}

static void pristine_copy_that_was_torn_is_replaced(void **state)
{
	cleanup_work struct work w = {0};

	work_begin(*state, &w);
	assert_int_equal(t1s_overlay_keep_pristine(w.path, &w.o, NULL), 0);
	assert_int_equal(truncate(w.pristine, 10), 0);
	assert_int_equal(t1s_overlay_keep_pristine(w.path, &w.o, NULL), 0);
	assert_int_equal(difference(w.pristine, OUR_CS0), 0);
}

static void pristine_copy_of_another_original_is_left_alone_and_named(void **state)
{
	cleanup_work struct work w = {0};
	struct t1s_error e = {{0}};

	work_begin(*state, &w);
	assert_int_equal(t1s_overlay_keep_pristine(w.path, &w.o, NULL), 0);
	assert_int_equal(t1s_overlay_set(w.path, &w.o, &w.node, 9000000, NULL), 0);
	assert_int_equal(t1s_overlay_keep_pristine(w.path, &w.o, &e), -EEXIST);
	assert_int_equal(difference(w.pristine, OUR_CS0), 0);
	assert_non_null(strstr(e.text, w.pristine));
	assert_non_null(strstr(e.text, "t1s-sweep restore"));
}

static void pristine_copy_that_reads_back_wrong_does_not_stay(void **state)
{
	cleanup_work struct work w = {0};

	work_begin(*state, &w);
	seen.medium_forgets = true;
	assert_int_equal(t1s_overlay_keep_pristine(w.path, &w.o, NULL), -EIO);
	assert_int_equal(access(w.pristine, F_OK), -1);
}

static void pristine_copy_is_removed_and_none_there_is_fine(void **state)
{
	cleanup_work struct work w = {0};

	work_begin(*state, &w);
	assert_int_equal(t1s_overlay_drop_pristine(w.path, NULL), 0);
	assert_int_equal(t1s_overlay_keep_pristine(w.path, &w.o, NULL), 0);
	assert_int_equal(t1s_overlay_drop_pristine(w.path, NULL), 0);
	assert_int_equal(access(w.pristine, F_OK), -1);
	assert_int_equal(access(w.path, F_OK), 0);
}

static int on_read_only_mount(const void *arg)
{
	struct work w = *(const struct work *)arg;
	char folder[512];
	struct t1s_error e = {0};

	(void)snprintf(folder, sizeof(folder), "%s", w.path);
	*strrchr(folder, '/') = '\0';
	if (mount(folder, folder, NULL, MS_BIND, NULL) < 0 ||
		mount(NULL, folder, NULL, MS_REMOUNT | MS_BIND | MS_RDONLY, NULL) < 0)
		return CANNOT_MOUNT;
	if (t1s_overlay_set(w.path, &w.o, &w.node, 9000000, &e) != -EROFS)
		return 1;
	if (!strstr(e.text, "read-only"))
		return 2;
	if (t1s_overlay_keep_pristine(w.path, &w.o, NULL) != -EROFS)
		return 3;
	return t1s_overlay_drop_pristine(w.path, NULL) == 0 ? 0 : 4;
}

static void read_only_boot_partition_is_told(void **state)
{
	cleanup_work struct work w = {0};
	int r;

	work_begin(*state, &w);
	r = with_own_mounts(on_read_only_mount, &w);
	if (r == CANNOT_MOUNT)
		skip();
	assert_int_equal(r, 0);
	assert_int_equal(difference(w.path, OUR_CS0), 0);
}

static int on_full_file_system(const void *arg)
{
	const struct work *w = arg;
	char folder[512], path[540], copy[560];
	cleanup_close int fd = -1;
	struct t1s_error e = {0};
	struct stat st;

	(void)snprintf(folder, sizeof(folder), "%s", w->path);
	*strrchr(folder, '/') = '\0';
	/* one page: the root folder and names cost nothing on tmpfs, content does */
	if (mount("none", folder, "tmpfs", 0, "size=4096") < 0)
		return CANNOT_MOUNT;
	(void)snprintf(path, sizeof(path), "%s/full", folder);
	fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
	if (fd < 0 || write(fd, "x", 1) != 1)
		return 1;
	(void)snprintf(path, sizeof(path), "%s/x.dtbo", folder);
	(void)snprintf(copy, sizeof(copy), "%s.t1s-orig", path);
	if (t1s_overlay_keep_pristine(path, &w->o, &e) != -ENOSPC)
		return 2;
	if (!strstr(e.text, "make room"))
		return 3;
	return stat(copy, &st) < 0 && errno == ENOENT ? 0 : 4;
}

static void full_boot_partition_is_told_and_no_torn_copy_stays(void **state)
{
	cleanup_work struct work w = {0};
	int r;

	work_begin(*state, &w);
	r = with_own_mounts(on_full_file_system, &w);
	if (r == CANNOT_MOUNT)
		skip();
	assert_int_equal(r, 0);
}

#define IN_TREE(f) cmocka_unit_test_setup_teardown(f, tree_setup, tree_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		IN_TREE(value_is_set_by_one_write_of_4_bytes_within_a_sector),
		IN_TREE(everything_else_stays_as_it_was),
		IN_TREE(value_that_is_there_is_not_written_but_made_to_last),
		IN_TREE(value_set_by_an_earlier_try_is_success),
		IN_TREE(file_changed_by_someone_else_is_left_alone),
		IN_TREE(file_grown_beyond_all_measure_is_stale),
		IN_TREE(medium_that_gives_back_other_content_is_an_error),
		IN_TREE(node_of_another_blob_is_not_written),
		IN_TREE(link_folder_or_missing_file_is_not_written),
		IN_TREE(pristine_copy_is_the_file_as_loaded),
		IN_TREE(pristine_copy_that_was_torn_is_replaced),
		IN_TREE(pristine_copy_of_another_original_is_left_alone_and_named),
		IN_TREE(pristine_copy_that_reads_back_wrong_does_not_stay),
		IN_TREE(pristine_copy_is_removed_and_none_there_is_fine),
		IN_TREE(read_only_boot_partition_is_told),
		IN_TREE(full_boot_partition_is_told_and_no_torn_copy_stays),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
