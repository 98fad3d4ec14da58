/* SPDX-License-Identifier: MIT */
#include "base/sysfs.h"

#include "base/file.h"
#include "base/path.h"
#include "base/text.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define NUMBER_MAX 32
#define WHOLE_MAX_BYTES ((size_t)1024 * 1024)

static bool make_path(char ret[PATH_MAX], const char *root, const char *format,
	va_list ap) __attribute__((format(printf, 3, 0)));

static bool make_path(
	char ret[PATH_MAX], const char *root, const char *format, va_list ap)
{
	char below[PATH_MAX];
	int n = vsnprintf(below, sizeof(below), format, ap);

	return n >= 0 && (size_t)n < sizeof(below) &&
	       t1s_path(ret, root, "%s", below) == 0;
}

bool t1s_sysfs_text(char *ret, size_t size, const char *root, const char *format, ...)
{
	char path[PATH_MAX];
	va_list ap;
	bool known;

	va_start(ap, format);
	known = make_path(path, root, format, ap);
	va_end(ap);
	ret[0] = '\0';
	return known && t1s_read_line_file(path, ret, size, NULL) == 0;
}

int64_t t1s_sysfs_count(const char *root, const char *format, ...)
{
	char path[PATH_MAX], text[NUMBER_MAX];
	uint64_t value;
	va_list ap;
	bool known;

	va_start(ap, format);
	known = make_path(path, root, format, ap);
	va_end(ap);
	if (!known || t1s_read_line_file(path, text, sizeof(text), NULL) < 0 ||
		t1s_parse_uint(text, INT64_MAX, &value) < 0)
		return -1;
	return (int64_t)value;
}

bool t1s_sysfs_link(char *ret, size_t size, const char *root, const char *format, ...)
{
	char path[PATH_MAX], target[PATH_MAX];
	const char *last;
	va_list ap;
	ssize_t n;

	ret[0] = '\0';
	va_start(ap, format);
	n = make_path(path, root, format, ap) ? readlink(path, target, sizeof(target) - 1)
					      : -1;
	va_end(ap);
	if (n <= 0)
		return false;
	target[n] = '\0';
	last = strrchr(target, '/');
	last = last ? last + 1 : target;
	if (!last[0] || strlen(last) >= size)
		return false;
	memcpy(ret, last, strlen(last) + 1);
	return true;
}

char *t1s_sysfs_whole(const char *root, const char *path)
{
	char full[PATH_MAX];
	char *text = NULL;

	if (t1s_path(full, root, "%s", path) < 0 ||
		t1s_read_file(full, WHOLE_MAX_BYTES, &text, NULL, NULL) < 0)
		return NULL;
	return text;
}

int64_t t1s_counter_delta(int64_t before, int64_t after)
{
	return before < 0 || after < before ? -1 : after - before;
}
