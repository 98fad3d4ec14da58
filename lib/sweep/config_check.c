/* SPDX-License-Identifier: MIT */
#include "sweep/config_keys.h"

#include <string.h>

/* 65535 B of IPv4 packet, less its header and that of UDP. */
#define DATAGRAM_MAX_BYTES 65507U

static void check_sender(
	const struct t1s_config *c, const char *where, struct t1s_config_problems *p)
{
	if (!c->sender_host[0])
		t1s_config_problem(p,
			"%s: [Sender] Host= is not set: expected the host name or "
			"address of the sending Pi on the management network",
			where);
	if (!c->sender_user[0])
		t1s_config_problem(p,
			"%s: [Sender] User= is not set: expected the user that runs "
			"iperf3 on the sending Pi",
			where);
}

static void check_addresses(
	const struct t1s_config *c, const char *where, struct t1s_config_problems *p)
{
	if (strcmp(c->sender_address, c->receiver_address) == 0)
		t1s_config_problem(p,
			"%s: [Sender] Address=%s is also [Receiver] Address=: expected "
			"the two different addresses of the link's ends",
			where, c->sender_address);
	else if (!strchr(c->sender_address, ':') != !strchr(c->receiver_address, ':'))
		t1s_config_problem(p,
			"%s: [Sender] Address=%s and [Receiver] Address=%s: expected "
			"both IPv4 or both IPv6",
			where, c->sender_address, c->receiver_address);
}

static void check_plca(
	const struct t1s_config *c, const char *where, struct t1s_config_problems *p)
{
	if (c->plca_node_id >= 0 && c->plca_node_id == c->sender_plca_node_id)
		t1s_config_problem(p,
			"%s: [Link] PlcaNodeId=%d is also SenderPlcaNodeId=: expected a "
			"different id for each node",
			where, c->plca_node_id);
	if (c->plca_node_count > 0 && c->plca_node_id < 0 && c->sender_plca_node_id < 0)
		t1s_config_problem(p,
			"%s: [Link] PlcaNodeCount=%d has no effect alone: expected "
			"PlcaNodeId= or SenderPlcaNodeId= to be set",
			where, c->plca_node_count);
	if (c->plca_node_count > 0 &&
		(c->plca_node_id >= c->plca_node_count ||
			c->sender_plca_node_id >= c->plca_node_count))
		t1s_config_problem(p,
			"%s: [Link] PlcaNodeCount=%d: expected more than the highest "
			"node id, PlcaNodeId=%d, SenderPlcaNodeId=%d",
			where, c->plca_node_count, c->plca_node_id,
			c->sender_plca_node_id);
}

static void check_sweep(
	const struct t1s_config *c, const char *where, struct t1s_config_problems *p)
{
	if (c->points_count == 0 && c->start_hz < c->minimum_hz)
		t1s_config_problem(p,
			"%s: [Sweep] Start=%u Hz is below Minimum=%u Hz: expected Start= "
			"to be at least Minimum=",
			where, c->start_hz, c->minimum_hz);
}

static void check_report(
	const struct t1s_config *c, const char *where, struct t1s_config_problems *p)
{
	if (c->severe_share >= c->full_share)
		t1s_config_problem(p,
			"%s: [Report] Severe=%g%% with Full=%g%%: expected Severe= to be "
			"less than Full=",
			where, c->severe_share * 100, c->full_share * 100);
	if (c->link_rate_bps <= T1S_LINK_RATE_BY_CHIP)
		t1s_config_problem(p,
			"%s: [DeviceTree] Compatible=%s is no chip whose link rate is "
			"known here: expected [Report] LinkRate= to be set",
			where, c->match.compatible);
	if (c->collapse_below > c->severe_share)
		t1s_config_problem(p,
			"%s: [Sweep] CollapseBelow=%g%% with [Report] Severe=%g%%: "
			"expected CollapseBelow= to be at most Severe=",
			where, c->collapse_below * 100, c->severe_share * 100);
}

static void check_workloads(
	const struct t1s_config *c, const char *where, struct t1s_config_problems *p)
{
	for (unsigned int i = 0; i < c->workloads_count; i++) {
		const struct t1s_workload *w = &c->workloads[i];

		if (w->protocol == T1S_PROTOCOL_UDP &&
			w->length_bytes > DATAGRAM_MAX_BYTES)
			t1s_config_problem(p,
				"%s: [Workload %s] Length=%u with Protocol=udp: expected "
				"at most %u",
				where, w->name, w->length_bytes, DATAGRAM_MAX_BYTES);
	}
}

void t1s_config_check(
	const struct t1s_config *c, const char *where, struct t1s_config_problems *p)
{
	check_sender(c, where, p);
	check_addresses(c, where, p);
	check_plca(c, where, p);
	check_sweep(c, where, p);
	check_report(c, where, p);
	check_workloads(c, where, p);
}
