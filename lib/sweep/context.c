/* SPDX-License-Identifier: MIT */
#include "sweep/context.h"

#include "base/cleanup.h"
#include "base/file.h"
#include "base/log.h"
#include "base/path.h"
#include "board/bootconf.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static int take_lock(struct t1s_context *c, struct t1s_error *e)
{
	char folder[PATH_MAX], lock[PATH_MAX];
	int r = t1s_state_folder(c->env->root, folder);

	if (r == 0)
		r = t1s_path(lock, c->env->root, "/var/lib/t1s-sweep/lock");
	if (r < 0)
		return t1s_error_set(e, -r, "path too long: %s", c->env->root);
	r = t1s_make_folder(folder, 0755, e);
	if (r == 0)
		r = t1s_lock_file(lock, &c->lock_fd, e);
	return r == -EACCES ? t1s_error_set(e, EACCES,
				      "%s. Only root may change a sweep: try again with "
				      "sudo",
				      e->text)
			    : r;
}

static void init(const struct t1s_env *env, struct t1s_context *ret)
{
	memset(ret, 0, sizeof(*ret));
	ret->env = env;
	ret->lock_fd = -1;
}

static int load_state(struct t1s_context *c, struct t1s_error *e)
{
	bool damaged;
	int r = t1s_state_load(c->env->root, &c->state, &damaged, e);

	if (r == -ENOENT)
		return 0;
	if (r < 0)
		return r;
	c->have_state = true;
	if (damaged)
		t1s_log(LOG_WARNING, "state.json is damaged or missing; going on from "
				     "its previous copy");
	return 0;
}

int t1s_context_open(const struct t1s_env *env, bool lock, struct t1s_context *ret,
	struct t1s_error *e)
{
	int r;

	init(env, ret);
	r = t1s_boot_id(env->root, ret->boot_id, e);
	if (r == 0 && lock)
		r = take_lock(ret, e);
	return r < 0 ? r : load_state(ret, e);
}

int t1s_context_open_at_rest(
	const struct t1s_env *env, struct t1s_context *ret, struct t1s_error *e)
{
	int r;

	init(env, ret);
	r = t1s_boot_id(env->root, ret->boot_id, e);
	if (r == -ENOENT && env->root[0]) {
		ret->boot_id[0] = '\0';
		r = 0;
	}
	if (r == 0)
		r = take_lock(ret, e);
	return r < 0 ? r : load_state(ret, e);
}

void t1s_context_done(struct t1s_context *c)
{
	if (c->have_state)
		t1s_state_done(&c->state);
	t1s_cleanup_closep(&c->lock_fd);
}

int t1s_context_config(struct t1s_context *c, struct t1s_error *e)
{
	return t1s_config_load(c->env->root, c->env->config_path, true, &c->config, e);
}

int t1s_context_save(struct t1s_context *c, struct t1s_error *e)
{
	memcpy(c->state.boot_id, c->boot_id, sizeof(c->state.boot_id));
	return t1s_state_save(c->env->root, &c->state, e);
}

bool t1s_context_is_ours(const struct t1s_context *c)
{
	return c->have_state && !t1s_state_ended(&c->state) &&
	       strcmp(c->state.boot_id, c->boot_id) == 0;
}

bool t1s_switched_off(const char *root, char *ret_why, size_t size)
{
	char folder[PATH_MAX], file[PATH_MAX];

	if (t1s_cmdline_has(root, "t1s_sweep=off")) {
		(void)snprintf(ret_why, size, "t1s_sweep=off on the kernel command line");
		return true;
	}
	if (t1s_boot_folder(root, folder, NULL) < 0 ||
		t1s_path(file, folder, "/t1s-sweep.stop") < 0 || access(file, F_OK) < 0)
		return false;
	(void)snprintf(ret_why, size, "%s is there", t1s_path_below(root, file));
	return true;
}

void t1s_context_notify(
	const struct t1s_context *c, unsigned int extend_s, const char *format, ...)
{
	const struct t1s_state *s = &c->state;
	char text[512];
	va_list ap;

	va_start(ap, format);
	(void)vsnprintf(text, sizeof(text), format, ap);
	va_end(ap);
	t1s_notify(extend_s, "point %zu/%zu (" T1S_MHZ_FMT "): %s", s->point + 1,
		t1s_state_points(s), t1s_mhz(s->plan.points[s->point].freq_hz), text);
}
