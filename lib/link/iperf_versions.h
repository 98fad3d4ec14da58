/* SPDX-License-Identifier: MIT */
/* What is known of iperf3's versions, as far as it bears on a measurement. From the
 * release notes of iperf3 and from docs/iperf3.md. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#define T1S_IPERF_VERSION_MAX 32

/* Version of the library that receives here, as "iperf 3.12". */
void t1s_iperf_own_version(char ret[T1S_IPERF_VERSION_MAX]);

/* What a version is to be used for. */
struct t1s_iperf_use {
	bool sender; /* the client at the sender's, else the server here */
	bool udp, omit;
	bool both;    /* both directions at once */
	bool reverse; /* the server sends */
};

enum t1s_iperf_weight {
	T1S_IPERF_SECURITY, /* of no weight for the values */
	T1S_IPERF_HANDLED,  /* allowed for: a value is left out, none is wrong */
	T1S_IPERF_DOUBTFUL, /* a value is missing or may be wrong */
	T1S_IPERF_USELESS,  /* cannot be measured with */
};

struct t1s_iperf_defect {
	enum t1s_iperf_weight weight;
	const char *text; /* "loses the control connection at the end" */
	const char *fixed_in;
};

/*
 * The defects that a version ("iperf 3.12" or "3.12") has for a use, the weightiest
 * first. Distributions mend security holes without another number, so those are only
 * known to have been mended upstream.
 * Returns their number, at most @max; 0 also for what is no version.
 */
size_t t1s_iperf_defects(const char *version, const struct t1s_iperf_use *use,
	struct t1s_iperf_defect *ret, size_t max);
