/* SPDX-License-Identifier: MIT */
/*
 * Blobs that were cut or changed anywhere: every function answers, none reads beyond the
 * blob. It lies right before a page that cannot be read, since the sanitizers do not see
 * into libfdt.
 */
#include "base/cleanup.h"
#include "base/file.h"
#include "blob.h"
#include "tree.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#include <cmocka.h>

#define ROOM_BYTES ((size_t)16 * 4096)

int __wrap_fsync(int fd);
int __wrap_fdatasync(int fd);

/* thousands of files are written here, and none of them must last */
int __wrap_fsync(int fd)
{
	(void)fd;
	return 0;
}

int __wrap_fdatasync(int fd)
{
	return __wrap_fsync(fd);
}

struct hostile {
	struct tree *tree;
	unsigned char *room; /* ROOM_BYTES, then the page that cannot be read */
	char path[512];
	unsigned int passed; /* blobs that the check let through */
};

/* Puts a blob as close to the forbidden page as its alignment allows. */
static struct t1s_overlay place(
	const struct hostile *h, const unsigned char *data, size_t size)
{
	struct t1s_overlay o = {.size = size};

	o.blob = h->room + ROOM_BYTES - (size + 7) / 8 * 8;
	memcpy(o.blob, data, size);
	return o;
}

static void set_in_file(
	struct hostile *h, struct t1s_overlay *o, const struct t1s_overlay_node *node)
{
	cleanup_free unsigned char *before = malloc(o->size + 1);
	cleanup_free char *after = NULL;
	size_t size, changed = 0;

	assert_non_null(before);
	memcpy(before, o->blob, o->size);
	tree_write(h->tree, "/x.dtbo", o->blob, o->size);
	if (t1s_overlay_set(h->path, o, node, 0x12345678, NULL) < 0)
		return;
	assert_int_equal(t1s_read_file(h->path, ROOM_BYTES, &after, &size, NULL), 0);
	assert_int_equal(size, o->size);
	assert_memory_equal(after, o->blob, size);
	for (size_t i = 0; i < size; i++) {
		if (before[i] == (unsigned char)after[i])
			continue;
		assert_in_range(i, node->offset, node->offset + 3);
		changed++;
	}
	assert_in_range(changed, 1, 4);
}

/* Everything that can be asked of a blob. */
static void try_all(struct hostile *h, const unsigned char *data, size_t size)
{
	static const struct t1s_node_match any = {"microchip,lan8650", -1, FREQUENCY};
	struct t1s_overlay o = place(h, data, size);
	struct t1s_overlay_node nodes[T1S_OVERLAY_NODES_MAX], node;
	char params[T1S_OVERLAY_PARAMS_MAX][64], digest[T1S_SHA256_HEX_MAX];
	struct t1s_error e;
	int n;

	if (t1s_overlay_check(o.blob, o.size, &e) < 0)
		return;
	h->passed++;
	n = t1s_overlay_nodes(&o, FREQUENCY, nodes, T1S_OVERLAY_NODES_MAX, &e);
	for (int i = 0; i < n; i++) {
		assert_true(nodes[i].offset + 4 <= size);
		(void)t1s_overlay_shadowing_params(
			&o, nodes[i].path, FREQUENCY, params, T1S_OVERLAY_PARAMS_MAX, &e);
		(void)t1s_overlay_digest_with(&o, &nodes[i], 5000000, digest, &e);
	}
	/* a sample for what needs a file, since there are thousands */
	if (t1s_overlay_find(&o, &any, &node, &e) == 0 && h->passed % 16 == 0)
		set_in_file(h, &o, &node);
}

static void try_blob(struct hostile *h, const char *path)
{
	cleanup_(t1s_overlay_done) struct t1s_overlay o = {0};

	blob_load(path, &o);
	assert_true(o.size < ROOM_BYTES);
	for (size_t size = 0; size < o.size; size++)
		try_all(h, o.blob, size);
	/* cut anywhere, it is no blob any more */
	assert_int_equal(h->passed, 0);
	for (size_t i = 0; i < o.size; i++) {
		static const unsigned char flips[] = {0x01, 0x04, 0x80, 0xff};

		for (size_t k = 0; k < sizeof(flips); k++) {
			o.blob[i] ^= flips[k];
			try_all(h, o.blob, o.size);
			o.blob[i] ^= flips[k];
		}
		if (i + 4 > o.size)
			continue;
		/* a whole cell at its limits: lengths and offsets */
		for (int v = 0; v <= 0xff; v += 0xff) {
			unsigned char cell[4];

			memcpy(cell, o.blob + i, 4);
			memset(o.blob + i, v, 4);
			try_all(h, o.blob, o.size);
			memcpy(o.blob + i, cell, 4);
		}
	}
	/* a test that lets nothing through would show nothing */
	assert_true(h->passed > o.size);
}

static void cut_or_changed_blobs_are_answered(void **state)
{
	static const char *const blobs[] = {OUR_CS0, TWO_CHIPS};

	for (size_t i = 0; i < T1S_ELEMENTSOF(blobs); i++) {
		struct hostile h = {.tree = *state};

		(void)snprintf(h.path, sizeof(h.path), "%s/x.dtbo", h.tree->root);
		h.room = mmap(NULL, ROOM_BYTES + 4096, PROT_READ | PROT_WRITE,
			MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		assert_ptr_not_equal(h.room, MAP_FAILED);
		assert_int_equal(mprotect(h.room + ROOM_BYTES, 4096, PROT_NONE), 0);
		try_blob(&h, blobs[i]);
		assert_int_equal(munmap(h.room, ROOM_BYTES + 4096), 0);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(
			cut_or_changed_blobs_are_answered, tree_setup, tree_teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
