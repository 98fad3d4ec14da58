/* SPDX-License-Identifier: MIT */
/*
 * What the CPU cores did, from /proc/stat (proc(5)): two snapshots and their difference.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#define T1S_CPUS_MAX 16U

/* In the order of /proc/stat's columns. */
enum t1s_cpu_state {
	T1S_CPU_USER,
	T1S_CPU_NICE,
	T1S_CPU_SYSTEM,
	T1S_CPU_IDLE,
	T1S_CPU_IOWAIT,
	T1S_CPU_IRQ,
	T1S_CPU_SOFTIRQ,
	T1S_CPU_STEAL,
	T1S_CPU_STATES,
};

struct t1s_cpu_core {
	unsigned int number;
	uint64_t ticks[T1S_CPU_STATES];
};

struct t1s_cpu_snapshot {
	struct t1s_cpu_core all; /* all cores together */
	struct t1s_cpu_core cores[T1S_CPUS_MAX];
	size_t count; /* of cores; the 17th and later are in @all only */
};

/* Shares of the time between two snapshots, in percent; NaN: unknown. */
struct t1s_cpu_load {
	double busy;    /* neither idle nor waiting for input or output */
	double system;  /* in the kernel; hard interrupts count here */
	double softirq; /* in soft interrupts, where the network stack receives */
};

struct t1s_cpu_loads {
	struct t1s_cpu_load all;
	struct {
		unsigned int number;
		struct t1s_cpu_load load;
	} cores[T1S_CPUS_MAX];
	size_t count;
	int busiest; /* index of the core with the largest system + softirq; -1: unknown
		      */
};

#define T1S_CPU_TEXT_MAX 320

/* Reads ROOT/proc/stat. What cannot be read is left out (@ret->count 0, ticks 0). */
void t1s_cpu_read(const char *root, struct t1s_cpu_snapshot *ret);

/* The difference. Cores that are not in both are left out; a state's time that went
 * backwards, as idle and iowait may (proc(5)), counts as none. */
void t1s_cpu_compare(const struct t1s_cpu_snapshot *before,
	const struct t1s_cpu_snapshot *after, struct t1s_cpu_loads *ret);

/* system + softirq of the busiest core; NaN if unknown. */
double t1s_cpu_busiest(const struct t1s_cpu_loads *l);

/* All cores as text, NUMBER:BUSY/SYSTEM/SOFTIRQ in percent: "0:12.3/4.5/6.1 1:0.2/…". */
void t1s_cpu_text(const struct t1s_cpu_loads *l, char ret[T1S_CPU_TEXT_MAX]);
