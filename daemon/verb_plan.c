/* SPDX-License-Identifier: MIT */
#include "report/views.h"
#include "verb.h"

int verb_plan(const struct t1s_args *a)
{
	struct t1s_error e = {{0}};
	struct t1s_config c;
	int r = t1s_config_load(a->root, a->config, false, &c, &e);

	if (r == 0)
		r = t1s_view_plan(a->root, &c, a->json, stdout, &e);
	return r < 0 ? t1s_verb_failed(r, &e) : T1S_EXIT_OK;
}
