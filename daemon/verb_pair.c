/* SPDX-License-Identifier: MIT */
#include "setup/ask.h"
#include "setup/pair.h"
#include "verb.h"

int verb_pair(const struct t1s_args *a)
{
	const struct t1s_pair_request request = {
		.root = a->root,
		.config_path = a->config,
		.who = a->operands[0],
		.fingerprint = a->fingerprint,
		.key_file = a->key,
		.somebody = t1s_ask_somebody(),
		.asker = {.ask = t1s_ask},
		.out = stdout,
	};
	struct t1s_error e = {{0}};
	int r = t1s_pair(&request, &e);

	return r < 0 ? t1s_verb_failed(r, &e) : T1S_EXIT_OK;
}
