/* SPDX-License-Identifier: MIT */
#include "base/cleanup.h"
#include "base/file.h"
#include "base/log.h"
#include "base/text.h"
#include "sweep/results_fields.h"

#include <csv.h>
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define BLOCK_BYTES 65536
#define FIELD_MAX_BYTES 65536
#define REMEMBERED_BYTES 52

/*
 * A column of the file. Most values are those of the row before: the text is remembered,
 * and what is equal need not be parsed again.
 */
struct column {
	const struct t1s_field *field; /* NULL: skipped */
	unsigned int newlines;         /* in the value */
	unsigned int length;           /* UINT_MAX: nothing is remembered */
	char remembered[REMEMBERED_BYTES];
};

struct reading {
	const char *path;
	t1s_row_fn fn;
	void *data;
	struct t1s_error *error;
	struct t1s_row row;
	struct column columns[T1S_COLUMNS_MAX];
	size_t columns_count; /* T1S_COLUMNS_MAX until the header line has been read */
	size_t next;          /* column of the next field */
	uint64_t line;        /* of the file, where the row began; 1-based */
	uint64_t newlines;    /* in the row's values so far */
	bool has_header;
	int64_t rows;
	bool quotes;          /* seen in the file: only then can a value hold a newline */
	const size_t *wanted; /* offsets of members; NULL: all */
	size_t wanted_count;
	int result; /* negative once the reading has failed */
};

static bool parse_count(const char *text, size_t n, int64_t *ret)
{
	uint64_t v = 0;

	if (n == 0 || n > 18)
		return false;
	for (size_t i = 0; i < n; i++) {
		if (text[i] < '0' || text[i] > '9')
			return false;
		v = v * 10 + (uint64_t)(text[i] - '0');
	}
	*ret = (int64_t)v;
	return true;
}

static bool parse_hz(const char *text, size_t n, uint32_t *ret)
{
	int64_t v = 0;

	if (n > 0 && (!parse_count(text, n, &v) || v > UINT32_MAX))
		return false;
	*ret = (uint32_t)v;
	return true;
}

static bool parse_number(const char *text, size_t n, double *ret)
{
	if (n == 0) {
		*ret = NAN;
		return true;
	}
	return strlen(text) == n && t1s_parse_double(text, ret) == 0;
}

static bool parse_text(const char *text, size_t n, size_t size, char *ret)
{
	if (n >= size || memchr(text, '\0', n))
		return false;
	memcpy(ret, text, n);
	ret[n] = '\0';
	return true;
}

/* @text has a 0 byte behind its @n bytes. */
static bool parse_value(
	const struct t1s_field *f, const char *text, size_t n, struct t1s_row *row)
{
	void *value = (char *)row + f->offset;
	double mhz;

	switch (f->type) {
	case T1S_FIELD_TEXT:
		return parse_text(text, n, f->size, value);
	case T1S_FIELD_STATUS:
		row->status = t1s_run_status_from_name(text);
		return row->status != T1S_RUN_STATUS_INVALID && strlen(text) == n;
	case T1S_FIELD_HZ:
		return parse_hz(text, n, value);
	case T1S_FIELD_MHZ: /* the same as spi_requested_hz, which counts */
		return parse_number(text, n, &mhz);
	case T1S_FIELD_COUNT:
		*(int64_t *)value = -1;
		return n == 0 || parse_count(text, n, value);
	default:
		return parse_number(text, n, value);
	}
}

static const char *describe(const struct t1s_field *f, char ret[48])
{
	switch (f->type) {
	case T1S_FIELD_TEXT:
		(void)snprintf(ret, 48, "a text of at most %zu bytes", f->size - 1);
		return ret;
	case T1S_FIELD_STATUS:
		return "a status such as OK or NO_DATA";
	case T1S_FIELD_HZ:
		return "a frequency in Hz, or nothing";
	case T1S_FIELD_COUNT:
		return "a whole number, or nothing";
	default:
		return "a number with a decimal point, or nothing";
	}
}

static void fail_at_value(struct reading *r, const struct t1s_field *f, const char *text)
{
	char found[64], expected[48];

	(void)snprintf(found, sizeof(found), "%.60s", text);
	t1s_printable(found);
	r->result = t1s_error_set(r->error, EBADMSG,
		"%s:%" PRIu64 ": column %s: found \"%s\", expected %s", r->path, r->line,
		f->name, found, describe(f, expected));
}

static unsigned int count_newlines(const char *text, size_t n)
{
	unsigned int count = 0;

	for (const char *p = text; (p = memchr(p, '\n', n - (size_t)(p - text))); p++)
		count++;
	return count;
}

static void remember(struct column *c, const char *text, size_t n)
{
	c->length = UINT_MAX;
	if (n > sizeof(c->remembered))
		return;
	memcpy(c->remembered, text, n);
	c->length = (unsigned int)n;
}

/* Kept out of the way of the fields that are skipped or the same as before: most are. */
static __attribute__((noinline)) void take_value(
	struct reading *r, struct column *c, const char *text, size_t n)
{
	/* a number with a newline in it is refused below */
	if (r->quotes && c->field->type == T1S_FIELD_TEXT)
		c->newlines = count_newlines(text, n);
	r->newlines += c->newlines;
	if (parse_value(c->field, text, n, &r->row))
		remember(c, text, n);
	else
		fail_at_value(r, c->field, text);
}

static __attribute__((noinline)) void take_name(
	struct reading *r, struct column *c, const char *text, size_t n)
{
	r->newlines += count_newlines(text, n);
	c->field = t1s_field_find(text, n);
}

/* The fields are short and many: a call of memcmp would cost more than the comparison. */
static inline bool same_bytes(const char *a, const char *b, size_t n)
{
	uint64_t x, y;

	if (n < sizeof(x)) {
		for (size_t i = 0; i < n; i++)
			if (a[i] != b[i])
				return false;
		return true;
	}
	for (size_t i = 0; i + sizeof(x) < n; i += sizeof(x)) {
		memcpy(&x, a + i, sizeof(x));
		memcpy(&y, b + i, sizeof(y));
		if (x != y)
			return false;
	}
	memcpy(&x, a + n - sizeof(x), sizeof(x));
	memcpy(&y, b + n - sizeof(y), sizeof(y));
	return x == y;
}

static void on_field(void *text, size_t n, void *data)
{
	struct reading *r = data;
	struct column *c;

	if (r->next >= r->columns_count || r->result < 0) {
		r->next++; /* too many: told at the end of the row */
		return;
	}
	c = &r->columns[r->next++];
	if (!r->has_header)
		take_name(r, c, text, n);
	else if (!c->field)
		r->newlines += r->quotes ? count_newlines(text, n) : 0;
	else if (n == c->length && same_bytes(text, c->remembered, n))
		r->newlines += c->newlines;
	else
		take_value(r, c, text, n);
}

static bool is_wanted(const struct reading *r, const struct t1s_field *f)
{
	for (size_t i = 0; i < r->wanted_count; i++)
		if (f->offset == r->wanted[i])
			return f->type != T1S_FIELD_MHZ; /* the same again */
	return !r->wanted;
}

static void leave_out_unwanted(struct reading *r)
{
	for (size_t i = 0; i < r->columns_count; i++)
		if (r->columns[i].field && !is_wanted(r, r->columns[i].field))
			r->columns[i].field = NULL;
}

static int end_header(struct reading *r)
{
	struct t1s_header h = {.count = r->next};
	int k;

	r->has_header = true;
	if (r->next > T1S_COLUMNS_MAX)
		return t1s_error_set(r->error, EBADMSG,
			"%s:%" PRIu64 ": %zu columns, expected at most %u", r->path,
			r->line, r->next, T1S_COLUMNS_MAX);
	r->columns_count = r->next;
	for (size_t i = 0; i < h.count; i++)
		h.fields[i] = r->columns[i].field;
	k = t1s_header_check(&h, r->path, r->line, r->error);
	leave_out_unwanted(r);
	return k;
}

static int end_row(struct reading *r)
{
	if (r->next != r->columns_count)
		return t1s_error_set(r->error, EBADMSG,
			"%s:%" PRIu64 ": %zu fields, expected %zu as in the header line",
			r->path, r->line, r->next, r->columns_count);
	r->rows++;
	return r->fn(&r->row, r->data);
}

/* Called for each newline outside of quotes, so that lines can be counted. */
static void on_line_end(int c, void *data)
{
	struct reading *r = data;

	(void)c;
	if (r->result < 0)
		return;
	if (r->next > 0)
		r->result = r->has_header ? end_row(r) : end_header(r);
	r->next = 0;
	r->line += 1 + r->newlines;
	r->newlines = 0;
}

/* libcsv asks for more when a field grows: a quote that is never closed must not fill
 * the memory. */
static void *grow(void *p, size_t size)
{
	return size > FIELD_MAX_BYTES ? NULL : realloc(p, size);
}

static void read_block(
	struct reading *r, struct csv_parser *p, const char *block, size_t n)
{
	size_t parsed;

	r->quotes = r->quotes || memchr(block, '"', n);
	parsed = csv_parse(p, block, n, on_field, on_line_end, r);

	if (parsed < n && r->result == 0)
		r->result = t1s_error_set(r->error, EBADMSG,
			"%s:%" PRIu64 ": a field of more than %d bytes: is a quote not "
			"closed?",
			r->path, r->line, FIELD_MAX_BYTES);
}

/* What stands behind the last line end stays in the parser, and so is left out. */
static void read_stream(struct reading *r, struct csv_parser *p, int fd)
{
	char block[BLOCK_BYTES];
	bool at_start = true;

	while (r->result == 0) {
		ssize_t n = read(fd, block, sizeof(block));
		size_t skip;

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0) {
			r->result = t1s_error_set(r->error, errno, "cannot read %s: %s",
				r->path, strerror(errno));
			return;
		}
		if (n == 0)
			return;
		skip = at_start ? t1s_bom_length(block, (size_t)n) : 0;
		at_start = false;
		read_block(r, p, block + skip, (size_t)n - skip);
	}
}

int64_t t1s_results_read_some(const char *path, const size_t *members, size_t count,
	t1s_row_fn fn, void *data, struct t1s_error *e)
{
	struct reading r = {.path = path,
		.fn = fn,
		.data = data,
		.wanted = members,
		.wanted_count = count,
		.error = e,
		.columns_count = T1S_COLUMNS_MAX,
		.line = 1};
	cleanup_close int fd = t1s_open_regular(path, e);
	struct csv_parser p;

	if (fd < 0)
		return fd;
	if (t1s_csv_init(&p, CSV_REPALL_NL) < 0)
		return t1s_error_set(e, EINVAL, "libcsv does not know its options");
	csv_set_realloc_func(&p, grow);
	t1s_row_init(&r.row);
	for (size_t i = 0; i < T1S_COLUMNS_MAX; i++)
		r.columns[i].length = UINT_MAX;
	read_stream(&r, &p, fd);
	csv_free(&p);
	return r.result < 0 ? r.result : r.rows;
}

int64_t t1s_results_read(const char *path, t1s_row_fn fn, void *data, struct t1s_error *e)
{
	return t1s_results_read_some(path, NULL, 0, fn, data, e);
}
