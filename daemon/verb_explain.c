/* SPDX-License-Identifier: MIT */
#include "base/cleanup.h"
#include "base/file.h"
#include "report/views.h"
#include "verb.h"

#define RESULT_MAX_BYTES ((size_t)16 * 1024 * 1024)

int verb_explain(const struct t1s_args *a)
{
	cleanup_free char *text = NULL;
	const struct t1s_iperf_expect expect = {0};
	struct t1s_iperf_result result;
	struct t1s_error e = {{0}};
	size_t size;
	int r = t1s_read_file(a->operands[0], RESULT_MAX_BYTES, &text, &size, &e);

	if (r < 0)
		return t1s_verb_failed(r, &e);
	t1s_iperf_read(text, size, &expect, &result);
	r = t1s_view_explain(&result, a->json, stdout);
	return r < 0 ? T1S_EXIT_FAILED : T1S_EXIT_OK;
}
