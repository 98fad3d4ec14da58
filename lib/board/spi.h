/* SPDX-License-Identifier: MIT */
/*
 * The SPI controller: a requested frequency becomes one of the clocks its divider allows.
 * All values are predictions, and so named.
 */
#pragma once

#include <stdint.h>

/*
 * Predicted SCLK for a requested frequency, in Hz.
 * @controller: compatible string of the SPI controller: "brcm,bcm2835-spi" (rule of the
 * kernel's drivers/spi/spi-bcm2835.c: divider 2 from clk/2 on, else clk/f rounded up and
 * then up to even, 65536 at most) or "snps,dw-apb-ssi" (drivers/spi/spi-dw-core.c:
 * divider (ceil(clk/f) + 1) & ~1, 65534 at most).
 * @clk_hz: the controller's input clock. Returns 0 if the controller is not known, clk_hz
 * or request_hz is 0, or clk_hz is above 4 GHz.
 */
uint32_t t1s_spi_sclk_hz(const char *controller, uint64_t clk_hz, uint32_t request_hz);

/*
 * The controller's input clock by board, in Hz: nominal values (the firmware may scale
 * them): raspberrypi,4* 500 MHz, 3* and zero-2* 400 MHz, older 250 MHz, 5* 200 MHz (RP1).
 * @board: compatible of the tree's root node. Returns 0 if the board is not known.
 */
uint64_t t1s_spi_clk_hz(const char *board);

/* How a chip's frames go over SPI. */
enum t1s_spi_framing_kind {
	T1S_FRAMING_UNKNOWN,
	T1S_FRAMING_TC6,    /* OPEN Alliance TC6: chunks of 64 B payload and 4 B header or
			       footer, full duplex */
	T1S_FRAMING_FRAMES, /* a frame at a time, in transfers of its own */
};

struct t1s_spi_framing {
	enum t1s_spi_framing_kind kind;
	/* a frame at a time: */
	uint16_t overhead_bytes; /* moved for each frame beside it: commands, registers */
	uint8_t inner_bytes;     /* in the same transfer as the frame: header, FCS */
	uint8_t align_bytes;     /* to a multiple of which that is filled up; 0, 1: not */
};

/*
 * Bytes that one Ethernet frame takes over SPI, in the one direction that it goes; 0 if
 * the framing is unknown.
 * @ip_bytes: of the IP packet in it; Ethernet's header of 14 B is added, a short frame is
 * padded to 46 B of payload, and with TC6 the FCS counts.
 */
uint64_t t1s_spi_frame_bytes(const struct t1s_spi_framing *f, uint64_t ip_bytes);

/*
 * Highest UDP payload rate that an SCLK can carry with this framing, in bit/s, if the
 * chip is served without any gap between transfers and nothing goes the other way: an
 * upper limit, which no driver reaches. 0 if the framing is unknown.
 * @payload_bytes: of one datagram; UDP adds 8 B and IPv4 20 B. A datagram above 1472 B
 * goes as IPv4 fragments of 1480 B, each a frame of its own.
 * Source: OPEN Alliance 10BASE-T1x MAC-PHY serial interface; for example, 1448 B take 24
 * chunks = 13056 SCLK bits for 11584 payload bits. For a frame at a time: board/chips.c.
 */
double t1s_spi_ceiling_bps(
	const struct t1s_spi_framing *f, uint32_t sclk_hz, uint32_t payload_bytes);

/*
 * The same of TCP payload in full segments: 1448 B (with the timestamp option, as Linux
 * has it) in IP packets of 1500 B. Acknowledgements go the other way and are not counted.
 */
double t1s_spi_ceiling_tcp_bps(const struct t1s_spi_framing *f, uint32_t sclk_hz);
