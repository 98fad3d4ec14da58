/* SPDX-License-Identifier: MIT */
#include "base/cleanup.h"
#include "sweep/results_fields.h"

#include <csv.h>
#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#define SECTOR_BYTES 512

const struct t1s_field *t1s_field_find(const char *name, size_t n)
{
	for (size_t i = 0; i < t1s_fields_count; i++)
		if (strlen(t1s_fields[i].name) == n &&
			memcmp(t1s_fields[i].name, name, n) == 0)
			return &t1s_fields[i];
	return NULL;
}

void t1s_header_ours(struct t1s_header *ret)
{
	ret->count = t1s_fields_count;
	for (size_t i = 0; i < t1s_fields_count; i++)
		ret->fields[i] = &t1s_fields[i];
}

static size_t count_of(const struct t1s_header *h, const struct t1s_field *f)
{
	size_t count = 0;

	for (size_t i = 0; i < h->count; i++)
		count += h->fields[i] == f;
	return count;
}

int t1s_header_check(
	const struct t1s_header *h, const char *path, uint64_t line, struct t1s_error *e)
{
	for (size_t i = 0; i < t1s_fields_count; i++) {
		size_t count = count_of(h, &t1s_fields[i]);

		if (count == 0 && i < T1S_REFERENCE_FIELDS)
			return t1s_error_set(e, EBADMSG,
				"%s:%" PRIu64 ": no column %s: expected the header line "
				"of a results file",
				path, line, t1s_fields[i].name);
		if (count > 1)
			return t1s_error_set(e, EBADMSG,
				"%s:%" PRIu64 ": %zu columns %s, expected one", path,
				line, count, t1s_fields[i].name);
	}
	return 0;
}

size_t t1s_bom_length(const char *text, size_t n)
{
	const char bom[] = "\xef\xbb\xbf";

	return n >= strlen(bom) && memcmp(text, bom, strlen(bom)) == 0 ? strlen(bom) : 0;
}

/* A line ends in a newline alone, as for whoever appends: of CRLF the one is a blank. */
static int is_line_end(unsigned char c)
{
	return c == '\n';
}

static int is_blank(unsigned char c)
{
	return c == ' ' || c == '\t' || c == '\r';
}

struct parsing {
	struct t1s_header *header;
	size_t columns;
};

static void on_name(void *text, size_t n, void *data)
{
	struct parsing *p = data;

	if (p->columns < T1S_COLUMNS_MAX)
		p->header->fields[p->columns] = t1s_field_find(text, n);
	p->columns++;
}

int t1s_header_parse(const char *text, size_t size, const char *path,
	struct t1s_header *ret, struct t1s_error *e)
{
	struct parsing p = {.header = ret};
	size_t skip = t1s_bom_length(text, size), parsed;
	struct csv_parser parser;
	bool whole;

	if (csv_init(&parser, CSV_APPEND_NULL | CSV_STRICT | CSV_STRICT_FINI) != 0)
		return t1s_error_set(e, EINVAL, "libcsv does not know its options");
	/* a CR ends no line here as it ends none for who reads the rows */
	csv_set_term_func(&parser, is_line_end);
	csv_set_space_func(&parser, is_blank);
	parsed = csv_parse(&parser, text + skip, size - skip, on_name, NULL, &p);
	whole = parsed == size - skip && csv_fini(&parser, on_name, NULL, &p) == 0;
	csv_free(&parser);
	if (!whole)
		return t1s_error_set(e, EBADMSG,
			"%s:1: a quote where none is expected, or one that is not closed",
			path);
	if (p.columns > T1S_COLUMNS_MAX)
		return t1s_error_set(e, EBADMSG, "%s:1: %zu columns, expected at most %u",
			path, p.columns, T1S_COLUMNS_MAX);
	ret->count = p.columns;
	return t1s_header_check(ret, path, 1, e);
}

/* Without one of these the rows could not be found again, and a run never be done. */
static bool is_needed(const struct t1s_field *f)
{
	static const size_t needed[] = {
		offsetof(struct t1s_row, sweep_id),
		offsetof(struct t1s_row, point),
		offsetof(struct t1s_row, workload),
		offsetof(struct t1s_row, direction),
		offsetof(struct t1s_row, repeat),
		offsetof(struct t1s_row, attempt),
	};

	for (size_t i = 0; i < T1S_ELEMENTSOF(needed); i++)
		if (f->offset == needed[i])
			return true;
	return false;
}

int t1s_header_missing(const struct t1s_header *h, const char *path,
	char ret[T1S_MISSING_MAX], struct t1s_error *e)
{
	size_t n = 0;

	ret[0] = '\0';
	for (size_t i = T1S_REFERENCE_FIELDS; i < t1s_fields_count; i++) {
		const struct t1s_field *f = &t1s_fields[i];

		if (count_of(h, f) > 0)
			continue;
		if (is_needed(f))
			return t1s_error_set(e, EBADMSG,
				"%s:1: no column %s, without which a row could not be "
				"found again: put the header line right, or move the "
				"file away to measure this sweep's points once more",
				path, f->name);
		if (n < T1S_MISSING_MAX)
			n += (size_t)snprintf(ret + n, T1S_MISSING_MAX - n, "%s%s",
				n ? ", " : "", f->name);
	}
	return 0;
}

size_t t1s_results_hole(const char *block, size_t n, int64_t at, int64_t size)
{
	const char *hole = memchr(block, '\0', n);
	const size_t from = hole ? (size_t)(hole - block) : n;
	size_t end = from;
	int64_t end_at;

	if (!hole || size - (at + (int64_t)from) > T1S_RESULTS_WRITE_MAX)
		return n;
	while (end < n && block[end] == '\0')
		end++;
	end_at = at + (int64_t)end;
	return end == n || end_at % SECTOR_BYTES == 0 || end_at == size ? from : n;
}
