/* SPDX-License-Identifier: MIT */
/* The overlay blob: what t1s_overlay_check() lets pass must be safe for all the others.
 */
#include "fuzz.h"

#include "base/cleanup.h"
#include "board/overlay.h"

#include <errno.h>
#include <string.h>

#define PROPERTY "spi-max-frequency"

/* With the value that it has, the digest is the blob's own. */
static void check_digest(const struct t1s_overlay *o, const struct t1s_overlay_node *node)
{
	char own[T1S_SHA256_HEX_MAX], with[T1S_SHA256_HEX_MAX];
	struct t1s_error e = {{0}};
	int r = t1s_overlay_digest_with(o, node, node->freq_hz, with, &e);

	if (r < 0) {
		fuzz_require(r == -EINVAL); /* two nodes of one path: refused */
		return;
	}
	fuzz_require(t1s_sha256_hex(o->blob, o->size, own) == 0);
	fuzz_require(strcmp(own, with) == 0);
}

static void check_node(const struct t1s_overlay *o, const struct t1s_overlay_node *node)
{
	char params[T1S_OVERLAY_PARAMS_MAX][64];
	struct t1s_error e = {{0}};
	int r;

	fuzz_require(node->path[0] == '/');
	fuzz_require(node->offset <= o->size && o->size - node->offset >= 4);
	fuzz_require(node->chip_select >= -1 && node->chip_select <= 255);
	check_digest(o, node);
	r = t1s_overlay_shadowing_params(
		o, node->path, PROPERTY, params, T1S_OVERLAY_PARAMS_MAX, &e);
	fuzz_require(r <= T1S_OVERLAY_PARAMS_MAX);
	for (int i = 0; i < r; i++)
		fuzz_require(strnlen(params[i], sizeof(params[i])) < sizeof(params[i]));
}

static void look(const struct t1s_overlay *o)
{
	static struct t1s_overlay_node nodes[T1S_OVERLAY_NODES_MAX];
	struct t1s_node_match m = {
		.compatible = "microchip,lan8650", .property = PROPERTY};
	struct t1s_error e = {{0}};
	int n = t1s_overlay_nodes(o, PROPERTY, nodes, T1S_OVERLAY_NODES_MAX, &e);

	fuzz_require(n <= T1S_OVERLAY_NODES_MAX);
	for (int i = 0; i < n; i++)
		check_node(o, &nodes[i]);
	for (m.chip_select = T1S_CHIP_SELECT_ANY; m.chip_select < 2; m.chip_select++) {
		struct t1s_overlay_node found;
		int r = t1s_overlay_find(o, &m, &found, &e);

		if (r == 0)
			check_node(o, &found);
		else
			fuzz_require(r == -ENOENT || r == -ENOTUNIQ || r == -EBADMSG);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct t1s_error e = {{0}};
	cleanup_free void *blob = fuzz_exact((struct fuzz_part){data, size});
	struct t1s_overlay o = {.blob = blob, .size = size};
	int r = t1s_overlay_check(blob, size, &e);

	if (r < 0)
		fuzz_check_failure(r, &e);
	else
		look(&o);
	return 0;
}
