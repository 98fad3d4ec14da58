/* SPDX-License-Identifier: MIT */
/* What libcsv alone needs for a file: each byte of it through csv_parse, and nothing done
 * with what it calls back. csv_alone FILE */
#include "base/cleanup.h"

#include <csv.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <unistd.h>

#define BLOCK_BYTES 65536

static void on_field(void *text, size_t n, void *data)
{
	uint64_t *fields = data;

	(void)text;
	(void)n;
	(*fields)++;
}

static void on_row(int c, void *data)
{
	(void)c;
	(void)data;
}

int main(int argc, char **argv)
{
	static char block[BLOCK_BYTES];
	cleanup_close int fd = argc == 2 ? open(argv[1], O_RDONLY | O_CLOEXEC) : -1;
	struct csv_parser p;
	uint64_t fields = 0;
	ssize_t n;

	if (fd < 0 || csv_init(&p, 0) != 0)
		return 2;
	while ((n = read(fd, block, sizeof(block))) > 0)
		if (csv_parse(&p, block, (size_t)n, on_field, on_row, &fields) !=
			(size_t)n)
			return 1;
	csv_free(&p);
	(void)printf("%" PRIu64 "\n", fields);
	return n < 0 ? 1 : 0;
}
