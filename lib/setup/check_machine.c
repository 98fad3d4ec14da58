/* SPDX-License-Identifier: MIT */
#include "base/clock.h"
#include "board/condition.h"
#include "board/spi.h"
#include "setup/checking.h"
#include "sweep/predict.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define GROUP T1S_CHECK_MACHINE
#define BROADCOM "brcm,bcm2835-spi" /* clocked by the core clock, which scales */
#define WARM_C 75.0                 /* from 80 on the firmware slows the CPU down */
#define CLOCK_TOLERANCE_HZ 1000000

static void check_supply(struct t1s_checking *c, const struct t1s_condition *now)
{
	if (now->undervoltage == 1) {
		t1s_check_remedy(c, "vcgencmd get_throttled   # use a supply of 5.1 V");
		t1s_check_say(c, GROUP, T1S_CHECK_BAD, "supply",
			"under-voltage now: the CPU is slowed down, and may stop");
	} else if (now->undervoltage == 0) {
		t1s_check_say(c, GROUP, T1S_CHECK_GOOD, "supply", "no under-voltage now");
	} else {
		t1s_check_say(c, GROUP, T1S_CHECK_NOTE, "supply",
			"not known: no rpi_volt sensor");
	}
}

static void check_temperature(struct t1s_checking *c, const struct t1s_condition *now)
{
	if (isnan(now->temperature_c))
		return;
	t1s_check_say(c, GROUP,
		now->temperature_c < WARM_C ? T1S_CHECK_GOOD : T1S_CHECK_NOTE,
		"temperature", "%.0f °C%s", now->temperature_c,
		now->temperature_c < WARM_C ? ""
					    : ": from 80 °C on the CPU is slowed down");
}

/* A governor that follows the load is late for a burst of interrupts. */
static void check_governor(struct t1s_checking *c, const struct t1s_condition *now)
{
	if (!now->governor[0]) {
		t1s_check_say(c, GROUP, T1S_CHECK_NOTE, "governor",
			"not known: no cpufreq on this machine");
		return;
	}
	if (strcmp(now->governor, "performance") == 0) {
		t1s_check_say(c, GROUP, T1S_CHECK_GOOD, "governor", "performance");
		return;
	}
	t1s_check_remedy(c,
		"sudo sed -i '1s/$/ cpufreq.default_governor=performance/' "
		"%s/cmdline.txt && sudo reboot",
		c->boot_folder);
	t1s_check_say(c, GROUP, T1S_CHECK_NOTE, "governor",
		"%s: the CPU's frequency follows the load, and results scatter",
		now->governor);
}

static void say_core_clock(struct t1s_checking *c, uint64_t assumed_hz)
{
	const int64_t now_hz = t1s_core_clock_hz(c->root);

	if (now_hz < 0) {
		t1s_check_say(c, GROUP, T1S_CHECK_NOTE, "core-clock",
			"not known (%s); SCLK is predicted from " T1S_MHZ_FMT,
			c->as_root ? "the kernel's debugfs does not tell"
				   : "root may read it from debugfs",
			t1s_mhz(assumed_hz));
		return;
	}
	if (llabs(now_hz - (int64_t)assumed_hz) < CLOCK_TOLERANCE_HZ) {
		t1s_check_say(c, GROUP, T1S_CHECK_GOOD, "core-clock",
			T1S_MHZ_FMT ", from which SCLK is predicted", t1s_mhz(now_hz));
		return;
	}
	t1s_check_remedy(c, "echo core_freq_min=%.0f | sudo tee -a %s/config.txt",
		t1s_mhz(assumed_hz), c->boot_folder);
	t1s_check_say(c, GROUP, T1S_CHECK_NOTE, "core-clock",
		T1S_MHZ_FMT " now, but SCLK is predicted from " T1S_MHZ_FMT
			    ": the firmware scales it, and SCLK with it",
		t1s_mhz(now_hz), t1s_mhz(assumed_hz));
}

static void check_core_clock(struct t1s_checking *c)
{
	struct t1s_predictor predictor;

	if (c->live_r < 0)
		return;
	t1s_predictor_init(&predictor, c->root, c->config.spi_clk_hz, c->live.controller);
	if (t1s_predict_sclk_hz(c->live.freq_hz, &predictor) == 0) {
		t1s_check_remedy(c, "sudoedit /etc/t1s-sweep/t1s-sweep.conf   # "
				    "[DeviceTree] SpiClock=");
		t1s_check_say(c, GROUP, T1S_CHECK_NOTE, "core-clock",
			"SCLK cannot be predicted for %s: its input clock is not known",
			c->live.controller[0] ? c->live.controller : "this controller");
		return;
	}
	if (strcmp(c->live.controller, BROADCOM) == 0)
		say_core_clock(c, predictor.clk_hz);
	else
		t1s_check_say(c, GROUP, T1S_CHECK_GOOD, "core-clock",
			"%s has a clock of its own, " T1S_MHZ_FMT, c->live.controller,
			t1s_mhz(predictor.clk_hz));
}

static void check_time(struct t1s_checking *c)
{
	if (t1s_clock_synchronised()) {
		t1s_check_say(
			c, GROUP, T1S_CHECK_GOOD, "time", "the clock is synchronised");
		return;
	}
	t1s_check_remedy(c, "sudo timedatectl set-ntp true");
	t1s_check_say(c, GROUP, T1S_CHECK_NOTE, "time",
		"the clock is not synchronised: times in the results may be wrong, "
		"nothing else");
}

void t1s_check_machine(struct t1s_checking *c)
{
	struct t1s_condition now;

	if (c->at_rest) {
		t1s_check_say(c, GROUP, T1S_CHECK_NOTE, "supply",
			"not looked at: this tree is a card at rest");
		return;
	}
	t1s_condition_read(c->root, &now);
	check_supply(c, &now);
	check_temperature(c, &now);
	check_governor(c, &now);
	check_core_clock(c);
	check_time(c);
}
