/* SPDX-License-Identifier: MIT */
/* The second step of a boot: measure what the point still lacks. Runs unprivileged. */
#include "base/cleanup.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/log.h"
#include "base/path.h"
#include "link/iface.h"
#include "sweep/audit.h"
#include "sweep/client.h"
#include "sweep/context.h"
#include "sweep/plca_set.h"
#include "sweep/predict.h"
#include "sweep/progress.h"
#include "sweep/reach.h"
#include "sweep/run.h"
#include "sweep/search.h"
#include "sweep/stopnote.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BACKOFF_FIRST_US (1 * T1S_USEC_PER_SEC)
#define BACKOFF_MAX_US (15 * T1S_USEC_PER_SEC)
#define SESSIONS_MAX 5
#define REFUSALS_MAX 3

/* The sweep is to be stopped: said to advance by a note, since only it may act. */
static int ask_stop(
	const struct t1s_measurement *m, const struct t1s_error *why, struct t1s_error *e)
{
	t1s_log(LOG_ERR, "%s", why->text);
	return t1s_stop_note_write(m->folder, why->text, e);
}

/* A sender that has just booted may refuse a good key for a moment; one that goes on
 * refusing must not be asked until it bans us. */
static bool may_try_again(enum t1s_sender_failure failure, unsigned int *refusals)
{
	if (failure == T1S_SENDER_KEY)
		return ++*refusals < REFUSALS_MAX;
	return failure == T1S_SENDER_UNREACHABLE;
}

/* Opens the session, again and again with growing pauses while the sender is away. */
static int open_sender(struct t1s_measurement *m, uint64_t deadline_us,
	enum t1s_sender_failure *ret_failure, struct t1s_error *e)
{
	uint64_t pause_us = BACKOFF_FIRST_US;
	struct t1s_sender_config sc;
	unsigned int refusals = 0;

	t1s_reach_settings(m->context->env->root, &m->context->config, &sc);
	for (;;) {
		uint64_t try_us = t1s_now_us() + T1S_REACH_TRY_US;
		int r;

		t1s_context_notify(m->context,
			(unsigned int)t1s_left_ms(deadline_us) / 1000 + 60,
			"connecting to the sender %s", sc.host);
		r = t1s_sender_open(&sc, try_us, &m->sender, ret_failure, e);
		if (r == 0 || !may_try_again(*ret_failure, &refusals))
			return r;
		if (t1s_now_us() + pause_us >= deadline_us)
			return *ret_failure == T1S_SENDER_KEY
				       ? r
				       : t1s_error_prefix(e, -EHOSTUNREACH,
						 "the sender stayed away; no point is "
						 "lost, the next boot tries again");
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
			r = t1s_client_check(c, m->sender_version, &why);
		if (r == 0)
			r = t1s_reach_facts(m->sender, c, &m->surroundings.sender, &why);
		if (r == 0)
			r = t1s_plca_set_there(
				m->sender, c, &m->surroundings.sender, &why);
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

/* A point's only run is told by advance, with what it means. */
static void tell_row(const struct t1s_row *row, bool is_only)
{
	if (is_only && row->status == T1S_RUN_OK)
		return;
	t1s_log(LOG_INFO, "%s (%s), repeat %" PRId64 ", attempt %" PRId64 ": %s%s%s",
		row->workload, row->direction, row->repeat, row->attempt,
		t1s_run_status_name(row->status), row->note[0] ? ": " : "", row->note);
}

/* Writes those rows of a run that are not there yet: a power cut may have taken one of
 * two away. */
static int append(struct t1s_measurement *m, const struct t1s_run_id *id,
	const struct t1s_row *rows, unsigned int count, struct t1s_error *e)
{
	struct t1s_row missing[T1S_RUN_ROWS_MAX];
	char path[PATH_MAX];
	unsigned int n = 0;
	int r;

	if (t1s_path(path, m->folder, "/results.csv") < 0)
		return t1s_error_set(e, ENAMETOOLONG, "path too long: %s", m->folder);
	for (unsigned int i = 0; i < count; i++) {
		const enum t1s_direction direction =
			count > 1 ? (enum t1s_direction)i : id->workload->direction;

		if (t1s_progress_direction_done(id->progress, direction))
			continue;
		missing[n] = rows[i];
		audit(m, &missing[n]);
		tell_row(&missing[n++], m->is_only_run);
	}
	r = t1s_results_append_run(path, missing, n, e);
	for (unsigned int i = 0; r == 0 && i < n; i++)
		t1s_audit_learn(m->reference, &missing[i]);
	return r;
}

static bool any_is(
	const struct t1s_row *rows, unsigned int count, enum t1s_run_status status)
{
	for (unsigned int i = 0; i < count; i++)
		if (rows[i].status == status)
			return true;
	return false;
}

/* Where one of a run's rows has this status, it speaks for the run. */
static enum t1s_run_status status_of(const struct t1s_row *rows, unsigned int count)
{
	static const enum t1s_run_status order[] = {T1S_RUN_DRIVER_DEAD,
		T1S_RUN_WRONG_PATH, T1S_RUN_FAILED, T1S_RUN_NO_LINK, T1S_RUN_NO_DATA};

	for (size_t i = 0; i < T1S_ELEMENTSOF(order); i++)
		if (any_is(rows, count, order[i]))
			return order[i];
	return T1S_RUN_OK;
}

enum outcome {
	RUN_AGAIN,    /* another attempt */
	RUN_REPEATED, /* the same one again */
	RUN_DONE,
	BOOT_DONE, /* nothing more can be measured in this boot */
};

/* Returns an outcome or a negative errno. */
static int keep_rows(struct t1s_measurement *m, const struct t1s_run_id *id,
	struct t1s_row *rows, unsigned int count, struct t1s_error *e)
{
	const bool last = id->attempt >= m->context->config.attempts;
	const enum t1s_run_status status = status_of(rows, count);
	int r;

	if (status == T1S_RUN_NO_DATA && !last) {
		t1s_log(LOG_INFO, "attempt %u: %s", id->attempt,
			rows[rows[0].status == T1S_RUN_NO_DATA ? 0 : 1].note);
		return RUN_AGAIN;
	}
	if (status == T1S_RUN_DRIVER_DEAD) {
		for (unsigned int i = 0; i < count; i++)
			rows[i].attempt = m->driver_died ? 2 : 1;
		m->driver_dead = true;
	}
	r = append(m, id, rows, count, e);
	if (r < 0)
		return r;
	if (status == T1S_RUN_WRONG_PATH)
		return BOOT_DONE;
	if (status == T1S_RUN_DRIVER_DEAD)
		return m->driver_died ? RUN_DONE : BOOT_DONE;
	return status == T1S_RUN_FAILED && !last ? RUN_AGAIN : RUN_DONE;
}

/* A run that cannot be made has rows too. */
static int record(struct t1s_measurement *m, const struct t1s_run_id *id,
	enum t1s_run_status status, const char *note, struct t1s_error *e)
{
	struct t1s_row rows[T1S_RUN_ROWS_MAX];
	const unsigned int count = t1s_run_start_rows(m, id, rows);
	int r;

	for (unsigned int i = 0; i < count; i++) {
		rows[i].status = status;
		if (status == T1S_RUN_DRIVER_DEAD)
			rows[i].attempt = 2;
		(void)snprintf(rows[i].note, sizeof(rows[i].note), "%.255s", note);
	}
	r = append(m, id, rows, count, e);
	return r < 0 ? r : RUN_DONE;
}

/* The first run of a boot gives the interface its time; if that was not enough, the
 * others only look. */
static int wait_for_interface(struct t1s_measurement *m, struct t1s_error *e)
{
	const struct t1s_config *c = &m->context->config;
	const uint64_t wait_us = m->no_link ? 0 : c->receiver_wait_us;
	int r;

	t1s_context_notify(m->context, (unsigned int)(wait_us / T1S_USEC_PER_SEC) + 60,
		"waiting for the interface %s", c->receiver_interface);
	r = t1s_iface_wait(m->context->env->root, c->receiver_interface,
		c->receiver_address, t1s_now_us() + wait_us, e);
	m->no_link = r < 0;
	return r;
}

/* One attempt. Returns an outcome or a negative errno. */
static int try_run(
	struct t1s_measurement *m, const struct t1s_run_id *id, struct t1s_error *e)
{
	struct t1s_row rows[T1S_RUN_ROWS_MAX];
	struct t1s_error why = {{0}};
	int r = wait_for_interface(m, &why);

	if (r < 0)
		return record(m, id, T1S_RUN_NO_LINK, why.text, e);
	r = t1s_run_once(m, id, rows, &why);
	if (r == -ECONNRESET && ++m->session_losses < SESSIONS_MAX) {
		t1s_log(LOG_WARNING, "session to the sender lost: %s", why.text);
		r = reach_sender(m, e);
		return r > 0 ? BOOT_DONE : r < 0 ? r : RUN_REPEATED;
	}
	if (r == -ENOEXEC) {
		r = ask_stop(m, &why, e);
		return r < 0 ? r : BOOT_DONE;
	}
	if (r < 0)
		return t1s_error_set(e, -r, "%s", why.text);
	return keep_rows(m, id, rows, t1s_run_rows_count(id->workload), e);
}

/* Returns RUN_DONE, BOOT_DONE or a negative errno. */
static int do_run(
	struct t1s_measurement *m, const struct t1s_run_id *run, struct t1s_error *e)
{
	const unsigned int attempts = m->context->config.attempts;
	struct t1s_run_id id = *run;

	if (m->driver_dead)
		return record(m, &id, T1S_RUN_DRIVER_DEAD,
			"not tried: the driver died in two boots at this frequency", e);
	/* the last attempt's row for one of two directions may have been lost */
	id.attempt = run->progress->attempts < attempts ? run->progress->attempts + 1
							: attempts;
	m->session_losses = 0;
	for (;;) {
		int r = try_run(m, &id, e);

		if (r < 0 || r == RUN_DONE || r == BOOT_DONE)
			return r;
		if (r == RUN_AGAIN)
			id.attempt++;
	}
}

/* In a search the results say whether another run is wanted: reads them again. */
static int refresh(
	const struct t1s_measurement *m, struct t1s_progress *p, struct t1s_error *e)
{
	const struct t1s_context *c = m->context;
	struct t1s_progress now = {0};
	int r;

	if (!t1s_search_is_on(&c->state))
		return 0;
	r = t1s_progress_read(c->env->root, &c->state, &c->config, &now, e);
	if (r == 0) {
		t1s_progress_done(p);
		*p = now;
	}
	return r;
}

/* Runs wanted at this point, of the workloads before @end. */
static unsigned int wanted_before(const struct t1s_progress *p, unsigned int end)
{
	unsigned int n = 0;

	for (unsigned int w = 0; w < end; w++)
		n += p->wanted[w];
	return n;
}

static int do_runs(struct t1s_measurement *m, struct t1s_progress *p, struct t1s_error *e)
{
	const struct t1s_config *c = &m->context->config;

	m->driver_died = p->driver_died;
	m->is_only_run = p->workloads == 1 && p->wanted[0] == 1 &&
			 m->context->config.workloads[0].direction != T1S_DIRECTION_BOTH;
	for (unsigned int w = 0; w < c->workloads_count; w++) {
		for (unsigned int i = 1; i <= p->wanted[w]; i++) {
			const struct t1s_run_id id = {.workload = &c->workloads[w],
				.repeat = i,
				.number = wanted_before(p, w) + i,
				.total = wanted_before(p, c->workloads_count),
				.progress = t1s_progress_run(p, w, i)};
			int r;

			if (t1s_progress_run_done(id.progress, id.workload))
				continue;
			r = do_run(m, &id, e);
			if (r == RUN_DONE)
				r = refresh(m, p, e);
			if (r < 0 || r == BOOT_DONE)
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
	t1s_context_notify(c, (unsigned int)(c->config.settle_us / T1S_USEC_PER_SEC) + 60,
		"letting the system settle for %s", length);
	t1s_sleep_us(c->config.settle_us);
}

static int measure_point(
	struct t1s_measurement *m, struct t1s_progress *p, struct t1s_error *e)
{
	int r;

	settle(m->context);
	r = reach_sender(m, e);
	if (r == 0)
		return do_runs(m, p, e);
	return r > 0 ? 0 : r;
}

/* What the results file was begun with need not be what is configured and known now. */
static int check_results(
	struct t1s_measurement *m, const struct t1s_progress *p, struct t1s_error *e)
{
	char path[PATH_MAX], missing[T1S_MISSING_MAX];
	int r;

	if (t1s_path(path, m->folder, "/results.csv") < 0)
		return t1s_error_set(e, ENAMETOOLONG, "path too long: %s", m->folder);
	r = t1s_results_check(path, missing, e);
	if (r == 0 && missing[0])
		t1s_log(LOG_WARNING,
			"%s has no columns for %s: these are not recorded in this sweep",
			path, missing);
	if (r == 0 && p->stray[0])
		t1s_log(LOG_WARNING,
			"%s has rows of the workload \"%s\", which is not configured any "
			"more: its points are not compared with those to come",
			path, p->stray);
	return r;
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
		r = check_results(&m, &p, e);
		if (r == 0)
			r = measure_point(&m, &p, e);
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
