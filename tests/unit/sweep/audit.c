/* SPDX-License-Identifier: MIT */
#include "sweep/audit.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static struct t1s_row reference, row;
static char text[T1S_AUDIT_TEXT_MAX];

/* A row of which everything that is compared is known. */
static struct t1s_row full_row(void)
{
	struct t1s_row r;

	t1s_row_init(&r);
	(void)snprintf(r.board, sizeof(r.board), "Raspberry Pi 4 Model B Rev 1.4");
	(void)snprintf(r.kernel, sizeof(r.kernel), "6.6.31");
	(void)snprintf(r.overlay, sizeof(r.overlay), "BE-IIS-HPP-T1S-I");
	(void)snprintf(r.overlay_sha256, sizeof(r.overlay_sha256),
		"0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef");
	(void)snprintf(r.compatible, sizeof(r.compatible), "microchip,lan8651");
	(void)snprintf(r.driver, sizeof(r.driver), "lan8650");
	(void)snprintf(r.driver_version, sizeof(r.driver_version), "1.0");
	(void)snprintf(r.interface, sizeof(r.interface), "t1s0");
	(void)snprintf(r.receiver_ip, sizeof(r.receiver_ip), "10.10.10.2");
	(void)snprintf(r.sender_ip, sizeof(r.sender_ip), "10.10.10.1");
	(void)snprintf(r.qdisc, sizeof(r.qdisc), "pfifo_fast");
	(void)snprintf(r.plca, sizeof(r.plca), "on");
	(void)snprintf(r.sender_kernel, sizeof(r.sender_kernel), "6.6.31");
	(void)snprintf(r.sender_plca, sizeof(r.sender_plca), "on");
	(void)snprintf(r.cpu_governor, sizeof(r.cpu_governor), "ondemand");
	(void)snprintf(r.iperf_receiver, sizeof(r.iperf_receiver), "iperf 3.12");
	(void)snprintf(r.iperf_sender, sizeof(r.iperf_sender), "iperf 3.12");
	(void)snprintf(r.mac_address, sizeof(r.mac_address), "02:00:00:00:00:01");
	r.mtu = 1500;
	r.plca_node_id = 1;
	r.plca_node_count = r.sender_plca_node_count = 2;
	r.plca_to_timer_bits = 32;
	r.plca_burst_count = 0;
	r.plca_operating = r.sender_plca_operating = 1;
	r.sender_plca_node_id = 0;
	return r;
}

static int set_up(void **state)
{
	(void)state;
	t1s_row_init(&reference);
	row = full_row();
	t1s_audit_learn(&reference, &row);
	return 0;
}

static void differs_in(unsigned int count, const char *expected)
{
	assert_int_equal(t1s_audit_compare(&reference, &row, text), count);
	assert_string_equal(text, expected);
}

static void a_boot_like_the_first_has_no_difference(void **state)
{
	(void)state;
	differs_in(0, "");
}

static void each_difference_is_named_with_both_values(void **state)
{
	(void)state;
	(void)snprintf(row.kernel, sizeof(row.kernel), "6.12.20");
	differs_in(1, "kernel 6.12.20 (was 6.6.31)");
	row.plca_node_id = 3;
	(void)snprintf(row.cpu_governor, sizeof(row.cpu_governor), "powersave");
	differs_in(3, "kernel 6.12.20 (was 6.6.31), plca_node_id 3 (was 1), "
		      "cpu_governor powersave (was ondemand)");
}

static void a_digest_is_told_by_its_beginning(void **state)
{
	(void)state;
	row.overlay_sha256[0] = 'f';
	differs_in(1, "overlay_sha256 f123456789ab (was 0123456789ab)");
}

/* Whatever is compared, is: each alone, so that none can be forgotten. */
static void every_audited_column_is_compared(void **state)
{
	char *const texts[] = {row.board, row.kernel, row.overlay, row.overlay_sha256,
		row.compatible, row.driver, row.driver_version, row.interface,
		row.receiver_ip, row.sender_ip, row.qdisc, row.plca, row.sender_kernel,
		row.sender_plca, row.cpu_governor, row.iperf_receiver, row.iperf_sender};
	int64_t *const counts[] = {&row.mtu, &row.plca_node_id, &row.plca_node_count,
		&row.plca_to_timer_bits, &row.plca_burst_count, &row.plca_operating,
		&row.sender_plca_node_id, &row.sender_plca_node_count,
		&row.sender_plca_operating};

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		row = full_row();
		texts[i][0] = '~';
		assert_int_equal(t1s_audit_compare(&reference, &row, text), 1);
	}
	for (size_t i = 0; i < sizeof(counts) / sizeof(counts[0]); i++) {
		row = full_row();
		*counts[i] += 7;
		assert_int_equal(t1s_audit_compare(&reference, &row, text), 1);
	}
}

static void another_mac_address_or_frequency_is_no_difference(void **state)
{
	(void)state;
	(void)snprintf(row.mac_address, sizeof(row.mac_address), "02:00:00:00:00:99");
	row.spi_requested_hz = 5000000;
	row.live_hz = 5000000;
	row.cpu_freq_hz = 600000000;
	row.temperature_c = 80;
	differs_in(0, "");
}

static void what_one_of_them_does_not_know_is_no_difference(void **state)
{
	(void)state;
	t1s_row_init(&row);
	differs_in(0, "");
	t1s_row_init(&reference);
	row = full_row();
	differs_in(0, "");
}

static void the_first_row_that_knows_it_counts(void **state)
{
	(void)state;
	t1s_row_init(&reference);
	row = full_row();
	row.plca[0] = row.driver[0] = '\0';
	row.mtu = -1;
	t1s_audit_learn(&reference, &row);
	row = full_row();
	(void)snprintf(row.kernel, sizeof(row.kernel), "other");
	t1s_audit_learn(&reference, &row);
	assert_string_equal(reference.kernel, "6.6.31");
	assert_string_equal(reference.plca, "on");
	assert_int_equal(reference.mtu, 1500);
	row.mtu = 1400;
	differs_in(2, "kernel other (was 6.6.31), mtu 1400 (was 1500)");
}

static void a_list_that_is_too_long_is_cut(void **state)
{
	(void)state;
	t1s_row_init(&row);
	memset(row.board, 'x', sizeof(row.board) - 1);
	memset(row.kernel, 'x', sizeof(row.kernel) - 1);
	memset(row.overlay, 'x', sizeof(row.overlay) - 1);
	memset(row.compatible, 'x', sizeof(row.compatible) - 1);
	memset(row.driver, 'x', sizeof(row.driver) - 1);
	memset(row.driver_version, 'x', sizeof(row.driver_version) - 1);
	memset(row.sender_kernel, 'x', sizeof(row.sender_kernel) - 1);
	memset(row.receiver_ip, 'x', sizeof(row.receiver_ip) - 1);
	memset(row.sender_ip, 'x', sizeof(row.sender_ip) - 1);
	memset(row.qdisc, 'x', sizeof(row.qdisc) - 1);
	assert_int_equal(t1s_audit_compare(&reference, &row, text), 10);
	assert_int_equal(strlen(text), T1S_AUDIT_TEXT_MAX - 1);
}

#define TEST(f) cmocka_unit_test_setup(f, set_up)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_boot_like_the_first_has_no_difference),
		TEST(each_difference_is_named_with_both_values),
		TEST(a_digest_is_told_by_its_beginning),
		TEST(every_audited_column_is_compared),
		TEST(another_mac_address_or_frequency_is_no_difference),
		TEST(what_one_of_them_does_not_know_is_no_difference),
		TEST(the_first_row_that_knows_it_counts),
		TEST(a_list_that_is_too_long_is_cut),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
