/* SPDX-License-Identifier: MIT */
/* This machine's kernel is asked and told, in a network namespace of its own: with and
 * without the right to it. A veth has no PLCA. */
#include "link/plca.h"

#include <errno.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#define SKIPPED 77
#define NOBODY 65534

static void a_veth_has_no_plca_and_that_is_no_error(void **state)
{
	struct t1s_plca p;

	(void)state;
	assert_int_equal(t1s_plca_get("t1s0", &p, NULL), 0);
	assert_int_equal(p.state, T1S_PLCA_UNSUPPORTED);
}

static void setting_it_on_a_veth_is_not_supported(void **state)
{
	struct t1s_error e = {""};

	(void)state;
	assert_int_equal(t1s_plca_set("t1s0", 1, 2, &e), -EOPNOTSUPP);
	assert_non_null(strstr(e.text, "t1s0"));
}

static void an_interface_that_is_not_there_is_told_from_it(void **state)
{
	(void)state;
	assert_int_equal(t1s_plca_set("t1s9", 1, 2, NULL), -ENODEV);
}

/* The kernel looks at the right before it looks at the driver. */
static void who_has_no_right_to_it_is_refused(void **state)
{
	int status = -1;
	pid_t pid = fork();

	(void)state;
	assert_true(pid >= 0);
	if (pid == 0)
		_exit(setgid(NOBODY) == 0 && setuid(NOBODY) == 0 &&
					t1s_plca_set("t1s0", 1, 2, NULL) == -EPERM
				? 0
				: 1);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_veth_has_no_plca_and_that_is_no_error),
		cmocka_unit_test(setting_it_on_a_veth_is_not_supported),
		cmocka_unit_test(an_interface_that_is_not_there_is_told_from_it),
		cmocka_unit_test(who_has_no_right_to_it_is_refused),
	};

	/* NOLINTNEXTLINE(cert-env33-c): goes away with the namespace */
	if (unshare(CLONE_NEWNET) < 0 || system("ip link add t1s0 type veth") != 0) {
		(void)puts("skipped: needs root, and ip(8) for a veth");
		return SKIPPED;
	}
	return cmocka_run_group_tests(tests, NULL, NULL);
}
