/* SPDX-License-Identifier: MIT */
#include "board/host.h"

#include "tree.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>

#define DEVICE "/sys/devices/platform/soc/fe204000.spi/spi_master/spi0/spi0.0"

static void machine(const struct tree *t)
{
	tree_link(t, "/sys/class/net/t1s0",
		"../../devices/platform/soc/fe204000.spi/spi_master/spi0/spi0.0/net/t1s0");
	tree_link(t, DEVICE "/net/t1s0/device", "../../../spi0.0");
	tree_link(t, DEVICE "/driver", "../../../../../../../bus/spi/drivers/lan8650");
	tree_link(t, "/sys/bus/spi/devices/spi0.0",
		"../../../devices/platform/soc/fe204000.spi/spi_master/spi0/spi0.0");
	tree_link(t, "/sys/class/spi_master/spi0",
		"../../devices/platform/soc/fe204000.spi/spi_master/spi0");
	tree_link(t, "/sys/devices/platform/soc/fe204000.spi/spi_master/spi0/device",
		"../../../fe204000.spi");
	tree_write_text(t, "/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor",
		"powersave\n");
	tree_write_text(t, "/sys/class/thermal/thermal_zone0/type", "cpu-thermal\n");
	tree_write_text(t, "/sys/class/hwmon/hwmon0/name", "rpi_volt\n");
}

struct counts {
	const char *stat, *interrupts, *mac_line;
	unsigned int spi_bytes, dropped, freq_khz, temperature, undervoltage;
};

static void counted(const struct tree *t, const struct counts *c)
{
	char text[512];

	tree_write_text(t, "/proc/stat", c->stat);
	(void)snprintf(text, sizeof(text),
		"   CPU0\n 36: %s GICv2 150 Level fe204000.spi\n 54: %s 6 Level %s\n",
		c->interrupts, c->interrupts, c->mac_line);
	tree_write_text(t, "/proc/interrupts", text);
	(void)snprintf(text, sizeof(text), "00000001 %08x 00000000\n", c->dropped);
	tree_write_text(t, "/proc/net/softnet_stat", text);
	(void)snprintf(text, sizeof(text), "%u\n", c->spi_bytes);
	tree_write_text(t, DEVICE "/statistics/bytes", text);
	(void)snprintf(text, sizeof(text), "%u\n", c->freq_khz);
	tree_write_text(t, "/sys/devices/system/cpu/cpu0/cpufreq/scaling_cur_freq", text);
	(void)snprintf(text, sizeof(text), "%u\n", c->temperature);
	tree_write_text(t, "/sys/class/thermal/thermal_zone0/temp", text);
	(void)snprintf(text, sizeof(text), "%u\n", c->undervoltage);
	tree_write_text(t, "/sys/class/hwmon/hwmon0/in0_lcrit_alarm", text);
}

static struct t1s_host_load load_between(
	const struct tree *t, const struct counts *before, const struct counts *after)
{
	struct t1s_host_snapshot a, b;
	struct t1s_host_load l;
	struct t1s_host h;

	machine(t);
	t1s_host_find(t->root, "t1s0", &h);
	counted(t, before);
	t1s_host_snapshot(&h, &a);
	counted(t, after);
	t1s_host_snapshot(&h, &b);
	t1s_host_compare(&a, &b, &l);
	return l;
}

static const struct counts before = {
	"cpu  0 0 0 0\ncpu0 0 0 0 0\n", "100", "spi0.0", 1000, 1, 600000, 70000, 1};
static const struct counts after = {
	"cpu  0 0 9 1\ncpu0 0 0 9 1\n", "160", "spi0.0", 9000, 6, 1500000, 65000, 0};

static void a_load_is_the_difference_of_two_snapshots(void **state)
{
	const struct t1s_host_load l = load_between(*state, &before, &after);

	assert_true(l.cpu.all.busy == 90);
	assert_true(t1s_cpu_busiest(&l.cpu) == 90);
	assert_int_equal(l.spi_interrupts, 60);
	assert_int_equal(l.mac_interrupts, 60);
	assert_int_equal(l.softnet.dropped, 5);
	assert_int_equal(l.spi.device.bytes, 8000);
	assert_int_equal(l.spi.controller.bytes, -1);
	assert_true(l.span_s >= 0 && l.span_s < 60);
}

static void the_condition_is_the_worse_of_both(void **state)
{
	const struct t1s_host_load l = load_between(*state, &before, &after);

	assert_true(l.condition.temperature_c == 70);
	assert_int_equal(l.condition.undervoltage, 1);
	assert_int_equal(l.condition.cpu_freq_hz, 1500000000);
	assert_string_equal(l.condition.governor, "powersave");
}

static void the_mac_s_line_may_bear_the_name_of_interface_or_driver(void **state)
{
	struct counts a = before, b = after;

	a.mac_line = b.mac_line = "t1s0";
	assert_int_equal(load_between(*state, &a, &b).mac_interrupts, 60);
	a.mac_line = b.mac_line = "lan8650";
	assert_int_equal(load_between(*state, &a, &b).mac_interrupts, 60);
	a.mac_line = b.mac_line = "spi0.1";
	assert_int_equal(load_between(*state, &a, &b).mac_interrupts, -1);
}

static void a_machine_that_tells_nothing_is_no_error(void **state)
{
	const struct tree *t = *state;
	struct t1s_host_snapshot s;
	struct t1s_host_load l;
	struct t1s_host h;

	t1s_host_find(t->root, "t1s0", &h);
	assert_string_equal(h.driver, "");
	t1s_host_snapshot(&h, &s);
	t1s_host_compare(&s, &s, &l);
	assert_true(isnan(l.cpu.all.busy));
	assert_int_equal(l.spi_interrupts, -1);
	assert_int_equal(l.mac_interrupts, -1);
	assert_int_equal(l.softnet.dropped, -1);
	assert_int_equal(l.spi.device.messages, -1);
	assert_int_equal(l.condition.undervoltage, -1);
}

#define IN_TREE(f) cmocka_unit_test_setup_teardown(f, tree_setup, tree_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		IN_TREE(a_load_is_the_difference_of_two_snapshots),
		IN_TREE(the_condition_is_the_worse_of_both),
		IN_TREE(the_mac_s_line_may_bear_the_name_of_interface_or_driver),
		IN_TREE(a_machine_that_tells_nothing_is_no_error),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
