/* SPDX-License-Identifier: MIT */
#include "base/clock.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/timex.h>
#include <time.h>

static uint64_t read_clock_us(clockid_t id)
{
	struct timespec ts;

	if (clock_gettime(id, &ts) < 0)
		return 0;
	return (uint64_t)ts.tv_sec * T1S_USEC_PER_SEC + (uint64_t)ts.tv_nsec / 1000;
}

uint64_t t1s_now_us(void)
{
	return read_clock_us(CLOCK_MONOTONIC);
}

uint64_t t1s_wall_us(void)
{
	return read_clock_us(CLOCK_REALTIME);
}

uint64_t t1s_uptime_us(void)
{
	return read_clock_us(CLOCK_BOOTTIME);
}

int t1s_left_ms(uint64_t deadline_us)
{
	uint64_t now_us = t1s_now_us();
	uint64_t left_ms;

	if (deadline_us <= now_us)
		return 0;
	left_ms = (deadline_us - now_us + T1S_USEC_PER_MSEC - 1) / T1S_USEC_PER_MSEC;
	return left_ms > INT_MAX ? INT_MAX : (int)left_ms;
}

void t1s_sleep_us(uint64_t us)
{
	struct timespec ts = {.tv_sec = (time_t)(us / T1S_USEC_PER_SEC),
		.tv_nsec = (long)(us % T1S_USEC_PER_SEC) * 1000};

	while (clock_nanosleep(CLOCK_MONOTONIC, 0, &ts, &ts) == EINTR)
		;
}

bool t1s_clock_synchronised(void)
{
	struct timex tx = {.modes = 0};

	return adjtimex(&tx) >= 0 && !(tx.status & STA_UNSYNC);
}

static void local_time(uint64_t wall_us, struct tm *ret)
{
	time_t t = (time_t)(wall_us / T1S_USEC_PER_SEC);

	if (!localtime_r(&t, ret))
		memset(ret, 0, sizeof(*ret));
}

void t1s_format_timestamp(uint64_t wall_us, char ret[T1S_TIMESTAMP_MAX])
{
	struct tm tm;
	char zone[8];

	local_time(wall_us, &tm);
	(void)strftime(ret, T1S_TIMESTAMP_MAX, "%Y-%m-%dT%H:%M:%S", &tm);
	/* strftime writes +0100, the results want +01:00 */
	if (strftime(zone, sizeof(zone), "%z", &tm) == 5) {
		size_t n = strlen(ret);

		(void)snprintf(
			ret + n, T1S_TIMESTAMP_MAX - n, "%.3s:%.2s", zone, zone + 3);
	}
}

void t1s_format_clock(uint64_t wall_us, char ret[T1S_TIMESTAMP_MAX])
{
	struct tm tm;

	local_time(wall_us, &tm);
	(void)strftime(ret, T1S_TIMESTAMP_MAX, "%H:%M", &tm);
}

void t1s_format_duration(uint64_t duration_us, char ret[T1S_TIMESTAMP_MAX])
{
	uint64_t s = (duration_us + T1S_USEC_PER_SEC / 2) / T1S_USEC_PER_SEC;
	uint64_t min = (s + 30) / 60;

	if (s < 90)
		(void)snprintf(ret, T1S_TIMESTAMP_MAX, "%" PRIu64 " s", s);
	else if (min < 60)
		(void)snprintf(ret, T1S_TIMESTAMP_MAX, "%" PRIu64 " min", min);
	else
		(void)snprintf(ret, T1S_TIMESTAMP_MAX, "%" PRIu64 " h %02" PRIu64 " min",
			min / 60, min % 60);
}
