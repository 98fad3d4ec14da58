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
 * holds ("" and "overlays/" where it tells none). Both are text and need not end in a
 * slash. As the firmware does, os_prefix is left out unless
 * BOOT/${os_prefix}${overlay_prefix}README exists.
 * Returns 0, -ENOENT (no boot folder) or -EINVAL (a prefix leads out of the boot folder,
 * or
 * @name is no plain name); whether the file exists is not checked.
 */
int t1s_boot_overlay_path(
	const char *root, const char *name, char ret[PATH_MAX], struct t1s_error *e);

struct t1s_boot_shadow {
	bool named;        /* a dtoverlay= line names the overlay */
	bool shadowed;     /* a parameter sets the property */
	bool conditional;  /* whether the line applies here cannot be told: it stands
			      under such a section filter, the parameter lies behind
			      the 98 characters the firmware promises to read, or (not
			      named) it sets the overlay of a HAT's EEPROM if that is
			      ours */
	char file[128];    /* below the boot folder: "config.txt" or an included file */
	unsigned int line; /* 1-based */
	char text[256];    /* that line: the one that shadows, else the one that names */
};

/*
 * Reads config.txt and what it includes, as the firmware does: [section] filters ([all],
 * [none] and the board filters are decided, with others the line counts as conditional),
 * "include FILE", "dtoverlay=NAME,param=value,…" (also "NAME:param=value") and
 * "dtparam=param=value" lines that follow it (any other "dtoverlay=" ends its reach). A
 * dtparam= line before the first dtoverlay= goes to the overlay of a HAT's EEPROM. Of
 * several lines the one that shadows most surely is returned.
 * @boot_folder: as t1s_boot_folder returned it. @board: the tree's compatible, "" if not
 * known (board filters are undecided then).
 * @params, @count: names that shadow, see t1s_overlay_shadowing_params.
 * Returns 0 (no config.txt: nothing named; an included file that is missing is passed
 * over), -ELOOP if includes nest too deep or are too many, or a reading error.
 */
int t1s_boot_shadow(const char *boot_folder, const char *board, const char *name,
	const char params[][64], size_t count, struct t1s_boot_shadow *ret,
	struct t1s_error *e);
