/* SPDX-License-Identifier: MIT */
#include "report/views.h"
#include "verb.h"

int verb_status(const struct t1s_args *a)
{
	struct t1s_error e = {{0}};
	int r = t1s_view_status(a->root, a->config, a->json, stdout, &e);

	return r < 0 ? t1s_verb_failed(r, &e) : T1S_EXIT_OK;
}
