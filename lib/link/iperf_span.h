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
 * Adds up the intervals that count: not omitted, and of bytes that this end sent or
 * received as asked. False if there is none or one of them cannot be read.
 */
bool t1s_iperf_span_of_intervals(json_object *top, bool sent, struct t1s_iperf_span *ret);

/*
 * The sum at the end over what this end sent or received; NULL if there is none. A
 * client that only sends has the sum of what was received from the server.
 */
json_object *t1s_iperf_sum(json_object *top, bool sent);

/* From such a sum. False if it is absent or cannot be read. */
bool t1s_iperf_span_of_sum(json_object *sum, struct t1s_iperf_span *ret);

/*
 * Whether the test ran in both directions at once and the document cannot tell them
 * apart: before 3.11 both have the same names in it.
 */
bool t1s_iperf_directions_mixed(json_object *top);

/* Whether the test ran in both directions at once, and each has its own names. */
bool t1s_iperf_has_both_directions(json_object *top);

/* Whether any data arrived, omitted or not. */
bool t1s_iperf_any_byte_received(json_object *top);
