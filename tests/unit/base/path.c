/* SPDX-License-Identifier: MIT */
#include "base/path.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

static void a_path_is_the_root_and_what_follows(void **state)
{
	char path[PATH_MAX];

	(void)state;
	assert_int_equal(t1s_path(path, "", "/etc/%s", "x"), 0);
	assert_string_equal(path, "/etc/x");
	assert_int_equal(t1s_path(path, "/my root", "/etc/%s", "x"), 0);
	assert_string_equal(path, "/my root/etc/x");
	assert_int_equal(t1s_path(path, "/100%s", "/etc"), 0);
	assert_string_equal(path, "/100%s/etc");
}

static void a_path_that_is_too_long_opens_nothing(void **state)
{
	char path[PATH_MAX] = "before";
	char root[PATH_MAX + 10];

	(void)state;
	(void)snprintf(root, sizeof(root), "/%0*d", PATH_MAX - 4, 0);
	assert_int_equal(t1s_path(path, root, "/x"), 0); /* PATH_MAX - 1 characters */
	assert_int_equal(strlen(path), PATH_MAX - 1);
	assert_int_equal(t1s_path(path, root, "/xy"), -ENAMETOOLONG);
	assert_string_equal(path, "");
	(void)snprintf(path, sizeof(path), "before");
	(void)snprintf(root, sizeof(root), "/%0*d", PATH_MAX, 0);
	assert_int_equal(t1s_path(path, root, "/x"), -ENAMETOOLONG);
	assert_string_equal(path, "");
	assert_int_equal(t1s_path(path, "", "/%0*d", PATH_MAX - 1, 0), -ENAMETOOLONG);
	assert_string_equal(path, "");
}

static void a_person_sees_the_path_below_the_root(void **state)
{
	(void)state;
	assert_string_equal(t1s_path_below("/root", "/root/etc/x"), "/etc/x");
	assert_string_equal(t1s_path_below("", "/etc/x"), "/etc/x");
	assert_string_equal(t1s_path_below("/root", "/root2/etc"), "/root2/etc");
	assert_string_equal(t1s_path_below("/root", "/other"), "/other");
	assert_string_equal(t1s_path_below("/root", "/root"), "/root");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_path_is_the_root_and_what_follows),
		cmocka_unit_test(a_path_that_is_too_long_opens_nothing),
		cmocka_unit_test(a_person_sees_the_path_below_the_root),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
