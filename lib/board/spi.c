/* SPDX-License-Identifier: MIT */
#include "board/spi.h"

#include "base/cleanup.h"

#include <string.h>

#define TC6_CHUNK_PAYLOAD_BYTES 64U
#define TC6_CHUNK_BYTES (TC6_CHUNK_PAYLOAD_BYTES + 4U)
#define ETHERNET_BYTES 14U
#define MIN_PAYLOAD_BYTES 46U
#define FCS_BYTES 4U
#define IPV4_BYTES 20U
#define TCP_SEGMENT_BYTES 1448U
#define TCP_HEADERS_BYTES 52U /* IPv4, TCP, its timestamps */
#define UDP_BYTES 8U
#define FRAGMENT_BYTES 1480U /* what IPv4 carries in one frame of MTU 1500 */

static uint64_t bcm2835_divider(uint64_t clk_hz, uint64_t request_hz)
{
	uint64_t divider;

	if (request_hz >= clk_hz / 2)
		return 2;
	divider = (clk_hz + request_hz - 1) / request_hz;
	divider += divider % 2;
	return divider >= 65536 ? 65536 : divider;
}

static uint64_t dw_divider(uint64_t clk_hz, uint64_t request_hz)
{
	uint64_t divider = ((clk_hz + request_hz - 1) / request_hz + 1) & ~UINT64_C(1);

	return divider > 65534 ? 65534 : divider;
}

uint32_t t1s_spi_sclk_hz(const char *controller, uint64_t clk_hz, uint32_t request_hz)
{
	uint64_t sclk_hz;

	/* no controller comes near this; it keeps the sums below from overflowing */
	if (clk_hz == 0 || clk_hz > UINT32_MAX || request_hz == 0)
		return 0;
	if (strcmp(controller, "brcm,bcm2835-spi") == 0)
		sclk_hz = clk_hz / bcm2835_divider(clk_hz, request_hz);
	else if (strcmp(controller, "snps,dw-apb-ssi") == 0)
		sclk_hz = clk_hz / dw_divider(clk_hz, request_hz);
	else
		return 0;
	return (uint32_t)sclk_hz;
}

uint64_t t1s_spi_clk_hz(const char *board)
{
	/* the Pi 400 and 500 are named "raspberrypi,400" and "raspberrypi,500" */
	static const struct {
		const char *prefix;
		uint64_t clk_hz;
	} boards[] = {
		{"raspberrypi,5", 200000000},
		{"raspberrypi,4", 500000000},
		{"raspberrypi,3", 400000000},
		{"raspberrypi,model-zero-2", 400000000},
		{"raspberrypi,zero-2", 400000000},
		{"raspberrypi,2", 250000000},
		{"raspberrypi,model-", 250000000},
		{"raspberrypi,compute-module", 250000000},
	};

	for (size_t i = 0; i < T1S_ELEMENTSOF(boards); i++) {
		if (strncmp(board, boards[i].prefix, strlen(boards[i].prefix)) == 0)
			return boards[i].clk_hz;
	}
	return 0;
}

static uint64_t tc6_bytes(uint64_t ip_bytes)
{
	const uint64_t bytes = ip_bytes + ETHERNET_BYTES + FCS_BYTES;

	/* padding a short frame to Ethernet's 64 B makes no difference: it is one chunk
	 */
	return (bytes + TC6_CHUNK_PAYLOAD_BYTES - 1) / TC6_CHUNK_PAYLOAD_BYTES *
	       TC6_CHUNK_BYTES;
}

static uint64_t single_frame_bytes(const struct t1s_spi_framing *f, uint64_t ip_bytes)
{
	const uint64_t align = f->align_bytes > 0 ? f->align_bytes : 1;
	uint64_t bytes = ip_bytes > MIN_PAYLOAD_BYTES ? ip_bytes : MIN_PAYLOAD_BYTES;

	bytes += ETHERNET_BYTES + f->inner_bytes;
	return f->overhead_bytes + (bytes + align - 1) / align * align;
}

uint64_t t1s_spi_frame_bytes(const struct t1s_spi_framing *f, uint64_t ip_bytes)
{
	switch (f->kind) {
	case T1S_FRAMING_TC6:
		return tc6_bytes(ip_bytes);
	case T1S_FRAMING_FRAMES:
		return single_frame_bytes(f, ip_bytes);
	default:
		return 0;
	}
}

double t1s_spi_ceiling_bps(
	const struct t1s_spi_framing *f, uint32_t sclk_hz, uint32_t payload_bytes)
{
	const uint64_t ip_payload_bytes = (uint64_t)payload_bytes + UDP_BYTES;
	const uint64_t whole = ip_payload_bytes / FRAGMENT_BYTES;
	const uint64_t rest = ip_payload_bytes % FRAGMENT_BYTES;
	uint64_t bytes = whole * t1s_spi_frame_bytes(f, FRAGMENT_BYTES + IPV4_BYTES);

	if (rest > 0)
		bytes += t1s_spi_frame_bytes(f, rest + IPV4_BYTES);
	return bytes > 0 ? (double)sclk_hz * (double)payload_bytes / (double)bytes : 0;
}

double t1s_spi_ceiling_tcp_bps(const struct t1s_spi_framing *f, uint32_t sclk_hz)
{
	const uint64_t bytes =
		t1s_spi_frame_bytes(f, TCP_SEGMENT_BYTES + TCP_HEADERS_BYTES);

	return bytes > 0 ? (double)sclk_hz * TCP_SEGMENT_BYTES / (double)bytes : 0;
}
