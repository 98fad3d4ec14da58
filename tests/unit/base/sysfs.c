/* SPDX-License-Identifier: MIT */
#include "base/sysfs.h"

#include "base/file.h"
#include "base/path.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

static char root[64];

static int set_up(void **state)
{
	(void)state;
	(void)snprintf(root, sizeof(root), "/tmp/t1s-sysfs-XXXXXX");
	return mkdtemp(root) ? 0 : -1;
}

static int tear_down(void **state)
{
	char path[PATH_MAX];

	(void)state;
	(void)t1s_path(path, root, "/value");
	(void)unlink(path);
	return rmdir(root);
}

static void put(const char *text)
{
	char path[PATH_MAX];

	assert_int_equal(t1s_path(path, root, "/value"), 0);
	assert_int_equal(
		t1s_replace_file(path, text, strlen(text), 0644, false, NULL), 0);
}

static void a_count_is_a_whole_number_alone_on_its_line(void **state)
{
	(void)state;
	assert_int_equal(t1s_sysfs_count(root, "/%s", "value"), -1);
	put("42\n");
	assert_int_equal(t1s_sysfs_count(root, "/%s", "value"), 42);
	put("9223372036854775807\n");
	assert_int_equal(t1s_sysfs_count(root, "/value"), INT64_MAX);
	put("9223372036854775808\n");
	assert_int_equal(t1s_sysfs_count(root, "/value"), -1);
	put("-1\n");
	assert_int_equal(t1s_sysfs_count(root, "/value"), -1);
	put("42 43\n");
	assert_int_equal(t1s_sysfs_count(root, "/value"), -1);
	put("\n");
	assert_int_equal(t1s_sysfs_count(root, "/value"), -1);
}

static void a_text_that_does_not_fit_is_unknown(void **state)
{
	char text[6] = "old";

	(void)state;
	assert_false(t1s_sysfs_text(text, sizeof(text), root, "/value"));
	assert_string_equal(text, "");
	put("12345");
	assert_true(t1s_sysfs_text(text, sizeof(text), root, "/value"));
	assert_string_equal(text, "12345");
	put("123456");
	assert_false(t1s_sysfs_text(text, sizeof(text), root, "/value"));
	assert_string_equal(text, "");
}

static void a_link_gives_the_last_part_of_its_target(void **state)
{
	static const struct {
		const char *target, *last;
	} cases[] = {{"../../bus/spi/drivers/lan8650", "lan8650"}, {"spi0.0", "spi0.0"},
		{"a/12345678", ""}, {"a/", ""}};
	char path[PATH_MAX], text[8];

	(void)state;
	assert_int_equal(t1s_path(path, root, "/value"), 0);
	assert_false(t1s_sysfs_link(text, sizeof(text), root, "/value"));
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		(void)unlink(path);
		assert_int_equal(symlink(cases[i].target, path), 0);
		assert_int_equal(t1s_sysfs_link(text, sizeof(text), root, "/value"),
			cases[i].last[0] != '\0');
		assert_string_equal(text, cases[i].last);
	}
	(void)unlink(path);
	put("no link\n");
	assert_false(t1s_sysfs_link(text, sizeof(text), root, "/value"));
}

static void a_path_that_is_too_long_is_unknown(void **state)
{
	char name[PATH_MAX + 8], text[8];

	(void)state;
	memset(name, 'a', sizeof(name) - 1);
	name[sizeof(name) - 1] = '\0';
	assert_int_equal(t1s_sysfs_count(root, "/%s", name), -1);
	assert_false(t1s_sysfs_text(text, sizeof(text), root, "/%s", name));
	assert_false(t1s_sysfs_link(text, sizeof(text), root, "/%s", name));
}

static void a_delta_needs_both_and_a_counter_that_grew(void **state)
{
	(void)state;
	assert_int_equal(t1s_counter_delta(3, 5), 2);
	assert_int_equal(t1s_counter_delta(5, 5), 0);
	assert_int_equal(t1s_counter_delta(5, 3), -1);
	assert_int_equal(t1s_counter_delta(-1, 3), -1);
	assert_int_equal(t1s_counter_delta(3, -1), -1);
	assert_int_equal(t1s_counter_delta(0, INT64_MAX), INT64_MAX);
}

#define IN_FOLDER(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		IN_FOLDER(a_count_is_a_whole_number_alone_on_its_line),
		IN_FOLDER(a_text_that_does_not_fit_is_unknown),
		IN_FOLDER(a_link_gives_the_last_part_of_its_target),
		IN_FOLDER(a_path_that_is_too_long_is_unknown),
		cmocka_unit_test(a_delta_needs_both_and_a_counter_that_grew),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
