/* SPDX-License-Identifier: MIT */
#include "base/terminal.h"
#include "setup/check.h"
#include "verb.h"

struct text {
	struct t1s_terminal terminal;
	enum t1s_check_group last;
};

static void write_item(const struct t1s_check_item *item, void *data)
{
	struct text *t = data;

	t1s_check_write_item(stdout, &t->terminal, t->last, item);
	t->last = item->group;
}

int verb_check(const struct t1s_args *a)
{
	struct text t = {.last = T1S_CHECK_GROUP_MAX};
	struct t1s_check_result result;

	if (a->json) {
		if (t1s_check_json(a->root, a->config, a->trial, stdout, &result) < 0)
			return T1S_EXIT_FAILED;
	} else {
		t1s_terminal_of(stdout, &t.terminal);
		t1s_check_run(a->root, a->config, a->trial, write_item, &t, &result);
		t1s_check_write_end(stdout, &t.terminal, &result);
	}
	return result.of[T1S_CHECK_BAD] == 0 ? T1S_EXIT_OK : T1S_EXIT_FAILED;
}
