/* SPDX-License-Identifier: MIT */
/* Parts that sentences are made of. Internal to the room. */
#pragma once

#include "report/report.h"

/* One sentence while it is being made. */
struct t1s_sentence {
	FILE *f;
	size_t listed;
};

typedef void (*t1s_sentence_fn)(const struct t1s_report *r, struct t1s_sentence *s);

double t1s_mhz(uint32_t hz);

/* One more element of a list: false for those that are only counted, since they are too
 * many. */
bool t1s_list_next(struct t1s_sentence *s, const char *separator);
void t1s_list_end(struct t1s_sentence *s);

typedef bool (*t1s_point_is_fn)(const struct t1s_report *r, size_t i, const void *data);

/* Lists the points that are so, "20.000, 15.000 to 13.000 MHz". Returns the first one's
 * index, or r->count if there is none, and then nothing is written. */
size_t t1s_list_points(const struct t1s_report *r, struct t1s_sentence *s,
	t1s_point_is_fn is, const void *data);

/* Sentences on what should be looked at twice: tables ended by NULL. */
extern const t1s_sentence_fn t1s_doubts[];

/* Sentences on what was not tested, or is not known; the same. */
extern const t1s_sentence_fn t1s_limits[];
