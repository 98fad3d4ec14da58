/* SPDX-License-Identifier: MIT */
#include "board/unit.h"

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/path.h"
#include "board/power_bus.h"

#include <errno.h>
#include <glob.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <systemd/sd-bus.h>

/* a person waits for the answer, and can do without it */
static const struct t1s_bus_patience patience = {.call_us = 5 * T1S_USEC_PER_SEC};

#define cleanup_bus __attribute__((cleanup(sd_bus_close_unrefp)))
#define cleanup_bus_error __attribute__((cleanup(sd_bus_error_free)))
#define cleanup_message __attribute__((cleanup(sd_bus_message_unrefp)))

#define MANAGER "org.freedesktop.systemd1"
#define LOGIND "org.freedesktop.login1"

/* Whether a pattern below the root meets any name, links that lead nowhere included. */
static bool there(const char *root, const char *pattern, const char *unit)
{
	char path[PATH_MAX], escaped[2 * PATH_MAX];
	size_t n = 0;
	glob_t found;
	bool any;

	if (t1s_path(path, "", "/%s/%s", pattern, unit) < 0)
		return false;
	/* only our own pattern is one, not what the root's name holds */
	for (const char *p = root; *p && n + 2 < PATH_MAX; p++) {
		if (strchr("*?[\\", *p))
			escaped[n++] = '\\';
		escaped[n++] = *p;
	}
	(void)snprintf(escaped + n, sizeof(escaped) - n, "%s", path);
	any = glob(escaped, 0, NULL, &found) == 0;
	globfree(&found);
	return any;
}

static bool masked(const char *root, const char *unit)
{
	char path[PATH_MAX], target[16];
	ssize_t n;

	if (t1s_path(path, root, "/etc/systemd/system/%s", unit) < 0)
		return false;
	n = readlink(path, target, sizeof(target));
	return n == (ssize_t)strlen("/dev/null") &&
	       memcmp(target, "/dev/null", (size_t)n) == 0;
}

static int state_below(const char *root, const char *unit, char ret[T1S_UNIT_STATE_MAX],
	struct t1s_error *e)
{
	static const char *const switched_on[] = {
		"etc/systemd/system/*.wants", "etc/systemd/system/*.requires"};
	static const char *const places[] = {
		"etc/systemd/system", "usr/lib/systemd/system", "lib/systemd/system"};

	if (masked(root, unit)) {
		(void)snprintf(ret, T1S_UNIT_STATE_MAX, "masked");
		return 0;
	}
	for (size_t i = 0; i < T1S_ELEMENTSOF(switched_on); i++) {
		if (there(root, switched_on[i], unit)) {
			(void)snprintf(ret, T1S_UNIT_STATE_MAX, "enabled");
			return 0;
		}
	}
	for (size_t i = 0; i < T1S_ELEMENTSOF(places); i++) {
		if (there(root, places[i], unit)) {
			(void)snprintf(ret, T1S_UNIT_STATE_MAX, "disabled");
			return 0;
		}
	}
	return t1s_error_set(e, ENOENT, "there is no unit %s", unit);
}

static int state_by_bus(
	const char *unit, char ret[T1S_UNIT_STATE_MAX], struct t1s_error *e)
{
	cleanup_bus_error sd_bus_error error = SD_BUS_ERROR_NULL;
	cleanup_message sd_bus_message *reply = NULL;
	cleanup_bus sd_bus *bus = NULL;
	const char *state;
	int r = t1s_bus_connect(&patience, &bus, e);

	if (r < 0)
		return r;
	r = sd_bus_call_method(bus, MANAGER, "/org/freedesktop/systemd1",
		MANAGER ".Manager", "GetUnitFileState", &error, &reply, "s", unit);
	if (r >= 0)
		r = sd_bus_message_read(reply, "s", &state);
	if (r == -ENOENT)
		return t1s_error_set(e, ENOENT, "there is no unit %s", unit);
	if (r < 0)
		return t1s_error_set(e, -r,
			"the service manager does not tell the state of %s: %s", unit,
			error.message ? error.message : strerror(-r));
	(void)snprintf(ret, T1S_UNIT_STATE_MAX, "%s", state);
	return 0;
}

int t1s_unit_file_state(const char *root, const char *unit, char ret[T1S_UNIT_STATE_MAX],
	struct t1s_error *e)
{
	if (unit[0] == '\0' || strpbrk(unit, "/*?[\\"))
		return t1s_error_set(e, EINVAL, "\"%s\" is no name of a unit", unit);
	return root[0] ? state_below(root, unit, ret, e) : state_by_bus(unit, ret, e);
}

static int read_text(sd_bus *bus, const char *path, const char *interface,
	const char *property, char *ret, size_t size, sd_bus_error *error)
{
	cleanup_free char *text = NULL;
	int r = sd_bus_get_property_string(
		bus, MANAGER, path, interface, property, error, &text);

	if (r < 0)
		return r;
	(void)snprintf(ret, size, "%s", text);
	t1s_printable(ret);
	return 0;
}

/* By LoadUnit, since a unit that rests is not kept loaded. */
static int ask_manager(
	sd_bus *bus, const char *unit, struct t1s_unit_doing *ret, sd_bus_error *error)
{
	cleanup_message sd_bus_message *reply = NULL;
	const char *path;
	int r = sd_bus_call_method(bus, MANAGER, "/org/freedesktop/systemd1",
		MANAGER ".Manager", "LoadUnit", error, &reply, "s", unit);

	if (r >= 0)
		r = sd_bus_message_read(reply, "o", &path);
	if (r >= 0)
		r = read_text(bus, path, MANAGER ".Unit", "ActiveState", ret->active,
			sizeof(ret->active), error);
	if (r >= 0)
		r = read_text(bus, path, MANAGER ".Service", "StatusText", ret->status,
			sizeof(ret->status), error);
	return r;
}

static uint64_t planned_reboot(sd_bus *bus)
{
	cleanup_message sd_bus_message *reply = NULL;
	const char *type;
	uint64_t when_us;

	if (sd_bus_get_property(bus, LOGIND, "/org/freedesktop/login1", LOGIND ".Manager",
		    "ScheduledShutdown", NULL, &reply, "(st)") < 0 ||
		sd_bus_message_read(reply, "(st)", &type, &when_us) <= 0)
		return 0;
	return strcmp(type, "reboot") == 0 && when_us != UINT64_MAX ? when_us : 0;
}

int t1s_unit_doing(const char *unit, struct t1s_unit_doing *ret, struct t1s_error *e)
{
	cleanup_bus_error sd_bus_error error = SD_BUS_ERROR_NULL;
	cleanup_bus sd_bus *bus = NULL;
	struct t1s_unit_doing doing = {.active = ""};
	int r = t1s_bus_connect(&patience, &bus, e);

	if (r < 0)
		return r;
	r = ask_manager(bus, unit, &doing, &error);
	if (r < 0)
		return t1s_error_set(e, -r,
			"the service manager does not tell what %s is doing: %s", unit,
			error.message ? error.message : strerror(-r));
	doing.reboot_wall_us = planned_reboot(bus);
	*ret = doing;
	return 0;
}
