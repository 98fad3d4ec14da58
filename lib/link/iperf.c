/* SPDX-License-Identifier: MIT */
#include "link/iperf.h"

#include "base/cleanup.h"
#include "base/log.h"
#include "link/iperf_json.h"
#include "link/iperf_span.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define DURATION_LOW 0.8
#define DURATION_HIGH 1.5

/* a document whose own rate differs by more from bytes / seconds contradicts itself */
#define RATE_TOLERANCE 0.05

/* how far the counts of two ends that saw one test may be apart */
#define COUNT_TOLERANCE 0.01
#define SPARE_PACKETS 10
#define SPARE_BYTES 65536

static const char *const status_names[T1S_RUN_STATUS_MAX] = {
	[T1S_RUN_OK] = "OK",
	[T1S_RUN_NO_DATA] = "NO_DATA",
	[T1S_RUN_NO_LINK] = "NO_LINK",
	[T1S_RUN_FAILED] = "FAILED",
	[T1S_RUN_WRONG_PATH] = "WRONG_PATH",
	[T1S_RUN_DRIVER_DEAD] = "DRIVER_DEAD",
};

const char *t1s_run_status_name(enum t1s_run_status s)
{
	return (int)s >= 0 && s < T1S_RUN_STATUS_MAX ? status_names[s] : NULL;
}

enum t1s_run_status t1s_run_status_from_name(const char *name)
{
	for (int s = 0; s < T1S_RUN_STATUS_MAX; s++) {
		if (strcmp(status_names[s], name) == 0)
			return (enum t1s_run_status)s;
	}
	return T1S_RUN_STATUS_INVALID;
}

static void json_putp(json_object **o)
{
	json_object_put(*o);
}

#define cleanup_json cleanup_(json_putp)

static void forget_values(struct t1s_iperf_result *r)
{
	r->received_bps = NAN;
	r->lost_percent = NAN;
	r->jitter_ms = NAN;
	r->packets = -1;
	r->lost_packets = -1;
	r->out_of_order = -1;
	r->duration_s = NAN;
	r->rate_from_intervals = false;
}

static void init_result(struct t1s_iperf_result *r)
{
	memset(r, 0, sizeof(*r));
	forget_values(r);
	r->length_bytes = -1;
	r->sent_packets = -1;
	r->retransmits = -1;
	r->offered_bps = NAN;
	r->cpu_local_percent = NAN;
	r->cpu_remote_percent = NAN;
}

/* Text of a document, fit for other documents: no control characters, and no character
 * that was cut in its middle. */
static void tidy(char *text)
{
	size_t n = strlen(text), lead = n;

	while (lead > 0 && n - lead < 3 && (text[lead - 1] & 0xc0) == 0x80)
		lead--;
	if (lead > 0 && (text[lead - 1] & 0xc0) == 0xc0) {
		unsigned char c = (unsigned char)text[lead - 1];
		size_t tail = c >= 0xf0 ? 3 : c >= 0xe0 ? 2 : 1;

		if (n - lead < tail)
			text[lead - 1] = '\0';
	}
	t1s_printable(text);
}

static void conclude(struct t1s_iperf_result *r, enum t1s_run_status status,
	const char *format, ...) __attribute__((format(printf, 3, 4)));

static void conclude(
	struct t1s_iperf_result *r, enum t1s_run_status status, const char *format, ...)
{
	va_list ap;

	va_start(ap, format);
	(void)vsnprintf(r->reason, sizeof(r->reason), format, ap);
	va_end(ap);
	tidy(r->reason);
	r->status = status;
	if (status == T1S_RUN_FAILED)
		forget_values(r);
}

static bool any_stream_connected(json_object *top)
{
	json_object *connected =
		t1s_iperf_array(t1s_iperf_object(top, "start"), "connected");

	return connected && json_object_array_length(connected) > 0;
}

static bool contains_one_of(const char *text, const char *const words[], size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (strstr(text, words[i]))
			return true;
	}
	return false;
}

/*
 * Whether a link that carries nothing explains the error. The words are those of
 * iperf_strerror() and of the system. Not: what a host answered, or had wrong itself.
 */
static bool is_link_error(const char *text)
{
	static const char *const link_words[] = {"unable to connect to server",
		"unable to connect stream", "unable to send cookie",
		"unable to receive cookie", "control socket", "control message",
		"unable to send parameters", "unable to receive parameters",
		"stream socket", "unable to accept stream connection",
		"unable to accept connection", "unexpectedly closed", "has terminated",
		"timeout", "timed out", "no message was received"};
	static const char *const host_words[] = {"refused", "ermission", "not permitted",
		"in use", "Cannot assign", "busy", "Too many", "memory",
		"Invalid argument"};

	return contains_one_of(text, link_words, T1S_ELEMENTSOF(link_words)) &&
	       !contains_one_of(text, host_words, T1S_ELEMENTSOF(host_words));
}

/* Whether the document has an error member, which then decides. */
static bool judge_error(json_object *top, struct t1s_iperf_result *r)
{
	json_object *error = NULL;
	const char *text;

	if (!json_object_object_get_ex(top, "error", &error))
		return false;
	text = t1s_iperf_string(top, "error");
	if (!text) {
		conclude(r, T1S_RUN_FAILED, "iperf3 reported an error without words");
	} else if (!any_stream_connected(top) && !t1s_iperf_any_byte_received(top) &&
		   is_link_error(text)) {
		r->received_bps = 0;
		conclude(r, T1S_RUN_NO_DATA,
			"the link did not carry iperf3's connection or handshake (iperf3 "
			"said: %s)",
			text);
	} else {
		conclude(r, T1S_RUN_FAILED, "iperf3 reported an error: %s", text);
	}
	return true;
}

static void read_head(json_object *top, struct t1s_iperf_result *r)
{
	json_object *start = t1s_iperf_object(top, "start");
	json_object *test = t1s_iperf_object(start, "test_start");
	const char *protocol = t1s_iperf_string(test, "protocol");
	const char *version = t1s_iperf_string(start, "version");

	if (version) {
		(void)snprintf(r->version, sizeof(r->version), "%s", version);
		tidy(r->version);
	}
	r->udp = protocol && strcmp(protocol, "UDP") == 0;
	r->length_bytes = t1s_iperf_count(test, "blksize");
}

static void read_cpu(json_object *top, struct t1s_iperf_result *r)
{
	json_object *cpu =
		t1s_iperf_object(t1s_iperf_object(top, "end"), "cpu_utilization_percent");
	double remote = t1s_iperf_number(cpu, "remote_total");

	r->cpu_local_percent = t1s_iperf_number(cpu, "host_total");
	/* a server is not told the client's: it writes 0 */
	r->cpu_remote_percent = remote > 0 ? remote : NAN;
}

static bool is_own_stream(json_object *udp)
{
	json_object *sender = NULL;

	return json_object_object_get_ex(udp, "sender", &sender) &&
	       json_object_get_boolean(sender);
}

static int64_t read_out_of_order(json_object *top)
{
	json_object *streams = t1s_iperf_array(t1s_iperf_object(top, "end"), "streams");
	size_t n = streams ? json_object_array_length(streams) : 0;
	bool both = t1s_iperf_has_both_directions(top);
	int64_t total = 0;

	for (size_t i = 0; i < n; i++) {
		json_object *udp =
			t1s_iperf_object(json_object_array_get_idx(streams, i), "udp");
		int64_t k = t1s_iperf_count(udp, "out_of_order");

		if (both && is_own_stream(udp))
			continue;
		if (k < 0)
			return -1;
		total += k;
	}
	return n > 0 ? total : -1;
}

static void set_loss(struct t1s_iperf_result *r, int64_t packets, int64_t lost)
{
	r->packets = packets >= 0 ? packets : -1;
	if (packets <= 0 || lost < 0 || lost > packets)
		return;
	r->lost_packets = lost;
	r->lost_percent = 100.0 * (double)lost / (double)packets;
}

/* Datagrams that came twice are counted in the bytes, but not as packets. */
static void remark_duplicates(const struct t1s_iperf_span *s, struct t1s_iperf_result *r)
{
	double arrived, twice;

	if (!r->udp || r->length_bytes <= 0 || r->lost_packets < 0)
		return;
	arrived = s->bytes / (double)r->length_bytes;
	twice = arrived - (double)(r->packets - r->lost_packets);
	if (twice > 1 && twice > 0.001 * arrived)
		conclude(r, T1S_RUN_OK,
			"about %.0f of %.0f datagrams came twice: the rate is too high",
			twice, arrived);
}

static bool contradicts_itself(json_object *sum, const struct t1s_iperf_span *s)
{
	double rate = 8.0 * s->bytes / s->seconds;
	double told = t1s_iperf_number(sum, "bits_per_second");

	return fabs(told - rate) > RATE_TOLERANCE * rate;
}

/* Finds the received span. Returns false with the conclusion drawn if there is none. */
static bool find_span(
	json_object *top, struct t1s_iperf_span *ret, struct t1s_iperf_result *r)
{
	json_object *end = t1s_iperf_object(top, "end");
	json_object *sum = t1s_iperf_sum(top, false);
	struct t1s_iperf_span intervals;
	bool has_intervals = t1s_iperf_span_of_intervals(top, false, &intervals);
	bool has_sum = t1s_iperf_span_of_sum(sum, ret);

	if (!end || json_object_object_length(end) == 0) {
		conclude(r, T1S_RUN_FAILED, "the test did not come to its end");
		return false;
	}
	if (t1s_iperf_directions_mixed(top)) {
		conclude(r, T1S_RUN_FAILED,
			"%s does not tell the two directions of a test apart, 3.11 and "
			"later do",
			r->version[0] ? r->version : "this iperf3");
		return false;
	}
	/* a sum of nothing over intervals with data: a version that does not fill it */
	if (has_sum && (ret->bytes > 0 || !has_intervals || intervals.bytes <= 0)) {
		if (!contradicts_itself(sum, ret))
			return true;
		conclude(r, T1S_RUN_FAILED,
			"the result contradicts itself: its rate is not its bytes over "
			"its seconds");
		return false;
	}
	if (has_intervals) {
		*ret = intervals;
		r->rate_from_intervals = true;
		return true;
	}
	conclude(r, T1S_RUN_FAILED,
		"the result does not say what was received (no sum_received, no usable "
		"intervals)");
	return false;
}

/* Whether the test was the one that was asked for. */
static bool check_expected(const struct t1s_iperf_expect *x,
	const struct t1s_iperf_span *s, struct t1s_iperf_result *r)
{
	double low = x->duration_s * DURATION_LOW, high = x->duration_s * DURATION_HIGH;
	double rate = 8.0 * s->bytes / s->seconds;

	if (x->length_bytes > 0 && r->length_bytes != (int64_t)x->length_bytes) {
		conclude(r, T1S_RUN_FAILED,
			"the datagram length is %" PRId64
			" bytes (-1: not given), %" PRIu32 " were asked for",
			r->length_bytes, x->length_bytes);
		return false;
	}
	if (x->duration_s > 0 && (s->seconds < low || s->seconds > high)) {
		conclude(r, T1S_RUN_FAILED, "the test took %.3g s instead of %.3g s",
			s->seconds, x->duration_s);
		return false;
	}
	if (x->link_rate_bps > 0 && rate > x->link_rate_bps) {
		conclude(r, T1S_RUN_FAILED,
			"received %.4g Mbit/s, more than the link's %.4g Mbit/s: "
			"datagrams "
			"that came twice, another path, or a wrong clock",
			rate / 1e6, x->link_rate_bps / 1e6);
		return false;
	}
	return true;
}

static void read_document(
	json_object *top, const struct t1s_iperf_expect *x, struct t1s_iperf_result *r)
{
	struct t1s_iperf_span s;

	read_head(top, r);
	if (judge_error(top, r) || !find_span(top, &s, r) || !check_expected(x, &s, r))
		return;
	r->duration_s = s.seconds;
	read_cpu(top, r);
	r->received_bps = 8.0 * s.bytes / s.seconds;
	if (s.bytes <= 0) {
		r->packets = r->udp && s.packets >= 0 ? s.packets : -1;
		conclude(r, T1S_RUN_NO_DATA,
			"the handshake got through, but no data of the test arrived");
		return;
	}
	if (!r->udp)
		return;
	r->jitter_ms = s.jitter_ms;
	r->out_of_order = read_out_of_order(top);
	set_loss(r, s.packets, s.lost);
	remark_duplicates(&s, r);
}

void t1s_iperf_read(const char *data, size_t size, const struct t1s_iperf_expect *expect,
	struct t1s_iperf_result *ret)
{
	static const struct t1s_iperf_expect nothing;
	cleanup_json json_object *top = NULL;
	char why[200];

	init_result(ret);
	if (t1s_iperf_parse(data, size, &top, why, sizeof(why)) < 0)
		conclude(ret, T1S_RUN_FAILED, "the result is %s", why);
	else
		read_document(top, expect ? expect : &nothing, ret);
}

/* The lost tail: no later packet arrived, so that the receiver could not miss these. */
static void add_tail(struct t1s_iperf_result *r)
{
	int64_t tail = r->sent_packets - r->packets;
	int64_t lost = r->lost_packets;

	if (!r->udp || r->packets < 0 || tail <= 0)
		return;
	if (r->status == T1S_RUN_NO_DATA)
		lost = 0; /* of no packet, so far */
	if (lost < 0 || (r->status != T1S_RUN_OK && r->status != T1S_RUN_NO_DATA))
		return;
	set_loss(r, r->packets + tail, lost + tail);
}

/* Whether more arrived than was sent, which two ends of one test cannot both count. */
static bool exceeds(double received, double sent, double spare)
{
	return received > sent * (1 + COUNT_TOLERANCE) + spare;
}

/*
 * Only where both counted the same span: what was under way when the omitted time ended
 * counts at the one end and not at the other. A remark and no failure, since which of the
 * two is wrong cannot be told.
 */
static void compare_counts(
	const struct t1s_iperf_span *sent, bool tcp, struct t1s_iperf_result *r)
{
	double received_bytes = r->received_bps * r->duration_s / 8;

	if (r->status != T1S_RUN_OK || r->reason[0])
		return;
	if (r->sent_packets >= 0 && r->packets >= 0 &&
		exceeds((double)r->packets, (double)r->sent_packets, SPARE_PACKETS))
		conclude(r, T1S_RUN_OK,
			"the ends disagree: %" PRId64
			" datagrams at the receiving end, %" PRId64 " sent",
			r->packets, r->sent_packets);
	else if (tcp && exceeds(received_bytes, sent->bytes, SPARE_BYTES))
		conclude(r, T1S_RUN_OK,
			"the ends disagree: %.0f bytes at the receiving end, %.0f sent",
			received_bytes, sent->bytes);
}

static void add_sent(json_object *top, bool has_error, struct t1s_iperf_result *r)
{
	json_object *test =
		t1s_iperf_object(t1s_iperf_object(top, "start"), "test_start");
	json_object *sum = t1s_iperf_sum(top, true);
	const char *protocol = t1s_iperf_string(test, "protocol");
	bool tcp = protocol && strcmp(protocol, "TCP") == 0;
	struct t1s_iperf_span s;

	if (t1s_iperf_directions_mixed(top))
		return;
	if (!(t1s_iperf_span_of_sum(sum, &s) && s.bytes > 0) &&
		!t1s_iperf_span_of_intervals(top, true, &s))
		return;
	/* what TCP took is no offer: the link itself has slowed it down */
	r->offered_bps = tcp ? NAN : 8.0 * s.bytes / s.seconds;
	r->sent_packets = r->udp && s.packets > 0 ? s.packets : -1;
	r->retransmits = tcp ? t1s_iperf_count(sum, "retransmits") : -1;
	r->cpu_remote_percent = t1s_iperf_number(
		t1s_iperf_object(t1s_iperf_object(top, "end"), "cpu_utilization_percent"),
		"host_total");
	if (has_error || t1s_iperf_count(test, "omit") != 0)
		return;
	compare_counts(&s, tcp, r);
	add_tail(r);
}

int t1s_iperf_add_sender(const char *data, size_t size, struct t1s_iperf_result *r,
	char *ret_error, size_t error_size)
{
	cleanup_json json_object *top = NULL;
	json_object *error = NULL;
	const char *text;

	if (t1s_iperf_parse(data, size, &top, ret_error, error_size) < 0)
		return -EBADMSG;
	if (!t1s_iperf_object(top, "start") && !t1s_iperf_object(top, "end")) {
		(void)snprintf(ret_error, error_size, "no result of iperf3");
		return -EBADMSG;
	}
	(void)json_object_object_get_ex(top, "error", &error);
	text = t1s_iperf_string(top, "error");
	(void)snprintf(ret_error, error_size, "%s",
		text    ? text
		: error ? "an error without words"
			: "");
	tidy(ret_error);
	add_sent(top, error != NULL, r);
	return 0;
}
