/* SPDX-License-Identifier: MIT */
/*
 * Errors: functions return 0 (or a count) on success and a negative errno on failure.
 * The sentence for the person stands beside it in a struct t1s_error: what was expected,
 * what was found, where, and what to do. Whoever handles the error tells it, once.
 */
#pragma once

#define T1S_ERROR_TEXT_MAX 1024

struct t1s_error {
	char text[T1S_ERROR_TEXT_MAX]; /* one sentence or several, no newline at the end
					*/
};

/*
 * Sets the text of an error, fit to be shown (see t1s_printable), and returns -errnum, so
 * that a function can end with "return t1s_error_set(e, EINVAL, ...)".
 * @e: where to; NULL drops the text.
 * @errnum: a positive errno value; it is not added to the text.
 * The format may refer to e->text itself.
 */
int t1s_error_set(struct t1s_error *e, int errnum, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/*
 * Puts context before the text that a callee has set: "PREFIX: TEXT".
 * @r: the callee's negative errno, returned unchanged.
 */
int t1s_error_prefix(struct t1s_error *e, int r, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* The text, or a general word where none was set. Never NULL. */
const char *t1s_error_text(const struct t1s_error *e);
