/* SPDX-License-Identifier: MIT */
/* One second of the first workload, from the sender over the link: whether anything
 * arrives tells more than all addresses. */
#include "base/cleanup.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/path.h"
#include "link/iface.h"
#include "link/iperf.h"
#include "link/receiver.h"
#include "setup/checking.h"
#include "sweep/client.h"

#include <errno.h>
#include <pwd.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define GROUP T1S_CHECK_LINK
#define TRIAL_S 1U
#define START_US (5 * T1S_USEC_PER_SEC)
#define END_US (3 * T1S_USEC_PER_SEC)
#define SPARE_S 5U
#define JSON_MAX_BYTES ((size_t)1024 * 1024)
/* of what iperf3 says: headers make it more */
#define PATH_SHARE_MIN 0.9

struct trial {
	struct t1s_workload workload;
	struct t1s_receiver_config receiver;
	char folder[64];
	struct t1s_iface_counters before, after;
	struct t1s_sender_output out;
	struct t1s_iperf_result result;
	char sender_error[200];
};

/* What speaks iperf3 to the network is never root. */
static int make_folder(struct trial *t, struct t1s_error *e)
{
	const bool root = geteuid() == 0;
	const struct passwd *account = root ? getpwnam("t1s-sweep") : NULL;

	if (root && !account)
		account = getpwnam("nobody");
	if (root && !account)
		return t1s_error_set(
			e, ENOENT, "there is no user t1s-sweep to receive as");
	(void)snprintf(t->folder, sizeof(t->folder), "/tmp/t1s-sweep-trial-XXXXXX");
	if (!mkdtemp(t->folder)) {
		t->folder[0] = '\0';
		return t1s_error_set(
			e, errno, "cannot make a folder in /tmp: %s", strerror(errno));
	}
	(void)t1s_path(t->receiver.json_file, t->folder, "/result.json");
	if (!account)
		return 0;
	t->receiver.uid = account->pw_uid;
	t->receiver.gid = account->pw_gid;
	if (chown(t->folder, account->pw_uid, account->pw_gid) < 0)
		return t1s_error_set(
			e, errno, "cannot hand over %s: %s", t->folder, strerror(errno));
	return 0;
}

static int exchange(struct t1s_checking *c, struct trial *t, struct t1s_error *e)
{
	struct t1s_receiver receiver;
	char command[2048];
	int r = t1s_client_command(&c->config, &t->workload, command, sizeof(command), e);

	if (r == 0)
		r = t1s_receiver_start(
			&t->receiver, t1s_now_us() + START_US, &receiver, e);
	if (r < 0)
		return r;
	r = t1s_sender_run(c->sender, command, JSON_MAX_BYTES,
		t1s_now_us() +
			(t1s_client_timeout_s(&t->workload) + SPARE_S) * T1S_USEC_PER_SEC,
		NULL, NULL, &t->out, e);
	(void)t1s_receiver_finish(&receiver, t1s_now_us() + (r < 0 ? 0 : END_US));
	return r;
}

static int read_result(struct t1s_checking *c, struct trial *t, struct t1s_error *e)
{
	const struct t1s_iperf_expect expect = {.length_bytes = t->workload.length_bytes,
		.duration_s = t->workload.duration_s,
		.link_rate_bps = c->config.link_rate_bps};
	cleanup_free char *json = NULL;
	size_t size = 0;
	int r = t1s_read_file(t->receiver.json_file, JSON_MAX_BYTES, &json, &size, e);

	if (r < 0)
		return r;
	t1s_iperf_read(json, size, &expect, &t->result);
	(void)t1s_iperf_add_sender(t->out.out, t->out.out_size, &t->result,
		t->sender_error, sizeof(t->sender_error));
	/* nobody came: only the client knows why */
	if (size == 0)
		(void)snprintf(t->result.reason, sizeof(t->result.reason), "%.200s",
			t->sender_error[0] ? t->sender_error : "no answer in time");
	return 0;
}

static int try(struct t1s_checking *c, struct trial *t, struct t1s_error *e)
{
	const char *interface = c->config.receiver_interface;
	int r = make_folder(t, e);

	if (r == 0)
		r = t1s_iface_counters(c->root, interface, &t->before, e);
	if (r == 0)
		r = exchange(c, t, e);
	if (r == 0)
		r = t1s_iface_counters(c->root, interface, &t->after, e);
	return r == 0 ? read_result(c, t, e) : r;
}

static void say(struct t1s_checking *c, const struct trial *t)
{
	const struct t1s_iperf_result *i = &t->result;
	const double bytes = i->received_bps / 8 * i->duration_s;
	char loss[48] = "";

	if (i->status != T1S_RUN_OK) {
		t1s_check_remedy_driver(c);
		t1s_check_say(c, GROUP, T1S_CHECK_BAD, "trial",
			"nothing of use was received in one second: %s", i->reason);
		return;
	}
	if ((double)(t->after.rx_bytes - t->before.rx_bytes) < PATH_SHARE_MIN * bytes) {
		t1s_check_say(c, GROUP, T1S_CHECK_BAD, "trial",
			"iperf3 received %.0f bytes, but not over %s", bytes,
			c->config.receiver_interface);
		return;
	}
	if (i->lost_percent >= 0)
		(void)snprintf(loss, sizeof(loss), ", loss %.2f %%", i->lost_percent);
	t1s_check_say(c, GROUP, T1S_CHECK_GOOD, "trial",
		"received %.2f Mbit/s in one second%s", i->received_bps / 1e6, loss);
}

static void clean_up(struct trial *t)
{
	t1s_sender_output_done(&t->out);
	if (!t->folder[0])
		return;
	(void)unlink(t->receiver.json_file);
	(void)rmdir(t->folder);
}

void t1s_check_trial(struct t1s_checking *c)
{
	struct trial t = {.workload = c->config.workloads[0]};
	struct t1s_error why = {{0}};
	int r;

	if (!c->sender || t1s_check_is_under_way(c)) {
		t1s_check_say(c, GROUP, T1S_CHECK_NOTE, "trial", "not made: %s",
			c->sender ? "a sweep is under way" : "no login to the sender");
		return;
	}
	t.workload.duration_s = TRIAL_S;
	t.workload.omit_s = 0;
	t.workload.direction = T1S_DIRECTION_RECEIVE;
	(void)snprintf(t.receiver.address, sizeof(t.receiver.address), "%s",
		c->config.receiver_address);
	(void)snprintf(t.receiver.interface, sizeof(t.receiver.interface), "%s",
		c->config.receiver_interface);
	(void)snprintf(
		t.receiver.peer, sizeof(t.receiver.peer), "%s", c->config.sender_address);
	t.receiver.port = c->config.receiver_port;
	t.receiver.max_bytes = JSON_MAX_BYTES;
	r = try(c, &t, &why);
	if (r == 0)
		say(c, &t);
	else
		t1s_check_say(c, GROUP, T1S_CHECK_BAD, "trial", "not made: %s", why.text);
	clean_up(&t);
}
