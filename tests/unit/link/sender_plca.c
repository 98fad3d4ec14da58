/* SPDX-License-Identifier: MIT */
#include "link/sender_plca.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#define BOUNDED "LC_ALL=C PATH=$PATH:/usr/sbin:/sbin timeout 5 "

static const struct t1s_sender_plca pi = {"pi", "eth1", 0, 2};

static void root_sets_it_and_others_by_sudo_without_a_question(void **state)
{
	struct t1s_sender_plca p = pi;
	char command[256];

	(void)state;
	assert_int_equal(t1s_sender_plca_command(&p, command, sizeof(command)), 0);
	assert_string_equal(command,
		BOUNDED "sudo -n ethtool --set-plca-cfg 'eth1' enable on node-id 0 "
			"node-cnt 2");
	p.user = "root";
	p.node_count = -1;
	assert_int_equal(t1s_sender_plca_command(&p, command, sizeof(command)), 0);
	assert_string_equal(
		command, BOUNDED "ethtool --set-plca-cfg 'eth1' enable on node-id 0");
}

static void asking_whether_it_may_sets_nothing(void **state)
{
	struct t1s_sender_plca p = pi;
	char command[256];

	(void)state;
	assert_int_equal(t1s_sender_plca_may_command(&p, command, sizeof(command)), 0);
	assert_string_equal(command,
		BOUNDED "sudo -n -l ethtool --set-plca-cfg 'eth1' enable on node-id 0 "
			"node-cnt 2");
	p.user = "root";
	assert_int_equal(t1s_sender_plca_may_command(&p, command, sizeof(command)), 0);
	assert_null(strstr(command, "ethtool"));
}

static void a_name_that_does_not_fit_is_refused(void **state)
{
	char command[32];

	(void)state;
	assert_int_equal(
		t1s_sender_plca_command(&pi, command, sizeof(command)), -ENAMETOOLONG);
}

static int how(int status, const char *errors, struct t1s_error *e)
{
	return t1s_sender_plca_read(&pi, status, errors, e);
}

static void each_way_to_fail_is_told_from_the_others(void **state)
{
	struct t1s_error e = {""};

	(void)state;
	assert_int_equal(how(0, "", &e), 0);
	assert_int_equal(
		how(1, "netlink error: Operation not supported\n", &e), -EOPNOTSUPP);
	assert_int_equal(how(1, "sudo: a password is required\n", &e), -EACCES);
	assert_non_null(strstr(e.text, "NOPASSWD: /usr/sbin/ethtool"));
	assert_int_equal(
		how(127, "timeout: failed to run command 'sudo': No such file\n", &e),
		-EACCES);
	assert_int_equal(how(1, "netlink error: Operation not permitted\n", &e), -EACCES);
	assert_int_equal(how(1, "sudo: ethtool: command not found\n", &e), -ENOSYS);
	assert_int_equal(
		how(127, "timeout: failed to run command 'ethtool': No such file\n", &e),
		-ENOSYS);
	assert_int_equal(how(1, "ethtool: bad command line argument(s)\n", &e), -ENOSYS);
	assert_int_equal(
		how(75, "netlink error: Invalid\033 argument\nmore\n", &e), -EREMOTEIO);
	assert_non_null(strstr(e.text, "(exit status 75): netlink error: Invalid"));
	assert_null(strchr(e.text, '\033'));
	assert_null(strstr(e.text, "more"));
	assert_int_equal(how(-1, "", &e), -EREMOTEIO);
	assert_non_null(strstr(e.text, "no word why"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(root_sets_it_and_others_by_sudo_without_a_question),
		cmocka_unit_test(asking_whether_it_may_sets_nothing),
		cmocka_unit_test(a_name_that_does_not_fit_is_refused),
		cmocka_unit_test(each_way_to_fail_is_told_from_the_others),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
