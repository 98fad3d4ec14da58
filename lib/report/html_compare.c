/* SPDX-License-Identifier: MIT */
/* Several reports side by side, as a table of the page. */
#include "report/compare.h"
#include "report/html.h"

#include "base/cleanup.h"

#include <math.h>

static void put_value(FILE *out, int places, double value)
{
	if (isnan(value))
		(void)fputs("<td class=\"n\">–</td>", out);
	else
		(void)fprintf(out, "<td class=\"n\">%.*f</td>", places, value);
}

static void put_head(
	const struct t1s_report_list *l, const struct t1s_panel *p, FILE *out)
{
	char label[T1S_REPORT_LABEL_MAX];

	(void)fputs("<h3>Side by side</h3>\n<div class=\"scroll\" tabindex=\"0\" "
		    "role=\"region\" aria-label=\"Table of sweeps\"><table>\n<thead><tr>"
		    "<th scope=\"col\" class=\"n\">Request <small>MHz</small></th>",
		out);
	for (size_t k = 0; k < p->count; k++) {
		(void)fputs("<th scope=\"col\" class=\"n\">", out);
		t1s_html_put_text(out, t1s_report_label(l, p->reports[k], label));
		(void)fputs(" <small>Mbit/s</small></th>", out);
	}
	(void)fputs("</tr></thead>\n<tbody>\n", out);
}

static void put_request(const struct t1s_panel *p, uint32_t hz, FILE *out)
{
	(void)fprintf(
		out, "<tr><th scope=\"row\" class=\"n\">%.3f</th>", (double)hz / 1e6);
	for (size_t k = 0; k < p->count; k++) {
		const struct t1s_report_point *q = t1s_compare_point(p->reports[k], hz);

		put_value(out, 3, q ? q->received_mbit_s : (double)NAN);
	}
	(void)fputs("</tr>\n", out);
}

static void put_answer(
	const struct t1s_panel *p, const struct t1s_compared_answer *answer, FILE *out)
{
	(void)fprintf(out, "<tr><th scope=\"row\" class=\"n\">%s</th>", answer->name);
	for (size_t k = 0; k < p->count; k++)
		put_value(out, answer->places, answer->value(p->reports[k]));
	(void)fputs("</tr>\n", out);
}

int t1s_html_put_comparison(
	const struct t1s_report_list *l, const struct t1s_panel *p, FILE *out)
{
	cleanup_free uint32_t *requests = NULL;
	const int count = t1s_compare_requests(p, &requests);

	if (count < 0)
		return count;
	put_head(l, p, out);
	for (int i = 0; i < count; i++)
		put_request(p, requests[i], out);
	for (size_t a = 0; a < T1S_COMPARED_ANSWERS; a++)
		put_answer(p, &t1s_compared_answers[a], out);
	(void)fputs("</tbody></table></div>\n", out);
	return 0;
}
