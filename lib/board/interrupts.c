/* SPDX-License-Identifier: MIT */
#include "board/interrupts.h"

#include "base/cleanup.h"
#include "base/sysfs.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* The header line names the cores that have a column. */
static unsigned int count_columns(char *header)
{
	unsigned int n = 0;

	for (char *word; (word = strsep(&header, " ")) != NULL;)
		n += strncmp(word, "CPU", 3) == 0;
	return n;
}

/* Adds a line's columns up; @ret_rest: what follows them. False if it is no line of a
 * numbered interrupt. */
static bool parse_counts(
	char *line, unsigned int columns, int64_t *ret_sum, char **ret_rest)
{
	uint64_t sum = 0;
	char *p = line, *end;

	(void)strtoul(p, &end, 10);
	if (end == p || *end != ':')
		return false;
	p = end + 1;
	for (unsigned int i = 0; i < columns; i++) {
		uint64_t n;

		while (*p == ' ')
			p++;
		if (!isdigit((unsigned char)*p))
			return false;
		n = strtoull(p, &end, 10);
		if (n > INT64_MAX - sum)
			return false;
		sum += n;
		p = end;
	}
	*ret_sum = (int64_t)sum;
	*ret_rest = p;
	return true;
}

/* Actions stand at the end, after the chip's words, with commas between them. */
static bool has_action(char *words, const char *const *names, size_t count)
{
	for (char *word; (word = strsep(&words, " ,")) != NULL;) {
		for (size_t i = 0; word[0] && i < count; i++)
			if (names[i] && strcmp(word, names[i]) == 0)
				return true;
	}
	return false;
}

int64_t t1s_interrupts(const char *root, const char *const *names, size_t count)
{
	cleanup_free char *text = t1s_sysfs_whole(root, "/proc/interrupts");
	char *rest = text;
	unsigned int columns = rest ? count_columns(strsep(&rest, "\n")) : 0;
	int64_t sum = -1;

	for (char *line; (line = strsep(&rest, "\n")) != NULL;) {
		int64_t n;
		char *words;

		if (columns > 0 && parse_counts(line, columns, &n, &words) &&
			has_action(words, names, count))
			sum = (sum < 0 ? 0 : sum) + n;
	}
	return sum;
}

/* The next of the numbers of 8 hexadecimal digits that softnet_stat consists of. */
static bool next_hex(char **line, int64_t *ret)
{
	char *end;

	if (!isxdigit((unsigned char)**line))
		return false;
	*ret = (int64_t)strtoul(*line, &end, 16);
	if (*ret > UINT32_MAX)
		return false;
	*line = end + (*end == ' ');
	return true;
}

void t1s_softnet_read(const char *root, struct t1s_softnet *ret)
{
	cleanup_free char *text = t1s_sysfs_whole(root, "/proc/net/softnet_stat");
	struct t1s_softnet sum = {0};
	unsigned int cores = 0;
	char *rest = text;

	*ret = (struct t1s_softnet){-1, -1};
	for (char *line; (line = strsep(&rest, "\n")) != NULL;) {
		int64_t processed, dropped, squeezed;

		if (!line[0])
			continue;
		if (!next_hex(&line, &processed) || !next_hex(&line, &dropped) ||
			!next_hex(&line, &squeezed))
			return;
		sum.dropped += dropped;
		sum.squeezed += squeezed;
		cores++;
	}
	if (cores > 0)
		*ret = sum;
}
