/* SPDX-License-Identifier: MIT */
/* The second step of a boot: measure what the point still lacks. Runs unprivileged. */
#include "base/cleanup.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/log.h"
#include "base/path.h"
#include "link/iface.h"
#include "sweep/context.h"
#include "sweep/predict.h"
#include "sweep/progress.h"
#include "sweep/reach.h"
#include "sweep/run.h"
#include "sweep/stopnote.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BACKOFF_FIRST_US (1 * T1S_USEC_PER_SEC)
#define BACKOFF_MAX_US (15 * T1S_USEC_PER_SEC)
#define SESSIONS_MAX 5

/* The sweep is to be stopped: said to advance by a note, since only it may act. */
static int ask_stop(
	const struct t1s_measurement *m, const struct t1s_error *why, struct t1s_error *e)
{
	t1s_log(LOG_ERR, "%s", why->text);
	return t1s_stop_note_write(m->folder, why->text, e);
}

/* Opens the session, again and again with growing pauses while the sender is away. */
static int open_sender(struct t1s_measurement *m, uint64_t deadline_us,
	enum t1s_sender_failure *ret_failure, struct t1s_error *e)
{
	uint64_t pause_us = BACKOFF_FIRST_US;
	struct t1s_sender_config sc;

	t1s_reach_settings(m->context->env->root, &m->context->config, &sc);
	for (;;) {
		uint64_t try_us = t1s_now_us() + T1S_REACH_TRY_US;
		int r;

		t1s_notify((unsigned int)t1s_left_ms(deadline_us) / 1000 + 60,
			"connecting to the sender %s", sc.host);
		r = t1s_sender_open(&sc, try_us, &m->sender, ret_failure, e);
		if (r == 0 || *ret_failure != T1S_SENDER_UNREACHABLE)
			return r;
		if (t1s_now_us() + pause_us >= deadline_us)
			return t1s_error_prefix(e, -EHOSTUNREACH,
				"the sender stayed away; no point is lost, the next "
				"boot tries again");
		t1s_log(LOG_INFO, "%s; trying again", e->text);
		t1s_sleep_us(pause_us);
		pause_us = pause_us * 2 > BACKOFF_MAX_US ? BACKOFF_MAX_US : pause_us * 2;
	}
}

/* A session with a usable iperf3 behind it. 1: a stop was asked for. */
static int reach_sender(struct t1s_measurement *m, struct t1s_error *e)
{
	const struct t1s_config *c = &m->context->config;
	uint64_t deadline_us = t1s_now_us() + c->sender_wait_us;
	enum t1s_sender_failure failure = T1S_SENDER_OK;
	struct t1s_error why = {{0}};
	int r;

	for (unsigned int i = 0; i < SESSIONS_MAX; i++) {
		t1s_sender_close(m->sender);
		m->sender = NULL;
		r = open_sender(m, deadline_us, &failure, &why);
		if (r < 0 && failure == T1S_SENDER_UNREACHABLE)
			return t1s_error_set(e, EHOSTUNREACH, "%s", why.text);
		if (r == 0)
			r = t1s_reach_version(m->sender, c, m->sender_version, &why);
		if (r == 0)
			r = t1s_reach_facts(m->sender, c, &m->surroundings.sender, &why);
		if (r != -ECONNRESET)
			break;
	}
	if (r == -ECONNRESET)
		return t1s_error_set(e, EHOSTUNREACH,
			"the session to the sender was lost %d times: %.400s",
			SESSIONS_MAX, why.text);
	if (r < 0) {
		r = ask_stop(m, &why, e);
		return r < 0 ? r : 1;
	}
	return 0;
}

/* Boots that do not measure the same thing cannot be compared: the row says so. */
static void audit(struct t1s_measurement *m, struct t1s_row *row)
{
	const size_t used = strlen(row->note);
	char differences[T1S_AUDIT_TEXT_MAX];

	if (t1s_audit_compare(m->reference, row, differences) == 0)
		return;
	(void)snprintf(row->note + used, sizeof(row->note) - used,
		"%snot as before: %.200s", used ? "; " : "", differences);
	if (strcmp(differences, m->told) == 0)
		return;
	memcpy(m->told, differences, sizeof(m->told));
	t1s_log(LOG_WARNING, "not as in this sweep's boots before: %s", differences);
}

static int append(struct t1s_measurement *m, struct t1s_row *row, struct t1s_error *e)
{
	char path[PATH_MAX];

	if (t1s_path(path, m->folder, "/results.csv") < 0)
		return t1s_error_set(e, ENAMETOOLONG, "path too long: %s", m->folder);
	audit(m, row);
	t1s_log(LOG_INFO, "%s, repeat %" PRId64 ", attempt %" PRId64 ": %s%s%s",
		row->workload, row->repeat, row->attempt,
		t1s_run_status_name(row->status), row->note[0] ? ": " : "", row->note);
	return t1s_results_append(path, row, e);
}

/* 1: the run is done or wants another boot, 0: another attempt, negative: failure. */
static int keep_row(struct t1s_measurement *m, const struct t1s_progress_run *run,
	struct t1s_row *row, struct t1s_error *e)
{
	const bool last = row->attempt >= (int64_t)m->context->config.attempts;
	int r;

	if (row->status == T1S_RUN_NO_DATA && !last) {
		t1s_log(LOG_INFO, "attempt %" PRId64 ": %s", row->attempt, row->note);
		return 0;
	}
	if (row->status == T1S_RUN_DRIVER_DEAD)
		row->attempt = run->driver_died ? 2 : 1;
	r = append(m, row, e);
	if (r < 0)
		return r;
	return row->status != T1S_RUN_FAILED || last ? 1 : 0;
}

static int record_no_link(struct t1s_measurement *m, const struct t1s_run_id *id,
	const struct t1s_error *why, struct t1s_error *e)
{
	struct t1s_row row;

	t1s_run_start_row(m, id, &row);
	row.status = T1S_RUN_NO_LINK;
	(void)snprintf(row.note, sizeof(row.note), "%.255s", why->text);
	return append(m, &row, e);
}

/* 1: a stop was asked for, or the driver is dead and nothing more can be measured. */
static int do_run(struct t1s_measurement *m, const struct t1s_workload *w,
	unsigned int repeat, const struct t1s_progress_run *run, struct t1s_error *e)
{
	const struct t1s_config *c = &m->context->config;
	struct t1s_run_id id = {
		.workload = w, .repeat = repeat, .attempt = run->attempts + 1};
	struct t1s_error why = {{0}};
	unsigned int losses = 0;
	int r;

	while (id.attempt <= c->attempts) {
		struct t1s_row row;

		t1s_notify((unsigned int)(c->receiver_wait_us / T1S_USEC_PER_SEC) + 60,
			"waiting for the interface %s", c->receiver_interface);
		r = t1s_iface_wait(m->context->env->root, c->receiver_interface,
			c->receiver_address, t1s_now_us() + c->receiver_wait_us, &why);
		if (r < 0)
			return record_no_link(m, &id, &why, e);
		r = t1s_run_once(m, &id, &row, &why);
		if (r == -ECONNRESET && ++losses < SESSIONS_MAX) {
			t1s_log(LOG_WARNING, "session to the sender lost: %s", why.text);
			r = reach_sender(m, e);
			if (r != 0)
				return r;
			continue;
		}
		if (r == -ENOEXEC) {
			r = ask_stop(m, &why, e);
			return r < 0 ? r : 1;
		}
		if (r < 0)
			return t1s_error_set(e, -r, "%s", why.text);
		r = keep_row(m, run, &row, e);
		if (r != 0)
			return r < 0 ? r
				     : row.status == T1S_RUN_DRIVER_DEAD ||
					       row.status == T1S_RUN_WRONG_PATH;
		id.attempt++;
	}
	return 0;
}

/* Reads the results again: in a search they say whether another run is wanted. */
static int refresh(
	const struct t1s_measurement *m, struct t1s_progress *p, struct t1s_error *e)
{
	const struct t1s_context *c = m->context;
	struct t1s_progress now = {0};
	int r = t1s_progress_read(c->env->root, &c->state, &c->config, &now, e);

	if (r == 0) {
		t1s_progress_done(p);
		*p = now;
	}
	return r;
}

static int do_runs(struct t1s_measurement *m, struct t1s_progress *p, struct t1s_error *e)
{
	const struct t1s_config *c = &m->context->config;

	for (unsigned int w = 0; w < c->workloads_count; w++) {
		for (unsigned int i = 1; i <= p->wanted[w]; i++) {
			const struct t1s_progress_run *run = t1s_progress_run(p, w, i);
			int r = run->done ? 0 : do_run(m, &c->workloads[w], i, run, e);

			if (r == 0)
				r = refresh(m, p, e);
			if (r != 0)
				return r < 0 ? r : 0;
		}
	}
	return 0;
}

static int prepare(struct t1s_measurement *m, int *ret_lock_fd, struct t1s_error *e)
{
	struct t1s_context *c = m->context;
	struct t1s_predictor predictor = {0};
	char raw[PATH_MAX], lock[PATH_MAX];
	int r;

	if (t1s_results_folder(c->env->root, c->state.sweep_id, m->folder) < 0 ||
		t1s_path(raw, m->folder, "/raw") < 0 ||
		t1s_path(lock, m->folder, "/lock") < 0)
		return t1s_error_set(e, ENAMETOOLONG, "path too long: %s", c->env->root);
	r = t1s_make_folder(raw, 0755, e);
	if (r == 0)
		r = t1s_lock_file(lock, ret_lock_fd, e);
	if (r == 0)
		r = t1s_live_find(c->env->root, &c->state.overlay.match, &m->live, e);
	if (r < 0)
		return r;
	t1s_predictor_init(
		&predictor, c->env->root, c->config.spi_clk_hz, m->live.controller);
	m->sclk_predicted_hz = t1s_predict_sclk_hz(
		c->state.plan.points[c->state.point].freq_hz, &predictor);
	t1s_surroundings_read(c, &m->surroundings);
	return 0;
}

static void settle(const struct t1s_context *c)
{
	char length[T1S_TIMESTAMP_MAX];

	if (c->config.settle_us == 0)
		return;
	t1s_format_duration(c->config.settle_us, length);
	t1s_notify((unsigned int)(c->config.settle_us / T1S_USEC_PER_SEC) + 60,
		"letting the system settle for %s", length);
	t1s_sleep_us(c->config.settle_us);
}

static int measure(struct t1s_context *c, struct t1s_error *e)
{
	struct t1s_progress p = {0};
	struct t1s_measurement m = {.context = c, .reference = &p.reference};
	cleanup_close int lock_fd = -1;
	char note[64];
	int r = prepare(&m, &lock_fd, e);

	if (r < 0 || t1s_stop_note_read(m.folder, note, sizeof(note)) > 0)
		return r;
	r = t1s_progress_read(c->env->root, &c->state, &c->config, &p, e);
	if (r == 0 && !t1s_progress_complete(&p, &c->config)) {
		settle(c);
		r = reach_sender(&m, e);
		if (r == 0)
			r = do_runs(&m, &p, e);
		else if (r > 0)
			r = 0;
	}
	t1s_sender_close(m.sender);
	t1s_progress_done(&p);
	return r;
}

int t1s_step_measure(const struct t1s_env *env, struct t1s_error *e)
{
	struct t1s_context c;
	int r = t1s_context_open(env, false, &c, e);

	if (r == 0 && t1s_context_is_ours(&c) && c.state.phase == T1S_PHASE_MEASURING) {
		r = t1s_context_config(&c, e);
		if (r == 0)
			r = measure(&c, e);
	}
	t1s_context_done(&c);
	return r;
}
