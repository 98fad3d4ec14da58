/* SPDX-License-Identifier: MIT */
#include "sweep/reach.h"

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/path.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define VERSION_US (15 * T1S_USEC_PER_SEC)
#define VERSION_MAX_BYTES 4096
#define FACTS_SPARE_S                                                                    \
	3U /* beyond its own bound, before the session counts as stalled                 \
	    */

void t1s_reach_settings(
	const char *root, const struct t1s_config *c, struct t1s_sender_config *ret)
{
	const char *credentials = getenv("CREDENTIALS_DIRECTORY");

	memset(ret, 0, sizeof(*ret));
	(void)snprintf(ret->host, sizeof(ret->host), "%s", c->sender_host);
	(void)snprintf(ret->user, sizeof(ret->user), "%s", c->sender_user);
	ret->port = c->sender_port;
	if (credentials && !root[0]) {
		/* LoadCredential=ssh:/etc/t1s-sweep/ssh names them so */
		(void)t1s_path(ret->key_file, credentials, "/ssh_id_ed25519");
		(void)t1s_path(ret->known_hosts, credentials, "/ssh_known_hosts");
		return;
	}
	(void)t1s_path(ret->key_file, root, "/etc/t1s-sweep/ssh/id_ed25519");
	(void)t1s_path(ret->known_hosts, root, "/etc/t1s-sweep/ssh/known_hosts");
}

int t1s_reach_read_version(const char *output, char ret[T1S_REACH_VERSION_MAX])
{
	char number[9];

	if (sscanf(output, "iperf %8[0-9.]", number) != 1 || number[0] == '.')
		return -EBADMSG;
	(void)snprintf(ret, T1S_REACH_VERSION_MAX, "iperf %s", number);
	return 0;
}

int t1s_reach_version_command(
	const struct t1s_config *c, char *ret, size_t size, struct t1s_error *e)
{
	char quoted[1024];
	int n = -1;

	if (t1s_shell_quote(c->sender_iperf3, quoted, sizeof(quoted)) == 0)
		n = snprintf(ret, size, "LC_ALL=C timeout 10 %s --version", quoted);
	return n < 0 || (size_t)n >= size
		       ? t1s_error_set(e, ENAMETOOLONG, "[Sender] Iperf3= is too long")
		       : 0;
}

int t1s_reach_version(struct t1s_sender *sender, const struct t1s_config *c,
	char ret[T1S_REACH_VERSION_MAX], struct t1s_error *e)
{
	cleanup_(t1s_sender_output_done) struct t1s_sender_output out = {0};
	const char *program = c->sender_iperf3;
	char command[2048];
	int r = t1s_reach_version_command(c, command, sizeof(command), e);

	if (r < 0)
		return r;
	r = t1s_sender_run(sender, command, VERSION_MAX_BYTES, t1s_now_us() + VERSION_US,
		NULL, NULL, &out, e);
	if (r == -EMSGSIZE)
		return t1s_error_set(e, ENOEXEC,
			"\"%s --version\" on the sender answers without end", program);
	if (r < 0)
		return r == -ETIMEDOUT ? -ECONNRESET : r;
	if (t1s_reach_read_version(out.out, ret) < 0)
		return t1s_error_set(e, ENOEXEC,
			"no iperf3 on the sender %s (\"%s --version\": exit status %d, "
			"%.120s). Install it there: sudo apt install iperf3, or set "
			"Iperf3= in [Sender]",
			c->sender_host, program, out.exit_status,
			out.err[0] ? out.err : "no output");
	return 0;
}

int t1s_reach_facts(struct t1s_sender *sender, const struct t1s_config *c,
	struct t1s_sender_facts *ret, struct t1s_error *e)
{
	cleanup_(t1s_sender_output_done) struct t1s_sender_output out = {0};
	char command[512];
	int r = t1s_sender_facts_command(c->sender_interface, command, sizeof(command));

	if (r == 0)
		r = t1s_sender_run(sender, command, T1S_SENDER_FACTS_MAX_BYTES,
			t1s_now_us() +
				(T1S_SENDER_FACTS_S + FACTS_SPARE_S) * T1S_USEC_PER_SEC,
			NULL, NULL, &out, e);
	if (r == 0)
		t1s_sender_facts_read(out.out, out.err, ret);
	return r == -ECONNRESET ? r : 0;
}
