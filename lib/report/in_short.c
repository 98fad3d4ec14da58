/* SPDX-License-Identifier: MIT */
/* The answer in two sentences, in words that need no knowledge of SPI or Ethernet. */
#include "report/report.h"

#include <errno.h>
#include <math.h>

#define ALL_SHARE 0.98 /* of the wire limit: all that it allows */

static void put_mhz(FILE *out, uint32_t hz)
{
	(void)fprintf(out, "%g MHz", (double)hz / 1e6);
}

/* "everything that the cable can carry", or how much of it. */
static void put_best(const struct t1s_report *r, FILE *out)
{
	const double share = r->best_mbit_s / r->wire_limit_mbit_s;

	if (share >= ALL_SHARE)
		(void)fprintf(out,
			"everything that the wire allows, %.2f Mbit/s of payload,",
			r->best_mbit_s);
	else if (isnan(share))
		(void)fprintf(out, "its full %.2f Mbit/s", r->best_mbit_s);
	else
		(void)fprintf(out,
			"its full %.2f Mbit/s, %.0f %% of what the wire allows,",
			r->best_mbit_s, 100 * share);
}

static void put_what_it_carries(const struct t1s_report *r, FILE *out)
{
	(void)fputs("The link carries ", out);
	put_best(r, out);
	(void)fputs(" down to an SPI setting of ", out);
	put_mhz(out, r->lowest_full_hz);
	if (r->count > 1 && r->points[r->count - 1].spi_requested_hz == r->lowest_full_hz)
		(void)fputs(", the lowest that was tried", out);
	(void)fputc('.', out);
}

static size_t count_doubtful(const struct t1s_report *r)
{
	size_t n = 0;

	for (size_t i = 0; i < r->count; i++) {
		const struct t1s_report_point *p = &r->points[i];

		n += p->lower_group || p->groups.low_count ||
		     p->verdict == T1S_VERDICT_UNDECIDED;
	}
	return n + r->not_monotonic_count;
}

static bool each_measured_once(const struct t1s_report *r)
{
	for (size_t i = 0; i < r->count; i++)
		if (r->points[i].runs > 1)
			return false;
	return true;
}

static void put_doubt(const struct t1s_report *r, FILE *out)
{
	const size_t doubtful = count_doubtful(r);

	if (doubtful > 0)
		(void)fprintf(out,
			"; but %zu of the %zu settings gave results that the setting "
			"alone does not explain, and should be measured again before "
			"anyone relies on this",
			doubtful, r->count);
	else if (r->unlike_boots > 0)
		(void)fputs("; but the equipment was not the same throughout, so this "
			    "should be measured again",
			out);
	else if (t1s_report_has_drifted(r))
		(void)fputs("; but the same setting gave another result at the end than "
			    "at the beginning, so this should be measured again",
			out);
	else if (each_measured_once(r))
		(void)fputs("; each setting was measured only once, so this should be "
			    "measured again before anyone relies on it",
			out);
	(void)fputc('.', out);
}

static void put_margin(const struct t1s_report *r, FILE *out)
{
	if (isnan(r->margin)) {
		(void)fputs("Which setting is in use is not known", out);
	} else {
		(void)fputs("The setting in use, ", out);
		put_mhz(out, r->original_hz);
		if (r->margin > 1)
			(void)fprintf(out, ", is %.2f times that and so has a reserve",
				r->margin);
		else if (r->margin < 1)
			(void)fputs(", is lower and costs throughput", out);
		else
			(void)fputs(", is just that and has no reserve", out);
	}
	put_doubt(r, out);
}

/* What was measured without an SPI frequency, or at only one that is not known. */
static void put_without_frequency(const struct t1s_report *r, FILE *out)
{
	const char *bound = t1s_bound_name(r->points[0].bound_by);

	(void)fputs("The link carried ", out);
	put_best(r, out);
	(void)fputs(" at an SPI setting that is not known. ", out);
	if (bound)
		(void)fprintf(out, "What holds it there is the %s.", bound);
	else
		(void)fputs("What holds it there is not known.", out);
}

int t1s_report_in_short(const struct t1s_report *r, FILE *out)
{
	if (isnan(r->best_mbit_s)) {
		(void)fputs("No measurement of this sweep can be believed, so it gives "
			    "no answer. The failed runs have to be looked at first.",
			out);
	} else if (r->best_mbit_s <= 0) {
		(void)fputs("The link carried nothing at any setting that was tried. "
			    "Something other than the SPI setting is wrong.",
			out);
	} else if (r->best_hz == 0) {
		put_without_frequency(r, out);
	} else if (r->lowest_full_hz == 0) {
		(void)fputs("The measurements scatter too much to say which settings "
			    "carry the full throughput. More repeats are needed.",
			out);
	} else {
		put_what_it_carries(r, out);
		(void)fputc(' ', out);
		put_margin(r, out);
	}
	return ferror(out) ? -EIO : 0;
}
