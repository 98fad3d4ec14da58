/* SPDX-License-Identifier: MIT */
/*
 * The table of results columns: header, writer and reader all go by it. Only for
 * results-*.c and their tests; sweep/results.h is the door.
 */
#pragma once

#include "sweep/results.h"

#include <stdbool.h>
#include <stddef.h>

enum t1s_field_type {
	T1S_FIELD_TEXT,
	T1S_FIELD_STATUS,
	T1S_FIELD_HZ,       /* uint32_t, 0 is unknown */
	T1S_FIELD_MHZ,      /* the same member again, in MHz */
	T1S_FIELD_COUNT,    /* int64_t, below 0 is unknown */
	T1S_FIELD_FIXED,    /* double, 6 decimals */
	T1S_FIELD_SHORTEST, /* double, as few digits as tell it from its neighbours */
};

struct t1s_field {
	const char *name;
	enum t1s_field_type type;
	size_t offset; /* in struct t1s_row */
	size_t size;
};

/* The columns of the published reference sweep come first. */
#define T1S_REFERENCE_FIELDS 19U

extern const struct t1s_field t1s_fields[];
extern const size_t t1s_fields_count;

/* Largest line of a results file, every text full of quotes. */
#define T1S_ROW_LINE_MAX 16384

/* The header line and a row's line, with their newlines. Returns the length. */
size_t t1s_results_header(char ret[T1S_ROW_LINE_MAX]);
size_t t1s_results_line(const struct t1s_row *row, char ret[T1S_ROW_LINE_MAX]);
