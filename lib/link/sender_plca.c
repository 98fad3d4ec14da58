/* SPDX-License-Identifier: MIT */
#include "link/sender_plca.h"

#include "base/log.h"
#include "link/sender.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

/* a user's PATH need not hold the folder that ethtool is in */
#define BOUNDED "LC_ALL=C PATH=$PATH:/usr/sbin:/sbin timeout %u "
#define SET "ethtool --set-plca-cfg %s enable on node-id %d"

static bool is_root(const struct t1s_sender_plca *p)
{
	return strcmp(p->user, "root") == 0;
}

static int make(const struct t1s_sender_plca *p, const char *by, char *ret, size_t size)
{
	char quoted[128], count[24] = "";
	int n;

	if (t1s_shell_quote(p->interface, quoted, sizeof(quoted)) < 0)
		return -ENAMETOOLONG;
	if (p->node_count >= 0)
		(void)snprintf(count, sizeof(count), " node-cnt %d", p->node_count);
	n = snprintf(ret, size, BOUNDED "%s" SET "%s", T1S_SENDER_PLCA_S, by, quoted,
		p->node_id, count);
	return n < 0 || (size_t)n >= size ? -ENAMETOOLONG : 0;
}

int t1s_sender_plca_command(const struct t1s_sender_plca *p, char *ret, size_t size)
{
	return make(p, is_root(p) ? "" : "sudo -n ", ret, size);
}

int t1s_sender_plca_may_command(const struct t1s_sender_plca *p, char *ret, size_t size)
{
	int n;

	if (!is_root(p))
		return make(p, "sudo -n -l ", ret, size);
	n = snprintf(ret, size, "uname -r"); /* root may */
	return n < 0 || (size_t)n >= size ? -ENAMETOOLONG : 0;
}

static void first_line(const char *text, char *ret, size_t size)
{
	(void)snprintf(ret, size, "%.*s", (int)strcspn(text, "\n"), text);
	t1s_printable(ret);
	if (!ret[0])
		(void)snprintf(ret, size, "no word why");
}

int t1s_sender_plca_read(const struct t1s_sender_plca *p, int exit_status,
	const char *errors, struct t1s_error *e)
{
	char why[160];

	if (exit_status == 0)
		return 0;
	if (strstr(errors, "Operation not supported"))
		return t1s_error_set(e, EOPNOTSUPP,
			"interface %s of the sender: driver or kernel do not support PLCA",
			p->interface);
	first_line(errors, why, sizeof(why));
	if (strstr(errors, "ethtool: command not found") ||
		strstr(errors, "failed to run command 'ethtool'") ||
		strstr(errors, "bad command line"))
		return t1s_error_set(e, ENOSYS,
			"the sender has no ethtool that sets PLCA (6.3 or later): %s",
			why);
	if (strncmp(errors, "sudo:", 5) == 0 || strstr(errors, "not permitted") ||
		strstr(errors, "failed to run command 'sudo'"))
		return t1s_error_set(e, EACCES,
			"%s may not set PLCA on the sender (%s). Allow it there, in "
			"/etc/sudoers.d: %s ALL=(root) NOPASSWD: /usr/sbin/ethtool "
			"--set-plca-cfg *",
			p->user, why, p->user);
	return t1s_error_set(e, EREMOTEIO,
		"cannot set PLCA of interface %s of the sender (exit status %d): %s",
		p->interface, exit_status, why);
}
