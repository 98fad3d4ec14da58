/* SPDX-License-Identifier: MIT */
#include "base/path.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

int t1s_path(char ret[PATH_MAX], const char *root, const char *format, ...)
{
	size_t n = strlen(root);
	va_list ap;
	int k;

	if (n >= PATH_MAX) {
		ret[0] = '\0';
		return -ENAMETOOLONG;
	}
	memcpy(ret, root, n);
	va_start(ap, format);
	k = vsnprintf(ret + n, PATH_MAX - n, format, ap);
	va_end(ap);
	if (k < 0 || (size_t)k >= PATH_MAX - n) {
		ret[0] = '\0';
		return -ENAMETOOLONG;
	}
	return 0;
}

const char *t1s_path_below(const char *root, const char *path)
{
	size_t n = strlen(root);

	return n > 0 && strncmp(path, root, n) == 0 && path[n] == '/' ? path + n : path;
}
