/* SPDX-License-Identifier: MIT */
/* What an Ethernet frame carries, as far as the link has to know. */
#pragma once

#include <stddef.h>
#include <stdint.h>

enum t1s_packet_kind {
	T1S_PACKET_OTHER, /* ARP, ICMP, neighbour discovery, anything not below */
	T1S_PACKET_UDP,
	T1S_PACKET_TCP,
};

/* Addresses, protocol and ports as they stand in the frame, the rest 0: fit for memcmp.
 */
struct t1s_flow_key {
	uint8_t bytes[40];
};

struct t1s_packet {
	enum t1s_packet_kind kind;
	struct t1s_flow_key key; /* of UDP and TCP */
	size_t payload_bytes;    /* of UDP and TCP; 0: pure acknowledgement, FIN, SYN */
};

/* Reads a frame. A frame that is cut short or odd is T1S_PACKET_OTHER. */
void t1s_packet_read(const uint8_t *frame, size_t size, struct t1s_packet *ret);
