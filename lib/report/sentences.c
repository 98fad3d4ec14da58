/* SPDX-License-Identifier: MIT */
/* The answer in words, for every format that has any. */
#include "report/report.h"

#include "base/cleanup.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#define LIST_MAX 16       /* frequencies told by one sentence */
#define DRIFT_PERCENT 2.0 /* closing against opening: more is worth a warning */

/* One sentence while it is being made. */
struct sentence {
	FILE *f;
	size_t listed;
};

typedef void (*sentence_fn)(const struct t1s_report *r, struct sentence *s);

static double mhz(uint32_t hz)
{
	return (double)hz / 1e6;
}

/* One more element of a list; those above LIST_MAX are counted only. */
static bool next_in_list(struct sentence *s, const char *separator)
{
	s->listed++;
	if (s->listed > LIST_MAX)
		return false;
	if (s->listed > 1)
		(void)fputs(separator, s->f);
	return true;
}

static void end_list(struct sentence *s)
{
	if (s->listed > LIST_MAX)
		(void)fprintf(s->f, " and %zu more", s->listed - LIST_MAX);
}

static void tell_lowest(const struct t1s_report *r, struct sentence *s)
{
	const uint32_t low = r->lowest_full_hz;

	if (isnan(r->best_mbit_s))
		(void)fputs(
			"No run can be believed, so there is no answer; "
			"\"t1s-sweep explain FILE\" tells why of each file under raw/.",
			s->f);
	else if (low == 0)
		(void)fputs("No request carried any data.", s->f);
	else if (r->count > 1 && low == r->points[r->count - 1].spi_requested_hz)
		(void)fprintf(s->f,
			"Full throughput down to the lowest request, %.3f MHz: the limit "
			"lies below what was measured.",
			mhz(low));
	else
		(void)fprintf(
			s->f, "Lowest request with full throughput: %.3f MHz.", mhz(low));
}

static void tell_specified(const struct t1s_report *r, struct sentence *s)
{
	if (r->lowest_full_hz > 0 && r->lowest_full_hz < r->specified_min_hz)
		(void)fprintf(s->f,
			"That is below %.0f MHz, the least that the chip's device tree "
			"binding allows: a finding, not a recommendation.",
			mhz(r->specified_min_hz));
}

static void tell_margin(const struct t1s_report *r, struct sentence *s)
{
	if (isnan(r->margin))
		return;
	if (r->original_hz < r->lowest_full_hz)
		(void)fprintf(s->f,
			"The original setting, %.3f MHz, lies below that: it costs "
			"throughput.",
			mhz(r->original_hz));
	else if (r->original_hz == r->lowest_full_hz)
		(void)fprintf(s->f,
			"The original setting is that request: it has no margin (1.00).");
	else
		(void)fprintf(s->f,
			"The original setting, %.3f MHz, has a margin of %.2f.",
			mhz(r->original_hz), r->margin);
}

static void tell_best(const struct t1s_report *r, struct sentence *s)
{
	double share;

	if (!(r->best_mbit_s > 0))
		return;
	(void)fprintf(
		s->f, "Best: %.3f Mbit/s at %.3f MHz", r->best_mbit_s, mhz(r->best_hz));
	share = r->best_mbit_s / r->wire_limit_mbit_s;
	if (!isnan(share))
		(void)fprintf(s->f, ", %.1f %% of the wire limit of %.4f Mbit/s",
			100 * share, r->wire_limit_mbit_s);
	(void)fputc('.', s->f);
}

static void tell_not_monotonic(const struct t1s_report *r, struct sentence *s)
{
	if (r->not_monotonic_count == 0)
		return;
	(void)fprintf(s->f, "Not monotonic: not full although above %.3f MHz: ",
		mhz(r->lowest_full_hz));
	for (size_t i = 0; i < r->not_monotonic_count; i++)
		if (next_in_list(s, ", "))
			(void)fprintf(s->f, "%.3f", mhz(r->not_monotonic_hz[i]));
	end_list(s);
	(void)fputs(
		" MHz. Frequency and time of day cannot be told apart here: repeat with "
		"Passes=3 and Order=shuffled before trusting the lowest request.",
		s->f);
}

static void tell_disagreeing(const struct t1s_report *r, struct sentence *s)
{
	for (size_t i = 0; i < r->count; i++) {
		const struct t1s_report_point *p = &r->points[i];

		if (!p->repeats_disagree)
			continue;
		if (s->listed == 0)
			(void)fputs("Runs disagree about the verdict at ", s->f);
		if (next_in_list(s, ", "))
			(void)fprintf(s->f, "%.3f MHz (%.3f to %.3f Mbit/s)",
				mhz(p->spi_requested_hz), p->received_min,
				p->received_max);
	}
	if (s->listed == 0)
		return;
	end_list(s);
	(void)fputs(": the median decides; more repeats make it firmer.", s->f);
}

static void tell_one_clock(const struct t1s_report *r, struct sentence *s)
{
	for (size_t i = 0, n; i < r->count; i += n) {
		n = t1s_report_same_clock(r, i);
		if (n == 1)
			continue;
		if (s->listed == 0)
			(void)fputs("Requests that become one SCLK: ", s->f);
		if (next_in_list(s, "; "))
			(void)fprintf(s->f, "%.3f to %.3f MHz → %.3f MHz",
				mhz(r->points[i].spi_requested_hz),
				mhz(r->points[i + n - 1].spi_requested_hz),
				mhz(r->points[i].sclk_predicted_hz));
	}
	if (s->listed == 0)
		return;
	end_list(s);
	(void)fputs(" (predicted).", s->f);
}

static void tell_failed(const struct t1s_report *r, struct sentence *s)
{
	for (size_t i = 0; i < r->count; i++) {
		const struct t1s_report_point *p = &r->points[i];

		if (p->failed == 0)
			continue;
		if (s->listed == 0)
			(void)fputs("Failed runs, not counted: ", s->f);
		if (next_in_list(s, ", "))
			(void)fprintf(s->f, "%u of %u at %.3f MHz%s", p->failed,
				p->failed + p->runs, mhz(p->spi_requested_hz),
				p->runs ? "" : " (no result there)");
	}
	if (s->listed == 0)
		return;
	end_list(s);
	(void)fputs(". \"t1s-sweep explain FILE\" tells why of a file under raw/.", s->f);
}

/* Of the closing baseline against the opening, in per cent; no "-0.0". */
static double drift_percent(const struct t1s_report *r)
{
	const double change = r->closing_mbit_s / r->opening_mbit_s - 1;
	const double percent = round(1000 * change) / 10;

	return percent == 0 ? 0 : percent;
}

static void tell_closing(const struct t1s_report *r, struct sentence *s)
{
	double drift;

	if (r->closing_runs == 0)
		return;
	if (isnan(r->closing_mbit_s)) {
		(void)fputs(
			"The closing baseline has no run that can be believed.", s->f);
		return;
	}
	(void)fprintf(s->f, "Closing baseline at %.3f MHz: %.3f Mbit/s",
		mhz(r->original_hz), r->closing_mbit_s);
	drift = drift_percent(r);
	if (isnan(r->opening_mbit_s))
		(void)fputs("; there is no opening one to compare it with.", s->f);
	else if (!isfinite(drift))
		(void)fputs(", where the opening carried nothing.", s->f);
	else
		(void)fprintf(s->f, ", %+.1f %% against the opening's %.3f: %s", drift,
			r->opening_mbit_s,
			fabs(drift) > DRIFT_PERCENT
				? "something other than the SPI clock changed during the "
				  "sweep; repeat it."
				: "no drift.");
}

static void tell_unlike(const struct t1s_report *r, struct sentence *s)
{
	if (r->unlike_boots == 0)
		return;
	(void)fprintf(s->f,
		"Not all boots measured the same thing: %s. %u %s unlike those before; "
		"their points cannot be held against the others.",
		r->unlike, r->unlike_boots,
		r->unlike_boots == 1 ? "boot is" : "boots are");
}

static void tell_others(const struct t1s_report *r, struct sentence *s)
{
	if (r->other_rows > 0)
		(void)fprintf(s->f,
			"%" PRId64 " rows of other workloads than \"%s\" are left out.",
			r->other_rows, r->workload);
}

static const sentence_fn sentences[] = {
	tell_lowest,
	tell_specified,
	tell_margin,
	tell_best,
	tell_not_monotonic,
	tell_disagreeing,
	tell_one_clock,
	tell_failed,
	tell_closing,
	tell_unlike,
	tell_others,
};

int t1s_report_sentences(const struct t1s_report *r,
	int (*fn)(const char *sentence, void *data), void *data)
{
	for (size_t i = 0; i < T1S_ELEMENTSOF(sentences); i++) {
		cleanup_free char *text = NULL;
		struct sentence s = {0};
		size_t size;
		int q;

		s.f = open_memstream(&text, &size);
		if (!s.f)
			return -ENOMEM;
		sentences[i](r, &s);
		if (fclose(s.f) != 0)
			return -ENOMEM;
		q = size > 0 ? fn(text, data) : 0;
		if (q < 0)
			return q;
	}
	return 0;
}
