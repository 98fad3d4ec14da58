/* SPDX-License-Identifier: MIT */
/* Predicted SCLK for this board: which controller, which input clock. */
#pragma once

#include <stdint.h>

struct t1s_predictor {
	char controller[128]; /* compatible of the SPI controller; "" unknown */
	uint64_t clk_hz;      /* 0 unknown */
};

/*
 * @clk_hz: from the configuration, 0: nominal value by the board of the live tree.
 * @controller: as the live node tells it.
 */
void t1s_predictor_init(struct t1s_predictor *ret, const char *root, uint64_t clk_hz,
	const char *controller);

/* Predicted SCLK in Hz, 0 if unknown. @data: a struct t1s_predictor. The form that
 * t1s_plan_make takes. */
uint32_t t1s_predict_sclk_hz(uint32_t freq_hz, void *data);
