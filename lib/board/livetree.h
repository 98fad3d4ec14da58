/* SPDX-License-Identifier: MIT */
/*
 * The live device tree: what the kernel was really given at this boot. Nodes are found
 * by compatible and chip select, never by a fixed path, since the tree differs per board.
 */
#pragma once

#include "base/error.h"

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>

#define T1S_COMPATIBLE_MAX 128
#define T1S_MODEL_MAX 128
#define T1S_CHIP_SELECT_ANY (-1)

/* Which node is meant, in the live tree as in an overlay. */
struct t1s_node_match {
	char compatible[T1S_COMPATIBLE_MAX]; /* one of the node's compatible strings */
	int chip_select;                     /* its reg, or T1S_CHIP_SELECT_ANY */
	char property[64];                   /* "spi-max-frequency" */
};

struct t1s_live_node {
	char path[PATH_MAX]; /* in the tree: "/soc/spi@7e204000/ethernet@0" */
	char compatible[T1S_COMPATIBLE_MAX]; /* its first compatible string */
	char controller[T1S_COMPATIBLE_MAX]; /* the SPI controller's first compatible
						string */
	int chip_select;
	uint32_t freq_hz; /* requested frequency: the value of the property */
};

/*
 * Finds the one matching node that is not disabled (status absent, "okay" or "ok", and so
 * for all nodes above it) and reads its property (4 bytes, big endian).
 * The tree is ROOT/proc/device-tree or, where that is missing, what it links to,
 * ROOT/sys/firmware/devicetree/base; with a root, a link in these places is not followed.
 * Returns 0; -ENOENT if there is no such node (yet), -ENOTUNIQ if several match (the text
 * lists them), -EINVAL if the property is missing or not 4 bytes long, -ENODEV if there
 * is no device tree at all, -ELOOP if nodes nest deeper than 32, or a reading error.
 */
int t1s_live_find(const char *root, const struct t1s_node_match *match,
	struct t1s_live_node *ret, struct t1s_error *e);

/* Board model ("Raspberry Pi 4 Model B Rev 1.4") as the tree tells it; "" if it does not.
 */
void t1s_live_model(const char *root, char ret[T1S_MODEL_MAX]);

/* The first compatible string of the tree's root node ("raspberrypi,4-model-b"); "" if
 * none. */
void t1s_live_board(const char *root, char ret[T1S_COMPATIBLE_MAX]);

/*
 * One property of /chosen as text, as the Raspberry Pi firmware leaves "os_prefix" and
 * "overlay_prefix" there. Returns 0 or -ENOENT; @ret is "" then.
 */
int t1s_live_chosen(const char *root, const char *property, char *ret, unsigned int size);
