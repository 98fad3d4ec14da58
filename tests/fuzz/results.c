/* SPDX-License-Identifier: MIT */
/*
 * results.csv, which an ordinary user writes and privileged steps read: what is taken is
 * written and read again, and one more row can be appended without another being lost. An
 * input that begins with '+' stands behind a header line and a row of the program's own.
 */
#include "fuzz.h"

#include "base/cleanup.h"
#include "sweep/results_fields.h"

#include <stdlib.h>
#include <string.h>

#define KEPT_BYTES ((size_t)8 * T1S_ROW_LINE_MAX)

/* The first rows, as the program writes them. */
struct kept {
	char text[KEPT_BYTES + T1S_ROW_LINE_MAX];
	struct t1s_header header;
	size_t size;
	int64_t rows;
};

static int keep_row(const struct t1s_row *row, void *data)
{
	struct kept *k = data;

	fuzz_require(t1s_run_status_name(row->status));
	if (k->size + T1S_ROW_LINE_MAX > KEPT_BYTES)
		return 0;
	k->size += t1s_results_line(row, &k->header, k->text + k->size);
	k->rows++;
	return 0;
}

static int64_t read_kept(const char *path, struct kept *k, struct t1s_error *e)
{
	t1s_header_ours(&k->header);
	k->size = t1s_results_header(k->text);
	k->rows = 0;
	return t1s_results_read(path, keep_row, k, e);
}

static int count_row(const struct t1s_row *row, void *data)
{
	(void)row;
	(void)data;
	return 0;
}

static void check_round_trip(const struct kept *k)
{
	static struct kept again;
	struct t1s_error e = {{0}};
	char path[PATH_MAX];

	fuzz_path(path, "/again.csv");
	fuzz_write(path, (struct fuzz_part){(const uint8_t *)k->text, k->size});
	fuzz_require(read_kept(path, &again, &e) == k->rows);
	fuzz_require(again.size == k->size && memcmp(again.text, k->text, k->size) == 0);
}

static void check_append(const char *path, int64_t rows)
{
	struct t1s_row row;
	struct t1s_error e = {{0}};
	int64_t after;
	int r;

	t1s_row_init(&row);
	row.status = T1S_RUN_OK;
	r = t1s_results_append(path, &row, &e);
	if (r < 0) {
		fuzz_require(e.text[0]);
		return;
	}
	after = t1s_results_read(path, count_row, NULL, &e);
	fuzz_require(after == rows + 1 || rows < 0);
}

static void write_behind_ours(const char *path, const uint8_t *data, size_t size)
{
	char *text = malloc((size_t)2 * T1S_ROW_LINE_MAX + size);
	struct t1s_header header;
	struct t1s_row row;
	size_t n;

	fuzz_require(text);
	t1s_header_ours(&header);
	t1s_row_init(&row);
	row.status = T1S_RUN_NO_DATA;
	n = t1s_results_header(text);
	n += t1s_results_line(&row, &header, text + n);
	memcpy(text + n, data + 1, size - 1);
	fuzz_write(path, (struct fuzz_part){(const uint8_t *)text, n + size - 1});
	free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct kept k;
	struct t1s_error e = {{0}};
	char path[PATH_MAX];
	int64_t n;

	fuzz_path(path, "/results.csv");
	if (size > 0 && data[0] == '+')
		write_behind_ours(path, data, size);
	else
		fuzz_write(path, (struct fuzz_part){data, size});
	n = read_kept(path, &k, &e);
	if (n < 0)
		fuzz_check_failure(n, &e);
	else
		check_round_trip(&k);
	/* a quote that is not closed swallows what follows: the program writes none */
	if (size == 0 || !memchr(data, '"', size))
		check_append(path, n);
	fuzz_remove("/results.csv.torn-1");
	return 0;
}
