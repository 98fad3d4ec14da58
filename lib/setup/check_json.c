/* SPDX-License-Identifier: MIT */
#include "base/cleanup.h"
#include "report/fill.h"
#include "setup/check.h"

#include <errno.h>

static void append(const struct t1s_check_item *item, void *data)
{
	struct t1s_fill f = {.json = json_object_new_object()};

	if (f.json) {
		t1s_fill_text(&f, "group", t1s_check_group_key(item->group));
		t1s_fill_text(&f, "name", item->name);
		t1s_fill_text(&f, "mark", t1s_check_mark_name(item->mark));
		t1s_fill_text(&f, "found", item->found);
		t1s_fill_text(&f, "remedy", item->remedy);
	}
	t1s_fill_append(data, f.json, f.r);
}

int t1s_check_json(const char *root, const char *config_path, bool trial, FILE *out,
	struct t1s_check_result *ret)
{
	cleanup_(t1s_json_putp) struct json_object *json = json_object_new_object();
	struct t1s_fill f = {.json = json};
	struct t1s_fill items = {.json = json_object_new_array()};

	if (!json || !items.json) {
		json_object_put(items.json);
		return -ENOMEM;
	}
	t1s_check_run(root, config_path, trial, append, &items, ret);
	t1s_fill_add(&f, "ready", json_object_new_boolean(ret->of[T1S_CHECK_BAD] == 0));
	for (int m = 0; m < T1S_CHECK_MARK_MAX; m++)
		t1s_fill_count(
			&f, t1s_check_mark_name((enum t1s_check_mark)m), ret->of[m]);
	t1s_fill_filled(&f, "checks", &items);
	return t1s_fill_write(&f, out);
}
