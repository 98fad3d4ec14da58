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

/*
 * Highest UDP payload rate that an SCLK can carry with OPEN Alliance TC6 framing (chunks
 * of 64 B payload and 4 B header or footer, no gap between chunks), in bit/s.
 * @payload_bytes: of one datagram; the frame adds UDP 8, IPv4 20, Ethernet 14 and FCS 4.
 * A datagram above 1472 B goes as IPv4 fragments of 1480 B, each a frame of its own.
 * Source: OPEN Alliance 10BASE-T1x MAC-PHY serial interface; for example
 * 1448 B take 24 chunks = 13056 SCLK bits for 11584 payload bits.
 */
double t1s_spi_tc6_ceiling_bps(uint32_t sclk_hz, uint32_t payload_bytes);
