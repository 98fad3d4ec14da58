/* SPDX-License-Identifier: MIT */
/*
 * A search for the knee as a sweep: its candidates and its growing plan in the state, its
 * decisions (sweep/knee.h) from the results. Internal to the room.
 */
#pragma once

#include "base/error.h"
#include "sweep/config.h"
#include "sweep/progress.h"
#include "sweep/state.h"

#include <stddef.h>
#include <stdint.h>

/* Whether the sweep is a search. */
bool t1s_search_is_on(const struct t1s_state *s);

/*
 * Makes the plan of a sweep that begins, and what its search chooses from, if the
 * configuration asks for one. Parameters and errors as those of t1s_plan_make.
 */
int t1s_search_make(const struct t1s_config *c, uint64_t seed,
	uint32_t (*sclk_hz)(uint32_t freq_hz, void *data), void *data,
	struct t1s_state *s, struct t1s_error *e);

/* The most runs at one point. */
unsigned int t1s_search_repeats_max(const struct t1s_config *c);

/*
 * Decides by the samples of @p, which hold those of the current point, and its done runs
 * of the first workload. Returns 0 or -ENOMEM.
 */
int t1s_search_ask(const struct t1s_progress *p, const struct t1s_state *s,
	const struct t1s_config *c, struct t1s_knee_next *ret);

/*
 * Once the current point is measured: puts the next one into the plan behind it, if the
 * search goes on. Returns 0, -E2BIG or -ENOMEM.
 */
int t1s_search_extend(struct t1s_state *s, const struct t1s_knee_next *next);

/* "limited (8.79 to 8.81 Mbit/s, full from 8.87)": the point just measured. */
void t1s_search_describe(const struct t1s_knee_next *next, char *ret, size_t size);

/* The answer as one sentence without a full stop. */
void t1s_search_answer(const struct t1s_state *s, const struct t1s_knee_next *next,
	char *ret, size_t size);
