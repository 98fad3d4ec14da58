/* SPDX-License-Identifier: MIT */
#include "link/iface_setup.h"

#include "base/file.h"
#include "link/plca.h"
#include "scratch.h"

#include <errno.h>
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static char root[SCRATCH_MAX];

static int set_up(void **state)
{
	(void)state;
	return scratch_make(root);
}

static int tear_down(void **state)
{
	(void)state;
	return scratch_remove(root);
}

static void folder_of(const char *path, char ret[PATH_MAX])
{
	(void)snprintf(ret, PATH_MAX, "%s%s", root, path);
	*strrchr(ret, '/') = '\0';
	assert_int_equal(t1s_make_folder(ret, 0755, NULL), 0);
	(void)snprintf(ret, PATH_MAX, "%s%s", root, path);
}

static void put(const char *path, const char *text)
{
	char full[PATH_MAX];

	folder_of(path, full);
	assert_int_equal(
		t1s_replace_file(full, text, strlen(text), 0644, false, NULL), 0);
}

static void put_link(const char *path, const char *target)
{
	char full[PATH_MAX];

	folder_of(path, full);
	assert_int_equal(symlink(target, full), 0);
}

static struct t1s_iface_setup setup_of(const char *name)
{
	struct t1s_iface_setup s;

	t1s_iface_setup_read(root, name, &s);
	return s;
}

static void address_mtu_and_driver_come_from_sysfs(void **state)
{
	(void)state;
	put("/sys/class/net/t1s0/address", "02:00:00:00:00:02\n");
	put("/sys/class/net/t1s0/mtu", "1500\n");
	put_link("/sys/class/net/t1s0/device/driver", "../../drv/lan8650");
	put("/sys/class/net/t1s0/drv/lan8650/bind", "");
	put_link("/sys/class/net/drv",
		"t1s0/drv"); /* so that the link above leads there */
	put_link("/sys/class/net/t1s0/drv/lan8650/module",
		"../../../../../module/lan865x");
	put("/sys/module/lan865x/version", "1.2.3\n");
	assert_string_equal(setup_of("t1s0").mac, "02:00:00:00:00:02");
	assert_int_equal(setup_of("t1s0").mtu, 1500);
	assert_string_equal(setup_of("t1s0").driver, "lan8650");
	assert_string_equal(setup_of("t1s0").driver_version, "1.2.3");
}

static void a_module_without_a_version_has_its_source_s_checksum(void **state)
{
	(void)state;
	put_link("/sys/class/net/t1s0/device/driver", "../drivers/lan8650");
	put_link("/sys/class/net/t1s0/drivers/lan8650/module", "x/lan865x");
	put("/sys/module/lan865x/srcversion", "DEADBEEF0123456789ABCDE\n");
	assert_string_equal(
		setup_of("t1s0").driver_version, "srcversion DEADBEEF0123456789ABCDE");
}

static void what_is_not_there_is_unknown(void **state)
{
	struct t1s_iface_setup s = setup_of("t1s0");

	(void)state;
	assert_string_equal(s.mac, "");
	assert_int_equal(s.mtu, -1);
	assert_string_equal(s.driver, "");
	assert_string_equal(s.driver_version, "");
	assert_string_equal(s.qdisc, "");
}

static void a_name_that_leads_elsewhere_is_unknown(void **state)
{
	(void)state;
	put("/sys/class/net/t1s0/mtu", "1500\n");
	put("/sys/class/elsewhere/mtu", "7\n");
	assert_int_equal(setup_of("../elsewhere").mtu, -1);
	assert_int_equal(setup_of("a-name-of-16-chr").mtu, -1);
}

static void qdisc_of_the_running_system_s_loopback_is_known(void **state)
{
	(void)state;
	assert_string_equal(setup_of("lo").qdisc, "noqueue");
}

/* The kernel of this machine is asked; one without ethtool's netlink says so for both. */
static void plca_of_a_real_interface_without_is_unsupported(void **state)
{
	struct t1s_plca p;

	(void)state;
	assert_int_equal(t1s_plca_get("lo", &p, NULL), 0);
	assert_int_equal(p.state, T1S_PLCA_UNSUPPORTED);
	assert_true(t1s_plca_get("no-such", &p, NULL) == -ENODEV ||
		    p.state == T1S_PLCA_UNSUPPORTED);
}

#define IN_TREE(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		IN_TREE(address_mtu_and_driver_come_from_sysfs),
		IN_TREE(a_module_without_a_version_has_its_source_s_checksum),
		IN_TREE(what_is_not_there_is_unknown),
		IN_TREE(a_name_that_leads_elsewhere_is_unknown),
		IN_TREE(qdisc_of_the_running_system_s_loopback_is_known),
		cmocka_unit_test(plca_of_a_real_interface_without_is_unsupported),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
