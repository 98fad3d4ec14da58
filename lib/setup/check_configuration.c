/* SPDX-License-Identifier: MIT */
#include "base/clock.h"
#include "setup/checking.h"
#include "sweep/predict.h"
#include "sweep/schedule.h"
#include "sweep/search.h"

#include <string.h>

#define GROUP T1S_CHECK_CONFIGURATION

static void check_rights(struct t1s_checking *c)
{
	if (c->as_root)
		return;
	t1s_check_remedy(c, "sudo t1s-sweep check");
	t1s_check_say(c, GROUP, T1S_CHECK_NOTE, "rights",
		"asked by an ordinary user, who may not see everything");
}

static void check_files(struct t1s_checking *c)
{
	const char *why = c->config_why.text;
	const bool without_sender = c->have_config && (!c->config.sender_host[0] ||
							      !c->config.sender_user[0]);

	if (c->complete) {
		t1s_check_say(c, GROUP, T1S_CHECK_GOOD, "files",
			"can be read; the sender is %s@%s", c->config.sender_user,
			c->config.sender_host);
		return;
	}
	/* what is wrong begins with "FILE:LINE:" */
	if (without_sender)
		t1s_check_remedy(c, "sudo t1s-sweep pair USER@HOST");
	else if (why[0] == '/')
		t1s_check_remedy(c, "sudoedit %.*s", (int)strcspn(why, ":"), why);
	t1s_check_say(c, GROUP, T1S_CHECK_BAD, "files", "%s", why);
}

static void say_plan(struct t1s_checking *c, const struct t1s_state *s)
{
	uint32_t lowest = UINT32_MAX, highest = 0;
	char length[T1S_TIMESTAMP_MAX];

	for (size_t i = 0; i < s->plan.count; i++) {
		const uint32_t hz = s->plan.points[i].freq_hz;

		lowest = hz < lowest ? hz : lowest;
		highest = hz > highest ? hz : highest;
	}
	for (size_t i = 0; i < s->search.count; i++)
		lowest = s->search.candidates[i].freq_hz < lowest
				 ? s->search.candidates[i].freq_hz
				 : lowest;
	t1s_format_duration(t1s_schedule_whole_us(s, &c->config), length);
	t1s_check_say(c, GROUP, T1S_CHECK_GOOD, "plan",
		"%s%zu points from " T1S_MHZ_FMT " down to " T1S_MHZ_FMT
		", about %s with %s",
		s->search.count > 0 ? "a search of at most " : "", t1s_state_points(s),
		t1s_mhz(highest), t1s_mhz(lowest), length,
		s->boot_times.count > 0 ? "boots as long as the last"
					: "a minute for each boot");
}

/* By the way a sweep that begins makes it. */
static void check_plan(struct t1s_checking *c)
{
	const char *controller = c->live_r == 0 ? c->live.controller : "";
	struct t1s_predictor predictor;
	struct t1s_state s = {.original_hz = c->config.start_hz};
	struct t1s_error why = {{0}};

	if (!c->have_config)
		return;
	if (t1s_check_is_under_way(c))
		s.original_hz = c->state.original_hz;
	else if (c->live_r == 0)
		s.original_hz = c->live.freq_hz;
	if (c->state_r == 0)
		s.boot_times = c->state.boot_times;
	t1s_predictor_init(&predictor, c->root, c->config.spi_clk_hz, controller);
	if (t1s_search_make(&c->config, 1, t1s_predict_sclk_hz, &predictor, &s, &why) ==
		0) {
		say_plan(c, &s);
		t1s_state_done(&s);
		return;
	}
	t1s_check_remedy(c, "t1s-sweep plan");
	t1s_check_say(c, GROUP, T1S_CHECK_BAD, "plan", "%s", why.text);
}

void t1s_check_configuration(struct t1s_checking *c)
{
	check_rights(c);
	check_files(c);
	check_plan(c);
}
