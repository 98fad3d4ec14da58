/* SPDX-License-Identifier: MIT */
#include "tree.h"

#include "base/cleanup.h"
#include "base/file.h"
#include "base/path.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <libfdt.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#define BLOB_MAX_BYTES ((size_t)1024 * 1024)

int tree_setup(void **state)
{
	struct tree *t = calloc(1, sizeof(*t));

	if (!t)
		return -1;
	(void)snprintf(t->root, sizeof(t->root), "%s/board-test.XXXXXX", T1S_TEST_BUILD);
	*state = t;
	return mkdtemp(t->root) ? 0 : -1;
}

static int remove_entry(const char *path, const struct stat *st, int type, struct FTW *f)
{
	(void)st;
	(void)type;
	(void)f;
	return remove(path);
}

int tree_teardown(void **state)
{
	struct tree *t = *state;
	int r = nftw(t->root, remove_entry, 16, FTW_DEPTH | FTW_PHYS);

	free(t);
	return r;
}

void tree_folder(const struct tree *t, const char *path)
{
	char full[PATH_MAX];

	assert_int_equal(t1s_path(full, t->root, "%s", path), 0);
	for (char *p = full + strlen(t->root) + 1; (p = strchr(p, '/')); p++) {
		*p = '\0';
		(void)mkdir(full, 0755);
		*p = '/';
	}
	assert_true(mkdir(full, 0755) == 0 || errno == EEXIST);
}

void tree_link(const struct tree *t, const char *path, const char *target)
{
	char full[PATH_MAX];
	char *folder_end;

	assert_int_equal(t1s_path(full, "", "%s", path), 0);
	folder_end = strrchr(full, '/');
	*folder_end = '\0';
	if (full[0])
		tree_folder(t, full);
	assert_int_equal(t1s_path(full, t->root, "%s", path), 0);
	(void)unlink(full);
	assert_int_equal(symlink(target, full), 0);
}

void tree_write(const struct tree *t, const char *path, const void *data, size_t size)
{
	char folder[PATH_MAX];
	cleanup_close int fd = -1;

	assert_int_equal(t1s_path(folder, "", "%s", path), 0);
	*strrchr(folder, '/') = '\0';
	if (folder[0])
		tree_folder(t, folder);
	assert_int_equal(t1s_path(folder, t->root, "%s", path), 0);
	fd = open(folder, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
	assert_true(fd >= 0);
	assert_int_equal(t1s_write_all(fd, data, size), 0);
}

void tree_write_text(const struct tree *t, const char *path, const char *text)
{
	tree_write(t, path, text, strlen(text));
}

void tree_copy(const struct tree *t, const char *from, const char *path)
{
	cleanup_free char *data = NULL;
	size_t size;

	assert_int_equal(t1s_read_file(from, BLOB_MAX_BYTES, &data, &size, NULL), 0);
	tree_write(t, path, data, size);
}

static void unfold_node(
	const struct tree *t, const char *blob, int node, const char *path)
{
	char below[PATH_MAX];
	int p, child;

	tree_folder(t, path);
	fdt_for_each_property_offset(p, blob, node)
	{
		const char *name;
		int size;
		const void *value = fdt_getprop_by_offset(blob, p, &name, &size);

		assert_non_null(value);
		assert_int_equal(t1s_path(below, path, "/%s", name), 0);
		tree_write(t, below, value, (size_t)size);
	}
	fdt_for_each_subnode(child, blob, node)
	{
		assert_int_equal(
			t1s_path(below, path, "/%s", fdt_get_name(blob, child, NULL)), 0);
		unfold_node(t, blob, child, below);
	}
}

void tree_unfold(const struct tree *t, const char *blob, const char *path)
{
	cleanup_free char *data = NULL;
	size_t size;

	assert_int_equal(t1s_read_file(blob, BLOB_MAX_BYTES, &data, &size, NULL), 0);
	assert_int_equal(fdt_check_full(data, size), 0);
	unfold_node(t, data, 0, path);
}
