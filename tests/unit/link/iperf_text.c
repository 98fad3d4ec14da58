/* SPDX-License-Identifier: MIT */
/* Text that is no document, and text within documents. */
#include "iperf_case.h"

static void nan_that_json_c_would_take_is_not_a_value(void **state)
{
	(void)state;
	read_text(START GOOD_INTERVAL END("{\"seconds\":2,\"bytes\":NaN}"), NULL);
	if (result.status == T1S_RUN_OK)
		assert_true(result.rate_from_intervals);
	read_text(START INTERVAL("{\"seconds\":Infinity,\"bytes\":5}") END("{}"), NULL);
	assert_failed_without_values();
}

static void number_of_a_broken_locale_is_failed(void **state)
{
	(void)state;
	read_text(START INTERVAL("{\"seconds\":1,\"bytes\":5.924e 06}") END(GOOD_SUM),
		NULL);
	assert_failed_without_values();
	assert_reason_has("not valid JSON");
}

static void warning_before_the_document_is_failed_and_quoted(void **state)
{
	(void)state;
	read_text("warning: this system has no IPv6\n" GOOD, NULL);
	assert_failed_without_values();
	assert_reason_has("warning: this system has no IPv6");
}

static void nothing_at_all_is_failed_as_empty(void **state)
{
	(void)state;
	read_text("", NULL);
	assert_failed_without_values();
	assert_reason_has("empty");
	read_text(" \n\n", NULL);
	assert_failed_without_values();
	assert_reason_has("empty");
}

static void torn_document_is_failed(void **state)
{
	(void)state;
	read_text(START GOOD_INTERVAL, NULL);
	assert_failed_without_values();
	assert_reason_has("ends in the middle");
}

static void document_of_another_kind_is_failed(void **state)
{
	static const char *const texts[] = {"[]", "null", "1", "\"text\"", "{}", "{} {}",
		GOOD GOOD, GOOD "x", "[[1]]", "{\"start\":{}}", "{\"end\":{}}"};

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		read_text(texts[i], NULL);
		assert_failed_without_values();
	}
}

static void byte_0_within_or_behind_is_failed(void **state)
{
	char text[] = GOOD "\0{}";

	(void)state;
	t1s_iperf_read(text, sizeof(text), NULL, &result);
	assert_failed_without_values();
	text[40] = '\0';
	t1s_iperf_read(text, sizeof(text), NULL, &result);
	assert_failed_without_values();
}

static void blanks_around_the_document_do_no_harm(void **state)
{
	(void)state;
	read_text("\r\n " GOOD "\r\n\n\t ", NULL);
	assert_status(T1S_RUN_OK);
}

static void bytes_that_are_no_utf8_are_failed(void **state)
{
	(void)state;
	read_text(
		"{\"title\":\"\xff\xfe\",\"intervals\":[],\"end\":{\"sum_received\":" GOOD_SUM
		"}}",
		NULL);
	assert_failed_without_values();
	read_text("\xff\xfe", NULL);
	assert_failed_without_values();
	for (const char *p = result.reason; *p; p++)
		assert_true((unsigned char)*p < 0x80);
}

static void more_than_16_mib_is_failed(void **state)
{
	size_t size = 16 * 1024 * 1024 + 1;
	char *data = malloc(size);

	(void)state;
	assert_non_null(data);
	memset(data, ' ', size);
	memcpy(data, GOOD, sizeof(GOOD) - 1);
	t1s_iperf_read(data, size, NULL, &result);
	assert_failed_without_values();
	assert_reason_has("16 MiB");
	t1s_iperf_read(data, size - 1, NULL, &result);
	assert_status(T1S_RUN_OK);
	free(data);
}

static void deep_nesting_is_failed(void **state)
{
	static const char head[] = "{\"start\":";
	size_t n = 1000000;
	char *data = malloc(sizeof(head) + n);

	(void)state;
	assert_non_null(data);
	memcpy(data, head, sizeof(head) - 1);
	memset(data + sizeof(head) - 1, '[', n);
	t1s_iperf_read(data, sizeof(head) - 1 + n, NULL, &result);
	assert_failed_without_values();
	assert_reason_has("not valid JSON");
	free(data);
}

static void text_of_the_document_is_fit_to_show(void **state)
{
	(void)state;
	read_early_error("\\u001b[31mred\\u0000\\n");
	assert_failed_without_values();
	assert_null(strchr(result.reason, '\x1b'));
	assert_null(strchr(result.reason, '\n'));
}

static void long_error_is_cut_between_characters(void **state)
{
	static const char euro[] = "\xe2\x82\xac";

	(void)state;
	for (size_t shift = 0; shift < 4; shift++) {
		char text[401];
		size_t n;

		memset(text, 'x', shift);
		for (n = shift; n + 3 < sizeof(text); n += 3)
			memcpy(text + n, euro, 3);
		text[n] = '\0';
		read_early_error(text);
		assert_failed_without_values();
		n = strlen(result.reason);
		assert_memory_equal(result.reason + n - 3, euro, 3);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nan_that_json_c_would_take_is_not_a_value),
		cmocka_unit_test(number_of_a_broken_locale_is_failed),
		cmocka_unit_test(warning_before_the_document_is_failed_and_quoted),
		cmocka_unit_test(nothing_at_all_is_failed_as_empty),
		cmocka_unit_test(torn_document_is_failed),
		cmocka_unit_test(document_of_another_kind_is_failed),
		cmocka_unit_test(byte_0_within_or_behind_is_failed),
		cmocka_unit_test(blanks_around_the_document_do_no_harm),
		cmocka_unit_test(bytes_that_are_no_utf8_are_failed),
		cmocka_unit_test(more_than_16_mib_is_failed),
		cmocka_unit_test(deep_nesting_is_failed),
		cmocka_unit_test(text_of_the_document_is_fit_to_show),
		cmocka_unit_test(long_error_is_cut_between_characters),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
