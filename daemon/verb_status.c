/* SPDX-License-Identifier: MIT */
#include "base/clock.h"
#include "base/text.h"
#include "report/views.h"
#include "verb.h"

#include <errno.h>

#define WATCH_USUAL_US (2 * T1S_USEC_PER_SEC)
#define WATCH_MIN_US (200 * T1S_USEC_PER_MSEC)
#define WATCH_MAX_US (3600 * T1S_USEC_PER_SEC)

static int read_interval(const char *text, uint64_t *ret_us, struct t1s_error *e)
{
	*ret_us = WATCH_USUAL_US;
	if (!text[0])
		return 0;
	if (t1s_parse_duration(text, ret_us) < 0 || *ret_us < WATCH_MIN_US ||
		*ret_us > WATCH_MAX_US)
		return t1s_error_set(e, EINVAL,
			"--watch=%s: expected a time such as 5s, 200 ms to 1 h", text);
	return 0;
}

int verb_status(const struct t1s_args *a)
{
	struct t1s_status_view view = {
		.root = a->root, .config_path = a->config, .json = a->json};
	struct t1s_error e = {{0}};
	int r = a->watch ? read_interval(a->watch, &view.watch_us, &e) : 0;

	if (r == 0)
		r = t1s_view_status(&view, stdout, &e);
	return r < 0 ? t1s_verb_failed(r, &e) : T1S_EXIT_OK;
}
