/* SPDX-License-Identifier: MIT */
/* Overlay blobs for tests: the compiled ones, and some that dtc would not make. */
#pragma once

#include "board/overlay.h"

#define OUR_CS0 T1S_TEST_BUILD "/overlays/lan8650-spi0-cs0.dtbo"
#define TWO_CHIPS T1S_TEST_BUILD "/tests/unit/board/two-chips.dtbo"
#define FREQUENCY "spi-max-frequency"

/* Loads a blob; the test fails if that is impossible. */
void blob_load(const char *path, struct t1s_overlay *ret);

/* Its node with chip select @chip_select. */
void blob_find(
	const struct t1s_overlay *o, int chip_select, struct t1s_overlay_node *ret);

/* Makes a blob by calling @fill between the root node's begin and end. */
void blob_make(void (*fill)(void *blob), struct t1s_overlay *ret);
