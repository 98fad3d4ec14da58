/* SPDX-License-Identifier: MIT */
#include "report/report.h"

#include <string.h>

/* Whether another report has another one; a file that does not know it has none. */
static bool other_has(const struct t1s_report_list *l, const struct t1s_report *r,
	const char *(*text_of)(const struct t1s_report *r))
{
	for (size_t i = 0; i < l->count; i++) {
		const char *other = text_of(&l->reports[i]);

		if (other[0] && strcmp(other, text_of(r)) != 0)
			return true;
	}
	return false;
}

static const char *host_of(const struct t1s_report *r)
{
	return r->host;
}

static const char *workload_of(const struct t1s_report *r)
{
	return r->workload;
}

static const char *direction_of(const struct t1s_report *r)
{
	return r->direction;
}

static void append(char ret[T1S_REPORT_LABEL_MAX], const char *text)
{
	const size_t used = strlen(ret);

	(void)snprintf(ret + used, T1S_REPORT_LABEL_MAX - used, "%s%s",
		used && text[0] ? ", " : "", text);
}

/* Whether another file goes by the same name. */
static bool is_ambiguous(const struct t1s_report_list *l, const struct t1s_report *r)
{
	for (size_t i = 0; i < l->count; i++)
		if (l->reports[i].file != r->file &&
			strcmp(l->reports[i].file_name, r->file_name) == 0)
			return true;
	return false;
}

const char *t1s_report_label(const struct t1s_report_list *l, const struct t1s_report *r,
	char ret[T1S_REPORT_LABEL_MAX])
{
	ret[0] = '\0';
	if (l->files > 1) {
		if (other_has(l, r, host_of))
			append(ret, r->host);
		append(ret, r->file_name);
		if (is_ambiguous(l, r))
			(void)snprintf(ret + strlen(ret),
				T1S_REPORT_LABEL_MAX - strlen(ret), " (%zu)",
				r->file + 1);
	}
	if (other_has(l, r, workload_of))
		append(ret, r->workload);
	if (other_has(l, r, direction_of))
		append(ret, r->direction);
	return ret;
}
