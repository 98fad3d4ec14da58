/* SPDX-License-Identifier: MIT */
/* What was not tested, or is not known, in words. */
#include "report/sentences.h"

#include "base/cleanup.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

#define FITS 0.0005 /* PLCA's 32 bit times make 0.0026 */

static unsigned int most_runs(const struct t1s_report *r)
{
	unsigned int most = 0;

	for (size_t i = 0; i < r->count; i++)
		most = r->points[i].runs > most ? r->points[i].runs : most;
	return most;
}

static const char *condition(const struct t1s_report *r, const char *name)
{
	for (size_t i = 0; i < r->conditions_count; i++)
		if (strcmp(r->conditions[i].name, name) == 0)
			return r->conditions[i].value;
	return NULL;
}

static void tell_repeats(const struct t1s_report *r, struct t1s_sentence *s)
{
	if (most_runs(r) <= 1)
		(void)fputs("Each point was measured once: nothing is known about how "
			    "much results scatter, and what changed with time cannot be "
			    "told from what changed with frequency.",
			s->f);
	else if (r->passes == 1)
		(void)fputs("All runs of a point were made in one pass: what disturbs a "
			    "whole boot is not seen by repeating within it.",
			s->f);
}

static void tell_order(const struct t1s_report *r, struct t1s_sentence *s)
{
	if (r->count > 1 && r->seed < 0 && most_runs(r) > 1)
		(void)fputs("The points were not measured in a shuffled order, as far as "
			    "is known: a slow change looks like an effect of the "
			    "frequency.",
			s->f);
}

static void tell_workload(const struct t1s_report *r, struct t1s_sentence *s)
{
	const double asked = r->count > 0 ? r->points[0].asked_mbit_s : NAN;

	(void)fputs("Tested with ", s->f);
	if (strcmp(r->protocol, "tcp") == 0)
		(void)fputs("one TCP connection", s->f);
	else
		(void)fprintf(s->f, "%s of %" PRIu32 " bytes",
			strcmp(r->protocol, "udp") == 0 ? "UDP datagrams"
							: "Ethernet frames",
			r->length_bytes);
	if (!isnan(asked))
		(void)fprintf(s->f, " at %g Mbit/s", asked);
	if (r->direction[0])
		(void)fprintf(s->f, ", direction %s", r->direction);
	(void)fputs(" only: other sizes, protocols, rates or directions may come out "
		    "better or worse.",
		s->f);
}

static void tell_hardware(const struct t1s_report *r, struct t1s_sentence *s)
{
	(void)fputs("One board, one chip, one cable and one sender", s->f);
	if (!isnan(r->temperature_min_c))
		(void)fprintf(s->f, ", at %.1f to %.1f °C of the processor",
			r->temperature_min_c, r->temperature_max_c);
	(void)fputs(": another sample, a longer cable or more nodes may differ.", s->f);
}

static void tell_range(const struct t1s_report *r, struct t1s_sentence *s)
{
	if (r->count > 1 && r->points[r->count - 1].spi_requested_hz > 0)
		(void)fprintf(s->f,
			"Nothing is known below %g MHz, above %g MHz, and between the "
			"requests that were measured.",
			t1s_mhz(r->points[r->count - 1].spi_requested_hz),
			t1s_mhz(r->points[0].spi_requested_hz));
}

static void tell_sclk(const struct t1s_report *r, struct t1s_sentence *s)
{
	bool predicted = false;

	if (r->best_hz == 0)
		return;
	for (size_t i = 0; i < r->count; i++)
		predicted = predicted || r->points[i].sclk_predicted_hz;
	(void)fputs(predicted ? "The SCLK is predicted from the controller's divider and "
				"its nominal or configured clock; nobody measured it."
			      : "Which SCLK the controller made of the requests is not "
				"known.",
		s->f);
}

static void tell_plca(const struct t1s_report *r, struct t1s_sentence *s)
{
	const char *plca = condition(r, "PLCA");

	if (r->plca_overhead_bits == 0)
		return;
	if (!plca)
		(void)fprintf(s->f,
			"Whether PLCA was on is not known; the wire limit assumes it, "
			"with %" PRIu32 " bit times per frame%s.",
			r->plca_overhead_bits,
			fabs(r->best_mbit_s / r->wire_limit_mbit_s - 1) <= FITS
				? ", and the best rate fits that"
				: "");
	else if (strncmp(plca, "on", 2) != 0)
		(void)fprintf(s->f,
			"PLCA is recorded as \"%s\", and the wire limit assumes it all "
			"the same: set PlcaOverhead=0.",
			plca);
}

static void tell_cpu(const struct t1s_report *r, struct t1s_sentence *s)
{
	for (size_t i = 0; i < r->count; i++)
		if (!isnan(r->points[i].cpu_core_percent))
			return;
	(void)fputs("The CPU load was not recorded, so that it cannot be ruled out as "
		    "what limits a point.",
		s->f);
}

static void tell_drift(const struct t1s_report *r, struct t1s_sentence *s)
{
	if (isnan(t1s_report_drift_percent(r)) && r->count > 1)
		(void)fputs("The original setting was not measured again at the end: "
			    "whether anything drifted is not known.",
			s->f);
}

static void tell_dates(const struct t1s_report *r, struct t1s_sentence *s)
{
	if (r->clock_synchronised == 0)
		(void)fputs("The clock was not synchronised at all rows: the dates may "
			    "be wrong.",
			s->f);
}

const t1s_sentence_fn t1s_limits[] = {
	tell_repeats,
	tell_order,
	tell_workload,
	tell_hardware,
	tell_range,
	tell_sclk,
	tell_plca,
	tell_cpu,
	tell_drift,
	tell_dates,
	NULL,
};
