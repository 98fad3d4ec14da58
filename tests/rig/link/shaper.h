/* SPDX-License-Identifier: MIT */
/*
 * What gets through: one decision per frame.
 *  - Share 0: nothing, ARP included.
 *  - UDP: the first datagrams of a flow (the handshake of iperf3) pass; of what follows
 *    exactly the share, by error diffusion in each flow, so that a count of received
 *    datagrams can be predicted whatever else the machine does.
 *  - TCP: segments without payload and flows of low volume (a control connection) pass;
 *    bulk is held to share x wire limit by a token bucket with a short queue. What passed
 *    as low volume is charged to the bucket too.
 *  - All else passes.
 * The wire is one medium: both directions share the token bucket, and take turns.
 */
#pragma once

#include "packet.h"

#include <stdbool.h>
#include <stdint.h>

#define T1S_FLOWS_MAX 64

enum t1s_verdict { T1S_PASS, T1S_DROP, T1S_QUEUE };

struct t1s_flow {
	struct t1s_flow_key key;
	bool used;
	uint64_t last_us;
	uint64_t frames;
	double carry;        /* UDP: what error diffusion has left over, below 1 */
	double credit_bytes; /* TCP: may still pass as low volume */
};

struct t1s_shaper {
	double share; /* now; 0 to 1 */
	double wire_limit_bps;
	unsigned int handshake_datagrams;
	double tokens_bytes; /* below 0: debt of what had to pass */
	uint64_t refilled_us;
	struct t1s_flow flows[T1S_FLOWS_MAX];
};

void t1s_shaper_init(struct t1s_shaper *s, double wire_limit_bps,
	unsigned int handshake_datagrams, uint64_t now_us);

/*
 * Decides on one frame. @queued: frames of either direction are waiting, and TCP bulk
 * must not overtake them. T1S_QUEUE: to be kept until t1s_shaper_take() allows it, or
 * dropped where the queue is full.
 */
enum t1s_verdict t1s_shaper_decide(
	struct t1s_shaper *s, const struct t1s_packet *p, bool queued, uint64_t now_us);

/* Takes the tokens for a queued segment of so many payload bytes, if they are there. */
bool t1s_shaper_take(struct t1s_shaper *s, size_t payload_bytes, uint64_t now_us);

/* Microseconds until t1s_shaper_take() can succeed, or UINT64_MAX (share 0). */
uint64_t t1s_shaper_wait_us(const struct t1s_shaper *s, size_t payload_bytes);
