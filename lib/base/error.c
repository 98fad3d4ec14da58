/* SPDX-License-Identifier: MIT */
#include "base/error.h"

#include "base/log.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

int t1s_error_set(struct t1s_error *e, int errnum, const char *format, ...)
{
	if (e) {
		char text[T1S_ERROR_TEXT_MAX];
		va_list ap;

		va_start(ap, format);
		(void)vsnprintf(text, sizeof(text), format, ap);
		va_end(ap);
		t1s_printable(text);
		memcpy(e->text, text, sizeof(text));
	}
	return errnum > 0 ? -errnum : errnum;
}

int t1s_error_prefix(struct t1s_error *e, int r, const char *format, ...)
{
	if (e) {
		char text[T1S_ERROR_TEXT_MAX];
		va_list ap;
		size_t used;

		va_start(ap, format);
		(void)vsnprintf(text, sizeof(text), format, ap);
		va_end(ap);
		used = strlen(text);
		(void)snprintf(text + used, sizeof(text) - used, ": %s", e->text);
		t1s_printable(text);
		memcpy(e->text, text, sizeof(text));
	}
	return r;
}

const char *t1s_error_text(const struct t1s_error *e)
{
	return e && e->text[0] ? e->text : "unknown error";
}
