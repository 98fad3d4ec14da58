/* SPDX-License-Identifier: MIT */
#include "link/iperf_versions.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#define MAX 16

static const struct t1s_iperf_use sender = {.sender = true, .udp = true, .omit = true};
static const struct t1s_iperf_use receiver = {.udp = true, .omit = true};

/* What the first defect is fixed in; "" if there is none. */
static const char *first(const char *version, const struct t1s_iperf_use *use)
{
	struct t1s_iperf_defect found[MAX];

	return t1s_iperf_defects(version, use, found, MAX) > 0 ? found[0].fixed_in : "";
}

static enum t1s_iperf_weight weight(const char *version, const struct t1s_iperf_use *use)
{
	struct t1s_iperf_defect found[MAX];

	assert_true(t1s_iperf_defects(version, use, found, MAX) > 0);
	return found[0].weight;
}

static void a_client_without_a_connect_timeout_is_useless(void **state)
{
	(void)state;
	assert_int_equal(weight("iperf 3.1.7", &sender), T1S_IPERF_USELESS);
	assert_string_equal(first("3.1.7", &sender), "3.2");
	assert_int_not_equal(weight("3.1.7", &receiver), T1S_IPERF_USELESS);
	assert_int_not_equal(weight("3.2", &sender), T1S_IPERF_USELESS);
}

static void both_directions_need_names_of_their_own(void **state)
{
	struct t1s_iperf_use both = sender;

	(void)state;
	both.both = true;
	assert_int_equal(weight("iperf 3.10.1", &both), T1S_IPERF_USELESS);
	assert_int_not_equal(weight("iperf 3.11", &both), T1S_IPERF_USELESS);
	both.sender = false;
	assert_int_equal(weight("iperf 3.7", &both), T1S_IPERF_USELESS);
	assert_int_not_equal(weight("iperf 3.9", &receiver), T1S_IPERF_USELESS);
}

static void omitted_datagrams_are_of_weight_only_where_some_are_omitted(void **state)
{
	struct t1s_iperf_use plain = sender;

	(void)state;
	plain.omit = false;
	assert_int_equal(weight("iperf 3.12", &sender), T1S_IPERF_HANDLED);
	assert_string_equal(first("iperf 3.12", &sender), "3.14");
	assert_int_equal(weight("iperf 3.12", &plain), T1S_IPERF_SECURITY);
	plain = sender;
	plain.udp = false;
	assert_int_equal(weight("iperf 3.12", &plain), T1S_IPERF_SECURITY);
}

static void a_version_is_compared_as_numbers(void **state)
{
	(void)state;
	assert_string_equal(first("3.17.1", &receiver), "3.18");
	assert_string_equal(first("3.19", &receiver), "3.19.1");
	assert_string_equal(first("3.19.1", &receiver), "");
	assert_string_equal(first("3.20", &receiver), "");
	assert_string_equal(first("4.0", &receiver), "");
	assert_string_equal(first("3.14", &receiver), "3.15");
}

static void what_is_no_version_has_no_known_defect(void **state)
{
	(void)state;
	assert_string_equal(first("", &sender), "");
	assert_string_equal(first("iperf", &sender), "");
	assert_string_equal(first("iperf 3.12345", &sender), "");
}

static void no_more_are_told_than_there_is_room_for(void **state)
{
	struct t1s_iperf_defect found[1];

	(void)state;
	assert_int_equal(t1s_iperf_defects("3.1", &sender, found, 1), 1);
	assert_int_equal(t1s_iperf_defects("3.1", &sender, found, 0), 0);
}

static void the_library_here_has_a_version(void **state)
{
	char version[T1S_IPERF_VERSION_MAX];

	(void)state;
	t1s_iperf_own_version(version);
	assert_int_equal(strncmp(version, "iperf 3.", 8), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_client_without_a_connect_timeout_is_useless),
		cmocka_unit_test(both_directions_need_names_of_their_own),
		cmocka_unit_test(
			omitted_datagrams_are_of_weight_only_where_some_are_omitted),
		cmocka_unit_test(a_version_is_compared_as_numbers),
		cmocka_unit_test(what_is_no_version_has_no_known_defect),
		cmocka_unit_test(no_more_are_told_than_there_is_room_for),
		cmocka_unit_test(the_library_here_has_a_version),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
