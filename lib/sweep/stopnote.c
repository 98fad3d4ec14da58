/* SPDX-License-Identifier: MIT */
#include "sweep/stopnote.h"

#include "base/cleanup.h"
#include "base/file.h"
#include "base/path.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define NOTE_MAX_BYTES 4096

int t1s_stop_note_write(const char *folder, const char *reason, struct t1s_error *e)
{
	char path[PATH_MAX];

	if (t1s_path(path, folder, "/stop-note") < 0)
		return t1s_error_set(e, ENAMETOOLONG, "path too long: %s", folder);
	return t1s_replace_file(path, reason, strlen(reason), 0644, false, e);
}

/*
 * The folder is the measuring user's, who may have given the name to any file: what has
 * another name, too, may be one that he cannot read himself.
 */
static int read_note(const char *path, char *ret, size_t size, struct t1s_error *e)
{
	cleanup_close int fd = t1s_open_regular(path, e);
	struct stat st;
	ssize_t n;

	if (fd < 0)
		return fd;
	if (fstat(fd, &st) < 0 || st.st_nlink != 1)
		return t1s_error_set(
			e, EMLINK, "%s has another name, too: it is not read", path);
	do
		n = read(fd, ret, size - 1);
	while (n < 0 && errno == EINTR);
	if (n < 0)
		return t1s_error_set(
			e, errno, "cannot read %s: %s", path, strerror(errno));
	ret[n] = '\0';
	return 0;
}

int t1s_stop_note_read(const char *folder, char *ret, size_t size)
{
	char text[NOTE_MAX_BYTES];
	struct t1s_error e = {{0}};
	char path[PATH_MAX];
	int r;

	if (t1s_path(path, folder, "/stop-note") < 0)
		return 0;
	r = read_note(path, text, sizeof(text), &e);
	if (r == -ENOENT)
		return 0;
	(void)snprintf(ret, size, "%s", r < 0 ? e.text : text);
	return 1;
}
