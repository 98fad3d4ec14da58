/* SPDX-License-Identifier: MIT */
#include "blob.h"

#include <libfdt.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

#define MADE_MAX_BYTES 65536

void blob_load(const char *path, struct t1s_overlay *ret)
{
	struct t1s_error e = {0};

	if (t1s_overlay_load(path, ret, &e) < 0)
		fail_msg("%s", e.text);
}

void blob_find(const struct t1s_overlay *o, int chip_select, struct t1s_overlay_node *ret)
{
	const struct t1s_node_match m = {.compatible = "microchip,lan8650",
		.chip_select = chip_select,
		.property = FREQUENCY};
	struct t1s_error e = {0};

	if (t1s_overlay_find(o, &m, ret, &e) < 0)
		fail_msg("%s", e.text);
}

void blob_make(void (*fill)(void *blob), struct t1s_overlay *ret)
{
	unsigned char *blob = calloc(1, MADE_MAX_BYTES);

	assert_non_null(blob);
	assert_int_equal(fdt_create(blob, MADE_MAX_BYTES), 0);
	assert_int_equal(fdt_finish_reservemap(blob), 0);
	assert_int_equal(fdt_begin_node(blob, ""), 0);
	fill(blob);
	assert_int_equal(fdt_end_node(blob), 0);
	assert_int_equal(fdt_finish(blob), 0);
	ret->blob = blob;
	ret->size = fdt_totalsize(blob);
	assert_int_equal(t1s_overlay_check(ret->blob, ret->size, NULL), 0);
}
