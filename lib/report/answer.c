/* SPDX-License-Identifier: MIT */
#include "report/answer.h"

#include "base/cleanup.h"
#include "base/file.h"
#include "base/log.h"
#include "base/path.h"
#include "report/report.h"
#include "sweep/search.h"
#include "sweep/state.h"

#include <errno.h>
#include <unistd.h>

#define HTML_PATIENCE_S 90 /* gnuplot's own, and what is around it */

static int read_report(const struct t1s_env *env, const char *results_path,
	struct t1s_report_list *ret, struct t1s_error *e)
{
	struct t1s_config c;

	if (t1s_config_load(env->root, env->config_path, false, &c, NULL) < 0)
		t1s_config_defaults(&c);
	return t1s_report_add(ret, results_path, &c, NULL, e);
}

bool t1s_report_answer(
	const struct t1s_env *env, const char *results_path, struct t1s_answer *ret)
{
	cleanup_(t1s_report_list_done) struct t1s_report_list list = {0};
	const struct t1s_report *r;

	if (read_report(env, results_path, &list, NULL) < 0 || list.count == 0)
		return false;
	r = &list.reports[0];
	*ret = (struct t1s_answer){.lowest_full_hz = r->lowest_full_hz,
		.margin = r->margin,
		.best_mbit_s = r->best_mbit_s,
		.wire_limit_mbit_s = r->wire_limit_mbit_s};
	return true;
}

static int keep_file(const char *folder, const char *name,
	const struct t1s_report_list *l,
	int (*write)(const struct t1s_report_list *l, FILE *out), struct t1s_error *e)
{
	cleanup_free char *text = NULL;
	char path[PATH_MAX];
	size_t size = 0;
	FILE *f;
	int r;

	if (t1s_path(path, folder, "/%s", name) < 0)
		return t1s_error_set(e, ENAMETOOLONG, "path too long: %s", folder);
	f = open_memstream(&text, &size);
	if (!f)
		return t1s_error_set(e, ENOMEM, "out of memory");
	r = write(l, f);
	if (fclose(f) != 0 || r < 0)
		return t1s_error_set(e, ENOMEM, "%s cannot be made", path);
	return t1s_replace_file(path, text, size, 0644, false, e);
}

/* A page takes gnuplot's time, so it is made only where this may be the last boot that
 * measures: a search does not know. */
static bool page_is_due(const struct t1s_state *s)
{
	return t1s_state_ended(s) || t1s_search_is_on(s) || s->point + 1 >= s->plan.count;
}

static int keep_all(const struct t1s_env *env, const struct t1s_state *s,
	const char *folder, const char *results, struct t1s_error *e)
{
	cleanup_(t1s_report_list_done) struct t1s_report_list list = {0};
	int r = read_report(env, results, &list, e);

	if (r == 0)
		r = keep_file(folder, "report.txt", &list, t1s_report_write_text, e);
	if (r == 0)
		r = keep_file(folder, "report.json", &list, t1s_report_write_json, e);
	if (r < 0 || !page_is_due(s))
		return r;
	t1s_notify(HTML_PATIENCE_S, "writing the report");
	return keep_file(folder, "report.html", &list, t1s_report_write_html, e);
}

int t1s_report_keep(const struct t1s_env *env, struct t1s_error *e)
{
	char folder[PATH_MAX], results[PATH_MAX], page[PATH_MAX];
	struct t1s_state s;
	bool damaged;
	int r = t1s_state_load(env->root, &s, &damaged, e);

	if (r < 0)
		return r == -ENOENT ? 0 : r;
	if (t1s_results_folder(env->root, s.sweep_id, folder) < 0 ||
		t1s_path(results, folder, "/results.csv") < 0 ||
		t1s_path(page, folder, "/report.html") < 0)
		r = t1s_error_set(e, ENAMETOOLONG, "path too long: %s", env->root);
	else if (access(results, F_OK) == 0 &&
		 !(t1s_state_ended(&s) && access(page, F_OK) == 0))
		r = keep_all(env, &s, folder, results, e);
	else
		r = 0;
	t1s_state_done(&s);
	return r;
}
