/* SPDX-License-Identifier: MIT */
/*
 * The rows of a results file, sorted into workloads and points as they come: the first
 * half of building a report. Internal to the room.
 */
#pragma once

#include "base/values.h"
#include "report/report.h"

/* Runs at one requested frequency. */
struct t1s_gathered_point {
	uint32_t freq_hz;
	uint32_t sclk_hz;    /* 0: unknown */
	unsigned int failed; /* runs that do not count */
	double asked_mbit_s;
	struct t1s_values received, lost, jitter, offered, cpu;
	struct {
		double sum;
		size_t rows; /* that know it */
	} means[T1S_MEANS];
};

/* One workload in one direction. */
struct t1s_gathered_series {
	char workload[T1S_NAME_MAX], direction[16]; /* as in the file */
	char compatible[T1S_COMPATIBLE_MAX];        /* of the chip; "" */
	char boot_id[40];                           /* of the row before */
	bool told;                                  /* the conditions of that boot */
	char rate_text[24];                         /* of the row before */
	double rate_mbit_s;                         /* what it says */
	double configured_mbit_s;
	struct t1s_report head; /* all that is known but the points */
	struct t1s_gathered_point *points;
	size_t count, room;
	size_t last;    /* point of the row before */
	int32_t *index; /* by a hash of the frequency: into points, or -1 */
	struct t1s_values opening, closing;
	struct t1s_values first_pass; /* at the original: opening if there is no other */
};

struct t1s_gathered {
	struct t1s_gathered_series *series;
	size_t count;
};

void t1s_gathered_done(struct t1s_gathered *g);

/* Prepares a series to have points. Returns 0 or -ENOMEM. */
int t1s_gathered_index(struct t1s_gathered_series *s);

/* The point at a frequency, made if it is a new one. Returns 0, -E2BIG, -ENOMEM. */
int t1s_gathered_find(
	struct t1s_gathered_series *s, uint32_t freq_hz, struct t1s_gathered_point **ret);

/* Reads a file. Arguments and errors are t1s_report_add's. */
int t1s_gather(const char *results_path, const struct t1s_config *c,
	const char *controller, struct t1s_gathered *ret, struct t1s_error *e);
