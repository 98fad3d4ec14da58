/* SPDX-License-Identifier: MIT */
#include "board/spi.h"

#include "base/cleanup.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#define BCM "brcm,bcm2835-spi"
#define DW "snps,dw-apb-ssi"

static void table_of_a_200_mhz_clock_has_eleven_clocks_for_sixteen_requests(void **state)
{
	static const struct {
		uint32_t request_mhz, sclk_hz;
	} rows[] = {
		{20, 20000000},
		{19, 16666666},
		{18, 16666666},
		{17, 16666666},
		{16, 14285714},
		{15, 14285714},
		{14, 12500000},
		{13, 12500000},
		{12, 11111111},
		{11, 10000000},
		{10, 10000000},
		{9, 8333333},
		{8, 7692307},
		{7, 6666666},
		{6, 5882352},
		{5, 5000000},
	};

	(void)state;
	for (size_t i = 0; i < T1S_ELEMENTSOF(rows); i++) {
		uint32_t request_hz = rows[i].request_mhz * 1000000;

		assert_int_equal(
			t1s_spi_sclk_hz(DW, 200000000, request_hz), rows[i].sclk_hz);
		assert_int_equal(
			t1s_spi_sclk_hz(BCM, 200000000, request_hz), rows[i].sclk_hz);
	}
}

/*
 * The rules as they are: SCLK is clk divided by an even number between 2 and @most, never
 * above the request unless the largest divider or, for a request above clk/2, the
 * smallest is reached; and the next smaller even divider would be above the request.
 */
static void check_rules(
	const char *controller, uint64_t clk_hz, uint32_t request_hz, uint64_t most)
{
	uint64_t sclk_hz = t1s_spi_sclk_hz(controller, clk_hz, request_hz);
	uint64_t divider;

	assert_true(sclk_hz > 0);
	/* several dividers can give one whole-number SCLK; the smallest is enough here */
	divider = clk_hz / (sclk_hz + 1) + 1;
	divider += divider % 2;
	assert_int_equal(clk_hz / divider, sclk_hz);
	assert_in_range(divider, 2, most);
	if (sclk_hz != clk_hz / most && request_hz < clk_hz / 2)
		assert_true(sclk_hz <= request_hz);
	if (divider > 2)
		assert_true(clk_hz / (divider - 2) >= request_hz);
}

static void every_request_follows_the_driver_s_rule(void **state)
{
	static const uint64_t clocks[] = {200000000, 250000000, 400000000, 500000000};

	(void)state;
	for (size_t i = 0; i < T1S_ELEMENTSOF(clocks); i++) {
		uint32_t last_bcm = 0, last_dw = 0;

		/* steps of 1 kHz, and one off them */
		for (uint32_t f = 1000; f <= 125000000; f += f % 2 ? 999 : 1) {
			uint32_t bcm = t1s_spi_sclk_hz(BCM, clocks[i], f);
			uint32_t dw = t1s_spi_sclk_hz(DW, clocks[i], f);

			check_rules(BCM, clocks[i], f, 65536);
			check_rules(DW, clocks[i], f, 65534);
			/* a higher request never gives a lower clock */
			assert_true(bcm >= last_bcm && dw >= last_dw);
			last_bcm = bcm;
			last_dw = dw;
		}
	}
}

static void limits_of_the_dividers_hold(void **state)
{
	(void)state;
	assert_int_equal(t1s_spi_sclk_hz(BCM, 500000000, UINT32_MAX), 250000000);
	assert_int_equal(t1s_spi_sclk_hz(BCM, 500000000, 250000000), 250000000);
	assert_int_equal(t1s_spi_sclk_hz(BCM, 500000000, 249999999), 125000000);
	assert_int_equal(t1s_spi_sclk_hz(BCM, 500000000, 1), 500000000 / 65536);
	assert_int_equal(t1s_spi_sclk_hz(DW, 200000000, UINT32_MAX), 100000000);
	assert_int_equal(t1s_spi_sclk_hz(DW, 200000000, 1), 200000000 / 65534);
}

static void what_is_not_known_is_0(void **state)
{
	(void)state;
	assert_int_equal(t1s_spi_sclk_hz("fsl,imx-spi", 200000000, 20000000), 0);
	assert_int_equal(t1s_spi_sclk_hz("", 200000000, 20000000), 0);
	assert_int_equal(t1s_spi_sclk_hz(BCM, 0, 20000000), 0);
	assert_int_equal(t1s_spi_sclk_hz(DW, 0, 20000000), 0);
	assert_int_equal(t1s_spi_sclk_hz(DW, 200000000, 0), 0);
	assert_int_equal(t1s_spi_sclk_hz(BCM, UINT64_MAX, 20000000), 0);
	assert_int_equal(t1s_spi_clk_hz("rockchip,rk3588"), 0);
	assert_int_equal(t1s_spi_clk_hz(""), 0);
}

static void boards_have_their_nominal_clock(void **state)
{
	(void)state;
	assert_int_equal(t1s_spi_clk_hz("raspberrypi,4-model-b"), 500000000);
	assert_int_equal(t1s_spi_clk_hz("raspberrypi,400"), 500000000);
	assert_int_equal(t1s_spi_clk_hz("raspberrypi,4-compute-module"), 500000000);
	assert_int_equal(t1s_spi_clk_hz("raspberrypi,3-model-b-plus"), 400000000);
	assert_int_equal(t1s_spi_clk_hz("raspberrypi,3-compute-module"), 400000000);
	assert_int_equal(t1s_spi_clk_hz("raspberrypi,model-zero-2-w"), 400000000);
	assert_int_equal(t1s_spi_clk_hz("raspberrypi,model-zero-w"), 250000000);
	assert_int_equal(t1s_spi_clk_hz("raspberrypi,2-model-b"), 250000000);
	assert_int_equal(t1s_spi_clk_hz("raspberrypi,model-b-plus"), 250000000);
	assert_int_equal(t1s_spi_clk_hz("raspberrypi,compute-module"), 250000000);
	assert_int_equal(t1s_spi_clk_hz("raspberrypi,5-model-b"), 200000000);
	assert_int_equal(t1s_spi_clk_hz("raspberrypi,500"), 200000000);
}

static void close_to(double found, double expected)
{
	assert_true(fabs(found - expected) <= expected * 1e-9);
}

static double tc6_ceiling_bps(uint32_t sclk_hz, uint32_t payload_bytes)
{
	const struct t1s_spi_framing tc6 = {.kind = T1S_FRAMING_TC6};

	return t1s_spi_ceiling_bps(&tc6, sclk_hz, payload_bytes);
}

static void tc6_ceiling_counts_whole_chunks(void **state)
{
	(void)state;
	/* 1448 B: frame of 1494 B, 24 chunks, 13056 bits for 11584 */
	close_to(tc6_ceiling_bps(20000000, 1448), 20e6 * 11584 / 13056);
	/* 1490 B of frame is 24 chunks too, 1537 B would be 25 */
	close_to(tc6_ceiling_bps(20000000, 1472), 20e6 * 11776 / 13056);
	/* one chunk is the least, however short the datagram */
	close_to(tc6_ceiling_bps(1000000, 1), 1e6 * 8 / 544);
	close_to(tc6_ceiling_bps(1000000, 18), 1e6 * 144 / 544);
	close_to(tc6_ceiling_bps(1000000, 19), 1e6 * 152 / 1088);
	assert_true(tc6_ceiling_bps(20000000, 0) == 0);
	assert_true(tc6_ceiling_bps(0, 1448) == 0);
}

static void tc6_ceiling_counts_each_fragment_s_headers(void **state)
{
	(void)state;
	/* 1473 B: one frame of 1518 B (24 chunks) and one of 1 B, padded (1 chunk) */
	close_to(tc6_ceiling_bps(1000000, 1473), 1e6 * 11784 / (25 * 544));
}

static void a_frame_at_a_time_costs_its_overhead_and_is_filled_up(void **state)
{
	const struct t1s_spi_framing plain = {
		.kind = T1S_FRAMING_FRAMES, .overhead_bytes = 31};
	const struct t1s_spi_framing filled = {.kind = T1S_FRAMING_FRAMES,
		.overhead_bytes = 17,
		.inner_bytes = 6,
		.align_bytes = 4};

	(void)state;
	assert_int_equal(t1s_spi_frame_bytes(&plain, 1476), 31 + 1490);
	assert_int_equal(t1s_spi_frame_bytes(&filled, 1476), 17 + 1496);
	assert_int_equal(t1s_spi_frame_bytes(&filled, 1477), 17 + 1500);
	assert_int_equal(t1s_spi_frame_bytes(&filled, 1480), 17 + 1500);
	/* a short frame is padded: 46 B of payload at least */
	assert_int_equal(t1s_spi_frame_bytes(&plain, 29), 31 + 60);
	assert_int_equal(t1s_spi_frame_bytes(&plain, 46), 31 + 60);
	assert_int_equal(t1s_spi_frame_bytes(&plain, 47), 31 + 61);
}

static void a_frame_at_a_time_s_ceiling_counts_each_fragment(void **state)
{
	const struct t1s_spi_framing f = {
		.kind = T1S_FRAMING_FRAMES, .overhead_bytes = 31};

	(void)state;
	close_to(t1s_spi_ceiling_bps(&f, 33000000, 1448), 33e6 * 1448 / 1521);
	close_to(t1s_spi_ceiling_bps(&f, 1000000, 1473), 1e6 * 1473 / (1545 + 91));
}

static void tcp_goes_in_full_segments(void **state)
{
	const struct t1s_spi_framing tc6 = {.kind = T1S_FRAMING_TC6};
	const struct t1s_spi_framing plain = {
		.kind = T1S_FRAMING_FRAMES, .overhead_bytes = 31};

	(void)state;
	close_to(t1s_spi_ceiling_tcp_bps(&tc6, 10000000), 10e6 * 1448 / (24 * 68));
	close_to(t1s_spi_ceiling_tcp_bps(&plain, 33000000), 33e6 * 1448 / (31 + 1514));
}

static void an_unknown_framing_has_no_ceiling(void **state)
{
	const struct t1s_spi_framing f = {.overhead_bytes = 31};

	(void)state;
	assert_int_equal(t1s_spi_frame_bytes(&f, 1476), 0);
	assert_true(t1s_spi_ceiling_bps(&f, 20000000, 1448) == 0);
	assert_true(t1s_spi_ceiling_tcp_bps(&f, 20000000) == 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			table_of_a_200_mhz_clock_has_eleven_clocks_for_sixteen_requests),
		cmocka_unit_test(every_request_follows_the_driver_s_rule),
		cmocka_unit_test(limits_of_the_dividers_hold),
		cmocka_unit_test(what_is_not_known_is_0),
		cmocka_unit_test(boards_have_their_nominal_clock),
		cmocka_unit_test(tc6_ceiling_counts_whole_chunks),
		cmocka_unit_test(tc6_ceiling_counts_each_fragment_s_headers),
		cmocka_unit_test(a_frame_at_a_time_costs_its_overhead_and_is_filled_up),
		cmocka_unit_test(a_frame_at_a_time_s_ceiling_counts_each_fragment),
		cmocka_unit_test(tcp_goes_in_full_segments),
		cmocka_unit_test(an_unknown_framing_has_no_ceiling),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
