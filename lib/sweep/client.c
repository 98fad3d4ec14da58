/* SPDX-License-Identifier: MIT */
#include "sweep/client.h"

#include "link/sender.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CONNECT_TIMEOUT_MS 5000U
#define SPARE_S 10U /* beyond its duration, before the client is ended */
#define KILL_AFTER_S 2U
#define BOTH_SINCE_MINOR 11U

unsigned int t1s_client_timeout_s(const struct t1s_workload *w)
{
	return w->duration_s + w->omit_s + SPARE_S;
}

static const char *direction_option(enum t1s_direction d)
{
	switch (d) {
	case T1S_DIRECTION_SEND:
		return " -R";
	case T1S_DIRECTION_BOTH:
		return " --bidir";
	default:
		return "";
	}
}

/* "-u -b 10000000", or nothing where TCP takes what it gets. */
static void load_options(const struct t1s_workload *w, char ret[48])
{
	const char *udp = w->protocol == T1S_PROTOCOL_UDP ? " -u" : "";

	if (w->rate_bps > 0)
		(void)snprintf(ret, 48, "%s -b %" PRIu64, udp, w->rate_bps);
	else
		(void)snprintf(ret, 48, "%s", udp);
}

int t1s_client_command(const struct t1s_config *c, const struct t1s_workload *w,
	char *ret, size_t size, struct t1s_error *e)
{
	char program[1024], to[128], from[128], load[48];
	int n;

	if (t1s_shell_quote(c->sender_iperf3, program, sizeof(program)) < 0 ||
		t1s_shell_quote(c->receiver_address, to, sizeof(to)) < 0 ||
		t1s_shell_quote(c->sender_address, from, sizeof(from)) < 0)
		return t1s_error_set(
			e, ENAMETOOLONG, "a configured name is too long for a command");
	load_options(w, load);
	n = snprintf(ret, size,
		"LC_ALL=C timeout -k %u %u %s -c %s -B %s -p %u%s%s -l %u -t %u -O %u -J "
		"--connect-timeout %u",
		KILL_AFTER_S, t1s_client_timeout_s(w), program, to, from,
		c->receiver_port, load, direction_option(w->direction), w->length_bytes,
		w->duration_s, w->omit_s, CONNECT_TIMEOUT_MS);
	if (n < 0 || (size_t)n >= size)
		return t1s_error_set(e, ENAMETOOLONG, "the sender's command is too long");
	return 0;
}

int t1s_client_check(const struct t1s_config *c, const char *version, struct t1s_error *e)
{
	char *end;
	unsigned long major = strtoul(version + strcspn(version, "0123456789"), &end, 10);
	unsigned long minor = *end == '.' ? strtoul(end + 1, NULL, 10) : 0;

	if (major > 3 || (major == 3 && minor >= BOTH_SINCE_MINOR))
		return 0;
	for (unsigned int i = 0; i < c->workloads_count; i++)
		if (c->workloads[i].direction == T1S_DIRECTION_BOTH)
			return t1s_error_set(e, EPROTONOSUPPORT,
				"[Workload %s] Direction=both needs iperf3 3.11 or later "
				"on the sender %s, which has %s: install a newer one "
				"there, or measure receive and send one after the other",
				c->workloads[i].name, c->sender_host, version);
	return 0;
}
