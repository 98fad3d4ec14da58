/* SPDX-License-Identifier: MIT */
/*
 * Reading an iperf3 result: what was received, what was lost, and whether any of it can
 * be believed. Knows the differences between versions 3.1 and 3.18 (see docs/iperf3.md).
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Status of a run, as in the results' column "status". */
enum t1s_run_status {
	T1S_RUN_OK = 0,
	T1S_RUN_NO_DATA,     /* nothing came through but perhaps the handshake */
	T1S_RUN_NO_LINK,     /* interface or address missing */
	T1S_RUN_FAILED,      /* the result cannot be believed */
	T1S_RUN_WRONG_PATH,  /* the traffic did not come in on the T1S interface */
	T1S_RUN_DRIVER_DEAD, /* the driver gave up */
	T1S_RUN_STATUS_MAX,
	T1S_RUN_STATUS_INVALID = -1,
};

/* "OK", "NO_DATA", …; NULL if out of range. */
const char *t1s_run_status_name(enum t1s_run_status s);
enum t1s_run_status t1s_run_status_from_name(const char *name);

/* What was asked for, to check the result against; 0 is "not checked". */
struct t1s_iperf_expect {
	uint32_t length_bytes; /* start.test_start.blksize */
	double duration_s;     /* "duration far off": outside 80 % to 150 % of it */
	double link_rate_bps;  /* a rate above it is no result */
};

/* Values that are not known are NaN (doubles) or -1 (integers). */
struct t1s_iperf_result {
	enum t1s_run_status status;
	char reason[256];    /* why it is not OK, or a remark; "" */
	double received_bps; /* 0 with NO_DATA, not known with FAILED */
	double lost_percent;
	double jitter_ms;
	int64_t packets; /* seen by the receiver, lost ones included */
	int64_t lost_packets;
	int64_t out_of_order;
	double duration_s; /* that the rate is over */
	int64_t length_bytes;
	/* from the sending end's own document; see t1s_iperf_add_sender */
	int64_t sent_packets;
	int64_t retransmits; /* of TCP */
	double offered_bps;  /* of UDP: what TCP takes, the link has already decided */
	/* of the end that received, and of the one that sent */
	double cpu_local_percent, cpu_remote_percent;
	char version[32]; /* "iperf 3.12" */
	bool udp;
	bool rate_from_intervals; /* no sum_received: older receivers */
};

/*
 * Reads what the end that wrote the document received: a server's, or that of a client
 * that ran with -R or --bidir. (A client that only sends has its own word for it from the
 * server; t1s-sweep explain shows that.) Never fails but by the status it sets: malformed
 * JSON, NaN, an "error" member, an implausible value are T1S_RUN_FAILED; no data is
 * T1S_RUN_NO_DATA with loss unknown. Rate: end.sum_received (of a --bidir client
 * end.sum_received_bidir_reverse), else bytes over non-omitted intervals / their seconds;
 * never end.sum. With FAILED no measured value is given. A document of both directions in
 * which they have the same names (before 3.11) is FAILED.
 *
 * NO_DATA is also a control connection or a handshake that the link did not carry: an
 * "error" of that kind, no data stream connected, no byte received. An error that no link
 * explains (refused, busy, address in use) is FAILED, and so is a test that broke off
 * after its handshake.
 *
 * A client's own JSON is read by the same rules, and tells why no client came where the
 * server was ended without one and left an empty file: an empty text is FAILED, since
 * nothing can be told from it.
 *
 * @data need not be 0-terminated; more than 16 MiB is FAILED. @expect may be NULL.
 */
void t1s_iperf_read(const char *data, size_t size, const struct t1s_iperf_expect *expect,
	struct t1s_iperf_result *ret);

/*
 * Adds what the document of the end that sent knows (packets sent, offered rate,
 * retransmits, its CPU) to a receiving end's result, and compares where both counted the
 * same span (nothing omitted, no error at the sender): packets that neither arrived nor
 * were counted as lost (a lost tail, UDP) are added to the loss; of more received than
 * sent a remark is made.
 * Sets @ret_error to the document's "error" text, "" if none.
 * Returns 0, or -EBADMSG if the text is no iperf3 JSON (the result is left alone; what is
 * wrong with it is in @ret_error).
 */
int t1s_iperf_add_sender(const char *data, size_t size, struct t1s_iperf_result *r,
	char *ret_error, size_t error_size);
