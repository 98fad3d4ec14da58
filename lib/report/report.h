/* SPDX-License-Identifier: MIT */
/*
 * The report: from the rows of one sweep to an answer. One model, built here, and one
 * writer per format, so that all formats say the same.
 */
#pragma once

#include "base/error.h"
#include "sweep/audit.h"
#include "sweep/config.h"
#include "sweep/results.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define T1S_REPORT_POINTS_MAX 10000  /* different frequencies */
#define T1S_REPORT_ROWS_MAX 1000000L /* of one file */

/* What a point's median is, compared with the best median of the sweep. */
enum t1s_verdict {
	T1S_VERDICT_FULL,      /* from [Report] Full= */
	T1S_VERDICT_LIMITED,   /* from [Report] Severe= */
	T1S_VERDICT_SEVERE,    /* from the collapse line, [Sweep] CollapseBelow= */
	T1S_VERDICT_COLLAPSED, /* below it */
	T1S_VERDICT_UNKNOWN,   /* no believable run */
};

/*
 * What holds a point's rate down.
 * WIRE: within 2 % of the wire limit. SENDER: what was offered came through whole, and it
 * was less than the wire carries. SPI: the predicted SCLK's TC6 ceiling is below the wire
 * limit, and so is the point.
 */
enum t1s_bound {
	T1S_BOUND_WIRE,
	T1S_BOUND_SPI,
	T1S_BOUND_CPU,
	T1S_BOUND_SENDER,
	T1S_BOUND_UNKNOWN,
};

/* "full", …, NULL for T1S_VERDICT_UNKNOWN. */
const char *t1s_verdict_name(enum t1s_verdict v);
/* "wire", …, NULL for T1S_BOUND_UNKNOWN. */
const char *t1s_bound_name(enum t1s_bound b);

/* All runs at one requested frequency. Rates in Mbit/s; unknown is NaN. */
struct t1s_report_point {
	uint32_t spi_requested_hz;
	uint32_t sclk_predicted_hz; /* 0: unknown */
	unsigned int runs;          /* that count: OK, and NO_DATA and NO_LINK as zero */
	unsigned int failed;        /* that do not */
	double received_mbit_s;     /* median */
	double received_min, received_max;
	double lost_percent;       /* median of the known ones */
	double jitter_ms;          /* median */
	double offered_mbit_s;     /* median of what the sender sent */
	double asked_mbit_s;       /* what it was asked to send */
	double wire_share;         /* received / wire limit */
	double spi_ceiling_mbit_s; /* NaN: SCLK unknown */
	enum t1s_verdict verdict;
	enum t1s_bound bound_by;
	bool repeats_disagree; /* the smallest and the largest run alone would be given
				  different verdicts */
	double *samples;       /* received rates of the runs, rising; malloc'ed */
};

struct t1s_report {
	struct t1s_report_point *points; /* by falling frequency */
	size_t count;

	/* What was measured; text is fit to be shown, "" where unknown. */
	char sweep_id[T1S_SWEEP_ID_MAX];
	char overlay[128];
	char workload[T1S_NAME_MAX];
	char first_timestamp[T1S_TIMESTAMP_MAX], last_timestamp[T1S_TIMESTAMP_MAX];
	int clock_synchronised; /* 1, 0: not at every row, -1: unknown */
	uint32_t length_bytes;
	int64_t rows;
	int64_t other_rows; /* of these: rows of other workloads, left out */

	/* What it is compared with. */
	double full_share, severe_share, collapse_share; /* of the best median */
	double wire_limit_mbit_s;  /* NaN where the model has none (TCP) */
	double best_mbit_s;        /* best median; NaN if no run is believable */
	uint32_t best_hz;          /* 0 then */
	uint32_t specified_min_hz; /* lowest request the chip's device tree binding
				      allows; 0: not known */

	/* The answer. */
	uint32_t original_hz;       /* 0: unknown */
	uint32_t lowest_full_hz;    /* 0: none */
	double margin;              /* original_hz / lowest_full_hz; NaN */
	uint32_t *not_monotonic_hz; /* points above lowest_full_hz that are not full */
	size_t not_monotonic_count;
	double opening_mbit_s;     /* median of the opening baseline, else of pass 1 at
				      original_hz; NaN */
	double closing_mbit_s;     /* median of the closing baseline; NaN */
	unsigned int closing_runs; /* rows of it, believable or not */

	/* Boots that measured something else than those before, see sweep/audit.h. */
	unsigned int unlike_boots;
	char unlike[T1S_AUDIT_TEXT_MAX]; /* what the first of them had otherwise */
};

/* Releases what t1s_report_build returned; for use with cleanup_(). */
void t1s_report_done(struct t1s_report *r);

/*
 * Builds the report of one results file.
 * @c: [Report], CollapseBelow= (the verdict's line stays at its default where this is 0),
 * Compatible= and SpiClock= are used; payload length, asked rate and protocol come from
 * the rows where they have them, else from the first workload.
 * @controller: SPI controller to assume, clocked at @c->spi_clk_hz, where the rows do not
 * hold a predicted SCLK; NULL, or a clock of 0: none, and the SCLK is unknown.
 * Counted as zero throughput: NO_DATA, NO_LINK, and DRIVER_DEAD where seen again (attempt
 * 2 and later). Rows of pass 0 are the baselines and no part of a point: the opening one
 * as point 1, the closing one otherwise. Rows of another workload than the first row's
 * are left out and counted. A file without original_hz began at the original setting: its
 * first row's request is taken. Returns 0; -ENODATA if the file holds no row; -ENOTUNIQ
 * if it holds rows of several sweeps; -E2BIG above the maxima; or t1s_results_read's
 * errors. @ret is untouched on failure.
 */
int t1s_report_build(const char *results_path, const struct t1s_config *c,
	const char *controller, struct t1s_report *ret, struct t1s_error *e);

/*
 * Number of neighbouring points from @first on that share its predicted SCLK: requests
 * that the controller's divider turns into one clock. At least 1; 1 where it is unknown.
 */
size_t t1s_report_same_clock(const struct t1s_report *r, size_t first);

/*
 * The answer in sentences: @fn is called for each, in the order of reading. A negative
 * return ends it with that value. Returns 0 or -ENOMEM.
 */
int t1s_report_sentences(const struct t1s_report *r,
	int (*fn)(const char *sentence, void *data), void *data);

/* Writers; @out stays the caller's. Return 0 or -EIO, -ENOMEM. */
int t1s_report_write_text(const struct t1s_report *r, FILE *out);
int t1s_report_write_json(const struct t1s_report *r, FILE *out);
