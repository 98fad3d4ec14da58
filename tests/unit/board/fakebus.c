/* SPDX-License-Identifier: MIT */
#include "fakebus.h"

#include "base/clock.h"

#include <poll.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <systemd/sd-bus.h>
#include <unistd.h>

#include <cmocka.h>

struct server {
	struct fakebus_manners manners;
	int calls_fd;
};

static int refuse(struct server *s, sd_bus_message *m)
{
	return sd_bus_reply_method_errorf(m, s->manners.error, "as the test wants it");
}

static int answer_schedule(struct server *s, sd_bus_message *m)
{
	const char *type = "";
	uint64_t when_us = 0, now_us = t1s_wall_us();
	int64_t left_us;

	(void)sd_bus_message_read(m, "st", &type, &when_us);
	left_us = (int64_t)(when_us - now_us);
	/* the call was under way for less than this, however busy the machine */
	(void)dprintf(s->calls_fd, "ScheduleShutdown %s in %s\n", type,
		left_us > 0 && left_us <= 10000000 ? "about 10 s" : "another time");
	if (s->manners.silent_logind)
		return 1;
	if (s->manners.errors-- > 0)
		return refuse(s, m);
	return sd_bus_reply_method_return(m, "");
}

static int answer_inhibitors(struct server *s, sd_bus_message *m)
{
	(void)dprintf(s->calls_fd, "ListInhibitors\n");
	if (!s->manners.holder)
		return sd_bus_reply_method_return(m, "a(ssssuu)", 0);
	return sd_bus_reply_method_return(m, "a(ssssuu)", 3, "sleep:idle", "sleeper",
		"not about us", "block", 0, 1, "shutdown:sleep", "delayer",
		"not for long", "delay", 0, 2, "sleep:shutdown", s->manners.holder,
		"upgrading", "block", 0, 3);
}

static int answer_disable(struct server *s, sd_bus_message *m)
{
	const char *unit = "";
	int runtime = -1;

	(void)sd_bus_message_read(m, "asb", 1, &unit, &runtime);
	(void)dprintf(s->calls_fd, "DisableUnitFiles %s %d\n", unit, runtime);
	if (s->manners.errors-- > 0)
		return refuse(s, m);
	return sd_bus_reply_method_return(m, "a(sss)", 0);
}

static int answer_wall(struct server *s, sd_bus_message *m)
{
	const char *text = "";
	int enable = -1;

	(void)sd_bus_message_read(m, "sb", &text, &enable);
	(void)dprintf(s->calls_fd, "SetWallMessage %s %d\n", text, enable);
	if (s->manners.no_wall)
		return sd_bus_reply_method_errorf(
			m, SD_BUS_ERROR_ACCESS_DENIED, "no word");
	return sd_bus_reply_method_return(m, "");
}

static int answer_state(struct server *s, sd_bus_message *m)
{
	const char *unit = "";

	(void)sd_bus_message_read(m, "s", &unit);
	(void)dprintf(s->calls_fd, "GetUnitFileState %s\n", unit);
	if (s->manners.errors-- > 0)
		return refuse(s, m);
	if (!s->manners.state)
		return sd_bus_reply_method_errorf(
			m, "org.freedesktop.DBus.Error.FileNotFound", "no such unit");
	return sd_bus_reply_method_return(m, "s", s->manners.state);
}

static int answer_property(struct server *s, sd_bus_message *m)
{
	const char *interface = "", *name = "";

	(void)sd_bus_message_read(m, "ss", &interface, &name);
	(void)dprintf(
		s->calls_fd, "%s %s %s\n", sd_bus_message_get_path(m), interface, name);
	if (s->manners.errors-- > 0)
		return refuse(s, m);
	if (strcmp(name, "ActiveState") == 0)
		return sd_bus_reply_method_return(m, "v", "s", "activating");
	if (strcmp(name, "StatusText") == 0)
		return sd_bus_reply_method_return(m, "v", "s", s->manners.doing);
	if (s->manners.silent_logind)
		return 1;
	return sd_bus_reply_method_return(m, "v", "(st)",
		s->manners.reboots ? "reboot" : "",
		s->manners.reboots ? UINT64_C(12000000) : UINT64_MAX);
}

static int answer(sd_bus_message *m, void *data, sd_bus_error *error)
{
	struct server *s = data;

	(void)error;
	if (sd_bus_message_is_method_call(m, "org.freedesktop.DBus", "Hello") > 0)
		return sd_bus_reply_method_return(m, "s", ":1.1");
	if (sd_bus_message_is_method_call(m, NULL, "SetWallMessage") > 0)
		return answer_wall(s, m);
	if (sd_bus_message_is_method_call(m, NULL, "ListInhibitors") > 0)
		return answer_inhibitors(s, m);
	if (sd_bus_message_is_method_call(m, NULL, "ScheduleShutdown") > 0)
		return answer_schedule(s, m);
	if (sd_bus_message_is_method_call(m, NULL, "DisableUnitFiles") > 0)
		return answer_disable(s, m);
	if (sd_bus_message_is_method_call(m, NULL, "GetUnitFileState") > 0)
		return answer_state(s, m);
	if (sd_bus_message_is_method_call(m, NULL, "LoadUnit") > 0)
		return sd_bus_reply_method_return(m, "o", "/the/unit");
	if (sd_bus_message_is_method_call(m, NULL, "Get") > 0)
		return answer_property(s, m);
	return 0;
}

static void serve(struct server *s, int fd)
{
	sd_bus *bus = NULL;
	int r = sd_bus_new(&bus);

	if (r >= 0)
		r = sd_bus_set_fd(bus, fd, fd);
	if (r >= 0)
		r = sd_bus_set_server(bus, 1, (sd_id128_t){.bytes = {1}});
	if (r >= 0)
		r = sd_bus_add_filter(bus, NULL, answer, s);
	if (r >= 0)
		r = sd_bus_start(bus);
	while (r >= 0) {
		r = sd_bus_process(bus, NULL);
		if (r == 0)
			r = sd_bus_wait(bus, 60 * T1S_USEC_PER_SEC);
	}
	sd_bus_unref(bus);
}

/* The child: one client, then the end. */
static void run(struct server *s, int listener)
{
	int fd = accept(listener, NULL, NULL);

	if (fd < 0 || s->manners.closes)
		return;
	if (s->manners.silent_bus) {
		(void)pause(); /* until the test ends us */
		return;
	}
	serve(s, fd);
}

void fakebus_start(struct fakebus *bus, const struct fakebus_manners *manners)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	char variable[160];
	int calls[2];
	int listener = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	/* abstract: no path that could be too long, and nothing stays behind */
	int n = snprintf(address.sun_path + 1, sizeof(address.sun_path) - 1,
		"t1s-fakebus-%d", (int)getpid());

	assert_true(listener >= 0);
	assert_int_equal(bind(listener, (struct sockaddr *)&address,
				 (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 +
					     (size_t)n)),
		0);
	assert_int_equal(listen(listener, 4), 0);
	(void)snprintf(
		variable, sizeof(variable), "unix:abstract=%s", address.sun_path + 1);
	assert_int_equal(setenv("DBUS_SYSTEM_BUS_ADDRESS", variable, 1), 0);
	assert_int_equal(pipe(calls), 0);
	bus->child = fork();
	assert_true(bus->child >= 0);
	if (bus->child == 0) {
		struct server s = {.manners = *manners, .calls_fd = calls[1]};

		(void)close(calls[0]);
		run(&s, listener);
		_exit(0);
	}
	(void)close(listener);
	(void)close(calls[1]);
	bus->calls_fd = calls[0];
}

void fakebus_stop(struct fakebus *bus, char ret_calls[FAKEBUS_CALLS_MAX])
{
	size_t used = 0;
	ssize_t n;

	/* what the client was answered is in the pipe already */
	(void)kill(bus->child, SIGKILL);
	assert_int_equal(waitpid(bus->child, NULL, 0), bus->child);
	while ((n = read(bus->calls_fd, ret_calls + used, FAKEBUS_CALLS_MAX - 1 - used)) >
		0)
		used += (size_t)n;
	ret_calls[used] = '\0';
	(void)close(bus->calls_fd);
}
