/* SPDX-License-Identifier: MIT */
#include "packet.h"

#include <net/ethernet.h>
#include <netinet/in.h>
#include <netinet/ip.h>
#include <netinet/ip6.h>
#include <netinet/tcp.h>
#include <netinet/udp.h>
#include <string.h>

#define KEY_PROTOCOL 32
#define KEY_PORTS 34

/* The part behind the IP header; @total: bytes of it that the IP header promises. */
static void read_transport(uint8_t protocol, const uint8_t *p, size_t size, size_t total,
	struct t1s_packet *ret)
{
	size_t header = 0;

	if (protocol == IPPROTO_UDP && size >= sizeof(struct udphdr)) {
		header = sizeof(struct udphdr);
		ret->kind = T1S_PACKET_UDP;
	} else if (protocol == IPPROTO_TCP && size >= sizeof(struct tcphdr)) {
		header = (size_t)(p[12] >> 4) * 4;
		ret->kind = T1S_PACKET_TCP;
	} else {
		return;
	}
	ret->key.bytes[KEY_PROTOCOL] = protocol;
	memcpy(ret->key.bytes + KEY_PORTS, p, 4);
	ret->payload_bytes = total > header ? total - header : 0;
}

static void read_ipv4(const uint8_t *p, size_t size, struct t1s_packet *ret)
{
	struct iphdr ip;

	if (size < sizeof(ip))
		return;
	memcpy(&ip, p, sizeof(ip));
	size_t header = (size_t)ip.ihl * 4, total = ntohs(ip.tot_len);
	if (header < sizeof(ip) || size < header || total < header)
		return;
	memcpy(ret->key.bytes, &ip.saddr, 4);
	memcpy(ret->key.bytes + 16, &ip.daddr, 4);
	if (ntohs(ip.frag_off) & IP_OFFMASK) {
		/* a later fragment has no ports: all of them are one flow */
		ret->key.bytes[KEY_PROTOCOL] = ip.protocol;
		ret->kind =
			ip.protocol == IPPROTO_UDP ? T1S_PACKET_UDP : T1S_PACKET_OTHER;
		ret->payload_bytes = total - header;
		return;
	}
	read_transport(ip.protocol, p + header, size - header, total - header, ret);
}

static void read_ipv6(const uint8_t *p, size_t size, struct t1s_packet *ret)
{
	struct ip6_hdr ip;

	if (size < sizeof(ip))
		return;
	memcpy(&ip, p, sizeof(ip));
	memcpy(ret->key.bytes, &ip.ip6_src, 16);
	memcpy(ret->key.bytes + 16, &ip.ip6_dst, 16);
	read_transport(
		ip.ip6_nxt, p + sizeof(ip), size - sizeof(ip), ntohs(ip.ip6_plen), ret);
}

void t1s_packet_read(const uint8_t *frame, size_t size, struct t1s_packet *ret)
{
	struct ether_header eth;

	memset(ret, 0, sizeof(*ret));
	if (size < sizeof(eth))
		return;
	memcpy(&eth, frame, sizeof(eth));
	if (ntohs(eth.ether_type) == ETHERTYPE_IP)
		read_ipv4(frame + sizeof(eth), size - sizeof(eth), ret);
	else if (ntohs(eth.ether_type) == ETHERTYPE_IPV6)
		read_ipv6(frame + sizeof(eth), size - sizeof(eth), ret);
}
