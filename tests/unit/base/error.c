/* SPDX-License-Identifier: MIT */
#include "base/error.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <errno.h>
#include <string.h>

static void setting_returns_the_negative_errno_and_keeps_the_text(void **state)
{
	struct t1s_error e = {""};

	(void)state;
	assert_int_equal(t1s_error_set(&e, EINVAL, "%s:%d: bad", "file", 3), -EINVAL);
	assert_string_equal(e.text, "file:3: bad");
	assert_int_equal(t1s_error_set(&e, EIO, "other"), -EIO);
	assert_string_equal(e.text, "other");
}

static void setting_takes_an_errno_of_either_sign(void **state)
{
	struct t1s_error e = {""};

	(void)state;
	assert_int_equal(t1s_error_set(&e, -ENOENT, "x"), -ENOENT);
	assert_int_equal(t1s_error_set(&e, ENOENT, "x"), -ENOENT);
}

static void nobody_need_take_the_text(void **state)
{
	(void)state;
	assert_int_equal(t1s_error_set(NULL, EINVAL, "dropped %d", 1), -EINVAL);
	assert_int_equal(t1s_error_prefix(NULL, -EIO, "dropped %d", 1), -EIO);
}

static void a_text_may_be_made_from_itself(void **state)
{
	struct t1s_error e = {"inner"};

	(void)state;
	(void)t1s_error_set(&e, EINVAL, "outer (%s)", e.text);
	assert_string_equal(e.text, "outer (inner)");
}

static void a_prefix_goes_before_the_text_and_leaves_the_errno(void **state)
{
	struct t1s_error e = {"cannot read"};

	(void)state;
	assert_int_equal(t1s_error_prefix(&e, -EIO, "file %d", 7), -EIO);
	assert_string_equal(e.text, "file 7: cannot read");
}

static void a_long_text_is_cut_and_ended(void **state)
{
	struct t1s_error e = {""};

	(void)state;
	(void)t1s_error_set(&e, EINVAL, "%02000d", 0);
	assert_int_equal(strlen(e.text), T1S_ERROR_TEXT_MAX - 1);
	(void)t1s_error_prefix(&e, -EINVAL, "prefix");
	assert_int_equal(strlen(e.text), T1S_ERROR_TEXT_MAX - 1);
	assert_memory_equal(e.text, "prefix: 000", 11);
	(void)t1s_error_prefix(&e, -EINVAL, "%02000d", 1);
	assert_int_equal(strlen(e.text), T1S_ERROR_TEXT_MAX - 1);
}

/* A file's name or a stranger's answer may be in it. */
static void a_text_is_fit_to_be_shown(void **state)
{
	struct t1s_error e = {""};

	(void)state;
	(void)t1s_error_set(&e, EINVAL, "cannot read %s", "a\033[2Jb\nc\xff");
	assert_string_equal(e.text, "cannot read a?[2Jb?c?");
	(void)t1s_error_prefix(&e, -EINVAL, "%s", "\r\xc2\x9bü");
	assert_string_equal(e.text, "???ü: cannot read a?[2Jb?c?");
}

static void there_is_always_a_text_to_tell(void **state)
{
	struct t1s_error e = {""};

	(void)state;
	assert_string_equal(t1s_error_text(NULL), "unknown error");
	assert_string_equal(t1s_error_text(&e), "unknown error");
	(void)t1s_error_set(&e, EINVAL, "known");
	assert_string_equal(t1s_error_text(&e), "known");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(setting_returns_the_negative_errno_and_keeps_the_text),
		cmocka_unit_test(setting_takes_an_errno_of_either_sign),
		cmocka_unit_test(nobody_need_take_the_text),
		cmocka_unit_test(a_text_may_be_made_from_itself),
		cmocka_unit_test(a_prefix_goes_before_the_text_and_leaves_the_errno),
		cmocka_unit_test(a_long_text_is_cut_and_ended),
		cmocka_unit_test(a_text_is_fit_to_be_shown),
		cmocka_unit_test(there_is_always_a_text_to_tell),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
