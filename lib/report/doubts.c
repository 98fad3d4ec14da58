/* SPDX-License-Identifier: MIT */
/* What should be looked at twice before the answer is believed, in words. */
#include "report/sentences.h"

#include "report/bound.h"

#include <inttypes.h>
#include <math.h>

#define ABOVE_WIRE                                                                       \
	1.03 /* of its limit; TCP that acknowledges seldom may be 2.8 % above */
#define DIFFER_SHARE 0.02 /* of the faster: one clock, and yet not one rate */

static void tell_not_monotonic(const struct t1s_report *r, struct t1s_sentence *s)
{
	if (r->not_monotonic_count == 0)
		return;
	(void)fprintf(s->f, "Not monotonic: not full although above %.3f MHz: ",
		t1s_mhz(r->lowest_full_hz));
	for (size_t i = 0; i < r->not_monotonic_count; i++)
		if (t1s_list_next(s, ", "))
			(void)fprintf(s->f, "%.3f", t1s_mhz(r->not_monotonic_hz[i]));
	t1s_list_end(s);
	(void)fputs(
		" MHz. Frequency and time of day cannot be told apart here: repeat with "
		"Passes=3 and Order=shuffled before trusting the lowest request.",
		s->f);
}

/* Mean over points of one of the two groups: of their loss, or of their lost packets. */
struct group_means {
	double lost_percent, lost_packets;
};

static struct group_means means_of(const struct t1s_report *r, bool lower)
{
	struct group_means m = {0, 0};
	double n = 0;

	for (size_t i = 0; i < r->count; i++) {
		const struct t1s_report_point *p = &r->points[i];

		if (!p->on_plateau || p->lower_group != lower)
			continue;
		m.lost_percent += p->lost_percent;
		m.lost_packets += p->means[T1S_MEAN_LOST_PACKETS];
		n++;
	}
	m.lost_percent /= n;
	m.lost_packets /= n;
	return m;
}

static bool is_in_group(const struct t1s_report *r, size_t i, const void *data)
{
	const bool *lower = data;

	return r->points[i].on_plateau && r->points[i].lower_group == *lower;
}

static void put_group(
	const struct t1s_report *r, struct t1s_sentence *s, double rate, bool lower)
{
	const struct group_means m = means_of(r, lower);

	s->listed = 0;
	(void)t1s_list_points(r, s, is_in_group, &lower);
	(void)fprintf(s->f, " at %.3f Mbit/s", rate);
	if (!isnan(m.lost_percent))
		(void)fprintf(s->f, " with %.2f %% loss", m.lost_percent);
	if (!isnan(m.lost_packets))
		(void)fprintf(s->f, " (%.0f packets)", m.lost_packets);
}

static void tell_plateau_groups(const struct t1s_report *r, struct t1s_sentence *s)
{
	if (r->plateau.low_count == 0)
		return;
	(void)fputs("The full points fall into two groups: ", s->f);
	put_group(r, s, r->plateau.high, false);
	(void)fputs(", ", s->f);
	put_group(r, s, r->plateau.low, true);
	(void)fputs(". Frequency does not explain that, since slower requests are in the "
		    "better group: repeat the worse ones before believing them.",
		s->f);
}

static void tell_run_groups(const struct t1s_report *r, struct t1s_sentence *s)
{
	for (size_t i = 0; i < r->count; i++) {
		const struct t1s_report_point *p = &r->points[i];

		if (p->groups.low_count == 0)
			continue;
		if (s->listed == 0)
			(void)fputs("Runs fall into two groups at ", s->f);
		if (t1s_list_next(s, ", "))
			(void)fprintf(s->f,
				"%.3f MHz (%zu around %.3f, %zu around %.3f Mbit/s)",
				t1s_mhz(p->spi_requested_hz), p->groups.low_count,
				p->groups.low, p->groups.high_count, p->groups.high);
	}
	if (s->listed == 0)
		return;
	t1s_list_end(s);
	(void)fputs(": the median is one of the two by chance.", s->f);
}

static void tell_disagreeing(const struct t1s_report *r, struct t1s_sentence *s)
{
	for (size_t i = 0; i < r->count; i++) {
		const struct t1s_report_point *p = &r->points[i];

		if (!p->repeats_disagree)
			continue;
		if (s->listed == 0)
			(void)fputs("Runs disagree about the verdict at ", s->f);
		if (t1s_list_next(s, ", "))
			(void)fprintf(s->f, "%.3f MHz (%.3f to %.3f Mbit/s)",
				t1s_mhz(p->spi_requested_hz), p->received_min,
				p->received_max);
	}
	if (s->listed == 0)
		return;
	t1s_list_end(s);
	(void)fputs(": more repeats make it firmer.", s->f);
}

static void tell_one_clock(const struct t1s_report *r, struct t1s_sentence *s)
{
	for (size_t i = 0, n; i < r->count; i += n) {
		n = t1s_report_same_clock(r, i);
		if (n == 1)
			continue;
		if (s->listed == 0)
			(void)fputs("Requests that become one SCLK: ", s->f);
		if (t1s_list_next(s, "; "))
			(void)fprintf(s->f, "%.3f to %.3f MHz → %.3f MHz",
				t1s_mhz(r->points[i].spi_requested_hz),
				t1s_mhz(r->points[i + n - 1].spi_requested_hz),
				t1s_mhz(r->points[i].sclk_predicted_hz));
	}
	if (s->listed == 0)
		return;
	t1s_list_end(s);
	(void)fputs(" (predicted).", s->f);
}

static void tell_read_as_one_clock(const struct t1s_report *r, struct t1s_sentence *s)
{
	for (size_t i = 0; i < r->count; i++) {
		const struct t1s_report_point *p = &r->points[i];

		if (!p->reads_as_next)
			continue;
		if (s->listed == 0)
			(void)fputs("Requests that read as one clock, while their "
				    "neighbours differ: ",
				s->f);
		if (t1s_list_next(s, "; "))
			(void)fprintf(s->f, "%.3f and %.3f MHz (%.3f and %.3f Mbit/s)",
				t1s_mhz(p[0].spi_requested_hz),
				t1s_mhz(p[1].spi_requested_hz), p[0].received_mbit_s,
				p[1].received_mbit_s);
	}
	if (s->listed == 0)
		return;
	t1s_list_end(s);
	(void)fputs(
		". --controller= predicts which requests the divider makes one.", s->f);
}

static void tell_one_clock_two_rates(const struct t1s_report *r, struct t1s_sentence *s)
{
	for (size_t i = 0; i + 1 < r->count; i++) {
		const struct t1s_report_point *p = &r->points[i];
		const double a = p[0].received_mbit_s, b = p[1].received_mbit_s;

		if (t1s_report_same_clock(r, i) == 1 ||
			!(fabs(a - b) > DIFFER_SHARE * fmax(a, b)))
			continue;
		if (s->listed == 0)
			(void)fputs("One SCLK, and yet not one rate: ", s->f);
		if (t1s_list_next(s, "; "))
			(void)fprintf(s->f, "%.3f and %.3f MHz (%.3f and %.3f Mbit/s)",
				t1s_mhz(p[0].spi_requested_hz),
				t1s_mhz(p[1].spi_requested_hz), a, b);
	}
	if (s->listed == 0)
		return;
	t1s_list_end(s);
	(void)fputs(": it was not the SPI clock that made the difference.", s->f);
}

static bool is_above_ceiling(const struct t1s_report *r, size_t i, const void *data)
{
	(void)data;
	return t1s_report_above_ceiling(&r->points[i]);
}

static void tell_above_ceiling(const struct t1s_report *r, struct t1s_sentence *s)
{
	const size_t first = t1s_list_points(r, s, is_above_ceiling, NULL);

	if (first < r->count)
		(void)fputs(": more came through than the predicted SCLK can carry, so "
			    "the prediction is wrong; see SpiClock=.",
			s->f);
}

static bool is_above_wire(const struct t1s_report *r, size_t i, const void *data)
{
	(void)data;
	return r->points[i].wire_share > ABOVE_WIRE;
}

static void tell_above_wire(const struct t1s_report *r, struct t1s_sentence *s)
{
	const size_t first = t1s_list_points(r, s, is_above_wire, NULL);

	if (first < r->count)
		(void)fprintf(s->f,
			": %.3f Mbit/s are more than the wire limit of %.4f, so that the "
			"link is another than LinkRate= and PlcaOverhead= say, or packets "
			"came twice.",
			r->points[first].received_mbit_s, r->wire_limit_mbit_s);
}

static void tell_failed(const struct t1s_report *r, struct t1s_sentence *s)
{
	for (size_t i = 0; i < r->count; i++) {
		const struct t1s_report_point *p = &r->points[i];

		if (p->failed == 0)
			continue;
		if (s->listed == 0)
			(void)fputs("Failed runs, not counted: ", s->f);
		if (t1s_list_next(s, ", "))
			(void)fprintf(s->f, "%u of %u at %.3f MHz%s", p->failed,
				p->failed + p->runs, t1s_mhz(p->spi_requested_hz),
				p->runs ? "" : " (no result there)");
	}
	if (s->listed == 0)
		return;
	t1s_list_end(s);
	(void)fputs(". \"t1s-sweep explain FILE\" tells why of a file under raw/.", s->f);
}

static void tell_closing(const struct t1s_report *r, struct t1s_sentence *s)
{
	const double drift = t1s_report_drift_percent(r);

	if (r->closing_runs == 0)
		return;
	if (isnan(r->closing_mbit_s)) {
		(void)fputs(
			"The closing baseline has no run that can be believed.", s->f);
		return;
	}
	(void)fprintf(s->f, "Closing baseline at %.3f MHz: %.3f Mbit/s",
		t1s_mhz(r->original_hz), r->closing_mbit_s);
	if (isnan(r->opening_mbit_s))
		(void)fputs("; there is no opening one to compare it with.", s->f);
	else if (isnan(drift))
		(void)fputs(", where the opening carried nothing.", s->f);
	else
		(void)fprintf(s->f, ", %+.1f %% against the opening's %.3f: %s", drift,
			r->opening_mbit_s,
			t1s_report_has_drifted(r)
				? "something other than the SPI clock changed during the "
				  "sweep; repeat it."
				: "no drift.");
}

static void tell_unlike(const struct t1s_report *r, struct t1s_sentence *s)
{
	if (r->unlike_boots == 0)
		return;
	(void)fprintf(s->f,
		"Not all boots measured the same thing: %s. %u %s unlike those before; "
		"their points cannot be held against the others.",
		r->unlike, r->unlike_boots,
		r->unlike_boots == 1 ? "boot is" : "boots are");
}

static void tell_others(const struct t1s_report *r, struct t1s_sentence *s)
{
	if (r->other_rows > 0)
		(void)fprintf(s->f,
			"%" PRId64 " rows of further workloads are left out: a report "
			"holds at most %d.",
			r->other_rows, T1S_REPORT_SERIES_MAX);
}

const t1s_sentence_fn t1s_doubts[] = {
	tell_not_monotonic,
	tell_plateau_groups,
	tell_run_groups,
	tell_disagreeing,
	tell_one_clock,
	tell_read_as_one_clock,
	tell_one_clock_two_rates,
	tell_above_ceiling,
	tell_above_wire,
	tell_failed,
	tell_closing,
	tell_unlike,
	tell_others,
	NULL,
};
