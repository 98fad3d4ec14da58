/* SPDX-License-Identifier: MIT */
/* What the sender's document adds to the receiver's. */
#include "iperf_case.h"

static void sender_adds_offer_and_cpu(void **state)
{
	(void)state;
	read_text(GOOD, NULL);
	assert_int_equal(add_sender(SENDER_START("0") SENDER_END("100") "}"), 0);
	assert_string_equal(sender_error, "");
	assert_near(result.offered_bps, 440000);
	assert_int_equal(result.sent_packets, 100);
	assert_near(result.cpu_remote_percent, 7.5);
	assert_int_equal(result.lost_packets, 10);
	assert_int_equal(result.packets, 100);
}

static void lost_tail_is_added_to_the_loss(void **state)
{
	(void)state;
	read_text(GOOD, NULL);
	assert_int_equal(add_sender(SENDER_START("0") SENDER_END("110") "}"), 0);
	assert_int_equal(result.packets, 110);
	assert_int_equal(result.lost_packets, 20);
	assert_near(result.lost_percent, 100.0 * 20 / 110);
}

static void lost_tail_is_not_guessed_with_omitted_seconds(void **state)
{
	(void)state;
	read_text(GOOD, NULL);
	assert_int_equal(add_sender(SENDER_START("1") SENDER_END("110") "}"), 0);
	assert_int_equal(result.sent_packets, 110);
	assert_int_equal(result.lost_packets, 10);
	/* nor where the sender does not say whether some were omitted */
	assert_int_equal(add_sender("{\"start\":{}," SENDER_END("110") "}"), 0);
	assert_int_equal(result.lost_packets, 10);
}

static void silence_with_the_senders_count_is_a_loss_of_all(void **state)
{
	(void)state;
	read_sample("srv-3.12-udp-all-data-lost.json", NULL);
	assert_int_equal(add_sender(SENDER_START("0") SENDER_END("110") "}"), 0);
	assert_status(T1S_RUN_NO_DATA);
	assert_int_equal(result.lost_packets, 110);
	assert_near(result.lost_percent, 100);
}

static void senders_error_is_told_and_adds_no_loss(void **state)
{
	(void)state;
	read_text(GOOD, NULL);
	assert_int_equal(add_sender(SENDER_START("0") SENDER_END(
				 "110") ",\"error\":\"interrupt - the client has "
					"terminated\"}"),
		0);
	assert_string_equal(sender_error, "interrupt - the client has terminated");
	assert_int_equal(result.lost_packets, 10);
	assert_int_equal(add_sender("{\"start\":{},\"end\":{},\"error\":7}"), 0);
	assert_true(sender_error[0] != '\0');
}

static void offer_of_an_old_sender_comes_from_its_intervals(void **state)
{
	(void)state;
	read_text(GOOD, NULL);
	assert_int_equal(
		add_sender(
			"{\"start\":{\"connecting_to\":{},\"test_start\":{\"omit\":0}},"
			"\"intervals\":[{\"sum\":{\"seconds\":2,\"bytes\":110000,"
			"\"packets\":110}}],\"end\":{\"sum\":{}}}"),
		0);
	assert_near(result.offered_bps, 440000);
	assert_int_equal(result.sent_packets, 110);
	assert_int_equal(result.lost_packets, 20);
}

static void text_that_is_no_result_of_a_sender_changes_nothing(void **state)
{
	static const char *const texts[] = {"", "iperf3: not found\n", "{", "[]", "{}"};
	struct t1s_iperf_result before;

	(void)state;
	read_text(GOOD, NULL);
	before = result;
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		assert_int_equal(add_sender(texts[i]), -EBADMSG);
		assert_memory_equal(&result, &before, sizeof(before));
		assert_true(sender_error[0] != '\0');
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sender_adds_offer_and_cpu),
		cmocka_unit_test(lost_tail_is_added_to_the_loss),
		cmocka_unit_test(lost_tail_is_not_guessed_with_omitted_seconds),
		cmocka_unit_test(silence_with_the_senders_count_is_a_loss_of_all),
		cmocka_unit_test(senders_error_is_told_and_adds_no_loss),
		cmocka_unit_test(offer_of_an_old_sender_comes_from_its_intervals),
		cmocka_unit_test(text_that_is_no_result_of_a_sender_changes_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
