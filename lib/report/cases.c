/* SPDX-License-Identifier: MIT */
#include "report/cases.h"

#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

#define DRIFT_MAX_PERCENT 5.0

static bool has_drift(const struct t1s_report *r)
{
	return !isnan(t1s_report_drift_percent(r));
}

size_t t1s_cases_count(const struct t1s_report *r)
{
	return 1 + r->count + has_drift(r);
}

/* The margin: of a setting that does not carry the full rate it is below 1. */
static void fill_margin(const struct t1s_report *r, struct t1s_case *ret)
{
	(void)snprintf(ret->id, sizeof(ret->id), "margin");
	ret->measurement = r->margin;
	ret->units = "ratio";
	if (isnan(r->margin)) {
		ret->outcome = T1S_OUTCOME_UNKNOWN;
		(void)snprintf(ret->message, sizeof(ret->message),
			"no request with full throughput, or no original setting, is "
			"known");
	} else if (r->margin < 1) {
		ret->outcome = T1S_OUTCOME_FAIL;
		(void)snprintf(ret->message, sizeof(ret->message),
			"full throughput takes %.3f MHz; the setting in use is %.3f MHz",
			r->lowest_full_hz / 1e6, r->original_hz / 1e6);
	}
}

static void fill_drift(const struct t1s_report *r, struct t1s_case *ret)
{
	const double drift = t1s_report_drift_percent(r);

	(void)snprintf(ret->id, sizeof(ret->id), "drift");
	ret->measurement = drift;
	ret->units = "percent";
	if (fabs(drift) <= DRIFT_MAX_PERCENT)
		return;
	ret->outcome = T1S_OUTCOME_FAIL;
	(void)snprintf(ret->message, sizeof(ret->message),
		"the closing baseline is %.3f Mbit/s, the opening one was %.3f: something "
		"changed with time",
		r->closing_mbit_s, r->opening_mbit_s);
}

static enum t1s_outcome outcome_of(
	const struct t1s_report *r, const struct t1s_report_point *p)
{
	if (p->verdict == T1S_VERDICT_UNKNOWN)
		return T1S_OUTCOME_UNKNOWN;
	if (p->verdict == T1S_VERDICT_FULL)
		return T1S_OUTCOME_PASS;
	if (r->original_hz > 0 && p->spi_requested_hz < r->original_hz)
		return T1S_OUTCOME_SKIP;
	return p->verdict == T1S_VERDICT_UNDECIDED ? T1S_OUTCOME_UNKNOWN
						   : T1S_OUTCOME_FAIL;
}

static void fill_point(const struct t1s_report *r, const struct t1s_report_point *p,
	struct t1s_case *ret)
{
	(void)snprintf(
		ret->id, sizeof(ret->id), "full-at-%" PRIu32 "-hz", p->spi_requested_hz);
	ret->outcome = outcome_of(r, p);
	ret->measurement = p->received_mbit_s;
	ret->units = "Mbit/s";
	if (ret->outcome == T1S_OUTCOME_PASS)
		return;
	if (p->verdict == T1S_VERDICT_UNKNOWN)
		(void)snprintf(ret->message, sizeof(ret->message),
			"no run that can be believed");
	else
		(void)snprintf(ret->message, sizeof(ret->message),
			"%s: %.3f Mbit/s of %.3f%s", t1s_verdict_name(p->verdict),
			p->received_mbit_s, r->best_mbit_s,
			ret->outcome == T1S_OUTCOME_SKIP ? ", below the setting in use"
							 : "");
}

void t1s_case_of(const struct t1s_report *r, size_t i, struct t1s_case *ret)
{
	*ret = (struct t1s_case){.outcome = T1S_OUTCOME_PASS, .measurement = NAN};
	if (i == 0)
		fill_margin(r, ret);
	else if (i <= r->count)
		fill_point(r, &r->points[i - 1], ret);
	else
		fill_drift(r, ret);
}

size_t t1s_cases_of(const struct t1s_report *r, enum t1s_outcome outcome)
{
	size_t n = 0;

	for (size_t i = 0; i < t1s_cases_count(r); i++) {
		struct t1s_case c;

		t1s_case_of(r, i, &c);
		n += c.outcome == outcome;
	}
	return n;
}

static void append(char ret[T1S_SUITE_MAX], const char *text)
{
	size_t n = strlen(ret);

	if (!text[0])
		return;
	(void)snprintf(ret + n, T1S_SUITE_MAX - n, "%s%s", n ? "." : "", text);
	for (; ret[n]; n++)
		if (!isascii((unsigned char)ret[n]) ||
			(!isalnum((unsigned char)ret[n]) && !strchr("-_.", ret[n])))
			ret[n] = '_';
}

void t1s_suite_name(const struct t1s_report_list *l, const struct t1s_report *r,
	char ret[T1S_SUITE_MAX])
{
	ret[0] = '\0';
	if (l->files > 1)
		(void)snprintf(ret, T1S_SUITE_MAX, "%zu", r->file + 1);
	append(ret, r->file_name);
	append(ret, r->workload);
	append(ret, r->direction);
}
