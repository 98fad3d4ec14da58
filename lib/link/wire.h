/* SPDX-License-Identifier: MIT */
/* Model of the wire: the payload rate that Ethernet framing leaves of a link rate. */
#pragma once

#include <stdint.h>

/* 7 B preamble + 1 B start delimiter, 14 B header, 4 B FCS, 12 B gap (IEEE 802.3). */
#define T1S_WIRE_PREAMBLE_BYTES 8U
#define T1S_WIRE_HEADER_BYTES 14U
#define T1S_WIRE_FCS_BYTES 4U
#define T1S_WIRE_GAP_BYTES 12U
#define T1S_WIRE_MIN_PAYLOAD_BYTES                                                       \
	46U /* 42 with a tag: the tag counts for the minimum                             \
	     */
#define T1S_WIRE_MAX_PAYLOAD_BYTES 1500U
#define T1S_WIRE_VLAN_BYTES 4U
#define T1S_IPV4_HEADER_BYTES 20U
#define T1S_UDP_HEADER_BYTES 8U
#define T1S_TCP_HEADER_BYTES 20U
#define T1S_TCP_TIMESTAMPS_BYTES 12U /* option, RFC 7323; Linux uses it by default */

/* A transmit opportunity that its node lets pass, in bit times (IEEE 802.3cg). */
#define T1S_PLCA_OPPORTUNITY_BITS 32U

/* A receiver acknowledges at least every second full-sized segment (RFC 1122 4.2.3.2). */
#define T1S_TCP_SEGMENTS_PER_ACK 2U

/*
 * Frames per second that the wire carries: 148,809 of 46 B and 8,127 of 1500 B at
 * 100 Mbit/s.
 * @frame_payload_bytes: between header and FCS, padded up to the minimum.
 * @plca_overhead_bits: bit times per frame, 0 for CSMA/CD. @vlan: with an 802.1Q tag.
 */
double t1s_wire_frames_per_s(double link_rate_bps, uint32_t frame_payload_bytes,
	uint32_t plca_overhead_bits, int vlan);

/*
 * Most UDP payload per second that the wire carries, in bit/s: 1448 B at 10 Mbit/s give
 * 9.5641 Mbit/s without PLCA and 9.5389 Mbit/s with 32 bit times of PLCA overhead per
 * frame (one silent transmit opportunity; IEEE 802.3cg clause 148). A datagram above
 * 1472 B goes as several frames (IPv4 fragments).
 * @link_rate_bps: 10e6 for 10BASE-T1S. @payload_bytes: of one datagram.
 * @plca_overhead_bits, @vlan: as above. Returns 0 if @payload_bytes is 0.
 */
double t1s_wire_limit_udp_bps(double link_rate_bps, uint32_t payload_bytes,
	uint32_t plca_overhead_bits, int vlan);

/*
 * Most TCP payload per second in one direction, in bit/s: full frames over IPv4 with the
 * timestamp option, so 1500 - 20 - 20 - 12 = 1448 B each, nothing lost: 94.15 Mbit/s at
 * 100 Mbit/s full duplex.
 * @segments_per_ack: on a medium that both directions share (10BASE-T1S is half-duplex)
 * an acknowledgement, a frame of 52 B, takes its time after so many segments
 * (T1S_TCP_SEGMENTS_PER_ACK); it goes in the transmit opportunity that its node would
 * otherwise let pass. 9.1356 Mbit/s at 10 Mbit/s with PLCA between two nodes. A receiver
 * that merges segments sends fewer, so that a little more is possible, up to 9.3904. 0:
 * acknowledgements have a way of their own.
 */
double t1s_wire_limit_tcp_bps(double link_rate_bps, uint32_t plca_overhead_bits, int vlan,
	uint32_t segments_per_ack);
