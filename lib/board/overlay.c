/* SPDX-License-Identifier: MIT */
#include "board/overlay.h"

#include "base/cleanup.h"
#include "base/file.h"
#include "board/dtprop.h"

#include <errno.h>
#include <libfdt.h>
#include <string.h>

#define DEPTH_MAX 32

void t1s_overlay_done(struct t1s_overlay *o)
{
	free(o->blob);
	o->blob = NULL;
	o->size = 0;
}

static int bad_blob(struct t1s_error *e, const char *why)
{
	return t1s_error_set(e, EBADMSG,
		"no valid device tree overlay blob: %s; put the original .dtbo back",
		why);
}

int t1s_overlay_check(const void *blob, size_t size, struct t1s_error *e)
{
	int r;

	if (size < sizeof(struct fdt_header) || size > T1S_OVERLAY_MAX_BYTES)
		return bad_blob(e, "its size cannot be");
	r = fdt_check_header(blob);
	if (r < 0)
		return bad_blob(e, fdt_strerror(r));
	/* on a truncated file, libfdt may answer "not found" instead of an error */
	if (fdt_totalsize(blob) > size)
		return bad_blob(e, "the file is truncated");
	if (fdt_version(blob) < 17)
		return bad_blob(e, "its version is older than 17");
	if (fdt_off_dt_struct(blob) % 4 != 0 || fdt_off_mem_rsvmap(blob) % 8 != 0)
		return bad_blob(e, "its blocks are not aligned");
	r = fdt_check_full(blob, size);
	if (r < 0)
		return bad_blob(e, fdt_strerror(r));
	return 0;
}

int t1s_overlay_load(const char *path, struct t1s_overlay *ret, struct t1s_error *e)
{
	cleanup_free char *data = NULL;
	size_t size;
	int r = t1s_read_file(path, T1S_OVERLAY_MAX_BYTES, &data, &size, e);

	if (r < 0)
		return r;
	r = t1s_overlay_check(data, size, e);
	if (r < 0)
		return t1s_error_prefix(e, r, "%s", path);
	ret->blob = (unsigned char *)t1s_steal(data);
	ret->size = size;
	return 0;
}

/* One node with the property; @offset: libfdt's, for more of its properties. */
typedef int (*node_fn)(const struct t1s_overlay *o, const struct t1s_overlay_node *node,
	int offset, void *data);

/* Fills @ret and returns true if the node has the property with 4 bytes. */
static bool read_node(const struct t1s_overlay *o, int offset, const char *property,
	struct t1s_overlay_node *ret)
{
	int length;
	const unsigned char *value = fdt_getprop(o->blob, offset, property, &length);
	const char *text;

	if (!value || length != 4)
		return false;
	ret->freq_hz = t1s_dt_u32(value);
	ret->offset = (size_t)(value - o->blob);
	text = fdt_getprop(o->blob, offset, "compatible", &length);
	t1s_dt_first_string(text, text ? (size_t)length : 0, ret->compatible,
		sizeof(ret->compatible));
	value = fdt_getprop(o->blob, offset, "reg", &length);
	ret->chip_select = t1s_dt_chip_select(value, value ? (size_t)length : 0);
	return true;
}

/* Appends "/NAME" at the length of the parent's path; the root's own path is "/". */
static int append_name(const struct t1s_overlay *o, int offset, int depth,
	size_t lengths[DEPTH_MAX], char *path, size_t size)
{
	int n;
	const char *name = fdt_get_name(o->blob, offset, &n);
	size_t used = depth > 0 ? lengths[depth - 1] : 0;

	if (!name || n < 0)
		return -EBADMSG;
	if (used + (size_t)n + 2 > size)
		return -ENAMETOOLONG;
	path[used] = '/';
	memcpy(path + used + 1, name, (size_t)n + 1);
	lengths[depth] = depth > 0 ? used + 1 + (size_t)n : 0;
	return 0;
}

/* Calls @fn for each node with the property until it returns non-zero. */
static int for_each_node(const struct t1s_overlay *o, const char *property, node_fn fn,
	void *data, struct t1s_error *e)
{
	struct t1s_overlay_node node;
	size_t lengths[DEPTH_MAX];
	int depth = -1;
	int offset = fdt_next_node(o->blob, -1, &depth);

	for (; offset >= 0 && depth >= 0;
		offset = fdt_next_node(o->blob, offset, &depth)) {
		int r;

		if (depth >= DEPTH_MAX)
			return bad_blob(e, "its nodes nest too deep");
		r = append_name(o, offset, depth, lengths, node.path, sizeof(node.path));
		if (r < 0)
			return bad_blob(e, "a node's path is too long or has no name");
		if (!read_node(o, offset, property, &node))
			continue;
		r = fn(o, &node, offset, data);
		if (r != 0)
			return r;
	}
	if (offset < 0 && offset != -FDT_ERR_NOTFOUND)
		return bad_blob(e, fdt_strerror(offset));
	return 0;
}

struct listing {
	struct t1s_overlay_node *nodes;
	size_t count, max;
};

static int list_node(const struct t1s_overlay *o, const struct t1s_overlay_node *node,
	int offset, void *data)
{
	struct listing *l = data;

	(void)o;
	(void)offset;
	if (l->count == l->max)
		return -E2BIG;
	l->nodes[l->count++] = *node;
	return 0;
}

int t1s_overlay_nodes(const struct t1s_overlay *o, const char *property,
	struct t1s_overlay_node *ret, size_t max, struct t1s_error *e)
{
	struct listing l = {.nodes = ret, .max = max};
	int r = for_each_node(o, property, list_node, &l, e);

	if (r == -E2BIG)
		return t1s_error_set(e, E2BIG,
			"more than %zu nodes of the overlay have the property %s", max,
			property);
	return r < 0 ? r : (int)l.count;
}

struct finding {
	const struct t1s_node_match *match;
	struct t1s_overlay_node *found;
	unsigned int count;
	char matching[T1S_DT_CANDIDATES_MAX];
	char others[T1S_DT_CANDIDATES_MAX];
};

static int find_node(const struct t1s_overlay *o, const struct t1s_overlay_node *node,
	int offset, void *data)
{
	struct finding *f = data;
	int length;
	const char *list = fdt_getprop(o->blob, offset, "compatible", &length);

	if (!list || !t1s_dt_has_string(list, (size_t)length, f->match->compatible) ||
		(f->match->chip_select >= 0 &&
			node->chip_select != f->match->chip_select)) {
		t1s_dt_add_candidate(
			f->others, node->path, node->compatible, node->chip_select, NULL);
		return 0;
	}
	t1s_dt_add_candidate(
		f->matching, node->path, node->compatible, node->chip_select, NULL);
	if (f->count++ == 0)
		*f->found = *node;
	return 0;
}

int t1s_overlay_find(const struct t1s_overlay *o, const struct t1s_node_match *match,
	struct t1s_overlay_node *ret, struct t1s_error *e)
{
	struct t1s_overlay_node found;
	struct finding f = {.match = match, .found = &found};
	char where[T1S_DT_CHIP_SELECT_TEXT_MAX];
	int r = for_each_node(o, match->property, find_node, &f, e);

	if (r < 0)
		return r;
	t1s_dt_chip_select_text(match->chip_select, where);
	if (f.count == 0)
		return t1s_error_set(e, ENOENT,
			"the overlay has no node with compatible \"%s\" on %s and the "
			"property %s (nodes with the property: %s); check Compatible= "
			"and "
			"ChipSelect=, or name another file with OverlayFile=",
			match->compatible, where, match->property,
			f.others[0] ? f.others : "none");
	if (f.count > 1)
		return t1s_error_set(e, ENOTUNIQ,
			"%u nodes of the overlay match compatible \"%s\" on %s: %s; say "
			"which "
			"with ChipSelect=",
			f.count, match->compatible, where, f.matching);
	*ret = found;
	return 0;
}

/* Length of the text at the front of what is left, with its 0 byte; 0 if not ended. */
static size_t text_length(const char *p, size_t left)
{
	size_t n = strnlen(p, left);

	return n < left ? n + 1 : 0;
}

/* Where the property's name ends in a declaration such as "spi-max-frequency:0". */
static size_t declared_name_length(const char *declaration)
{
	return strcspn(declaration, ".;:#?![{=");
}

/*
 * Steps over one declaration behind its phandle: the text and, for integers, a cell
 * behind a text that ends in '=' and the further texts of a lookup table "{…}" that such
 * cells have cut up. Returns the bytes taken, or 0 if the property ends too early.
 */
static size_t declaration_length(const char *p, size_t left)
{
	size_t taken = text_length(p, left);
	size_t n = taken;
	const char *text = p;

	if (n == 0 || !strchr(".;:#", p[declared_name_length(p)]))
		return n;
	while (n >= 2 && text[n - 2] == '=') {
		if (left - taken < 4)
			return 0;
		taken += 4;
		if (!strchr(p, '{'))
			break;
		text = p + taken;
		n = text_length(text, left - taken);
		if (n == 0)
			return 0;
		taken += n;
	}
	return taken;
}

/* Whether a declaration such as "spi-max-frequency:0" is about @property. */
static bool declares(const char *declaration, const char *property)
{
	size_t n = declared_name_length(declaration);

	return n == strlen(property) && memcmp(declaration, property, n) == 0;
}

/* Returns 1 if the parameter rewrites @property of the node @phandle, 0 if it does not,
 * -EBADMSG if it cannot be read. */
static int rewrites(
	const char *value, size_t size, uint32_t phandle, const char *property)
{
	while (size > 0) {
		uint32_t target;
		size_t n;

		if (size < 4)
			return -EBADMSG;
		target = t1s_dt_u32(value);
		value += 4;
		size -= 4;
		n = declaration_length(value, size);
		if (n == 0)
			return -EBADMSG;
		if (target == phandle && declares(value, property))
			return 1;
		value += n;
		size -= n;
	}
	return 0;
}

int t1s_overlay_shadowing_params(const struct t1s_overlay *o, const char *node_path,
	const char *property, char ret[][64], size_t max, struct t1s_error *e)
{
	int node = fdt_path_offset(o->blob, node_path);
	int overrides = fdt_path_offset(o->blob, "/__overrides__");
	uint32_t phandle;
	size_t count = 0;
	int p;

	if (node < 0)
		return t1s_error_set(e, ENOENT, "the overlay has no node %s", node_path);
	phandle = fdt_get_phandle(o->blob, node);
	if (overrides < 0 || phandle == 0 || phandle == UINT32_MAX)
		return 0; /* no parameters, or none can refer to this node */
	fdt_for_each_property_offset(p, o->blob, overrides)
	{
		const char *name;
		int size, r;
		const char *value = fdt_getprop_by_offset(o->blob, p, &name, &size);

		if (!value)
			return bad_blob(e, fdt_strerror(size));
		/* overlays carry their parameters' own phandle and the like here too */
		if (strcmp(name, "phandle") == 0)
			continue;
		r = rewrites(value, (size_t)size, phandle, property);
		if (r < 0 || (r > 0 && strlen(name) >= sizeof(ret[0])))
			return bad_blob(e, "a parameter in __overrides__ is unreadable");
		if (r == 0)
			continue;
		if (count == max)
			return t1s_error_set(e, E2BIG,
				"more than %zu parameters of the overlay set %s", max,
				property);
		memcpy(ret[count++], name, strlen(name) + 1);
	}
	return (int)count;
}
