/* SPDX-License-Identifier: MIT */
#include "board/power_bus.h"

#include "base/clock.h"
#include "base/log.h"

#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <systemd/sd-bus.h>

#define HOLDERS_MAX 256

const struct t1s_bus_patience t1s_bus_usual_patience = {
	.call_us = 10 * T1S_USEC_PER_SEC,
	.inhibitor_us = 60 * T1S_USEC_PER_SEC,
	.poll_us = T1S_USEC_PER_SEC,
};

#define cleanup_bus __attribute__((cleanup(sd_bus_close_unrefp)))
#define cleanup_bus_error __attribute__((cleanup(sd_bus_error_free)))
#define cleanup_message __attribute__((cleanup(sd_bus_message_unrefp)))

struct service {
	const char *name, *path, *interface; /* on the bus */
	const char *who;                     /* for people */
	const char *remedy;                  /* if it is not there */
};

static const struct service logind = {
	"org.freedesktop.login1",
	"/org/freedesktop/login1",
	"org.freedesktop.login1.Manager",
	"systemd-logind",
	"start it (systemctl start systemd-logind) or reboot by hand",
};

static const struct service manager = {
	"org.freedesktop.systemd1",
	"/org/freedesktop/systemd1",
	"org.freedesktop.systemd1.Manager",
	"the service manager",
	"disable the unit by hand (systemctl disable)",
};

static int no_bus(int r, struct t1s_error *e)
{
	return t1s_error_set(e, -r,
		"cannot speak to the D-Bus system bus (%s): check that dbus is installed "
		"and "
		"running (systemctl status dbus)",
		r == -ETIMEDOUT ? "it does not answer" : strerror(-r));
}

/* sd_bus_call() alone would wait for being let in longer than its own time-out. */
int t1s_bus_connect(
	const struct t1s_bus_patience *patience, sd_bus **ret, struct t1s_error *e)
{
	uint64_t deadline_us = t1s_now_us() + patience->call_us;
	cleanup_bus sd_bus *bus = NULL;
	int r = sd_bus_open_system(&bus);

	if (r >= 0)
		r = sd_bus_set_method_call_timeout(bus, patience->call_us);
	while (r >= 0) {
		uint64_t now_us = t1s_now_us();

		r = sd_bus_is_ready(bus);
		if (r > 0) {
			*ret = bus;
			bus = NULL;
			return 0;
		}
		if (r == 0)
			r = sd_bus_process(bus, NULL);
		if (r != 0)
			continue;
		r = now_us >= deadline_us ? -ETIMEDOUT
					  : sd_bus_wait(bus, deadline_us - now_us);
	}
	return no_bus(r, e);
}

static bool denied(const sd_bus_error *error)
{
	return sd_bus_error_has_names(error, SD_BUS_ERROR_ACCESS_DENIED,
		       SD_BUS_ERROR_INTERACTIVE_AUTHORIZATION_REQUIRED,
		       "org.freedesktop.login1.BlockedByInhibitorLock") > 0;
}

static int explain(int r, const sd_bus_error *error, const struct service *s,
	const char *wanted, struct t1s_error *e)
{
	const char *why = error->message ? error->message : strerror(-r);

	if (denied(error))
		return t1s_error_set(e, EACCES,
			"%s refused %s (%s): this step must run as root, as "
			"t1s-sweep.service does",
			s->who, wanted, why);
	if (sd_bus_error_has_names(error, SD_BUS_ERROR_SERVICE_UNKNOWN,
		    SD_BUS_ERROR_NAME_HAS_NO_OWNER) > 0)
		return t1s_error_set(e, ESRCH,
			"%s is not on the bus, so %s failed (%s): %s", s->who, wanted,
			why, s->remedy);
	if (r == -ETIMEDOUT)
		return t1s_error_set(e, ETIMEDOUT,
			"%s did not answer in time, so %s failed: %s", s->who, wanted,
			s->remedy);
	return t1s_error_set(e, -r, "%s failed at %s: %s", wanted, s->who, why);
}

static int schedule_reboot(sd_bus *bus, uint64_t delay_us, sd_bus_error *error)
{
	return sd_bus_call_method(bus, logind.name, logind.path, logind.interface,
		"ScheduleShutdown", error, NULL, "st", "reboot",
		t1s_wall_us() + delay_us);
}

/* Whether one inhibitor blocks a shutdown; "what" is a list such as "sleep:shutdown". */
static bool blocks_shutdown(const char *what, const char *mode)
{
	if (strcmp(mode, "block") != 0 && strcmp(mode, "block-weak") != 0)
		return false;
	for (const char *p = what; *p; p += strspn(p, ":")) {
		size_t n = strcspn(p, ":");

		if (n == strlen("shutdown") && strncmp(p, "shutdown", n) == 0)
			return true;
		p += n;
	}
	return false;
}

/* Who holds a lock against a shutdown, "WHO (WHY), …"; "" if nobody does. */
static void inhibitor_holders(sd_bus *bus, char ret[HOLDERS_MAX])
{
	cleanup_message sd_bus_message *reply = NULL;
	const char *what, *who, *why, *mode;
	size_t used = 0;

	ret[0] = '\0';
	if (sd_bus_call_method(bus, logind.name, logind.path, logind.interface,
		    "ListInhibitors", NULL, &reply, "") < 0 ||
		sd_bus_message_enter_container(reply, 'a', "(ssssuu)") < 0)
		return;
	while (sd_bus_message_read(
		       reply, "(ssssuu)", &what, &who, &why, &mode, NULL, NULL) > 0) {
		int n;

		if (!blocks_shutdown(what, mode))
			continue;
		n = snprintf(ret + used, HOLDERS_MAX - used, "%s%s (%s)",
			used ? ", " : "", who, why);
		used += n > 0 ? (size_t)n : 0;
		if (used >= HOLDERS_MAX)
			break;
	}
	t1s_printable(ret);
}

/*
 * From systemd 257 on even root's reboot is refused while a program holds a block lock
 * (257 says "access denied", later ones name the lock). Such a lock is often short, a
 * package upgrade for one: wait, but not for ever.
 */
static int schedule_past_inhibitors(sd_bus *bus, uint64_t delay_us,
	const struct t1s_bus_patience *patience, struct t1s_error *e)
{
	uint64_t deadline_us = t1s_now_us() + patience->inhibitor_us;
	bool told = false;

	for (;;) {
		cleanup_bus_error sd_bus_error error = SD_BUS_ERROR_NULL;
		char holders[HOLDERS_MAX] = "";
		int r = schedule_reboot(bus, delay_us, &error);

		if (r >= 0)
			return 0;
		if (denied(&error))
			inhibitor_holders(bus, holders);
		if (!holders[0])
			return explain(r, &error, &logind, "the reboot", e);
		if (t1s_now_us() >= deadline_us)
			return t1s_error_set(e, EBUSY,
				"the reboot is blocked by %s (see: systemd-inhibit "
				"--list); "
				"end that program, or reboot by hand when it is done",
				holders);
		if (!told)
			t1s_log(LOG_NOTICE, "the reboot is blocked by %s; waiting for it",
				holders);
		told = true;
		t1s_notify((unsigned int)(patience->inhibitor_us / T1S_USEC_PER_SEC) + 30,
			"reboot blocked by %s, waiting", holders);
		t1s_sleep_us(patience->poll_us);
	}
}

int t1s_bus_reboot(uint64_t delay_us, const char *wall_message,
	const struct t1s_bus_patience *patience, struct t1s_error *e)
{
	cleanup_bus sd_bus *bus = NULL;
	int r = t1s_bus_connect(patience, &bus, e);

	if (r < 0)
		return r;
	/* a courtesy: a reboot without the message is better than none */
	(void)sd_bus_call_method(bus, logind.name, logind.path, logind.interface,
		"SetWallMessage", NULL, NULL, "sb", wall_message, 1);
	return schedule_past_inhibitors(bus, delay_us, patience, e);
}

int t1s_bus_disable_unit(
	const char *unit, const struct t1s_bus_patience *patience, struct t1s_error *e)
{
	cleanup_bus_error sd_bus_error error = SD_BUS_ERROR_NULL;
	cleanup_bus sd_bus *bus = NULL;
	int r = t1s_bus_connect(patience, &bus, e);

	if (r < 0)
		return r;
	/*
	 * No Reload behind it, as systemctl does: enablement is read from the disk at
	 * each question, and a reload while our own unit runs makes systemd forget the
	 * results of the steps it has done so far.
	 */
	r = sd_bus_call_method(bus, manager.name, manager.path, manager.interface,
		"DisableUnitFiles", &error, NULL, "asb", 1, unit, 0);
	if (r < 0)
		return explain(r, &error, &manager, "disabling the unit", e);
	return 0;
}
