/* SPDX-License-Identifier: MIT */
#include "port.h"

#include "base/clock.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <string.h>
#include <unistd.h>

#define FRAMES_PER_TURN 256
#define WRITE_TRIES 20
/* A queue longer than this would be a buffer that no wire has. */
#define QUEUE_DELAY_US (100 * T1S_USEC_PER_MSEC)
#define QUEUE_FRAMES_MIN 4

static void put(struct t1s_port *p, const uint8_t *data, size_t size)
{
	for (int i = 0; i < WRITE_TRIES; i++) {
		if (write(p->out_fd, data, size) >= 0)
			return;
		if (errno != EAGAIN && errno != ENOBUFS && errno != EINTR)
			break;
		struct pollfd poll_fd = {.fd = p->out_fd, .events = POLLOUT};
		(void)poll(&poll_fd, 1, 5);
	}
	p->counts.not_delivered++;
}

static bool nth(uint64_t count, uint32_t every)
{
	return every && count % every == 0;
}

/* Sends a UDP frame, with the faults that the link has just now. */
static void put_udp(
	struct t1s_port *p, const struct t1s_faults *f, uint8_t *data, size_t size)
{
	p->udp_sent++;
	if (nth(p->udp_sent, f->reorder) && !p->held.size) {
		memcpy(p->held.data, data, size);
		p->held.size = size;
		return;
	}
	if (nth(p->udp_sent, f->corrupt))
		data[size - 1] ^= 0x10;
	put(p, data, size);
	if (nth(p->udp_sent, f->duplicate))
		put(p, data, size);
	if (p->held.size)
		put(p, p->held.data, p->held.size);
	p->held.size = 0;
}

static void enqueue(
	struct t1s_port *p, const struct t1s_shaper *s, const struct t1s_frame *frame)
{
	uint64_t delay_us = t1s_shaper_wait_us(s, (p->queue_count + 1) * frame->size);

	if (p->queue_count == T1S_QUEUE_FRAMES ||
		(p->queue_count >= QUEUE_FRAMES_MIN && delay_us > QUEUE_DELAY_US)) {
		p->counts.dropped++;
		return;
	}
	struct t1s_frame *slot =
		&p->queue[(p->queue_head + p->queue_count++) % T1S_QUEUE_FRAMES];
	slot->size = frame->size;
	slot->payload_bytes = frame->payload_bytes;
	memcpy(slot->data, frame->data, frame->size);
}

static void forward(struct t1s_port *p, const struct t1s_port *other,
	struct t1s_shaper *s, const struct t1s_faults *f, struct t1s_frame *frame)
{
	const bool queued = p->queue_count + other->queue_count > 0;
	struct t1s_packet packet;
	uint64_t now_us = t1s_now_us();
	enum t1s_verdict verdict = T1S_DROP;

	t1s_packet_read(frame->data, frame->size, &packet);
	frame->payload_bytes = packet.payload_bytes;
	p->counts.frames++;
	p->counts.udp_frames += packet.kind == T1S_PACKET_UDP;
	if (!t1s_faults_silent(f, p->from_a, now_us))
		verdict = t1s_shaper_decide(s, &packet, queued, now_us);

	switch (verdict) {
	case T1S_DROP:
		p->counts.dropped++;
		return;
	case T1S_QUEUE:
		enqueue(p, s, frame);
		return;
	case T1S_PASS:
		break;
	}
	p->counts.passed++;
	if (packet.kind == T1S_PACKET_UDP) {
		p->counts.udp_passed++;
		put_udp(p, f, frame->data, frame->size);
		return;
	}
	if (packet.kind == T1S_PACKET_TCP)
		p->counts.tcp_payload_bytes_passed += packet.payload_bytes;
	put(p, frame->data, frame->size);
}

static void send_first(struct t1s_port *p)
{
	const struct t1s_frame *first = &p->queue[p->queue_head];

	p->counts.passed++;
	p->counts.tcp_payload_bytes_passed += first->payload_bytes;
	put(p, first->data, first->size);
	p->queue_head = (p->queue_head + 1) % T1S_QUEUE_FRAMES;
	p->queue_count--;
}

void t1s_ports_release(struct t1s_port ports[2], struct t1s_shaper *s, int *turn)
{
	for (;;) {
		struct t1s_port *p = &ports[*turn];

		if (!p->queue_count)
			p = &ports[!*turn];
		if (!p->queue_count ||
			!t1s_shaper_take(
				s, p->queue[p->queue_head].payload_bytes, t1s_now_us()))
			return;
		send_first(p);
		*turn = p == &ports[0];
	}
}

bool t1s_port_run(struct t1s_port *p, const struct t1s_port *other, struct t1s_shaper *s,
	const struct t1s_faults *f)
{
	struct t1s_frame frame;

	for (int i = 0; i < FRAMES_PER_TURN; i++) {
		ssize_t n = read(p->in_fd, frame.data, sizeof(frame.data));
		if (n <= 0)
			return false;
		frame.size = (size_t)n;
		forward(p, other, s, f, &frame);
	}
	return true;
}

int t1s_port_wait_ms(const struct t1s_port *p, const struct t1s_shaper *s)
{
	if (!p->queue_count)
		return -1;
	uint64_t us = t1s_shaper_wait_us(s, p->queue[p->queue_head].payload_bytes);
	uint64_t ms = us / T1S_USEC_PER_MSEC + 1;
	return us == 0 ? 0 : ms > INT_MAX ? INT_MAX : (int)ms;
}
