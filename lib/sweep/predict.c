/* SPDX-License-Identifier: MIT */
#include "sweep/predict.h"

#include "board/livetree.h"
#include "board/spi.h"

#include <stdio.h>

void t1s_predictor_init(struct t1s_predictor *ret, const char *root, uint64_t clk_hz,
	const char *controller)
{
	char board[T1S_COMPATIBLE_MAX];

	(void)snprintf(ret->controller, sizeof(ret->controller), "%s", controller);
	if (clk_hz == 0) {
		t1s_live_board(root, board);
		clk_hz = t1s_spi_clk_hz(board);
	}
	ret->clk_hz = clk_hz;
}

uint32_t t1s_predict_sclk_hz(uint32_t freq_hz, void *data)
{
	const struct t1s_predictor *p = data;

	return t1s_spi_sclk_hz(p->controller, p->clk_hz, freq_hz);
}
