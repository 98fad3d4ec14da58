/* SPDX-License-Identifier: MIT */
/*
 * A real sshd for the tests, in mount and network namespaces of the test's own: its own
 * users, keys, configuration and loopback, all gone with the test process.
 */
#pragma once

#include "link/sender.h"

#include "base/clock.h"

#include <stdbool.h>
#include <sys/types.h>

#define SSHD_PORT 2222
#define SKIPPED 77 /* what ctest takes as "skipped" */

struct peer {
	char folder[64]; /* holds host keys, client keys, known_hosts; home/ is root's */
	struct t1s_sender_config config; /* as it works */
	pid_t sshd;
	unsigned int open_files;
};

extern struct peer peer;

/* Enters the namespaces. Ends the process as skipped if that cannot be done here. */
void peer_enter(void);

/* cmocka's group fixtures: sshd with its keys is running; all is gone. */
int peer_start(void **state);
int peer_stop(void **state);

/* cmocka's test fixtures: a fresh config; no descriptor and no child was left. */
int peer_before(void **state);
int peer_after(void **state);

/* Starts another sshd of one more line of configuration; ended by peer_end. */
pid_t peer_sshd(unsigned int port, const char *line);
void peer_end(pid_t pid);

/* Path below the folder; the buffer is reused after some calls. */
const char *peer_path(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Runs a shell command, which must succeed. */
void peer_shell(const char *format, ...) __attribute__((format(printf, 1, 2)));

void peer_write(const char *path, const char *text);

/* First line of a command's output, without its end. */
void peer_line(char *ret, size_t size, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* Asserts that the text has the word in it. */
void peer_assert_says(const char *text, const char *word);

static inline uint64_t in_ms(uint64_t ms)
{
	return t1s_now_us() + ms * T1S_USEC_PER_MSEC;
}
