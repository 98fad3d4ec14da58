/* SPDX-License-Identifier: MIT */
/*
 * receiver-once ADDRESS PORT INTERFACE PEER FILE SECONDS: the program's receiver for one
 * test, for the comparison with stock iperf3. Exit 0 if a test was received, its JSON
 * then in FILE.
 */
#include "link/receiver.h"

#include "base/clock.h"
#include "base/text.h"

#include <stdio.h>
#include <stdlib.h>

#define START_US (5 * T1S_USEC_PER_SEC)

int main(int argc, char **argv)
{
	struct t1s_receiver_config config = {.max_bytes = 16 << 20};
	struct t1s_receiver receiver;
	struct t1s_error e = {""};
	uint64_t port, seconds;

	if (argc != 7 || t1s_parse_uint(argv[2], UINT16_MAX, &port) < 0 ||
		t1s_parse_uint(argv[6], 3600, &seconds) < 0) {
		(void)fprintf(stderr,
			"usage: receiver-once ADDRESS PORT INTERFACE PEER FILE "
			"SECONDS\n");
		return 2;
	}
	config.port = (uint16_t)port;
	(void)snprintf(config.address, sizeof(config.address), "%s", argv[1]);
	(void)snprintf(config.interface, sizeof(config.interface), "%s", argv[3]);
	(void)snprintf(config.peer, sizeof(config.peer), "%s", argv[4]);
	(void)snprintf(config.json_file, sizeof(config.json_file), "%s", argv[5]);
	if (t1s_receiver_start(&config, t1s_now_us() + START_US, &receiver, &e) < 0) {
		(void)fprintf(stderr, "receiver-once: %s\n", t1s_error_text(&e));
		return EXIT_FAILURE;
	}
	if (t1s_receiver_finish(&receiver, t1s_now_us() + seconds * T1S_USEC_PER_SEC) < 0)
		return EXIT_FAILURE;
	return receiver.status == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
