/* SPDX-License-Identifier: MIT */
/* The state a measurement finds the board in: how warm, how fast, how well fed. */
#pragma once

#include <stdint.h>

#define T1S_GOVERNOR_MAX 32

struct t1s_condition {
	double temperature_c; /* NaN: unknown */
	int64_t cpu_freq_hz;  /* of the first core that tells; -1: unknown */
	char governor[T1S_GOVERNOR_MAX];
	int64_t undervoltage; /* 1: the supply was too low within the last two seconds; 0;
				 -1: unknown */
};

/*
 * Temperature: the first zone of ROOT/sys/class/thermal whose type holds "cpu", else the
 * first there is. CPU frequency and governor: scaling_cur_freq and scaling_governor of
 * ROOT/sys/devices/system/cpu/cpuN/cpufreq, of the first core that has it. Under-voltage:
 * in0_lcrit_alarm of the rpi_volt sensor below ROOT/sys/class/hwmon; reading the
 * firmware's get_throttled instead would leave a warning with a call trace in the
 * kernel's log at each boot, and newer kernels do not have it.
 */
void t1s_condition_read(const char *root, struct t1s_condition *ret);

/* The VPU core clock, from which the Raspberry Pi's SPI clock is divided, in Hz:
 * ROOT/sys/kernel/debug/clk. Only root may read that. -1: unknown. */
int64_t t1s_core_clock_hz(const char *root);
