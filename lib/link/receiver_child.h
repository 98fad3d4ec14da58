/* SPDX-License-Identifier: MIT */
/* Inside the room only: what the receiver's child process does. */
#pragma once

#include "link/receiver.h"

#include <sys/types.h>

/*
 * Turns this process, just forked, into an iperf3 server: cut off from everything of its
 * parent but the file @json_fd, and gone when the parent is. Ends with the test.
 */
_Noreturn void t1s_receiver_child(
	const struct t1s_receiver_config *c, int json_fd, pid_t parent);
