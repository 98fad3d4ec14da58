/* SPDX-License-Identifier: MIT */
/* Inside the room only: a check under way, and its groups. */
#pragma once

#include "board/livetree.h"
#include "link/plca.h"
#include "link/sender.h"
#include "link/sender_way.h"
#include "setup/check.h"
#include "sweep/config.h"
#include "sweep/context.h"
#include "sweep/state.h"

struct t1s_checking {
	const char *root, *config_path;
	void (*fn)(const struct t1s_check_item *item, void *data);
	void *data;
	struct t1s_check_result result;
	struct t1s_check_item item; /* the next one; its remedy may be set ahead */

	bool trial;                 /* asked for */
	bool at_rest;               /* a card: nothing of it runs */
	char boot_folder[PATH_MAX]; /* without the root in front, for remedies */
	bool as_root;               /* who asks may read everything */
	bool have_config;           /* it can be read … */
	bool complete;              /* … and names the sender */
	struct t1s_config config;
	struct t1s_error config_why; /* where it is not complete */
	int state_r;                 /* what t1s_state_load returned */
	bool state_damaged;          /* its previous copy was taken */
	struct t1s_state state;      /* valid where state_r is 0 */
	struct t1s_error state_why;
	int live_r; /* what t1s_target_live returned */
	struct t1s_live_node live;
	struct t1s_error live_why;

	struct t1s_sender *sender; /* open session, or NULL */
	bool have_way;
	struct t1s_sender_way way;
};

/* The remedy of the item that is said next. */
void t1s_check_remedy(struct t1s_checking *c, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* Says an item. */
void t1s_check_say(struct t1s_checking *c, enum t1s_check_group group,
	enum t1s_check_mark mark, const char *name, const char *format, ...)
	__attribute__((format(printf, 5, 6)));

/* Whether a sweep has begun and not ended. */
bool t1s_check_is_under_way(const struct t1s_checking *c);

/* A command that gives an interface an address for good, with the tool that this system
 * has; @at: "" here, else "ssh -t USER@HOST ". */
void t1s_check_remedy_address(struct t1s_checking *c, const char *at,
	const char *interface, const char *address);

/* "iperf 3.12" and its defects for the configured workloads. */
void t1s_check_iperf(struct t1s_checking *c, enum t1s_check_group group,
	const char *version, bool is_sender);

/* "dmesg | grep …" for what the driver has said. */
void t1s_check_remedy_driver(struct t1s_checking *c);

/* PLCA of both ends, as far as it is known, and together. @may_set_there: the sweep may
 * set it on the sender. */
void t1s_check_plca(struct t1s_checking *c, const struct t1s_plca *here,
	const struct t1s_plca *there, const char *there_interface, bool may_set_there);

/* One second of traffic. */
void t1s_check_trial(struct t1s_checking *c);

void t1s_check_configuration(struct t1s_checking *c);
void t1s_check_sender(struct t1s_checking *c);
void t1s_check_link(struct t1s_checking *c);
void t1s_check_tree(struct t1s_checking *c);
void t1s_check_storage(struct t1s_checking *c);
void t1s_check_machine(struct t1s_checking *c);
void t1s_check_service(struct t1s_checking *c);
