/* SPDX-License-Identifier: MIT */
#include "setup/ask.h"

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <termios.h>

enum { CTRL_C = 3, CTRL_D = 4, BACKSPACE = 8, CTRL_U = 21, CTRL_Z = 26, DEL = 127 };

/* One byte: 1, 0 at the end, or a negative errno. */
static int read_byte(int fd, uint64_t deadline_us, char *ret)
{
	for (;;) {
		struct pollfd p = {.fd = fd, .events = POLLIN};
		int r = poll(&p, 1, t1s_left_ms(deadline_us));
		ssize_t n;

		if (r == 0)
			return -ETIMEDOUT;
		if (r > 0) {
			n = read(fd, ret, 1);
			if (n >= 0)
				return (int)n;
		}
		if (errno != EINTR && errno != EAGAIN)
			return -errno;
	}
}

/* Byte by byte, so that the next question finds the next line. */
static int read_line(int fd, uint64_t deadline_us, char *ret, size_t size)
{
	size_t n = 0;

	for (;;) {
		char c = '\n';
		int r = read_byte(fd, deadline_us, &c);

		if (r < 0)
			return r;
		if (r == 0 && n == 0)
			return -ECANCELED;
		if (r == 0 || c == '\n')
			break;
		if (n + 1 >= size)
			return -EMSGSIZE;
		ret[n++] = c;
	}
	if (n > 0 && ret[n - 1] == '\r')
		n--;
	ret[n] = '\0';
	return 0;
}

/* The terminal edits no line while it shows nothing and sends no signal: we do. */
static int read_hidden_line(int fd, uint64_t deadline_us, char *ret, size_t size)
{
	size_t n = 0;

	for (;;) {
		char c = '\n';
		int r = read_byte(fd, deadline_us, &c);

		if (r < 0)
			return r;
		if (r == 0 || c == CTRL_C || c == CTRL_Z || (c == CTRL_D && n == 0))
			return -ECANCELED;
		if (c == '\n' || c == '\r')
			break;
		if (c == CTRL_U)
			n = 0;
		else if (c == BACKSPACE || c == DEL)
			n -= n > 0;
		else if (n + 1 >= size)
			return -EMSGSIZE;
		else
			ret[n++] = c;
	}
	ret[n] = '\0';
	return 0;
}

/* A signal that ended us while the terminal shows nothing would leave it so: they wait
 * until the answer is there, or the patience at its end. */
static int ask_hidden(
	int fd, const char *prompt, uint64_t deadline_us, char *ret, size_t size)
{
	struct termios before, hidden;
	sigset_t waiting, old;
	int r;

	if (tcgetattr(fd, &before) < 0)
		return -errno;
	(void)sigfillset(&waiting);
	(void)sigprocmask(SIG_BLOCK, &waiting, &old);
	hidden = before;
	hidden.c_lflag &= ~(tcflag_t)(ECHO | ICANON | ISIG);
	hidden.c_cc[VMIN] = 1;
	hidden.c_cc[VTIME] = 0;
	/* hidden first: whoever sees the question may type at once */
	r = tcsetattr(fd, TCSAFLUSH, &hidden) < 0
		    ? -errno
		    : t1s_write_all(fd, prompt, strlen(prompt));
	if (r == 0)
		r = read_hidden_line(fd, deadline_us, ret, size);
	(void)tcsetattr(fd, TCSAFLUSH, &before);
	(void)t1s_write_all(fd, "\n", 1);
	(void)sigprocmask(SIG_SETMASK, &old, NULL);
	return r;
}

bool t1s_ask_somebody(void)
{
	cleanup_close int fd = -1;

	if (!isatty(STDIN_FILENO))
		return false;
	fd = open("/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY);
	return fd >= 0;
}

int t1s_ask(const char *prompt, bool echo, char *ret, size_t size, void *data)
{
	const uint64_t deadline_us = t1s_now_us() + T1S_ASK_PATIENCE_S * T1S_USEC_PER_SEC;
	cleanup_close int fd = -1;
	int r;

	(void)data;
	if (!isatty(STDIN_FILENO))
		return read_line(STDIN_FILENO, deadline_us, ret, size);
	fd = open("/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY);
	if (fd < 0)
		return -errno;
	if (!echo)
		return ask_hidden(fd, prompt, deadline_us, ret, size);
	r = t1s_write_all(fd, prompt, strlen(prompt));
	return r < 0 ? r : read_line(fd, deadline_us, ret, size);
}
