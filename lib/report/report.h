/* SPDX-License-Identifier: MIT */
/*
 * The report: from the rows of sweeps to an answer. One model, built here, and one writer
 * per format, so that all formats say the same.
 */
#pragma once

#include "base/error.h"
#include "base/values.h"
#include "sweep/audit.h"
#include "sweep/config.h"
#include "sweep/results.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define T1S_REPORT_POINTS_MAX 10000  /* different frequencies of one workload */
#define T1S_REPORT_ROWS_MAX 4000000L /* of one file */
#define T1S_REPORT_FILES_MAX 16
#define T1S_REPORT_SERIES_MAX 16    /* workloads and directions of one file */
#define T1S_REPORT_SAMPLES_MAX 1000 /* more runs of a point are not told one by one */

/* What a point is, compared with the best median of its workload. */
enum t1s_verdict {
	T1S_VERDICT_FULL,      /* from [Report] Full= */
	T1S_VERDICT_LIMITED,   /* from [Report] Severe= */
	T1S_VERDICT_SEVERE,    /* from the collapse line, [Sweep] CollapseBelow= */
	T1S_VERDICT_COLLAPSED, /* below it */
	T1S_VERDICT_UNDECIDED, /* full or not: its runs do not tell */
	T1S_VERDICT_UNKNOWN,   /* no believable run */
};

/* What holds a point's rate down: see report/bound.h. */
enum t1s_bound {
	T1S_BOUND_WIRE,
	T1S_BOUND_SPI,
	T1S_BOUND_CPU,
	T1S_BOUND_SENDER,
	T1S_BOUND_UNKNOWN,
};

/* How received_interval is made; for all formats. */
#define T1S_INTERVAL_METHOD "95 % confidence interval of the mean, by Student's t"

/* "full", …, NULL for T1S_VERDICT_UNKNOWN. */
const char *t1s_verdict_name(enum t1s_verdict v);
/* "wire", …, NULL for T1S_BOUND_UNKNOWN. */
const char *t1s_bound_name(enum t1s_bound b);

/* A set of values that falls into two: see report/groups.h. */
struct t1s_groups {
	size_t low_count, high_count; /* 0, 0: it does not */
	double low, high;             /* means */
};

/* What is told as a mean over a point's runs. */
enum t1s_mean {
	T1S_MEAN_LOST_PACKETS,
	T1S_MEAN_CPU_BUSY,        /* % of all cores */
	T1S_MEAN_CPU_SYSTEM,      /* % of all cores */
	T1S_MEAN_CPU_SOFTIRQ,     /* % of all cores */
	T1S_MEAN_IRQ_SPI,         /* interrupts per second, of the SPI controller */
	T1S_MEAN_IRQ_MAC,         /* interrupts per second, of the MAC-PHY */
	T1S_MEAN_SPI_ERRORS,      /* per run, time-outs included */
	T1S_MEAN_RX_DROPPED,      /* frames per run, by the interface */
	T1S_MEAN_SOFTNET_DROPPED, /* packets per run */
	T1S_MEANS,
};

/* All runs at one requested frequency. Rates in Mbit/s; unknown is NaN. */
struct t1s_report_point {
	uint32_t spi_requested_hz;  /* 0: unknown */
	uint32_t sclk_predicted_hz; /* 0: unknown */
	unsigned int runs;          /* that count: OK, and NO_DATA and NO_LINK as zero */
	unsigned int failed;        /* that do not */
	double received_mbit_s;     /* median */
	double received_min, received_max;
	struct t1s_interval received_interval; /* 95 % confidence interval of the mean */
	double lost_percent;                   /* median of the known ones */
	double jitter_ms;                      /* median */
	double offered_mbit_s;                 /* median of what the sender sent */
	double asked_mbit_s;                   /* what it was asked to send */
	double cpu_core_percent;   /* median of the busiest core's system + softirq */
	double means[T1S_MEANS];   /* of the rows that know it */
	double wire_share;         /* received / wire limit */
	double spi_ceiling_mbit_s; /* NaN: SCLK or framing unknown */
	enum t1s_verdict verdict;
	enum t1s_bound bound_by;
	char bound_because[224];  /* the figures that it rests on; "" without a run */
	bool repeats_disagree;    /* the smallest and the largest run alone would be given
				     different verdicts */
	struct t1s_groups groups; /* its runs', of their rate */
	bool on_plateau;          /* full, or undecided */
	bool lower_group;         /* it is in the lower of two groups of full points */
	bool reads_as_next; /* and as the point below it, where rates fall and SCLK is not
			       known: as one clock would */
	/* received rates of the runs, rising; of more than T1S_REPORT_SAMPLES_MAX, some
	 */
	double *samples;
	size_t samples_count;
};

/* One thing that the measurement was made with: "kernel", "6.6.31". */
struct t1s_condition_line {
	const char *name; /* static */
	char value[160];
	bool changed; /* other rows tell something else; @value is the first */
};

#define T1S_CONDITIONS_MAX 32

/* One workload in one direction, of one file. */
struct t1s_report {
	struct t1s_report_point *points; /* by falling frequency */
	size_t count;

	/* What was measured; text is fit to be shown, "" where unknown. */
	size_t file;         /* index of the file it is from */
	char file_name[128]; /* the sweep's id, or the file's name where it has none */
	char sweep_id[T1S_SWEEP_ID_MAX];
	char host[65]; /* that received: the first row's */
	char overlay[128];
	char workload[T1S_NAME_MAX];
	char protocol[16]; /* "udp", "tcp", "frames" (bare Ethernet) */
	char direction[16];
	char first_timestamp[T1S_TIMESTAMP_MAX], last_timestamp[T1S_TIMESTAMP_MAX];
	int clock_synchronised; /* 1, 0: not at every row, -1: unknown */
	uint32_t length_bytes;
	int64_t rows;       /* of the file */
	int64_t own_rows;   /* of these: of this workload and direction */
	int64_t other_rows; /* of these: more than T1S_REPORT_SERIES_MAX, left out */
	int64_t boots;      /* changes of the boot id, plus one; 0: unknown */
	int64_t passes;     /* highest one; 0: unknown */
	int64_t seed;       /* -1: not shuffled, or unknown */
	double temperature_min_c, temperature_max_c; /* NaN */
	struct t1s_condition_line conditions[T1S_CONDITIONS_MAX];
	size_t conditions_count;

	/* What it is compared with. */
	double full_share, severe_share, collapse_share; /* of the best median */
	double link_rate_mbit_s;
	uint32_t plca_overhead_bits;
	double wire_limit_mbit_s;
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
	struct t1s_groups
		plateau;        /* of the full points' medians, where frequency does not
				   explain them: a slower one is in the upper group */
	uint32_t *undecided_hz; /* points that are full or not */
	size_t undecided_count;
	double opening_mbit_s;     /* median of the opening baseline, else of pass 1 at
				      original_hz; NaN */
	double closing_mbit_s;     /* median of the closing baseline; NaN */
	unsigned int closing_runs; /* rows of it, believable or not */

	/* Boots that measured something else than those before, see sweep/audit.h. */
	unsigned int unlike_boots;
	char unlike[T1S_AUDIT_TEXT_MAX]; /* what the first of them had otherwise */
};

/* The reports of one or several files, in the order of reading. Start from {0}. */
struct t1s_report_list {
	struct t1s_report *reports;
	size_t count;
	size_t files;
};

/* Releases what t1s_report_add returned; for use with cleanup_(). */
void t1s_report_list_done(struct t1s_report_list *l);

/*
 * Adds the reports of one results file: one for each workload and direction in it, in the
 * order in which they first appear.
 * @c: [Report], CollapseBelow= (the verdict's line stays at its default where this is 0),
 * Compatible= and SpiClock= are used (of a chip that is known, and not the configured
 * one, its own link rate); payload length, asked rate and protocol come from the rows
 * where they have them, else from the workload of that name, else the first (but for the
 * rate, where the rows name another).
 * @controller: SPI controller to assume, clocked at @c->spi_clk_hz, where the rows do not
 * hold a predicted SCLK; NULL, or a clock of 0: none, and the SCLK is unknown.
 * Counted as zero throughput: NO_DATA, NO_LINK, and DRIVER_DEAD where seen again (attempt
 * 2 and later). Rows of pass 0 are the baselines and no part of a point: the opening one
 * as point 1, the closing one otherwise. A file without original_hz began at the original
 * setting: its first row's request is taken. Memory is 8 bytes for each value that a row
 * holds of: received, lost, jitter, offered, CPU. Returns 0; -ENODATA if the file holds
 * no row; -ENOTUNIQ if it holds rows of several sweeps; -E2BIG above the maxima; or
 * t1s_results_read's errors. @l is as it was on failure.
 */
int t1s_report_add(struct t1s_report_list *l, const char *results_path,
	const struct t1s_config *c, const char *controller, struct t1s_error *e);

/*
 * Keeps the reports of this workload only. Returns 0, or -ENODATA with the names that
 * there are in the text; @l is as it was then.
 */
int t1s_report_keep_workload(
	struct t1s_report_list *l, const char *workload, struct t1s_error *e);

/* What tells a report from the others of its list: host, file, workload, direction, as
 * far as they differ; "" for the only one. Returns @ret. */
#define T1S_REPORT_LABEL_MAX 256
const char *t1s_report_label(const struct t1s_report_list *l, const struct t1s_report *r,
	char ret[T1S_REPORT_LABEL_MAX]);

/* Of the closing baseline against the opening one, in per cent; NaN. */
double t1s_report_drift_percent(const struct t1s_report *r);

/* Whether that is more than 2 % either way: worth a warning. */
bool t1s_report_has_drifted(const struct t1s_report *r);

/*
 * Number of neighbouring points from @first on that share its predicted SCLK: requests
 * that the controller's divider turns into one clock. At least 1; 1 where it is unknown.
 */
size_t t1s_report_same_clock(const struct t1s_report *r, size_t first);

/* Whether a point shares its clock with a neighbour: predicted, or read off. */
bool t1s_report_is_one_clock(const struct t1s_report *r, size_t i);

/* The answer in two sentences for somebody who decides and does not measure. */
int t1s_report_in_short(const struct t1s_report *r, FILE *out);

/*
 * What was not tested, or is not known, in sentences, as the next function. A reader who
 * wants to rely on the answer has to know these.
 */
int t1s_report_limits(const struct t1s_report *r,
	int (*fn)(const char *sentence, void *data), void *data);

/*
 * The answer in sentences: @fn is called for each, in the order of reading. A negative
 * return ends it with that value. Returns 0 or -ENOMEM.
 */
int t1s_report_sentences(const struct t1s_report *r,
	int (*fn)(const char *sentence, void *data), void *data);

/* A format, and who writes it. */
struct t1s_report_format {
	const char *name;
	/* one of the two; the second where what went wrong must be said */
	int (*write)(const struct t1s_report_list *l, FILE *out);
	int (*write_or_say)(
		const struct t1s_report_list *l, FILE *out, struct t1s_error *e);
	bool binary; /* nothing for a terminal */
};

/* All there are; ends with one without a name. A new one is a line of the table in
 * format.c, and whatever writes it. */
extern const struct t1s_report_format t1s_report_formats[];

/* NULL if there is no such format. */
const struct t1s_report_format *t1s_report_format_of(const char *name);

/*
 * Writes the reports. @out stays the caller's. Returns 0, -EIO or -ENOMEM; for the plot
 * alone also -ENOENT (no gnuplot), -ENODATA (nothing that can be drawn), -ETIMEDOUT. A
 * page without its plot says why, and is none the worse.
 */
int t1s_report_write(const struct t1s_report_list *l, const struct t1s_report_format *f,
	FILE *out, struct t1s_error *e);

/* The writers by themselves. Return 0 or -EIO, -ENOMEM. */
int t1s_report_write_text(const struct t1s_report_list *l, FILE *out);
int t1s_report_write_json(const struct t1s_report_list *l, FILE *out);
int t1s_report_write_markdown(const struct t1s_report_list *l, FILE *out);
int t1s_report_write_html(const struct t1s_report_list *l, FILE *out);
/* OpenMetrics 1.0 of types that Prometheus' text format has, too; what is not known is
 * left out. */
int t1s_report_write_openmetrics(const struct t1s_report_list *l, FILE *out);
/* Cases that pass or fail, see report/cases.h: JUnit's XML, LAVA's signals. */
int t1s_report_write_junit(const struct t1s_report_list *l, FILE *out);
int t1s_report_write_lava(const struct t1s_report_list *l, FILE *out);
