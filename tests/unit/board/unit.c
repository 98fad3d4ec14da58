/* SPDX-License-Identifier: MIT */
#include "board/unit.h"

#include "fakebus.h"
#include "tree.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define UNIT "t1s-sweep.service"
#define SYSTEM "/etc/systemd/system"

static void assert_state(const struct tree *t, const char *expected)
{
	char state[T1S_UNIT_STATE_MAX] = "";

	assert_int_equal(t1s_unit_file_state(t->root, UNIT, state, NULL), 0);
	assert_string_equal(state, expected);
}

static void a_link_of_a_target_below_a_root_enables_even_where_it_leads_nowhere(
	void **state)
{
	const struct tree *t = *state;

	tree_write_text(t, "/usr/lib/systemd/system/" UNIT, "[Unit]\n");
	assert_state(t, "disabled");
	tree_link(t, SYSTEM "/other/" UNIT, "/nowhere");
	tree_link(t, SYSTEM "/x.target.wants/other.service", "/nowhere");
	assert_state(t, "disabled");
	tree_link(t, SYSTEM "/x.target.wants/" UNIT, "/nowhere");
	assert_state(t, "enabled");
}

static void a_unit_that_an_administrator_wrote_below_a_root_counts(void **state)
{
	const struct tree *t = *state;

	tree_write_text(t, SYSTEM "/" UNIT, "[Unit]\n");
	assert_state(t, "disabled");
	tree_link(t, SYSTEM "/y.target.requires/" UNIT, "../" UNIT);
	assert_state(t, "enabled");
}

static void a_link_to_dev_null_below_a_root_masks(void **state)
{
	const struct tree *t = *state;

	tree_link(t, SYSTEM "/x.target.wants/" UNIT, "/nowhere");
	tree_link(t, SYSTEM "/" UNIT, "/dev/null");
	assert_state(t, "masked");
}

static void a_root_without_the_unit_has_none(void **state)
{
	const struct tree *t = *state;
	char text[T1S_UNIT_STATE_MAX] = "kept";
	struct t1s_error e = {0};

	assert_int_equal(t1s_unit_file_state(t->root, UNIT, text, &e), -ENOENT);
	assert_non_null(strstr(e.text, UNIT));
	assert_string_equal(text, "kept");
}

static void a_name_that_is_a_path_or_a_pattern_is_no_unit(void **state)
{
	static const char *const names[] = {"", "a/b", "*", "[a]", "a?", "a\\"};
	const struct tree *t = *state;
	char text[T1S_UNIT_STATE_MAX];

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		assert_int_equal(
			t1s_unit_file_state(t->root, names[i], text, NULL), -EINVAL);
}

static int state_on(const struct fakebus_manners *manners, char text[T1S_UNIT_STATE_MAX],
	struct t1s_error *e)
{
	char calls[FAKEBUS_CALLS_MAX];
	struct fakebus bus;
	int r;

	fakebus_start(&bus, manners);
	r = t1s_unit_file_state("", UNIT, text, e);
	fakebus_stop(&bus, calls);
	return r;
}

static void the_manager_is_asked_on_the_running_system(void **state)
{
	const struct fakebus_manners manners = {.state = "enabled-runtime"};
	const struct fakebus_manners without = {0};
	const struct fakebus_manners refusing = {
		.error = "org.freedesktop.DBus.Error.AccessDenied", .errors = 1};
	char text[T1S_UNIT_STATE_MAX] = "";
	struct t1s_error e = {0};

	(void)state;
	assert_int_equal(state_on(&manners, text, NULL), 0);
	assert_string_equal(text, "enabled-runtime");
	assert_int_equal(state_on(&without, text, &e), -ENOENT);
	assert_int_equal(state_on(&refusing, text, &e), -EACCES);
	assert_non_null(strstr(e.text, "as the test wants it"));
}

static int doing_on(const struct fakebus_manners *manners, struct t1s_unit_doing *doing,
	struct t1s_error *e)
{
	char calls[FAKEBUS_CALLS_MAX];
	struct fakebus bus;
	int r;

	fakebus_start(&bus, manners);
	r = t1s_unit_doing(UNIT, doing, e);
	fakebus_stop(&bus, calls);
	return r;
}

static void what_the_service_does_is_told_with_the_planned_reboot(void **state)
{
	const struct fakebus_manners manners = {
		.doing = "point 3/16: measuring\n", .reboots = true};
	const struct fakebus_manners quiet = {.doing = ""};
	struct t1s_unit_doing doing;

	(void)state;
	assert_int_equal(doing_on(&manners, &doing, NULL), 0);
	assert_string_equal(doing.active, "activating");
	assert_string_equal(doing.status, "point 3/16: measuring?");
	assert_int_equal(doing.reboot_wall_us, 12000000);
	assert_int_equal(doing_on(&quiet, &doing, NULL), 0);
	assert_string_equal(doing.status, "");
	assert_int_equal(doing.reboot_wall_us, 0);
}

static void a_manager_that_refuses_or_is_not_there_is_told(void **state)
{
	const struct fakebus_manners refusing = {
		.error = "org.freedesktop.DBus.Error.AccessDenied", .errors = 1};
	struct t1s_unit_doing doing;
	struct t1s_error e = {0};

	(void)state;
	assert_int_equal(doing_on(&refusing, &doing, &e), -EACCES);
	assert_non_null(strstr(e.text, UNIT));
	assert_int_equal(
		setenv("DBUS_SYSTEM_BUS_ADDRESS", "unix:path=/nowhere/bus", 1), 0);
	assert_int_equal(t1s_unit_doing(UNIT, &doing, &e), -ENOENT);
	assert_non_null(strstr(e.text, "D-Bus"));
}

#define IN_TREE(f) cmocka_unit_test_setup_teardown(f, tree_setup, tree_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		IN_TREE(a_link_of_a_target_below_a_root_enables_even_where_it_leads_nowhere),
		IN_TREE(a_unit_that_an_administrator_wrote_below_a_root_counts),
		IN_TREE(a_link_to_dev_null_below_a_root_masks),
		IN_TREE(a_root_without_the_unit_has_none),
		IN_TREE(a_name_that_is_a_path_or_a_pattern_is_no_unit),
		cmocka_unit_test(the_manager_is_asked_on_the_running_system),
		cmocka_unit_test(what_the_service_does_is_told_with_the_planned_reboot),
		cmocka_unit_test(a_manager_that_refuses_or_is_not_there_is_told),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
