/* SPDX-License-Identifier: MIT */
#include "setup/restriction.h"

#include "base/cleanup.h"
#include "base/clock.h"
#include "link/gate.h"
#include "link/sender_facts.h"
#include "link/sender_way.h"
#include "sweep/client.h"
#include "sweep/plca_set.h"
#include "sweep/reach.h"

#include <errno.h>
#include <string.h>

#define ANSWER_US (15 * T1S_USEC_PER_SEC)
#define ANSWER_MAX_BYTES ((size_t)4096)
#define COMMAND_MAX 2048

static int run(struct t1s_sender *s, const char *command, struct t1s_sender_output *ret,
	struct t1s_error *e)
{
	return t1s_sender_run(s, command, ANSWER_MAX_BYTES, t1s_now_us() + ANSWER_US,
		NULL, NULL, ret, e);
}

int t1s_restriction_ask(struct t1s_sender *s, const struct t1s_config *c,
	enum t1s_restriction *ret, struct t1s_error *e)
{
	cleanup_(t1s_sender_output_done) struct t1s_sender_output out = {0};
	char ours[T1S_GATE_ID_MAX], theirs[T1S_GATE_ID_MAX];
	int r = t1s_gate_id(c->sender_iperf3, ours, e);

	if (r == 0)
		r = run(s, T1S_GATE_QUESTION, &out, e);
	if (r < 0)
		return r;
	if (t1s_gate_answer(out.out, theirs) < 0)
		*ret = T1S_RESTRICTION_NONE;
	else
		*ret = strcmp(ours, theirs) == 0 ? T1S_RESTRICTION_CURRENT
						 : T1S_RESTRICTION_OTHER;
	return 0;
}

static int try_one(struct t1s_sender *s, const char *command, struct t1s_error *e)
{
	cleanup_(t1s_sender_output_done) struct t1s_sender_output out = {0};
	char question[COMMAND_MAX];
	int r = t1s_gate_may(command, question, sizeof(question));

	if (r < 0)
		return t1s_error_set(e, -r, "a command is too long: %.200s", command);
	r = run(s, question, &out, e);
	if (r < 0 || t1s_gate_allowed(out.out))
		return r;
	return t1s_error_set(
		e, EACCES, "our key may not run this on the sender: %.400s", command);
}

int t1s_restriction_try(
	struct t1s_sender *s, const struct t1s_config *c, struct t1s_error *e)
{
	/* an interface is named as soon as it is known */
	const char *interface = c->sender_interface[0] ? c->sender_interface : "eth0";
	struct t1s_sender_plca plca;
	char command[COMMAND_MAX];
	int r = t1s_reach_version_command(c, command, sizeof(command), e);

	if (r == 0)
		r = try_one(s, command, e);
	if (r == 0)
		r = t1s_sender_facts_command(interface, command, sizeof(command));
	if (r == 0)
		r = try_one(s, command, e);
	if (r == 0)
		r = t1s_sender_way_command(
			c->receiver_address, c->sender_address, command, sizeof(command));
	if (r == 0)
		r = try_one(s, command, e);
	if (r == 0 && c->sender_plca_node_id >= 0) {
		t1s_plca_wanted_there(c, interface, &plca);
		r = t1s_sender_plca_command(&plca, command, sizeof(command));
		if (r == 0)
			r = try_one(s, command, e);
	}
	for (unsigned int i = 0; r == 0 && i < c->workloads_count; i++) {
		r = t1s_client_command(c, &c->workloads[i], command, sizeof(command), e);
		if (r == 0)
			r = try_one(s, command, e);
	}
	return r;
}
