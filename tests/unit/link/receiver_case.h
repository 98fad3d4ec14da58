/* SPDX-License-Identifier: MIT */
/* What the tests of the receiver without a client share. */
#pragma once

#include "link/receiver.h"

#include "base/clock.h"
#include "scratch.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#define START_US (20 * T1S_USEC_PER_SEC)

static char folder[SCRATCH_MAX];
static struct t1s_receiver_config config;
static struct t1s_error error;

static inline int bound_socket(int type, uint16_t port)
{
	struct sockaddr_in a = {.sin_family = AF_INET,
		.sin_port = htons(port),
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	int fd = socket(AF_INET, type | SOCK_CLOEXEC, 0);

	assert_true(fd >= 0);
	assert_int_equal(bind(fd, (struct sockaddr *)&a, sizeof(a)), 0);
	return fd;
}

static inline uint16_t free_port(void)
{
	int fd = bound_socket(SOCK_STREAM, 0);
	struct sockaddr_in a = {0};
	socklen_t size = sizeof(a);

	assert_int_equal(getsockname(fd, (struct sockaddr *)&a, &size), 0);
	(void)close(fd);
	return ntohs(a.sin_port);
}

static inline int prepare(void **state)
{
	(void)state;
	assert_int_equal(scratch_make(folder), 0);
	config = (struct t1s_receiver_config){.address = "127.0.0.1",
		.interface = "lo",
		.peer = "127.0.0.1",
		.port = free_port(),
		.max_bytes = 1 << 20};
	(void)snprintf(config.json_file, sizeof(config.json_file), "%s/r.json", folder);
	error.text[0] = '\0';
	return 0;
}

static inline int clear(void **state)
{
	(void)state;
	assert_int_equal(scratch_remove(folder), 0);
	return 0;
}

static inline int start(struct t1s_receiver *r)
{
	return t1s_receiver_start(&config, t1s_now_us() + START_US, r, &error);
}

static inline void assert_no_child(void)
{
	assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
	assert_int_equal(errno, ECHILD);
}

static inline void assert_says(const char *word)
{
	if (!strstr(error.text, word))
		fail_msg("\"%s\" does not say \"%s\"", error.text, word);
}

#define receiver_test(f) cmocka_unit_test_setup_teardown(f, prepare, clear)
