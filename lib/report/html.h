/* SPDX-License-Identifier: MIT */
/* Parts of the page. Internal to the room. */
#pragma once

#include "report/panels.h"

#include <stdio.h>

/* Text, names and values of files among it, so that it is nothing but text in HTML or
 * XML, between tags or in an attribute. */
void t1s_html_put_text(FILE *out, const char *text);

/* What the reports of a panel carried and came to, side by side. Returns 0 or -ENOMEM. */
int t1s_html_put_comparison(
	const struct t1s_report_list *l, const struct t1s_panel *p, FILE *out);

/* The style sheet, for screens of any width, light and dark, and for paper. */
extern const char t1s_html_style[];
