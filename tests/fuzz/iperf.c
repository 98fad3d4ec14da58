/* SPDX-License-Identifier: MIT */
/*
 * iperf3's JSON: the input's parts are the document of the end that received and that of
 * the end that sent, which is in a stranger's hands.
 */
#include "fuzz.h"

#include "base/cleanup.h"
#include "link/iperf.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static bool is_known_or_nan(double v)
{
	return isnan(v) || (isfinite(v) && v >= 0);
}

static void check_result(const struct t1s_iperf_result *r)
{
	fuzz_require(t1s_run_status_name(r->status));
	fuzz_require(fuzz_is_shown(r->reason) && fuzz_is_shown(r->version));
	fuzz_require(is_known_or_nan(r->received_bps) && is_known_or_nan(r->jitter_ms));
	fuzz_require(is_known_or_nan(r->duration_s) && is_known_or_nan(r->offered_bps));
	fuzz_require(isnan(r->lost_percent) ||
		     (r->lost_percent >= 0 && r->lost_percent <= 100));
	fuzz_require(r->packets >= -1 && r->lost_packets >= -1);
	fuzz_require(r->lost_packets <= r->packets);
	fuzz_require(r->sent_packets >= -1 && r->out_of_order >= -1);
	switch (r->status) {
	case T1S_RUN_OK:
		fuzz_require(r->received_bps > 0 && r->duration_s > 0);
		break;
	case T1S_RUN_NO_DATA:
		fuzz_require(r->received_bps <= 0 && r->reason[0]);
		break;
	default:
		fuzz_require(r->status == T1S_RUN_FAILED);
		fuzz_require(isnan(r->received_bps) && r->reason[0]);
		break;
	}
}

static void check(struct fuzz_part received, struct fuzz_part sent,
	const struct t1s_iperf_expect *expect)
{
	cleanup_free char *ours = fuzz_exact(received), *theirs = fuzz_exact(sent);
	struct t1s_iperf_result r;
	char error[128] = "";
	enum t1s_run_status status;
	int added;

	t1s_iperf_read(ours, received.size, expect, &r);
	check_result(&r);
	status = r.status;
	added = t1s_iperf_add_sender(theirs, sent.size, &r, error, sizeof(error));
	fuzz_require(added == 0 || added == -EBADMSG);
	fuzz_require(added == 0 || error[0]);
	fuzz_require(fuzz_is_shown(error));
	fuzz_require(r.status == status);
	check_result(&r);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const struct t1s_iperf_expect expect = {
		.length_bytes = 1448, .duration_s = 3, .link_rate_bps = 1e7};
	struct fuzz_part parts[2] = {{0}};

	(void)fuzz_split(data, size, parts, 2);
	/* without a second part: the one document in both places */
	if (parts[1].size == 0)
		parts[1] = parts[0];
	check(parts[0], parts[1], NULL);
	check(parts[0], parts[1], &expect);
	return 0;
}
