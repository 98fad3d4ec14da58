/* SPDX-License-Identifier: MIT */
#include "link/wire.h"

#define FRAGMENT_BYTES (T1S_WIRE_MAX_PAYLOAD_BYTES - T1S_IPV4_HEADER_BYTES)

static double frame_bits(uint32_t payload_bytes, uint32_t plca_overhead_bits, int vlan)
{
	uint32_t tag = vlan ? T1S_WIRE_VLAN_BYTES : 0;
	uint32_t framed = payload_bytes + tag;

	if (framed < T1S_WIRE_MIN_PAYLOAD_BYTES)
		framed = T1S_WIRE_MIN_PAYLOAD_BYTES;
	framed += T1S_WIRE_PREAMBLE_BYTES + T1S_WIRE_HEADER_BYTES + T1S_WIRE_FCS_BYTES +
		  T1S_WIRE_GAP_BYTES;
	return 8.0 * framed + plca_overhead_bits;
}

double t1s_wire_frames_per_s(double link_rate_bps, uint32_t frame_payload_bytes,
	uint32_t plca_overhead_bits, int vlan)
{
	return link_rate_bps / frame_bits(frame_payload_bytes, plca_overhead_bits, vlan);
}

double t1s_wire_limit_udp_bps(double link_rate_bps, uint32_t payload_bytes,
	uint32_t plca_overhead_bits, int vlan)
{
	uint64_t left = (uint64_t)payload_bytes + T1S_UDP_HEADER_BYTES;
	uint64_t full; /* all fragments but the last */
	double bits;

	if (payload_bytes == 0)
		return 0;
	full = (left - 1) / FRAGMENT_BYTES;
	bits = (double)full *
	       frame_bits(T1S_WIRE_MAX_PAYLOAD_BYTES, plca_overhead_bits, vlan);
	left = (left - 1) % FRAGMENT_BYTES + 1;
	bits += frame_bits(
		(uint32_t)left + T1S_IPV4_HEADER_BYTES, plca_overhead_bits, vlan);
	return link_rate_bps * 8.0 * payload_bytes / bits;
}

double t1s_wire_limit_tcp_bps(double link_rate_bps, uint32_t plca_overhead_bits, int vlan,
	uint32_t segments_per_ack)
{
	const uint32_t headers =
		T1S_IPV4_HEADER_BYTES + T1S_TCP_HEADER_BYTES + T1S_TCP_TIMESTAMPS_BYTES;
	const double segments = segments_per_ack > 0 ? segments_per_ack : 1;
	double bits = segments *
		      frame_bits(T1S_WIRE_MAX_PAYLOAD_BYTES, plca_overhead_bits, vlan);

	if (segments_per_ack > 0) {
		bits += frame_bits(headers, 0, vlan);
		bits -= plca_overhead_bits < T1S_PLCA_OPPORTUNITY_BITS
				? plca_overhead_bits
				: T1S_PLCA_OPPORTUNITY_BITS;
	}
	return link_rate_bps * 8.0 * segments * (T1S_WIRE_MAX_PAYLOAD_BYTES - headers) /
	       bits;
}
