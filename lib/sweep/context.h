/* SPDX-License-Identifier: MIT */
/* What the steps share: one boot's view of state, configuration and machine. Internal to
 * the room. */
#pragma once

#include "base/error.h"
#include "board/overlay.h"
#include "sweep/config.h"
#include "sweep/state.h"
#include "sweep/steps.h"

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>

#define T1S_UNIT "t1s-sweep.service"

struct t1s_context {
	const struct t1s_env *env;
	char boot_id[T1S_BOOT_ID_MAX]; /* of this boot */
	struct t1s_config config;      /* valid after t1s_context_config */
	struct t1s_state state;        /* valid where have_state */
	bool have_state;
	int lock_fd;
};

/*
 * Opens the context: boot id, lock on the state folder (@lock), state if there is one.
 * Returns 0 or a negative errno (-EBADMSG, -EPROTONOSUPPORT: see t1s_state_load).
 * @ret is to be released by t1s_context_done in either case.
 */
int t1s_context_open(const struct t1s_env *env, bool lock, struct t1s_context *ret,
	struct t1s_error *e);

/*
 * The same, with the lock, for what needs no boot: a tree below a root may be a card of
 * another machine, which has no boot id. It is "" then.
 */
int t1s_context_open_at_rest(
	const struct t1s_env *env, struct t1s_context *ret, struct t1s_error *e);
void t1s_context_done(struct t1s_context *c);

/* Loads the configuration, complete. */
int t1s_context_config(struct t1s_context *c, struct t1s_error *e);

/* Stamps the state with this boot and saves it. */
int t1s_context_save(struct t1s_context *c, struct t1s_error *e);

/* Whether a sweep is under way and its state was written in this boot. */
bool t1s_context_is_ours(const struct t1s_context *c);

/*
 * Whether one of the stop switches is set: "t1s_sweep=off" on the kernel command line, a
 * file t1s-sweep.stop on the boot partition. @ret_why tells which.
 */
bool t1s_switched_off(const char *root, char *ret_why, size_t size);

/* As t1s_notify, with the sweep's place before it: "point 3/17 (18.000 MHz): …". */
void t1s_context_notify(const struct t1s_context *c, unsigned int extend_s,
	const char *format, ...) __attribute__((format(printf, 3, 4)));

/* Whole megahertz with three places, as in "16.000 MHz". */
#define T1S_MHZ_FMT "%.3f MHz"
#define t1s_mhz(hz) ((double)(hz) / 1e6)
