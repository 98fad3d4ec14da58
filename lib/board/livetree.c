/* SPDX-License-Identifier: MIT */
#include "board/livetree.h"

#include "base/cleanup.h"
#include "base/file.h"
#include "base/path.h"
#include "board/dtprop.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>

#define PROPERTY_MAX_BYTES 4096U
#define DEPTH_MAX 32U

struct walk {
	const struct t1s_node_match *match;
	char path[PATH_MAX];        /* of the node looked at, as a file */
	size_t base;                /* length of the tree's own path in it */
	unsigned int count;         /* matching nodes */
	struct t1s_live_node found; /* the first of them */
	char matching[T1S_DT_CANDIDATES_MAX];
	char others[T1S_DT_CANDIDATES_MAX]; /* near misses, for the error's text */
};

/* Where the tree is, or -ENODEV. */
static int tree_folder(const char *root, char ret[PATH_MAX])
{
	static const char *const places[] = {
		"/proc/device-tree", "/sys/firmware/devicetree/base"};

	for (size_t i = 0; i < T1S_ELEMENTSOF(places); i++) {
		struct stat st;

		if (t1s_path(ret, root, "%s", places[i]) < 0)
			continue;
		/* below a root, a link would lead out to this machine's own tree */
		if ((root[0] ? lstat(ret, &st) : stat(ret, &st)) == 0 &&
			S_ISDIR(st.st_mode))
			return 0;
	}
	ret[0] = '\0';
	return -ENODEV;
}

/* Reads a property of the node at w->path. */
static int read_property(
	struct walk *w, const char *name, char **ret_data, size_t *ret_size)
{
	char path[PATH_MAX];
	int r = t1s_path(path, w->path, "/%s", name);

	if (r < 0)
		return r;
	return t1s_read_file(path, PROPERTY_MAX_BYTES, ret_data, ret_size, NULL);
}

static bool node_enabled(struct walk *w)
{
	cleanup_free char *status = NULL;
	size_t size;
	int r = read_property(w, "status", &status, &size);

	if (r == -ENOENT)
		return true;
	return r == 0 && (strcmp(status, "okay") == 0 || strcmp(status, "ok") == 0);
}

static int node_chip_select(struct walk *w)
{
	cleanup_free char *reg = NULL;
	size_t size;

	if (read_property(w, "reg", &reg, &size) < 0)
		return -1;
	return t1s_dt_chip_select(reg, size);
}

/* Notes the node at w->path if it is the one that is meant, or close to it. */
static void consider(struct walk *w, const char *compatible, size_t size,
	const char *controller, bool enabled)
{
	const char *path = w->path + w->base;
	char first[T1S_COMPATIBLE_MAX];
	int chip_select;

	if (!t1s_dt_has_string(compatible, size, w->match->compatible))
		return;
	chip_select = node_chip_select(w);
	t1s_dt_first_string(compatible, size, first, sizeof(first));
	if (!enabled ||
		(w->match->chip_select >= 0 && chip_select != w->match->chip_select)) {
		t1s_dt_add_candidate(w->others, path, first, chip_select,
			enabled ? NULL : "switched off");
		return;
	}
	t1s_dt_add_candidate(w->matching, path, first, chip_select, NULL);
	if (w->count++ > 0)
		return;
	memcpy(w->found.path, path, strlen(path) + 1);
	memcpy(w->found.compatible, first, sizeof(first));
	t1s_dt_first_string(controller, strlen(controller), w->found.controller,
		sizeof(w->found.controller));
	w->found.chip_select = chip_select;
}

static int walk_node(struct walk *w, unsigned int depth, const char *controller);

/* Goes into each node below w->path. */
static int walk_children(struct walk *w, unsigned int depth, const char *controller)
{
	size_t length = strlen(w->path);
	cleanup_closedir DIR *d = opendir(w->path);
	struct dirent *entry;

	if (!d)
		return errno == ENOENT ? 0 : -errno; /* an overlay was just removed */
	while ((entry = readdir(d))) {
		struct stat st;
		size_t n = strlen(entry->d_name);
		int r;

		if (entry->d_name[0] == '.' || length + 1 + n >= sizeof(w->path))
			continue;
		w->path[length] = '/';
		memcpy(w->path + length + 1, entry->d_name, n + 1);
		if (entry->d_type == DT_DIR ||
			(entry->d_type == DT_UNKNOWN && lstat(w->path, &st) == 0 &&
				S_ISDIR(st.st_mode))) {
			r = walk_node(w, depth + 1, controller);
			if (r < 0)
				return r;
		}
		w->path[length] = '\0';
	}
	return 0;
}

/* @controller: the parent's first compatible string. */
static int walk_node(struct walk *w, unsigned int depth, const char *controller)
{
	cleanup_free char *compatible = NULL;
	char first[T1S_COMPATIBLE_MAX] = "";
	size_t size = 0;
	bool enabled;

	if (depth > DEPTH_MAX)
		return -ELOOP;
	enabled = node_enabled(w);
	if (read_property(w, "compatible", &compatible, &size) == 0) {
		consider(w, compatible, size, controller, enabled);
		t1s_dt_first_string(compatible, size, first, sizeof(first));
	}
	/* the kernel makes no devices of what lies below a node that is off */
	return enabled ? walk_children(w, depth, first) : 0;
}

static int no_such_node(const struct walk *w, struct t1s_error *e)
{
	char where[T1S_DT_CHIP_SELECT_TEXT_MAX];

	t1s_dt_chip_select_text(w->match->chip_select, where);
	return t1s_error_set(e, ENOENT,
		"the live device tree has no enabled node with compatible \"%s\" on %s "
		"(found: %s); check that the overlay is loaded (dtoverlay= in "
		"config.txt, or "
		"the HAT's EEPROM) and that ChipSelect= and Compatible= name this chip",
		w->match->compatible, where, w->others[0] ? w->others : "none like it");
}

static int read_frequency(struct walk *w, struct t1s_error *e)
{
	cleanup_free char *value = NULL;
	size_t size;
	int r;

	w->path[w->base] = '\0';
	memcpy(w->path + w->base, w->found.path, strlen(w->found.path) + 1);
	r = read_property(w, w->match->property, &value, &size);
	if (r < 0)
		return t1s_error_set(e, EINVAL,
			"node %s of the live device tree has no readable property %s: %s",
			w->found.path, w->match->property, strerror(-r));
	if (size != 4)
		return t1s_error_set(e, EINVAL,
			"property %s of node %s in the live device tree has %zu bytes, 4 "
			"were expected",
			w->match->property, w->found.path, size);
	w->found.freq_hz = t1s_dt_u32(value);
	return 0;
}

int t1s_live_find(const char *root, const struct t1s_node_match *match,
	struct t1s_live_node *ret, struct t1s_error *e)
{
	struct walk w = {.match = match};
	int r = tree_folder(root, w.path);

	if (r < 0)
		return t1s_error_set(e, ENODEV,
			"there is no device tree (neither %s/proc/device-tree nor "
			"%s/sys/firmware/devicetree/base): this runs on a Raspberry Pi",
			root, root);
	w.base = strlen(w.path);
	r = walk_node(&w, 0, "");
	if (r < 0)
		return t1s_error_set(e, -r, "cannot read the live device tree at %s: %s",
			w.path, strerror(-r));
	if (w.count == 0)
		return no_such_node(&w, e);
	if (w.count > 1)
		return t1s_error_set(e, ENOTUNIQ,
			"%u nodes of the live device tree match compatible \"%s\": %s; "
			"say "
			"which with ChipSelect=",
			w.count, match->compatible, w.matching);
	r = read_frequency(&w, e);
	if (r < 0)
		return r;
	*ret = w.found;
	return 0;
}

/* One property of the root or of /chosen as text. */
static int read_text(const char *root, const char *property, char *ret, unsigned int size)
{
	char folder[PATH_MAX], path[PATH_MAX];

	ret[0] = '\0';
	if (tree_folder(root, folder) < 0 || t1s_path(path, folder, "/%s", property) < 0)
		return -ENOENT;
	if (t1s_read_line_file(path, ret, size, NULL) < 0) {
		ret[0] = '\0';
		return -ENOENT;
	}
	return 0;
}

void t1s_live_model(const char *root, char ret[T1S_MODEL_MAX])
{
	(void)read_text(root, "model", ret, T1S_MODEL_MAX);
}

void t1s_live_board(const char *root, char ret[T1S_COMPATIBLE_MAX])
{
	cleanup_free char *compatible = NULL;
	char folder[PATH_MAX], path[PATH_MAX];
	size_t size;

	ret[0] = '\0';
	if (tree_folder(root, folder) < 0 || t1s_path(path, folder, "/compatible") < 0)
		return;
	if (t1s_read_file(path, PROPERTY_MAX_BYTES, &compatible, &size, NULL) < 0)
		return;
	t1s_dt_first_string(compatible, size, ret, T1S_COMPATIBLE_MAX);
}

int t1s_live_chosen(const char *root, const char *property, char *ret, unsigned int size)
{
	char below[PATH_MAX];

	ret[0] = '\0';
	if (t1s_path(below, "chosen", "/%s", property) < 0)
		return -ENOENT;
	return read_text(root, below, ret, size);
}
