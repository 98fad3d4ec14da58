/* SPDX-License-Identifier: MIT */
/* Our configuration: the input's parts are the main file and a drop-in. What is taken
 * must be in its bounds, and good for a plan. */
#include "fuzz.h"

#include "base/cleanup.h"
#include "base/file.h"
#include "sweep/config.h"
#include "sweep/plan.h"

#include <stdlib.h>

static uint32_t same_clock(uint32_t freq_hz, void *data)
{
	(void)data;
	return freq_hz / 1000000 * 1000000;
}

static void check_values(const struct t1s_config *c)
{
	fuzz_require(c->points_count <= T1S_POINTS_MAX);
	fuzz_require(c->workloads_count >= 1 && c->workloads_count <= T1S_WORKLOADS_MAX);
	for (unsigned int i = 0; i < c->workloads_count; i++) {
		const struct t1s_workload *w = &c->workloads[i];

		fuzz_require(w->name[0] && fuzz_is_shown(w->name));
		fuzz_require(w->duration_s > 0 && w->repeats > 0 && w->length_bytes > 0);
		fuzz_require(t1s_protocol_name(w->protocol));
		fuzz_require(t1s_direction_name(w->direction));
	}
	fuzz_require(t1s_order_name(c->order));
	fuzz_require(c->collapse_below >= 0 && c->collapse_below <= 1);
	fuzz_require(c->full_share >= 0 && c->full_share <= 1);
	fuzz_require(c->severe_share >= 0 && c->severe_share <= 1);
	fuzz_require(fuzz_is_shown(c->sender_host) && fuzz_is_shown(c->sender_user));
	fuzz_require(fuzz_is_shown(c->overlay));
}

static void check_plan(const struct t1s_config *c)
{
	cleanup_(t1s_plan_done) struct t1s_plan plan = {0};
	cleanup_free struct t1s_candidate *candidates = NULL;
	struct t1s_error e = {{0}};
	size_t count = 0;
	int r = t1s_plan_make(c, 20000000, 42, same_clock, NULL, &plan, &e);

	if (r < 0)
		fuzz_check_failure(r, &e);
	else
		fuzz_require(plan.count >= 1 && plan.count <= T1S_PLAN_MAX);
	r = t1s_plan_candidates(c, 20000000, same_clock, NULL, &candidates, &count, &e);
	if (r < 0)
		fuzz_check_failure(r, &e);
	else
		fuzz_require(count >= 1);
	(void)t1s_plan_point_us(c);
}

static void check(const char *path, bool complete)
{
	static struct t1s_config c;
	struct t1s_error e = {{0}};
	int r;

	fuzz_mark(&c, sizeof(c));
	r = t1s_config_load("", path, complete, &c, &e);
	if (r < 0) {
		fuzz_check_failure(r, &e);
		fuzz_require(fuzz_is_untouched(&c, sizeof(c)));
		return;
	}
	check_values(&c);
	if (complete)
		check_plan(&c);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct fuzz_part parts[2] = {{0}};
	char path[PATH_MAX], folder[PATH_MAX], drop_in[PATH_MAX];

	(void)fuzz_split(data, size, parts, 2);
	fuzz_path(path, "/t.conf");
	fuzz_path(folder, "/t.conf.d");
	fuzz_path(drop_in, "/t.conf.d/10.conf");
	fuzz_require(t1s_make_folder(folder, 0700, NULL) == 0);
	fuzz_write(path, parts[0]);
	fuzz_write(drop_in, parts[1]);
	check(path, false);
	check(path, true);
	return 0;
}
