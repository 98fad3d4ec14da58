/* SPDX-License-Identifier: MIT */
#include "report/gnuplot.h"

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/log.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>

#define WAIT_STEP_US (10 * T1S_USEC_PER_MSEC)
#define PICTURE_MAX_BYTES ((size_t)16 << 20)

struct run {
	pid_t pid; /* 0: none under way */
	int script, picture, messages;
	uint64_t patience_us, deadline_us;
	struct t1s_error *error;
};

static void run_done(struct run *r)
{
	if (r->pid > 0) {
		(void)kill(r->pid, SIGKILL);
		(void)waitpid(r->pid, NULL, 0);
	}
	t1s_cleanup_closep(&r->script);
	t1s_cleanup_closep(&r->picture);
	t1s_cleanup_closep(&r->messages);
}

/* A file without a name: gnuplot reads it at its own pace, and nothing has to be written
 * while its output is read. */
static int put_script(struct run *r, const char *script, size_t size)
{
	int q;

	r->script = memfd_create("plot", MFD_CLOEXEC);
	if (r->script < 0)
		return -errno;
	q = t1s_write_all(r->script, script, size);
	if (q < 0)
		return q;
	return lseek(r->script, 0, SEEK_SET) < 0 ? -errno : 0;
}

static int spawn(struct run *r, int output)
{
	/* without the user's start-up files; nothing of the environment but the path */
	char program[] = "gnuplot", plain[] = "--default-settings";
	char locale[] = "LC_ALL=C.UTF-8", home[] = "HOME=/";
	char *const argv[] = {program, plain, NULL};
	char path[4096] = "PATH=/usr/local/bin:/usr/bin:/bin";
	char *const environment[] = {path, locale, home, NULL};
	posix_spawn_file_actions_t actions;
	int q = posix_spawn_file_actions_init(&actions);

	if (getenv("PATH"))
		(void)snprintf(path, sizeof(path), "PATH=%s", getenv("PATH"));
	if (q != 0)
		return -q;
	q = posix_spawn_file_actions_adddup2(&actions, r->script, STDIN_FILENO);
	q = q ? q : posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO);
	q = q ? q
	      : posix_spawn_file_actions_adddup2(&actions, r->messages, STDERR_FILENO);
	q = q ? q : posix_spawnp(&r->pid, argv[0], &actions, NULL, argv, environment);
	(void)posix_spawn_file_actions_destroy(&actions);
	if (q != 0)
		r->pid = 0;
	return -q;
}

static int start(struct run *r, const char *script, size_t size)
{
	int ends[2];
	int q = put_script(r, script, size);

	if (q < 0)
		return q;
	r->messages = memfd_create("messages", MFD_CLOEXEC);
	if (r->messages < 0 || pipe2(ends, O_CLOEXEC) < 0)
		return -errno;
	r->picture = ends[0];
	q = spawn(r, ends[1]);
	(void)close(ends[1]);
	r->deadline_us = t1s_now_us() + r->patience_us;
	return q;
}

/* Reads until gnuplot closes its output. */
static int read_picture(struct run *r, FILE *to)
{
	char block[65536];
	size_t size = 0;

	for (;;) {
		struct pollfd p = {.fd = r->picture, .events = POLLIN};
		const int ready = poll(&p, 1, t1s_left_ms(r->deadline_us));
		ssize_t n;

		if (ready == 0)
			return -ETIMEDOUT;
		n = ready < 0 ? -1 : read(r->picture, block, sizeof(block));
		if (n < 0 && errno != EINTR)
			return -errno;
		if (n == 0)
			return 0;
		size += n > 0 ? (size_t)n : 0;
		if (size > PICTURE_MAX_BYTES)
			return -EFBIG;
		if (n > 0 && fwrite(block, 1, (size_t)n, to) != (size_t)n)
			return -ENOMEM;
	}
}

static int wait_for_end(struct run *r, int *ret_status)
{
	for (;;) {
		const pid_t pid = waitpid(r->pid, ret_status, WNOHANG);

		if (pid == r->pid) {
			r->pid = 0;
			return 0;
		}
		if (pid < 0 && errno != EINTR)
			return -errno;
		if (t1s_left_ms(r->deadline_us) == 0)
			return -ETIMEDOUT;
		t1s_sleep_us(WAIT_STEP_US);
	}
}

static int tell_failure(struct run *r, const char *what)
{
	char said[400] = "";
	const ssize_t n = pread(r->messages, said, sizeof(said) - 1, 0);

	said[n > 0 ? n : 0] = '\0';
	t1s_printable(said);
	return t1s_error_set(
		r->error, EIO, "gnuplot %s%s%s", what, said[0] ? ": " : "", said);
}

static int tell(struct run *r, int q)
{
	switch (q) {
	case -ENOENT:
		return t1s_error_set(r->error, ENOENT,
			"no plot: gnuplot is not installed (apt install gnuplot-nox)");
	case -ETIMEDOUT:
		return t1s_error_set(r->error, ETIMEDOUT,
			"no plot: gnuplot was not done after %.3g s",
			(double)r->patience_us / (double)T1S_USEC_PER_SEC);
	case -EFBIG:
		return t1s_error_set(r->error, EFBIG,
			"no plot: gnuplot wrote more than %zu bytes", PICTURE_MAX_BYTES);
	default:
		return t1s_error_set(r->error, -q, "no plot: %s", strerror(-q));
	}
}

int t1s_gnuplot(const char *script, size_t size, uint64_t patience_us, char **ret,
	size_t *ret_size, struct t1s_error *e)
{
	cleanup_(run_done) struct run r = {.script = -1,
		.picture = -1,
		.messages = -1,
		.patience_us = patience_us,
		.error = e};
	cleanup_free char *picture = NULL;
	size_t picture_size = 0;
	int q = start(&r, script, size), status = 0;
	FILE *to;

	if (q < 0)
		return tell(&r, q);
	to = open_memstream(&picture, &picture_size);
	if (!to)
		return -ENOMEM;
	q = read_picture(&r, to);
	if (fclose(to) != 0 && q == 0)
		q = -ENOMEM;
	if (q == 0)
		q = wait_for_end(&r, &status);
	if (q < 0)
		return tell(&r, q);
	if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
		return tell_failure(&r, "failed");
	if (picture_size == 0)
		return tell_failure(&r, "wrote nothing");
	*ret = t1s_steal(picture);
	*ret_size = picture_size;
	return 0;
}
