/* SPDX-License-Identifier: MIT */
#include "sweep/target.h"

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/path.h"
#include "board/bootconf.h"
#include "sweep/context.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define LIVE_POLL_US (250 * T1S_USEC_PER_MSEC)

void t1s_target_done(struct t1s_target *t)
{
	t1s_overlay_done(&t->overlay);
}

int t1s_target_path(const char *root, const struct t1s_config *c, char ret[PATH_MAX],
	struct t1s_error *e)
{
	char path[PATH_MAX];
	const char *below;
	int r;

	if (c->overlay_file[0]) {
		memcpy(ret, c->overlay_file, sizeof(c->overlay_file));
		return 0;
	}
	r = t1s_boot_overlay_path(root, c->overlay, path, e);
	if (r < 0)
		return r;
	below = t1s_path_below(root, path);
	memmove(ret, below, strlen(below) + 1);
	return 0;
}

int t1s_target_open(const char *root, const char *path,
	const struct t1s_node_match *match, struct t1s_target *ret, struct t1s_error *e)
{
	struct t1s_target t = {0};
	int r = t1s_path(t.path, root, "%s", path);

	memcpy(t.property, match->property, sizeof(t.property));
	if (r < 0)
		return t1s_error_set(e, -r, "path too long: %s", path);
	r = t1s_overlay_load(t.path, &t.overlay, e);
	if (r < 0)
		return r;
	r = t1s_overlay_find(&t.overlay, match, &t.node, e);
	if (r < 0) {
		t1s_target_done(&t);
		return t1s_error_prefix(e, r, "%s", path);
	}
	*ret = t;
	return 0;
}

/* Where the file itself is broken, says that the copy from the beginning is not. */
static int point_to_copy(const char *root, const char *path, int r, struct t1s_error *e)
{
	char copy[PATH_MAX];

	if (t1s_path(copy, root, "%s.t1s-orig", path) < 0 || access(copy, F_OK) < 0)
		return r;
	return t1s_error_set(e, -r,
		"%s. The overlay as it was when the sweep began is %s.t1s-orig: copy it to "
		"%s",
		e->text, path, path);
}

static int check_same(
	const struct t1s_target *t, const struct t1s_state *s, struct t1s_error *e)
{
	char sha[T1S_SHA256_HEX_MAX] = "";
	int r = t1s_overlay_digest_with(&t->overlay, &t->node, s->original_hz, sha, e);

	if (r < 0 || strcmp(sha, s->overlay.sha256) == 0)
		return r;
	return t1s_error_set(e, ESTALE,
		"the overlay %s was changed by someone else since the sweep began "
		"(SHA-256 of all but the frequency: expected %.12s…, found %.12s…); it is "
		"left as it is. A package upgrade may have replaced it; the copy from the "
		"beginning is %s.t1s-orig: put that back, or remove it if the overlay is "
		"right as it is now",
		s->overlay.path, s->overlay.sha256, sha, s->overlay.path);
}

int t1s_target_open_same(const char *root, const struct t1s_state *s,
	struct t1s_target *ret, struct t1s_error *e)
{
	struct t1s_target t = {0};
	int r = t1s_target_open(root, s->overlay.path, &s->overlay.match, &t, e);

	if (r < 0)
		return point_to_copy(root, s->overlay.path, r, e);
	r = check_same(&t, s, e);
	if (r < 0) {
		t1s_target_done(&t);
		return r;
	}
	*ret = t;
	return 0;
}

int t1s_target_open_checked(const char *root, const struct t1s_state *s,
	struct t1s_target *ret, struct t1s_error *e)
{
	struct t1s_target t = {0};
	int r = t1s_target_open_same(root, s, &t, e);

	if (r < 0)
		return r;
	if (t.node.freq_hz != s->original_hz && !t1s_plan_has(&s->plan, t.node.freq_hz)) {
		r = t1s_error_set(e, ESTALE,
			"the overlay %s holds " T1S_MHZ_FMT
			", which is neither a point of the plan nor the original " T1S_MHZ_FMT
			": someone else changed it; it is left as it is",
			s->overlay.path, t1s_mhz(t.node.freq_hz),
			t1s_mhz(s->original_hz));
		t1s_target_done(&t);
		return r;
	}
	*ret = t;
	return 0;
}

int t1s_target_live(const char *root, const struct t1s_node_match *match,
	uint64_t wait_us, struct t1s_live_node *ret, struct t1s_error *e)
{
	uint64_t deadline_us = t1s_now_us() + wait_us;

	for (;;) {
		int r = t1s_live_find(root, match, ret, e);

		if (r != -ENOENT || t1s_left_ms(deadline_us) == 0)
			return r;
		t1s_notify((unsigned int)(wait_us / T1S_USEC_PER_SEC) + 30,
			"waiting for the device tree node (%s)", match->compatible);
		t1s_sleep_us(LIVE_POLL_US);
	}
}

int t1s_target_shadow(const char *root, const char *overlay_name,
	const struct t1s_target *t, struct t1s_boot_shadow *ret, struct t1s_error *e)
{
	char params[T1S_OVERLAY_PARAMS_MAX][64];
	char folder[PATH_MAX], board[T1S_COMPATIBLE_MAX];
	int n = t1s_overlay_shadowing_params(&t->overlay, t->node.path, t->property,
		params, T1S_ELEMENTSOF(params), e);
	int r;

	if (n < 0)
		return n;
	r = t1s_boot_folder(root, folder, e);
	if (r < 0)
		return r;
	t1s_live_board(root, board);
	return t1s_boot_shadow(folder, board, overlay_name, (const char(*)[64])params,
		(size_t)n, ret, e);
}

void t1s_target_explain_mismatch(const char *root, const char *overlay_name,
	const struct t1s_target *t, char *ret, size_t size)
{
	struct t1s_boot_shadow shadow;
	struct t1s_error e = {{0}};
	const char *file = t1s_path_below(root, t->path);

	if (t1s_target_shadow(root, overlay_name, t, &shadow, &e) < 0)
		(void)snprintf(ret, size, "config.txt could not be read (%s)", e.text);
	else if (shadow.shadowed)
		(void)snprintf(ret, size,
			"line %u of %s sets it while the overlay is loaded: \"%s\"",
			shadow.line, shadow.file, shadow.text);
	else if (shadow.named)
		(void)snprintf(ret, size,
			"config.txt loads \"%s\" without such a parameter, so the "
			"firmware may load another file than %s (set OverlayFile=)",
			overlay_name, file);
	else
		(void)snprintf(ret, size,
			"config.txt does not name \"%s\": a HAT's EEPROM may hold the "
			"overlay itself, or a boot service loads another file or "
			"passes a frequency",
			overlay_name);
}

int t1s_target_not_shadowed(const char *root, const char *overlay_name,
	const struct t1s_target *t, struct t1s_error *e)
{
	struct t1s_boot_shadow shadow;
	int r = t1s_target_shadow(root, overlay_name, t, &shadow, e);

	if (r < 0)
		return r;
	if (!shadow.shadowed)
		return 0;
	return t1s_error_set(e, EEXIST,
		"line %u of %s on the boot partition sets the frequency while the "
		"overlay is loaded (\"%s\"), so that a change in %s would have no "
		"effect%s. Remove that parameter, reboot, and arm again",
		shadow.line, shadow.file, shadow.text, t1s_path_below(root, t->path),
		shadow.conditional ? " where that section applies" : "");
}
