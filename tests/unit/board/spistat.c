/* SPDX-License-Identifier: MIT */
#include "board/spistat.h"

#include "tree.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>

#define CONTROLLER "/sys/devices/platform/soc/fe204000.spi/spi_master/spi0"

static void put(
	const struct tree *t, const char *folder, const char *name, const char *text)
{
	char path[256];

	(void)snprintf(path, sizeof(path), "%s/statistics/%s", folder, name);
	tree_write_text(t, path, text);
}

/* As /sys shows it: class and bus are links into the tree of devices. */
static void behind_spi(const struct tree *t)
{
	tree_link(t, "/sys/class/spi_master/spi0",
		"../../devices/platform/soc/fe204000.spi/spi_master/spi0");
	tree_link(t, CONTROLLER "/device", "../../../fe204000.spi");
	tree_folder(t, CONTROLLER "/spi0.1/net/eth1");
	tree_link(t, "/sys/bus/spi/devices/spi0.1",
		"../../../devices/platform/soc/fe204000.spi/spi_master/spi0/spi0.1");
	tree_link(t, "/sys/class/net/eth1",
		"../../devices/platform/soc/fe204000.spi/spi_master/spi0/spi0.1/net/eth1");
	tree_link(t, CONTROLLER "/spi0.1/net/eth1/device", "../../../spi0.1");
}

static void device_and_controller_are_found_from_the_interface(void **state)
{
	const struct tree *t = *state;
	struct t1s_spi_device d;

	behind_spi(t);
	t1s_spi_device_of(t->root, "eth1", &d);
	assert_string_equal(d.name, "spi0.1");
	assert_int_equal(d.bus, 0);
	assert_string_equal(d.controller, "fe204000.spi");
}

static void an_interface_that_is_not_behind_spi_has_no_device(void **state)
{
	static const char *const targets[] = {"../../../0000:01:00.0", "../1-1.4:1.0",
		"../spi0", "../spi0.", "../spi0.1x", "../spi123456.0", "../spi.0", "/",
		""};
	const struct tree *t = *state;
	struct t1s_spi_device d;

	t1s_spi_device_of(t->root, "eth0", &d);
	assert_string_equal(d.name, "");
	for (size_t i = 0; targets[i][0]; i++) {
		tree_link(t, "/sys/class/net/eth0/device", targets[i]);
		t1s_spi_device_of(t->root, "eth0", &d);
		assert_string_equal(d.name, "");
		assert_string_equal(d.controller, "");
	}
}

static void statistics_are_those_of_controller_and_device(void **state)
{
	const struct tree *t = *state;
	struct t1s_spi_statistics s;
	struct t1s_spi_device d;

	behind_spi(t);
	put(t, CONTROLLER, "messages", "1000\n");
	put(t, CONTROLLER, "transfers", "2000\n");
	put(t, CONTROLLER, "bytes", "18446744073709551615\n");
	put(t, CONTROLLER, "errors", "3\n");
	put(t, CONTROLLER, "timedout", "-1\n");
	put(t, CONTROLLER "/spi0.1", "messages", "10\n");
	put(t, CONTROLLER "/spi0.1", "transfers", "20\n");
	put(t, CONTROLLER "/spi0.1", "bytes", "64000000000\n");
	put(t, CONTROLLER "/spi0.1", "errors", "\n");
	t1s_spi_device_of(t->root, "eth1", &d);
	t1s_spi_statistics_read(t->root, &d, &s);
	assert_int_equal(s.controller.messages, 1000);
	assert_int_equal(s.controller.transfers, 2000);
	assert_int_equal(s.controller.bytes, -1); /* no counter gets that far */
	assert_int_equal(s.controller.errors, 3);
	assert_int_equal(s.controller.timedout, -1);
	assert_int_equal(s.device.messages, 10);
	assert_int_equal(s.device.transfers, 20);
	assert_int_equal(s.device.bytes, INT64_C(64000000000));
	assert_int_equal(s.device.errors, -1);
	assert_int_equal(s.device.timedout, -1);
}

static void without_a_device_nothing_is_known(void **state)
{
	const struct tree *t = *state;
	const struct t1s_spi_device none = {.name = ""};
	struct t1s_spi_statistics s;

	behind_spi(t);
	put(t, CONTROLLER, "messages", "1000\n");
	t1s_spi_statistics_read(t->root, &none, &s);
	assert_int_equal(s.controller.messages, -1);
	assert_int_equal(s.device.bytes, -1);
}

static void a_counter_that_went_backwards_is_unknown(void **state)
{
	const struct t1s_spi_counts before = {10, 20, 30, 0, -1};
	const struct t1s_spi_counts after = {9, 25, 30, -1, 4};
	const struct t1s_spi_counts d = t1s_spi_counts_delta(&before, &after);

	(void)state;
	assert_int_equal(d.messages, -1);
	assert_int_equal(d.transfers, 5);
	assert_int_equal(d.bytes, 0);
	assert_int_equal(d.errors, -1);
	assert_int_equal(d.timedout, -1);
}

#define IN_TREE(f) cmocka_unit_test_setup_teardown(f, tree_setup, tree_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		IN_TREE(device_and_controller_are_found_from_the_interface),
		IN_TREE(an_interface_that_is_not_behind_spi_has_no_device),
		IN_TREE(statistics_are_those_of_controller_and_device),
		IN_TREE(without_a_device_nothing_is_known),
		cmocka_unit_test(a_counter_that_went_backwards_is_unknown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
