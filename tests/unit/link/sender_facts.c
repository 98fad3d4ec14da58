/* SPDX-License-Identifier: MIT */
#include "link/sender_facts.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* In the form that ethtool 6.3 and later print. */
#define COORDINATOR                                                                      \
	"6.6.31+rpt-rpi-v8\nPLCA settings for eth1:\n\tEnabled: Yes\n"                   \
	"\tlocal node ID: 0 (coordinator)\n\tNode count: 8\n\tTO timer: 32 BT\n"         \
	"\tBurst count: 0 (disabled)\n\tBurst timer: 128 BT\n"                           \
	"PLCA status of eth1:\n\tStatus: on\n"
#define FOLLOWER                                                                         \
	"6.12.1\nPLCA settings for eth1:\n\tEnabled: No\n"                               \
	"\tlocal node ID: 255 (unconfigured)\n\tNode count: 2 (ignored)\n"               \
	"\tTO timer: not supported\n\tBurst count: 3 (enabled)\n"                        \
	"PLCA status of eth1:\n\tStatus: off\n"

#define NOT_ONE_NUMBER                                                                   \
	"6.6.31\n\tEnabled: perhaps\n\tlocal node ID: many\n\tNode count: -2\n"          \
	"\tTO timer: 99999999999999999999\n\tBurst count:\n:\n\tStatus: \n"

static struct t1s_sender_facts read_text(const char *text)
{
	struct t1s_sender_facts f;

	t1s_sender_facts_read(text, "", &f);
	return f;
}

static void a_coordinator_is_read(void **state)
{
	const struct t1s_sender_facts f = read_text(COORDINATOR);

	(void)state;
	assert_string_equal(f.kernel, "6.6.31+rpt-rpi-v8");
	assert_int_equal(f.plca.state, T1S_PLCA_ON);
	assert_int_equal(f.plca.node_id, 0);
	assert_int_equal(f.plca.node_count, 8);
	assert_int_equal(f.plca.to_timer_bits, 32);
	assert_int_equal(f.plca.burst_count, 0);
	assert_int_equal(f.plca.operating, 1);
}

static void a_follower_that_is_off_is_read(void **state)
{
	const struct t1s_sender_facts f = read_text(FOLLOWER);

	(void)state;
	assert_int_equal(f.plca.state, T1S_PLCA_OFF);
	assert_int_equal(f.plca.node_id, 255);
	assert_int_equal(f.plca.node_count, 2);
	assert_int_equal(f.plca.to_timer_bits, -1);
	assert_int_equal(f.plca.burst_count, 3);
	assert_int_equal(f.plca.operating, 0);
}

static void a_driver_without_plca_is_unsupported(void **state)
{
	struct t1s_sender_facts f;

	(void)state;
	t1s_sender_facts_read("6.6.31\n",
		"netlink error: Operation not supported\n"
		"netlink error: Operation not supported\n",
		&f);
	assert_int_equal(f.plca.state, T1S_PLCA_UNSUPPORTED);
	/* the status alone may not be known */
	t1s_sender_facts_read("6.6.31\nPLCA settings for eth1:\n\tEnabled: Yes\n",
		"netlink error: Operation not supported\n", &f);
	assert_int_equal(f.plca.state, T1S_PLCA_ON);
}

static void an_ethtool_that_is_missing_or_too_old_leaves_it_unknown(void **state)
{
	static const char *const complaints[] = {
		"timeout: failed to run command 'ethtool': No such file or directory\n",
		"ethtool: bad command line argument(s)\nFor more information: ethtool -h\n",
		"netlink error: No such device\n"};

	(void)state;
	for (size_t i = 0; i < sizeof(complaints) / sizeof(complaints[0]); i++) {
		struct t1s_sender_facts f;

		t1s_sender_facts_read("6.6.31\n", complaints[i], &f);
		assert_string_equal(f.kernel, "6.6.31");
		assert_int_equal(f.plca.state, T1S_PLCA_UNKNOWN);
	}
}

static void output_that_makes_no_sense_is_unknown(void **state)
{
	static const char *const texts[] = {
		"", "\n", "sh: 1: uname: not found\n", NOT_ONE_NUMBER};

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		const struct t1s_sender_facts f = read_text(texts[i]);

		assert_string_equal(f.kernel, i == 3 ? "6.6.31" : "");
		assert_int_equal(f.plca.state, T1S_PLCA_UNKNOWN);
		assert_int_equal(f.plca.node_id, -1);
		assert_int_equal(f.plca.node_count, -1);
		assert_int_equal(f.plca.to_timer_bits, -1);
		assert_int_equal(f.plca.burst_count, -1);
		assert_int_equal(f.plca.operating, -1);
	}
}

static void a_kernel_s_name_that_does_not_fit_is_unknown(void **state)
{
	char text[100];

	(void)state;
	memset(text, 'x', sizeof(text) - 1);
	text[sizeof(text) - 1] = '\0';
	assert_string_equal(read_text(text).kernel, "");
	text[64] = '\0';
	assert_string_equal(read_text(text).kernel, text);
}

static void a_kernel_s_name_is_plain_ascii(void **state)
{
	static const char *const texts[] = {"6.6\033[2J\n", "6.6\r\n", "6.6 a\n",
		"6.6\tb\n", "6.6\xff\n", "6.6\xc2\x9b\n", "6.6\x7f\n"};

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		assert_string_equal(read_text(texts[i]).kernel, "");
	assert_string_equal(read_text("6.6.31+rpt-~!\n").kernel, "6.6.31+rpt-~!");
}

static void the_command_runs_in_a_shell_and_gives_the_kernel_at_least(void **state)
{
	char command[512] = "exec 2>&1; ", line[1024] = "", output[4096] = "";
	const size_t n = strlen(command);
	struct t1s_sender_facts f;
	FILE *p;

	(void)state;
	assert_int_equal(
		t1s_sender_facts_command("it's0", command + n, sizeof(command) - n), 0);
	/* NOLINTNEXTLINE(cert-env33-c): what the sender's shell is given */
	p = popen(command, "r");
	assert_non_null(p);
	while (fgets(line, sizeof(line), p))
		(void)snprintf(output + strlen(output), sizeof(output) - strlen(output),
			"%s", line);
	(void)pclose(p);
	t1s_sender_facts_read(output, "", &f);
	assert_string_not_equal(f.kernel, "");
	assert_null(strstr(output, "ntax error"));
}

static void without_an_interface_only_the_kernel_is_asked_for(void **state)
{
	char command[512];

	(void)state;
	assert_int_equal(t1s_sender_facts_command("", command, sizeof(command)), 0);
	assert_string_equal(command, "uname -r");
	assert_int_equal(t1s_sender_facts_command("eth1", command, 20), -ENAMETOOLONG);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_coordinator_is_read),
		cmocka_unit_test(a_follower_that_is_off_is_read),
		cmocka_unit_test(a_driver_without_plca_is_unsupported),
		cmocka_unit_test(an_ethtool_that_is_missing_or_too_old_leaves_it_unknown),
		cmocka_unit_test(output_that_makes_no_sense_is_unknown),
		cmocka_unit_test(a_kernel_s_name_that_does_not_fit_is_unknown),
		cmocka_unit_test(a_kernel_s_name_is_plain_ascii),
		cmocka_unit_test(
			the_command_runs_in_a_shell_and_gives_the_kernel_at_least),
		cmocka_unit_test(without_an_interface_only_the_kernel_is_asked_for),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
