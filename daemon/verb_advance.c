/* SPDX-License-Identifier: MIT */
#include "report/answer.h"
#include "sweep/steps.h"
#include "verb.h"

int verb_advance(const struct t1s_args *a)
{
	const struct t1s_env env = {
		.root = a->root, .config_path = a->config, .answer = t1s_report_answer};
	struct t1s_error e = {{0}};
	int r = t1s_step_advance(&env, &e);

	if (r < 0)
		return t1s_verb_failed(r, &e);
	return r == T1S_STEP_DONE ? T1S_EXIT_OK : T1S_EXIT_FAILED;
}
