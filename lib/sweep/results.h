/* SPDX-License-Identifier: MIT */
/*
 * results.csv: the truth about what was measured. Columns 1 to 19 are those of the
 * published reference sweep, in its order and number formats; our own follow. Written a
 * row at a time, each in one write and fsynced; read as a stream (libcsv).
 */
#pragma once

#include "base/clock.h"
#include "base/digest.h"
#include "base/error.h"
#include "board/condition.h"
#include "board/cpu.h"
#include "link/iperf.h"
#include "sweep/config.h"

#include <stddef.h>
#include <stdint.h>

#define T1S_SWEEP_ID_MAX 64

/* One row. Unknown doubles are NaN, unknown integers -1, unknown text "". In the order of
 * the columns. NOLINTNEXTLINE(clang-analyzer-optin.performance.Padding) */
struct t1s_row {
	/* the reference's columns */
	char timestamp[T1S_TIMESTAMP_MAX];
	enum t1s_run_status status;
	char receiver_host[65];
	char overlay[128];
	uint32_t spi_requested_hz; /* spi_requested_mhz is written from it, "%.3f" */
	char udp_target[24];
	double received_mbit_s; /* by the end that received; "%.6f" */
	double lost_percent;    /* shortest that reads the same, as "4.60914881297047" */
	double jitter_ms;       /* likewise */
	int64_t packets, lost_packets;
	int64_t test_seconds, omit_seconds;
	char interface[IF_NAMESIZE];
	char receiver_ip[64], sender_ip[64];
	char sender_ssh[330]; /* user@host */
	char note[256];
	/* our own, in this order */
	char sweep_id[T1S_SWEEP_ID_MAX];
	int64_t point; /* 1-based index in the plan; column "point" */
	int64_t pass;  /* 0: a baseline; the opening one is point 1 */
	char workload[T1S_NAME_MAX];
	char protocol[8];
	char direction[16]; /* receive or send; a run in both has a row for each */
	int64_t length_bytes;
	int64_t repeat;  /* 1-based */
	int64_t attempt; /* 1-based */
	char boot_id[40];
	int64_t live_hz;
	int64_t original_hz;
	int64_t sclk_predicted_hz;
	double offered_mbit_s;
	int64_t sent_packets;
	int64_t out_of_order;
	double duration_s;
	int64_t iface_rx_bytes; /* delta over the run */
	char iperf_receiver[32], iperf_sender[32];
	int64_t clock_synchronised; /* 1, 0 */
	char raw[128];              /* file below the sweep's folder */
	int64_t retransmits;        /* of TCP */
	int64_t iface_tx_bytes;     /* delta over the run */
	int64_t seed;               /* of the shuffled order */
	/* what it was measured on */
	char board[128]; /* model */
	char kernel[65]; /* release */
	char driver[64], driver_version[64];
	char mac_address[20];
	int64_t mtu;
	char qdisc[32];
	char plca[16]; /* "on", "off", "unsupported" */
	int64_t plca_node_id, plca_node_count;
	int64_t plca_to_timer_bits, plca_burst_count;
	int64_t plca_operating; /* 1, 0 */
	char sender_kernel[65];
	char sender_plca[16];
	int64_t sender_plca_node_id, sender_plca_node_count, sender_plca_operating;
	char overlay_sha256[T1S_SHA256_HEX_MAX]; /* with the original frequency in it */
	char cpu_governor[T1S_GOVERNOR_MAX];
	int64_t cpu_freq_hz, core_clock_hz;
	double temperature_c;
	int64_t undervoltage; /* 1, 0 */
	/* what the machine did: deltas over span_s, which holds the whole run */
	double span_s;
	double cpu_busy_percent, cpu_system_percent, cpu_softirq_percent;
	int64_t cpu_core; /* the one with most system + softirq */
	double cpu_core_percent;
	char cpu_cores[T1S_CPU_TEXT_MAX];
	int64_t irq_spi, irq_mac;
	int64_t softnet_dropped, softnet_squeezed;
	int64_t spi_messages, spi_transfers, spi_bytes; /* of the device */
	int64_t spi_errors, spi_timedout;
	int64_t spi_bus_messages, spi_bus_bytes; /* of the controller */
	int64_t spi_bus_errors, spi_bus_timedout;
	int64_t iface_rx_packets, iface_rx_dropped, iface_rx_errors;
	int64_t iface_tx_packets, iface_tx_dropped, iface_tx_errors;
	char compatible[T1S_COMPATIBLE_MAX]; /* the live node's first */
};

/* Sets every field to "unknown". */
void t1s_row_init(struct t1s_row *r);

/*
 * Appends one row, after putting right what a power cut left: a missing file gets the
 * header line, a file that is there goes on under its own (columns that are not ours stay
 * empty, ours that it lacks are left out); a torn last line (no newline at the end) is
 * moved to PATH.torn-N and cut off before anything is appended. One write, fsync; the
 * folder is synced when the file was made. Control characters in texts are written as
 * '?'. Returns 0; -EINVAL (no status, or not a regular file), -ELOOP (a link), -EBUSY
 * (another process is writing), -EBADMSG (no header line of a results file, or one
 * without a column that tells the rows apart), or what the system said; on ENOSPC and
 * short writes the file is cut back to its last whole row.
 */
int t1s_results_append(const char *path, const struct t1s_row *row, struct t1s_error *e);

/* The same for the rows of one run, in one write: at most T1S_RUN_ROWS_MAX. A power cut
 * may still leave the first without the others. */
#define T1S_RUN_ROWS_MAX 2U
int t1s_results_append_run(const char *path, const struct t1s_row *rows,
	unsigned int count, struct t1s_error *e);

/*
 * Whether rows can be appended, without changing anything: 0, also for a file that is not
 * there yet, or as t1s_results_append. @ret_missing: our columns that the file lacks, as
 * "a, b"; "" if none.
 */
#define T1S_MISSING_MAX 200U
int t1s_results_check(
	const char *path, char ret_missing[T1S_MISSING_MAX], struct t1s_error *e);

/* Called for each whole row; a negative return ends the reading with that value. */
typedef int (*t1s_row_fn)(const struct t1s_row *row, void *data);

/*
 * Reads a results file as a stream: the reference's 19 columns in any order (by the
 * header line), ours where present, unknown columns skipped, CRLF or LF, a torn last line
 * left out. Returns the number of rows, -ENOENT, -EBADMSG (no such header, a bad value;
 * with line and column in the text), what @fn returned, or a reading error. A file
 * without a single whole line has no rows. The file must be a regular one (-EINVAL) and
 * no link
 * (-ELOOP), since it may lie in a folder of another user.
 */
int64_t t1s_results_read(
	const char *path, t1s_row_fn fn, void *data, struct t1s_error *e);

/*
 * The same for some columns only, which is quicker: the members of struct t1s_row whose
 * offsets are @members stand in each row, all others stay unknown and are not checked.
 * NULL: all of them.
 */
int64_t t1s_results_read_some(const char *path, const size_t *members, size_t count,
	t1s_row_fn fn, void *data, struct t1s_error *e);
