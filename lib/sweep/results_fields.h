/* SPDX-License-Identifier: MIT */
/*
 * The table of results columns: header, writer and reader all go by it. Only for
 * results_*.c and their tests; sweep/results.h is the door.
 */
#pragma once

#include "sweep/results.h"

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
/* A header and the rows of a run: what is written, and so may be damaged, at once. */
#define T1S_RESULTS_WRITE_MAX (3L * T1S_ROW_LINE_MAX)

/* The columns of one file, in its order; NULL: none of ours. */
#define T1S_COLUMNS_MAX 256U
struct t1s_header {
	const struct t1s_field *fields[T1S_COLUMNS_MAX];
	size_t count;
};

/* The column of that name, or NULL. */
const struct t1s_field *t1s_field_find(const char *name, size_t n);

/* All columns that this version knows. */
void t1s_header_ours(struct t1s_header *ret);

/* Whether the reference's columns are all there and none of ours is there twice: 0 or
 * -EBADMSG. @line is only told. */
int t1s_header_check(
	const struct t1s_header *h, const char *path, uint64_t line, struct t1s_error *e);

/* Reads a header line, with or without its newline, and checks it. 0 or -EBADMSG. */
int t1s_header_parse(const char *text, size_t size, const char *path,
	struct t1s_header *ret, struct t1s_error *e);

/* Which of our columns are not there, as "a, b"; as many as fit, "" if none is missing.
 * -EBADMSG if it is one that no row can do without. */
int t1s_header_missing(const struct t1s_header *h, const char *path,
	char ret[T1S_MISSING_MAX], struct t1s_error *e);

/* Length of the byte order mark that spreadsheets put in front of UTF-8, or 0. */
size_t t1s_bom_length(const char *text, size_t n);

/*
 * Where in a block a hole begins such as a power cut leaves in the last write: zeros, up
 * to the end of a sector or of the file, whole text perhaps behind them. @at: where the
 * block stands in the file, a multiple of a sector; @size: the file's. Returns @n if
 * there is none.
 */
size_t t1s_results_hole(const char *block, size_t n, int64_t at, int64_t size);

/* The header line of our own, and a row's line under a header, with their newlines.
 * Return the length. */
size_t t1s_results_header(char ret[T1S_ROW_LINE_MAX]);
size_t t1s_results_line(const struct t1s_row *row, const struct t1s_header *h,
	char ret[T1S_ROW_LINE_MAX]);
