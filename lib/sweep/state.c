/* SPDX-License-Identifier: MIT */
#include "sweep/state.h"

#include "base/cleanup.h"
#include "base/file.h"
#include "base/path.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

static const char *const phase_names[T1S_PHASE_MAX] = {
	[T1S_PHASE_MEASURING] = "measuring",
	[T1S_PHASE_REBOOTING] = "rebooting",
	[T1S_PHASE_RESTORING] = "restoring",
	[T1S_PHASE_FINISHED] = "finished",
	[T1S_PHASE_STOPPED] = "stopped",
};

void t1s_state_done(struct t1s_state *s)
{
	t1s_plan_done(&s->plan);
	free(s->search.candidates);
	s->search = (struct t1s_search_state){0};
}

size_t t1s_state_points(const struct t1s_state *s)
{
	return s->search.points > s->plan.count ? s->search.points : s->plan.count;
}

bool t1s_state_is_candidate(const struct t1s_state *s, uint32_t freq_hz)
{
	for (size_t i = 0; i < s->search.count; i++)
		if (s->search.candidates[i].freq_hz == freq_hz)
			return true;
	return false;
}

bool t1s_state_may_have_set(const struct t1s_state *s, uint32_t freq_hz)
{
	return freq_hz == s->original_hz || t1s_plan_has(&s->plan, freq_hz) ||
	       t1s_state_is_candidate(s, freq_hz);
}

const char *t1s_phase_name(enum t1s_phase p)
{
	return p >= 0 && p < T1S_PHASE_MAX ? phase_names[p] : NULL;
}

bool t1s_state_ended(const struct t1s_state *s)
{
	return s->phase == T1S_PHASE_FINISHED || s->phase == T1S_PHASE_STOPPED;
}

int t1s_state_folder(const char *root, char ret[PATH_MAX])
{
	return t1s_path(ret, root, "/var/lib/t1s-sweep");
}

int t1s_results_folder(const char *root, const char *sweep_id, char ret[PATH_MAX])
{
	return t1s_path(ret, root, "/var/lib/t1s-sweep/results/%s", sweep_id);
}

enum t1s_phase t1s_phase_from_name(const char *name)
{
	for (int i = 0; i < T1S_PHASE_MAX; i++)
		if (strcmp(phase_names[i], name) == 0)
			return (enum t1s_phase)i;
	return T1S_PHASE_INVALID;
}

static int state_path(const char *root, char ret[PATH_MAX], struct t1s_error *e)
{
	int r = t1s_path(ret, root, "/var/lib/t1s-sweep/state.json");

	if (r < 0)
		return t1s_error_set(e, -r, "path too long: %s/var/lib/t1s-sweep", root);
	return 0;
}

static int load_from(const char *path, struct t1s_state *ret, struct t1s_error *e)
{
	cleanup_free char *text = NULL;
	size_t size;
	int r = t1s_read_file(path, T1S_STATE_MAX_BYTES, &text, &size, e);

	if (r < 0)
		return r;
	r = t1s_state_parse(text, size, ret, e);
	return r < 0 ? t1s_error_prefix(e, r, "%s", path) : 0;
}

int t1s_state_load(
	const char *root, struct t1s_state *ret, bool *ret_damaged, struct t1s_error *e)
{
	char path[PATH_MAX], previous[PATH_MAX];
	struct t1s_error e2 = {{0}};
	int r = state_path(root, path, e);
	int r2;

	*ret_damaged = false;
	if (r < 0)
		return r;
	if (snprintf(previous, sizeof(previous), "%s.previous", path) >=
		(int)sizeof(previous))
		return t1s_error_set(e, ENAMETOOLONG, "path too long: %s", path);
	r = load_from(path, ret, e);
	if (r == 0 || r == -EACCES || r == -EPROTONOSUPPORT)
		return r;
	r2 = load_from(previous, ret, &e2);
	if (r2 == 0) {
		*ret_damaged = true;
		return 0;
	}
	if (r == -ENOENT && r2 == -ENOENT)
		return -ENOENT;
	return t1s_error_set(e, EBADMSG,
		"the sweep's state cannot be read (%s), nor its previous copy (%s). "
		"Nothing was changed. To put the original overlay back and to end this "
		"sweep: t1s-sweep restore",
		e->text, e2.text);
}

int t1s_state_save(const char *root, const struct t1s_state *s, struct t1s_error *e)
{
	cleanup_free char *text = NULL;
	char path[PATH_MAX];
	int r = state_path(root, path, e);

	if (r < 0)
		return r;
	r = t1s_state_format(s, &text);
	if (r < 0)
		return t1s_error_set(e, -r, "cannot write %s: %s", path, strerror(-r));
	/* readable by all: the unprivileged step takes its orders from it */
	return t1s_replace_file(path, text, strlen(text), 0644, true, e);
}

static int move_aside(const char *path, struct t1s_error *e)
{
	char aside[PATH_MAX];

	for (unsigned int n = 1; n < 1000; n++) {
		struct stat st;

		if (snprintf(aside, sizeof(aside), "%s.unusable-%u", path, n) >=
			(int)sizeof(aside))
			return t1s_error_set(e, ENAMETOOLONG, "path too long: %s", path);
		if (lstat(aside, &st) == 0)
			continue;
		if (rename(path, aside) < 0 && errno != ENOENT)
			return t1s_error_set(e, errno, "cannot move %s to %s: %s", path,
				aside, strerror(errno));
		return t1s_sync_parent(path, e);
	}
	return t1s_error_set(
		e, EEXIST, "too many unusable states kept: remove %s.unusable-*", path);
}

int t1s_state_set_aside(const char *root, struct t1s_error *e)
{
	char path[PATH_MAX], previous[PATH_MAX];
	int r = state_path(root, path, e);

	if (r < 0)
		return r;
	if (snprintf(previous, sizeof(previous), "%s.previous", path) >=
		(int)sizeof(previous))
		return t1s_error_set(e, ENAMETOOLONG, "path too long: %s", path);
	r = move_aside(previous, e);
	return r < 0 ? r : move_aside(path, e);
}
