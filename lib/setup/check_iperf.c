/* SPDX-License-Identifier: MIT */
#include "base/cleanup.h"
#include "link/iperf_versions.h"
#include "setup/checking.h"

#include <stdio.h>
#include <string.h>

#define DEFECTS_MAX 8

static struct t1s_iperf_use use_of(const struct t1s_config *c, bool is_sender)
{
	struct t1s_iperf_use use = {.sender = is_sender};

	for (unsigned int i = 0; i < c->workloads_count; i++) {
		const struct t1s_workload *w = &c->workloads[i];

		use.udp = use.udp || w->protocol == T1S_PROTOCOL_UDP;
		use.omit = use.omit || w->omit_s > 0;
		use.both = use.both || w->direction == T1S_DIRECTION_BOTH;
		use.reverse = use.reverse || w->direction != T1S_DIRECTION_RECEIVE;
	}
	return use;
}

static enum t1s_check_mark mark_of(enum t1s_iperf_weight w)
{
	switch (w) {
	case T1S_IPERF_USELESS:
		return T1S_CHECK_BAD;
	case T1S_IPERF_DOUBTFUL:
		return T1S_CHECK_NOTE;
	default:
		return T1S_CHECK_GOOD;
	}
}

void t1s_check_iperf(struct t1s_checking *c, enum t1s_check_group group,
	const char *version, bool is_sender)
{
	const struct t1s_iperf_use use = use_of(&c->config, is_sender);
	struct t1s_iperf_defect defects[DEFECTS_MAX];
	const size_t count = t1s_iperf_defects(version, &use, defects, DEFECTS_MAX);
	enum t1s_check_mark mark = T1S_CHECK_GOOD;
	char text[512] = "";

	for (size_t i = 0; i < count; i++) {
		const size_t n = strlen(text);

		if (mark_of(defects[i].weight) > mark)
			mark = mark_of(defects[i].weight);
		(void)snprintf(text + n, sizeof(text) - n, "%s %s (mended in %s)",
			n > 0 ? "," : "; it", defects[i].text, defects[i].fixed_in);
	}
	if (mark != T1S_CHECK_GOOD && is_sender)
		t1s_check_remedy(c,
			"ssh -t %s@%s 'sudo apt update && sudo apt install iperf3'",
			c->config.sender_user, c->config.sender_host);
	else if (mark != T1S_CHECK_GOOD)
		t1s_check_remedy(c, "sudo apt update && sudo apt install libiperf0");
	t1s_check_say(
		c, group, mark, is_sender ? "iperf3" : "libiperf", "%s%s", version, text);
}
