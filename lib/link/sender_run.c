/* SPDX-License-Identifier: MIT */
#include "base/cleanup.h"
#include "base/clock.h"
#include "link/sender.h"
#include "link/sender_session.h"

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#define READ_BYTES 16384
#define STREAM_FIRST_BYTES 4096

struct stream {
	char *data;
	size_t size, room;
};

struct run {
	struct t1s_sender *sender;
	ssh_channel channel;
	size_t max_bytes;
	uint64_t deadline_us;
	int (*tick)(void *);
	void *tick_data;
	struct stream streams[2]; /* output, error */
};

static int append(struct stream *s, const char *data, size_t n, size_t max_bytes)
{
	size_t room = s->room ? s->room : STREAM_FIRST_BYTES;

	if (n > max_bytes - s->size)
		return -EMSGSIZE;
	while (room < s->size + n + 1)
		room *= 2;
	if (room != s->room) {
		char *p = realloc(s->data, room);

		if (!p)
			return -ENOMEM;
		s->data = p;
		s->room = room;
	}
	memcpy(s->data + s->size, data, n);
	s->size += n;
	s->data[s->size] = '\0';
	return 0;
}

/* What a failed call of libssh means for the caller. */
static int lost(const struct run *run, const char *what, struct t1s_error *e)
{
	ssh_session ssh = run->sender->ssh;

	if (!ssh_is_connected(ssh))
		return t1s_error_set(e, ECONNRESET, "the session with %s was cut: %s",
			run->sender->name, ssh_get_error(ssh));
	return t1s_error_set(
		e, EPROTO, "%s: %s: %s", run->sender->name, what, ssh_get_error(ssh));
}

/* Between two looks at the session: the caller's turn, the deadline, a wait. */
static int pass_time(struct run *run, bool wait, struct t1s_error *e)
{
	int r;

	if (run->tick) {
		r = run->tick(run->tick_data);
		if (r < 0)
			return t1s_error_set(e, -r, "the command on %s was given up: %s",
				run->sender->name, strerror(-r));
	}
	if (t1s_left_ms(run->deadline_us) == 0)
		return t1s_error_set(e, ETIMEDOUT,
			"the command on %s did not end in time", run->sender->name);
	if (wait && t1s_sender_wait(run->sender, run->deadline_us) < 0)
		return lost(run, "no connection", e);
	return 0;
}

static int open_channel(struct run *run, struct t1s_error *e)
{
	for (;;) {
		int r = ssh_channel_open_session(run->channel);

		if (r == SSH_OK)
			return 0;
		if (r != SSH_AGAIN)
			return lost(run, "cannot open a channel", e);
		r = pass_time(run, true, e);
		if (r < 0)
			return r;
	}
}

static int request_command(struct run *run, const char *command, struct t1s_error *e)
{
	for (;;) {
		int r = ssh_channel_request_exec(run->channel, command);

		if (r == SSH_OK)
			return 0;
		if (r != SSH_AGAIN)
			return lost(run, "cannot run a command", e);
		r = pass_time(run, true, e);
		if (r < 0)
			return r;
	}
}

/* One look at one stream. Returns the bytes that came, or a negative errno. */
static int read_stream(struct run *run, int is_stderr, struct t1s_error *e)
{
	char data[READ_BYTES];
	int n = ssh_channel_read_nonblocking(run->channel, data, sizeof(data), is_stderr);
	int r;

	if (n == SSH_ERROR)
		return lost(run, "cannot read from the command", e);
	if (n <= 0) /* SSH_AGAIN and SSH_EOF are negative too */
		return 0;
	r = append(&run->streams[is_stderr], data, (size_t)n, run->max_bytes);
	if (r == -EMSGSIZE)
		return t1s_error_set(e, EMSGSIZE,
			"the command on %s writes more than the %zu bytes that are "
			"expected at most",
			run->sender->name, run->max_bytes);
	if (r < 0)
		return t1s_error_set(e, -r, "out of memory");
	return n;
}

/*
 * The command's exit status; -1: none has come, or a signal has ended it. Also takes in
 * what came behind the end of both streams.
 */
static int exit_status(ssh_channel channel)
{
#if LIBSSH_VERSION_INT >= SSH_VERSION_INT(0, 11, 0)
	uint32_t code;

	return ssh_channel_get_exit_state(channel, &code, NULL, NULL) == SSH_OK
		       ? (int)code
		       : -1;
#else
	return ssh_channel_get_exit_status(channel);
#endif
}

/* Until the other side has closed the channel and everything is read. */
static int collect(struct run *run, struct t1s_error *e)
{
	for (;;) {
		int out = read_stream(run, 0, e);
		int err = out < 0 ? out : read_stream(run, 1, e);
		int r;

		if (err < 0)
			return err;
		(void)exit_status(run->channel);
		if (!ssh_is_connected(run->sender->ssh))
			return lost(run, "no connection", e);
		if (out == 0 && err == 0 && ssh_channel_is_closed(run->channel))
			return 0;
		r = pass_time(run, out == 0 && err == 0, e);
		if (r < 0)
			return r;
	}
}

static int run_command(struct run *run, const char *command, struct t1s_error *e)
{
	int r = open_channel(run, e);

	if (r == 0)
		r = request_command(run, command, e);
	/* nothing to read for it: a command that asks must not wait for us */
	if (r == 0 && ssh_channel_send_eof(run->channel) == SSH_ERROR)
		r = lost(run, "cannot end the command's input", e);
	if (r == 0)
		r = collect(run, e);
	/* an empty stream is a text too */
	for (size_t i = 0; r == 0 && i < T1S_ELEMENTSOF(run->streams); i++)
		r = append(&run->streams[i], "", 0, run->max_bytes);
	return r;
}

int t1s_sender_run(struct t1s_sender *s, const char *command, size_t max_bytes,
	uint64_t deadline_us, int (*tick)(void *), void *tick_data,
	struct t1s_sender_output *ret, struct t1s_error *e)
{
	struct run run = {.sender = s,
		.channel = ssh_channel_new(s->ssh),
		.max_bytes = max_bytes,
		.deadline_us = deadline_us,
		.tick = tick,
		.tick_data = tick_data};
	int r;

	if (!run.channel)
		return lost(&run, "no channel", e);
	r = run_command(&run, command, e);
	if (r == 0) {
		*ret = (struct t1s_sender_output){.out = run.streams[0].data,
			.out_size = run.streams[0].size,
			.err = run.streams[1].data,
			.err_size = run.streams[1].size,
			.exit_status = exit_status(run.channel)};
	} else {
		free(run.streams[0].data);
		free(run.streams[1].data);
	}
	ssh_channel_free(run.channel);
	return r;
}

void t1s_sender_output_done(struct t1s_sender_output *o)
{
	free(o->out);
	free(o->err);
	*o = (struct t1s_sender_output){0};
}

int t1s_shell_quote(const char *word, char *ret, size_t size)
{
	size_t n = 0;

	/* each ' becomes '\'' : closed, escaped, opened again; 3 bytes for the rest */
	for (const char *p = word; *p; p++)
		n += *p == '\'' ? 4 : 1;
	if (n + 3 > size)
		return -ENAMETOOLONG;
	*ret++ = '\'';
	for (const char *p = word; *p; p++) {
		if (*p == '\'') {
			memcpy(ret, "'\\''", 4);
			ret += 4;
		} else {
			*ret++ = *p;
		}
	}
	*ret++ = '\'';
	*ret = '\0';
	return 0;
}
