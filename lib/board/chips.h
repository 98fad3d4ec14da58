/* SPDX-License-Identifier: MIT */
/*
 * The MAC-PHYs and Ethernet controllers behind SPI that are known by name. The only place
 * that knows any: whatever else has a compatible string is swept as well, but then its
 * link rate must be configured, and nothing is said about its SPI ceiling.
 */
#pragma once

#include "board/spi.h"

#include <stdint.h>

/* What Compatible= is where it is not set. */
#define T1S_CHIP_DEFAULT "microchip,lan8650"

struct t1s_chip {
	const char *compatible; /* as in Compatible= */
	const char *name;       /* "LAN8650/1" */
	double link_rate_bps;
	uint32_t plca_overhead_bits; /* per frame, with one silent node; 0: no PLCA */
	struct t1s_spi_framing framing;
	/* requests that the device tree binding or the data sheet allows; 0: no limit */
	uint32_t min_hz, max_hz;
};

/* By one of its compatible strings; NULL if it is not known. */
const struct t1s_chip *t1s_chip_find(const char *compatible);
