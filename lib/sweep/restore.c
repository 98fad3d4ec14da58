/* SPDX-License-Identifier: MIT */
/* The way out by hand. */
#include "base/clock.h"
#include "base/log.h"
#include "base/path.h"
#include "sweep/context.h"
#include "sweep/ending.h"
#include "sweep/target.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static void tell_live(const struct t1s_context *c, const struct t1s_node_match *match,
	uint32_t original_hz)
{
	struct t1s_live_node live;
	struct t1s_error ignored;

	if (t1s_target_live(c->env->root, match, 0, &live, &ignored) < 0 ||
		live.freq_hz == original_hz)
		return;
	t1s_log(LOG_NOTICE,
		"this boot still runs with " T1S_MHZ_FMT "; reboot to have " T1S_MHZ_FMT
		" again",
		t1s_mhz(live.freq_hz), t1s_mhz(original_hz));
}

/* Whose reboot it is cannot be told, so it is not called off: it may be another's. */
static void tell_reboot(const struct t1s_context *c)
{
	const struct t1s_state *s = &c->state;

	if (c->env->root[0] || s->asks == 0 || strcmp(s->boot_id, c->boot_id) != 0)
		return;
	t1s_log(LOG_NOTICE,
		"the reboot that the sweep has asked for in this boot still comes, unless it "
		"was called off (to do so: shutdown -c)");
}

/* Returns 1 if the file had to be changed, 0 if it held the original already. */
static int put_back(const struct t1s_context *c, struct t1s_error *e)
{
	const struct t1s_state *s = &c->state;
	struct t1s_target t = {0};
	/* whatever frequency somebody has set: the person asks for the original now */
	int r = t1s_target_open_same(c->env->root, s, &t, e);

	if (r < 0)
		return r;
	if (t.node.freq_hz != s->original_hz) {
		r = t1s_overlay_set(t.path, &t.overlay, &t.node, s->original_hz, e);
		if (r == 0)
			t1s_log(LOG_NOTICE, "%s set back to " T1S_MHZ_FMT,
				s->overlay.path, t1s_mhz(s->original_hz));
		r = r < 0 ? r : 1;
	}
	t1s_target_done(&t);
	return r;
}

/* Put back by hand, the original needs its copy no more. */
static int drop_copy(const struct t1s_context *c, struct t1s_error *e)
{
	char path[PATH_MAX];

	if (t1s_path(path, c->env->root, "%s", c->state.overlay.path) < 0)
		return t1s_error_set(
			e, ENAMETOOLONG, "path too long: %s", c->state.overlay.path);
	return t1s_overlay_drop_pristine(path, e);
}

static int restore_by_state(struct t1s_context *c, struct t1s_error *e)
{
	struct t1s_state *s = &c->state;
	int r = put_back(c, e);

	if (r < 0)
		return r;
	if (t1s_state_ended(s) && r == 0) {
		t1s_log(LOG_NOTICE,
			"nothing to restore: no sweep is under way, and %s holds " T1S_MHZ_FMT,
			s->overlay.path, t1s_mhz(s->original_hz));
		r = drop_copy(c, e);
		return r < 0 || s->disarmed ? r : t1s_end_disarm(c, e);
	}
	if (!t1s_state_ended(s)) {
		tell_reboot(c);
		s->stopping = true;
		s->expected_hz = s->original_hz;
		(void)snprintf(s->reason, sizeof(s->reason),
			"ended by hand (t1s-sweep restore)");
	}
	tell_live(c, &s->overlay.match, s->original_hz);
	r = t1s_end_now(c, true, e);
	return r < 0 ? r : 0;
}

/* Without a usable state the pristine copy tells what the original was. */
static int restore_by_copy(struct t1s_context *c, struct t1s_error *e)
{
	const char *root = c->env->root;
	char path[PATH_MAX], copy[PATH_MAX];
	char sha_copy[T1S_SHA256_HEX_MAX], sha[T1S_SHA256_HEX_MAX];
	struct t1s_target pristine = {0}, t = {0};
	int r = t1s_config_load(root, c->env->config_path, false, &c->config, e);

	if (r == 0)
		r = t1s_target_path(root, &c->config, path, e);
	if (r < 0)
		return r;
	if (snprintf(copy, sizeof(copy), "%s.t1s-orig", path) >= (int)sizeof(copy))
		return t1s_error_set(e, ENAMETOOLONG, "path too long: %s", path);
	r = t1s_target_open(root, copy, &c->config.match, &pristine, e);
	if (r < 0)
		return t1s_error_prefix(e, r,
			"the state cannot be used, and there is no pristine copy either");
	r = t1s_target_open(root, path, &c->config.match, &t, e);
	if (r < 0) {
		t1s_target_done(&pristine);
		return t1s_error_prefix(e, r, "copy %s over it by hand", copy);
	}
	r = t1s_overlay_digest_with(
		&pristine.overlay, &pristine.node, pristine.node.freq_hz, sha_copy, e);
	if (r == 0)
		r = t1s_overlay_digest_with(
			&t.overlay, &t.node, pristine.node.freq_hz, sha, e);
	if (r == 0 && strcmp(sha, sha_copy) != 0)
		r = t1s_error_set(e, ESTALE,
			"%s differs from its pristine copy %s in more than the "
			"frequency; it is left as it is. Decide which of the two is "
			"right, and copy it by hand",
			path, copy);
	if (r == 0)
		r = t1s_overlay_set(
			t.path, &t.overlay, &t.node, pristine.node.freq_hz, e);
	if (r == 0) {
		t1s_log(LOG_NOTICE,
			"%s holds the original " T1S_MHZ_FMT
			" again, by its pristine copy",
			path, t1s_mhz(pristine.node.freq_hz));
		tell_live(c, &c->config.match, pristine.node.freq_hz);
		r = t1s_overlay_drop_pristine(t.path, e);
	}
	t1s_target_done(&t);
	t1s_target_done(&pristine);
	return r;
}

static int restore_without_state(
	struct t1s_context *c, const char *why, struct t1s_error *e)
{
	int r;

	t1s_log(LOG_WARNING, "%s", why);
	r = restore_by_copy(c, e);
	if (r == 0)
		r = t1s_state_set_aside(c->env->root, e);
	if (r == 0)
		r = t1s_power_disable_unit(c->env->root, T1S_UNIT, e);
	return r;
}

/* A state can be lost together with its folder; the copy beside the overlay tells. */
static int restore_without_sweep(struct t1s_context *c, struct t1s_error *e)
{
	const char *root = c->env->root;
	char path[PATH_MAX], copy[PATH_MAX];
	struct t1s_error ignored;
	int r = t1s_config_load(root, c->env->config_path, false, &c->config, e);

	if (r < 0)
		return r;
	if (t1s_target_path(root, &c->config, path, &ignored) == 0 &&
		t1s_path(copy, root, "%s.t1s-orig", path) == 0 && access(copy, F_OK) == 0)
		return restore_without_state(c,
			"the state of the sweep is gone, but its copy of the overlay is there",
			e);
	t1s_log(LOG_NOTICE, "nothing to restore: no sweep was ever begun here");
	return 0;
}

int t1s_restore(const struct t1s_env *env, struct t1s_error *e)
{
	struct t1s_error why = {{0}};
	struct t1s_context c;
	int r = t1s_context_open_at_rest(env, &c, &why);

	if (r == -EBADMSG || r == -EPROTONOSUPPORT)
		r = restore_without_state(&c, why.text, e);
	else if (r < 0)
		r = t1s_error_set(e, -r, "%s", why.text);
	else if (c.have_state)
		r = restore_by_state(&c, e);
	else
		r = restore_without_sweep(&c, e);
	t1s_context_done(&c);
	return r;
}
