/* SPDX-License-Identifier: MIT */
#include "sweep/run.h"

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/log.h"
#include "base/path.h"
#include "board/storage.h"
#include "link/iface.h"
#include "link/iperf.h"
#include "link/receiver.h"
#include "sweep/client.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>

#define JSON_MAX_BYTES ((size_t)16 * 1024 * 1024)
#define JSON_BASE_BYTES ((size_t)512 * 1024)
/* an interval of both directions: 1.4 kB */
#define JSON_SECOND_BYTES ((size_t)4 * 1024)
/* beyond the client's time, before the session is stalled */
#define SESSION_SPARE_S 10U
#define ROOM_MIN_BYTES (UINT64_C(1) * 1024 * 1024) /* more than a result takes */
#define RECEIVER_START_US (5 * T1S_USEC_PER_SEC)
#define RECEIVER_END_US (3 * T1S_USEC_PER_SEC)
#define EXIT_TIMED_OUT 124 /* timeout(1): it ended the client */
#define EXIT_KILLED 137    /* … by SIGKILL */
#define EXIT_NOT_EXECUTABLE 126
#define EXIT_NOT_FOUND 127
/* The interface counts whole frames, iperf3 only payload: it must have counted more. */
#define PATH_SHARE_MIN 0.95

unsigned int t1s_run_rows_count(const struct t1s_workload *w)
{
	return w->direction == T1S_DIRECTION_BOTH ? 2 : 1;
}

/* What a result of this run may be long: read, it takes some fifty times its length, and
 * the sender must not be able to fill the memory with it. */
static size_t json_max_bytes(const struct t1s_workload *w)
{
	const size_t n = JSON_BASE_BYTES + w->length_bytes +
			 (size_t)(w->duration_s + w->omit_s) * JSON_SECOND_BYTES;

	return n < JSON_MAX_BYTES ? n : JSON_MAX_BYTES;
}

static void name_ends(const struct t1s_measurement *m, struct t1s_row *ret)
{
	const struct t1s_config *c = &m->context->config;
	struct utsname uts;

	if (uname(&uts) == 0)
		(void)snprintf(ret->receiver_host, sizeof(ret->receiver_host), "%s",
			uts.nodename);
	(void)snprintf(
		ret->interface, sizeof(ret->interface), "%s", c->receiver_interface);
	(void)snprintf(
		ret->receiver_ip, sizeof(ret->receiver_ip), "%s", c->receiver_address);
	(void)snprintf(ret->sender_ip, sizeof(ret->sender_ip), "%s", c->sender_address);
	(void)snprintf(ret->sender_ssh, sizeof(ret->sender_ssh), "%s@%s", c->sender_user,
		c->sender_host);
	(void)snprintf(
		ret->iperf_sender, sizeof(ret->iperf_sender), "%s", m->sender_version);
}

static void name_point(const struct t1s_measurement *m, struct t1s_row *ret)
{
	const struct t1s_state *s = &m->context->state;

	(void)snprintf(ret->overlay, sizeof(ret->overlay), "%s", s->overlay.name);
	ret->spi_requested_hz = s->plan.points[s->point].freq_hz;
	(void)snprintf(ret->sweep_id, sizeof(ret->sweep_id), "%s", s->sweep_id);
	ret->point = (int64_t)s->point + 1;
	ret->pass = s->plan.points[s->point].pass;
	(void)snprintf(ret->boot_id, sizeof(ret->boot_id), "%s", m->context->boot_id);
	ret->live_hz = m->live.freq_hz;
	ret->original_hz = s->original_hz;
	if (s->plan.seed > 0)
		ret->seed = (int64_t)s->plan.seed;
	if (m->sclk_predicted_hz > 0)
		ret->sclk_predicted_hz = m->sclk_predicted_hz;
	ret->clock_synchronised = t1s_clock_synchronised();
	(void)snprintf(
		ret->compatible, sizeof(ret->compatible), "%s", m->live.compatible);
	t1s_surroundings_fill(&m->surroundings, m->context, ret);
}

static void name_run(
	const struct t1s_run_id *id, enum t1s_direction direction, struct t1s_row *ret)
{
	const struct t1s_workload *w = id->workload;

	(void)snprintf(ret->udp_target, sizeof(ret->udp_target), "%s", w->rate_text);
	ret->test_seconds = w->duration_s;
	ret->omit_seconds = w->omit_s;
	(void)snprintf(ret->workload, sizeof(ret->workload), "%s", w->name);
	(void)snprintf(ret->protocol, sizeof(ret->protocol), "%s",
		t1s_protocol_name(w->protocol));
	(void)snprintf(ret->direction, sizeof(ret->direction), "%s",
		t1s_direction_name(direction));
	ret->length_bytes = w->length_bytes;
	ret->repeat = id->repeat;
	ret->attempt = id->attempt;
}

unsigned int t1s_run_start_rows(const struct t1s_measurement *m,
	const struct t1s_run_id *id, struct t1s_row ret[T1S_RUN_ROWS_MAX])
{
	const enum t1s_direction direction = id->workload->direction;
	const unsigned int count = t1s_run_rows_count(id->workload);

	for (unsigned int i = 0; i < count; i++) {
		t1s_row_init(&ret[i]);
		t1s_format_timestamp(t1s_wall_us(), ret[i].timestamp);
		name_ends(m, &ret[i]);
		name_point(m, &ret[i]);
		name_run(id, count > 1 ? (enum t1s_direction)i : direction, &ret[i]);
	}
	return count;
}

/* Whether this machine sent and the other one received. */
static bool is_sent(const struct t1s_row *row)
{
	return strcmp(row->direction, t1s_direction_name(T1S_DIRECTION_SEND)) == 0;
}

struct ticker {
	const struct t1s_measurement *m;
	const struct t1s_run_id *id;
	uint64_t start_us, next_us, length_us;
};

static int tick(void *data)
{
	struct ticker *t = data;
	uint64_t now_us = t1s_now_us();
	uint64_t share;

	if (now_us < t->next_us)
		return 0;
	share = (now_us - t->start_us) * 100 / t->length_us;
	t1s_context_notify(t->m->context, 0, "measuring, run %u of %u, %u %%",
		t->id->number, t->id->total, share > 100 ? 100 : (unsigned int)share);
	t->next_us = now_us + T1S_USEC_PER_SEC;
	return 0;
}

/* Files of one run; a row names the one that its figures come from. */
static int raw_paths(const struct t1s_measurement *m, const struct t1s_run_id *id,
	struct t1s_row *rows, unsigned int count, char receiver[PATH_MAX],
	char sender[PATH_MAX])
{
	char name[sizeof(rows->raw) - sizeof(".sender.json")];

	(void)snprintf(name, sizeof(name), "raw/p%04zu-%s-r%u-a%u",
		m->context->state.point + 1, id->workload->name, id->repeat, id->attempt);
	for (unsigned int i = 0; i < count; i++)
		(void)snprintf(rows[i].raw, sizeof(rows[i].raw), "%s%s", name,
			is_sent(&rows[i]) ? ".sender.json" : ".json");
	if (t1s_path(receiver, m->folder, "/%s.json", name) < 0)
		return -ENAMETOOLONG;
	return t1s_path(sender, m->folder, "/%s.sender.json", name);
}

static void sync_file(const char *path)
{
	cleanup_close int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);

	/* best effort: the row that follows does not depend on its raw file */
	if (fd >= 0)
		(void)fsync(fd);
}

static int run_sender(const struct t1s_measurement *m, const struct t1s_run_id *id,
	struct t1s_sender_output *ret, struct t1s_error *e)
{
	const struct t1s_workload *w = id->workload;
	const unsigned int length_s = t1s_client_timeout_s(w) + SESSION_SPARE_S;
	const uint64_t now_us = t1s_now_us();
	struct ticker t = {.m = m,
		.id = id,
		.start_us = now_us,
		.length_us = (w->duration_s + w->omit_s) * T1S_USEC_PER_SEC};
	char command[2048];
	int r = t1s_client_command(&m->context->config, w, command, sizeof(command), e);

	if (r < 0)
		return r;
	t1s_context_notify(m->context, length_s + 60, "measuring, run %u of %u",
		id->number, id->total);
	r = t1s_sender_run(m->sender, command, json_max_bytes(w),
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
	row->retransmits = res->retransmits;
}

/* What there is of one run. */
struct evidence {
	const struct t1s_sender_output *out; /* of the client */
	const char *json;                    /* of our own server */
	size_t size;
	struct t1s_iface_counters before, after;
};

static bool client_hung(const struct t1s_sender_output *out)
{
	return out->exit_status == EXIT_TIMED_OUT || out->exit_status == EXIT_KILLED ||
	       out->exit_status < 0;
}

/*
 * The receiving end has nothing to tell: nobody came, or what came broke off. Only the
 * client knows whether that was the link or itself.
 */
static void judge_silence(struct t1s_row *row, const struct t1s_iperf_expect *expect,
	const struct t1s_sender_output *out, const char *client_error)
{
	char note[sizeof(row->note)];
	struct t1s_iperf_result client;
	bool hung = client_hung(out);

	t1s_iperf_read(out->out, out->out_size, expect, &client);
	if (client.status == T1S_RUN_NO_DATA || hung) {
		(void)snprintf(note, sizeof(note),
			"nothing received; the sender's iperf3: %.180s",
			hung ? "no answer in time" : client_error);
		fail_row(row, T1S_RUN_NO_DATA, note);
		row->received_mbit_s = 0;
		return;
	}
	(void)snprintf(note, sizeof(note),
		"the sender's iperf3 gave no result (exit status %d): %.160s",
		out->exit_status, out->err[0] ? out->err : client_error);
	fail_row(row, T1S_RUN_FAILED, note);
}

/*
 * Our server listens on the T1S interface and answers the sender's address: who is sent
 * away has knocked at another door, and that is no property of the link.
 */
static bool knocked_elsewhere(
	struct t1s_row *row, const struct evidence *v, const char *client_words)
{
	char note[sizeof(row->note)];

	if (v->size > 0 || !strstr(client_words, "Connection refused"))
		return false;
	(void)snprintf(note, sizeof(note),
		"the sender's connection was refused, though %.15s listens at %.45s: the "
		"addresses route over another interface (see: ip route get %.45s on the "
		"sender), or a firewall is in the way",
		row->interface, row->receiver_ip, row->receiver_ip);
	fail_row(row, T1S_RUN_WRONG_PATH, note);
	return true;
}

static void judge_received(struct t1s_row *row, const struct t1s_iperf_expect *expect,
	const struct evidence *v)
{
	char client_error[200] = "";
	struct t1s_iperf_result res;

	t1s_iperf_read(v->json, v->size, expect, &res);
	(void)t1s_iperf_add_sender(
		v->out->out, v->out->out_size, &res, client_error, sizeof(client_error));
	copy_result(row, &res);
	(void)snprintf(
		row->iperf_receiver, sizeof(row->iperf_receiver), "%s", res.version);
	if (res.status == T1S_RUN_FAILED && v->size == 0 &&
		!knocked_elsewhere(row, v, client_error))
		judge_silence(row, expect, v->out, client_error);
}

static void judge_sent(struct t1s_row *row, const struct t1s_iperf_expect *expect,
	const struct evidence *v)
{
	struct t1s_iperf_result res, own;
	char own_error[200] = "";

	t1s_iperf_read(v->json, v->size, NULL, &own);
	(void)snprintf(
		row->iperf_receiver, sizeof(row->iperf_receiver), "%s", own.version);
	t1s_iperf_read(v->out->out, v->out->out_size, expect, &res);
	(void)t1s_iperf_add_sender(v->json, v->size, &res, own_error, sizeof(own_error));
	copy_result(row, &res);
	if (res.status == T1S_RUN_FAILED && !knocked_elsewhere(row, v, res.reason) &&
		(v->out->out_size == 0 || client_hung(v->out)))
		judge_silence(row, expect, v->out, res.reason);
}

/*
 * Linux answers for an address on any interface: traffic that ran over another one would
 * look like a perfect link.
 */
static void check_path(struct t1s_row *row)
{
	const char *verb = is_sent(row) ? "delivered" : "received";
	double bytes = row->received_mbit_s * 1e6 / 8 * row->duration_s;
	double counted =
		(double)(is_sent(row) ? row->iface_tx_bytes : row->iface_rx_bytes);
	char note[sizeof(row->note)];

	if (row->status != T1S_RUN_OK || counted >= PATH_SHARE_MIN * bytes)
		return;
	(void)snprintf(note, sizeof(note),
		"iperf3 %s %.0f bytes, but %.15s counted only %.0f: the addresses route "
		"over another interface (see: ip route get %.45s on %s)",
		verb, bytes, row->interface, counted,
		is_sent(row) ? row->sender_ip : row->receiver_ip,
		is_sent(row) ? "this machine" : "the sender");
	fail_row(row, T1S_RUN_WRONG_PATH, note);
}

static void forget_values(struct t1s_row *row)
{
	row->received_mbit_s = row->lost_percent = row->jitter_ms = NAN;
	row->duration_s = NAN;
	row->packets = row->lost_packets = row->out_of_order = -1;
}

/* A run in both directions is believed as a whole or not at all. */
static void fail_together(struct t1s_row *rows, unsigned int count)
{
	for (unsigned int i = 0; i < count; i++) {
		const struct t1s_row *other = &rows[count - 1 - i];
		char note[sizeof(rows->note)];

		if (other->status != T1S_RUN_FAILED || rows[i].status == T1S_RUN_FAILED)
			continue;
		(void)snprintf(note, sizeof(note), "the direction %s failed: %.200s",
			other->direction, other->note);
		fail_row(&rows[i], T1S_RUN_FAILED, note);
		forget_values(&rows[i]);
	}
}

static void judge(const struct t1s_measurement *m, const struct t1s_run_id *id,
	const struct evidence *v, struct t1s_row *rows, unsigned int count)
{
	const struct t1s_iperf_expect expect = {
		.length_bytes = id->workload->length_bytes,
		.duration_s = id->workload->duration_s,
		.link_rate_bps = m->context->config.link_rate_bps,
	};

	for (unsigned int i = 0; i < count; i++) {
		struct t1s_row *row = &rows[i];

		row->iface_rx_bytes = (int64_t)(v->after.rx_bytes - v->before.rx_bytes);
		row->iface_tx_bytes = (int64_t)(v->after.tx_bytes - v->before.tx_bytes);
		if (is_sent(row))
			judge_sent(row, &expect, v);
		else
			judge_received(row, &expect, v);
		check_path(row);
	}
	fail_together(rows, count);
}

static void fail_rows(struct t1s_row *rows, unsigned int count,
	enum t1s_run_status status, const char *note)
{
	for (unsigned int i = 0; i < count; i++)
		fail_row(&rows[i], status, note);
}

static void finish_rows(const struct t1s_measurement *m, const struct t1s_run_id *id,
	const char *json_file, struct evidence *v, struct t1s_row *rows,
	unsigned int count)
{
	cleanup_free char *json = NULL;
	struct t1s_error why = {{0}};

	sync_file(json_file);
	if (t1s_iface_counters(
		    m->context->env->root, rows[0].interface, &v->after, &why) < 0) {
		fail_rows(rows, count, T1S_RUN_DRIVER_DEAD, why.text);
		return;
	}
	if (t1s_read_file(
		    json_file, json_max_bytes(id->workload), &json, &v->size, &why) < 0) {
		fail_rows(rows, count, T1S_RUN_FAILED, why.text);
		return;
	}
	v->json = json;
	judge(m, id, v, rows, count);
}

static int write_raw(
	const char *path, const struct t1s_sender_output *out, struct t1s_error *e)
{
	struct t1s_error why;
	int r = t1s_replace_file(path, out->out, out->out_size, 0644, false, &why);

	if (r == -ENOSPC)
		return t1s_error_set(e, -r, "%s", why.text);
	if (r < 0)
		t1s_log(LOG_WARNING, "%s", why.text);
	return 0;
}

/* A result that found no room looks like one that never came: neither the link's failure
 * nor the sender's. */
static int check_room(const struct t1s_measurement *m, const struct t1s_row *rows,
	unsigned int count, struct t1s_error *e)
{
	struct t1s_error why;

	for (unsigned int i = 0; i < count; i++)
		if (rows[i].status == T1S_RUN_FAILED &&
			t1s_storage_lasts(m->context->env->root,
				"/var/lib/t1s-sweep/results", ROOM_MIN_BYTES,
				&why) == -ENOSPC)
			return t1s_error_set(e, ENOSPC, "%s", why.text);
	return 0;
}

int t1s_run_once(const struct t1s_measurement *m, const struct t1s_run_id *id,
	struct t1s_row ret[T1S_RUN_ROWS_MAX], struct t1s_error *e)
{
	const struct t1s_config *c = &m->context->config;
	cleanup_(t1s_sender_output_done) struct t1s_sender_output out = {0};
	struct t1s_receiver_config rc = {
		.port = c->receiver_port, .max_bytes = json_max_bytes(id->workload)};
	const unsigned int count = t1s_run_start_rows(m, id, ret);
	struct evidence v = {.out = &out};
	struct t1s_receiver receiver;
	struct t1s_watch watch;
	char sender_file[PATH_MAX];
	int r;

	if (raw_paths(m, id, ret, count, rc.json_file, sender_file) < 0)
		return t1s_error_set(e, ENAMETOOLONG, "path too long: %s", m->folder);
	(void)snprintf(rc.address, sizeof(rc.address), "%s", c->receiver_address);
	(void)snprintf(rc.interface, sizeof(rc.interface), "%s", c->receiver_interface);
	(void)snprintf(rc.peer, sizeof(rc.peer), "%s", c->sender_address);
	r = t1s_iface_counters(
		m->context->env->root, c->receiver_interface, &v.before, e);
	if (r == 0)
		r = t1s_receiver_start(
			&rc, t1s_now_us() + RECEIVER_START_US, &receiver, e);
	if (r < 0)
		return r;
	t1s_watch_begin(m->context->env->root, c->receiver_interface, &watch);
	r = run_sender(m, id, &out, e);
	t1s_watch_end(&watch, ret, count);
	/* on a lost session nobody will come any more */
	(void)t1s_receiver_finish(
		&receiver, t1s_now_us() + (r < 0 ? 0 : RECEIVER_END_US));
	if (r == -EMSGSIZE) {
		fail_rows(ret, count, T1S_RUN_FAILED,
			"the sender's output is longer than any result");
		return 0;
	}
	if (r < 0)
		return r;
	r = write_raw(sender_file, &out, e);
	if (r < 0)
		return r;
	if (out.exit_status == EXIT_NOT_FOUND || out.exit_status == EXIT_NOT_EXECUTABLE)
		return t1s_error_set(e, ENOEXEC, "%s is gone from the sender %s",
			c->sender_iperf3, c->sender_host);
	finish_rows(m, id, rc.json_file, &v, ret, count);
	return check_room(m, ret, count, e);
}
