/* SPDX-License-Identifier: MIT */
#include "shaper.h"

#include "base/clock.h"

#include <string.h>

/* After so long a silence the next datagram is a new flow's first. */
#define FLOW_IDLE_US (5 * T1S_USEC_PER_SEC)
/* An iperf3 control connection moves less than this, all exchanges together. */
#define CREDIT_BYTES 16384.0
#define CREDIT_BYTES_PER_S 2048.0
#define BURST_BYTES 3000.0

void t1s_shaper_init(struct t1s_shaper *s, double wire_limit_bps,
	unsigned int handshake_datagrams, uint64_t now_us)
{
	memset(s, 0, sizeof(*s));
	s->wire_limit_bps = wire_limit_bps;
	s->handshake_datagrams = handshake_datagrams;
	s->tokens_bytes = BURST_BYTES;
	s->refilled_us = now_us;
}

/* The flow of a key; a new one takes the place that was silent for longest. */
static struct t1s_flow *find_flow(
	struct t1s_shaper *s, const struct t1s_flow_key *key, uint64_t now_us)
{
	struct t1s_flow *oldest = &s->flows[0];

	for (size_t i = 0; i < T1S_FLOWS_MAX; i++) {
		struct t1s_flow *f = &s->flows[i];
		if (f->used && !memcmp(&f->key, key, sizeof(*key))) {
			if (now_us - f->last_us < FLOW_IDLE_US)
				return f;
			oldest = f;
			break;
		}
		if (!f->used || (oldest->used && f->last_us < oldest->last_us))
			oldest = f;
	}
	*oldest = (struct t1s_flow){.key = *key,
		.used = true,
		.last_us = now_us,
		.credit_bytes = CREDIT_BYTES};
	return oldest;
}

static void refill(struct t1s_shaper *s, uint64_t now_us)
{
	double elapsed_s = (double)(now_us - s->refilled_us) / 1e6;

	s->refilled_us = now_us;
	s->tokens_bytes += elapsed_s * s->share * s->wire_limit_bps / 8;
	if (s->tokens_bytes > BURST_BYTES)
		s->tokens_bytes = BURST_BYTES;
}

static enum t1s_verdict decide_udp(struct t1s_shaper *s, struct t1s_flow *f)
{
	if (f->frames <= s->handshake_datagrams)
		return T1S_PASS;
	f->carry += s->share;
	if (f->carry < 1 - 1e-9)
		return T1S_DROP;
	f->carry -= 1;
	return T1S_PASS;
}

static enum t1s_verdict decide_tcp(struct t1s_shaper *s, struct t1s_flow *f,
	size_t payload_bytes, uint64_t idle_us, bool queued, uint64_t now_us)
{
	double bytes = (double)payload_bytes;

	if (!payload_bytes)
		return T1S_PASS;
	f->credit_bytes += (double)idle_us / 1e6 * CREDIT_BYTES_PER_S;
	if (f->credit_bytes > CREDIT_BYTES)
		f->credit_bytes = CREDIT_BYTES;
	if (f->credit_bytes >= bytes) {
		f->credit_bytes -= bytes;
		refill(s, now_us);
		if (s->tokens_bytes > -CREDIT_BYTES)
			s->tokens_bytes -= bytes;
		return T1S_PASS;
	}
	return !queued && t1s_shaper_take(s, payload_bytes, now_us) ? T1S_PASS
								    : T1S_QUEUE;
}

enum t1s_verdict t1s_shaper_decide(
	struct t1s_shaper *s, const struct t1s_packet *p, bool queued, uint64_t now_us)
{
	if (s->share <= 0)
		return T1S_DROP;
	if (p->kind == T1S_PACKET_OTHER)
		return T1S_PASS;

	struct t1s_flow *f = find_flow(s, &p->key, now_us);
	uint64_t idle_us = now_us - f->last_us;

	f->last_us = now_us;
	f->frames++;
	if (p->kind == T1S_PACKET_UDP)
		return decide_udp(s, f);
	return decide_tcp(s, f, p->payload_bytes, idle_us, queued, now_us);
}

bool t1s_shaper_take(struct t1s_shaper *s, size_t payload_bytes, uint64_t now_us)
{
	refill(s, now_us);
	if (s->tokens_bytes < (double)payload_bytes)
		return false;
	s->tokens_bytes -= (double)payload_bytes;
	return true;
}

uint64_t t1s_shaper_wait_us(const struct t1s_shaper *s, size_t payload_bytes)
{
	double missing = (double)payload_bytes - s->tokens_bytes;
	double bytes_per_s = s->share * s->wire_limit_bps / 8;

	if (missing <= 0)
		return 0;
	if (bytes_per_s < 1)
		return UINT64_MAX;
	return (uint64_t)(missing / bytes_per_s * 1e6) + 1;
}
