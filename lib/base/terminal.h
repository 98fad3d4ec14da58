/* SPDX-License-Identifier: MIT */
/* What can be done with an output: colours and lines of a known length on a terminal,
 * nothing but text elsewhere. */
#pragma once

#include <stdbool.h>
#include <stdio.h>

struct t1s_terminal {
	bool is_one;
	bool colour;
	int columns, lines; /* 0: not known */
};

/*
 * Looks at where @out goes. No colour if $NO_COLOR is set and not empty (no-color.org),
 * or $TERM is "dumb" or not set.
 */
void t1s_terminal_of(FILE *out, struct t1s_terminal *ret);

/*
 * Puts words, the first at column @indent, where the cursor must be; what would not fit
 * goes on in a new line, at that column. Without a terminal, or on one of fewer than 60
 * columns, all of it goes into one line. Ends with a newline.
 */
void t1s_put_wrapped(
	FILE *out, const struct t1s_terminal *t, int indent, const char *text);

/* Puts a bar of so many columns, filled to a share of 0 to 1, to half a column; NaN is 0.
 */
void t1s_put_bar(FILE *out, int columns, double share);

/* SGR sequences (ECMA-48). */
#define T1S_BOLD "\033[1m"
#define T1S_RED "\033[31m"
#define T1S_GREEN "\033[32m"
#define T1S_YELLOW "\033[33m"
#define T1S_PLAIN "\033[0m"

/* The sequence, or "" where there is no colour. */
static inline const char *t1s_sgr(const struct t1s_terminal *t, const char *sequence)
{
	return t->colour ? sequence : "";
}
