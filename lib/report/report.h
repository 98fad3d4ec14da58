/* SPDX-License-Identifier: MIT */
/*
 * The report: from the rows of one sweep to an answer. One model, built here, and one
 * writer per format, so that all formats say the same.
 */
#pragma once

#include "base/error.h"
#include "sweep/config.h"
#include "sweep/results.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum t1s_verdict {
	T1S_VERDICT_FULL,
	T1S_VERDICT_LIMITED,
	T1S_VERDICT_SEVERE,
	T1S_VERDICT_COLLAPSED,
	T1S_VERDICT_UNKNOWN, /* no believable run */
};

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
	double received_mbit_s, received_min,
		received_max;      /* median, smallest, largest */
	double lost_percent;       /* median of the known ones */
	double jitter_ms;          /* median */
	double offered_mbit_s;     /* median */
	double wire_share;         /* received / wire limit */
	double spi_ceiling_mbit_s; /* NaN: SCLK unknown */
	enum t1s_verdict verdict;
	enum t1s_bound bound_by;
	double *samples; /* received rates, malloc'ed */
	size_t samples_room;
};

struct t1s_report {
	struct t1s_report_point *points; /* by falling frequency */
	size_t count;
	char sweep_id[T1S_SWEEP_ID_MAX]; /* "" if the file has none */
	char overlay[128];
	uint32_t original_hz;    /* 0: unknown */
	uint32_t lowest_full_hz; /* 0: none */
	double margin;           /* original_hz / lowest_full_hz; NaN */
	double wire_limit_mbit_s;
	double best_mbit_s;
	uint32_t *not_monotonic_hz; /* points above lowest_full_hz that are not full */
	size_t not_monotonic_count;
	int64_t rows;
	double closing_mbit_s, opening_mbit_s; /* median at original_hz: closing baseline
						  and before; NaN */
};

void t1s_report_done(struct t1s_report *r);

/*
 * Builds the report of one results file.
 * @c: [Report] and [DeviceTree] SpiClock= are used; payload length and offered rate come
 * from the rows where they have them, else from the first workload.
 * @controller: SPI controller to assume where the rows do not hold a predicted SCLK;
 * NULL: none is assumed, and the SCLK is unknown.
 * Returns 0, -ENODATA if the file holds no row, or t1s_results_read's errors.
 */
int t1s_report_build(const char *results_path, const struct t1s_config *c,
	const char *controller, struct t1s_report *ret, struct t1s_error *e);

/* Writers; @out stays the caller's. Return 0 or -EIO. */
int t1s_report_write_text(const struct t1s_report *r, FILE *out);
int t1s_report_write_json(const struct t1s_report *r, FILE *out);
