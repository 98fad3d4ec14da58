/* SPDX-License-Identifier: MIT */
/*
 * The gate: what our key may do on the sender. Its line in authorized_keys has a forced
 * command that lets the commands of a sweep through and no other (gate.sh).
 */
#pragma once

#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>

#define T1S_GATE_ID_MAX 17
#define T1S_GATE_LINE_MAX 4096

/* Which gate this program would install, for this iperf3 on the sender: the same for the
 * same rules. Returns 0, -EIO, or -EINVAL if the program's name is none that a gate can
 * be made for (letters, digits and ". _ / + -" only). */
int t1s_gate_id(const char *iperf3, char ret[T1S_GATE_ID_MAX], struct t1s_error *e);

/*
 * The line for authorized_keys, without a newline.
 * @public_key: "ssh-ed25519 AAAA…". @comment: letters, digits and "@ . _ -" of it stay.
 * Returns 0, -ENAMETOOLONG, or as t1s_gate_id.
 */
int t1s_gate_line(const char *iperf3, const char *public_key, const char *comment,
	char ret[T1S_GATE_LINE_MAX], struct t1s_error *e);

/* Asks which gate stands there; answered by a gate only. */
#define T1S_GATE_QUESTION "t1s-sweep gate"

/* The answer: 0 and the id; -ENOENT if no gate answered. */
int t1s_gate_answer(const char *output, char ret[T1S_GATE_ID_MAX]);

/* Asks whether a command would be let through, without running it. Returns 0 or
 * -ENAMETOOLONG. */
int t1s_gate_may(const char *command, char *ret, size_t size);

/* The answer. */
bool t1s_gate_allowed(const char *output);
