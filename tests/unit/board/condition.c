/* SPDX-License-Identifier: MIT */
#include "board/condition.h"

#include "tree.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#define ZONE(n) "/sys/class/thermal/thermal_zone" n
#define CPUFREQ(n) "/sys/devices/system/cpu/cpu" n "/cpufreq"

static struct t1s_condition read_from(const struct tree *t)
{
	struct t1s_condition c;

	t1s_condition_read(t->root, &c);
	return c;
}

static void nothing_there_is_unknown(void **state)
{
	const struct t1s_condition c = read_from(*state);
	const struct tree *t = *state;

	assert_true(isnan(c.temperature_c));
	assert_int_equal(c.cpu_freq_hz, -1);
	assert_string_equal(c.governor, "");
	assert_int_equal(c.undervoltage, -1);
	assert_int_equal(t1s_core_clock_hz(t->root), -1);
}

static void temperature_is_that_of_the_cpu_zone(void **state)
{
	const struct tree *t = *state;

	tree_write_text(t, ZONE("0") "/type", "gpu-thermal\n");
	tree_write_text(t, ZONE("0") "/temp", "61000\n");
	assert_true(read_from(t).temperature_c == 61);
	tree_write_text(t, ZONE("1") "/type", "cpu-thermal\n");
	tree_write_text(t, ZONE("1") "/temp", "-2500\n");
	assert_true(read_from(t).temperature_c == -2.5);
	/* a zone that tells none is as good as none */
	tree_write_text(t, ZONE("1") "/temp", "hot\n");
	assert_true(read_from(t).temperature_c == 61);
}

static void frequency_and_governor_are_of_the_first_core_that_tells(void **state)
{
	const struct tree *t = *state;

	tree_write_text(t, CPUFREQ("1") "/scaling_cur_freq", "1500000\n");
	tree_write_text(t, CPUFREQ("1") "/scaling_governor", "ondemand\n");
	assert_int_equal(read_from(t).cpu_freq_hz, 1500000000);
	assert_string_equal(read_from(t).governor, "ondemand");
	tree_write_text(t, CPUFREQ("0") "/scaling_cur_freq", "600000\n");
	assert_int_equal(read_from(t).cpu_freq_hz, 600000000);
	assert_string_equal(read_from(t).governor, "");
}

static void a_frequency_that_makes_no_sense_is_unknown(void **state)
{
	const struct tree *t = *state;

	tree_write_text(t, CPUFREQ("0") "/scaling_cur_freq", "<unknown>\n");
	assert_int_equal(read_from(t).cpu_freq_hz, -1);
	tree_write_text(t, CPUFREQ("0") "/scaling_cur_freq", "9223372036854775807\n");
	assert_int_equal(read_from(t).cpu_freq_hz, -1);
}

static void undervoltage_is_what_the_supply_s_sensor_says(void **state)
{
	const struct tree *t = *state;

	tree_write_text(t, "/sys/class/hwmon/hwmon0/name", "cpu_thermal\n");
	tree_write_text(t, "/sys/class/hwmon/hwmon0/in0_lcrit_alarm", "1\n");
	assert_int_equal(read_from(t).undervoltage, -1);
	tree_write_text(t, "/sys/class/hwmon/hwmon3/name", "rpi_volt\n");
	assert_int_equal(read_from(t).undervoltage, -1);
	tree_write_text(t, "/sys/class/hwmon/hwmon3/in0_lcrit_alarm", "0\n");
	assert_int_equal(read_from(t).undervoltage, 0);
	tree_write_text(t, "/sys/class/hwmon/hwmon3/in0_lcrit_alarm", "1\n");
	assert_int_equal(read_from(t).undervoltage, 1);
}

static void core_clock_is_the_firmware_s_where_that_tells_it(void **state)
{
	const struct tree *t = *state;

	tree_write_text(t, "/sys/kernel/debug/clk/vpu/clk_rate", "500000000\n");
	assert_int_equal(t1s_core_clock_hz(t->root), 500000000);
	tree_write_text(t, "/sys/kernel/debug/clk/fw-clk-core/clk_rate", "200000000\n");
	assert_int_equal(t1s_core_clock_hz(t->root), 200000000);
	tree_write_text(t, "/sys/kernel/debug/clk/fw-clk-core/clk_rate", "0\n");
	assert_int_equal(t1s_core_clock_hz(t->root), 500000000);
}

#define IN_TREE(f) cmocka_unit_test_setup_teardown(f, tree_setup, tree_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		IN_TREE(nothing_there_is_unknown),
		IN_TREE(temperature_is_that_of_the_cpu_zone),
		IN_TREE(frequency_and_governor_are_of_the_first_core_that_tells),
		IN_TREE(a_frequency_that_makes_no_sense_is_unknown),
		IN_TREE(undervoltage_is_what_the_supply_s_sensor_says),
		IN_TREE(core_clock_is_the_firmware_s_where_that_tells_it),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
