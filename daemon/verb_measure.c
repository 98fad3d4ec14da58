/* SPDX-License-Identifier: MIT */
#include "base/log.h"
#include "report/answer.h"
#include "sweep/steps.h"
#include "verb.h"

#include <unistd.h>

int verb_measure(const struct t1s_args *a)
{
	const struct t1s_env env = {.root = a->root, .config_path = a->config};
	struct t1s_error e = {{0}};
	int r;

	if (!a->root[0] && geteuid() == 0) {
		t1s_log(LOG_ERR,
			"measure is the step that root must not do: the user t1s-sweep could "
			"not go on with what root has written. Run all three steps: systemctl "
			"start t1s-sweep");
		return T1S_EXIT_FAILED;
	}
	r = t1s_step_measure(&env, &e);
	if (r < 0)
		return t1s_verb_failed(r, &e);
	/* a report can be made at any time: without it the sweep goes on all the same */
	if (t1s_report_keep(&env, &e) < 0)
		t1s_log(LOG_WARNING, "no report was written beside the results: %s",
			t1s_error_text(&e));
	return r == T1S_STEP_DONE ? T1S_EXIT_OK : T1S_EXIT_FAILED;
}
