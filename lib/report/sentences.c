/* SPDX-License-Identifier: MIT */
/* The answer in words, for every format that has any. */
#include "report/sentences.h"

#include "base/cleanup.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#define LIST_MAX 16 /* elements told by one sentence */
#define RANGE_MIN 3 /* neighbours that are told as "A to B" */

double t1s_mhz(uint32_t hz)
{
	return (double)hz / 1e6;
}

bool t1s_list_next(struct t1s_sentence *s, const char *separator)
{
	s->listed++;
	if (s->listed > LIST_MAX)
		return false;
	if (s->listed > 1)
		(void)fputs(separator, s->f);
	return true;
}

void t1s_list_end(struct t1s_sentence *s)
{
	if (s->listed > LIST_MAX)
		(void)fprintf(s->f, " and %zu more", s->listed - LIST_MAX);
}

size_t t1s_list_points(const struct t1s_report *r, struct t1s_sentence *s,
	t1s_point_is_fn is, const void *data)
{
	size_t first = r->count;

	for (size_t i = 0, n; i < r->count; i += n) {
		n = 1;
		if (!is(r, i, data))
			continue;
		first = first < r->count ? first : i;
		while (i + n < r->count && is(r, i + n, data))
			n++;
		n = n < RANGE_MIN ? 1 : n;
		if (!t1s_list_next(s, ", "))
			continue;
		(void)fprintf(s->f, "%.3f", t1s_mhz(r->points[i].spi_requested_hz));
		if (n > 1)
			(void)fprintf(s->f, " to %.3f",
				t1s_mhz(r->points[i + n - 1].spi_requested_hz));
	}
	if (first < r->count) {
		t1s_list_end(s);
		(void)fputs(" MHz", s->f);
	}
	return first;
}

static bool has_frequency(const struct t1s_report *r)
{
	return r->count > 0 && r->points[0].spi_requested_hz > 0;
}

static void tell_lowest(const struct t1s_report *r, struct t1s_sentence *s)
{
	const uint32_t low = r->lowest_full_hz;

	if (isnan(r->best_mbit_s))
		(void)fputs(
			"No run can be believed, so there is no answer; "
			"\"t1s-sweep explain FILE\" tells why of each file under raw/.",
			s->f);
	else if (r->best_mbit_s <= 0)
		(void)fputs("No request carried any data.", s->f);
	else if (!has_frequency(r))
		return;
	else if (low == 0)
		(void)fputs("No request is known to have full throughput.", s->f);
	else if (r->count > 1 && low == r->points[r->count - 1].spi_requested_hz)
		(void)fprintf(s->f,
			"Full throughput down to the lowest request, %.3f MHz: the limit "
			"lies below what was measured.",
			t1s_mhz(low));
	else
		(void)fprintf(s->f, "Lowest request with full throughput: %.3f MHz.",
			t1s_mhz(low));
}

static void tell_undecided(const struct t1s_report *r, struct t1s_sentence *s)
{
	const double line = r->full_share * r->best_mbit_s;

	for (size_t i = 0; i < r->count; i++) {
		const struct t1s_report_point *p = &r->points[i];

		if (p->verdict != T1S_VERDICT_UNDECIDED)
			continue;
		if (s->listed == 0)
			(void)fprintf(s->f,
				"Full or not is undecided where the 95 %% interval holds "
				"the line of %.3f Mbit/s: ",
				line);
		if (t1s_list_next(s, ", "))
			(void)fprintf(s->f, "%.3f MHz (%.3f to %.3f)",
				t1s_mhz(p->spi_requested_hz), p->received_interval.low,
				p->received_interval.high);
	}
	if (s->listed == 0)
		return;
	t1s_list_end(s);
	(void)fputs(". More repeats or passes decide it.", s->f);
}

static void tell_specified(const struct t1s_report *r, struct t1s_sentence *s)
{
	if (r->lowest_full_hz > 0 && r->lowest_full_hz < r->specified_min_hz)
		(void)fprintf(s->f,
			"That is below %.0f MHz, the least that the chip's device tree "
			"binding allows: a finding, not a recommendation.",
			t1s_mhz(r->specified_min_hz));
}

static void tell_margin(const struct t1s_report *r, struct t1s_sentence *s)
{
	if (isnan(r->margin))
		return;
	if (r->original_hz < r->lowest_full_hz)
		(void)fprintf(s->f,
			"The original setting, %.3f MHz, lies below that: it costs "
			"throughput.",
			t1s_mhz(r->original_hz));
	else if (r->original_hz == r->lowest_full_hz)
		(void)fprintf(s->f,
			"The original setting is that request: it has no margin (1.00).");
	else
		(void)fprintf(s->f,
			"The original setting, %.3f MHz, has a margin of %.2f.",
			t1s_mhz(r->original_hz), r->margin);
}

static void tell_best(const struct t1s_report *r, struct t1s_sentence *s)
{
	double share;

	if (!(r->best_mbit_s > 0))
		return;
	if (has_frequency(r))
		(void)fprintf(s->f, "Best: %.3f Mbit/s at %.3f MHz", r->best_mbit_s,
			t1s_mhz(r->best_hz));
	else
		(void)fprintf(s->f, "Received: %.3f Mbit/s", r->best_mbit_s);
	share = r->best_mbit_s / r->wire_limit_mbit_s;
	if (!isnan(share))
		(void)fprintf(s->f, ", %.1f %% of the wire limit of %.4f Mbit/s",
			100 * share, r->wire_limit_mbit_s);
	(void)fputc('.', s->f);
}

static bool is_bound_by(const struct t1s_report *r, size_t i, const void *data)
{
	const enum t1s_bound *b = data;

	return r->points[i].bound_by == *b && r->points[i].runs > 0;
}

static void tell_bound(const struct t1s_report *r, struct t1s_sentence *s,
	enum t1s_bound bound, const char *what)
{
	size_t first = 0;

	while (first < r->count && !is_bound_by(r, first, &bound))
		first++;
	if (first == r->count)
		return;
	(void)fputs(what, s->f);
	if (has_frequency(r)) {
		(void)fputs(" at ", s->f);
		(void)t1s_list_points(r, s, is_bound_by, &bound);
	}
	if (s->listed > 1)
		(void)fprintf(s->f, "; at %.3f MHz",
			t1s_mhz(r->points[first].spi_requested_hz));
	(void)fprintf(s->f, ": %s.", r->points[first].bound_because);
}

static void tell_wire_bound(const struct t1s_report *r, struct t1s_sentence *s)
{
	tell_bound(r, s, T1S_BOUND_WIRE, "Bound by the wire");
}

static void tell_sender_bound(const struct t1s_report *r, struct t1s_sentence *s)
{
	tell_bound(r, s, T1S_BOUND_SENDER, "Bound by the sender");
}

static void tell_cpu_bound(const struct t1s_report *r, struct t1s_sentence *s)
{
	tell_bound(r, s, T1S_BOUND_CPU, "Bound by the CPU");
}

static void tell_spi_bound(const struct t1s_report *r, struct t1s_sentence *s)
{
	tell_bound(r, s, T1S_BOUND_SPI, "Bound by the SPI");
}

static void tell_unknown_bound(const struct t1s_report *r, struct t1s_sentence *s)
{
	tell_bound(r, s, T1S_BOUND_UNKNOWN, "Not known what bounds it");
}

static const t1s_sentence_fn answer[] = {
	tell_lowest,
	tell_undecided,
	tell_specified,
	tell_margin,
	tell_best,
	tell_wire_bound,
	tell_sender_bound,
	tell_cpu_bound,
	tell_spi_bound,
	tell_unknown_bound,
	NULL,
};

typedef int (*take_fn)(const char *sentence, void *data);

static int make_sentence(
	const struct t1s_report *r, t1s_sentence_fn make, take_fn take, void *data)
{
	cleanup_free char *text = NULL;
	struct t1s_sentence s = {0};
	size_t size;

	s.f = open_memstream(&text, &size);
	if (!s.f)
		return -ENOMEM;
	make(r, &s);
	if (fclose(s.f) != 0)
		return -ENOMEM;
	return size > 0 ? take(text, data) : 0;
}

static int make_sentences(const struct t1s_report *r, const t1s_sentence_fn *makers,
	take_fn take, void *data)
{
	for (; *makers; makers++) {
		const int q = make_sentence(r, *makers, take, data);

		if (q < 0)
			return q;
	}
	return 0;
}

int t1s_report_sentences(const struct t1s_report *r, take_fn fn, void *data)
{
	const int q = make_sentences(r, answer, fn, data);

	return q < 0 ? q : make_sentences(r, t1s_doubts, fn, data);
}

int t1s_report_limits(const struct t1s_report *r, take_fn fn, void *data)
{
	return make_sentences(r, t1s_limits, fn, data);
}
