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
#include <sys/stat.h>
#include <unistd.h>

#define BLOCK_BYTES 65536
#define FIELD_MAX_BYTES 65536

/* What is done with the fields of a column. */
enum use {
	USE_NAME,   /* of the header line */
	USE_SKIP,   /* nobody wants them */
	USE_TEXT,   /* most are those of the row before: compared first */
	USE_NUMBER, /* parsed: that takes no longer than comparing */
};

struct column {
	const struct t1s_field *field; /* NULL: of no column that is known */
	const char *known;             /* USE_TEXT: the text of the row before */
	unsigned int length;           /* of it; UINT_MAX: none */
	unsigned int newlines;         /* in it */
	enum use use;
};

struct reading {
	const char *path;
	t1s_row_fn fn;
	void *data;
	struct t1s_error *error;
	struct t1s_row row;
	struct column columns[T1S_COLUMNS_MAX];
	struct column *end;  /* of those that there are; all until the header is read */
	struct column *next; /* of the next field; at the end once the reading failed */
	size_t surplus;      /* fields of the row beyond them */
	size_t fields_at_cr; /* fields before a CR in the line, 0: there is none */
	uint64_t line;       /* of the file, where the row began; 1-based */
	uint64_t newlines;   /* in the row's values so far */
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
	return t1s_parse_double_of(text, n, ret) == 0;
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

/* Nothing that still comes is looked at. */
static void fail(struct reading *r, int result)
{
	r->result = result;
	r->next = r->end;
}

static void fail_at_value(struct reading *r, const struct t1s_field *f, const char *text)
{
	char found[64], expected[48];

	(void)snprintf(found, sizeof(found), "%.60s", text);
	t1s_printable(found);
	fail(r, t1s_error_set(r->error, EBADMSG,
			"%s:%" PRIu64 ": column %s: found \"%s\", expected %s", r->path,
			r->line, f->name, found, describe(f, expected)));
}

static unsigned int count_newlines(const char *text, size_t n)
{
	unsigned int count = 0;

	for (const char *p = text; (p = memchr(p, '\n', n - (size_t)(p - text))); p++)
		count++;
	return count;
}

static void remember(struct reading *r, struct column *c, size_t n)
{
	c->length = (unsigned int)n;
	c->known = c->field->type == T1S_FIELD_STATUS
			   ? t1s_run_status_name(r->row.status)
			   : (const char *)&r->row + c->field->offset;
}

/* These are kept out of the way of the fields that are skipped: most are. */
static __attribute__((noinline)) void take_number(
	struct reading *r, const struct column *c, const char *text, size_t n)
{
	if (!parse_value(c->field, text, n, &r->row))
		fail_at_value(r, c->field, text);
}

static __attribute__((noinline)) void skip(struct reading *r, const char *text, size_t n)
{
	r->newlines += count_newlines(text, n);
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

static void parse_text_anew(
	struct reading *r, struct column *c, const char *text, size_t n)
{
	c->newlines = r->quotes ? count_newlines(text, n) : 0;
	r->newlines += c->newlines;
	if (parse_value(c->field, text, n, &r->row))
		remember(r, c, n);
	else
		fail_at_value(r, c->field, text);
}

static __attribute__((noinline)) void take_text(
	struct reading *r, struct column *c, const char *text, size_t n)
{
	if (n == c->length && same_bytes(text, c->known, n))
		r->newlines += c->newlines;
	else
		parse_text_anew(r, c, text, n);
}

static void on_field(void *text, size_t n, void *data)
{
	struct reading *r = data;
	struct column *c = r->next;

	if (c == r->end) {
		r->surplus++; /* told at the end of the row */
		return;
	}
	r->next++;
	switch (c->use) {
	case USE_SKIP:
		if (r->quotes)
			skip(r, text, n);
		break;
	case USE_NUMBER:
		take_number(r, c, text, n);
		break;
	case USE_TEXT:
		take_text(r, c, text, n);
		break;
	default:
		take_name(r, c, text, n);
		break;
	}
}

static bool is_wanted(const struct reading *r, const struct t1s_field *f)
{
	for (size_t i = 0; i < r->wanted_count; i++)
		if (f->offset == r->wanted[i])
			return f->type != T1S_FIELD_MHZ; /* the same again */
	return !r->wanted;
}

static enum use use_of(const struct reading *r, const struct t1s_field *f)
{
	if (!f || !is_wanted(r, f))
		return USE_SKIP;
	return f->type == T1S_FIELD_TEXT || f->type == T1S_FIELD_STATUS ? USE_TEXT
									: USE_NUMBER;
}

static size_t fields_of_row(const struct reading *r)
{
	return (size_t)(r->next - r->columns) + r->surplus;
}

static int end_header(struct reading *r)
{
	struct t1s_header h = {.count = fields_of_row(r)};

	r->has_header = true;
	if (h.count > T1S_COLUMNS_MAX)
		return t1s_error_set(r->error, EBADMSG,
			"%s:%" PRIu64 ": %zu columns, expected at most %u", r->path,
			r->line, h.count, T1S_COLUMNS_MAX);
	r->end = r->next;
	for (size_t i = 0; i < h.count; i++) {
		struct column *c = &r->columns[i];

		h.fields[i] = c->field;
		c->use = use_of(r, c->field);
	}
	return t1s_header_check(&h, r->path, r->line, r->error);
}

static int end_row(struct reading *r)
{
	if (r->next != r->end || r->surplus > 0)
		return t1s_error_set(r->error, EBADMSG,
			"%s:%" PRIu64 ": %zu fields, expected %zu as in the header line",
			r->path, r->line, fields_of_row(r),
			(size_t)(r->end - r->columns));
	r->rows++;
	return r->fn(&r->row, r->data);
}

static int end_line(struct reading *r)
{
	const size_t fields = fields_of_row(r);

	if (r->fields_at_cr > 0 && r->fields_at_cr != fields)
		return t1s_error_set(r->error, EBADMSG,
			"%s:%" PRIu64 ": a carriage return that ends no line", r->path,
			r->line);
	if (fields == 0)
		return 0;
	return r->has_header ? end_row(r) : end_header(r);
}

/*
 * Called for each CR and each LF outside of quotes. A line ends with the LF: whoever
 * appends would cut off as torn what ends in a CR alone. Telling libcsv so, by functions
 * of our own, would cost two calls for each byte.
 */
static void on_line_end(int c, void *data)
{
	struct reading *r = data;
	int result;

	if (r->result < 0)
		return;
	if (c == '\r') {
		r->fields_at_cr = fields_of_row(r);
		return;
	}
	result = end_line(r);
	if (result < 0) {
		fail(r, result);
		return;
	}
	r->next = r->columns;
	r->surplus = r->fields_at_cr = 0;
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

/* Reads a block, or what is before a hole in it; whether the rest counts. */
static bool read_to_hole(struct reading *r, struct csv_parser *p, const char *block,
	size_t n, off_t at, off_t size)
{
	const size_t skip = at == 0 ? t1s_bom_length(block, n) : 0;
	const size_t hole = t1s_results_hole(block, n, at, size);

	read_block(r, p, block + skip, hole - skip);
	/* in the header's line it is another kind of file */
	if (hole == n || r->has_header || at + (off_t)hole == 0)
		return hole == n;
	read_block(r, p, block + hole, n - hole);
	return true;
}

/* What stands behind the last line end stays in the parser, and so is left out. */
static void read_stream(struct reading *r, struct csv_parser *p, int fd, off_t size)
{
	char block[BLOCK_BYTES];
	off_t at = 0;

	while (r->result == 0) {
		ssize_t n = read(fd, block, sizeof(block));

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0) {
			r->result = t1s_error_set(r->error, errno, "cannot read %s: %s",
				r->path, strerror(errno));
			return;
		}
		if (n == 0 || !read_to_hole(r, p, block, (size_t)n, at, size))
			return;
		at += n;
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
		.line = 1};
	cleanup_close int fd = t1s_open_regular(path, e);
	struct csv_parser p;
	struct stat st;

	if (fd < 0)
		return fd;
	if (fstat(fd, &st) < 0)
		return t1s_error_set(
			e, errno, "cannot look at %s: %s", path, strerror(errno));
	if (csv_init(&p, CSV_APPEND_NULL | CSV_REPALL_NL) != 0)
		return t1s_error_set(e, EINVAL, "libcsv does not know its options");
	csv_set_realloc_func(&p, grow);
	t1s_row_init(&r.row);
	r.next = r.columns;
	r.end = r.columns + T1S_COLUMNS_MAX;
	for (size_t i = 0; i < T1S_COLUMNS_MAX; i++)
		r.columns[i].length = UINT_MAX;
	read_stream(&r, &p, fd, st.st_size);
	csv_free(&p);
	return r.result < 0 ? r.result : r.rows;
}

int64_t t1s_results_read(const char *path, t1s_row_fn fn, void *data, struct t1s_error *e)
{
	return t1s_results_read_some(path, NULL, 0, fn, data, e);
}
