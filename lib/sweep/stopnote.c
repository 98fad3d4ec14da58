/* SPDX-License-Identifier: MIT */
#include "sweep/stopnote.h"

#include "base/cleanup.h"
#include "base/file.h"
#include "base/path.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#define NOTE_MAX_BYTES 4096

int t1s_stop_note_write(const char *folder, const char *reason, struct t1s_error *e)
{
	char path[PATH_MAX];

	if (t1s_path(path, folder, "/stop-note") < 0)
		return t1s_error_set(e, ENAMETOOLONG, "path too long: %s", folder);
	return t1s_replace_file(path, reason, strlen(reason), 0644, false, e);
}

int t1s_stop_note_read(const char *folder, char *ret, size_t size)
{
	cleanup_free char *text = NULL;
	struct t1s_error e = {{0}};
	char path[PATH_MAX];
	int r;

	if (t1s_path(path, folder, "/stop-note") < 0)
		return 0;
	r = t1s_read_file(path, NOTE_MAX_BYTES, &text, NULL, &e);
	if (r == -ENOENT)
		return 0;
	(void)snprintf(ret, size, "%s", r < 0 ? e.text : text);
	return 1;
}
