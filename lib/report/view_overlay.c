/* SPDX-License-Identifier: MIT */
#include "base/cleanup.h"
#include "base/log.h"
#include "board/overlay.h"
#include "report/fill.h"
#include "report/views.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>

static int write_json(const struct t1s_overlay_node *nodes, int n, FILE *out)
{
	cleanup_(t1s_json_putp) struct json_object *json = json_object_new_object();
	struct t1s_fill root = {.json = json};
	struct t1s_fill a = {.json = json_object_new_array()};

	if (!json || !a.json)
		return -ENOMEM;
	for (int i = 0; i < n; i++) {
		struct t1s_fill f = {.json = json_object_new_object()};

		if (!f.json)
			return -ENOMEM;
		t1s_fill_text(&f, "path", nodes[i].path);
		t1s_fill_text(&f, "compatible", nodes[i].compatible);
		t1s_fill_known_count(&f, "chip_select", nodes[i].chip_select);
		t1s_fill_count(&f, "spi_max_frequency_hz", nodes[i].freq_hz);
		t1s_fill_count(&f, "offset", (int64_t)nodes[i].offset);
		t1s_fill_append(&a, f.json, f.r);
	}
	t1s_fill_filled(&root, "nodes", &a);
	return t1s_fill_write(&root, out);
}

static int write_text(struct t1s_overlay_node *nodes, int n, FILE *out)
{
	if (n == 0)
		(void)fprintf(out, "no node with this property\n");
	for (int i = 0; i < n; i++) {
		t1s_printable(nodes[i].path);
		t1s_printable(nodes[i].compatible);
		(void)fprintf(out, "%s: %.3f MHz (%" PRIu32 " Hz at byte %zu), %s",
			nodes[i].path, (double)nodes[i].freq_hz / 1e6, nodes[i].freq_hz,
			nodes[i].offset, nodes[i].compatible);
		if (nodes[i].chip_select >= 0)
			(void)fprintf(out, ", chip select %d", nodes[i].chip_select);
		(void)fprintf(out, "\n");
	}
	return fflush(out) == 0 && !ferror(out) ? 0 : -EIO;
}

int t1s_view_overlay(
	const char *path, const char *property, bool json, FILE *out, struct t1s_error *e)
{
	cleanup_(t1s_overlay_done) struct t1s_overlay o = {0};
	struct t1s_overlay_node nodes[T1S_OVERLAY_NODES_MAX];
	int n, r = t1s_overlay_load(path, &o, e);

	if (r < 0)
		return r;
	n = t1s_overlay_nodes(&o, property, nodes, T1S_ELEMENTSOF(nodes), e);
	if (n < 0)
		return n;
	r = json ? write_json(nodes, n, out) : write_text(nodes, n, out);
	return r < 0 ? t1s_error_set(e, -r, "cannot write") : 0;
}
