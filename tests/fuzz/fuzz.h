/* SPDX-License-Identifier: MIT */
/*
 * What the fuzz targets share. A target takes one input, hands it to a reader of the
 * program, and ends the process by fuzz_require() where a promise of its header is
 * broken; the sanitizers watch the rest.
 */
#pragma once

#include "base/error.h"

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* libFuzzer's entry. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define fuzz_require(condition)                                                          \
	do {                                                                             \
		if (!(condition))                                                        \
			fuzz_fail(__FILE__, __LINE__, #condition);                       \
	} while (0)

void fuzz_fail(const char *file, int line, const char *condition)
	__attribute__((noreturn));

/* A folder of this process, made below $TMPDIR and removed when it ends. */
const char *fuzz_folder(void);

/* fuzz_folder() + @below, "/name". */
void fuzz_path(char ret[PATH_MAX], const char *below);

/* Removes everything in fuzz_folder() + @below, the folder itself included. */
void fuzz_remove(const char *below);

/* A part of an input. */
struct fuzz_part {
	const uint8_t *data;
	size_t size;
};

/* Parts stand apart by this byte (ASCII's record separator). */
#define FUZZ_SEPARATOR 0x1e

/* Splits an input into at most @max parts; the last one holds what is left. Returns how
 * many there are, at least 1. */
size_t fuzz_split(const uint8_t *data, size_t size, struct fuzz_part *ret, size_t max);

/* Makes or overwrites a file, whose folder is there. */
void fuzz_write(const char *path, struct fuzz_part content);

/* The bytes in a block of their own and of their very size, so that a step beyond them is
 * seen. To be freed. */
void *fuzz_exact(struct fuzz_part part);

/* The same with a 0 byte behind it. */
char *fuzz_string(struct fuzz_part part);

/* Fills what a reader is to leave alone where it fails, and tells whether it did. */
void fuzz_mark(void *memory, size_t size);
bool fuzz_is_untouched(const void *memory, size_t size);

/* Whether a text may be shown: UTF-8 without control characters. */
bool fuzz_is_shown(const char *text);

/* A failure must be a negative errno with words that may be shown. */
void fuzz_check_failure(int64_t r, const struct t1s_error *e);
