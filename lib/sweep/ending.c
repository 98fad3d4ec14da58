/* SPDX-License-Identifier: MIT */
#include "sweep/ending.h"

#include "base/clock.h"
#include "base/log.h"
#include "base/path.h"
#include "sweep/search.h"
#include "sweep/target.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#define LIVE_WAIT_US (60 * T1S_USEC_PER_SEC)
#define RESTORE_BOOTS_MAX 3
#define ASKS_MAX 5

void t1s_context_fields(const struct t1s_context *c, struct t1s_log_fields *ret)
{
	const struct t1s_state *s = &c->state;

	t1s_log_field(ret, "T1S_SWEEP_ID=%s", s->sweep_id);
	t1s_log_field(ret, "T1S_PHASE=%s", t1s_phase_name(s->phase));
	t1s_log_field(ret, "T1S_POINT=%zu", s->point + 1);
	t1s_log_field(ret, "T1S_POINTS=%zu", t1s_state_points(s));
	t1s_log_field(ret, "T1S_FREQ_HZ=%" PRIu32, s->plan.points[s->point].freq_hz);
	t1s_log_field(ret, "T1S_EXPECTED_HZ=%" PRIu32, s->expected_hz);
	t1s_log_field(ret, "T1S_ORIGINAL_HZ=%" PRIu32, s->original_hz);
	t1s_log_field(ret, "T1S_BOOTS=%u", s->boots);
}

/*
 * The state cannot be written (a full card, say): the overlay is put back all the same,
 * since that needs no space. Nothing reboots; the state goes on saying what it said.
 */
static void restore_without_state(struct t1s_context *c)
{
	struct t1s_state *s = &c->state;
	struct t1s_error why = {{0}};
	struct t1s_target t = {0};
	int r = t1s_target_open_checked(c->env->root, s, &t, &why);

	if (r == 0) {
		r = t1s_overlay_set(t.path, &t.overlay, &t.node, s->original_hz, &why);
		t1s_target_done(&t);
	}
	if (r < 0)
		t1s_log(LOG_ERR, "the original overlay could not be put back: %s",
			why.text);
	else
		t1s_log(LOG_NOTICE, "original overlay (" T1S_MHZ_FMT ") back in the file",
			t1s_mhz(s->original_hz));
}

int t1s_end_begin(
	struct t1s_context *c, bool stopping, const char *reason, struct t1s_error *e)
{
	struct t1s_state *s = &c->state;
	int r;

	s->phase = T1S_PHASE_RESTORING;
	s->stopping = stopping;
	s->expected_hz = s->original_hz;
	s->boots_here = 0;
	(void)snprintf(s->reason, sizeof(s->reason), "%s", reason);
	t1s_printable(s->reason);
	if (stopping)
		t1s_log(LOG_ERR, "stopping the sweep: %s", s->reason);
	r = t1s_context_save(c, e);
	if (r < 0)
		restore_without_state(c);
	return r;
}

/* The answer, as fields and as words. */
static void add_answer(
	const struct t1s_context *c, struct t1s_log_fields *f, char *ret, size_t size)
{
	const struct t1s_state *s = &c->state;
	char folder[PATH_MAX], path[PATH_MAX];
	struct t1s_answer a = {0};

	ret[0] = '\0';
	if (!c->env->answer ||
		t1s_results_folder(c->env->root, s->sweep_id, folder) < 0 ||
		t1s_path(path, folder, "/results.csv") < 0 ||
		!c->env->answer(c->env, path, &a))
		return;
	if (a.lowest_full_hz > 0) {
		t1s_log_field(f, "T1S_LOWEST_FULL_HZ=%" PRIu32, a.lowest_full_hz);
		/* a search has put it into its reason */
		if (!t1s_search_is_on(s))
			(void)snprintf(ret, size, "full throughput down to " T1S_MHZ_FMT,
				t1s_mhz(a.lowest_full_hz));
	}
	if (!isnan(a.margin)) {
		const size_t n = strlen(ret);

		t1s_log_field(f, "T1S_MARGIN=%.3f", a.margin);
		(void)snprintf(
			ret + n, size - n, "%sa margin of %.2f", n ? ", " : "", a.margin);
	}
	if (!isnan(a.best_mbit_s))
		t1s_log_field(f, "T1S_BEST_MBIT_S=%.6f", a.best_mbit_s);
	if (!isnan(a.wire_limit_mbit_s))
		t1s_log_field(f, "T1S_WIRE_LIMIT_MBIT_S=%.6f", a.wire_limit_mbit_s);
}

static void tell_ending(const struct t1s_context *c, bool restored)
{
	const struct t1s_state *s = &c->state;
	struct t1s_log_fields f = {0};
	char back[64], answer[128];

	(void)snprintf(back, sizeof(back),
		restored ? "original overlay (" T1S_MHZ_FMT ") back"
			 : "original overlay (" T1S_MHZ_FMT ") NOT back",
		t1s_mhz(s->original_hz));
	t1s_context_fields(c, &f);
	t1s_log_field(&f, "T1S_REASON=%s", s->reason);
	add_answer(c, &f, answer, sizeof(answer));
	t1s_notify(0, "sweep %s%s%s%s%s; %s", t1s_phase_name(s->phase),
		answer[0] ? ": " : "", answer, s->reason[0] ? "; " : "", s->reason, back);
	if (s->phase == T1S_PHASE_STOPPED)
		t1s_log_event(LOG_ERR, T1S_MESSAGE_SWEEP_STOPPED, &f,
			"sweep stopped at point %zu/%zu: %s; %s", s->point + 1,
			t1s_state_points(s), s->reason, back);
	else
		t1s_log_event(LOG_NOTICE, T1S_MESSAGE_SWEEP_FINISHED, &f,
			"sweep finished after %u boots%s%s%s%s; %s and verified; results: "
			"/var/lib/t1s-sweep/results/%s/results.csv; to read them: "
			"t1s-sweep report",
			s->boots, answer[0] ? ": " : "", answer, s->reason[0] ? "; " : "",
			s->reason, back, s->sweep_id);
}

int t1s_end_disarm(struct t1s_context *c, struct t1s_error *e)
{
	int r = t1s_power_disable_unit(c->env->root, T1S_UNIT, e);

	if (r < 0)
		return t1s_error_prefix(e, r,
			"the sweep has ended, but its unit could not be disabled (do "
			"it by hand: systemctl disable " T1S_UNIT ")");
	c->state.disarmed = true;
	return t1s_context_save(c, e);
}

int t1s_end_now(struct t1s_context *c, bool restored, struct t1s_error *e)
{
	struct t1s_state *s = &c->state;
	struct t1s_error ignored;
	char path[PATH_MAX];
	int r;

	s->phase = s->stopping ? T1S_PHASE_STOPPED : T1S_PHASE_FINISHED;
	r = t1s_context_save(c, e);
	if (r < 0)
		return r;
	if (restored && t1s_path(path, c->env->root, "%s", s->overlay.path) == 0 &&
		t1s_overlay_drop_pristine(path, &ignored) < 0)
		t1s_log(LOG_WARNING, "%s", ignored.text);
	tell_ending(c, restored);
	r = t1s_end_disarm(c, e);
	if (r < 0)
		return r;
	return s->phase == T1S_PHASE_STOPPED ? T1S_STEP_STOPPED : T1S_STEP_DONE;
}

/* Adds to the reason; what is too long is cut. */
static void add_reason(struct t1s_state *s, const char *text)
{
	size_t n = strlen(s->reason);

	s->stopping = true;
	(void)snprintf(
		s->reason + n, sizeof(s->reason) - n, "%s%s", n > 0 ? "; " : "", text);
	t1s_printable(s->reason);
}

static int end_unrestored(
	struct t1s_context *c, const struct t1s_error *why, struct t1s_error *e)
{
	char text[sizeof(why->text) + 256];

	/* what stopped the sweep often keeps the original from being put back too */
	if (strncmp(why->text, c->state.reason, sizeof(c->state.reason) - 1) == 0)
		(void)snprintf(text, sizeof(text),
			"so the original overlay could not be put back either. By hand, "
			"once that is mended: t1s-sweep restore");
	else
		(void)snprintf(text, sizeof(text),
			"the original overlay could not be put back: %.600s. By hand, "
			"once that is mended: t1s-sweep restore",
			why->text);
	add_reason(&c->state, text);
	return t1s_end_now(c, false, e);
}

/*
 * Asked again and again within one boot, none came: then something is wrong that asking
 * does not mend, were it a boot id that does not change.
 */
static int count_ask(struct t1s_context *c, struct t1s_error *e)
{
	struct t1s_state *s = &c->state;

	if (s->asks >= ASKS_MAX)
		return t1s_error_set(e, ELOOP,
			"a reboot was asked for %u times in this boot (%s), and none came; it is "
			"not asked for again. Reboot by hand, or end the sweep: t1s-sweep restore",
			s->asks, s->boot_id);
	s->asks++;
	return t1s_context_save(c, e);
}

int t1s_ask_reboot(struct t1s_context *c, struct t1s_error *e)
{
	const struct t1s_state *s = &c->state;
	struct t1s_log_fields f = {0};
	char wall[160], delay[T1S_TIMESTAMP_MAX];
	uint64_t delay_us = c->config.reboot_delay_us;
	int r;

	t1s_format_duration(delay_us, delay);
	r = count_ask(c, e);
	if (r < 0)
		return r;
	if (c->env->root[0]) {
		t1s_log(LOG_NOTICE, "a reboot is due (next: " T1S_MHZ_FMT ")",
			t1s_mhz(s->expected_hz));
		return 0;
	}
	(void)snprintf(wall, sizeof(wall),
		"t1s-sweep reboots to set the SPI frequency to " T1S_MHZ_FMT
		". To prevent it: shutdown -c",
		t1s_mhz(s->expected_hz));
	r = t1s_power_reboot(delay_us, wall, e);
	if (r < 0)
		return t1s_error_prefix(e, r,
			"the overlay is set, but the reboot was not granted; the sweep "
			"goes on at the next boot");
	t1s_context_notify(c, 0, "rebooting to " T1S_MHZ_FMT " in %s",
		t1s_mhz(s->expected_hz), delay);
	t1s_context_fields(c, &f);
	t1s_log_event(LOG_NOTICE, T1S_MESSAGE_REBOOT_ASKED, &f,
		"rebooting in %s to " T1S_MHZ_FMT " (to prevent it: shutdown -c)", delay,
		t1s_mhz(s->expected_hz));
	return 0;
}

int t1s_end_advance(struct t1s_context *c, struct t1s_error *e)
{
	struct t1s_state *s = &c->state;
	struct t1s_error why = {{0}};
	struct t1s_live_node live;
	struct t1s_target t = {0};
	int r = t1s_target_open_checked(c->env->root, s, &t, &why);

	if (r < 0)
		return end_unrestored(c, &why, e);
	r = t1s_overlay_set(t.path, &t.overlay, &t.node, s->original_hz, &why);
	t1s_target_done(&t);
	if (r < 0)
		return end_unrestored(c, &why, e);
	if (t1s_target_live(c->env->root, &s->overlay.match, 0, &live, &why) == 0 &&
		live.freq_hz == s->original_hz)
		return t1s_end_now(c, true, e);
	return t1s_ask_reboot(c, e);
}

static int verify_live(
	struct t1s_context *c, const struct t1s_target *t, struct t1s_error *e)
{
	struct t1s_state *s = &c->state;
	struct t1s_error why = {{0}};
	struct t1s_live_node live;
	char text[512], cause[384];

	if (t1s_target_live(c->env->root, &s->overlay.match, LIVE_WAIT_US, &live, &why) <
		0) {
		add_reason(s, why.text);
	} else if (live.freq_hz != s->original_hz) {
		t1s_target_explain_mismatch(
			c->env->root, s->overlay.name, t, cause, sizeof(cause));
		(void)snprintf(text, sizeof(text),
			"the original " T1S_MHZ_FMT
			" is back in the file, but the live tree shows " T1S_MHZ_FMT
			": %s",
			t1s_mhz(s->original_hz), t1s_mhz(live.freq_hz), cause);
		add_reason(s, text);
	}
	return t1s_end_now(c, true, e);
}

int t1s_end_verify(struct t1s_context *c, struct t1s_error *e)
{
	struct t1s_state *s = &c->state;
	struct t1s_error why = {{0}};
	struct t1s_target t = {0};
	int r = t1s_target_open_checked(c->env->root, s, &t, &why);

	if (r < 0)
		return end_unrestored(c, &why, e);
	if (t.node.freq_hz == s->original_hz) {
		r = verify_live(c, &t, e);
	} else if (s->boots_here > RESTORE_BOOTS_MAX) {
		(void)t1s_error_set(
			&why, EIO, "%u boots did not bring it back", s->boots_here);
		r = end_unrestored(c, &why, e);
	} else {
		/* a power cut took the write away: advance repeats it */
		r = t1s_context_save(c, e);
	}
	t1s_target_done(&t);
	return r;
}
