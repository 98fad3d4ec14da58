/* SPDX-License-Identifier: MIT */
/* The first step of a boot: may we measure? */
#include "base/cleanup.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/path.h"
#include "board/bootconf.h"
#include "board/condition.h"
#include "board/spi.h"
#include "board/storage.h"
#include "sweep/context.h"
#include "sweep/ending.h"
#include "sweep/plca_set.h"
#include "sweep/predict.h"
#include "sweep/search.h"
#include "sweep/target.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>

#define LIVE_WAIT_US (60 * T1S_USEC_PER_SEC)
/* More boots than these without an end mean that something is wrong beyond what is
 * checked. */
#define BOOTS_HERE_MAX 10
#define BOOTS_SPARE 20

static int make_sweep_id(
	char ret[T1S_SWEEP_ID_MAX], uint64_t *ret_seed, struct t1s_error *e)
{
	time_t now = (time_t)(t1s_wall_us() / T1S_USEC_PER_SEC);
	uint64_t random = 0;
	struct tm tm;

	if (getrandom(&random, sizeof(random), 0) != (ssize_t)sizeof(random) ||
		!localtime_r(&now, &tm))
		return t1s_error_set(e, EIO, "cannot make a sweep id");
	/* the time is for people; without a real-time clock only the rest makes it unique
	 */
	(void)snprintf(ret, T1S_SWEEP_ID_MAX, "%04d%02d%02dT%02d%02d%02d-%08" PRIx32,
		tm.tm_year + 1900, tm.tm_mon + 1, tm.tm_mday, tm.tm_hour, tm.tm_min,
		tm.tm_sec, (uint32_t)random);
	*ret_seed = random >> 16; /* 15 digits, which spreadsheets keep too */
	return 0;
}

static int check_storage(const char *root, struct t1s_error *e)
{
	char boot[PATH_MAX];
	int r = t1s_storage_lasts(
		root, "/var/lib/t1s-sweep", T1S_STATE_FREE_MIN_BYTES, e);

	if (r == 0)
		r = t1s_boot_folder(root, boot, e);
	if (r == 0)
		r = t1s_storage_boot_ready(root, boot, e);
	return r;
}

/* Before the first change: file and live tree must agree, and nothing may shadow the
 * file. */
static int check_effective(struct t1s_context *c, const struct t1s_target *t,
	struct t1s_live_node *ret_live, struct t1s_error *e)
{
	const char *root = c->env->root;
	char cause[384];
	int r = t1s_target_not_shadowed(root, c->config.overlay, t, e);

	if (r == 0)
		r = t1s_target_live(root, &c->config.match, LIVE_WAIT_US, ret_live, e);
	if (r < 0)
		return r;
	if (ret_live->freq_hz == t->node.freq_hz)
		return 0;
	t1s_target_explain_mismatch(root, c->config.overlay, t, cause, sizeof(cause));
	return t1s_error_set(e, ESTALE,
		"frequency not as expected: %s holds " T1S_MHZ_FMT
		", the live tree shows " T1S_MHZ_FMT
		" at %s. If the file was changed since this boot, reboot; else %s",
		t1s_path_below(root, t->path), t1s_mhz(t->node.freq_hz),
		t1s_mhz(ret_live->freq_hz), ret_live->path, cause);
}

static int fill_overlay(
	struct t1s_context *c, const struct t1s_target *t, struct t1s_error *e)
{
	struct t1s_state *s = &c->state;

	(void)snprintf(s->overlay.path, sizeof(s->overlay.path), "%s",
		t1s_path_below(c->env->root, t->path));
	(void)snprintf(s->overlay.name, sizeof(s->overlay.name), "%s", c->config.overlay);
	(void)snprintf(
		s->overlay.node_path, sizeof(s->overlay.node_path), "%s", t->node.path);
	s->overlay.match = c->config.match;
	s->original_hz = t->node.freq_hz;
	if (s->original_hz < T1S_FREQ_MIN_HZ || s->original_hz > T1S_FREQ_MAX_HZ)
		return t1s_error_set(e, ERANGE,
			"%s: %s of %s is %" PRIu32
			", expected a frequency from 1 kHz to 125 MHz in Hz: is Property= "
			"the one that holds the SPI frequency?",
			s->overlay.path, s->overlay.match.property, t->node.path,
			s->original_hz);
	return t1s_overlay_digest_with(
		&t->overlay, &t->node, s->original_hz, s->overlay.sha256, e);
}

/* For the rows of this boot: the step that writes them may not read it. */
static void read_core_clock(struct t1s_context *c)
{
	int64_t hz = t1s_core_clock_hz(c->env->root);

	c->state.core_clock_hz = hz > 0 ? (uint64_t)hz : 0;
}

static int init_state(struct t1s_context *c, const struct t1s_target *t,
	const struct t1s_live_node *live, struct t1s_error *e)
{
	struct t1s_predictor predictor = {0};
	struct t1s_state *s = &c->state;
	struct t1s_boot_times boot_times = {0};
	uint64_t seed = 0;
	int r;

	if (c->have_state) {
		boot_times = s->boot_times;
		t1s_state_done(s);
	}
	memset(s, 0, sizeof(*s));
	s->boot_times = boot_times;
	c->have_state = true;
	r = make_sweep_id(s->sweep_id, &seed, e);
	if (r == 0)
		r = fill_overlay(c, t, e);
	if (r < 0)
		return r;
	t1s_predictor_init(
		&predictor, c->env->root, c->config.spi_clk_hz, live->controller);
	r = t1s_search_make(&c->config, seed, t1s_predict_sclk_hz, &predictor, s, e);
	if (r < 0)
		return r;
	s->boots = 1;
	s->boots_here = 1;
	s->expected_hz = s->plan.points[0].freq_hz;
	read_core_clock(c);
	s->phase = s->expected_hz == live->freq_hz ? T1S_PHASE_MEASURING
						   : T1S_PHASE_REBOOTING;
	return 0;
}

static void tell_begun(const struct t1s_context *c)
{
	const struct t1s_state *s = &c->state;
	struct t1s_log_fields f = {0};

	t1s_context_fields(c, &f);
	t1s_log_event(LOG_NOTICE, T1S_MESSAGE_SWEEP_BEGUN, &f,
		"sweep %s begun: %s%zu points, first " T1S_MHZ_FMT
		", overlay %s (original " T1S_MHZ_FMT ")",
		s->sweep_id, t1s_search_is_on(s) ? "search for the knee, at most " : "",
		t1s_state_points(s), t1s_mhz(s->plan.points[0].freq_hz), s->overlay.path,
		t1s_mhz(s->original_hz));
}

static int new_sweep_at(struct t1s_context *c, struct t1s_target *t, struct t1s_error *e)
{
	struct t1s_live_node live = {0};
	int r = check_effective(c, t, &live, e);

	if (r == 0)
		r = init_state(c, t, &live, e);
	if (r == 0)
		r = t1s_overlay_keep_pristine(t->path, &t->overlay, e);
	if (r == 0)
		r = t1s_context_save(c, e);
	if (r == 0)
		tell_begun(c);
	return r;
}

static int new_sweep(struct t1s_context *c, struct t1s_error *e)
{
	const char *root = c->env->root;
	char path[PATH_MAX];
	struct t1s_target t = {0};
	int r = t1s_context_config(c, e);

	if (r < 0)
		return r;
	r = check_storage(root, e);
	if (r == 0)
		r = t1s_target_path(root, &c->config, path, e);
	if (r == 0)
		r = t1s_target_open(root, path, &c->config.match, &t, e);
	if (r == 0) {
		r = new_sweep_at(c, &t, e);
		t1s_target_done(&t);
	}
	return r < 0 ? t1s_error_prefix(e, r, "no sweep was begun") : 0;
}

static int stop(struct t1s_context *c, const struct t1s_error *why, struct t1s_error *e)
{
	return t1s_end_begin(c, true, why->text, e);
}

/* The configuration must still mean the overlay that the sweep began with. */
static int check_same_overlay(struct t1s_context *c, struct t1s_error *e)
{
	char path[PATH_MAX];
	int r = t1s_target_path(c->env->root, &c->config, path, e);

	if (r < 0)
		return r;
	if (strcmp(path, c->state.overlay.path) != 0)
		return t1s_error_set(e, ESTALE,
			"the sweep began with the overlay %s, but now the firmware or "
			"the configuration means %s",
			c->state.overlay.path, path);
	return 0;
}

static int compare_live(
	struct t1s_context *c, const struct t1s_target *t, struct t1s_error *e)
{
	struct t1s_state *s = &c->state;
	struct t1s_live_node live = {0};
	char cause[384];
	int r = t1s_target_live(c->env->root, &s->overlay.match, LIVE_WAIT_US, &live, e);

	if (r < 0)
		return r;
	if (live.freq_hz == s->expected_hz) {
		s->phase = T1S_PHASE_MEASURING;
		read_core_clock(c);
		return 0;
	}
	if (s->phase == T1S_PHASE_REBOOTING && t->node.freq_hz != s->expected_hz) {
		t1s_log(LOG_NOTICE,
			"the overlay still holds " T1S_MHZ_FMT ", not " T1S_MHZ_FMT
			": the power was cut before it was written; setting it again",
			t1s_mhz(t->node.freq_hz), t1s_mhz(s->expected_hz));
		return 0;
	}
	t1s_target_explain_mismatch(
		c->env->root, s->overlay.name, t, cause, sizeof(cause));
	return t1s_error_set(e, ESTALE,
		"frequency not as expected: the overlay was set to " T1S_MHZ_FMT
		" and the machine rebooted, but the live tree shows " T1S_MHZ_FMT
		" at %s: %s",
		t1s_mhz(s->expected_hz), t1s_mhz(live.freq_hz), live.path, cause);
}

/* Everything that must hold in a boot that shall measure. */
static int check_boot(struct t1s_context *c, struct t1s_error *e)
{
	struct t1s_state *s = &c->state;
	struct t1s_target t = {0};
	int r;

	if (s->boots_here > BOOTS_HERE_MAX || s->boots > 2 * s->plan.count + BOOTS_SPARE)
		return t1s_error_set(e, ELOOP,
			"%u boots at this point, %u in all, without getting on: more "
			"than a sweep of %zu points may need",
			s->boots_here, s->boots, s->plan.count);
	r = check_same_overlay(c, e);
	if (r == 0)
		r = check_storage(c->env->root, e);
	if (r == 0)
		r = t1s_target_open_checked(c->env->root, s, &t, e);
	if (r < 0)
		return r;
	r = compare_live(c, &t, e);
	t1s_target_done(&t);
	return r;
}

static int go_on(struct t1s_context *c, bool rebooted, struct t1s_error *e)
{
	struct t1s_state *s = &c->state;
	struct t1s_error why = {{0}};
	int r;

	if (s->phase == T1S_PHASE_RESTORING)
		return rebooted ? t1s_end_verify(c, e) : T1S_STEP_DONE;
	if (s->phase == T1S_PHASE_REBOOTING && !rebooted)
		return T1S_STEP_DONE; /* advance asks again */
	r = t1s_context_config(c, e);
	if (r < 0)
		return r;
	r = check_boot(c, &why);
	return r < 0 ? stop(c, &why, e) : t1s_context_save(c, e);
}

/* What stops the sweep stops it long before. */
static void count_boot(unsigned int *boots)
{
	if (*boots < T1S_BOOTS_MAX)
		(*boots)++;
}

static int begin(struct t1s_context *c, struct t1s_error *e)
{
	struct t1s_state *s = &c->state;
	bool rebooted;

	if (!c->have_state || (t1s_state_ended(s) && s->disarmed))
		return new_sweep(c, e);
	if (t1s_state_ended(s))
		return t1s_end_disarm(c, e);
	rebooted = strcmp(s->boot_id, c->boot_id) != 0;
	if (rebooted) {
		count_boot(&s->boots);
		count_boot(&s->boots_here);
		s->asks = 0;
	}
	return go_on(c, rebooted, e);
}

int t1s_step_begin(const struct t1s_env *env, struct t1s_error *e)
{
	struct t1s_context c;
	char why[PATH_MAX + 64];
	int r;

	if (t1s_switched_off(env->root, why, sizeof(why))) {
		t1s_log(LOG_NOTICE, "switched off (%s): nothing is done in this boot",
			why);
		return T1S_STEP_DONE;
	}
	r = t1s_context_open(env, true, &c, e);
	if (r == 0)
		r = begin(&c, e);
	/* here, since measure may not */
	if (r == 0 && c.state.phase == T1S_PHASE_MEASURING)
		t1s_plca_set_here(env->root, &c.config);
	t1s_context_done(&c);
	return r;
}
