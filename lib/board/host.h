/* SPDX-License-Identifier: MIT */
/*
 * What this machine did during a run: two snapshots of the kernel's counters and their
 * difference. Reads only what an ordinary user may, below the injectable root; what this
 * machine does not tell is unknown and never an error.
 */
#pragma once

#include "board/condition.h"
#include "board/cpu.h"
#include "board/interrupts.h"
#include "board/spistat.h"

#include <net/if.h>
#include <stdint.h>

/* Whose counters: found once, used for both snapshots. */
struct t1s_host {
	const char *root;
	char interface[IF_NAMESIZE];
	char driver[64]; /* of the interface's device: "lan8650"; "" unknown */
	struct t1s_spi_device spi;
};

/* Finds the SPI device and the driver of an interface. @root must live on. */
void t1s_host_find(const char *root, const char *interface, struct t1s_host *ret);

struct t1s_host_snapshot {
	uint64_t taken_us; /* t1s_now_us */
	struct t1s_cpu_snapshot cpu;
	/* since boot: of the controller's line, of the MAC-PHY's; -1: unknown */
	int64_t spi_interrupts, mac_interrupts;
	struct t1s_softnet softnet;
	struct t1s_spi_statistics spi;
	struct t1s_condition condition;
};

/*
 * Takes one. The SPI controller's interrupt is found by its device's name
 * ("fe204000.spi"), the MAC-PHY's by the SPI device's ("spi0.0"), the interface's or the
 * driver's, whichever the driver gave it.
 */
void t1s_host_snapshot(const struct t1s_host *h, struct t1s_host_snapshot *ret);

/* What happened between two snapshots. */
struct t1s_host_load {
	double span_s; /* between the snapshots */
	struct t1s_cpu_loads cpu;
	int64_t spi_interrupts, mac_interrupts;
	struct t1s_softnet softnet;
	struct t1s_spi_statistics spi;
	/* the warmer, the governor and CPU frequency at the end, under-voltage if at
	 * either */
	struct t1s_condition condition;
};

void t1s_host_compare(const struct t1s_host_snapshot *before,
	const struct t1s_host_snapshot *after, struct t1s_host_load *ret);
