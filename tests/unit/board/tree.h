/* SPDX-License-Identifier: MIT */
/* A root folder of its own for each test, and device trees unfolded into it. */
#pragma once

#include <stddef.h>

struct tree {
	char root[256];
};

/* cmocka setup and teardown: *state is a struct tree with a fresh, empty folder. */
int tree_setup(void **state);
int tree_teardown(void **state);

/* Writes ROOT + @path, with the folders above it. The test fails if that is impossible.
 */
void tree_write(const struct tree *t, const char *path, const void *data, size_t size);
void tree_write_text(const struct tree *t, const char *path, const char *text);

/* Makes the folder ROOT + @path and those above it. */
void tree_folder(const struct tree *t, const char *path);

/* Unfolds a compiled device tree into files below ROOT + @path, as the kernel shows it.
 */
void tree_unfold(const struct tree *t, const char *blob, const char *path);

/* Copies the file @from to ROOT + @path. */
void tree_copy(const struct tree *t, const char *from, const char *path);

/* Makes ROOT + @path a symbolic link to @target, with the folders above it. */
void tree_link(const struct tree *t, const char *path, const char *target);
