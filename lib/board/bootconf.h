/* SPDX-License-Identifier: MIT */
/*
 * The Raspberry Pi firmware's view: where the boot partition is, which overlay file it
 * loads under a name, and whether config.txt sets a parameter that shadows the value in
 * the blob.
 */
#pragma once

#include "base/error.h"

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

/* The boot partition's mount point, with @root in front: ROOT/boot/firmware where that
 * folder exists, else ROOT/boot. Returns 0, or -ENOENT if neither is there. */
int t1s_boot_folder(const char *root, char ret[PATH_MAX], struct t1s_error *e);

/*
 * The file the firmware loads for "dtoverlay=NAME":
 * BOOT/${os_prefix}${overlay_prefix}NAME.dtbo, with the prefixes the live tree's /chosen
 * holds ("" and "overlays/" where it tells none). Returns 0 or a negative errno; whether
 * the file exists is not checked.
 */
int t1s_boot_overlay_path(
	const char *root, const char *name, char ret[PATH_MAX], struct t1s_error *e);

struct t1s_boot_shadow {
	bool named;        /* a dtoverlay= line names the overlay */
	bool shadowed;     /* and a parameter sets the property */
	bool conditional;  /* that line stands under a section filter that may not apply
			      here */
	char file[128];    /* below the boot folder: "config.txt" or an included file */
	unsigned int line; /* 1-based */
	char text[256];    /* that line */
};

/*
 * Reads config.txt and what it includes, as the firmware does: [section] filters ([all],
 * [none] and the board filters are decided, with others the line counts as conditional),
 * "include FILE", "dtoverlay=NAME,param=value,…" and "dtparam=param=value" lines that
 * follow it (an empty "dtoverlay=" ends its reach).
 * @boot_folder: as t1s_boot_folder returned it. @board: the tree's compatible.
 * @params, @count: names that shadow, see t1s_overlay_shadowing_params.
 * Returns 0 (no config.txt: nothing named), -ELOOP if includes nest too deep, or a
 * reading error.
 */
int t1s_boot_shadow(const char *boot_folder, const char *board, const char *name,
	const char params[][64], size_t count, struct t1s_boot_shadow *ret,
	struct t1s_error *e);
