/* SPDX-License-Identifier: MIT */
/* The table of points, as the formats for reading have it. Internal to the room. */
#pragma once

#include "report/report.h"

#define T1S_CELL_MAX 256

struct t1s_column {
	const char *name;
	const char *unit; /* "" */
	bool is_number;
	bool is_detail; /* left out on paper, which is narrow */
	/* Writes the cell of a point; false if it is not known. */
	bool (*cell)(const struct t1s_report *r, size_t i, char ret[T1S_CELL_MAX]);
};

extern const struct t1s_column t1s_columns[];
extern const size_t t1s_columns_count;

/* Whether any point has something in it. */
bool t1s_column_is_used(const struct t1s_column *c, const struct t1s_report *r);
