/* SPDX-License-Identifier: MIT */
/*
 * The table of configuration keys: one place for the parser, the range and the words that
 * describe what is allowed. Only for config*.c and their tests; sweep/config.h is the
 * door.
 */
#pragma once

#include "sweep/config.h"

#include <stddef.h>

struct t1s_config_key;

/* Reads @value into @field. Returns 0, -EINVAL (no such value) or -ERANGE. */
typedef int (*t1s_value_parser)(
	const struct t1s_config_key *k, const char *value, void *field);

struct t1s_config_key {
	const char *section;
	const char *key;
	t1s_value_parser parse;
	/* in struct t1s_config, for the section Workload in struct t1s_workload */
	size_t offset;
	size_t size;
	uint64_t min, max;                   /* of numbers, in the field's unit */
	bool may_be_empty;                   /* "Key=" gives the default */
	bool (*is_valid)(const char *value); /* of texts */
	const char *const *names;            /* of choices */
	const char *allowed;                 /* "expected …" */
};

/* What stands for keys that are not set, until the chip is known. */
#define T1S_LINK_RATE_BY_CHIP 0.0
#define T1S_PLCA_OVERHEAD_BY_CHIP UINT32_MAX

/* The defaults with these, and what replaces these by what Compatible= gives. An unknown
 * chip has no link rate, and no PLCA. UDP without a rate gets one. */
void t1s_config_unresolved(struct t1s_config *ret);
void t1s_config_resolve(struct t1s_config *c);

#define T1S_WORKLOAD_SECTION "Workload"

#define T1S_CONFIG_KEYS_MAX 64

extern const struct t1s_config_key t1s_config_keys[];
extern const size_t t1s_config_keys_count;

void t1s_workload_defaults(const char *name, struct t1s_workload *ret);

/* Whether it can name a workload or an overlay: printable, no '/', no '.' in front, fits
 * into @size. */
bool t1s_is_label(const char *value, size_t size);

/*
 * Sets one key. @base: the struct t1s_config or struct t1s_workload that holds it;
 * @defaults: one of the same kind, for an empty value. Returns 0, -EINVAL or -ERANGE.
 */
int t1s_config_key_set(const struct t1s_config_key *k, const char *value, void *base,
	const void *defaults);

/* The problems of one load: the first is told, the others are counted. */
struct t1s_config_problems {
	struct t1s_error *first;
	unsigned int count;
};

void t1s_config_problem(struct t1s_config_problems *p, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* What must be set, and what must fit together, before a sweep may begin. @where: the
 * file to name. */
void t1s_config_check(
	const struct t1s_config *c, const char *where, struct t1s_config_problems *p);

/* What several files are read into, one over the other. */
struct t1s_config_target {
	struct t1s_config config;
	struct t1s_config_problems problems;
	bool has_workloads; /* a [Workload …] section was seen */
};

/* Reads one file; what is wrong in it becomes problems. @shown: its path for the person.
 * Returns 0 or a reading error. */
int t1s_config_read_file(const char *path, const char *shown, struct t1s_config_target *t,
	struct t1s_error *e);

/* What may have been meant by an unknown key of a section or, without one, by an unknown
 * section: goes behind "unknown key", and ends with a point or a question mark. */
void t1s_config_hint(const char *section, const char *found, char *ret, size_t size);

/* "Host=, User=, …" of a section or, without one, "[Sender], [Receiver], …". */
void t1s_config_list_names(const char *section, char *ret, size_t size);
