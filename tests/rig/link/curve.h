/* SPDX-License-Identifier: MIT */
/*
 * The link's curve: which share of a flood gets through at which SPI frequency. A CSV
 * file with the header spi_hz,share; lines starting with # are comments; order is free.
 */
#pragma once

#include "base/error.h"

#include <stddef.h>
#include <stdint.h>

#define T1S_CURVE_MAX 512

struct t1s_curve {
	size_t count;
	struct {
		uint32_t freq_hz;
		double share;    /* 0 to 1 */
	} points[T1S_CURVE_MAX]; /* by rising frequency */
};

/* Reads a curve. Returns 0 or a negative errno with file and line in the text. */
int t1s_curve_load(const char *path, struct t1s_curve *ret, struct t1s_error *e);

/*
 * The share at a frequency: that of the point if there is one, else on the straight line
 * between its neighbours; beyond the ends that of the nearest end.
 */
double t1s_curve_share(const struct t1s_curve *c, uint32_t freq_hz);
