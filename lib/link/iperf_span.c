/* SPDX-License-Identifier: MIT */
#include "link/iperf_span.h"

#include <math.h>

/* A test in both directions has a second sum of each kind, for what the server sends. */
static const char *const interval_sums[] = {"sum", "sum_bidir_reverse"};

#define INTERVAL_SUMS (sizeof(interval_sums) / sizeof(interval_sums[0]))

static bool is_client(json_object *top)
{
	return t1s_iperf_object(t1s_iperf_object(top, "start"), "connecting_to") != NULL;
}

bool t1s_iperf_has_both_directions(json_object *top)
{
	return t1s_iperf_object(t1s_iperf_object(top, "end"),
		       "sum_received_bidir_reverse") != NULL;
}

bool t1s_iperf_directions_mixed(json_object *top)
{
	json_object *start = t1s_iperf_object(top, "start");
	json_object *connected = t1s_iperf_array(start, "connected");
	int64_t streams =
		t1s_iperf_count(t1s_iperf_object(start, "test_start"), "num_streams");

	return streams > 0 && connected &&
	       json_object_array_length(connected) > (size_t)streams &&
	       !t1s_iperf_has_both_directions(top);
}

/* Whether these bytes were counted by the one who sent them. */
static bool is_sent(json_object *sum, json_object *start)
{
	json_object *sender = NULL;

	if (json_object_object_get_ex(sum, "sender", &sender) &&
		json_object_is_type(sender, json_type_boolean))
		return json_object_get_boolean(sender);
	/* versions before 3.7 do not say; there a client sends unless reversed */
	return t1s_iperf_object(start, "connecting_to") &&
	       t1s_iperf_count(t1s_iperf_object(start, "test_start"), "reverse") != 1;
}

static bool is_omitted(json_object *sum)
{
	json_object *omitted = NULL;

	return json_object_object_get_ex(sum, "omitted", &omitted) &&
	       json_object_get_boolean(omitted);
}

static double seconds_of(json_object *sum)
{
	double seconds = t1s_iperf_number(sum, "seconds");

	if (isnan(seconds))
		seconds = t1s_iperf_number(sum, "end") - t1s_iperf_number(sum, "start");
	return seconds > 0 ? seconds : NAN;
}

/* False too where a value is not known or a rate would be out of all range. */
static bool has_rate(const struct t1s_iperf_span *s)
{
	return isfinite(8.0 * s->bytes / s->seconds);
}

static void add_difference(int64_t *total, int64_t part)
{
	*total = *total == INT64_MIN || part == INT64_MIN ? INT64_MIN : *total + part;
}

/* False if it counts and cannot be read. */
static bool add_interval(struct t1s_iperf_span *s, json_object *sum, size_t *used)
{
	double bytes = t1s_iperf_number(sum, "bytes");
	double seconds = seconds_of(sum);

	if (isnan(bytes) || isnan(seconds))
		return false;
	s->bytes += bytes;
	s->seconds += seconds;
	s->jitter_ms = t1s_iperf_number(sum, "jitter_ms");
	add_difference(&s->packets, t1s_iperf_difference(sum, "packets"));
	add_difference(&s->lost, t1s_iperf_difference(sum, "lost_packets"));
	++*used;
	return true;
}

bool t1s_iperf_span_of_intervals(json_object *top, bool sent, struct t1s_iperf_span *ret)
{
	json_object *intervals = t1s_iperf_array(top, "intervals");
	json_object *start = t1s_iperf_object(top, "start");
	size_t n = intervals ? json_object_array_length(intervals) : 0;
	struct t1s_iperf_span s = {.jitter_ms = NAN};
	size_t used = 0;

	for (size_t i = 0; i < n * INTERVAL_SUMS; i++) {
		json_object *sum = t1s_iperf_object(
			json_object_array_get_idx(intervals, i / INTERVAL_SUMS),
			interval_sums[i % INTERVAL_SUMS]);

		if (sum && !is_omitted(sum) && is_sent(sum, start) == sent &&
			!add_interval(&s, sum, &used))
			return false;
	}
	*ret = s;
	return used > 0 && has_rate(&s);
}

json_object *t1s_iperf_sum(json_object *top, bool sent)
{
	json_object *end = t1s_iperf_object(top, "end");

	/* the names are the same at both ends: "reverse" is what the server sends */
	if (t1s_iperf_has_both_directions(top) && is_client(top) != sent)
		return t1s_iperf_object(end,
			sent ? "sum_sent_bidir_reverse" : "sum_received_bidir_reverse");
	return t1s_iperf_object(end, sent ? "sum_sent" : "sum_received");
}

bool t1s_iperf_span_of_sum(json_object *sum, struct t1s_iperf_span *ret)
{
	*ret = (struct t1s_iperf_span){
		.bytes = t1s_iperf_number(sum, "bytes"),
		.seconds = seconds_of(sum),
		.jitter_ms = t1s_iperf_number(sum, "jitter_ms"),
		.packets = t1s_iperf_count(sum, "packets"),
		.lost = t1s_iperf_difference(sum, "lost_packets"),
	};
	return has_rate(ret);
}

bool t1s_iperf_any_byte_received(json_object *top)
{
	json_object *intervals = t1s_iperf_array(top, "intervals");
	json_object *start = t1s_iperf_object(top, "start");
	size_t n = intervals ? json_object_array_length(intervals) : 0;
	struct t1s_iperf_span s;

	for (size_t i = 0; i < n * INTERVAL_SUMS; i++) {
		json_object *sum = t1s_iperf_object(
			json_object_array_get_idx(intervals, i / INTERVAL_SUMS),
			interval_sums[i % INTERVAL_SUMS]);

		if (sum && !is_sent(sum, start) && t1s_iperf_number(sum, "bytes") > 0)
			return true;
	}
	return t1s_iperf_span_of_sum(t1s_iperf_sum(top, false), &s) && s.bytes > 0;
}
