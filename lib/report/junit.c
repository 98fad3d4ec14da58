/* SPDX-License-Identifier: MIT */
/* JUnit's XML, as Jenkins, GitLab and others read it: a suite for each report. */
#include "report/cases.h"
#include "report/html.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>

static void put_attribute(FILE *out, const char *name, const char *value)
{
	(void)fprintf(out, " %s=\"", name);
	t1s_html_put_text(out, value);
	(void)fputc('"', out);
}

static void put_property(FILE *out, const char *name, const char *value)
{
	if (!value[0])
		return;
	(void)fputs("      <property", out);
	put_attribute(out, "name", name);
	put_attribute(out, "value", value);
	(void)fputs("/>\n", out);
}

static void put_number(FILE *out, const char *name, int places, double v)
{
	char text[64];

	if (isnan(v))
		return;
	(void)snprintf(text, sizeof(text), "%.*f", places, v);
	put_property(out, name, text);
}

static void put_hz(FILE *out, const char *name, uint32_t hz)
{
	if (hz > 0)
		put_number(out, name, 0, hz);
}

static void put_properties(const struct t1s_report *r, FILE *out)
{
	(void)fputs("    <properties>\n", out);
	put_property(out, "sweep_id", r->sweep_id);
	put_property(out, "receiver_host", r->host);
	put_property(out, "overlay", r->overlay);
	put_property(out, "workload", r->workload);
	put_property(out, "direction", r->direction);
	put_property(out, "first_timestamp", r->first_timestamp);
	put_property(out, "last_timestamp", r->last_timestamp);
	put_hz(out, "original_hz", r->original_hz);
	put_hz(out, "lowest_full_hz", r->lowest_full_hz);
	put_number(out, "margin", 3, r->margin);
	put_number(out, "best_mbit_s", 6, r->best_mbit_s);
	put_number(out, "wire_limit_mbit_s", 6, r->wire_limit_mbit_s);
	for (size_t i = 0; i < r->conditions_count; i++)
		put_property(out, r->conditions[i].name, r->conditions[i].value);
	(void)fputs("    </properties>\n", out);
}

static void put_outcome(const struct t1s_case *c, FILE *out)
{
	static const char *const elements[T1S_OUTCOMES] = {
		[T1S_OUTCOME_FAIL] = "failure",
		[T1S_OUTCOME_SKIP] = "skipped",
		[T1S_OUTCOME_UNKNOWN] = "error",
	};

	if (!elements[c->outcome])
		return;
	(void)fprintf(out, "      <%s", elements[c->outcome]);
	put_attribute(out, "message", c->message);
	(void)fputs("/>\n", out);
}

static void put_case(const struct t1s_case *c, const char *suite, FILE *out)
{
	(void)fputs("    <testcase", out);
	put_attribute(out, "classname", suite);
	put_attribute(out, "name", c->id);
	(void)fputs(">\n", out);
	put_outcome(c, out);
	if (!isnan(c->measurement))
		(void)fprintf(out, "      <system-out>%.6f %s</system-out>\n",
			c->measurement, c->units);
	(void)fputs("    </testcase>\n", out);
}

static void put_counts(
	const struct t1s_report_list *l, const struct t1s_report *only, FILE *out)
{
	static const char *const names[T1S_OUTCOMES] = {
		[T1S_OUTCOME_PASS] = "tests",
		[T1S_OUTCOME_FAIL] = "failures",
		[T1S_OUTCOME_SKIP] = "skipped",
		[T1S_OUTCOME_UNKNOWN] = "errors",
	};

	for (int o = 0; o < T1S_OUTCOMES; o++) {
		size_t n = 0;

		for (size_t i = 0; i < l->count; i++) {
			const struct t1s_report *r = &l->reports[i];

			if (only && r != only)
				continue;
			n += o == T1S_OUTCOME_PASS ? t1s_cases_count(r)
						   : t1s_cases_of(r, (enum t1s_outcome)o);
		}
		/* of the whole, how many were skipped is not told in every dialect */
		if (only || o != T1S_OUTCOME_SKIP)
			(void)fprintf(out, " %s=\"%zu\"", names[o], n);
	}
}

static void put_suite(
	const struct t1s_report_list *l, const struct t1s_report *r, FILE *out)
{
	char suite[T1S_SUITE_MAX];

	t1s_suite_name(l, r, suite);
	(void)fputs("  <testsuite", out);
	put_attribute(out, "name", suite);
	put_counts(l, r, out);
	(void)fputs(">\n", out);
	put_properties(r, out);
	for (size_t i = 0; i < t1s_cases_count(r); i++) {
		struct t1s_case c;

		t1s_case_of(r, i, &c);
		put_case(&c, suite, out);
	}
	(void)fputs("  </testsuite>\n", out);
}

int t1s_report_write_junit(const struct t1s_report_list *l, FILE *out)
{
	(void)fputs("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites", out);
	put_attribute(out, "name", "t1s-sweep");
	put_counts(l, NULL, out);
	(void)fputs(">\n", out);
	for (size_t i = 0; i < l->count; i++)
		put_suite(l, &l->reports[i], out);
	(void)fputs("</testsuites>\n", out);
	return fflush(out) == 0 && !ferror(out) ? 0 : -EIO;
}
