/* SPDX-License-Identifier: MIT */
#include "report/answer.h"
#include "sweep/steps.h"
#include "verb.h"

int verb_restore(const struct t1s_args *a)
{
	const struct t1s_env env = {
		.root = a->root, .config_path = a->config, .answer = t1s_report_answer};
	struct t1s_error e = {{0}};
	int r = t1s_restore(&env, &e);

	return r < 0 ? t1s_verb_failed(r, &e) : T1S_EXIT_OK;
}
