/* SPDX-License-Identifier: MIT */
#include "base/terminal.h"

#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

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
