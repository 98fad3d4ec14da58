/* SPDX-License-Identifier: MIT */
#include "base/cleanup.h"
#include "report/fill.h"
#include "report/views.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>

static int write_json(const struct t1s_iperf_result *r, FILE *out)
{
	cleanup_(t1s_json_putp) struct json_object *json = json_object_new_object();
	struct t1s_fill f = {.json = json};

	if (!json)
		return -ENOMEM;
	t1s_fill_text(&f, "status", t1s_run_status_name(r->status));
	t1s_fill_rate(&f, "received_mbit_s", r->received_bps / 1e6);
	t1s_fill_number(&f, "lost_percent", -1, r->lost_percent);
	t1s_fill_known_count(&f, "packets", r->packets);
	t1s_fill_known_count(&f, "lost_packets", r->lost_packets);
	t1s_fill_text(&f, "reason", r->reason);
	t1s_fill_number(&f, "jitter_ms", -1, r->jitter_ms);
	t1s_fill_number(&f, "duration_s", -1, r->duration_s);
	t1s_fill_text(&f, "version", r->version);
	return t1s_fill_write(&f, out);
}

static void write_number(FILE *out, const char *what, double v, const char *unit)
{
	if (isfinite(v))
		(void)fprintf(out, "%s%.6g %s\n", what, v, unit);
	else
		(void)fprintf(out, "%snot known\n", what);
}

static void write_count(FILE *out, const char *what, int64_t n)
{
	if (n >= 0)
		(void)fprintf(out, "%s%" PRId64 "\n", what, n);
	else
		(void)fprintf(out, "%snot known\n", what);
}

static int write_text(const struct t1s_iperf_result *r, FILE *out)
{
	(void)fprintf(out, "status        %s\n", t1s_run_status_name(r->status));
	(void)fprintf(out, "reason        %s\n", r->reason[0] ? r->reason : "-");
	write_number(out, "received      ", r->received_bps / 1e6, "Mbit/s");
	if (r->rate_from_intervals)
		(void)fprintf(out,
			"              (from the intervals: this receiver has no sum "
			"of what was received)\n");
	write_number(out, "loss          ", r->lost_percent, "%");
	write_count(out, "packets       ", r->packets);
	write_count(out, "lost packets  ", r->lost_packets);
	write_number(out, "jitter        ", r->jitter_ms, "ms");
	write_number(out, "duration      ", r->duration_s, "s");
	(void)fprintf(
		out, "version       %s\n", r->version[0] ? r->version : "not known");
	return fflush(out) == 0 && !ferror(out) ? 0 : -EIO;
}

int t1s_view_explain(const struct t1s_iperf_result *r, bool json, FILE *out)
{
	return json ? write_json(r, out) : write_text(r, out);
}
