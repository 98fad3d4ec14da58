/* SPDX-License-Identifier: MIT */
/*
 * results.csv: the truth about what was measured. Columns 1 to 19 are those of the
 * published reference sweep, in its order and number formats; our own follow. Written a
 * row at a time, each in one write and fsynced; read as a stream (libcsv).
 */
#pragma once

#include "base/clock.h"
#include "base/error.h"
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
	double received_mbit_s; /* "%.6f" */
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
	char direction[16];
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
};

/* Sets every field to "unknown". */
void t1s_row_init(struct t1s_row *r);

/*
 * Appends one row, after putting right what a power cut left: a missing file gets the
 * header line; a torn last line (no newline at the end) is moved to PATH.torn-N and cut
 * off before anything is appended. One write, fsync; the folder is synced when the file
 * was made. Control characters in texts are written as '?'. Returns 0; -EINVAL (no
 * status, or not a regular file), -ELOOP (a link), -EBUSY (another process is writing),
 * -EBADMSG (a header line that is not ours), or what the system said; on ENOSPC and short
 * writes the file is cut back to its last whole row.
 */
int t1s_results_append(const char *path, const struct t1s_row *row, struct t1s_error *e);

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
