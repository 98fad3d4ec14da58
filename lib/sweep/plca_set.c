/* SPDX-License-Identifier: MIT */
#include "sweep/plca_set.h"

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/log.h"
#include "link/iface.h"
#include "sweep/reach.h"

#include <errno.h>
#include <stdio.h>

#define LOOK_US (200 * T1S_USEC_PER_MSEC)
#define ANSWER_US ((T1S_SENDER_PLCA_S + 10U) * T1S_USEC_PER_SEC)
#define COMMAND_MAX 512

/* A driver may take settings only once its interface is up; the address is not needed. */
static void await_interface(const char *root, const struct t1s_config *c)
{
	const uint64_t deadline_us = t1s_now_us() + c->receiver_wait_us;

	t1s_notify((unsigned int)(c->receiver_wait_us / T1S_USEC_PER_SEC) + 30,
		"waiting for the interface %s", c->receiver_interface);
	for (;;) {
		int r = t1s_iface_ready(
			root, c->receiver_interface, c->receiver_address, NULL);

		if (r == 0 || r == -EADDRNOTAVAIL || t1s_now_us() >= deadline_us)
			return;
		t1s_sleep_us(LOOK_US);
	}
}

static void tell(int r, const struct t1s_error *why, const char *key, const char *where,
	int node_id)
{
	if (r == 0)
		t1s_log(LOG_INFO, "PLCA set %s: node %d", where, node_id);
	else if (r == -EOPNOTSUPP)
		t1s_log(LOG_NOTICE, "%s; [Link] %s= has no effect", why->text, key);
	else
		t1s_log(LOG_WARNING, "%s; measuring with PLCA as it is", why->text);
}

void t1s_plca_set_here(const char *root, const struct t1s_config *c)
{
	const char *interface = c->receiver_interface;
	struct t1s_error why = {{0}};
	struct t1s_plca now;
	int r;

	if (root[0] || c->plca_node_id < 0)
		return;
	await_interface(root, c);
	(void)t1s_plca_get(interface, &now, NULL);
	if (t1s_plca_is(&now, c->plca_node_id, c->plca_node_count))
		return;
	r = t1s_plca_set(interface, c->plca_node_id, c->plca_node_count, &why);
	tell(r, &why, "PlcaNodeId", "here", c->plca_node_id);
}

void t1s_plca_wanted_there(
	const struct t1s_config *c, const char *interface, struct t1s_sender_plca *ret)
{
	*ret = (struct t1s_sender_plca){.user = c->sender_user,
		.interface = interface,
		.node_id = c->sender_plca_node_id,
		.node_count = c->plca_node_count};
}

static int run(struct t1s_sender *sender, const char *command,
	struct t1s_sender_output *ret, struct t1s_error *e)
{
	int r = t1s_sender_run(sender, command, T1S_SENDER_PLCA_MAX_BYTES,
		t1s_now_us() + ANSWER_US, NULL, NULL, ret, e);

	/* a session that stalls is of no more use than one that is lost */
	return r == -ETIMEDOUT ? -ECONNRESET : r;
}

static int set_there(
	struct t1s_sender *sender, const struct t1s_sender_plca *p, struct t1s_error *e)
{
	cleanup_(t1s_sender_output_done) struct t1s_sender_output out = {0};
	char command[COMMAND_MAX];
	int r = t1s_sender_plca_command(p, command, sizeof(command));

	if (r < 0)
		return t1s_error_set(e, -r, "[Sender] Interface= is too long");
	r = run(sender, command, &out, e);
	return r < 0 ? r : t1s_sender_plca_read(p, out.exit_status, out.err, e);
}

int t1s_plca_set_there(struct t1s_sender *sender, const struct t1s_config *c,
	struct t1s_sender_facts *facts, struct t1s_error *e)
{
	struct t1s_error why = {{0}};
	struct t1s_sender_plca wanted;
	int r;

	if (c->sender_plca_node_id < 0 ||
		t1s_plca_is(&facts->plca, c->sender_plca_node_id, c->plca_node_count))
		return 0;
	t1s_plca_wanted_there(c, c->sender_interface, &wanted);
	if (wanted.interface[0])
		r = set_there(sender, &wanted, &why);
	else
		r = t1s_error_set(&why, ENODEV,
			"[Link] SenderPlcaNodeId= is set, but not which of the sender's "
			"interfaces it is for: expected Interface= in [Sender]");
	if (r == -ECONNRESET)
		return t1s_error_set(e, ECONNRESET, "%s", why.text);
	tell(r, &why, "SenderPlcaNodeId", "on the sender", wanted.node_id);
	return r == 0 ? t1s_reach_facts(sender, c, facts, e) : 0;
}

int t1s_plca_may_there(struct t1s_sender *sender, const struct t1s_config *c,
	const char *interface, struct t1s_error *e)
{
	cleanup_(t1s_sender_output_done) struct t1s_sender_output out = {0};
	struct t1s_sender_plca wanted;
	char command[COMMAND_MAX];
	int r;

	t1s_plca_wanted_there(c, interface, &wanted);
	if (t1s_sender_plca_may_command(&wanted, command, sizeof(command)) < 0)
		return 0;
	r = run(sender, command, &out, e);
	if (r < 0)
		return r == -ECONNRESET ? r : 0;
	return out.exit_status == 0;
}
