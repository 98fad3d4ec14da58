/* SPDX-License-Identifier: MIT */
/*
 * The configuration: /etc/t1s-sweep/t1s-sweep.conf and t1s-sweep.conf.d (files *.conf)
 * over it, in the order of their names, later wins. Keys are described in
 * t1s-sweep.conf(5).
 */
#pragma once

#include "base/error.h"
#include "board/livetree.h"

#include <limits.h>
#include <net/if.h>
#include <stdbool.h>
#include <stdint.h>

/* SPI frequencies that can be asked for, and be the original */
#define T1S_FREQ_MIN_HZ UINT32_C(1000)
#define T1S_FREQ_MAX_HZ UINT32_C(125000000)
#define T1S_POINTS_MAX 512
#define T1S_WORKLOADS_MAX 8
#define T1S_NAME_MAX 64

enum t1s_order { T1S_ORDER_DESCENDING, T1S_ORDER_ASCENDING, T1S_ORDER_SHUFFLED };
enum t1s_search { T1S_SEARCH_ALL, T1S_SEARCH_KNEE };
enum t1s_protocol { T1S_PROTOCOL_UDP, T1S_PROTOCOL_TCP };
enum t1s_direction { T1S_DIRECTION_RECEIVE, T1S_DIRECTION_SEND, T1S_DIRECTION_BOTH };

struct t1s_workload {
	char name[T1S_NAME_MAX]; /* of its [Workload NAME] section; "default" if none */
	enum t1s_protocol protocol;
	enum t1s_direction direction;
	char rate_text[24];    /* as written, for the column udp_target: "10M"; "" */
	uint64_t rate_bps;     /* 0: as much as gets through (TCP) */
	uint32_t length_bytes; /* of a datagram, or of one write (TCP) */
	uint32_t duration_s;
	uint32_t omit_s;
	uint32_t repeats;
};

struct t1s_config {
	/* [Sender] */
	char sender_host[256];
	char sender_user[64];
	uint16_t sender_port;               /* SSH; 22 */
	uint64_t sender_wait_us;            /* how long one boot waits for it; 2 min */
	char sender_interface[IF_NAMESIZE]; /* "" */
	char sender_address[64];            /* on the T1S link; 10.10.10.1 */
	char sender_iperf3[256];            /* program on the sender; iperf3 */
	/* [Receiver] */
	char receiver_interface[IF_NAMESIZE]; /* beiis-t1s0 */
	char receiver_address[64];            /* 10.10.10.2 */
	uint16_t receiver_port;               /* 5201 */
	uint64_t receiver_wait_us; /* how long one run waits for the interface; 30 s */
	/* [Link]; -1: not set */
	int plca_node_id, plca_node_count, sender_plca_node_id;
	/* [DeviceTree] */
	char overlay[128];           /* name; BE-IIS-HPP-T1S-I */
	char overlay_file[PATH_MAX]; /* "": the file the firmware loads under that name */
	struct t1s_node_match match;
	uint64_t spi_clk_hz; /* SpiClock=; 0: by board */
	/* [Sweep] */
	uint32_t start_hz;                  /* 20M */
	uint32_t minimum_hz;                /* 5M */
	uint32_t step_hz;                   /* 1M */
	uint32_t points_hz[T1S_POINTS_MAX]; /* Points=, in the order given */
	unsigned int points_count;          /* 0: by Start, Minimum, Step */
	enum t1s_order order;
	unsigned int passes;
	bool skip_equal_clock, closing_baseline;
	enum t1s_search search;
	double collapse_below; /* share of the best rate; 0: never */
	unsigned int collapse_points;
	uint64_t settle_us;       /* 10 s */
	uint64_t reboot_delay_us; /* 10 s */
	unsigned int attempts;
	int opening_baseline; /* 1, 0; -1: as closing_baseline */
	/* [Workload …] */
	struct t1s_workload workloads[T1S_WORKLOADS_MAX];
	unsigned int workloads_count; /* at least 1 */
	/* [Report] */
	double link_rate_bps;        /* by the chip; 0: unknown chip, and not set */
	uint32_t plca_overhead_bits; /* by the chip */
	double full_share, severe_share;
};

/* The defaults: those of the reference sweep. */
void t1s_config_defaults(struct t1s_config *ret);

/*
 * Reads the configuration.
 * @root: the injectable root. @path: the main file, taken as it is (--config=FILE); NULL:
 * ROOT/etc/t1s-sweep/t1s-sweep.conf. Drop-ins are those of PATH.d. A missing main file is
 * an error only if @path was given; missing drop-ins are none.
 * @complete: also require what has no default (Sender Host and User) and check what must
 * fit together; without, what is there is taken (report needs no sender).
 * Returns 0, or -EINVAL with file, line, and the allowed values in the text (the first
 * error, and how many follow), or with what keeps a file from being read. @ret is
 * untouched on failure.
 */
int t1s_config_load(const char *root, const char *path, bool complete,
	struct t1s_config *ret, struct t1s_error *e);

const char *t1s_order_name(enum t1s_order o);
const char *t1s_protocol_name(enum t1s_protocol p);
const char *t1s_direction_name(enum t1s_direction d);
