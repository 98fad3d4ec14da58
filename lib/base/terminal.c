/* SPDX-License-Identifier: MIT */
#include "base/terminal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#define WRAP_COLUMNS_MIN 60

static bool colours_wanted(void)
{
	const char *no = getenv("NO_COLOR"), *term = getenv("TERM");

	return !(no && no[0]) && term && strcmp(term, "dumb") != 0;
}

void t1s_terminal_of(FILE *out, struct t1s_terminal *ret)
{
	const int fd = fileno(out);
	struct winsize size = {0};

	*ret = (struct t1s_terminal){.is_one = fd >= 0 && isatty(fd)};
	if (!ret->is_one)
		return;
	ret->colour = colours_wanted();
	if (ioctl(fd, TIOCGWINSZ, &size) == 0) {
		ret->columns = size.ws_col;
		ret->lines = size.ws_row;
	}
}

/* Columns of so many bytes of UTF-8. */
static int columns_of(const char *text, size_t bytes)
{
	int n = 0;

	for (size_t i = 0; i < bytes; i++)
		n += ((unsigned char)text[i] & 0xc0) != 0x80;
	return n;
}

void t1s_put_wrapped(
	FILE *out, const struct t1s_terminal *t, int indent, const char *text)
{
	const int end = t->columns < WRAP_COLUMNS_MIN ? 0 : t->columns - 1;
	int column = indent;

	for (const char *p = text; *p;) {
		const size_t bytes = strcspn(p, " ");
		const int columns = columns_of(p, bytes);

		if (end > 0 && column > indent && column + 1 + columns > end) {
			(void)fprintf(out, "\n%*s", indent, "");
			column = indent;
		} else if (p > text) {
			(void)fputc(' ', out);
			column++;
		}
		(void)fwrite(p, 1, bytes, out);
		column += columns;
		p += bytes;
		p += *p == ' ';
	}
	(void)fputc('\n', out);
}

/* The two block characters are in the console's own fonts. */
void t1s_put_bar(FILE *out, int columns, double share)
{
	const int halves =
		share > 0 ? (int)lround(2 * columns * (share < 1 ? share : 1)) : 0;

	for (int i = 0; i < columns; i++)
		(void)fputs(halves >= 2 * i + 2   ? "█"
			    : halves == 2 * i + 1 ? "▌"
						  : " ",
			out);
}
