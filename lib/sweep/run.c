/* SPDX-License-Identifier: MIT */
#include "sweep/run.h"

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/log.h"
#include "base/path.h"
#include "link/iface.h"
#include "link/iperf.h"
#include "link/receiver.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>

#define JSON_MAX_BYTES ((size_t)16 * 1024 * 1024)
#define CONNECT_TIMEOUT_S 5U
#define CLIENT_SPARE_S 10U  /* beyond its duration, before the sender ends the client */
#define SESSION_SPARE_S 10U /* beyond that, before the session counts as stalled */
#define RECEIVER_START_US (5 * T1S_USEC_PER_SEC)
#define RECEIVER_END_US (3 * T1S_USEC_PER_SEC)
#define EXIT_TIMED_OUT 124 /* timeout(1): it ended the client */
#define EXIT_KILLED 137    /* … by SIGKILL */
#define EXIT_NOT_EXECUTABLE 126
#define EXIT_NOT_FOUND 127
/* The interface counts whole frames, iperf3 only payload: it must have counted more. */
#define PATH_SHARE_MIN 0.95

void t1s_run_start_row(
	const struct t1s_measurement *m, const struct t1s_run_id *id, struct t1s_row *ret)
{
	const struct t1s_config *c = &m->context->config;
	const struct t1s_state *s = &m->context->state;
	const struct t1s_workload *w = id->workload;
	struct utsname uts;

	t1s_row_init(ret);
	t1s_format_timestamp(t1s_wall_us(), ret->timestamp);
	if (uname(&uts) == 0)
		(void)snprintf(ret->receiver_host, sizeof(ret->receiver_host), "%s",
			uts.nodename);
	(void)snprintf(ret->overlay, sizeof(ret->overlay), "%s", s->overlay.name);
	ret->spi_requested_hz = s->plan.points[s->point].freq_hz;
	(void)snprintf(ret->udp_target, sizeof(ret->udp_target), "%s", w->rate_text);
	ret->test_seconds = w->duration_s;
	ret->omit_seconds = w->omit_s;
	(void)snprintf(
		ret->interface, sizeof(ret->interface), "%s", c->receiver_interface);
	(void)snprintf(
		ret->receiver_ip, sizeof(ret->receiver_ip), "%s", c->receiver_address);
	(void)snprintf(ret->sender_ip, sizeof(ret->sender_ip), "%s", c->sender_address);
	(void)snprintf(ret->sender_ssh, sizeof(ret->sender_ssh), "%s@%s", c->sender_user,
		c->sender_host);
	(void)snprintf(ret->sweep_id, sizeof(ret->sweep_id), "%s", s->sweep_id);
	ret->point = (int64_t)s->point + 1;
	ret->pass = s->plan.points[s->point].pass;
	(void)snprintf(ret->workload, sizeof(ret->workload), "%s", w->name);
	(void)snprintf(ret->protocol, sizeof(ret->protocol), "%s",
		t1s_protocol_name(w->protocol));
	(void)snprintf(ret->direction, sizeof(ret->direction), "%s",
		t1s_direction_name(w->direction));
	ret->length_bytes = w->length_bytes;
	ret->repeat = id->repeat;
	ret->attempt = id->attempt;
	(void)snprintf(ret->boot_id, sizeof(ret->boot_id), "%s", m->context->boot_id);
	ret->live_hz = m->live.freq_hz;
	ret->original_hz = s->original_hz;
	if (s->plan.seed > 0)
		ret->seed = (int64_t)s->plan.seed;
	if (m->sclk_predicted_hz > 0)
		ret->sclk_predicted_hz = m->sclk_predicted_hz;
	(void)snprintf(
		ret->iperf_sender, sizeof(ret->iperf_sender), "%s", m->sender_version);
	ret->clock_synchronised = t1s_clock_synchronised();
	(void)snprintf(
		ret->compatible, sizeof(ret->compatible), "%s", m->live.compatible);
	t1s_surroundings_fill(&m->surroundings, m->context, ret);
}

static int client_command(const struct t1s_config *c, const struct t1s_workload *w,
	char *ret, size_t size, struct t1s_error *e)
{
	char program[1024], to[128], from[128];
	int n;

	if (t1s_shell_quote(c->sender_iperf3, program, sizeof(program)) < 0 ||
		t1s_shell_quote(c->receiver_address, to, sizeof(to)) < 0 ||
		t1s_shell_quote(c->sender_address, from, sizeof(from)) < 0)
		return t1s_error_set(
			e, ENAMETOOLONG, "a configured name is too long for a command");
	/* closing the channel would not end the client, so timeout(1) does */
	n = snprintf(ret, size,
		"LC_ALL=C timeout -k 2 %u %s -c %s -B %s -p %u -u -b %" PRIu64
		" -l %u -t %u -O %u -J --connect-timeout %u",
		w->duration_s + w->omit_s + CLIENT_SPARE_S, program, to, from,
		c->receiver_port, w->rate_bps, w->length_bytes, w->duration_s, w->omit_s,
		CONNECT_TIMEOUT_S * 1000);
	if (n < 0 || (size_t)n >= size)
		return t1s_error_set(e, ENAMETOOLONG, "the sender's command is too long");
	return 0;
}

struct ticker {
	const struct t1s_measurement *m;
	uint64_t start_us, next_us, length_us;
};

static int tick(void *data)
{
	struct ticker *t = data;
	uint64_t now_us = t1s_now_us();
	const struct t1s_state *s = &t->m->context->state;
	uint64_t share;

	if (now_us < t->next_us)
		return 0;
	share = (now_us - t->start_us) * 100 / t->length_us;
	t1s_notify(0, "point %zu/%zu (" T1S_MHZ_FMT "): measuring, %u %%", s->point + 1,
		t1s_state_points(s), t1s_mhz(s->plan.points[s->point].freq_hz),
		share > 100 ? 100 : (unsigned int)share);
	t->next_us = now_us + T1S_USEC_PER_SEC;
	return 0;
}

/* Files of one run below the sweep's folder; the row names the receiver's. */
static int raw_paths(const struct t1s_measurement *m, const struct t1s_run_id *id,
	struct t1s_row *row, char receiver[PATH_MAX], char sender[PATH_MAX])
{
	(void)snprintf(row->raw, sizeof(row->raw),
		"raw/p%04" PRId64 "-%.40s-r%u-a%u.json", row->point, id->workload->name,
		id->repeat, id->attempt);
	if (t1s_path(receiver, m->folder, "/%s", row->raw) < 0)
		return -ENAMETOOLONG;
	return t1s_path(sender, m->folder, "/%.*s.sender.json", (int)strlen(row->raw) - 5,
		row->raw);
}

static void sync_file(const char *path)
{
	cleanup_close int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);

	/* best effort: the row that follows does not depend on its raw file */
	if (fd >= 0)
		(void)fsync(fd);
}

static int run_sender(const struct t1s_measurement *m, const struct t1s_workload *w,
	struct t1s_sender_output *ret, struct t1s_error *e)
{
	const unsigned int length_s =
		w->duration_s + w->omit_s + CLIENT_SPARE_S + SESSION_SPARE_S;
	const uint64_t now_us = t1s_now_us();
	struct ticker t = {.m = m,
		.start_us = now_us,
		.length_us = (w->duration_s + w->omit_s) * T1S_USEC_PER_SEC};
	char command[2048];
	int r = client_command(&m->context->config, w, command, sizeof(command), e);

	if (r < 0)
		return r;
	t1s_notify(length_s + 60, "measuring");
	r = t1s_sender_run(m->sender, command, JSON_MAX_BYTES,
		now_us + length_s * T1S_USEC_PER_SEC, tick, &t, ret, e);
	return r == -ETIMEDOUT ? -ECONNRESET : r;
}

static void fail_row(struct t1s_row *row, enum t1s_run_status status, const char *note)
{
	row->status = status;
	(void)snprintf(row->note, sizeof(row->note), "%s", note);
	t1s_printable(row->note);
}

static void copy_result(struct t1s_row *row, const struct t1s_iperf_result *res)
{
	row->status = res->status;
	(void)snprintf(row->note, sizeof(row->note), "%s", res->reason);
	row->received_mbit_s = res->received_bps / 1e6;
	row->lost_percent = res->lost_percent;
	row->jitter_ms = res->jitter_ms;
	row->packets = res->packets;
	row->lost_packets = res->lost_packets;
	row->out_of_order = res->out_of_order;
	row->duration_s = res->duration_s;
	row->sent_packets = res->sent_packets;
	row->offered_mbit_s = res->offered_bps / 1e6;
	(void)snprintf(
		row->iperf_receiver, sizeof(row->iperf_receiver), "%s", res->version);
}

/*
 * The receiver has nothing to tell: nobody came, or what came broke off before any data.
 * Only the sender's side knows whether that was the link or the client itself.
 */
static void judge_silence(struct t1s_row *row, const struct t1s_iperf_expect *expect,
	const struct t1s_sender_output *out, const char *sender_error)
{
	char note[sizeof(row->note)];
	struct t1s_iperf_result sender;
	bool hung = out->exit_status == EXIT_TIMED_OUT ||
		    out->exit_status == EXIT_KILLED || out->exit_status < 0;

	t1s_iperf_read(out->out, out->out_size, expect, &sender);
	if (sender.status == T1S_RUN_NO_DATA || hung) {
		(void)snprintf(note, sizeof(note),
			"nothing received; the sender's iperf3: %.180s",
			hung ? "no answer in time" : sender_error);
		fail_row(row, T1S_RUN_NO_DATA, note);
		return;
	}
	(void)snprintf(note, sizeof(note),
		"the sender's iperf3 gave no result (exit status %d): %.160s",
		out->exit_status, out->err[0] ? out->err : sender_error);
	fail_row(row, T1S_RUN_FAILED, note);
}

static void judge(const struct t1s_measurement *m, const struct t1s_run_id *id,
	const char *json, size_t size, const struct t1s_sender_output *out,
	struct t1s_row *row)
{
	const struct t1s_iperf_expect expect = {
		.length_bytes = id->workload->length_bytes,
		.duration_s = id->workload->duration_s,
		.link_rate_bps = m->context->config.link_rate_bps,
	};
	char sender_error[200] = "";
	struct t1s_iperf_result res;

	t1s_iperf_read(json, size, &expect, &res);
	(void)t1s_iperf_add_sender(
		out->out, out->out_size, &res, sender_error, sizeof(sender_error));
	copy_result(row, &res);
	if (res.status == T1S_RUN_FAILED && size == 0)
		judge_silence(row, &expect, out, sender_error);
}

/*
 * Linux answers for an address on any interface: traffic that ran over another one would
 * look like a perfect link.
 */
static void check_path(struct t1s_row *row, const struct t1s_iface_counters *before,
	const struct t1s_iface_counters *after)
{
	double received_bytes = row->received_mbit_s * 1e6 / 8 * row->duration_s;
	double counted_bytes = (double)(after->rx_bytes - before->rx_bytes);
	char note[sizeof(row->note)];

	row->iface_rx_bytes = (int64_t)(after->rx_bytes - before->rx_bytes);
	if (row->status != T1S_RUN_OK || counted_bytes >= PATH_SHARE_MIN * received_bytes)
		return;
	(void)snprintf(note, sizeof(note),
		"iperf3 received %.0f bytes, but %.15s counted only %.0f: the "
		"addresses route over another interface (see: ip route get %.45s on "
		"the sender)",
		received_bytes, row->interface, counted_bytes, row->receiver_ip);
	fail_row(row, T1S_RUN_WRONG_PATH, note);
}

static int finish_row(const struct t1s_measurement *m, const struct t1s_run_id *id,
	const char *json_file, const struct t1s_sender_output *out,
	const struct t1s_iface_counters *before, struct t1s_row *row)
{
	struct t1s_iface_counters after;
	cleanup_free char *json = NULL;
	struct t1s_error why = {{0}};
	size_t size = 0;
	int r = t1s_read_file(json_file, JSON_MAX_BYTES, &json, &size, &why);

	sync_file(json_file);
	if (r < 0)
		fail_row(row, T1S_RUN_FAILED, why.text);
	else
		judge(m, id, json, size, out, row);
	r = t1s_iface_counters(m->context->env->root, row->interface, &after, &why);
	if (r < 0)
		fail_row(row, T1S_RUN_DRIVER_DEAD, why.text);
	else
		check_path(row, before, &after);
	return 0;
}

static void write_raw(const char *path, const struct t1s_sender_output *out)
{
	struct t1s_error why;

	if (t1s_replace_file(path, out->out, out->out_size, 0644, false, &why) < 0)
		t1s_log(LOG_WARNING, "%s", why.text);
}

int t1s_run_once(const struct t1s_measurement *m, const struct t1s_run_id *id,
	struct t1s_row *row, struct t1s_error *e)
{
	const struct t1s_config *c = &m->context->config;
	cleanup_(t1s_sender_output_done) struct t1s_sender_output out = {0};
	struct t1s_receiver_config rc = {
		.port = c->receiver_port, .max_bytes = JSON_MAX_BYTES};
	struct t1s_iface_counters before;
	struct t1s_receiver receiver;
	struct t1s_watch watch;
	char sender_file[PATH_MAX];
	int r;

	t1s_run_start_row(m, id, row);
	if (raw_paths(m, id, row, rc.json_file, sender_file) < 0)
		return t1s_error_set(e, ENAMETOOLONG, "path too long: %s", m->folder);
	(void)snprintf(rc.address, sizeof(rc.address), "%s", c->receiver_address);
	r = t1s_iface_counters(m->context->env->root, c->receiver_interface, &before, e);
	if (r == 0)
		r = t1s_receiver_start(
			&rc, t1s_now_us() + RECEIVER_START_US, &receiver, e);
	if (r < 0)
		return r;
	t1s_watch_begin(m->context->env->root, c->receiver_interface, &watch);
	r = run_sender(m, id->workload, &out, e);
	t1s_watch_end(&watch, row);
	/* on a lost session nobody will come any more */
	(void)t1s_receiver_finish(
		&receiver, t1s_now_us() + (r < 0 ? 0 : RECEIVER_END_US));
	if (r == -EMSGSIZE) {
		fail_row(row, T1S_RUN_FAILED,
			"the sender's output is longer than any result");
		return 0;
	}
	if (r < 0)
		return r;
	write_raw(sender_file, &out);
	if (out.exit_status == EXIT_NOT_FOUND || out.exit_status == EXIT_NOT_EXECUTABLE)
		return t1s_error_set(e, ENOEXEC, "%s is gone from the sender %s",
			c->sender_iperf3, c->sender_host);
	return finish_row(m, id, rc.json_file, &out, &before, row);
}
