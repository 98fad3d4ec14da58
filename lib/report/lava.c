/* SPDX-License-Identifier: MIT */
/* Signals that LAVA's dispatcher reads from what a test writes. */
#include "report/cases.h"

#include <errno.h>
#include <math.h>

static const char *const results[T1S_OUTCOMES] = {
	[T1S_OUTCOME_PASS] = "pass",
	[T1S_OUTCOME_FAIL] = "fail",
	[T1S_OUTCOME_SKIP] = "skip",
	[T1S_OUTCOME_UNKNOWN] = "unknown",
};

static void put_case(const struct t1s_case *c, FILE *out)
{
	if (c->message[0])
		(void)fprintf(out, "%s: %s\n", c->id, c->message);
	(void)fprintf(out, "<LAVA_SIGNAL_TESTCASE TEST_CASE_ID=%s RESULT=%s", c->id,
		results[c->outcome]);
	if (!isnan(c->measurement))
		(void)fprintf(
			out, " UNITS=%s MEASUREMENT=%.6f", c->units, c->measurement);
	(void)fputs(">\n", out);
}

static void put_cases(const struct t1s_report *r, FILE *out)
{
	for (size_t k = 0; k < t1s_cases_count(r); k++) {
		struct t1s_case c;

		t1s_case_of(r, k, &c);
		put_case(&c, out);
	}
}

/* Several reports are sets of their own: their cases have the same ids. */
int t1s_report_write_lava(const struct t1s_report_list *l, FILE *out)
{
	for (size_t i = 0; i < l->count; i++) {
		char name[T1S_SUITE_MAX];

		t1s_suite_name(l, &l->reports[i], name);
		if (l->count > 1)
			(void)fprintf(out, "<LAVA_SIGNAL_TESTSET START %s>\n", name);
		put_cases(&l->reports[i], out);
		if (l->count > 1)
			(void)fputs("<LAVA_SIGNAL_TESTSET STOP>\n", out);
	}
	return fflush(out) == 0 && !ferror(out) ? 0 : -EIO;
}
