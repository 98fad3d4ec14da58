/* SPDX-License-Identifier: MIT */
#include "base/clock.h"
#include "report/status.h"
#include "sweep/search.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#define LABEL_COLUMNS 11
#define BAR_COLUMNS 24
/* columns of the table beside its bar, a status word included; lines beside its rows */
#define TABLE_COLUMNS 45
#define OTHER_LINES 18
#define ROWS_USUAL 10
#define ROWS_MIN 3

static void put_label(const struct t1s_terminal *t, FILE *out, const char *label)
{
	(void)fprintf(out, "%s%-*s%s", t1s_sgr(t, T1S_BOLD), LABEL_COLUMNS, label,
		t1s_sgr(t, T1S_PLAIN));
}

static void put_line(
	const struct t1s_terminal *t, FILE *out, const char *label, const char *text)
{
	put_label(t, out, label);
	t1s_put_wrapped(out, t, LABEL_COLUMNS, text);
}

static void put_freq(
	const struct t1s_terminal *t, FILE *out, const char *label, uint32_t hz)
{
	char text[32] = "not known";

	if (hz > 0)
		(void)snprintf(text, sizeof(text), "%.3f MHz", (double)hz / 1e6);
	put_line(t, out, label, text);
}

static void put_phase(const struct t1s_terminal *t, FILE *out, const struct t1s_state *st)
{
	char text[sizeof(st->reason) + 32];
	const char *colour = st->phase == T1S_PHASE_STOPPED    ? T1S_RED
			     : st->phase == T1S_PHASE_FINISHED ? T1S_GREEN
							       : "";

	(void)snprintf(text, sizeof(text), "%s%s%s", t1s_phase_name(st->phase),
		st->reason[0] ? ": " : "", st->reason);
	put_label(t, out, "phase");
	(void)fputs(t1s_sgr(t, colour), out);
	t1s_put_wrapped(out, t, LABEL_COLUMNS, text);
	(void)fputs(t1s_sgr(t, colour[0] ? T1S_PLAIN : ""), out);
}

static unsigned int passes(const struct t1s_state *st)
{
	unsigned int most = 0;

	for (size_t i = 0; i < st->plan.count; i++)
		if (st->plan.points[i].pass > most)
			most = st->plan.points[i].pass;
	return most;
}

static void put_point(const struct t1s_terminal *t, FILE *out, const struct t1s_state *st)
{
	const struct t1s_point *p = &st->plan.points[st->point];
	const bool open = t1s_search_is_on(st) && !t1s_state_ended(st);
	char text[160], pass[48] = "";

	if (p->pass == 0)
		(void)snprintf(pass, sizeof(pass), ", %s baseline",
			p->kind == T1S_POINT_OPENING ? "opening" : "closing");
	else if (passes(st) > 1)
		(void)snprintf(
			pass, sizeof(pass), ", pass %u of %u", p->pass, passes(st));
	(void)snprintf(text, sizeof(text), "%zu of %s%zu%s (%.3f MHz)%s", st->point + 1,
		open ? "at most " : "", t1s_state_points(st),
		open ? " unless results disagree" : "", (double)p->freq_hz / 1e6, pass);
	put_line(t, out, "point", text);
}

static void put_end(const struct t1s_terminal *t, FILE *out, const struct t1s_status *s)
{
	const uint64_t now_us = t1s_wall_us();
	char clock[T1S_TIMESTAMP_MAX], left[T1S_TIMESTAMP_MAX];

	if (s->end_wall_us == 0)
		return;
	t1s_format_clock(s->end_wall_us, clock);
	t1s_format_duration(s->end_wall_us > now_us ? s->end_wall_us - now_us : 0, left);
	put_label(t, out, "done about");
	(void)fprintf(out, "%s, in %s\n", clock, left);
}

/* As the report will judge it, as far as is known by now. */
static const char *colour_of(const struct t1s_status *s, double share)
{
	if (isnan(share))
		return "";
	return share >= s->config.full_share     ? T1S_GREEN
	       : share >= s->config.severe_share ? T1S_YELLOW
						 : T1S_RED;
}

static void put_number(FILE *out, int width, int places, double v)
{
	if (isnan(v))
		(void)fprintf(out, "%*s", width, "-");
	else
		(void)fprintf(out, "%*.*f", width, places, v);
}

static void put_row(const struct t1s_terminal *t, FILE *out, const struct t1s_status *s,
	const struct t1s_status_point *p, double best)
{
	const int room = t->columns > 0 ? t->columns - TABLE_COLUMNS : BAR_COLUMNS;
	const double rate = t1s_values_median(&p->received);
	const double share = best > 0 ? rate / best : rate;

	(void)fprintf(out, "%7.3f", (double)p->freq_hz / 1e6);
	put_number(out, 10, 3, rate);
	(void)fprintf(out, "  %s", t1s_sgr(t, colour_of(s, share)));
	t1s_put_bar(out, room < BAR_COLUMNS ? room : BAR_COLUMNS, share);
	(void)fputs(t1s_sgr(t, T1S_PLAIN), out);
	put_number(out, 8, 2, t1s_values_median(&p->lost));
	(void)fprintf(out, "%5u%s%s\n", p->rows, p->last == T1S_RUN_OK ? "" : "  ",
		p->last == T1S_RUN_OK ? "" : t1s_run_status_name(p->last));
}

static size_t rows_shown(const struct t1s_terminal *t, const struct t1s_status *s)
{
	int rows = t->lines > 0 ? t->lines - OTHER_LINES : ROWS_USUAL;

	if (rows < ROWS_MIN)
		rows = ROWS_MIN;
	return s->points_count < (size_t)rows ? s->points_count : (size_t)rows;
}

static void put_results(
	const struct t1s_terminal *t, FILE *out, const struct t1s_status *s)
{
	const size_t shown = rows_shown(t, s);
	const int room = t->columns > 0 ? t->columns - TABLE_COLUMNS : BAR_COLUMNS;
	const int bar = room < 0 ? 0 : room < BAR_COLUMNS ? room : BAR_COLUMNS;
	double best = 0;

	if (shown == 0)
		return;
	for (size_t i = 0; i < s->points_count; i++)
		best = fmax(best, t1s_values_median(&s->points[i].received));
	(void)fprintf(out, "\n%s%7s%10s  %-*s%8s%5s%s\n", t1s_sgr(t, T1S_BOLD), "MHz",
		"Mbit/s", bar, "", "loss %", "runs", t1s_sgr(t, T1S_PLAIN));
	for (size_t i = s->points_count - shown; i < s->points_count; i++)
		put_row(t, out, s, &s->points[i], best);
	if (s->other_workloads)
		(void)fprintf(out, "of the workload %s; the others: t1s-sweep report\n",
			s->workload);
}

static void put_sweep(const struct t1s_terminal *t, FILE *out, const struct t1s_status *s)
{
	const struct t1s_state *st = &s->state;
	char text[1024];

	put_line(t, out, "sweep", st->sweep_id);
	if (s->damaged)
		put_line(t, out, "",
			"state.json is damaged or missing; this is its previous copy");
	put_phase(t, out, st);
	put_point(t, out, st);
	t1s_status_sentence(s, text, sizeof(text));
	if (text[0])
		put_line(t, out, "now", text);
	put_freq(t, out, "expected", st->expected_hz);
	put_freq(t, out, "live", s->live_hz);
	if (s->next_hz > 0)
		put_freq(t, out, "next", s->next_hz);
	put_freq(t, out, "original", st->original_hz);
	(void)snprintf(text, sizeof(text), "%u", st->boots);
	put_line(t, out, "boots", text);
	put_end(t, out, s);
	/* never wrapped: it is to be copied */
	put_label(t, out, "results");
	(void)fprintf(out, "/var/lib/t1s-sweep/results/%s/results.csv\n", st->sweep_id);
	put_results(t, out, s);
}

int t1s_status_write_text(
	const struct t1s_status *s, const struct t1s_terminal *t, FILE *out)
{
	if (!s->have_state)
		(void)fprintf(out,
			"No sweep was ever begun here. To begin one: sudo systemctl "
			"enable t1s-sweep && sudo reboot\n");
	else
		put_sweep(t, out, s);
	return fflush(out) == 0 && !ferror(out) ? 0 : -EIO;
}
