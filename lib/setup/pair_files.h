/* SPDX-License-Identifier: MIT */
/* Inside the room only: what pairing leaves in /etc/t1s-sweep. */
#pragma once

#include "base/error.h"
#include "sweep/config.h"

#include <limits.h>

/* The drop-in's path: 10-sender.conf beside the configuration. Returns 0 or
 * -ENAMETOOLONG. */
int t1s_pair_drop_in_path(const char *root, const char *config_path, char ret[PATH_MAX]);

/*
 * Writes the drop-in, so that it lasts, unless it says this already.
 * @interface: the sender's on the link; "": not known, what the drop-in says is kept.
 * Returns 1 if it was written, 0 if not, or a negative errno.
 */
int t1s_pair_write_drop_in(const char *path, const char *user, const char *host,
	const char *interface, struct t1s_error *e);
