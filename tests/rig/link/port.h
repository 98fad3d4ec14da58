/* SPDX-License-Identifier: MIT */
/*
 * One direction of the link: frames come in at a TAP, are decided on, wait in a short
 * queue if they must, and go out at the other TAP.
 */
#pragma once

#include "fault.h"
#include "shaper.h"

#include <stddef.h>
#include <stdint.h>

#define T1S_FRAME_MAX 2048
#define T1S_QUEUE_FRAMES 64

struct t1s_frame {
	size_t size, payload_bytes;
	uint8_t data[T1S_FRAME_MAX];
};

struct t1s_counts {
	uint64_t frames, passed, dropped;  /* of all kinds */
	uint64_t udp_frames, udp_passed;   /* of UDP */
	uint64_t tcp_payload_bytes_passed; /* of TCP */
	uint64_t not_delivered;            /* the far interface was down or full */
};

struct t1s_port {
	int in_fd, out_fd;
	bool from_a;
	struct t1s_counts counts;
	uint64_t udp_sent;     /* for faults that hit every Nth */
	struct t1s_frame held; /* by the fault "reorder"; size 0: none */
	size_t queue_head, queue_count;
	struct t1s_frame queue[T1S_QUEUE_FRAMES];
};

/*
 * Forwards what has come in, at most so many frames that the other direction gets its
 * turn. Returns true if more may be waiting at the input.
 * @other: of the other direction; what waits there is not overtaken.
 */
bool t1s_port_run(struct t1s_port *p, const struct t1s_port *other, struct t1s_shaper *s,
	const struct t1s_faults *f);

/*
 * Lets go of what the queues of both directions may: in turn, as the transmit
 * opportunities of PLCA are given. @turn: whose it is, kept by the caller.
 */
void t1s_ports_release(struct t1s_port ports[2], struct t1s_shaper *s, int *turn);

/* Milliseconds until the queue may let go of its first frame; -1: it is empty. */
int t1s_port_wait_ms(const struct t1s_port *p, const struct t1s_shaper *s);
