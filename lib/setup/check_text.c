/* SPDX-License-Identifier: MIT */
#include "setup/check.h"

#include <string.h>

#define INDENT "                   " /* to where what was found begins */

static const struct {
	const char *sign, *colour;
} marks[] = {
	[T1S_CHECK_GOOD] = {"✓", T1S_GREEN},
	[T1S_CHECK_NOTE] = {"!", T1S_YELLOW},
	[T1S_CHECK_BAD] = {"✗", T1S_RED},
};

void t1s_check_write_item(FILE *out, const struct t1s_terminal *t,
	enum t1s_check_group previous, const struct t1s_check_item *item)
{
	const int name_columns = (int)strlen(INDENT) - 4;

	if (previous != item->group)
		(void)fprintf(out, "%s%s%s\n", t1s_sgr(t, T1S_BOLD),
			t1s_check_group_title(item->group), t1s_sgr(t, T1S_PLAIN));
	(void)fprintf(out, "  %s%s%s %-*s", t1s_sgr(t, marks[item->mark].colour),
		marks[item->mark].sign, t1s_sgr(t, T1S_PLAIN), name_columns, item->name);
	t1s_put_wrapped(out, t, (int)strlen(INDENT), item->found);
	/* never wrapped: it is to be copied */
	if (item->remedy[0])
		(void)fprintf(out, "%s→ %s%s%s\n", INDENT, t1s_sgr(t, T1S_BOLD),
			item->remedy, t1s_sgr(t, T1S_PLAIN));
	(void)fflush(out);
}

static const char *next_step(const struct t1s_check_result *r)
{
	if (r->under_way)
		return "A sweep is under way: t1s-sweep status";
	if (r->armed)
		return "The next boot begins a sweep: sudo reboot";
	return "To begin: sudo systemctl enable t1s-sweep && sudo reboot";
}

void t1s_check_write_end(
	FILE *out, const struct t1s_terminal *t, const struct t1s_check_result *result)
{
	const unsigned int bad = result->of[T1S_CHECK_BAD];
	const unsigned int notes = result->of[T1S_CHECK_NOTE];

	(void)fprintf(out, "\n%s", t1s_sgr(t, T1S_BOLD));
	if (bad > 0)
		(void)fprintf(out, "Not ready: %u ✗ to put right", bad);
	else
		(void)fprintf(out, "Ready");
	if (notes > 0)
		(void)fprintf(out, "; %u ! worth a look", notes);
	(void)fprintf(out, ".%s", t1s_sgr(t, T1S_PLAIN));
	if (bad == 0)
		(void)fprintf(out, " %s", next_step(result));
	(void)fputc('\n', out);
	(void)fflush(out);
}
