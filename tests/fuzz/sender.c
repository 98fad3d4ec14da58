/* SPDX-License-Identifier: MIT */
/* What the sender's commands write: standard output and standard error of the one that
 * asks for its facts, and of iperf3 --version. */
#include "fuzz.h"

#include "base/cleanup.h"
#include "link/sender_facts.h"
#include "sweep/reach.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static bool is_count(int64_t n)
{
	return n >= -1 && n <= UINT16_MAX;
}

static void check_facts(const char *output, const char *errors)
{
	struct t1s_sender_facts f;
	const struct t1s_plca *p = &f.plca;

	t1s_sender_facts_read(output, errors, &f);
	fuzz_require(strnlen(f.kernel, sizeof(f.kernel)) < sizeof(f.kernel));
	fuzz_require(fuzz_is_shown(f.kernel));
	fuzz_require(p->state == T1S_PLCA_UNKNOWN || t1s_plca_state_name(p->state));
	fuzz_require(is_count(p->node_id) && is_count(p->node_count));
	fuzz_require(is_count(p->to_timer_bits) && is_count(p->burst_count));
	fuzz_require(p->operating >= -1 && p->operating <= 1);
}

static void check_version(const char *output)
{
	char version[T1S_REACH_VERSION_MAX];
	int r = t1s_reach_read_version(output, version);

	fuzz_require(r == 0 || r == -EBADMSG);
	if (r == 0)
		fuzz_require(strncmp(version, "iperf ", 6) == 0 && version[6] >= '0' &&
			     version[6] <= '9' && fuzz_is_shown(version));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct fuzz_part parts[2] = {{0}};
	cleanup_free char *output = NULL, *errors = NULL;

	(void)fuzz_split(data, size, parts, 2);
	output = fuzz_string(parts[0]);
	errors = fuzz_string(parts[1]);
	check_facts(output, errors);
	check_version(output);
	return 0;
}
