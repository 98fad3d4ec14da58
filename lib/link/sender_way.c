/* SPDX-License-Identifier: MIT */
#include "link/sender_way.h"

#include "base/cleanup.h"
#include "base/text.h"
#include "link/sender.h"

#include <arpa/inet.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#define IP_S 5U
/* a user's PATH need not hold the folder that ip is in */
#define IP "LC_ALL=C PATH=$PATH:/usr/sbin:/sbin timeout %u ip"

int t1s_sender_way_command(const char *to, const char *from, char *ret, size_t size)
{
	char quoted_to[128], quoted_from[128];
	int n;

	if (t1s_shell_quote(to, quoted_to, sizeof(quoted_to)) < 0 ||
		t1s_shell_quote(from, quoted_from, sizeof(quoted_from)) < 0)
		return -ENAMETOOLONG;
	n = snprintf(ret, size,
		"date +%%s; " IP " -o address show; " IP " -o route get %s from %s", IP_S,
		IP_S, quoted_to, quoted_from);
	return n < 0 || (size_t)n >= size ? -ENAMETOOLONG : 0;
}

static bool same_address(const char *a, const char *b)
{
	unsigned char x[16], y[16];

	if (inet_pton(AF_INET, a, x) == 1)
		return inet_pton(AF_INET, b, y) == 1 && memcmp(x, y, 4) == 0;
	return inet_pton(AF_INET6, a, x) == 1 && inet_pton(AF_INET6, b, y) == 1 &&
	       memcmp(x, y, 16) == 0;
}

/* "3: eth1    inet 10.10.10.1/24 brd …" */
static void take_address(char *line, const char *from, struct t1s_sender_way *ret)
{
	char name[IF_NAMESIZE + 1], kind[8], address[64];

	if (sscanf(line, "%*u: %16s %7s %63[^/ ]", name, kind, address) != 3 ||
		strncmp(kind, "inet", 4) != 0)
		return;
	ret->asked = 1;
	name[strcspn(name, "@")] = '\0';
	if (strlen(name) < sizeof(ret->holder) && same_address(address, from))
		(void)snprintf(ret->holder, sizeof(ret->holder), "%.15s", name);
}

/* "10.10.10.2 from 10.10.10.1 dev eth1 …" */
static void take_route(const char *line, struct t1s_sender_way *ret)
{
	const char *dev = strstr(line, " dev ");

	if (dev)
		(void)sscanf(dev, " dev %15s", ret->interface);
}

void t1s_sender_way_read(const char *output, const char *from, struct t1s_sender_way *ret)
{
	cleanup_free char *text = strdup(output);
	char *rest = text;
	uint64_t time_s;

	*ret = (struct t1s_sender_way){.time_s = -1};
	for (char *line; (line = strsep(&rest, "\n")) != NULL;) {
		const size_t digits = strspn(line, "0123456789");

		if (digits > 0 && strncmp(line + digits, ": ", 2) == 0)
			take_address(line, from, ret);
		else if (digits > 0 && line[digits] == '\0' && ret->time_s < 0 &&
			 t1s_parse_uint(line, INT64_MAX, &time_s) == 0)
			ret->time_s = (int64_t)time_s;
		else
			take_route(line, ret);
	}
}
