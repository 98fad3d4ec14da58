/* SPDX-License-Identifier: MIT */
/* What is read from a document that is one. */
#include "iperf_case.h"

static void underflow_of_sent_packets_does_not_hide_the_result(void **state)
{
	const struct t1s_iperf_expect expect = {1400, 2, 10e6};

	(void)state;
	read_sample("srv-3.12-udp-omit1-underflow.json", &expect);
	assert_status(T1S_RUN_OK);
	assert_string_equal(result.reason, "");
	assert_string_equal(result.version, "iperf 3.12");
	assert_true(result.udp);
	assert_false(result.rate_from_intervals);
	assert_near(result.received_bps, 1206800 * 8 / 2.307709);
	assert_near(result.duration_s, 2.307709);
	assert_int_equal(result.packets, 896);
	assert_int_equal(result.lost_packets, 34);
	assert_near(result.lost_percent, 3.794642857142857);
	assert_near(result.jitter_ms, 0.19175517375599843);
	assert_int_equal(result.out_of_order, 0);
	assert_int_equal(result.length_bytes, 1400);
	assert_near(result.cpu_local_percent, 1.5454358434401012);
	assert_true(isnan(result.cpu_remote_percent));
	assert_true(isnan(result.offered_bps));
	assert_int_equal(result.sent_packets, -1);
}

static void old_receiver_without_sum_received_is_read_from_intervals(void **state)
{
	const struct t1s_iperf_expect expect = {1200, 2, 10e6};

	(void)state;
	read_sample("srv-3.7-udp-10pct-loss.json", &expect);
	assert_status(T1S_RUN_OK);
	assert_true(result.rate_from_intervals);
	assert_near(result.received_bps,
		(106800 + 111600) * 8 / (1.114663004875183 + 0.9070159792900085));
	assert_int_equal(result.packets, 202);
	assert_int_equal(result.lost_packets, 20);
	assert_near(result.lost_percent, 9.900990099009901);
	assert_near(result.jitter_ms, 7.2117066516498465);
	assert_string_equal(result.version, "iperf 3.7");
}

static void newer_receiver_is_read_from_sum_received(void **state)
{
	const struct t1s_iperf_expect expect = {1200, 2, 10e6};

	(void)state;
	read_sample("srv-3.18-udp-10pct-loss.json", &expect);
	assert_status(T1S_RUN_OK);
	assert_false(result.rate_from_intervals);
	assert_near(result.received_bps, 225600 * 8 / 2.075608);
	assert_int_equal(result.packets, 208);
	assert_int_equal(result.lost_packets, 20);
	assert_near(result.lost_percent, 9.615384615384615);
}

static void all_data_lost_is_no_data_with_loss_unknown(void **state)
{
	const struct t1s_iperf_expect expect = {1200, 2, 10e6};

	(void)state;
	read_sample("srv-3.12-udp-all-data-lost.json", &expect);
	assert_status(T1S_RUN_NO_DATA);
	assert_reason_has("no data");
	assert_true(result.received_bps == 0.0);
	assert_true(isnan(result.lost_percent));
	assert_int_equal(result.lost_packets, -1);
	assert_int_equal(result.packets, 0);
	assert_true(isnan(result.jitter_ms));
}

static void killed_client_is_failed(void **state)
{
	(void)state;
	read_sample("srv-3.12-client-killed.json", NULL);
	assert_failed_without_values();
	assert_reason_has("the client has unexpectedly closed the connection");
}

static void error_wins_over_full_sums(void **state)
{
	(void)state;
	read_sample("srv-3.12-client-sigint-partial.json", NULL);
	assert_failed_without_values();
	assert_reason_has("the client has terminated");
}

static void handshake_that_never_arrived_is_no_data(void **state)
{
	(void)state;
	read_sample("cli-all-3.12.json", NULL);
	assert_status(T1S_RUN_NO_DATA);
	assert_reason_has("unable to read from stream socket");
	assert_true(result.received_bps == 0.0);
	assert_true(isnan(result.lost_percent));
	assert_int_equal(result.packets, -1);
}

static void nan_of_an_old_client_is_failed(void **state)
{
	(void)state;
	read_sample("bad-nan-lost_percent.txt", NULL);
	assert_failed_without_values();
	assert_reason_has("not valid JSON");
	assert_reason_has("nan");
}

static void other_datagram_length_is_failed(void **state)
{
	const struct t1s_iperf_expect expect = {.length_bytes = 1448};

	(void)state;
	read_text(GOOD, &expect);
	assert_failed_without_values();
	assert_reason_has("1000");
	assert_reason_has("1448");
	read_text("{\"end\":{\"sum_received\":" GOOD_SUM "}}", &expect);
	assert_failed_without_values();
}

static void duration_is_believed_from_80_to_150_percent(void **state)
{
	static const struct {
		double asked_s;
		enum t1s_run_status status;
	} cases[] = {{2, T1S_RUN_OK}, {2.49, T1S_RUN_OK}, {2.51, T1S_RUN_FAILED},
		{1.34, T1S_RUN_OK}, {1.33, T1S_RUN_FAILED}, {20, T1S_RUN_FAILED}};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct t1s_iperf_expect expect = {.duration_s = cases[i].asked_s};

		read_text(GOOD, &expect);
		assert_status(cases[i].status);
	}
	assert_failed_without_values();
	assert_reason_has("2 s instead of 20 s");
}

static void silence_of_another_duration_is_failed_not_no_data(void **state)
{
	const struct t1s_iperf_expect expect = {.duration_s = 20};

	(void)state;
	read_sample("srv-3.12-udp-all-data-lost.json", &expect);
	assert_failed_without_values();
}

static void rate_above_the_link_rate_is_failed(void **state)
{
	const struct t1s_iperf_expect above = {.link_rate_bps = 359999};
	const struct t1s_iperf_expect at = {.link_rate_bps = 360000};

	(void)state;
	read_text(GOOD, &above);
	assert_failed_without_values();
	assert_reason_has("more than the link's");
	assert_reason_has("came twice");
	read_text(GOOD, &at);
	assert_status(T1S_RUN_OK);
}

static void duplicates_are_flagged(void **state)
{
	(void)state;
	/* 110 datagrams' bytes, of 100 packets 10 lost */
	read_text(
		START GOOD_INTERVAL END("{\"seconds\":2,\"bytes\":110000,"
					"\"bits_per_second\":440000,\"lost_packets\":10,"
					"\"packets\":100}"),
		NULL);
	assert_status(T1S_RUN_OK);
	assert_reason_has("about 20 of 110 datagrams came twice");
}

static void rate_that_is_not_bytes_over_seconds_is_failed(void **state)
{
	(void)state;
	read_text(START GOOD_INTERVAL END("{\"seconds\":2,\"bytes\":90000,"
					  "\"bits_per_second\":720000}"),
		NULL);
	assert_failed_without_values();
	assert_reason_has("contradicts itself");
}

static void end_sum_is_never_used(void **state)
{
	(void)state;
	read_text(START "\"intervals\":[],\"end\":{\"sum\":" GOOD_SUM "}}", NULL);
	assert_failed_without_values();
	assert_reason_has("what was received");
}

static void omitted_intervals_do_not_count(void **state)
{
	(void)state;
	read_text(START
		"\"intervals\":[{\"sum\":{\"seconds\":1,\"bytes\":900000,\"packets\":900,"
		"\"lost_packets\":5,\"omitted\":true}},{\"sum\":{\"seconds\":1,\"bytes\":"
		"50000,\"packets\":60,\"lost_packets\":10,\"omitted\":false}}],"
		"\"end\":{\"sum\":{}}}",
		NULL);
	assert_status(T1S_RUN_OK);
	assert_near(result.received_bps, 400000);
	assert_int_equal(result.packets, 60);
	assert_int_equal(result.lost_packets, 10);
}

static void interval_that_cannot_be_read_spoils_the_sum(void **state)
{
	(void)state;
	read_text(START
		"\"intervals\":[{\"sum\":{\"seconds\":1,\"bytes\":50000}},{\"sum\":{"
		"\"seconds\":0,\"bytes\":50000}}],\"end\":{\"sum\":{}}}",
		NULL);
	assert_failed_without_values();
}

static void unfilled_sum_received_gives_way_to_intervals(void **state)
{
	(void)state;
	read_text(START GOOD_INTERVAL END("{\"seconds\":2,\"bytes\":0}"), NULL);
	assert_status(T1S_RUN_OK);
	assert_true(result.rate_from_intervals);
	assert_near(result.received_bps, 360000);
}

static void loss_that_contradicts_itself_is_unknown_not_0(void **state)
{
	static const char *const sums[] = {
		"{\"seconds\":2,\"bytes\":90000,\"packets\":100,\"lost_packets\":-3}",
		"{\"seconds\":2,\"bytes\":90000,\"packets\":100,\"lost_packets\":101}",
		"{\"seconds\":2,\"bytes\":90000,\"packets\":-100,\"lost_packets\":0}",
		"{\"seconds\":2,\"bytes\":90000,\"packets\":0,\"lost_packets\":0}",
		("{\"seconds\":2,\"bytes\":90000,\"packets\":18446744073709550774,"
		 "\"lost_packets\":0}"),
		"{\"seconds\":2,\"bytes\":90000,\"packets\":100.5,\"lost_packets\":0}",
		"{\"seconds\":2,\"bytes\":90000,\"packets\":\"100\",\"lost_packets\":0}",
		"{\"seconds\":2,\"bytes\":90000,\"packets\":100}",
		"{\"seconds\":2,\"bytes\":90000}",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(sums) / sizeof(sums[0]); i++) {
		char text[1024];

		(void)snprintf(text, sizeof(text), "%s%s\"end\":{\"sum_received\":%s}}",
			START, GOOD_INTERVAL, sums[i]);
		read_text(text, NULL);
		assert_status(T1S_RUN_OK);
		assert_near(result.received_bps, 360000);
		assert_true(isnan(result.lost_percent));
		assert_int_equal(result.lost_packets, -1);
	}
}

static void late_datagrams_may_make_an_interval_negative(void **state)
{
	(void)state;
	read_text(START
		"\"intervals\":[{\"sum\":{\"seconds\":1,\"bytes\":50000,\"packets\":60,"
		"\"lost_packets\":10}},{\"sum\":{\"seconds\":1,\"bytes\":50000,"
		"\"packets\":60,\"lost_packets\":-4}}],\"end\":{\"sum\":{}}}",
		NULL);
	assert_status(T1S_RUN_OK);
	assert_int_equal(result.lost_packets, 6);
	assert_near(result.lost_percent, 5);
}

static void jitter_decides_nothing(void **state)
{
	static const char *const jitters[] = {"1e10", "-5", "\"x\"", "1e999", "null"};

	(void)state;
	for (size_t i = 0; i < sizeof(jitters) / sizeof(jitters[0]); i++) {
		char text[1024];

		(void)snprintf(text, sizeof(text),
			"%s%s\"end\":{\"sum_received\":{\"seconds\":2,\"bytes\":90000,"
			"\"packets\":100,\"lost_packets\":10,\"jitter_ms\":%s}}}",
			START, GOOD_INTERVAL, jitters[i]);
		read_text(text, NULL);
		assert_status(T1S_RUN_OK);
		assert_near(result.received_bps, 360000);
		assert_int_equal(result.lost_packets, 10);
		if (i == 0)
			assert_near(result.jitter_ms, 1e10);
		else
			assert_true(isnan(result.jitter_ms));
	}
}

static void errors_that_a_silent_link_explains_are_no_data(void **state)
{
	static const char *const errors[] = {
		"error - unable to connect to server: Connection timed out",
		"unable to connect to server: No route to host",
		("unable to connect to server - server may have stopped running or use a "
		 "different port, firewall issue, etc.: Connection timed out"),
		"unable to receive control message: Connection reset by peer",
		"unable to read from stream socket: Resource temporarily unavailable",
		"control socket has closed unexpectedly",
		"the client has unexpectedly closed the connection",
		"the client has terminated",
		"unable to receive cookie at server",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(errors) / sizeof(errors[0]); i++) {
		read_early_error(errors[i]);
		assert_status(T1S_RUN_NO_DATA);
		assert_reason_has("did not carry");
		assert_true(isnan(result.lost_percent));
	}
}

static void errors_that_no_link_explains_are_failed(void **state)
{
	static const char *const errors[] = {
		"error - unable to connect to server: Connection refused",
		"unable to connect to server: Permission denied",
		"unable to start listener for connections: Address already in use",
		"unable to connect to server: Cannot assign requested address",
		"the server is busy running a test. try again later",
		"parameter error - interval too large",
		"unable to create a new stream: Too many open files",
		"something never heard of",
		"",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(errors) / sizeof(errors[0]); i++) {
		read_early_error(errors[i]);
		assert_failed_without_values();
	}
}

static void error_of_another_type_is_failed(void **state)
{
	static const char *const errors[] = {"null", "false", "0", "[]", "{}"};

	(void)state;
	for (size_t i = 0; i < sizeof(errors) / sizeof(errors[0]); i++) {
		char text[1024];

		(void)snprintf(text, sizeof(text), "%s%s\"error\":%s,%s", START,
			GOOD_INTERVAL, errors[i], END(GOOD_SUM));
		read_text(text, NULL);
		assert_failed_without_values();
	}
}

static void clients_document_is_read_by_the_same_rules(void **state)
{
	(void)state;
	read_text(SENDER_START("0") "\"end\":{\"sum\":{},\"sum_received\":" GOOD_SUM "}}",
		NULL);
	assert_status(T1S_RUN_OK);
	assert_near(result.received_bps, 360000);
}

static void what_a_client_sent_is_not_taken_as_received(void **state)
{
	(void)state;
	/* with the sender flag, and without it as versions before 3.7 write it */
	read_text(
		"{\"start\":{\"connecting_to\":{}},\"intervals\":[{\"sum\":{\"seconds\":"
		"1,\"bytes\":5,\"sender\":true}}],\"end\":{\"sum\":{}}}",
		NULL);
	assert_failed_without_values();
	read_text(
		"{\"start\":{\"connecting_to\":{}},\"intervals\":[{\"sum\":{\"seconds\":"
		"1,\"bytes\":5}}],\"end\":{\"sum\":{}}}",
		NULL);
	assert_failed_without_values();
}

static void tcp_has_a_rate_and_no_loss(void **state)
{
	(void)state;
	read_text("{\"start\":{\"test_start\":{\"protocol\":\"TCP\",\"blksize\":1448}},"
		  "\"intervals\":[],\"end\":{\"sum_received\":{\"seconds\":2,\"bytes\":"
		  "90000,\"bits_per_second\":360000}}}",
		NULL);
	assert_status(T1S_RUN_OK);
	assert_false(result.udp);
	assert_near(result.received_bps, 360000);
	assert_true(isnan(result.lost_percent));
	assert_int_equal(result.packets, -1);
}

static void status_names_go_both_ways(void **state)
{
	(void)state;
	for (int s = 0; s < T1S_RUN_STATUS_MAX; s++)
		assert_int_equal(t1s_run_status_from_name(
					 t1s_run_status_name((enum t1s_run_status)s)),
			s);
	assert_string_equal(t1s_run_status_name(T1S_RUN_NO_DATA), "NO_DATA");
	assert_null(t1s_run_status_name(T1S_RUN_STATUS_MAX));
	assert_null(t1s_run_status_name(T1S_RUN_STATUS_INVALID));
	assert_int_equal(t1s_run_status_from_name("ok"), T1S_RUN_STATUS_INVALID);
	assert_int_equal(t1s_run_status_from_name(""), T1S_RUN_STATUS_INVALID);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(underflow_of_sent_packets_does_not_hide_the_result),
		cmocka_unit_test(
			old_receiver_without_sum_received_is_read_from_intervals),
		cmocka_unit_test(newer_receiver_is_read_from_sum_received),
		cmocka_unit_test(all_data_lost_is_no_data_with_loss_unknown),
		cmocka_unit_test(killed_client_is_failed),
		cmocka_unit_test(error_wins_over_full_sums),
		cmocka_unit_test(handshake_that_never_arrived_is_no_data),
		cmocka_unit_test(nan_of_an_old_client_is_failed),
		cmocka_unit_test(other_datagram_length_is_failed),
		cmocka_unit_test(duration_is_believed_from_80_to_150_percent),
		cmocka_unit_test(silence_of_another_duration_is_failed_not_no_data),
		cmocka_unit_test(rate_above_the_link_rate_is_failed),
		cmocka_unit_test(duplicates_are_flagged),
		cmocka_unit_test(rate_that_is_not_bytes_over_seconds_is_failed),
		cmocka_unit_test(end_sum_is_never_used),
		cmocka_unit_test(omitted_intervals_do_not_count),
		cmocka_unit_test(interval_that_cannot_be_read_spoils_the_sum),
		cmocka_unit_test(unfilled_sum_received_gives_way_to_intervals),
		cmocka_unit_test(loss_that_contradicts_itself_is_unknown_not_0),
		cmocka_unit_test(late_datagrams_may_make_an_interval_negative),
		cmocka_unit_test(jitter_decides_nothing),
		cmocka_unit_test(errors_that_a_silent_link_explains_are_no_data),
		cmocka_unit_test(errors_that_no_link_explains_are_failed),
		cmocka_unit_test(error_of_another_type_is_failed),
		cmocka_unit_test(clients_document_is_read_by_the_same_rules),
		cmocka_unit_test(what_a_client_sent_is_not_taken_as_received),
		cmocka_unit_test(tcp_has_a_rate_and_no_loss),
		cmocka_unit_test(status_names_go_both_ways),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
