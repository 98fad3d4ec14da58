/* SPDX-License-Identifier: MIT */
/*
 * How the unprivileged step asks for the sweep to be stopped: a note in the sweep's
 * folder, which advance reads. The note is only words; what stopping means is decided by
 * the reader. Internal to the room.
 */
#pragma once

#include "base/error.h"

#include <stddef.h>

/* Writes the note. @folder: the sweep's results folder. Returns 0 or a negative errno. */
int t1s_stop_note_write(const char *folder, const char *reason, struct t1s_error *e);

/* Reads it: 1 and the reason, 0 if there is none. A note that cannot be read is a reason
 * of its own. */
int t1s_stop_note_read(const char *folder, char *ret, size_t size);
