/* SPDX-License-Identifier: MIT */
/*
 * What must be right before a sweep is begun, looked at with the functions that the sweep
 * itself uses, so that the two never disagree. Changes nothing.
 */
#pragma once

#include "base/error.h"
#include "base/terminal.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

enum t1s_check_group {
	T1S_CHECK_CONFIGURATION,
	T1S_CHECK_SENDER,
	T1S_CHECK_LINK,
	T1S_CHECK_TREE,
	T1S_CHECK_STORAGE,
	T1S_CHECK_MACHINE,
	T1S_CHECK_SERVICE,
	T1S_CHECK_GROUP_MAX,
};

enum t1s_check_mark {
	T1S_CHECK_GOOD,
	T1S_CHECK_NOTE, /* not known, or it bears on the results: worth a look */
	T1S_CHECK_BAD,  /* a sweep would stop, or what it measures would be of no use */
	T1S_CHECK_MARK_MAX,
};

struct t1s_check_item {
	enum t1s_check_group group;
	enum t1s_check_mark mark;
	const char *name; /* "overlay"; unique within its group */
	char found[T1S_ERROR_TEXT_MAX];
	char remedy[512]; /* a command to type; "" where nothing needs one */
};

/* "Device tree and boot", "device-tree". */
const char *t1s_check_group_title(enum t1s_check_group g);
const char *t1s_check_group_key(enum t1s_check_group g);

/* "good", "note", "bad". */
const char *t1s_check_mark_name(enum t1s_check_mark m);

struct t1s_check_result {
	unsigned int of[T1S_CHECK_MARK_MAX];
	bool armed;     /* the unit is enabled */
	bool under_way; /* a sweep has begun and not ended */
};

/*
 * Looks at everything, in the order of the groups. Every wait is bounded; with a sender
 * that is not there it takes 15 s.
 * @root: a tree without a boot id is a card at rest: what only a running machine has is
 * left out, with a word. @config_path: --config=FILE, or NULL.
 * @trial: also send one second of the first workload over the link.
 * @fn: called for each item as it is found. The caller must have one thread only.
 */
void t1s_check_run(const char *root, const char *config_path, bool trial,
	void (*fn)(const struct t1s_check_item *item, void *data), void *data,
	struct t1s_check_result *ret);

/* The text, item by item, wrapped on a terminal, else one line each; @previous: group of
 * the item before, T1S_CHECK_GROUP_MAX at the first. */
void t1s_check_write_item(FILE *out, const struct t1s_terminal *t,
	enum t1s_check_group previous, const struct t1s_check_item *item);

/* What to do next, in one line. */
void t1s_check_write_end(
	FILE *out, const struct t1s_terminal *t, const struct t1s_check_result *result);

/* All of it as JSON, see t1s-sweep(8). Returns 0, -EIO or -ENOMEM. */
int t1s_check_json(const char *root, const char *config_path, bool trial, FILE *out,
	struct t1s_check_result *ret);
