/* SPDX-License-Identifier: MIT */
/*
 * Time: deadlines and durations from the monotonic clock only, since a Raspberry Pi has
 * no real-time clock and its wall time can jump; wall time is for people.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define T1S_USEC_PER_SEC UINT64_C(1000000)
#define T1S_USEC_PER_MSEC UINT64_C(1000)

/* CLOCK_MONOTONIC in microseconds. */
uint64_t t1s_now_us(void);

/* CLOCK_REALTIME in microseconds since 1970; only to show, or for logind. */
uint64_t t1s_wall_us(void);

/* CLOCK_BOOTTIME in microseconds: time since the kernel started. */
uint64_t t1s_uptime_us(void);

/* Milliseconds from now to a t1s_now_us() deadline, 0 when it has passed, at most
 * INT_MAX; rounded up, so that a wait of this length does not end before the deadline. */
int t1s_left_ms(uint64_t deadline_us);

/* Sleeps the whole time; a signal does not shorten it. */
void t1s_sleep_us(uint64_t us);

/* Whether the kernel holds the wall clock to be synchronised (adjtimex, STA_UNSYNC). */
bool t1s_clock_synchronised(void);

#define T1S_TIMESTAMP_MAX 40

/* Local time as in 2026-07-14T22:09:18+01:00. @wall_us: as t1s_wall_us() gives it. */
void t1s_format_timestamp(uint64_t wall_us, char ret[T1S_TIMESTAMP_MAX]);

/* Local time of day as in 23:10. */
void t1s_format_clock(uint64_t wall_us, char ret[T1S_TIMESTAMP_MAX]);

/* A duration for people: "45 s", "12 min", "1 h 05 min". */
void t1s_format_duration(uint64_t duration_us, char ret[T1S_TIMESTAMP_MAX]);
