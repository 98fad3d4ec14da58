/* SPDX-License-Identifier: MIT */
#include "base/cleanup.h"
#include "scratch.h"

#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define REFERENCE T1S_TEST_DATA "/samples/be-iis-t1s-spi-sweep.csv"

static struct t1s_row row_at(uint32_t mhz, enum t1s_run_status status, double rate)
{
	struct t1s_row row;

	t1s_row_init(&row);
	(void)snprintf(row.timestamp, sizeof(row.timestamp), "2026-07-14T22:09:18+01:00");
	(void)snprintf(row.overlay, sizeof(row.overlay), "BE-IIS-HPP-T1S-I");
	(void)snprintf(row.sweep_id, sizeof(row.sweep_id), "s1");
	(void)snprintf(row.workload, sizeof(row.workload), "default");
	(void)snprintf(row.protocol, sizeof(row.protocol), "udp");
	(void)snprintf(row.udp_target, sizeof(row.udp_target), "10M");
	row.status = status;
	row.spi_requested_hz = mhz * MHZ;
	row.received_mbit_s = rate;
	row.lost_percent = status == T1S_RUN_OK ? 1 : NAN;
	row.pass = 1;
	row.repeat = 1;
	row.attempt = 1;
	row.original_hz = 20000000;
	return row;
}

static void append(const struct scratch *s, const struct t1s_row *row)
{
	struct t1s_error e = {0};

	if (t1s_results_append(s->path, row, &e) != 0)
		fail_msg("%s", e.text);
}

static void append_run(
	const struct scratch *s, uint32_t mhz, enum t1s_run_status status, double rate)
{
	const struct t1s_row row = row_at(mhz, status, rate);

	append(s, &row);
}

static const struct t1s_report_point *point_at(const struct t1s_report *r, uint32_t mhz)
{
	for (size_t i = 0; i < r->count; i++)
		if (r->points[i].spi_requested_hz == mhz * MHZ)
			return &r->points[i];
	fail_msg("no point at %u MHz", mhz);
	return NULL;
}

static void reference_sweep_gives_the_reference_values(void **state)
{
	cleanup_(report_done) struct t1s_report r = built_by_default(REFERENCE);

	(void)state;
	assert_int_equal(r.count, 16);
	assert_int_equal(r.rows, 16);
	for (uint32_t mhz = 5; mhz <= 20; mhz++)
		assert_int_equal(
			point_at(&r, mhz)->verdict, mhz >= 13   ? T1S_VERDICT_FULL
						    : mhz >= 10 ? T1S_VERDICT_LIMITED
						    : mhz >= 8  ? T1S_VERDICT_SEVERE
								: T1S_VERDICT_COLLAPSED);
	assert_int_equal(r.lowest_full_hz, 13 * MHZ);
	assert_int_equal(r.original_hz, 20 * MHZ);
	assert_true(r.margin == 20.0 / 13.0);
	assert_int_equal(lround(r.wire_limit_mbit_s * 1e4), 95389);
	assert_int_equal(lround(r.best_mbit_s / r.wire_limit_mbit_s * 1000), 1000);
	assert_int_equal(r.not_monotonic_count, 0);
	assert_int_equal(r.length_bytes, 1448);
	assert_int_equal(r.specified_min_hz, 15 * MHZ);
	assert_int_equal(r.clock_synchronised, -1);
	assert_string_equal(r.overlay, "BE-IIS-HPP-T1S-I");
	assert_string_equal(r.first_timestamp, "2026-07-14T22:09:18+01:00");
	assert_string_equal(r.last_timestamp, "2026-07-14T22:51:37+01:00");
}

static void reference_points_stand_by_falling_frequency_as_measured(void **state)
{
	cleanup_(report_done) struct t1s_report r = built_by_default(REFERENCE);

	(void)state;
	for (size_t i = 0; i < r.count; i++) {
		assert_int_equal(r.points[i].spi_requested_hz, (20 - i) * MHZ);
		assert_int_equal(r.points[i].runs, 1);
		assert_int_equal(r.points[i].failed, 0);
	}
	assert_true(r.points[0].received_mbit_s == 9.538953);
	assert_true(r.points[0].lost_percent == 4.60914881297047);
	assert_true(r.points[0].jitter_ms == 0.057408192176391565);
	assert_true(r.points[0].asked_mbit_s == 10);
	assert_true(isnan(r.points[0].offered_mbit_s));
	assert_int_equal(r.points[0].sclk_predicted_hz, 0);
	assert_int_equal(r.points[0].bound_by, T1S_BOUND_WIRE);
	assert_int_equal(r.points[1].bound_by, T1S_BOUND_UNKNOWN);
	assert_true(isnan(r.closing_mbit_s));
	assert_true(r.opening_mbit_s == 9.538953);
}

static void assumed_controller_groups_requests_and_finds_the_spi_bound(void **state)
{
	cleanup_(report_done) struct t1s_report r = {0};
	struct t1s_config c;

	(void)state;
	t1s_config_defaults(&c);
	c.spi_clk_hz = 200000000;
	r = built(REFERENCE, &c, "snps,dw-apb-ssi");
	assert_int_equal(point_at(&r, 20)->sclk_predicted_hz, 20 * MHZ);
	assert_int_equal(point_at(&r, 11)->sclk_predicted_hz, 10 * MHZ);
	assert_int_equal(point_at(&r, 10)->sclk_predicted_hz, 10 * MHZ);
	assert_int_equal(t1s_report_same_clock(&r, 1), 3); /* 19, 18, 17 */
	assert_int_equal(t1s_report_same_clock(&r, 9), 2); /* 11, 10 */
	assert_int_equal(point_at(&r, 10)->bound_by, T1S_BOUND_SPI);
	assert_int_equal(point_at(&r, 19)->bound_by, T1S_BOUND_UNKNOWN);
	assert_int_equal(point_at(&r, 13)->bound_by, T1S_BOUND_WIRE);
	assert_int_equal(lround(point_at(&r, 10)->spi_ceiling_mbit_s * 1000), 8873);
}

static void silence_counts_as_zero_and_failures_do_not_count(void **state)
{
	const struct scratch *s = *state;
	cleanup_(report_done) struct t1s_report r = {0};
	struct t1s_row dead = row_at(15, T1S_RUN_DRIVER_DEAD, NAN);

	append_run(s, 20, T1S_RUN_OK, 9.5);
	append_run(s, 19, T1S_RUN_NO_DATA, NAN);
	append_run(s, 18, T1S_RUN_NO_LINK, NAN);
	append_run(s, 17, T1S_RUN_FAILED, 9.9);
	append_run(s, 16, T1S_RUN_WRONG_PATH, 9.9);
	append(s, &dead);
	dead.spi_requested_hz = 14 * MHZ;
	append(s, &dead);
	dead.attempt = 2;
	append(s, &dead);
	r = built_by_default(s->path);
	for (uint32_t mhz = 18; mhz <= 19; mhz++) {
		assert_int_equal(point_at(&r, mhz)->runs, 1);
		assert_true(point_at(&r, mhz)->received_mbit_s == 0);
		assert_true(isnan(point_at(&r, mhz)->lost_percent));
		assert_int_equal(point_at(&r, mhz)->verdict, T1S_VERDICT_COLLAPSED);
	}
	for (uint32_t mhz = 15; mhz <= 17; mhz++) {
		assert_int_equal(point_at(&r, mhz)->runs, 0);
		assert_int_equal(point_at(&r, mhz)->failed, 1);
		assert_true(isnan(point_at(&r, mhz)->received_mbit_s));
		assert_int_equal(point_at(&r, mhz)->verdict, T1S_VERDICT_UNKNOWN);
	}
	assert_int_equal(point_at(&r, 14)->runs, 1);
	assert_int_equal(point_at(&r, 14)->failed, 1);
	assert_true(point_at(&r, 14)->received_mbit_s == 0);
}

static void repeats_and_passes_give_one_median(void **state)
{
	const struct scratch *s = *state;
	cleanup_(report_done) struct t1s_report r = {0};
	struct t1s_row row = row_at(13, T1S_RUN_OK, 9.4);

	append_run(s, 20, T1S_RUN_OK, 9.5);
	row.clock_synchronised = 0;
	append_run(s, 13, T1S_RUN_OK, 9.2);
	append_run(s, 13, T1S_RUN_FAILED, 1);
	row.pass = 2;
	append(s, &row);
	row.clock_synchronised = 1;
	row.received_mbit_s = 2;
	row.pass = 3;
	append(s, &row);
	r = built_by_default(s->path);
	assert_int_equal(point_at(&r, 13)->runs, 3);
	assert_int_equal(point_at(&r, 13)->failed, 1);
	assert_true(point_at(&r, 13)->received_mbit_s == 9.2);
	assert_true(point_at(&r, 13)->received_min == 2);
	assert_true(point_at(&r, 13)->received_max == 9.4);
	assert_true(point_at(&r, 13)->samples[1] == 9.2);
	assert_true(point_at(&r, 13)->repeats_disagree);
	assert_false(point_at(&r, 20)->repeats_disagree);
	assert_int_equal(r.clock_synchronised, 0); /* at one row it was not */
}

static void closing_baseline_is_no_part_of_its_point(void **state)
{
	const struct scratch *s = *state;
	cleanup_(report_done) struct t1s_report r = {0};
	struct t1s_row row = row_at(20, T1S_RUN_OK, 7);

	append_run(s, 20, T1S_RUN_OK, 9.5);
	append_run(s, 20, T1S_RUN_OK, 9.3);
	append_run(s, 19, T1S_RUN_OK, 9.4);
	row.pass = 2;
	append(s, &row); /* nor is a later pass the opening */
	row.pass = 0;
	row.received_mbit_s = 8.5;
	append(s, &row);
	r = built_by_default(s->path);
	assert_int_equal(r.count, 2);
	assert_int_equal(r.rows, 5);
	assert_int_equal(point_at(&r, 20)->runs, 3);
	assert_true(r.closing_mbit_s == 8.5);
	assert_int_equal(r.closing_runs, 1);
	assert_true(fabs(r.opening_mbit_s - 9.4) < 1e-9);
}

static void opening_baseline_is_told_from_the_closing_one_by_its_place(void **state)
{
	const struct scratch *s = *state;
	cleanup_(report_done) struct t1s_report r = {0};
	struct t1s_row row = row_at(20, T1S_RUN_OK, 9);

	row.pass = 0;
	row.point = 1;
	append(s, &row);
	append_run(s, 10, T1S_RUN_OK, 7);
	append_run(s, 20, T1S_RUN_OK, 9.5); /* a point of the pass, no baseline */
	row.point = 4;
	row.received_mbit_s = 8;
	append(s, &row);
	r = built_by_default(s->path);
	assert_int_equal(r.count, 2);
	assert_int_equal(point_at(&r, 20)->runs, 1);
	assert_true(r.opening_mbit_s == 9);
	assert_true(r.closing_mbit_s == 8);
	assert_int_equal(r.closing_runs, 1);
}

static void closing_baseline_alone_leaves_no_point(void **state)
{
	const struct scratch *s = *state;
	cleanup_(report_done) struct t1s_report r = {0};
	struct t1s_row row = row_at(20, T1S_RUN_FAILED, NAN);

	row.pass = 0;
	append(s, &row);
	r = built_by_default(s->path);
	assert_int_equal(r.count, 0);
	assert_int_equal(r.closing_runs, 1);
	assert_true(isnan(r.closing_mbit_s));
	assert_true(isnan(r.best_mbit_s));
}

static void rows_of_two_sweeps_are_refused(void **state)
{
	const struct scratch *s = *state;
	struct t1s_row row = row_at(19, T1S_RUN_OK, 9.5);
	struct t1s_report_list l = {0};
	struct t1s_error e = {0};
	struct t1s_config c;

	t1s_config_defaults(&c);
	append_run(s, 20, T1S_RUN_OK, 9.5);
	(void)snprintf(row.sweep_id, sizeof(row.sweep_id), "s2");
	append(s, &row);
	assert_int_equal(t1s_report_add(&l, s->path, &c, NULL, &e), -ENOTUNIQ);
	assert_non_null(strstr(e.text, "\"s1\""));
	assert_non_null(strstr(e.text, "\"s2\""));
	assert_int_equal(l.count, 0); /* as it was */
}

static void each_workload_and_direction_has_its_own_report(void **state)
{
	const struct scratch *s = *state;
	cleanup_(t1s_report_list_done) struct t1s_report_list l = {0};
	struct t1s_row row = row_at(20, T1S_RUN_OK, 1);
	char label[T1S_REPORT_LABEL_MAX];

	append_run(s, 20, T1S_RUN_OK, 9.5);
	(void)snprintf(row.workload, sizeof(row.workload), "small");
	row.length_bytes = 64;
	(void)snprintf(row.direction, sizeof(row.direction), "receive");
	append(s, &row);
	(void)snprintf(row.direction, sizeof(row.direction), "send");
	row.received_mbit_s = 2;
	append(s, &row);
	append_run(s, 19, T1S_RUN_OK, 9.4);
	l = listed_by_default(s->path);
	assert_int_equal(l.count, 3);
	assert_int_equal(l.files, 1);
	assert_string_equal(l.reports[0].workload, "default");
	assert_int_equal(l.reports[0].count, 2);
	assert_int_equal(l.reports[0].rows, 4);
	assert_int_equal(l.reports[0].own_rows, 2);
	assert_string_equal(l.reports[1].workload, "small");
	assert_string_equal(l.reports[1].direction, "receive");
	assert_int_equal(l.reports[1].length_bytes, 64);
	assert_true(l.reports[2].points[0].received_mbit_s == 2);
	assert_string_equal(t1s_report_label(&l, &l.reports[2], label), "small, send");
}

static void directions_at_once_share_the_wire(void **state)
{
	const struct scratch *s = *state;
	cleanup_(t1s_report_list_done) struct t1s_report_list l = {0};
	struct t1s_row row = row_at(20, T1S_RUN_OK, 5.5);

	(void)snprintf(row.direction, sizeof(row.direction), "receive");
	append(s, &row);
	(void)snprintf(row.direction, sizeof(row.direction), "send");
	row.received_mbit_s = 4;
	append(s, &row);
	l = listed_by_default(s->path);
	assert_int_equal(l.reports[0].points[0].bound_by, T1S_BOUND_WIRE);
	assert_int_equal(l.reports[1].points[0].bound_by, T1S_BOUND_WIRE);
	assert_non_null(strstr(l.reports[0].points[0].bound_because,
		"5.500 Mbit/s, and 4.000 the other way, are 99.6 %"));
}

static void several_files_are_told_apart_by_sweep_or_name(void **state)
{
	const struct scratch *s = *state;
	cleanup_(t1s_report_list_done) struct t1s_report_list l = {0};
	char label[T1S_REPORT_LABEL_MAX];
	struct t1s_error e = {0};
	struct t1s_config c;

	append_run(s, 20, T1S_RUN_OK, 9.5);
	t1s_config_defaults(&c);
	assert_int_equal(t1s_report_add(&l, REFERENCE, &c, NULL, &e), 0);
	assert_string_equal(t1s_report_label(&l, &l.reports[0], label), "");
	assert_int_equal(t1s_report_add(&l, s->path, &c, NULL, &e), 0);
	assert_int_equal(l.files, 2);
	assert_string_equal(
		t1s_report_label(&l, &l.reports[0], label), "be-iis-t1s-spi-sweep.csv");
	assert_string_equal(t1s_report_label(&l, &l.reports[1], label), "s1");
	assert_int_equal(t1s_report_add(&l, s->path, &c, NULL, &e), 0);
	assert_string_equal(t1s_report_label(&l, &l.reports[2], label), "s1 (3)");
}

static void rows_know_better_than_the_configuration(void **state)
{
	const struct scratch *s = *state;
	cleanup_(report_done) struct t1s_report r = {0};
	struct t1s_row row = row_at(16, T1S_RUN_OK, 4);
	struct t1s_config c;

	t1s_config_defaults(&c);
	c.spi_clk_hz = 200000000;
	row.length_bytes = 100;
	row.sclk_predicted_hz = 15625000;
	row.offered_mbit_s = 4.9;
	(void)snprintf(row.udp_target, sizeof(row.udp_target), "5M");
	append(s, &row);
	r = built(s->path, &c, "snps,dw-apb-ssi");
	assert_int_equal(r.original_hz, 20 * MHZ); /* not the first row's request */
	assert_int_equal(r.length_bytes, 100);
	assert_int_equal(r.points[0].sclk_predicted_hz, 15625000);
	assert_true(r.points[0].asked_mbit_s == 5);
	assert_true(r.points[0].offered_mbit_s == 4.9);
	/* 100 B cost 166 B and 32 bits on the wire */
	assert_int_equal(lround(r.wire_limit_mbit_s * 1e4),
		lround(10.0 * 800 / (166 * 8 + 32) * 1e4));
}

static void tcp_rows_have_a_wire_limit_with_acknowledgements(void **state)
{
	const struct scratch *s = *state;
	cleanup_(report_done) struct t1s_report r = {0};
	struct t1s_row row = row_at(20, T1S_RUN_OK, 9);

	(void)snprintf(row.protocol, sizeof(row.protocol), "tcp");
	append(s, &row);
	r = built_by_default(s->path);
	assert_int_equal(lround(r.wire_limit_mbit_s * 1e4), 91356);
	assert_int_equal(r.points[0].verdict, T1S_VERDICT_FULL);
	assert_int_equal(r.points[0].bound_by, T1S_BOUND_WIRE);
}

static void verdict_line_stays_where_the_sweep_never_ends_early(void **state)
{
	cleanup_(report_done) struct t1s_report r = {0};
	struct t1s_config c;

	(void)state;
	t1s_config_defaults(&c);
	c.collapse_below = 0;
	r = built(REFERENCE, &c, NULL);
	assert_true(r.collapse_share == 0.05);
	assert_int_equal(point_at(&r, 7)->verdict, T1S_VERDICT_COLLAPSED);
	assert_int_equal(point_at(&r, 8)->verdict, T1S_VERDICT_SEVERE);
}

static void shares_come_from_the_configuration(void **state)
{
	cleanup_(report_done) struct t1s_report r = {0};
	struct t1s_config c;

	(void)state;
	t1s_config_defaults(&c);
	c.full_share = 0.99;
	c.severe_share = 0.90;
	c.collapse_below = 0.30;
	r = built(REFERENCE, &c, NULL);
	assert_int_equal(point_at(&r, 19)->verdict, T1S_VERDICT_LIMITED);
	assert_int_equal(point_at(&r, 10)->verdict, T1S_VERDICT_SEVERE);
	assert_int_equal(point_at(&r, 8)->verdict, T1S_VERDICT_COLLAPSED);
	assert_int_equal(r.not_monotonic_count, 4); /* 19 to 16 */
	assert_int_equal(r.lowest_full_hz, 13 * MHZ);
}

static void append_in_boot(const struct scratch *s, const char *boot, const char *kernel,
	enum t1s_run_status status)
{
	struct t1s_row row = row_at(20, status, status == T1S_RUN_OK ? 9.5 : NAN);

	(void)snprintf(row.boot_id, sizeof(row.boot_id), "%s", boot);
	(void)snprintf(row.kernel, sizeof(row.kernel), "%s", kernel);
	append(s, &row);
}

static void boots_alike_are_no_reason_to_warn(void **state)
{
	cleanup_(report_done) struct t1s_report r = {0};
	const struct scratch *s = *state;

	append_in_boot(s, "a", "6.6", T1S_RUN_OK);
	append_in_boot(s, "b", "", T1S_RUN_OK);
	append_in_boot(s, "c", "6.6", T1S_RUN_OK);
	r = built_by_default(s->path);
	assert_int_equal(r.unlike_boots, 0);
	assert_string_equal(r.unlike, "");
}

static void boots_that_differ_from_those_before_are_counted_and_told(void **state)
{
	cleanup_(report_done) struct t1s_report r = {0};
	const struct scratch *s = *state;

	append_in_boot(s, "a", "", T1S_RUN_NO_LINK);
	append_in_boot(s, "a", "6.6", T1S_RUN_OK);
	append_in_boot(s, "b", "6.12\x1b", T1S_RUN_NO_DATA);
	append_in_boot(s, "b", "6.12\x1b", T1S_RUN_OK);
	append_in_boot(s, "b", "6.12\x1b", T1S_RUN_OK);
	append_in_boot(s, "c", "6.6", T1S_RUN_OK);
	append_in_boot(s, "d", "6.13", T1S_RUN_OK);
	r = built_by_default(s->path);
	assert_int_equal(r.unlike_boots, 2);
	assert_string_equal(r.unlike, "kernel 6.12? (was 6.6)");
}

static void chip_of_the_rows_gives_the_spi_ceiling(void **state)
{
	cleanup_(report_done) struct t1s_report r = {0};
	struct t1s_row row = row_at(20, T1S_RUN_OK, 9.5);
	const struct scratch *s = *state;

	row.sclk_predicted_hz = 20000000;
	(void)snprintf(row.compatible, sizeof(row.compatible), "microchip,enc28j60");
	append(s, &row);
	r = built_by_default(s->path);
	assert_true(fabs(r.points[0].spi_ceiling_mbit_s - 20.0 * 1448 / 1516) < 1e-9);
	assert_int_equal(r.specified_min_hz, 0);
}

static void link_is_that_of_the_rows_chip_where_another_is_configured(void **state)
{
	cleanup_(report_done) struct t1s_report other = {0}, same = {0};
	const struct scratch *s = *state;
	struct t1s_row row = row_at(16, T1S_RUN_OK, 4.5);
	struct t1s_config c;

	(void)snprintf(row.compatible, sizeof(row.compatible), "wiznet,w5500");
	append(s, &row);
	t1s_config_defaults(&c);
	c.link_rate_bps = 5e6;
	other = built(s->path, &c, NULL);
	(void)snprintf(c.match.compatible, sizeof(c.match.compatible), "wiznet,w5500");
	same = built(s->path, &c, NULL);
	assert_true(other.link_rate_mbit_s == 100);
	assert_int_equal(other.plca_overhead_bits, 0);
	assert_true(same.link_rate_mbit_s == 5);
}

static void rate_of_another_workload_is_not_what_was_asked_for(void **state)
{
	cleanup_(report_done) struct t1s_report r = {0};
	const struct scratch *s = *state;
	struct t1s_row row = row_at(16, T1S_RUN_OK, 4.5);

	row.udp_target[0] = '\0';
	(void)snprintf(row.workload, sizeof(row.workload), "of somebody else");
	append(s, &row);
	r = built_by_default(s->path);
	assert_true(isnan(r.points[0].asked_mbit_s));
}

static void chip_that_is_not_known_has_no_spi_ceiling(void **state)
{
	cleanup_(report_done) struct t1s_report r = {0};
	struct t1s_row row = row_at(20, T1S_RUN_OK, 9.5);
	const struct scratch *s = *state;

	row.sclk_predicted_hz = 20000000;
	(void)snprintf(row.compatible, sizeof(row.compatible), "vendor,other");
	append(s, &row);
	r = built_by_default(s->path);
	assert_true(isnan(r.points[0].spi_ceiling_mbit_s));
	assert_int_equal(r.specified_min_hz, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(reference_sweep_gives_the_reference_values),
		cmocka_unit_test(reference_points_stand_by_falling_frequency_as_measured),
		cmocka_unit_test(
			assumed_controller_groups_requests_and_finds_the_spi_bound),
		in_scratch(silence_counts_as_zero_and_failures_do_not_count),
		in_scratch(repeats_and_passes_give_one_median),
		in_scratch(closing_baseline_is_no_part_of_its_point),
		in_scratch(opening_baseline_is_told_from_the_closing_one_by_its_place),
		in_scratch(closing_baseline_alone_leaves_no_point),
		in_scratch(rows_of_two_sweeps_are_refused),
		in_scratch(boots_alike_are_no_reason_to_warn),
		in_scratch(boots_that_differ_from_those_before_are_counted_and_told),
		in_scratch(chip_of_the_rows_gives_the_spi_ceiling),
		in_scratch(link_is_that_of_the_rows_chip_where_another_is_configured),
		in_scratch(rate_of_another_workload_is_not_what_was_asked_for),
		in_scratch(chip_that_is_not_known_has_no_spi_ceiling),
		in_scratch(each_workload_and_direction_has_its_own_report),
		in_scratch(directions_at_once_share_the_wire),
		in_scratch(several_files_are_told_apart_by_sweep_or_name),
		in_scratch(rows_know_better_than_the_configuration),
		in_scratch(tcp_rows_have_a_wire_limit_with_acknowledgements),
		cmocka_unit_test(verdict_line_stays_where_the_sweep_never_ends_early),
		cmocka_unit_test(shares_come_from_the_configuration),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
