/* SPDX-License-Identifier: MIT */
/* The third step of a boot: what next? */
#include "base/clock.h"
#include "base/log.h"
#include "sweep/context.h"
#include "sweep/ending.h"
#include "sweep/progress.h"
#include "sweep/schedule.h"
#include "sweep/search.h"
#include "sweep/stopnote.h"
#include "sweep/target.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#define CYCLE_MAX_US (UINT64_C(24) * 3600 * T1S_USEC_PER_SEC)

/* What the runs of this point were planned to take. */
static uint64_t runs_us(const struct t1s_config *c, const struct t1s_progress *p)
{
	uint64_t s = 0;

	for (unsigned int w = 0; w < p->workloads; w++)
		s += ((uint64_t)c->workloads[w].omit_s + c->workloads[w].duration_s) *
		     p->wanted[w];
	return s * T1S_USEC_PER_SEC + c->settle_us + c->reboot_delay_us;
}

/* Time from one advance to the next; wall time, so only where it looks sane. */
static void note_cycle(
	struct t1s_state *s, const struct t1s_config *c, const struct t1s_progress *p)
{
	const uint64_t now_us = t1s_wall_us(), planned_us = runs_us(c, p);
	const uint64_t cycle_us = now_us - s->advanced_wall_us;

	if (s->advanced_wall_us > 0 && now_us > s->advanced_wall_us &&
		cycle_us < CYCLE_MAX_US)
		t1s_schedule_note_boot(&s->boot_times,
			cycle_us > planned_us ? cycle_us - planned_us : 0);
	s->advanced_wall_us = now_us;
}

/* "received 9.05 of 10.00 Mbit/s, loss 9.46 %, jitter 0.100 ms" or what came instead; as
 * seen from here, what we send is delivered. */
static void describe_row(const struct t1s_row *row, char *ret, size_t size)
{
	size_t n;

	if (row->status != T1S_RUN_OK) {
		(void)snprintf(ret, size, "%s%s%s", t1s_run_status_name(row->status),
			row->note[0] ? ": " : "", row->note);
		return;
	}
	(void)snprintf(ret, size, "%s %.2f",
		strcmp(row->direction, t1s_direction_name(T1S_DIRECTION_SEND)) == 0
			? "delivered"
			: "received",
		row->received_mbit_s);
	n = strlen(ret);
	if (!isnan(row->offered_mbit_s))
		(void)snprintf(ret + n, size - n, " of %.2f", row->offered_mbit_s);
	n = strlen(ret);
	(void)snprintf(ret + n, size - n, " Mbit/s");
	n = strlen(ret);
	if (!isnan(row->lost_percent))
		(void)snprintf(ret + n, size - n, ", loss %.2f %%", row->lost_percent);
	n = strlen(ret);
	if (!isnan(row->jitter_ms))
		(void)snprintf(ret + n, size - n, ", jitter %.3f ms", row->jitter_ms);
	n = strlen(ret);
	if (row->retransmits >= 0)
		(void)snprintf(
			ret + n, size - n, ", %" PRId64 " retransmits", row->retransmits);
}

static void row_fields(const struct t1s_row *row, struct t1s_log_fields *f)
{
	t1s_log_field(f, "T1S_STATUS=%s", t1s_run_status_name(row->status));
	if (!isnan(row->received_mbit_s))
		t1s_log_field(f, "T1S_RECEIVED_MBIT_S=%.6f", row->received_mbit_s);
	if (!isnan(row->lost_percent))
		t1s_log_field(f, "T1S_LOST_PERCENT=%.6f", row->lost_percent);
	if (!isnan(row->jitter_ms))
		t1s_log_field(f, "T1S_JITTER_MS=%.6f", row->jitter_ms);
}

/* Index of the point after the current one, plan.count at the end. */
static size_t next_point(const struct t1s_state *s, bool collapsed)
{
	size_t next = s->point + 1;

	if (collapsed)
		while (next < s->plan.count &&
			s->plan.points[next].pass == s->plan.points[s->point].pass)
			next++;
	return next;
}

/* "point 3/17", or of a search "step 3, at most 9 unless results disagree". */
static void describe_place(const struct t1s_state *s, char *ret, size_t size)
{
	(void)snprintf(ret, size,
		t1s_search_is_on(s) ? "step %zu, at most %zu unless results disagree"
				    : "point %zu/%zu",
		s->point + 1, t1s_state_points(s));
}

/* What the point came to beside the last of its runs. */
static void describe_verdict(const struct t1s_context *c, const struct t1s_progress *p,
	bool collapsed, char *ret, size_t size)
{
	const struct t1s_state *s = &c->state;
	char verdict[128];

	(void)snprintf(ret, size, "%s", collapsed ? "; throughput has collapsed" : "");
	if (!t1s_search_is_on(s) || s->plan.points[s->point].pass == 0)
		return;
	t1s_search_describe(&p->next, verdict, sizeof(verdict));
	(void)snprintf(ret, size, "; %s in %u runs", verdict,
		t1s_progress_done_runs(p, &c->config));
}

/* One run of a point is shown, of a search all of its workload; the others are in the
 * results. */
static void describe_others(
	const struct t1s_context *c, const struct t1s_progress *p, char ret[48])
{
	const bool is_search = t1s_search_is_on(&c->state);
	unsigned int others = is_search ? 0 : p->wanted[0] - 1;

	for (unsigned int i = 1; i < p->workloads; i++)
		others += p->wanted[i];
	ret[0] = '\0';
	if (others > 0)
		(void)snprintf(
			ret, 48, "; %u other run%s", others, others > 1 ? "s" : "");
}

static void tell_point(const struct t1s_context *c, const struct t1s_progress *p,
	size_t next, bool collapsed)
{
	const struct t1s_state *s = &c->state;
	struct t1s_log_fields f = {0};
	const struct t1s_row *row = p->have_shown ? &p->shown : &p->last;
	char what[512], others[48], then[128] = "; last point";
	char eta[T1S_TIMESTAMP_MAX], done[64] = "";
	char place[96], verdict[192];

	describe_place(s, place, sizeof(place));
	describe_verdict(c, p, collapsed, verdict, sizeof(verdict));
	describe_row(row, what, sizeof(what));
	describe_others(c, p, others);
	t1s_context_fields(c, &f);
	row_fields(row, &f);
	if (next < s->plan.count) {
		(void)snprintf(then, sizeof(then), "; next " T1S_MHZ_FMT,
			t1s_mhz(s->plan.points[next].freq_hz));
		t1s_log_field(&f, "T1S_NEXT_HZ=%" PRIu32, s->plan.points[next].freq_hz);
	}
	if (t1s_schedule_end_clock(s, &c->config, next, eta))
		(void)snprintf(done, sizeof(done), "; done about %s", eta);
	t1s_log_event(LOG_NOTICE, T1S_MESSAGE_POINT_MEASURED, &f,
		"%s (" T1S_MHZ_FMT "): %s%s%s%s%s", place,
		t1s_mhz(s->plan.points[s->point].freq_hz), what, others, verdict, then,
		done);
}

/* Why the sweep ends after its last point; "" where all points of a plan were measured.
 */
static void describe_end(const struct t1s_state *s, const struct t1s_progress *p,
	bool collapsed, char *ret, size_t size)
{
	(void)snprintf(ret, size, "%s",
		collapsed ? "throughput has collapsed, the lower points were left out"
			  : "");
	if (t1s_search_is_on(s))
		t1s_search_answer(s, &p->next, ret, size);
}

static int go_to(struct t1s_context *c, size_t next, const char *reason_at_end,
	struct t1s_error *e)
{
	struct t1s_state *s = &c->state;

	if (next >= s->plan.count)
		return t1s_end_begin(c, false, reason_at_end, e);
	s->phase = T1S_PHASE_REBOOTING;
	s->point = next;
	s->expected_hz = s->plan.points[next].freq_hz;
	s->boots_here = 0;
	return t1s_context_save(c, e);
}

static int decide_from(
	struct t1s_context *c, const struct t1s_progress *p, struct t1s_error *e)
{
	struct t1s_state *s = &c->state;
	char reason[512];
	bool collapsed;
	size_t next;

	if (p->have_wrong) {
		(void)snprintf(reason, sizeof(reason), "WRONG_PATH: %s", p->wrong.note);
		return t1s_end_begin(c, true, reason, e);
	}
	if (!t1s_progress_complete(p, &c->config)) {
		if (!p->have_last || p->last.status != T1S_RUN_DRIVER_DEAD)
			return t1s_error_set(e, EAGAIN,
				"point %zu/%zu is not measured yet; the next boot "
				"tries again",
				s->point + 1, s->plan.count);
		t1s_log(LOG_WARNING,
			"the driver died; rebooting to measure " T1S_MHZ_FMT " again",
			t1s_mhz(s->expected_hz));
		s->phase = T1S_PHASE_REBOOTING;
		return t1s_context_save(c, e);
	}
	if (t1s_search_is_on(s) && t1s_search_extend(s, &p->next) < 0)
		return t1s_error_set(e, ENOMEM, "the plan cannot hold another point");
	collapsed = t1s_progress_collapsed(p, s, &c->config);
	next = next_point(s, collapsed);
	describe_end(s, p, collapsed, reason, sizeof(reason));
	note_cycle(s, &c->config, p);
	tell_point(c, p, next, collapsed);
	return go_to(c, next, reason, e);
}

static int decide(struct t1s_context *c, struct t1s_error *e)
{
	struct t1s_progress p;
	char folder[PATH_MAX], reason[512];
	int r = t1s_results_folder(c->env->root, c->state.sweep_id, folder);

	if (r < 0)
		return t1s_error_set(e, -r, "path too long: %s", c->env->root);
	if (t1s_stop_note_read(folder, reason, sizeof(reason)) > 0)
		return t1s_end_begin(c, true, reason, e);
	r = t1s_progress_read(c->env->root, &c->state, &c->config, &p, e);
	if (r < 0)
		return r;
	r = decide_from(c, &p, e);
	t1s_progress_done(&p);
	return r;
}

static int set_overlay(struct t1s_context *c, struct t1s_error *e)
{
	struct t1s_state *s = &c->state;
	struct t1s_log_fields f = {0};
	struct t1s_target t = {0};
	int r = t1s_target_open_checked(c->env->root, s, &t, e);

	if (r < 0)
		return r;
	r = t1s_overlay_set(t.path, &t.overlay, &t.node, s->expected_hz, e);
	t1s_target_done(&t);
	if (r < 0)
		return r;
	t1s_context_fields(c, &f);
	t1s_log_event(LOG_INFO, T1S_MESSAGE_OVERLAY_SET, &f,
		"overlay %s set to " T1S_MHZ_FMT, s->overlay.path,
		t1s_mhz(s->expected_hz));
	return 0;
}

static int advance(struct t1s_context *c, struct t1s_error *e)
{
	struct t1s_state *s = &c->state;
	struct t1s_error why = {{0}};
	int r = t1s_context_config(c, &why);

	if (r < 0 && s->phase == T1S_PHASE_MEASURING)
		return t1s_error_set(e, -r, "%s", why.text);
	if (r < 0) /* putting things back must not depend on it */
		t1s_config_defaults(&c->config);
	if (s->phase == T1S_PHASE_MEASURING) {
		r = decide(c, e);
		if (r < 0)
			return r;
	}
	if (s->phase == T1S_PHASE_REBOOTING) {
		r = set_overlay(c, &why);
		if (r == 0)
			return t1s_ask_reboot(c, e);
		r = t1s_end_begin(c, true, why.text, e);
		if (r < 0)
			return r;
	}
	return t1s_end_advance(c, e);
}

int t1s_step_advance(const struct t1s_env *env, struct t1s_error *e)
{
	struct t1s_context c;
	char why[PATH_MAX + 64];
	int r;

	if (t1s_switched_off(env->root, why, sizeof(why)))
		return T1S_STEP_DONE;
	r = t1s_context_open(env, true, &c, e);
	if (r == 0 && t1s_context_is_ours(&c))
		r = advance(&c, e);
	t1s_context_done(&c);
	return r;
}
