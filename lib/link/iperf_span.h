/* SPDX-License-Identifier: MIT */
/* Inside the room only: bytes over seconds, from the places where iperf3 writes them. */
#pragma once

#include "link/iperf_json.h"

#include <stdbool.h>
#include <stdint.h>

struct t1s_iperf_span {
	double bytes, seconds;
	double jitter_ms;      /* NaN: not known */
	int64_t packets, lost; /* negative: not known */
};

/*
 * Adds up the intervals that count: not omitted, and of bytes that were sent or received
 * as asked. False if there is none or one of them cannot be read.
 */
bool t1s_iperf_span_of_intervals(json_object *top, bool sent, struct t1s_iperf_span *ret);

/* From end.KEY. False if it is absent or cannot be read. */
bool t1s_iperf_span_of_sum(json_object *top, const char *key, struct t1s_iperf_span *ret);

/* Whether any data arrived, omitted or not. */
bool t1s_iperf_any_byte_received(json_object *top);
