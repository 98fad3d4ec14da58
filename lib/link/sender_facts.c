/* SPDX-License-Identifier: MIT */
#include "link/sender_facts.h"

#include "base/cleanup.h"
#include "link/sender.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ETHTOOL_S 5U
/* a user's PATH need not hold the folder that ethtool is in */
#define ETHTOOL "LC_ALL=C PATH=$PATH:/usr/sbin:/sbin timeout %u ethtool"

int t1s_sender_facts_command(const char *interface, char *ret, size_t size)
{
	char quoted[128];
	int n;

	if (!interface[0])
		n = snprintf(ret, size, "uname -r");
	else if (t1s_shell_quote(interface, quoted, sizeof(quoted)) < 0)
		return -ENAMETOOLONG;
	else
		n = snprintf(ret, size,
			"uname -r; " ETHTOOL " --get-plca-cfg %s; " ETHTOOL
			" --get-plca-status %s",
			ETHTOOL_S, quoted, ETHTOOL_S, quoted);
	return n < 0 || (size_t)n >= size ? -ENAMETOOLONG : 0;
}

/* "Node count: 8 (ignored)": the number at the beginning. */
static int64_t number(const char *value)
{
	char *end;
	long n = strtol(value, &end, 10);

	return end == value || n < 0 || n > UINT16_MAX ? -1 : n;
}

static void take_plca(const char *key, const char *value, struct t1s_plca *plca)
{
	if (strcmp(key, "Enabled") == 0 && strcmp(value, "Yes") == 0)
		plca->state = T1S_PLCA_ON;
	else if (strcmp(key, "Enabled") == 0 && strcmp(value, "No") == 0)
		plca->state = T1S_PLCA_OFF;
	else if (strcmp(key, "local node ID") == 0)
		plca->node_id = number(value);
	else if (strcmp(key, "Node count") == 0)
		plca->node_count = number(value);
	else if (strcmp(key, "TO timer") == 0)
		plca->to_timer_bits = number(value);
	else if (strcmp(key, "Burst count") == 0)
		plca->burst_count = number(value);
	else if (strcmp(key, "Status") == 0 && strcmp(value, "on") == 0)
		plca->operating = 1;
	else if (strcmp(key, "Status") == 0 && strcmp(value, "off") == 0)
		plca->operating = 0;
	else if (strcmp(key, "netlink error") == 0 && plca->state == T1S_PLCA_UNKNOWN &&
		 strcmp(value, "Operation not supported") == 0)
		plca->state = T1S_PLCA_UNSUPPORTED;
}

/* "	KEY: VALUE" */
static void take_line(char *line, struct t1s_plca *plca)
{
	char *colon = strchr(line, ':');

	if (!colon)
		return;
	*colon = '\0';
	take_plca(line + strspn(line, " \t"), colon + 1 + strspn(colon + 1, " \t"), plca);
}

static void take_lines(char *lines, struct t1s_plca *plca)
{
	for (char *line; (line = strsep(&lines, "\n")) != NULL;)
		take_line(line, plca);
}

/* A release has no blank: what does is some shell's complaint. */
static bool is_release(const char *text)
{
	for (; *text; text++)
		if (*text <= ' ' || *text > '~')
			return false;
	return true;
}

void t1s_sender_facts_read(
	const char *output, const char *errors, struct t1s_sender_facts *ret)
{
	cleanup_free char *text = strdup(output);
	cleanup_free char *complaints = strdup(errors);
	char *rest = text;
	const char *kernel = strsep(&rest, "\n");

	memset(ret, 0, sizeof(*ret));
	t1s_plca_init(&ret->plca);
	if (kernel && strlen(kernel) < sizeof(ret->kernel) && is_release(kernel))
		(void)snprintf(ret->kernel, sizeof(ret->kernel), "%s", kernel);
	take_lines(rest, &ret->plca);
	take_lines(complaints, &ret->plca);
}
