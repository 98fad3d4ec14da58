/* SPDX-License-Identifier: MIT */
/* What the sender is asked to run. */
#include "sweep/client.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static struct t1s_config config;
static struct t1s_workload *workload = config.workloads;
static struct t1s_error error;
static char command[2048];

static int set_up(void **state)
{
	(void)state;
	t1s_config_defaults(&config);
	error.text[0] = '\0';
	return 0;
}

static void make(void)
{
	if (t1s_client_command(&config, workload, command, sizeof(command), &error) < 0)
		fail_msg("%s", error.text);
}

static void the_default_is_that_of_the_reference_sweep(void **state)
{
	(void)state;
	make();
	assert_string_equal(command,
		"LC_ALL=C timeout -k 2 33 'iperf3' -c '10.10.10.2' -B '10.10.10.1' -p "
		"5201 -u -b 10000000 -l 1448 -t 20 -O 3 -J --connect-timeout 5000");
}

static void each_direction_has_its_option(void **state)
{
	(void)state;
	make();
	assert_null(strstr(command, " -R"));
	assert_null(strstr(command, " --bidir"));
	workload->direction = T1S_DIRECTION_SEND;
	make();
	assert_non_null(strstr(command, " -R "));
	assert_null(strstr(command, " --bidir"));
	workload->direction = T1S_DIRECTION_BOTH;
	make();
	assert_null(strstr(command, " -R"));
	assert_non_null(strstr(command, " --bidir "));
}

static void tcp_is_held_to_a_rate_only_if_one_is_given(void **state)
{
	(void)state;
	workload->protocol = T1S_PROTOCOL_TCP;
	workload->rate_bps = 0;
	workload->length_bytes = 131072;
	make();
	assert_null(strstr(command, " -u"));
	assert_null(strstr(command, " -b"));
	assert_non_null(strstr(command, " -l 131072 "));
	workload->rate_bps = 2500000;
	make();
	assert_null(strstr(command, " -u"));
	assert_non_null(strstr(command, " -b 2500000 "));
}

static void names_are_words_of_their_own_for_the_shell(void **state)
{
	(void)state;
	(void)strcpy(config.sender_iperf3, "/opt/my iperf's/iperf3; reboot");
	make();
	assert_non_null(strstr(command, "'/opt/my iperf'\\''s/iperf3; reboot' -c "));
}

static void a_command_without_room_is_refused(void **state)
{
	(void)state;
	assert_int_equal(t1s_client_command(&config, workload, command, 40, &error),
		-ENAMETOOLONG);
	memset(config.sender_iperf3, '\'', sizeof(config.sender_iperf3) - 1);
	assert_int_equal(t1s_client_command(&config, workload, command, 300, &error),
		-ENAMETOOLONG);
}

static void the_client_is_ended_a_while_after_its_time(void **state)
{
	(void)state;
	workload->duration_s = 7;
	workload->omit_s = 2;
	assert_int_equal(t1s_client_timeout_s(workload), 19);
}

static void both_directions_at_once_need_a_version_that_tells_them_apart(void **state)
{
	(void)state;
	config.workloads_count = 2;
	assert_int_equal(t1s_client_check(&config, "iperf 3.1.7", &error), 0);
	config.workloads[1] = config.workloads[0];
	config.workloads[1].direction = T1S_DIRECTION_BOTH;
	(void)strcpy(config.workloads[1].name, "two-way");
	assert_int_equal(
		t1s_client_check(&config, "iperf 3.9", &error), -EPROTONOSUPPORT);
	assert_non_null(strstr(error.text, "[Workload two-way]"));
	assert_non_null(strstr(error.text, "3.9"));
	assert_int_equal(
		t1s_client_check(&config, "iperf 3.1.7", &error), -EPROTONOSUPPORT);
	assert_int_equal(t1s_client_check(&config, "nonsense", &error), -EPROTONOSUPPORT);
	assert_int_equal(t1s_client_check(&config, "iperf 3.11", &error), 0);
	assert_int_equal(t1s_client_check(&config, "iperf 3.18", &error), 0);
	assert_int_equal(t1s_client_check(&config, "iperf 4.0", &error), 0);
}

#define TEST(name) cmocka_unit_test_setup(name, set_up)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(the_default_is_that_of_the_reference_sweep),
		TEST(each_direction_has_its_option),
		TEST(tcp_is_held_to_a_rate_only_if_one_is_given),
		TEST(names_are_words_of_their_own_for_the_shell),
		TEST(a_command_without_room_is_refused),
		TEST(the_client_is_ended_a_while_after_its_time),
		TEST(both_directions_at_once_need_a_version_that_tells_them_apart),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
