/* SPDX-License-Identifier: MIT */
#include "board/power.h"

#include "base/cleanup.h"
#include "base/path.h"
#include "board/power_bus.h"
#include "fakebus.h"
#include "tree.h"

#include <errno.h>
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#define BOOT_ID "/proc/sys/kernel/random/boot_id"
#define UNIT "t1s-sweep.service"
#define SYSTEM "/etc/systemd/system"
#define DELAY_US 10000000U

/* Short where a test waits for the end of a wait, long where it must not. */
static const struct t1s_bus_patience patient = {30000000, 30000000, 1000};
static const struct t1s_bus_patience soon_tired = {30000000, 50000, 1000};
static const struct t1s_bus_patience hasty = {2000000, 50000, 1000};

static void boot_id_is_read_without_its_newline(void **state)
{
	const struct tree *t = *state;
	char id[T1S_BOOT_ID_MAX];
	struct t1s_error e = {0};

	assert_int_equal(t1s_boot_id(t->root, id, &e), -ENOENT);
	assert_non_null(strstr(e.text, BOOT_ID));
	tree_write_text(t, BOOT_ID, "01234567-89ab-cdef-0123-456789abcdef\n");
	assert_int_equal(t1s_boot_id(t->root, id, NULL), 0);
	assert_string_equal(id, "01234567-89ab-cdef-0123-456789abcdef");
}

static void boot_id_that_is_none_is_refused(void **state)
{
	const struct tree *t = *state;
	char id[T1S_BOOT_ID_MAX];

	tree_write_text(t, BOOT_ID, "\n");
	assert_int_equal(t1s_boot_id(t->root, id, NULL), -EBADMSG);
	tree_write_text(t, BOOT_ID, "01234567-89ab-cdef-0123-456789abcdef-and-more\n");
	assert_int_equal(t1s_boot_id(t->root, id, NULL), -EFBIG);
}

static void cmdline_word_is_matched_whole(void **state)
{
	const struct tree *t = *state;

	assert_false(t1s_cmdline_has(t->root, "t1s_sweep=off"));
	tree_write_text(
		t, "/proc/cmdline", "root=/dev/x xt1s_sweep=off t1s_sweep=offx\n");
	assert_false(t1s_cmdline_has(t->root, "t1s_sweep=off"));
	tree_write_text(t, "/proc/cmdline", "root=/dev/x t1s_sweep=off\n");
	assert_true(t1s_cmdline_has(t->root, "t1s_sweep=off"));
	tree_write_text(t, "/proc/cmdline", "t1s_sweep=off quiet");
	assert_true(t1s_cmdline_has(t->root, "t1s_sweep=off"));
}

static void link_to(const struct tree *t, const char *path, const char *target)
{
	char full[PATH_MAX];

	tree_write_text(t, path, ""); /* for its folders */
	assert_int_equal(t1s_path(full, t->root, "%s", path), 0);
	assert_int_equal(unlink(full), 0);
	assert_int_equal(symlink(target, full), 0);
}

static bool exists(const struct tree *t, const char *path)
{
	char full[PATH_MAX];
	struct stat st;

	assert_int_equal(t1s_path(full, t->root, "%s", path), 0);
	return lstat(full, &st) == 0;
}

static void disabling_below_a_root_removes_the_unit_s_links_only(void **state)
{
	const struct tree *t = *state;

	link_to(t, SYSTEM "/multi-user.target.wants/" UNIT, "/lib/systemd/system/" UNIT);
	link_to(t, SYSTEM "/x.target.requires/" UNIT, "../" UNIT);
	link_to(t, SYSTEM "/multi-user.target.wants/ssh.service", "/lib/x");
	link_to(t, SYSTEM "/other/" UNIT, "/lib/x");
	tree_write_text(t, SYSTEM "/" UNIT, "[Unit]\n");
	tree_write_text(t, SYSTEM "/y.target.wants/" UNIT, "a file, put there by hand\n");
	assert_int_equal(t1s_power_disable_unit(t->root, UNIT, NULL), 0);
	assert_false(exists(t, SYSTEM "/multi-user.target.wants/" UNIT));
	assert_false(exists(t, SYSTEM "/x.target.requires/" UNIT));
	assert_true(exists(t, SYSTEM "/multi-user.target.wants/ssh.service"));
	assert_true(exists(t, SYSTEM "/other/" UNIT));
	assert_true(exists(t, SYSTEM "/" UNIT));
	assert_true(exists(t, SYSTEM "/y.target.wants/" UNIT));
	assert_int_equal(t1s_power_disable_unit(t->root, UNIT, NULL), 0);
}

static void unit_that_is_not_enabled_below_a_root_is_fine(void **state)
{
	const struct tree *t = *state;

	assert_int_equal(t1s_power_disable_unit(t->root, UNIT, NULL), 0);
	tree_folder(t, SYSTEM "/multi-user.target.wants");
	assert_int_equal(t1s_power_disable_unit(t->root, UNIT, NULL), 0);
}

static void name_with_a_folder_is_no_unit(void **state)
{
	const struct tree *t = *state;

	assert_int_equal(t1s_power_disable_unit(t->root, "", NULL), -EINVAL);
	assert_int_equal(t1s_power_disable_unit(t->root, "../x", NULL), -EINVAL);
	assert_int_equal(t1s_power_disable_unit("", "a/b", NULL), -EINVAL);
}

/* A reboot asked of a fake bus; the result, and what the bus was asked. */
static int reboot_on(const struct fakebus_manners *manners,
	const struct t1s_bus_patience *patience, char ret_calls[FAKEBUS_CALLS_MAX],
	struct t1s_error *e)
{
	struct fakebus bus;
	int r;

	fakebus_start(&bus, manners);
	r = t1s_bus_reboot(DELAY_US, "sweep: next point", patience, e);
	fakebus_stop(&bus, ret_calls);
	return r;
}

static void reboot_is_scheduled_with_a_word_to_logged_in_users(void **state)
{
	const struct fakebus_manners manners = {0};
	char calls[FAKEBUS_CALLS_MAX];

	(void)state;
	assert_int_equal(reboot_on(&manners, &patient, calls, NULL), 0);
	assert_string_equal(calls, "SetWallMessage sweep: next point 1\n"
				   "ScheduleShutdown reboot in about 10 s\n");
}

static void reboot_goes_on_without_the_word(void **state)
{
	const struct fakebus_manners manners = {.no_wall = true};
	char calls[FAKEBUS_CALLS_MAX];

	(void)state;
	assert_int_equal(reboot_on(&manners, &patient, calls, NULL), 0);
	assert_non_null(strstr(calls, "ScheduleShutdown"));
}

static void refused_reboot_says_run_as_root(void **state)
{
	const struct fakebus_manners manners = {
		.error = "org.freedesktop.DBus.Error.AccessDenied", .errors = 99};
	char calls[FAKEBUS_CALLS_MAX];
	struct t1s_error e = {0};

	(void)state;
	assert_int_equal(reboot_on(&manners, &patient, calls, &e), -EACCES);
	assert_non_null(strstr(e.text, "refused"));
	assert_non_null(strstr(e.text, "root"));
}

static void reboot_without_logind_names_it(void **state)
{
	const struct fakebus_manners manners = {
		.error = "org.freedesktop.DBus.Error.ServiceUnknown", .errors = 99};
	char calls[FAKEBUS_CALLS_MAX];
	struct t1s_error e = {0};

	(void)state;
	assert_int_equal(reboot_on(&manners, &patient, calls, &e), -ESRCH);
	assert_non_null(strstr(e.text, "systemd-logind"));
}

static void other_error_of_logind_is_passed_on(void **state)
{
	const struct fakebus_manners manners = {
		.error = "org.freedesktop.DBus.Error.InvalidArgs", .errors = 99};
	char calls[FAKEBUS_CALLS_MAX];
	struct t1s_error e = {0};

	(void)state;
	assert_int_equal(reboot_on(&manners, &patient, calls, &e), -EINVAL);
	assert_non_null(strstr(e.text, "as the test wants it"));
}

static void short_block_inhibitor_is_waited_for(void **state)
{
	static const char *const names[] = {"org.freedesktop.DBus.Error.AccessDenied",
		"org.freedesktop.login1.BlockedByInhibitorLock"};

	(void)state;
	for (size_t i = 0; i < T1S_ELEMENTSOF(names); i++) {
		const struct fakebus_manners manners = {
			.error = names[i], .errors = 2, .holder = "apt"};
		char calls[FAKEBUS_CALLS_MAX];

		assert_int_equal(reboot_on(&manners, &patient, calls, NULL), 0);
		assert_string_equal(calls,
			"SetWallMessage sweep: next point 1\n"
			"ScheduleShutdown reboot in about 10 s\nListInhibitors\n"
			"ScheduleShutdown reboot in about 10 s\nListInhibitors\n"
			"ScheduleShutdown reboot in about 10 s\n");
	}
}

static void lasting_block_inhibitor_is_named(void **state)
{
	const struct fakebus_manners manners = {
		.error = "org.freedesktop.login1.BlockedByInhibitorLock",
		.errors = INT_MAX,
		.holder = "apt"};
	char calls[FAKEBUS_CALLS_MAX];
	struct t1s_error e = {0};

	(void)state;
	assert_int_equal(reboot_on(&manners, &soon_tired, calls, &e), -EBUSY);
	assert_non_null(strstr(e.text, "apt (upgrading)"));
	assert_null(strstr(e.text, "sleeper"));
	assert_null(strstr(e.text, "delayer"));
}

static void logind_or_bus_that_is_silent_is_not_waited_for_without_end(void **state)
{
	const struct fakebus_manners deaf_logind = {.silent_logind = true};
	const struct fakebus_manners deaf_bus = {.silent_bus = true};
	char calls[FAKEBUS_CALLS_MAX];
	struct t1s_error e = {0};

	(void)state;
	assert_int_equal(reboot_on(&deaf_logind, &hasty, calls, &e), -ETIMEDOUT);
	assert_non_null(strstr(e.text, "systemd-logind"));
	assert_int_equal(reboot_on(&deaf_bus, &hasty, calls, &e), -ETIMEDOUT);
	assert_non_null(strstr(e.text, "D-Bus"));
}

static void no_bus_at_all_is_told(void **state)
{
	struct t1s_error e = {0};

	(void)state;
	assert_int_equal(
		setenv("DBUS_SYSTEM_BUS_ADDRESS", "unix:path=/nowhere/bus", 1), 0);
	assert_int_equal(t1s_power_reboot(DELAY_US, "x", &e), -ENOENT);
	assert_non_null(strstr(e.text, "systemctl status dbus"));
	assert_int_equal(t1s_power_disable_unit("", UNIT, &e), -ENOENT);
	assert_non_null(strstr(e.text, "systemctl status dbus"));
}

static void bus_that_closes_is_told(void **state)
{
	const struct fakebus_manners manners = {.closes = true};
	char calls[FAKEBUS_CALLS_MAX];
	struct t1s_error e = {0};

	(void)state;
	assert_true(reboot_on(&manners, &patient, calls, &e) < 0);
	assert_non_null(strstr(e.text, "D-Bus"));
}

static void unit_is_disabled_for_good_and_not_for_this_boot_only(void **state)
{
	const struct fakebus_manners manners = {0};
	char calls[FAKEBUS_CALLS_MAX];
	struct fakebus bus;

	(void)state;
	fakebus_start(&bus, &manners);
	assert_int_equal(t1s_bus_disable_unit(UNIT, &patient, NULL), 0);
	fakebus_stop(&bus, calls);
	assert_string_equal(calls, "DisableUnitFiles " UNIT " 0\n");
}

static void refused_disabling_is_told(void **state)
{
	const struct fakebus_manners manners = {
		.error = "org.freedesktop.DBus.Error.InteractiveAuthorizationRequired",
		.errors = 99};
	char calls[FAKEBUS_CALLS_MAX];
	struct t1s_error e = {0};
	struct fakebus bus;
	int r;

	(void)state;
	fakebus_start(&bus, &manners);
	r = t1s_bus_disable_unit(UNIT, &patient, &e);
	fakebus_stop(&bus, calls);
	assert_int_equal(r, -EACCES);
	assert_non_null(strstr(e.text, "service manager"));
}

#define IN_TREE(f) cmocka_unit_test_setup_teardown(f, tree_setup, tree_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		IN_TREE(boot_id_is_read_without_its_newline),
		IN_TREE(boot_id_that_is_none_is_refused),
		IN_TREE(cmdline_word_is_matched_whole),
		IN_TREE(disabling_below_a_root_removes_the_unit_s_links_only),
		IN_TREE(unit_that_is_not_enabled_below_a_root_is_fine),
		IN_TREE(name_with_a_folder_is_no_unit),
		cmocka_unit_test(reboot_is_scheduled_with_a_word_to_logged_in_users),
		cmocka_unit_test(reboot_goes_on_without_the_word),
		cmocka_unit_test(refused_reboot_says_run_as_root),
		cmocka_unit_test(reboot_without_logind_names_it),
		cmocka_unit_test(other_error_of_logind_is_passed_on),
		cmocka_unit_test(short_block_inhibitor_is_waited_for),
		cmocka_unit_test(lasting_block_inhibitor_is_named),
		cmocka_unit_test(
			logind_or_bus_that_is_silent_is_not_waited_for_without_end),
		cmocka_unit_test(no_bus_at_all_is_told),
		cmocka_unit_test(bus_that_closes_is_told),
		cmocka_unit_test(unit_is_disabled_for_good_and_not_for_this_boot_only),
		cmocka_unit_test(refused_disabling_is_told),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
