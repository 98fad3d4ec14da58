/* SPDX-License-Identifier: MIT */
#include "base/cleanup.h"
#include "base/clock.h"
#include "report/status.h"
#include "report/views.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/signalfd.h>
#include <unistd.h>

#define HOME_AND_CLEAR "\033[H\033[2J"

/* The text of one look. @ret is malloc'ed. */
static int look(const struct t1s_status_view *v, const struct t1s_terminal *t, char **ret,
	bool *ret_under_way, struct t1s_error *e)
{
	cleanup_(t1s_status_done) struct t1s_status s = {0};
	size_t size;
	FILE *f;
	int r = t1s_status_gather(v->root, v->config_path, &s, e);

	if (r < 0)
		return r;
	f = open_memstream(ret, &size);
	if (!f)
		return t1s_error_set(e, ENOMEM, "out of memory");
	r = v->json ? t1s_status_write_json(&s, f) : t1s_status_write_text(&s, t, f);
	if (fclose(f) != 0 || r < 0)
		return t1s_error_set(e, ENOMEM, "out of memory");
	*ret_under_way = s.have_state && !t1s_state_ended(&s.state);
	return 0;
}

static int put(FILE *out, const char *before, const char *text, struct t1s_error *e)
{
	(void)fprintf(out, "%s%s", before, text);
	if (fflush(out) != 0 || ferror(out))
		return t1s_error_set(e, EIO, "cannot write the status");
	return 0;
}

/* The signals that end a watch come through a descriptor, so that none of them ends us in
 * the middle of something. */
struct watching {
	sigset_t signals, before;
	int fd;
	FILE *out;
};

static int begin_watching(struct watching *w, FILE *out, struct t1s_error *e)
{
	w->out = out;
	(void)sigemptyset(&w->signals);
	(void)sigaddset(&w->signals, SIGINT);
	(void)sigaddset(&w->signals, SIGTERM);
	(void)sigaddset(&w->signals, SIGHUP);
	w->fd = signalfd(-1, &w->signals, SFD_CLOEXEC);
	if (w->fd < 0)
		return t1s_error_set(e, errno, "cannot watch: %s", strerror(errno));
	(void)sigprocmask(SIG_BLOCK, &w->signals, &w->before);
	return 0;
}

/* Those that have come are ours, and have done what they were for. */
static void end_watching(struct watching *w)
{
	struct signalfd_siginfo info;
	struct pollfd p = {.fd = w->fd, .events = POLLIN};

	while (poll(&p, 1, 0) > 0 && read(w->fd, &info, sizeof(info)) > 0)
		;
	(void)close(w->fd);
	(void)sigprocmask(SIG_SETMASK, &w->before, NULL);
}

/* Waits. True if one of the signals has come. */
static bool wait_or_end(const struct watching *w, uint64_t us)
{
	const uint64_t deadline_us = t1s_now_us() + us;
	struct pollfd p = {.fd = w->fd, .events = POLLIN};
	int n;

	do
		n = poll(&p, 1, t1s_left_ms(deadline_us));
	while (n < 0 && errno == EINTR);
	return n > 0;
}

/* Writes at the reader's pace, who may stop reading: a pipe or terminal that is ready
 * takes as much as this at once. Returns 1 if one of the signals has come. */
static int put_watched(const struct watching *w, const char *text, struct t1s_error *e)
{
	const int fd = fileno(w->out);
	size_t left = strlen(text);

	while (left > 0) {
		struct pollfd p[] = {
			{.fd = w->fd, .events = POLLIN}, {.fd = fd, .events = POLLOUT}};
		ssize_t n = poll(p, T1S_ELEMENTSOF(p), -1);

		if (n > 0 && p[0].revents)
			return 1;
		if (n > 0)
			n = write(fd, text, left < PIPE_BUF ? left : PIPE_BUF);
		if (n < 0 && errno != EINTR)
			return t1s_error_set(
				e, EIO, "cannot write the status: %s", strerror(errno));
		text += n > 0 ? n : 0;
		left -= n > 0 ? (size_t)n : 0;
	}
	return 0;
}

/* On a terminal each look replaces the one before; elsewhere what has changed follows. */
static int show(const struct watching *w, const struct t1s_terminal *t,
	const char *before, const char *text, struct t1s_error *e)
{
	int r = 0;

	if (t->is_one)
		r = put_watched(w, HOME_AND_CLEAR, e);
	else if (before && strcmp(before, text) == 0)
		return 0;
	else if (before)
		r = put_watched(w, "\n", e);
	return r != 0 ? r : put_watched(w, text, e);
}

static int watch(
	const struct t1s_status_view *v, const struct watching *w, struct t1s_error *e)
{
	cleanup_free char *shown = NULL;
	bool was_under_way = false, under_way = false;

	for (;;) {
		cleanup_free char *text = NULL;
		struct t1s_terminal t;
		int r;

		t1s_terminal_of(w->out, &t);
		r = look(v, &t, &text, &under_way, e);
		if (r == 0)
			r = show(w, &t, shown, text, e);
		if (r != 0 || (was_under_way && !under_way))
			return r < 0 ? r : 0;
		was_under_way = under_way;
		free(shown);
		shown = t1s_steal(text);
		if (wait_or_end(w, v->watch_us))
			return 0;
	}
}

int t1s_view_status(const struct t1s_status_view *v, FILE *out, struct t1s_error *e)
{
	cleanup_free char *text = NULL;
	struct t1s_terminal t;
	struct watching w;
	bool under_way = false;
	int r;

	if (v->watch_us > 0) {
		r = begin_watching(&w, out, e);
		if (r < 0)
			return r;
		r = watch(v, &w, e);
		end_watching(&w);
		return r;
	}
	t1s_terminal_of(out, &t);
	r = look(v, &t, &text, &under_way, e);
	return r < 0 ? r : put(out, "", text, e);
}
