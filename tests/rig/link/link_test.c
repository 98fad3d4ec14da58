/* SPDX-License-Identifier: MIT */
/* The emulated link's decisions, frame by frame, without interfaces or time. */
#include "curve.h"
#include "fault.h"
#include "packet.h"
#include "shaper.h"

#include <arpa/inet.h>
#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#define WIRE_BPS 9538900.0

static bool near(double value, double expected, double tolerance)
{
	return fabs(value - expected) <= tolerance;
}

static struct t1s_packet udp_packet(uint16_t port)
{
	struct t1s_packet p = {.kind = T1S_PACKET_UDP, .payload_bytes = 1448};

	memcpy(p.key.bytes + 34, &port, sizeof(port));
	return p;
}

static struct t1s_packet tcp_packet(size_t payload_bytes)
{
	return (struct t1s_packet){
		.kind = T1S_PACKET_TCP, .payload_bytes = payload_bytes};
}

/* How many of so many datagrams of a flow pass, one each millisecond. */
static unsigned int flood(
	struct t1s_shaper *s, const struct t1s_packet *p, unsigned int datagrams)
{
	unsigned int passed = 0;

	for (unsigned int i = 0; i < datagrams; i++)
		passed += t1s_shaper_decide(s, p, false, i * UINT64_C(1000)) == T1S_PASS;
	return passed;
}

static void of_a_flood_exactly_the_share_passes(void **state)
{
	static const double shares[] = {1, 0.9539, 0.5, 0.0206, 0.00142, 0.00005};
	const unsigned int sent = 20000;
	(void)state;

	for (size_t i = 0; i < sizeof(shares) / sizeof(shares[0]); i++) {
		struct t1s_shaper s;
		struct t1s_packet p = udp_packet(1);
		t1s_shaper_init(&s, WIRE_BPS, 2, 0);
		s.share = shares[i];
		double expected = 2 + shares[i] * (sent - 2);
		double passed = flood(&s, &p, sent);
		assert_true(fabs(passed - expected) <= 1);
	}
}

static void flows_are_counted_apart(void **state)
{
	struct t1s_packet p = udp_packet(1), q = udp_packet(2);
	unsigned int passed = 0;
	struct t1s_shaper s;
	(void)state;

	t1s_shaper_init(&s, WIRE_BPS, 0, 0);
	s.share = 0.5;
	for (unsigned int i = 0; i < 100; i++) {
		assert_int_equal(
			t1s_shaper_decide(&s, &p, false, i), i % 2 ? T1S_PASS : T1S_DROP);
		passed += t1s_shaper_decide(&s, &q, false, i) == T1S_PASS;
	}
	assert_int_equal(passed, 50);
}

static void a_flow_that_was_silent_begins_anew(void **state)
{
	struct t1s_packet p = udp_packet(1);
	struct t1s_shaper s;
	(void)state;

	t1s_shaper_init(&s, WIRE_BPS, 2, 0);
	s.share = 0.0001;
	assert_int_equal(flood(&s, &p, 100), 2);
	assert_int_equal(t1s_shaper_decide(&s, &p, false, UINT64_C(200000)), T1S_DROP);
	assert_int_equal(t1s_shaper_decide(&s, &p, false, UINT64_C(9000000)), T1S_PASS);
}

static void share_0_is_silence_for_everything(void **state)
{
	struct t1s_packet packets[] = {{.kind = T1S_PACKET_OTHER}, udp_packet(1),
		tcp_packet(0), tcp_packet(100)};
	struct t1s_shaper s;
	(void)state;

	t1s_shaper_init(&s, WIRE_BPS, 2, 0);
	for (size_t i = 0; i < sizeof(packets) / sizeof(packets[0]); i++)
		assert_int_equal(t1s_shaper_decide(&s, &packets[i], false, 0), T1S_DROP);
}

static void idle_and_control_traffic_passes_at_the_smallest_share(void **state)
{
	struct t1s_packet arp = {.kind = T1S_PACKET_OTHER}, ack = tcp_packet(0),
			  json = tcp_packet(600);
	struct t1s_shaper s;
	(void)state;

	t1s_shaper_init(&s, WIRE_BPS, 2, 0);
	s.share = 0.00006;
	for (unsigned int i = 0; i < 20; i++) {
		assert_int_equal(t1s_shaper_decide(&s, &arp, false, i), T1S_PASS);
		assert_int_equal(t1s_shaper_decide(&s, &ack, false, i), T1S_PASS);
		assert_int_equal(t1s_shaper_decide(&s, &json, false, i), T1S_PASS);
	}
}

static void tcp_bulk_is_held_to_the_share_of_the_wire_limit(void **state)
{
	struct t1s_packet p = tcp_packet(1448);
	const double share = 0.5, seconds = 20;
	double passed_bytes = 0;
	struct t1s_shaper s;
	(void)state;

	t1s_shaper_init(&s, WIRE_BPS, 2, 0);
	s.share = share;
	for (uint64_t us = 0; (double)us < seconds * 1e6; us += 500)
		if (t1s_shaper_decide(&s, &p, false, us) == T1S_PASS)
			passed_bytes += 1448;
	assert_true(near(passed_bytes * 8 / seconds / (share * WIRE_BPS), 1, 0.01));
}

static void bulk_does_not_overtake_what_is_queued(void **state)
{
	struct t1s_packet p = tcp_packet(1448);
	struct t1s_shaper s;
	(void)state;

	t1s_shaper_init(&s, WIRE_BPS, 2, 0);
	s.share = 1;
	for (unsigned int i = 0; i < 20; i++)
		(void)t1s_shaper_decide(&s, &p, false, 0);
	assert_int_equal(t1s_shaper_decide(&s, &p, false, 500000), T1S_PASS);
	assert_int_equal(t1s_shaper_decide(&s, &p, true, 510000), T1S_QUEUE);
	assert_true(t1s_shaper_take(&s, 1448, 510000));
}

/* Ethernet, IPv4, and what the caller puts behind. */
static size_t build_ipv4(uint8_t *frame, uint8_t protocol, size_t transport_bytes)
{
	static const uint8_t addresses[] = {10, 10, 10, 1, 10, 10, 10, 2};
	uint16_t total = htons((uint16_t)(20 + transport_bytes));

	memset(frame, 0, 14 + 20 + transport_bytes);
	frame[12] = 0x08;
	frame[14] = 0x45;
	memcpy(frame + 16, &total, 2);
	frame[23] = protocol;
	memcpy(frame + 26, addresses, sizeof(addresses));
	return 14 + 20 + transport_bytes;
}

static void packets_are_read(void **state)
{
	uint8_t frame[2048];
	struct t1s_packet p, q;
	(void)state;

	size_t size = build_ipv4(frame, 17, 8 + 100);
	frame[34] = 0x14;
	t1s_packet_read(frame, size, &p);
	assert_int_equal(p.kind, T1S_PACKET_UDP);
	assert_int_equal(p.payload_bytes, 100);
	frame[35]++;
	t1s_packet_read(frame, size, &q);
	assert_memory_not_equal(&p.key, &q.key, sizeof(p.key));

	size = build_ipv4(frame, 6, 20 + 12);
	frame[14 + 20 + 12] = 8 << 4;
	t1s_packet_read(frame, size, &p);
	assert_int_equal(p.kind, T1S_PACKET_TCP);
	assert_int_equal(p.payload_bytes, 0);

	/* padding up to the 60 bytes of the smallest frame is no payload */
	memset(frame + size, 0, 10);
	t1s_packet_read(frame, size + 10, &p);
	assert_int_equal(p.payload_bytes, 0);

	size = build_ipv4(frame, 1, 8);
	t1s_packet_read(frame, size, &p);
	assert_int_equal(p.kind, T1S_PACKET_OTHER);
}

static void a_frame_cut_anywhere_is_read_within_its_bounds(void **state)
{
	uint8_t frame[2048];
	size_t size = build_ipv4(frame, 6, 20 + 100);
	(void)state;

	frame[14 + 20 + 12] = 5 << 4;
	for (size_t cut = 0; cut < size; cut++) {
		uint8_t *copy = malloc(cut ? cut : 1);
		struct t1s_packet p;
		assert_non_null(copy);
		memcpy(copy, frame, cut);
		t1s_packet_read(copy, cut, &p);
		free(copy);
		if (cut < 14 + 20 + 20)
			assert_int_equal(p.kind, T1S_PACKET_OTHER);
	}
}

static void the_curve_is_exact_at_its_points_and_straight_between(void **state)
{
	struct t1s_curve c;
	struct t1s_error e = {0};
	(void)state;

	assert_int_equal(t1s_curve_load(T1S_CURVES "/reference.csv", &c, &e), 0);
	assert_int_equal(c.count, 16);
	assert_true(near(t1s_curve_share(&c, 20000000), 16474.0 / 17270, 1e-6));
	assert_true(near(t1s_curve_share(&c, 5000000), 1.0 / 19856, 1e-6));
	double low = t1s_curve_share(&c, 9000000), high = t1s_curve_share(&c, 10000000);
	assert_true(near(t1s_curve_share(&c, 9500000), (low + high) / 2, 1e-9));
	assert_true(near(t1s_curve_share(&c, 25000000), 16474.0 / 17270, 1e-6));
	assert_true(near(t1s_curve_share(&c, 1000), 1.0 / 19856, 1e-6));
}

/* Writes a temporary file and hands its name to the caller, who removes it. */
static void write_file(char path[64], const char *text)
{
	(void)snprintf(path, 64, "/tmp/t1s-link-test.XXXXXX");
	int fd = mkstemp(path);
	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, strlen(text)), strlen(text));
	close(fd);
}

static void a_bad_curve_is_refused_with_its_line(void **state)
{
	static const char *const bad[] = {"spi_hz,share\n20000000,1.5\n",
		"spi_hz,share\n20M,0.5\n", "spi_hz,share\n20000000\n", "spi_hz,share\n"};
	(void)state;

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct t1s_curve c;
		struct t1s_error e = {0};
		char path[64];
		write_file(path, bad[i]);
		assert_int_equal(t1s_curve_load(path, &c, &e), -EINVAL);
		unlink(path);
		if (i < 3)
			assert_non_null(strstr(e.text, "line 2"));
	}
}

static void faults_are_read_and_a_missing_file_is_a_sound_link(void **state)
{
	struct t1s_faults f = {.duplicate = 9};
	struct t1s_error e = {0};
	char path[64];
	(void)state;

	write_file(path, "silent=ab\nreorder=5\nflap=30,70\n");
	assert_int_equal(t1s_faults_load(path, &f, &e), 0);
	assert_true(t1s_faults_silent(&f, true, 0));
	assert_false(t1s_faults_silent(&f, false, 29000));
	assert_true(t1s_faults_silent(&f, false, 30000));
	assert_int_equal(f.reorder, 5);
	assert_int_equal(f.duplicate, 0);
	unlink(path);

	assert_int_equal(t1s_faults_load(path, &f, &e), 0);
	assert_int_equal(f.reorder, 0);

	write_file(path, "silent=sometimes\n");
	assert_int_equal(t1s_faults_load(path, &f, &e), -EINVAL);
	unlink(path);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(of_a_flood_exactly_the_share_passes),
		cmocka_unit_test(flows_are_counted_apart),
		cmocka_unit_test(a_flow_that_was_silent_begins_anew),
		cmocka_unit_test(share_0_is_silence_for_everything),
		cmocka_unit_test(idle_and_control_traffic_passes_at_the_smallest_share),
		cmocka_unit_test(tcp_bulk_is_held_to_the_share_of_the_wire_limit),
		cmocka_unit_test(bulk_does_not_overtake_what_is_queued),
		cmocka_unit_test(packets_are_read),
		cmocka_unit_test(a_frame_cut_anywhere_is_read_within_its_bounds),
		cmocka_unit_test(the_curve_is_exact_at_its_points_and_straight_between),
		cmocka_unit_test(a_bad_curve_is_refused_with_its_line),
		cmocka_unit_test(faults_are_read_and_a_missing_file_is_a_sound_link),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
