/* SPDX-License-Identifier: MIT */
#include "setup/checking.h"

#include <inttypes.h>
#include <stdio.h>

#define GROUP T1S_CHECK_LINK
#define COORDINATOR 0
#define TWO_NODES 2
#define RECEIVER_ID 1 /* proposed: the sender has most to send, so it coordinates */

struct end {
	struct t1s_plca plca;  /* as a sweep will find it */
	const char *name;      /* of the item */
	const char *at;        /* before a command that is to run there */
	const char *interface; /* "" unknown */
	int64_t id;            /* to propose */
	int wanted_id;         /* that is set at each boot; -1: it is left alone */
	bool may;              /* it can be set */
};

/* Both ends are proposed ids that go together. */
static void remedy_set(struct t1s_checking *c, const struct end *e)
{
	const int count = c->config.plca_node_count;

	if (e->interface[0])
		t1s_check_remedy(c,
			"%ssudo ethtool --set-plca-cfg %s enable on node-id %" PRId64
			" node-cnt %d",
			e->at, e->interface, e->id, count >= 0 ? count : TWO_NODES);
}

/* By the one who may not: once and for all. */
static void remedy_rights(struct t1s_checking *c, const struct end *e)
{
	if (c->config.sender_interface[0])
		t1s_check_remedy(c,
			"%s\"echo '%s ALL=(root) NOPASSWD: /usr/sbin/ethtool "
			"--set-plca-cfg *' | sudo tee /etc/sudoers.d/t1s-sweep\"",
			e->at, c->config.sender_user);
	else
		t1s_check_remedy(c, "sudo t1s-sweep pair %s@%s", c->config.sender_user,
			c->config.sender_host);
}

/* Where a boot of the sweep sets it, what it is now is of no importance. Returns whether
 * that is so. */
static bool check_wanted(struct t1s_checking *c, struct end *e)
{
	struct t1s_plca *p = &e->plca;
	const int count = c->config.plca_node_count;
	char of[24] = "";

	if (e->wanted_id < 0 || t1s_plca_is(p, e->wanted_id, count) ||
		p->state == T1S_PLCA_UNSUPPORTED)
		return false;
	if (!e->may) {
		remedy_rights(c, e);
		t1s_check_say(c, GROUP, T1S_CHECK_BAD, e->name,
			"is to be node %d at each boot, but %s", e->wanted_id,
			c->config.sender_interface[0]
				? "the account there may not set it"
				: "not on which interface: expected "
				  "Interface= in [Sender]");
		return true;
	}
	if (count >= 0)
		(void)snprintf(of, sizeof(of), " of %d", count);
	t1s_check_say(c, GROUP, T1S_CHECK_GOOD, e->name,
		"will be node %d%s: each boot of a sweep sets it", e->wanted_id, of);
	p->state = T1S_PLCA_ON;
	p->node_id = e->wanted_id;
	p->node_count = count >= 0 ? count : p->node_count;
	p->operating = -1;
	return true;
}

static void check_end(struct t1s_checking *c, struct end *e)
{
	const struct t1s_plca *p = &e->plca;

	if (check_wanted(c, e))
		return;
	switch (p->state) {
	case T1S_PLCA_ON:
		t1s_check_say(c, GROUP, T1S_CHECK_GOOD, e->name, "on, node %" PRId64 "%s",
			p->node_id, p->node_id == COORDINATOR ? ", the coordinator" : "");
		break;
	case T1S_PLCA_OFF:
		remedy_set(c, e);
		t1s_check_say(c, GROUP, T1S_CHECK_NOTE, e->name,
			"off: the nodes collide (CSMA/CD) instead of taking turns, and "
			"carry less");
		break;
	case T1S_PLCA_UNSUPPORTED:
		t1s_check_say(c, GROUP, T1S_CHECK_NOTE, e->name,
			"driver or kernel do not support it, or do not tell%s",
			e->wanted_id >= 0 ? ": what [Link] says of it has no effect"
					  : "");
		break;
	default:
		if (e->at[0])
			t1s_check_remedy(c, "%ssudo apt install ethtool", e->at);
		t1s_check_say(c, GROUP, T1S_CHECK_NOTE, e->name,
			"not known (ethtool from 6.3 on tells)");
		break;
	}
}

static const struct end *coordinator_of(const struct end *a, const struct end *b)
{
	if (a->plca.node_id == COORDINATOR)
		return a;
	return b->plca.node_id == COORDINATOR ? b : NULL;
}

/* Both are on. */
static void check_ids(
	struct t1s_checking *c, const struct end *here, const struct end *there)
{
	const struct end *first = coordinator_of(here, there);
	const struct end *other = first == here ? there : here;

	if (here->plca.node_id == there->plca.node_id) {
		remedy_set(c, here->plca.node_id == here->id ? there : here);
		t1s_check_say(c, GROUP, T1S_CHECK_BAD, "plca-ids",
			"both ends are node %" PRId64 ": they send at the same time",
			here->plca.node_id);
	} else if (!first && (here->plca.operating == 0 || there->plca.operating == 0)) {
		remedy_set(c, there);
		t1s_check_say(c, GROUP, T1S_CHECK_BAD, "plca-ids",
			"node %" PRId64 " here, %" PRId64
			" there, and no coordinator (node 0) on the segment",
			here->plca.node_id, there->plca.node_id);
	} else if (first && first->plca.node_count >= 0 &&
		   first->plca.node_count <= other->plca.node_id) {
		remedy_set(c, first);
		t1s_check_say(c, GROUP, T1S_CHECK_BAD, "plca-ids",
			"the coordinator counts %" PRId64 " nodes: node %" PRId64
			" never gets its turn",
			first->plca.node_count, other->plca.node_id);
	} else if (here->plca.operating == 0 || there->plca.operating == 0) {
		t1s_check_remedy_driver(c);
		t1s_check_say(c, GROUP, T1S_CHECK_BAD, "plca-ids",
			"%s does not hear the coordinator's beacon",
			here->plca.operating == 0 ? "this end" : "the sender");
	} else {
		t1s_check_say(c, GROUP, T1S_CHECK_GOOD, "plca-ids",
			"node %" PRId64 " here, %" PRId64 " there", here->plca.node_id,
			there->plca.node_id);
	}
}

/* Beside what [Link] has the other end be; @usual where it says nothing of it. */
static int64_t propose(int other_wanted_id, int64_t usual)
{
	if (other_wanted_id < 0)
		return usual;
	return other_wanted_id == COORDINATOR ? RECEIVER_ID : COORDINATOR;
}

void t1s_check_plca(struct t1s_checking *c, const struct t1s_plca *here,
	const struct t1s_plca *there, const char *there_interface, bool may_set_there)
{
	char at[sizeof(c->config.sender_user) + sizeof(c->config.sender_host) + 16];
	struct end ours = {*here, "plca", "", c->config.receiver_interface,
		propose(c->config.sender_plca_node_id, RECEIVER_ID),
		c->config.plca_node_id, true};
	struct end theirs = {*there, "sender-plca", at, there_interface,
		propose(c->config.plca_node_id, COORDINATOR),
		c->config.sender_plca_node_id, may_set_there};

	(void)snprintf(at, sizeof(at), "ssh -t %s@%s ", c->config.sender_user,
		c->config.sender_host);
	check_end(c, &ours);
	if (!c->sender)
		return;
	check_end(c, &theirs);
	if (ours.plca.state == T1S_PLCA_ON && theirs.plca.state == T1S_PLCA_ON) {
		check_ids(c, &ours, &theirs);
	} else if ((ours.plca.state == T1S_PLCA_ON &&
			   theirs.plca.state == T1S_PLCA_OFF) ||
		   (ours.plca.state == T1S_PLCA_OFF &&
			   theirs.plca.state == T1S_PLCA_ON)) {
		remedy_set(c, ours.plca.state == T1S_PLCA_ON ? &theirs : &ours);
		t1s_check_say(c, GROUP, T1S_CHECK_BAD, "plca-ids",
			"one end takes turns, the other does not: they collide");
	}
}
