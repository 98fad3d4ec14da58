/* SPDX-License-Identifier: MIT */
#include "board/chips.h"

#include "base/cleanup.h"

#include <string.h>

#define MBIT_S 1e6
#define MHZ UINT32_C(1000000)
#define FCS_BYTES 4

/*
 * Bytes that a chip's driver in Linux moves over SPI for one received frame beside the
 * frame: those of register accesses that come with each frame, with their command bytes;
 * not those that several frames share, nor gaps between transfers. So the true ceiling
 * lies below what they give.
 */

/* 10BASE-T1S. Requests: Documentation/devicetree/bindings/net/microchip,lan8650.yaml. */
#define LAN8650(string)                                                                  \
	{                                                                                \
		.compatible = (string), .name = "LAN8650/1",                             \
		.link_rate_bps = 10 * MBIT_S, .plca_overhead_bits = 32,                  \
		.framing = {.kind = T1S_FRAMING_TC6}, .min_hz = 15 * MHZ,                \
		.max_hz = 25 * MHZ                                                       \
	}

/*
 * 10BASE-T1L, with the driver's own protocol and not TC6 (drivers/net/ethernet/adi/
 * adin1110.c): STATUS1 and RX_FSIZE read with 3 + 4 each, then 3 for the read of the
 * FIFO, in which a header of 2 and the FCS stand about the frame, filled up to 4. SCLK:
 * data sheet.
 */
#define ADIN(string, chip)                                                               \
	{                                                                                \
		.compatible = (string), .name = (chip), .link_rate_bps = 10 * MBIT_S,    \
		.framing = {.kind = T1S_FRAMING_FRAMES,                                  \
			.overhead_bytes = 7 + 7 + 3,                                     \
			.inner_bytes = 2 + FCS_BYTES,                                    \
			.align_bytes = 4},                                               \
		.max_hz = 25 * MHZ                                                       \
	}

/*
 * Fast Ethernet (drivers/net/ethernet/micrel/ks8851_common.c): RXFHSR and RXFHBCR read
 * with 2 + 2 each, RXFDPR and twice RXQCR written likewise, then 1 for the read of the
 * FIFO and 8 before the frame, which is filled up to 4 and comes without its FCS. SCLK:
 * data sheet.
 */
#define KSZ8851(string)                                                                  \
	{                                                                                \
		.compatible = (string), .name = "KSZ8851",                               \
		.link_rate_bps = 100 * MBIT_S,                                           \
		.framing = {.kind = T1S_FRAMING_FRAMES,                                  \
			.overhead_bytes = 2 * 4 + 3 * 4 + 1 + 8,                         \
			.align_bytes = 4},                                               \
		.max_hz = 40 * MHZ                                                       \
	}

static const struct t1s_chip chips[] = {
	LAN8650(T1S_CHIP_DEFAULT),
	LAN8650("microchip,lan8651"),
	ADIN("adi,adin1110", "ADIN1110"),
	ADIN("adi,adin2111", "ADIN2111"),
	KSZ8851("microchip,ksz8851"),
	KSZ8851("micrel,ks8851"),
	/*
	 * Fast Ethernet, raw frames (drivers/net/ethernet/wiznet/w5100.c): RX_RSR, RX_RD
	 * and the frame's length read with 3 + 2 each, 3 for the read of the frame, RX_RD
	 * written with 3 + 2, the command RECV written and read back with 3 + 1 each. No
	 * FCS. SCLK: data sheet; it guarantees 33.3 MHz.
	 */
	{
		.compatible = "wiznet,w5500",
		.name = "W5500",
		.link_rate_bps = 100 * MBIT_S,
		.framing = {.kind = T1S_FRAMING_FRAMES,
			.overhead_bytes = 3 * 5 + 3 + 5 + 2 * 4},
		.max_hz = 80 * MHZ,
	},
	/*
	 * 10BASE-T (drivers/net/ethernet/microchip/enc28j60.c): the read pointer set with
	 * 2 * 2 before each of two reads of 1 + n, of 6 bytes of status and of the frame
	 * with its FCS; ERXRDPT set with 2 * 2 and ECON2 with 2. SCLK: data sheet.
	 */
	{
		.compatible = "microchip,enc28j60",
		.name = "ENC28J60",
		.link_rate_bps = 10 * MBIT_S,
		.framing = {.kind = T1S_FRAMING_FRAMES,
			.overhead_bytes = (4 + 1 + 6) + (4 + 1) + 4 + 2,
			.inner_bytes = FCS_BYTES},
		.max_hz = 20 * MHZ,
	},
	/*
	 * Powerline (drivers/net/ethernet/qualcomm/qca_spi.c, burst mode): 2 for the
	 * read, in which 4 of length, a header of 8 and a footer of 2 stand about the
	 * frame. No FCS. Requests:
	 * Documentation/devicetree/bindings/net/qca,qca7000.yaml. The rate is that of
	 * HomePlug Green PHY; Ethernet's framing does not go over its wire.
	 */
	{
		.compatible = "qca,qca7000",
		.name = "QCA7000",
		.link_rate_bps = 10 * MBIT_S,
		.framing = {.kind = T1S_FRAMING_FRAMES, .overhead_bytes = 2 + 4 + 8 + 2},
		.min_hz = 1 * MHZ,
		.max_hz = 16 * MHZ,
	},
};

const struct t1s_chip *t1s_chip_find(const char *compatible)
{
	for (size_t i = 0; i < T1S_ELEMENTSOF(chips); i++)
		if (strcmp(chips[i].compatible, compatible) == 0)
			return &chips[i];
	return NULL;
}
