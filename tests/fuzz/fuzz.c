/* SPDX-License-Identifier: MIT */
#include "fuzz.h"

#include "base/cleanup.h"
#include "base/file.h"
#include "base/log.h"
#include "base/path.h"

#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void fuzz_fail(const char *file, int line, const char *condition)
{
	(void)fprintf(stderr, "%s:%d: does not hold: %s\n", file, line, condition);
	abort();
}

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	(void)st;
	(void)type;
	(void)ftw;
	return remove(path);
}

static char folder[PATH_MAX];

static void remove_folder(void)
{
	(void)nftw(folder, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

const char *fuzz_folder(void)
{
	const char *parent = getenv("TMPDIR");

	if (folder[0])
		return folder;
	fuzz_require(t1s_path(folder, parent ? parent : "/tmp", "/t1s-fuzz-XXXXXX") == 0);
	fuzz_require(mkdtemp(folder));
	fuzz_require(atexit(remove_folder) == 0);
	return folder;
}

void fuzz_path(char ret[PATH_MAX], const char *below)
{
	fuzz_require(t1s_path(ret, fuzz_folder(), "%s", below) == 0);
}

void fuzz_remove(const char *below)
{
	char path[PATH_MAX];

	fuzz_path(path, below);
	(void)nftw(path, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

size_t fuzz_split(const uint8_t *data, size_t size, struct fuzz_part *ret, size_t max)
{
	size_t count = 0;

	while (count + 1 < max) {
		const uint8_t *end = size > 0 ? memchr(data, FUZZ_SEPARATOR, size) : NULL;
		size_t n;

		if (!end)
			break;
		n = (size_t)(end - data);
		ret[count++] = (struct fuzz_part){data, n};
		data += n + 1;
		size -= n + 1;
	}
	ret[count++] = (struct fuzz_part){data, size};
	return count;
}

void fuzz_write(const char *path, struct fuzz_part content)
{
	cleanup_close int fd =
		open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600);

	fuzz_require(fd >= 0);
	fuzz_require(t1s_write_all(fd, content.data, content.size) == 0);
}

void *fuzz_exact(struct fuzz_part part)
{
	void *copy = malloc(part.size);

	fuzz_require(copy || part.size == 0);
	if (part.size > 0)
		memcpy(copy, part.data, part.size);
	return copy;
}

char *fuzz_string(struct fuzz_part part)
{
	char *copy = malloc(part.size + 1);

	fuzz_require(copy);
	if (part.size > 0)
		memcpy(copy, part.data, part.size);
	copy[part.size] = '\0';
	return copy;
}

#define MARK 0x55

void fuzz_mark(void *memory, size_t size)
{
	memset(memory, MARK, size);
}

bool fuzz_is_untouched(const void *memory, size_t size)
{
	const unsigned char *bytes = memory;

	for (size_t i = 0; i < size; i++)
		if (bytes[i] != MARK)
			return false;
	return true;
}

bool fuzz_is_shown(const char *text)
{
	cleanup_free char *copy = strdup(text);

	fuzz_require(copy);
	t1s_printable(copy);
	return strcmp(copy, text) == 0;
}

void fuzz_check_failure(int64_t r, const struct t1s_error *e)
{
	fuzz_require(r < 0 && r > -4096);
	fuzz_require(e->text[0]);
	fuzz_require(fuzz_is_shown(e->text));
}
