/* SPDX-License-Identifier: MIT */
/*
 * The overlay blob (.dtbo): finding the requested frequency in it and setting it in
 * place. The only place where libfdt is used; its errors become ours here.
 */
#pragma once

#include "base/digest.h"
#include "base/error.h"
#include "board/livetree.h"

#include <stddef.h>
#include <stdint.h>

#define T1S_OVERLAY_MAX_BYTES ((size_t)1024 * 1024) /* a .dtbo is a few KiB */
#define T1S_OVERLAY_NODES_MAX 32
#define T1S_OVERLAY_PARAMS_MAX 16

struct t1s_overlay_node {
	char path[512];                      /* in the blob */
	char compatible[T1S_COMPATIBLE_MAX]; /* first string */
	int chip_select;                     /* -1 if the node has no reg */
	uint32_t freq_hz;
	size_t offset; /* of the 4 bytes in the file */
};

struct t1s_overlay {
	unsigned char *blob; /* the whole file as read */
	size_t size;
};

/* Releases what t1s_overlay_load returned; for use with cleanup_(). */
void t1s_overlay_done(struct t1s_overlay *o);

/*
 * Checks a blob in memory (8-aligned): magic, version 17, totalsize within @size, blocks
 * aligned, structure walked to its end. What passes is safe for the functions below.
 * Returns 0 or -EBADMSG.
 */
int t1s_overlay_check(const void *blob, size_t size, struct t1s_error *e);

/*
 * Reads a blob and checks it as above. Returns 0, -EBADMSG if it is no valid blob, or
 * t1s_read_file's errors. @ret is to be released by t1s_overlay_done.
 */
int t1s_overlay_load(const char *path, struct t1s_overlay *ret, struct t1s_error *e);

/*
 * Lists every node that has @property with 4 bytes. Returns the number of nodes,
 * -EBADMSG, or -E2BIG if there are more than @max (the first @max are in @ret then).
 */
int t1s_overlay_nodes(const struct t1s_overlay *o, const char *property,
	struct t1s_overlay_node *ret, size_t max, struct t1s_error *e);

/*
 * Finds the one node that matches (compatible: any of the node's strings; chip select)
 * and has the property with 4 bytes. Returns 0, -ENOENT, -ENOTUNIQ with the candidates in
 * the text, or -EBADMSG.
 */
int t1s_overlay_find(const struct t1s_overlay *o, const struct t1s_node_match *match,
	struct t1s_overlay_node *ret, struct t1s_error *e);

/*
 * Names of the overlay's parameters (its __overrides__) that rewrite @property of the
 * node at @node_path while the firmware loads it: with one of these in config.txt, the
 * value in the blob is shadowed. Returns their number, -EBADMSG if the parameters cannot
 * be read, -ENOENT if there is no such node, or -E2BIG if there are more than @max.
 */
int t1s_overlay_shadowing_params(const struct t1s_overlay *o, const char *node_path,
	const char *property, char ret[][64], size_t max, struct t1s_error *e);

/*
 * SHA-256 of the blob as it would be with @freq_hz at @node: tells whether anything but
 * our four bytes was changed. Returns 0, -EIO if libcrypto refuses, -ENOMEM, or -EINVAL
 * if
 * @node is not of this blob.
 */
int t1s_overlay_digest_with(const struct t1s_overlay *o,
	const struct t1s_overlay_node *node, uint32_t freq_hz,
	char ret[T1S_SHA256_HEX_MAX], struct t1s_error *e);

/*
 * Sets the value in the file, in place: a write of 4 bytes, which a 4-aligned cell keeps
 * within one sector; fdatasync, which writes no other; read back past the page cache;
 * everything else compared with @o. No write if the value is there already (fdatasync and
 * comparison are done all the same, in case an earlier try was cut short). @o's own copy
 * is brought up to date.
 * Returns 0; -ESTALE if the file is neither what @o was loaded from nor what it is to
 * become; -EINVAL if @node is not of this blob; -EIO if what was read back differs;
 * -EROFS, -ENOSPC, -ELOOP (a link) and others as the system said.
 */
int t1s_overlay_set(const char *path, struct t1s_overlay *o,
	const struct t1s_overlay_node *node, uint32_t freq_hz, struct t1s_error *e);

/*
 * Keeps a pristine copy beside the overlay (PATH.t1s-orig): written and fsynced under its
 * name, read back. For vfat: no rename. What has the name and is no whole overlay (torn
 * by a power cut) is replaced; another overlay is left alone, since it may be the only
 * original there is. Returns 0; -EEXIST if there is such another one; -EIO if what was
 * read back differs, -EROFS, -ENOSPC and others as the system said (a half-written copy
 * is removed then).
 */
int t1s_overlay_keep_pristine(
	const char *path, const struct t1s_overlay *o, struct t1s_error *e);

/* Removes the pristine copy; none there is success. */
int t1s_overlay_drop_pristine(const char *path, struct t1s_error *e);
