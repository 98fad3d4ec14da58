/* SPDX-License-Identifier: MIT */
#include "board/condition.h"

#include "base/sysfs.h"
#include "base/text.h"

#include <math.h>
#include <string.h>

#define ZONES_MAX 32U
#define SENSORS_MAX 32U
#define CORES_MAX 64U

static double zone_temperature(const char *root, unsigned int zone)
{
	char text[32];
	double milli;

	if (!t1s_sysfs_text(text, sizeof(text), root,
		    "/sys/class/thermal/thermal_zone%u/temp", zone) ||
		t1s_parse_double(text, &milli) < 0)
		return NAN;
	return milli / 1000;
}

static double temperature(const char *root)
{
	double first = NAN;

	for (unsigned int i = 0; i < ZONES_MAX; i++) {
		char type[64];
		double found;

		if (!t1s_sysfs_text(type, sizeof(type), root,
			    "/sys/class/thermal/thermal_zone%u/type", i))
			continue;
		found = zone_temperature(root, i);
		if (strstr(type, "cpu") && !isnan(found))
			return found;
		first = isnan(first) ? found : first;
	}
	return first;
}

static void cpu_frequency(const char *root, struct t1s_condition *ret)
{
	for (unsigned int i = 0; i < CORES_MAX; i++) {
		int64_t khz = t1s_sysfs_count(root,
			"/sys/devices/system/cpu/cpu%u/cpufreq/scaling_cur_freq", i);

		if (khz < 0 || khz > INT64_MAX / 1000)
			continue;
		ret->cpu_freq_hz = khz * 1000;
		(void)t1s_sysfs_text(ret->governor, sizeof(ret->governor), root,
			"/sys/devices/system/cpu/cpu%u/cpufreq/scaling_governor", i);
		return;
	}
}

static int64_t undervoltage(const char *root)
{
	for (unsigned int i = 0; i < SENSORS_MAX; i++) {
		char name[32];

		if (t1s_sysfs_text(name, sizeof(name), root,
			    "/sys/class/hwmon/hwmon%u/name", i) &&
			strcmp(name, "rpi_volt") == 0)
			return t1s_sysfs_count(
				root, "/sys/class/hwmon/hwmon%u/in0_lcrit_alarm", i);
	}
	return -1;
}

void t1s_condition_read(const char *root, struct t1s_condition *ret)
{
	*ret = (struct t1s_condition){.cpu_freq_hz = -1};
	ret->temperature_c = temperature(root);
	cpu_frequency(root, ret);
	ret->undervoltage = undervoltage(root);
}

int64_t t1s_core_clock_hz(const char *root)
{
	/* "vpu": clk-bcm2835; "fw-clk-core": clk-raspberrypi, which asks the firmware and
	 * so knows what that has scaled it to */
	static const char *const clocks[] = {"fw-clk-core", "vpu"};
	int64_t hz = -1;

	for (unsigned int i = 0; hz <= 0 && i < sizeof(clocks) / sizeof(clocks[0]); i++)
		hz = t1s_sysfs_count(
			root, "/sys/kernel/debug/clk/%s/clk_rate", clocks[i]);
	return hz > 0 ? hz : -1;
}
