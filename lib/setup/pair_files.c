/* SPDX-License-Identifier: MIT */
#include "setup/pair_files.h"

#include "base/cleanup.h"
#include "base/file.h"
#include "base/path.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#define DROP_IN_MAX_BYTES ((size_t)4096)
#define HEAD                                                                             \
	"# SPDX-License-Identifier: MIT\n"                                               \
	"# Written by t1s-sweep pair, and written anew by it.\n"

int t1s_pair_drop_in_path(const char *root, const char *config_path, char ret[PATH_MAX])
{
	return t1s_path(ret, config_path ? "" : root, "%s.d/10-sender.conf",
		config_path ? config_path : "/etc/t1s-sweep/t1s-sweep.conf");
}

/* The interface that the drop-in names, "" if none. */
static void read_interface(const char *text, char *ret, size_t size)
{
	const char *key = text ? strstr(text, "\nInterface=") : NULL;

	ret[0] = '\0';
	if (!key)
		return;
	key += strlen("\nInterface=");
	(void)snprintf(ret, size, "%.*s", (int)strcspn(key, "\n"), key);
}

int t1s_pair_write_drop_in(const char *path, const char *user, const char *host,
	const char *interface, struct t1s_error *e)
{
	cleanup_free char *old = NULL;
	char text[DROP_IN_MAX_BYTES], kept[IF_NAMESIZE], folder[PATH_MAX];
	int r = t1s_read_file(path, DROP_IN_MAX_BYTES, &old, NULL, e);
	int n;

	if (r < 0 && r != -ENOENT)
		return r;
	read_interface(old, kept, sizeof(kept));
	if (!interface[0])
		interface = kept;
	n = snprintf(text, sizeof(text), "%s[Sender]\nHost=%s\nUser=%s\n%s%s%s", HEAD,
		host, user, interface[0] ? "Interface=" : "", interface,
		interface[0] ? "\n" : "");
	if (n < 0 || (size_t)n >= sizeof(text))
		return t1s_error_set(e, ENAMETOOLONG, "user or host is too long");
	if (old && strcmp(old, text) == 0)
		return 0;
	(void)snprintf(
		folder, sizeof(folder), "%.*s", (int)(strrchr(path, '/') - path), path);
	r = t1s_make_folder(folder, 0755, e);
	if (r == 0)
		r = t1s_replace_file(path, text, (size_t)n, 0644, false, e);
	return r < 0 ? r : 1;
}
