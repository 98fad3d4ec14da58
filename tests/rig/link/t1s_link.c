/* SPDX-License-Identifier: MIT */
/*
 * t1s-link: emulates the 10BASE-T1S link between two network namespaces. The share of a
 * flood that gets through follows a curve over the SPI frequency that is active, read
 * from the property file in the live tree; before the first value the link is silent,
 * and a file that goes away (the tree is being rebuilt) leaves the last value in force.
 */
#include "curve.h"
#include "fault.h"
#include "port.h"
#include "tap.h"

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/text.h"

#include <endian.h>
#include <errno.h>
#include <getopt.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/signalfd.h>

#define LOOK_MS 50
#define WIRE_LIMIT_BPS 9538900.0
#define HANDSHAKE_DATAGRAMS 2

struct options {
	const char *end_a, *end_b, *live, *curve, *stats, *faults;
	double wire_limit_bps;
	unsigned int handshake_datagrams;
	int ready_fd;
};

struct link {
	struct options options;
	struct t1s_curve curve;
	struct t1s_shaper shaper;
	struct t1s_faults faults;
	uint32_t live_hz; /* 0: none seen yet */
	uint64_t looked_us;
	struct t1s_port ports[2];
	int turn; /* of the port whose frame goes next */
};

static void complain(const struct t1s_error *e)
{
	(void)fprintf(stderr, "t1s-link: %s\n", t1s_error_text(e));
}

static void usage(FILE *to)
{
	(void)fprintf(to,
		"t1s-link --a END --b END --live FILE --curve CSV\n"
		"  --a, --b END       NETNS:IFNAME for a TAP, or fd:N\n"
		"  --live FILE        property file with the active SPI frequency\n"
		"  --curve CSV        spi_hz,share\n"
		"  --wire-limit BPS   what TCP payload gets at share 1 (9538900)\n"
		"  --handshake N      first datagrams of a flow that always pass (2)\n"
		"  --faults FILE      KEY=VALUE lines, read again while it runs\n"
		"  --stats FILE       counts as JSON, rewritten while it runs\n"
		"  --ready-fd FD      gets a line when both interfaces are there\n");
}

/* Where the text of an option goes; NULL: it is none of these. */
static const char **text_option(struct options *o, int c)
{
	switch (c) {
	case 'a':
		return &o->end_a;
	case 'b':
		return &o->end_b;
	case 'l':
		return &o->live;
	case 'c':
		return &o->curve;
	case 'f':
		return &o->faults;
	case 's':
		return &o->stats;
	default:
		return NULL;
	}
}

static int parse_number(struct options *o, int c, const char *text)
{
	uint64_t number;

	if (c == 'w')
		return t1s_parse_double(text, &o->wire_limit_bps);
	int r = t1s_parse_uint(text, 65535, &number);
	if (r < 0)
		return r;
	if (c == 'n')
		o->handshake_datagrams = (unsigned int)number;
	else
		o->ready_fd = (int)number;
	return 0;
}

static int parse_options(int argc, char **argv, struct options *o)
{
	static const struct option table[] = {
		{"a", required_argument, NULL, 'a'},
		{"b", required_argument, NULL, 'b'},
		{"live", required_argument, NULL, 'l'},
		{"curve", required_argument, NULL, 'c'},
		{"wire-limit", required_argument, NULL, 'w'},
		{"handshake", required_argument, NULL, 'n'},
		{"faults", required_argument, NULL, 'f'},
		{"stats", required_argument, NULL, 's'},
		{"ready-fd", required_argument, NULL, 'r'},
		{0},
	};
	int c;

	while ((c = getopt_long(argc, argv, "", table, NULL)) != -1) {
		const char **text = text_option(o, c);
		if (c == '?')
			return -EINVAL;
		if (text)
			*text = optarg;
		else if (parse_number(o, c, optarg) < 0)
			return -EINVAL;
	}
	if (!o->end_a || !o->end_b || !o->live || !o->curve || optind != argc)
		return -EINVAL;
	return 0;
}

static void look_at_live_tree(struct link *l)
{
	cleanup_free char *data = NULL;
	size_t size;
	uint32_t cell;

	if (t1s_read_file(l->options.live, 64, &data, &size, NULL) < 0 ||
		size != sizeof(cell))
		return;
	memcpy(&cell, data, sizeof(cell));
	l->live_hz = be32toh(cell);
	l->shaper.share = t1s_curve_share(&l->curve, l->live_hz);
}

static void look_at_faults(struct link *l)
{
	struct t1s_error e = {0};

	if (l->options.faults && t1s_faults_load(l->options.faults, &l->faults, &e) < 0)
		complain(&e);
}

static void print_port(FILE *f, const char *name, const struct t1s_counts *c)
{
	(void)fprintf(f,
		"\"%s\": {\"frames\": %ju, \"passed\": %ju, \"dropped\": %ju, "
		"\"udp_frames\": %ju, \"udp_passed\": %ju, "
		"\"tcp_payload_bytes_passed\": %ju, \"not_delivered\": %ju}",
		name, (uintmax_t)c->frames, (uintmax_t)c->passed, (uintmax_t)c->dropped,
		(uintmax_t)c->udp_frames, (uintmax_t)c->udp_passed,
		(uintmax_t)c->tcp_payload_bytes_passed, (uintmax_t)c->not_delivered);
}

/* Writes the counts beside the file and renames, so that a reader sees a whole one. */
static int write_stats(const struct link *l)
{
	char path[PATH_MAX];

	if (!l->options.stats)
		return 0;
	if (snprintf(path, sizeof(path), "%s.new", l->options.stats) >= (int)sizeof(path))
		return -ENAMETOOLONG;
	FILE *f = fopen(path, "we");
	if (!f)
		return -errno;
	(void)fprintf(
		f, "{\"live_hz\": %u, \"share\": %.9g, ", l->live_hz, l->shaper.share);
	print_port(f, "ab", &l->ports[0].counts);
	(void)fputs(", ", f);
	print_port(f, "ba", &l->ports[1].counts);
	(void)fputs("}\n", f);
	if (fclose(f) != 0 || rename(path, l->options.stats) < 0)
		return -errno;
	return 0;
}

static int look_around(struct link *l)
{
	uint64_t now_us = t1s_now_us();

	if (now_us - l->looked_us < LOOK_MS * T1S_USEC_PER_MSEC)
		return 0;
	l->looked_us = now_us;
	look_at_live_tree(l);
	look_at_faults(l);
	return write_stats(l);
}

static int next_wait_ms(const struct link *l, bool busy)
{
	int wait_ms = busy ? 0 : LOOK_MS;

	for (int i = 0; i < 2; i++) {
		int queue_ms = t1s_port_wait_ms(&l->ports[i], &l->shaper);
		if (queue_ms >= 0 && queue_ms < wait_ms)
			wait_ms = queue_ms;
	}
	return wait_ms;
}

/* Forwards until a signal asks for the end. */
static int run(struct link *l, int signal_fd)
{
	struct pollfd fds[] = {
		{.fd = l->ports[0].in_fd, .events = POLLIN},
		{.fd = l->ports[1].in_fd, .events = POLLIN},
		{.fd = signal_fd, .events = POLLIN},
	};
	bool busy = false;

	for (;;) {
		if (poll(fds, 3, next_wait_ms(l, busy)) < 0 && errno != EINTR)
			return -errno;
		if (fds[2].revents)
			return write_stats(l);
		t1s_ports_release(l->ports, &l->shaper, &l->turn);
		busy = t1s_port_run(&l->ports[0], &l->ports[1], &l->shaper, &l->faults);
		busy |= t1s_port_run(&l->ports[1], &l->ports[0], &l->shaper, &l->faults);
		int r = look_around(l);
		if (r < 0)
			return r;
	}
}

static int open_signals(void)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGINT);
	sigprocmask(SIG_BLOCK, &set, NULL);
	return signalfd(-1, &set, SFD_CLOEXEC);
}

/* A wire does not wait for a processor. Where it is not allowed, it has to do without. */
static void raise_priority(void)
{
	const struct sched_param param = {.sched_priority = 1};

	(void)sched_setscheduler(0, SCHED_FIFO, &param);
}

static int open_link(struct link *l, struct t1s_error *e)
{
	int fd_a = -1, fd_b = -1;

	int r = t1s_curve_load(l->options.curve, &l->curve, e);
	if (r == 0)
		r = t1s_tap_open(l->options.end_a, &fd_a, e);
	if (r == 0)
		r = t1s_tap_open(l->options.end_b, &fd_b, e);
	l->ports[0].in_fd = l->ports[1].out_fd = fd_a;
	l->ports[0].out_fd = l->ports[1].in_fd = fd_b;
	l->ports[0].from_a = true;
	return r;
}

static int serve(struct link *l)
{
	cleanup_close int signal_fd = open_signals();

	t1s_shaper_init(&l->shaper, l->options.wire_limit_bps,
		l->options.handshake_datagrams, t1s_now_us());
	raise_priority();
	if (l->options.ready_fd >= 0 && dprintf(l->options.ready_fd, "ready\n") < 0)
		(void)fprintf(stderr, "t1s-link: nobody reads the ready line\n");
	int r = run(l, signal_fd);
	if (r < 0)
		(void)fprintf(stderr, "t1s-link: %s\n", strerror(-r));
	return r;
}

int main(int argc, char **argv)
{
	struct link l = {.options = {.wire_limit_bps = WIRE_LIMIT_BPS,
				 .handshake_datagrams = HANDSHAKE_DATAGRAMS,
				 .ready_fd = -1}};
	struct t1s_error e = {0};

	if (parse_options(argc, argv, &l.options) < 0) {
		usage(stderr);
		return 2;
	}
	/* the interfaces live as long as the process */
	if (open_link(&l, &e) < 0) {
		complain(&e);
		return 1;
	}
	return serve(&l) < 0;
}
