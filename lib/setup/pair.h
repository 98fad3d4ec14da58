/* SPDX-License-Identifier: MIT */
/*
 * Pairing with a sender: our key, its host key, our key installed there behind a gate,
 * and its name in the configuration. What is there and right already is left alone, so
 * that a repeated call changes nothing and asks nothing.
 */
#pragma once

#include "base/error.h"
#include "link/pairing.h"

#include <stdbool.h>
#include <stdio.h>

struct t1s_pair_request {
	const char *root, *config_path;
	const char *who;         /* USER@HOST */
	const char *fingerprint; /* expected of its host key; NULL: somebody is asked */
	const char *key_file;    /* a private key to log in by; NULL: by password */
	bool somebody;           /* is there to be asked */
	struct t1s_asker asker;
	FILE *out; /* what is done, in words */
};

/*
 * Returns 0; -EINVAL for a request that makes no sense; -EPERM without the rights, or if
 * the sender refuses; -EKEYREJECTED for a host key that is not the one; or what failed.
 */
int t1s_pair(const struct t1s_pair_request *q, struct t1s_error *e);
