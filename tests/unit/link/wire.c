/* SPDX-License-Identifier: MIT */
#include "link/wire.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static void assert_near(double found, double expected, double tolerance)
{
	assert_float_equal((float)(fabs(found - expected) / tolerance), 0.0F, 1.0F);
}

static void reference_datagram_has_the_documented_limits(void **state)
{
	(void)state;
	assert_near(t1s_wire_limit_udp_bps(10e6, 1448, 0, 0), 9.5641e6, 50);
	assert_near(t1s_wire_limit_udp_bps(10e6, 1448, 32, 0), 9.5389e6, 50);
	/* exactly: 1448 * 8 payload bits in 12112 and 12144 bit times */
	assert_near(t1s_wire_limit_udp_bps(10e6, 1448, 0, 0), 10e6 * 11584 / 12112, 0.01);
	assert_near(
		t1s_wire_limit_udp_bps(10e6, 1448, 32, 0), 10e6 * 11584 / 12144, 0.01);
}

static void classic_frame_rates_of_fast_ethernet_hold(void **state)
{
	(void)state;
	assert_int_equal((int)t1s_wire_frames_per_s(100e6, 46, 0, 0), 148809);
	assert_int_equal((int)t1s_wire_frames_per_s(100e6, 1500, 0, 0), 8127);
}

static void short_payload_is_padded(void **state)
{
	(void)state;
	assert_near(t1s_wire_frames_per_s(100e6, 1, 0, 0),
		t1s_wire_frames_per_s(100e6, 46, 0, 0), 0.001);
	/* 18 B is the last UDP payload that is free of charge */
	assert_near(t1s_wire_limit_udp_bps(10e6, 18, 0, 0), 10e6 * 18 * 8 / 672, 0.01);
	assert_near(t1s_wire_limit_udp_bps(10e6, 1, 0, 0), 10e6 * 8 / 672, 0.01);
	assert_near(t1s_wire_limit_udp_bps(10e6, 19, 0, 0), 10e6 * 19 * 8 / 680, 0.01);
}

static void tag_costs_four_bytes_but_not_of_padding(void **state)
{
	(void)state;
	assert_near(t1s_wire_limit_udp_bps(10e6, 1448, 0, 1), 10e6 * 11584 / 12144, 0.01);
	assert_near(t1s_wire_frames_per_s(100e6, 42, 0, 1),
		t1s_wire_frames_per_s(100e6, 46, 0, 0), 0.001);
}

static void long_datagram_pays_for_each_fragment(void **state)
{
	(void)state;
	/* 1472 B fill one frame; one byte more needs a second, padded one */
	assert_near(
		t1s_wire_limit_udp_bps(10e6, 1472, 0, 0), 10e6 * 1472 * 8 / 12304, 0.01);
	assert_near(t1s_wire_limit_udp_bps(10e6, 1473, 0, 0),
		10e6 * 1473 * 8 / (12304 + 672), 0.01);
	assert_near(t1s_wire_limit_udp_bps(10e6, 2 * 1480 - 8, 32, 0),
		10e6 * 2952 * 8 / (2 * 12336), 0.01);
	assert_true(t1s_wire_limit_udp_bps(10e6, UINT32_MAX, 0, 0) < 10e6);
}

static void no_payload_gives_nothing(void **state)
{
	(void)state;
	assert_true(t1s_wire_limit_udp_bps(10e6, 0, 0, 0) == 0.0);
}

static void tcp_fills_frames_with_1448_bytes(void **state)
{
	(void)state;
	/* exactly: 1448 * 8 payload bits in (1500 + 38) * 8 bit times */
	assert_near(t1s_wire_limit_tcp_bps(10e6, 0, 0, 0), 10e6 * 11584 / 12304, 0.01);
	assert_near(t1s_wire_limit_tcp_bps(10e6, 32, 0, 0), 10e6 * 11584 / 12336, 0.01);
	assert_near(t1s_wire_limit_tcp_bps(10e6, 0, 1, 0), 10e6 * 11584 / 12336, 0.01);
	/* the well-known figure of Fast Ethernet */
	assert_near(t1s_wire_limit_tcp_bps(100e6, 0, 0, 0), 94.15e6, 0.01e6);
}

static void acknowledgements_cost_time_on_a_shared_medium(void **state)
{
	(void)state;
	/* two segments, one silent opportunity, one frame of 52 B */
	assert_near(t1s_wire_limit_tcp_bps(10e6, 32, 0, 2),
		10e6 * 2 * 11584 / (2 * 12304 + 32 + 720), 0.01);
	assert_near(t1s_wire_limit_tcp_bps(10e6, 32, 0, 2), 9.1356e6, 50);
	assert_near(t1s_wire_limit_tcp_bps(10e6, 0, 0, 2),
		10e6 * 2 * 11584 / (2 * 12304 + 720), 0.01);
	/* two silent nodes: the acknowledgement fills one of the gaps */
	assert_near(t1s_wire_limit_tcp_bps(10e6, 64, 0, 1),
		10e6 * 11584 / (12304 + 32 + 720), 0.01);
	/* fewer acknowledgements, nearer to none */
	assert_true(t1s_wire_limit_tcp_bps(10e6, 32, 0, 16) >
		    t1s_wire_limit_tcp_bps(10e6, 32, 0, 2));
	assert_true(t1s_wire_limit_tcp_bps(10e6, 32, 0, 16) <
		    t1s_wire_limit_tcp_bps(10e6, 32, 0, 0));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(reference_datagram_has_the_documented_limits),
		cmocka_unit_test(classic_frame_rates_of_fast_ethernet_hold),
		cmocka_unit_test(short_payload_is_padded),
		cmocka_unit_test(tag_costs_four_bytes_but_not_of_padding),
		cmocka_unit_test(long_datagram_pays_for_each_fragment),
		cmocka_unit_test(no_payload_gives_nothing),
		cmocka_unit_test(tcp_fills_frames_with_1448_bytes),
		cmocka_unit_test(acknowledgements_cost_time_on_a_shared_medium),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
