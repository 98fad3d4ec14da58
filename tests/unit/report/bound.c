/* SPDX-License-Identifier: MIT */
#include "points.h"

#include <string.h>

static void assert_because(const struct t1s_report_point *p, const char *words)
{
	if (!strstr(p->bound_because, words))
		fail_msg("\"%s\" is not in \"%s\"", words, p->bound_because);
}

static void wire_tells_the_share_of_its_limit(void **state)
{
	struct t1s_report_point p[] = {at(20, 9.5389, NULL)};
	cleanup_(judged_done) struct t1s_report r = judged(p, 1);

	(void)state;
	assert_int_equal(r.count, 1);
	assert_int_equal(p[0].bound_by, T1S_BOUND_WIRE);
	assert_because(
		&p[0], "9.539 Mbit/s are 100.0 % of the wire limit of 9.5389 Mbit/s");
}

static void sender_that_offers_less_than_asked_binds(void **state)
{
	struct t1s_report_point p[] = {at(20, 4.9, NULL), at(19, 4.9, NULL)};
	cleanup_(judged_done) struct t1s_report r = {0};

	(void)state;
	p[0].asked_mbit_s = p[1].asked_mbit_s = 10;
	p[0].offered_mbit_s = 4.9;
	p[1].offered_mbit_s = 8; /* but much of it was lost */
	r = judged(p, 2);
	assert_int_equal(r.count, 2);
	assert_int_equal(p[0].bound_by, T1S_BOUND_SENDER);
	assert_because(&p[0], "offered 4.900 of the 10.000 Mbit/s asked for");
	assert_int_equal(p[1].bound_by, T1S_BOUND_UNKNOWN);
}

static void sender_binds_without_a_wire_limit_too(void **state)
{
	struct t1s_report_point p[] = {at(20, 5, NULL)};
	struct t1s_report r = report_of(p, 1);

	(void)state;
	p[0].asked_mbit_s = 10;
	p[0].offered_mbit_s = 5;
	r.wire_limit_mbit_s = NAN;
	t1s_report_bound(&r, NULL);
	assert_int_equal(p[0].bound_by, T1S_BOUND_SENDER);
}

static void more_than_was_asked_for_is_not_held_back_by_the_sender(void **state)
{
	struct t1s_report_point p[] = {at(20, 9, NULL)};
	struct t1s_report r = report_of(p, 1);

	(void)state;
	p[0].asked_mbit_s = p[0].offered_mbit_s = 5;
	t1s_report_bound(&r, NULL);
	assert_int_equal(p[0].bound_by, T1S_BOUND_UNKNOWN);
}

static void tcp_offers_what_it_was_asked_for(void **state)
{
	struct t1s_report_point p[] = {at(20, 4.9, NULL), at(10, 4.9, NULL)};
	struct t1s_report r = report_of(p, 2);

	(void)state;
	(void)snprintf(r.protocol, sizeof(r.protocol), "tcp");
	p[0].offered_mbit_s = 4.9; /* what was acknowledged: says nothing */
	p[1].offered_mbit_s = 4.9;
	p[1].asked_mbit_s = 5;
	t1s_report_bound(&r, NULL);
	assert_int_equal(p[0].bound_by, T1S_BOUND_UNKNOWN);
	assert_int_equal(p[1].bound_by, T1S_BOUND_SENDER);
}

static void core_without_room_binds_before_the_spi(void **state)
{
	struct t1s_report_point p[] = {at(10, 7, NULL), at(9, 5, NULL)};
	cleanup_(judged_done) struct t1s_report r = {0};

	(void)state;
	p[0].spi_ceiling_mbit_s = p[1].spi_ceiling_mbit_s = 8;
	p[0].cpu_core_percent = 90;
	p[1].cpu_core_percent = 89.9;
	r = judged(p, 2);
	assert_int_equal(r.count, 2);
	assert_int_equal(p[0].bound_by, T1S_BOUND_CPU);
	assert_because(&p[0], "90 % in system and softirq");
	assert_int_equal(p[1].bound_by, T1S_BOUND_SPI);
}

/* 20, 11.111 and 10 MHz of SCLK, without a known ceiling. */
static void three_clocks(struct t1s_report_point p[3])
{
	p[0] = at(20, 9.539, NULL);
	p[1] = at(12, 8.722, NULL);
	p[2] = at(10, 7.1, NULL);
	p[0].sclk_predicted_hz = 20000000;
	p[1].sclk_predicted_hz = 11111111;
	p[2].sclk_predicted_hz = 10000000;
}

static void rate_that_falls_with_the_clock_is_bound_by_spi_if_the_cpu_has_room(
	void **state)
{
	struct t1s_report_point p[3];
	cleanup_(judged_done) struct t1s_report r = {0};

	(void)state;
	three_clocks(p);
	p[1].cpu_core_percent = 40;
	r = judged(p, 3);
	assert_int_equal(r.count, 3);
	assert_int_equal(p[1].bound_by, T1S_BOUND_SPI);
	assert_because(&p[1], "8.722 Mbit/s at an SCLK of 11.111 MHz, 9.539 at 20.000");
	assert_because(&p[1], "at 40 %");
	assert_int_equal(p[2].bound_by, T1S_BOUND_UNKNOWN); /* its CPU is not known */
	assert_because(&p[2], "CPU load not known");
}

static void dip_above_a_slower_clock_that_carries_more_is_not_the_spi(void **state)
{
	struct t1s_report_point p[3];
	cleanup_(judged_done) struct t1s_report r = {0};

	(void)state;
	three_clocks(p);
	p[2] = at(10, 9.3, NULL);
	p[2].sclk_predicted_hz = 10000000;
	p[1].cpu_core_percent = 40;
	r = judged(p, 3);
	assert_int_equal(r.count, 3);
	assert_int_equal(p[1].bound_by, T1S_BOUND_UNKNOWN);
}

static void rate_that_another_clock_carries_too_is_not_bound_by_spi(void **state)
{
	struct t1s_report_point p[] = {at(33, 4.5, NULL), at(16, 4.5, NULL)};
	struct t1s_report r = report_of(p, 2);

	(void)state;
	r.wire_limit_mbit_s = 94;
	p[0].spi_ceiling_mbit_s = 32;
	p[1].spi_ceiling_mbit_s = 15;
	t1s_report_bound(&r, NULL);
	assert_int_equal(p[0].bound_by, T1S_BOUND_UNKNOWN);
	assert_int_equal(p[1].bound_by, T1S_BOUND_UNKNOWN);
	assert_because(
		&p[1], "not the SPI clock: 4.500 Mbit/s at 16.000 MHz, 4.500 at 33");
}

/* With an even divider, 19 and 16 MHz may be one clock, 33 and 16 cannot be. */
static void requests_that_may_be_one_clock_prove_nothing(void **state)
{
	struct t1s_report_point p[] = {at(19, 4.5, NULL), at(16, 4.5, NULL)};
	struct t1s_report r = report_of(p, 2);

	(void)state;
	p[0].spi_ceiling_mbit_s = p[1].spi_ceiling_mbit_s = 8;
	t1s_report_bound(&r, NULL);
	assert_int_equal(p[1].bound_by, T1S_BOUND_SPI);
}

static void rate_above_the_ceiling_disproves_the_ceiling(void **state)
{
	struct t1s_report_point p[] = {at(10, 9.2, NULL)};
	cleanup_(judged_done) struct t1s_report r = {0};

	(void)state;
	p[0].spi_ceiling_mbit_s = 8.87;
	r = judged(p, 1);
	assert_int_equal(r.count, 1);
	assert_true(t1s_report_above_ceiling(&p[0]));
	assert_int_equal(p[0].bound_by, T1S_BOUND_UNKNOWN);
}

static void point_without_a_run_is_bound_by_nothing(void **state)
{
	struct t1s_report_point p[] = {at(10, NAN, NULL)};
	cleanup_(judged_done) struct t1s_report r = judged(p, 1);

	(void)state;
	assert_int_equal(r.count, 1);
	assert_int_equal(p[0].bound_by, T1S_BOUND_UNKNOWN);
	assert_string_equal(p[0].bound_because, "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(wire_tells_the_share_of_its_limit),
		cmocka_unit_test(sender_that_offers_less_than_asked_binds),
		cmocka_unit_test(sender_binds_without_a_wire_limit_too),
		cmocka_unit_test(more_than_was_asked_for_is_not_held_back_by_the_sender),
		cmocka_unit_test(tcp_offers_what_it_was_asked_for),
		cmocka_unit_test(core_without_room_binds_before_the_spi),
		cmocka_unit_test(
			rate_that_falls_with_the_clock_is_bound_by_spi_if_the_cpu_has_room),
		cmocka_unit_test(
			dip_above_a_slower_clock_that_carries_more_is_not_the_spi),
		cmocka_unit_test(rate_that_another_clock_carries_too_is_not_bound_by_spi),
		cmocka_unit_test(requests_that_may_be_one_clock_prove_nothing),
		cmocka_unit_test(rate_above_the_ceiling_disproves_the_ceiling),
		cmocka_unit_test(point_without_a_run_is_bound_by_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
