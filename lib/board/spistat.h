/* SPDX-License-Identifier: MIT */
/* The SPI device behind a network interface, and what the kernel counted on the bus. */
#pragma once

#include <stdint.h>

struct t1s_spi_device {
	char name[32];       /* "spi0.0"; "" if the interface is not behind SPI */
	unsigned int bus;    /* 0 */
	char controller[64]; /* the controller's device, "fe204000.spi"; "" unknown */
};

/* Statistics as the kernel keeps them for a controller and for a device; -1: unknown. */
struct t1s_spi_counts {
	int64_t messages, transfers;
	int64_t bytes;
	int64_t errors, timedout;
};

struct t1s_spi_statistics {
	struct t1s_spi_counts controller, device;
};

/*
 * The device: where ROOT/sys/class/net/INTERFACE/device points to; its controller: where
 * ROOT/sys/class/spi_master/spiN/device does.
 */
void t1s_spi_device_of(
	const char *root, const char *interface, struct t1s_spi_device *ret);

/* ROOT/sys/class/spi_master/spiN/statistics and
 * ROOT/sys/bus/spi/devices/spiN.M/statistics. */
void t1s_spi_statistics_read(
	const char *root, const struct t1s_spi_device *d, struct t1s_spi_statistics *ret);

/* The difference, member by member. */
struct t1s_spi_counts t1s_spi_counts_delta(
	const struct t1s_spi_counts *before, const struct t1s_spi_counts *after);
