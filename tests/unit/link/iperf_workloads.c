/* SPDX-License-Identifier: MIT */
/*
 * Both ends' documents of each protocol and direction: which of them says what the
 * receiving end got. The expected figures stand in the documents, found by eye.
 */
#include "iperf_case.h"

static char *load(const char *name, size_t *ret_size)
{
	char path[512];
	char *data;

	(void)snprintf(path, sizeof(path), T1S_TEST_DATA "/workloads/%s", name);
	assert_int_equal(t1s_read_file(path, 1 << 20, &data, ret_size, NULL), 0);
	return data;
}

/* Reads the run as the measure step does. */
static void read_run(const char *received_by, const char *sent_by)
{
	const struct t1s_iperf_expect expect = {1448, 2, 10e6};
	size_t size;
	char *data = load(received_by, &size);

	t1s_iperf_read(data, size, &expect, &result);
	free(data);
	data = load(sent_by, &size);
	assert_int_equal(t1s_iperf_add_sender(
				 data, size, &result, sender_error, sizeof(sender_error)),
		0);
	free(data);
	assert_string_equal(sender_error, "");
	assert_status(T1S_RUN_OK);
	assert_string_equal(result.reason, "");
}

static void assert_packets(int64_t packets, int64_t lost, int64_t sent)
{
	assert_int_equal(result.packets, packets);
	assert_int_equal(result.lost_packets, lost);
	assert_int_equal(result.sent_packets, sent);
	assert_near(result.lost_percent, 100.0 * (double)lost / (double)packets);
	assert_int_equal(result.out_of_order, 0);
	assert_int_equal(result.retransmits, -1);
}

static void assert_bytes(double bytes, double seconds)
{
	assert_near(result.received_bps, 8 * bytes / seconds);
	assert_near(result.duration_s, seconds);
}

static void udp_sent_to_us_is_read_at_the_server(void **state)
{
	(void)state;
	read_run("srv-3.12-udp-receive.json", "cli-3.12-udp-receive.json");
	assert_bytes(2384856, 2.000395);
	assert_packets(1727, 80, 1727);
}

static void udp_sent_by_us_is_read_at_the_client(void **state)
{
	(void)state;
	read_run("cli-3.12-udp-send.json", "srv-3.12-udp-send.json");
	assert_bytes(1778144, 2.000106);
	assert_packets(1727, 499, 1727);
	assert_true(result.offered_bps > 10e6 && result.offered_bps < 10.01e6);
	/* the client's is the receiving end's here */
	assert_true(result.cpu_local_percent < 1 && result.cpu_remote_percent > 4);
}

static void omitted_seconds_do_not_count_at_the_client_either(void **state)
{
	(void)state;
	read_run("cli-3.12-udp-send-omit.json", "srv-3.12-udp-send-omit.json");
	assert_bytes(1778144, 2.000566);
	assert_packets(1727, 499, 1727);
}

static void both_ways_are_read_each_at_its_receiving_end(void **state)
{
	(void)state;
	read_run("srv-3.12-udp-both.json", "cli-3.12-udp-both.json");
	assert_bytes(1776696, 2.001463);
	/* the client sent one that was lost behind the last one that came */
	assert_packets(1726, 499, 1726);
	read_run("cli-3.12-udp-both.json", "srv-3.12-udp-both.json");
	assert_bytes(1776696, 2.001463);
	assert_packets(1726, 499, 1726);
	/* 3.12 has the client count the omitted second's loss in the other direction */
	read_run("srv-3.12-udp-both-omit.json", "cli-3.12-udp-both-omit.json");
	assert_packets(1726, 499, 1726);
	read_run("cli-3.12-udp-both-omit.json", "srv-3.12-udp-both-omit.json");
	assert_bytes(1778144, 2.000003);
	assert_packets(1727, 499, 1727);
}

static void assert_tcp(int64_t retransmits)
{
	assert_false(result.udp);
	assert_int_equal(result.retransmits, retransmits);
	assert_true(isnan(result.offered_bps));
	assert_true(isnan(result.lost_percent) && isnan(result.jitter_ms));
	assert_true(result.packets == -1 && result.sent_packets == -1);
	assert_int_equal(result.out_of_order, -1);
}

static void tcp_counts_at_the_receiving_end_and_retransmits_at_the_other(void **state)
{
	(void)state;
	read_run("srv-3.12-tcp-receive.json", "cli-3.12-tcp-receive.json");
	assert_bytes(1599176, 2.000234);
	assert_tcp(293);
	read_run("cli-3.12-tcp-send.json", "srv-3.12-tcp-send.json");
	assert_bytes(1614520, 2.003734);
	assert_tcp(246);
}

/* More arrives than is sent in the time that counts: what was under way before. */
static void tcp_with_omitted_seconds_is_no_disagreement(void **state)
{
	(void)state;
	read_run("srv-3.12-tcp-receive-omit.json", "cli-3.12-tcp-receive-omit.json");
	assert_tcp(3);
	read_run("cli-3.12-tcp-send-omit.json", "srv-3.12-tcp-send-omit.json");
	assert_tcp(2);
}

static void tcp_both_ways(void **state)
{
	(void)state;
	read_run("srv-3.12-tcp-both.json", "cli-3.12-tcp-both.json");
	assert_tcp(204);
	assert_bytes(1605456, 2.000577);
	read_run("cli-3.12-tcp-both.json", "srv-3.12-tcp-both.json");
	assert_tcp(13);
	assert_bytes(20272, 2.000577);
}

/* A client that sends in one direction knows what the server told it. */
static void own_word_of_a_sending_client(void **state)
{
	size_t size;
	char *data = load("cli-3.12-udp-receive.json", &size);

	(void)state;
	t1s_iperf_read(data, size, NULL, &result);
	free(data);
	assert_status(T1S_RUN_OK);
	assert_int_equal(result.packets, 1727);
	assert_int_equal(result.lost_packets, 80);
}

#define TWO_STREAMS                                                                      \
	"{\"start\":{\"version\":\"iperf 3.9\",\"connected\":[{},{}],"                   \
	"\"connecting_to\":{},\"test_start\":{\"protocol\":\"UDP\",\"num_streams\":1,"   \
	"\"blksize\":1000,\"omit\":0}},"

static void directions_that_have_the_same_names_are_failed(void **state)
{
	(void)state;
	read_text(TWO_STREAMS GOOD_INTERVAL END(GOOD_SUM), NULL);
	assert_failed_without_values();
	assert_reason_has("iperf 3.9");
	/* nor is anything taken from such a sender */
	read_text(GOOD, NULL);
	assert_int_equal(
		add_sender(TWO_STREAMS "\"intervals\":[]," SENDER_END("110") "}"), 0);
	assert_true(isnan(result.offered_bps));
	assert_int_equal(result.sent_packets, -1);
}

static void more_received_than_sent_is_remarked(void **state)
{
	(void)state;
	read_text(GOOD, NULL);
	assert_int_equal(add_sender(SENDER_START("0") SENDER_END("50") "}"), 0);
	assert_status(T1S_RUN_OK);
	assert_reason_has("disagree");
	/* within what two ends may count differently */
	read_text(GOOD, NULL);
	assert_int_equal(add_sender(SENDER_START("0") SENDER_END("95") "}"), 0);
	assert_string_equal(result.reason, "");
	/* not the same span */
	read_text(GOOD, NULL);
	assert_int_equal(add_sender(SENDER_START("1") SENDER_END("50") "}"), 0);
	assert_string_equal(result.reason, "");
}

#define TCP_SENDER(bytes)                                                                \
	"{\"start\":{\"connecting_to\":{},\"test_start\":{\"protocol\":\"TCP\","         \
	"\"omit\":0}},\"end\":{\"sum_sent\":{\"seconds\":2,\"bytes\":" bytes             \
	",\"retransmits\":4}}}"

static void tcp_receiver_with_more_than_was_sent_is_remarked(void **state)
{
	static const char receiver[] =
		"{\"start\":{\"test_start\":{\"protocol\":\"TCP\"}},\"end\":{"
		"\"sum_received\":{\"seconds\":2,\"bytes\":2000000,"
		"\"bits_per_second\":8000000}}}";

	(void)state;
	read_text(receiver, NULL);
	assert_int_equal(add_sender(TCP_SENDER("1000000")), 0);
	assert_status(T1S_RUN_OK);
	assert_reason_has("disagree");
	assert_int_equal(result.retransmits, 4);
	read_text(receiver, NULL);
	assert_int_equal(add_sender(TCP_SENDER("1990000")), 0);
	assert_string_equal(result.reason, "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(udp_sent_to_us_is_read_at_the_server),
		cmocka_unit_test(udp_sent_by_us_is_read_at_the_client),
		cmocka_unit_test(omitted_seconds_do_not_count_at_the_client_either),
		cmocka_unit_test(both_ways_are_read_each_at_its_receiving_end),
		cmocka_unit_test(
			tcp_counts_at_the_receiving_end_and_retransmits_at_the_other),
		cmocka_unit_test(tcp_with_omitted_seconds_is_no_disagreement),
		cmocka_unit_test(tcp_both_ways),
		cmocka_unit_test(own_word_of_a_sending_client),
		cmocka_unit_test(directions_that_have_the_same_names_are_failed),
		cmocka_unit_test(more_received_than_sent_is_remarked),
		cmocka_unit_test(tcp_receiver_with_more_than_was_sent_is_remarked),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
