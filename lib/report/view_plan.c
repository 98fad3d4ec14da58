/* SPDX-License-Identifier: MIT */
#include "base/cleanup.h"
#include "base/clock.h"
#include "board/chips.h"
#include "board/spi.h"
#include "link/wire.h"
#include "report/fill.h"
#include "report/views.h"
#include "sweep/predict.h"
#include "sweep/schedule.h"
#include "sweep/search.h"
#include "sweep/target.h"

#include <errno.h>
#include <math.h>
#include <string.h>

struct plan_view {
	struct t1s_state state;   /* as a sweep begun now would have it */
	struct t1s_plan requests; /* all, the highest first */
	struct t1s_predictor predictor;
	uint32_t live_hz; /* 0 unknown */
	/* of the first workload, which decides */
	const struct t1s_workload *workload;
	double wire_limit_bps;
	unsigned int workloads, runs; /* at each point; of a search, at least */
	const struct t1s_chip *chip;  /* NULL: not known */
	uint64_t duration_us;
	bool original_known, under_way;
};

static bool is_search(const struct plan_view *v)
{
	return t1s_search_is_on(&v->state);
}

/* Every request once, to see which of them are not measured. */
static int gather_requests(
	const struct t1s_config *c, struct plan_view *v, struct t1s_error *e)
{
	struct t1s_config all = *c;

	all.search = T1S_SEARCH_ALL;
	all.skip_equal_clock = false;
	all.order = T1S_ORDER_DESCENDING;
	all.passes = 1;
	all.closing_baseline = false;
	all.opening_baseline = 0;
	return t1s_plan_make(&all, v->state.original_hz, 1, NULL, NULL, &v->requests, e);
}

static int gather_points(
	const struct t1s_config *c, struct plan_view *v, struct t1s_error *e)
{
	int r = t1s_search_make(c, 1, t1s_predict_sclk_hz, &v->predictor, &v->state, e);

	if (r == 0)
		r = gather_requests(c, v, e);
	if (r < 0)
		t1s_state_done(&v->state);
	return r;
}

/* The next request from index @i on that another one of the same SCLK stands for; the
 * count if there is none. */
static size_t next_left_out(const struct plan_view *v, size_t i)
{
	while (i < v->requests.count &&
		(t1s_plan_has(&v->state.plan, v->requests.points[i].freq_hz) ||
			t1s_state_is_candidate(&v->state, v->requests.points[i].freq_hz)))
		i++;
	return i;
}

/* What is listed: the plan, of a search what it chooses from. */
static size_t lines(const struct plan_view *v)
{
	return is_search(v) ? v->state.search.count : v->state.plan.count;
}

static struct t1s_point line(const struct plan_view *v, size_t i)
{
	if (!is_search(v))
		return v->state.plan.points[i];
	return (struct t1s_point){
		.freq_hz = v->state.search.candidates[i].freq_hz, .pass = 1};
}

static double wire_limit_bps(const struct t1s_config *c, const struct t1s_workload *w)
{
	const uint32_t plca = c->plca_overhead_bits;

	if (c->link_rate_bps <= 0)
		return NAN;
	if (w->protocol == T1S_PROTOCOL_UDP)
		return t1s_wire_limit_udp_bps(c->link_rate_bps, w->length_bytes, plca, 0);
	/* a medium with PLCA is shared by both directions */
	return t1s_wire_limit_tcp_bps(
		c->link_rate_bps, plca, 0, plca > 0 ? T1S_TCP_SEGMENTS_PER_ACK : 0);
}

/*
 * The sweep under way has changed what is live. Without a live node (another machine, a
 * HAT not loaded yet) the start is the original.
 */
static void gather_original(const char *root, const struct t1s_config *c,
	const struct t1s_live_node *live, struct plan_view *v)
{
	struct t1s_state last;
	bool damaged;

	v->state.original_hz = v->original_known ? live->freq_hz : c->start_hz;
	if (t1s_state_load(root, &last, &damaged, NULL) < 0)
		return;
	v->state.boot_times = last.boot_times;
	v->under_way = !t1s_state_ended(&last);
	if (v->under_way)
		v->state.original_hz = last.original_hz;
	v->original_known = v->original_known || v->under_way;
	t1s_state_done(&last);
}

static int gather(const char *root, const struct t1s_config *c, struct plan_view *v,
	struct t1s_error *e)
{
	struct t1s_live_node live = {.controller = ""};

	v->original_known = t1s_live_find(root, &c->match, &live, NULL) == 0;
	v->live_hz = v->original_known ? live.freq_hz : 0;
	t1s_predictor_init(&v->predictor, root, c->spi_clk_hz, live.controller);
	gather_original(root, c, &live, v);
	v->chip = t1s_chip_find(c->match.compatible);
	v->workload = &c->workloads[0];
	v->wire_limit_bps = wire_limit_bps(c, v->workload);
	v->workloads = c->workloads_count;
	for (unsigned int i = 0; i < c->workloads_count; i++)
		v->runs += t1s_plan_repeats(c, c->search == T1S_SEARCH_KNEE, i);
	return gather_points(c, v, e);
}

static double ceiling_mbit_s(const struct plan_view *v, uint32_t sclk_hz)
{
	double bps = 0;

	if (v->chip && v->workload->protocol == T1S_PROTOCOL_UDP)
		bps = t1s_spi_ceiling_bps(
			&v->chip->framing, sclk_hz, v->workload->length_bytes);
	else if (v->chip)
		bps = t1s_spi_ceiling_tcp_bps(&v->chip->framing, sclk_hz);
	return bps > 0 ? bps / 1e6 : NAN;
}

static void append_point(struct t1s_fill *a, struct plan_view *v, size_t i)
{
	const struct t1s_point p = line(v, i);
	struct t1s_fill f = {.json = json_object_new_object()};
	uint32_t sclk_hz = t1s_predict_sclk_hz(p.freq_hz, &v->predictor);

	if (!f.json) {
		a->r = -ENOMEM;
		return;
	}
	t1s_fill_hz(&f, "spi_requested_hz", p.freq_hz);
	t1s_fill_count(&f, "pass", p.pass);
	t1s_fill_hz(&f, "sclk_predicted_hz", sclk_hz);
	t1s_fill_rate(&f, "spi_ceiling_mbit_s", ceiling_mbit_s(v, sclk_hz));
	t1s_fill_append(a, f.json, f.r);
}

static void append_left_out(struct t1s_fill *a, struct plan_view *v, size_t i)
{
	const uint32_t freq_hz = v->requests.points[i].freq_hz;
	struct t1s_fill f = {.json = json_object_new_object()};

	if (!f.json) {
		a->r = -ENOMEM;
		return;
	}
	t1s_fill_hz(&f, "spi_requested_hz", freq_hz);
	t1s_fill_hz(&f, "sclk_predicted_hz", t1s_predict_sclk_hz(freq_hz, &v->predictor));
	t1s_fill_append(a, f.json, f.r);
}

static int write_json(struct plan_view *v, FILE *out)
{
	cleanup_(t1s_json_putp) struct json_object *json = json_object_new_object();
	struct t1s_fill f = {.json = json};
	struct t1s_fill a = {.json = json_object_new_array()};
	struct t1s_fill left_out = {.json = json_object_new_array()};

	if (!json || !a.json || !left_out.json) {
		json_object_put(a.json);
		json_object_put(left_out.json);
		return -ENOMEM;
	}
	for (size_t i = 0; i < lines(v); i++)
		append_point(&a, v, i);
	for (size_t i = next_left_out(v, 0); i < v->requests.count;
		i = next_left_out(v, i + 1))
		append_left_out(&left_out, v, i);
	t1s_fill_filled(&f, "points", &a);
	t1s_fill_filled(&f, "left_out", &left_out);
	t1s_fill_text(&f, "search", is_search(v) ? "knee" : "all");
	t1s_fill_count(&f, "points_max", (int64_t)t1s_state_points(&v->state));
	t1s_fill_hz(&f, "live_hz", v->live_hz);
	t1s_fill_text(&f, "controller", v->predictor.controller);
	t1s_fill_known_count(&f, "spi_clock_hz",
		v->predictor.clk_hz ? (int64_t)v->predictor.clk_hz : -1);
	t1s_fill_count(&f, "runs_per_point", v->runs);
	t1s_fill_rate(&f, "wire_limit_mbit_s", v->wire_limit_bps / 1e6);
	t1s_fill_hz(&f, "original_hz", v->original_known ? v->state.original_hz : 0);
	t1s_fill_count(&f, "boots", (int64_t)t1s_schedule_boots(&v->state));
	t1s_fill_number(&f, "boot_s", 0,
		(double)t1s_schedule_boot_us(&v->state.boot_times) / 1e6);
	t1s_fill_add(&f, "boot_measured",
		json_object_new_boolean(v->state.boot_times.count > 0));
	t1s_fill_number(&f, "duration_s", 0, (double)v->duration_us / 1e6);
	return t1s_fill_write(&f, out);
}

static void write_assumption(const struct plan_view *v, FILE *out)
{
	if (v->predictor.controller[0] && v->predictor.clk_hz > 0)
		(void)fprintf(out,
			"SCLK is predicted for %s with an input clock of %.0f MHz.\n",
			v->predictor.controller, (double)v->predictor.clk_hz / 1e6);
	else
		(void)fprintf(out, "SCLK cannot be predicted: %s.\n",
			v->predictor.controller[0]
				? "the SPI controller's input clock is not known (set "
				  "SpiClock=)"
				: "no matching node in the live device tree");
}

/* What the chip is not made for is measured all the same: it is what a sweep is for. */
static void write_range(const struct plan_view *v, FILE *out)
{
	const struct t1s_chip *chip = v->chip;
	size_t outside = 0;

	if (!chip)
		return;
	for (size_t i = 0; i < lines(v); i++) {
		const uint32_t hz = line(v, i).freq_hz;

		outside += hz < chip->min_hz || (chip->max_hz > 0 && hz > chip->max_hz);
	}
	if (outside == 0)
		return;
	(void)fprintf(out, "%s is specified for ", chip->name);
	if (chip->min_hz > 0)
		(void)fprintf(
			out, "%g to %g MHz", chip->min_hz / 1e6, chip->max_hz / 1e6);
	else
		(void)fprintf(out, "%g MHz at most", chip->max_hz / 1e6);
	(void)fprintf(out, ": %zu %s outside of that.\n", outside,
		outside == 1 ? "point lies" : "points lie");
}

static const char *remark(enum t1s_point_kind kind)
{
	switch (kind) {
	case T1S_POINT_OPENING:
		return "  opening baseline";
	case T1S_POINT_CLOSING:
		return "  closing baseline";
	default:
		return "";
	}
}

static void write_rate(FILE *out, int width, double value)
{
	if (isnan(value))
		(void)fprintf(out, "%*s", width, "-");
	else
		(void)fprintf(out, "%*.3f", width, value);
}

static void write_points(struct plan_view *v, FILE *out)
{
	(void)fprintf(out, "point  requested      SCLK  SPI ceiling\n"
			   "             MHz       MHz       Mbit/s\n");
	for (size_t i = 0; i < lines(v); i++) {
		const struct t1s_point p = line(v, i);
		uint32_t sclk_hz = t1s_predict_sclk_hz(p.freq_hz, &v->predictor);

		(void)fprintf(out, "%5zu  %9.3f", i + 1, (double)p.freq_hz / 1e6);
		write_rate(out, 10, sclk_hz > 0 ? (double)sclk_hz / 1e6 : NAN);
		write_rate(out, 13, ceiling_mbit_s(v, sclk_hz));
		(void)fprintf(out, "%s\n", remark(p.kind));
	}
}

static void write_left_out(const struct plan_view *v, FILE *out)
{
	size_t i = next_left_out(v, 0);

	if (i >= v->requests.count)
		return;
	(void)fprintf(out, "Left out, as another point has the same SCLK:");
	for (; i < v->requests.count; i = next_left_out(v, i + 1))
		(void)fprintf(out, " %.3f", (double)v->requests.points[i].freq_hz / 1e6);
	(void)fprintf(out, " MHz.\n");
}

static void write_search(const struct plan_view *v, FILE *out)
{
	if (is_search(v))
		(void)fprintf(out,
			"These are what the search for the knee chooses from; the first "
			"is its reference.\n");
}

static void write_wire_limit(const struct plan_view *v, FILE *out)
{
	if (isnan(v->wire_limit_bps))
		return;
	(void)fprintf(out, "Wire limit: %.4f Mbit/s for ", v->wire_limit_bps / 1e6);
	if (v->workload->protocol == T1S_PROTOCOL_UDP)
		(void)fprintf(out, "datagrams of %u bytes.\n", v->workload->length_bytes);
	else
		(void)fprintf(out, "TCP in full frames.\n");
}

static void write_runs(const struct plan_view *v, FILE *out)
{
	if (v->runs > 1)
		(void)fprintf(out, "%s%u runs at each point",
			is_search(v) ? "At least " : "", v->runs);
	if (v->workloads > 1)
		(void)fprintf(out,
			", of %u workloads; wire limit and SPI ceiling are of %s",
			v->workloads, v->workload->name);
	if (v->runs > 1)
		(void)fprintf(out, ".\n");
}

static void write_duration(const struct plan_view *v, FILE *out)
{
	char whole[T1S_TIMESTAMP_MAX], boot[T1S_TIMESTAMP_MAX];

	t1s_format_duration(v->duration_us, whole);
	t1s_format_duration(t1s_schedule_boot_us(&v->state.boot_times), boot);
	(void)fprintf(out,
		"%s%zu points in %zu boots%s, about %s with %s for each boot (%s).\n",
		is_search(v) ? "At most " : "", t1s_state_points(&v->state),
		t1s_schedule_boots(&v->state),
		is_search(v) ? " unless results disagree" : "", whole, boot,
		v->state.boot_times.count > 0 ? "as the last ones took"
					      : "a guess, as none was measured yet");
	if (!v->original_known)
		(void)fprintf(out, "The original frequency is taken to be Start=.\n");
	if (v->under_way)
		(void)fprintf(out,
			"A sweep is under way (t1s-sweep status); this would be the next.\n");
}

static int write_text(struct plan_view *v, FILE *out)
{
	write_points(v, out);
	(void)fprintf(out, "\n");
	write_search(v, out);
	write_left_out(v, out);
	write_assumption(v, out);
	write_range(v, out);
	write_wire_limit(v, out);
	write_runs(v, out);
	write_duration(v, out);
	return fflush(out) == 0 && !ferror(out) ? 0 : -EIO;
}

int t1s_view_plan(const char *root, const struct t1s_config *c, bool json, FILE *out,
	struct t1s_error *e)
{
	struct plan_view v = {0};
	int r = gather(root, c, &v, e);

	if (r < 0)
		return r;
	v.duration_us = t1s_schedule_whole_us(&v.state, c);
	r = json ? write_json(&v, out) : write_text(&v, out);
	t1s_state_done(&v.state);
	t1s_plan_done(&v.requests);
	return r < 0 ? t1s_error_set(e, -r, "cannot write the plan") : 0;
}
