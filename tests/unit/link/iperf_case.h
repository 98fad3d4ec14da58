/* SPDX-License-Identifier: MIT */
/* Documents of iperf3 for the tests, and what they are read as. */
#pragma once

#include "link/iperf.h"

#include "base/file.h"

#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define SAMPLES T1S_TEST_DATA "/samples/"

static struct t1s_iperf_result result;
static char sender_error[256];

static inline void read_sample(const char *name, const struct t1s_iperf_expect *expect)
{
	char path[512];
	char *data;
	size_t size;

	(void)snprintf(path, sizeof(path), SAMPLES "%s", name);
	assert_int_equal(t1s_read_file(path, 1 << 20, &data, &size, NULL), 0);
	t1s_iperf_read(data, size, expect, &result);
	free(data);
}

static inline void read_text(const char *text, const struct t1s_iperf_expect *expect)
{
	size_t n = strlen(text);
	/* exact size, so that a sanitizer sees a look past the end */
	char *copy = malloc(n ? n : 1);

	assert_non_null(copy);
	memcpy(copy, text, n); /* NOLINT(bugprone-not-null-terminated-result) */
	t1s_iperf_read(copy, n, expect, &result);
	free(copy);
}

static inline int add_sender(const char *text)
{
	return t1s_iperf_add_sender(
		text, strlen(text), &result, sender_error, sizeof(sender_error));
}

static inline void assert_near(double found, double expected)
{
	if (!(fabs(found - expected) <= 1e-9 * fabs(expected)))
		fail_msg("%.15g was found, %.15g expected", found, expected);
}

static inline void assert_status(enum t1s_run_status expected)
{
	if (result.status != expected)
		fail_msg("status %s (%s), expected %s",
			t1s_run_status_name(result.status), result.reason,
			t1s_run_status_name(expected));
}

static inline void assert_reason_has(const char *word)
{
	if (!strstr(result.reason, word))
		fail_msg("\"%s\" does not say \"%s\"", result.reason, word);
}

static inline void assert_failed_without_values(void)
{
	assert_status(T1S_RUN_FAILED);
	assert_true(result.reason[0] != '\0');
	assert_true(isnan(result.received_bps));
	assert_true(isnan(result.lost_percent));
	assert_true(isnan(result.jitter_ms));
	assert_true(isnan(result.duration_s));
	assert_true(result.packets == -1 && result.lost_packets == -1);
	assert_true(result.out_of_order == -1);
}

/* A receiver's document with one sum and one interval, as 3.12 writes it. */
#define START                                                                            \
	"{\"start\":{\"version\":\"iperf 3.12\",\"connected\":[{\"socket\":5}],"         \
	"\"test_start\":{\"protocol\":\"UDP\",\"blksize\":1000,\"omit\":0}},"
#define INTERVAL(sum) "\"intervals\":[{\"streams\":[],\"sum\":" sum "}],"
#define GOOD_INTERVAL                                                                    \
	INTERVAL("{\"seconds\":2,\"bytes\":90000,\"jitter_ms\":0.5,\"lost_packets\":10," \
		 "\"packets\":100,\"omitted\":false,\"sender\":false}")
#define END(sum) "\"end\":{\"sum_received\":" sum "}}"
#define GOOD_SUM                                                                         \
	"{\"seconds\":2,\"bytes\":90000,\"bits_per_second\":360000,\"jitter_ms\":0.5,"   \
	"\"lost_packets\":10,\"packets\":100}"
#define GOOD START GOOD_INTERVAL END(GOOD_SUM)

/* A sender's document. */
#define SENDER_START(omit)                                                               \
	"{\"start\":{\"connecting_to\":{\"host\":\"192.0.2.10\"},\"test_start\":{"       \
	"\"protocol\":\"UDP\",\"omit\":" omit "}},\"intervals\":[],"
#define SENDER_END(packets)                                                              \
	"\"end\":{\"sum_sent\":{\"seconds\":2,\"bytes\":110000,\"packets\":" packets     \
	"},\"cpu_utilization_percent\":{\"host_total\":7.5}}"

/* An error with no stream connected and no byte received. */
static inline void read_early_error(const char *error)
{
	char text[512];

	(void)snprintf(text, sizeof(text),
		"{\"start\":{\"connected\":[]},\"intervals\":[],\"end\":{},\"error\":"
		"\"%s\"}",
		error);
	read_text(text, NULL);
}
