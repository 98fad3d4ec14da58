/* SPDX-License-Identifier: MIT */
/* Simulated links, and the search run on them: shared by the tests of sweep/knee.h. */
#pragma once

#include "sweep/knee.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>
#include <math.h>
#include <string.h>

#define CANDIDATES_MAX 64
#define BOOTS_MAX ((size_t)T1S_KNEE_BOOTS_MAX * CANDIDATES_MAX)
#define REPEATS_MIN 3
#define REPEATS_MAX 9

/* Index of a frequency in MHz in the reference. */
#define AT_MHZ(f) ((size_t)(20 - (f)))

struct sim {
	/* the link */
	struct t1s_candidate candidates[CANDIDATES_MAX];
	double rate[CANDIDATES_MAX];
	size_t count;
	double full_share;
	/* what spoils it: a factor for each boot, and one for each run */
	double (*boot_factor)(struct sim *s, size_t boot, size_t candidate);
	double boot_scatter, run_scatter;
	unsigned int failing_every; /* runs; 0: none */
	uint64_t seed;
	/* what happened */
	struct t1s_knee_boot boots[BOOTS_MAX];
	size_t boots_count;
	unsigned int runs;
	struct t1s_knee_next end;
};

void sim_release(struct sim *s);

/* 0 to 1, and normal; from the seed. */
double sim_uniform(struct sim *s);
double sim_normal(struct sim *s);

/* The reference sweep: 20 to 5 MHz, each request a clock of its own. */
void sim_reference(struct sim *s);

/* Full down to the candidate @knee, then falling with the clock. */
void sim_step(struct sim *s, size_t count, size_t knee);

struct t1s_knee_next sim_ask(const struct sim *s);

/* Runs a search to its end, which must come, within bounds. */
void sim_search(struct sim *s);

/* How many boots there were at a candidate. */
size_t sim_boots_at(const struct sim *s, size_t candidate);
