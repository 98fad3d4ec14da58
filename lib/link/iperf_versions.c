/* SPDX-License-Identifier: MIT */
#include "link/iperf_versions.h"

#include "base/cleanup.h"
#include "link/libiperf.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* 3.19.1 as 31901 */
#define VERSION(major, minor, patch) ((major)*10000U + (minor)*100U + (patch))

enum {
	AT_SENDER = 1 << 0,
	AT_RECEIVER = 1 << 1,
	WITH_UDP = 1 << 2,
	WITH_OMIT = 1 << 3,
	WITH_BOTH = 1 << 4,
	WITH_REVERSE = 1 << 5,
};
#define ENDS ((unsigned int)AT_SENDER | (unsigned int)AT_RECEIVER)

static const struct {
	unsigned int from, fixed; /* versions: from the one, until before the other */
	unsigned int where;       /* one of the ends must be meant, all else used */
	struct t1s_iperf_defect defect;
} table[] = {
	{0, VERSION(3, 2, 0), AT_SENDER,
		{T1S_IPERF_USELESS, "does not know --connect-timeout", "3.2"}},
	{0, VERSION(3, 11, 0), ENDS | WITH_BOTH,
		{T1S_IPERF_USELESS, "gives both directions the same names", "3.11"}},
	{VERSION(3, 2, 0), VERSION(3, 4, 0), AT_SENDER,
		{T1S_IPERF_DOUBTFUL, "closes the control connection before the results",
			"3.4"}},
	{0, VERSION(3, 3, 0), AT_RECEIVER,
		{T1S_IPERF_DOUBTFUL, "may end a test after fifteen seconds", "3.3"}},
	{0, VERSION(3, 10, 0), ENDS | WITH_REVERSE,
		{T1S_IPERF_DOUBTFUL, "may not end when the server sends", "3.10"}},
	{0, VERSION(3, 14, 0), AT_SENDER | WITH_UDP | WITH_OMIT,
		{T1S_IPERF_HANDLED, "counts omitted datagrams among those sent", "3.14"}},
	{VERSION(3, 14, 0), VERSION(3, 15, 0), ENDS | WITH_UDP,
		{T1S_IPERF_DOUBTFUL, "garbles UDP results on 32-bit machines", "3.15"}},
	{VERSION(3, 16, 0), VERSION(3, 18, 0), ENDS,
		{T1S_IPERF_DOUBTFUL, "has threads that can crash it", "3.18"}},
	{0, VERSION(3, 19, 1), ENDS,
		{T1S_IPERF_SECURITY, "has known security holes", "3.19.1"}},
};

void t1s_iperf_own_version(char ret[T1S_IPERF_VERSION_MAX])
{
	(void)snprintf(
		ret, T1S_IPERF_VERSION_MAX, "iperf %.20s", iperf_get_iperf_version());
}

/* 0: no version */
static unsigned int parse(const char *text)
{
	unsigned long part[3] = {0};
	size_t n = strspn(text, "iperf ");

	for (size_t i = 0; i < T1S_ELEMENTSOF(part); i++) {
		char *end;

		part[i] = strtoul(text + n, &end, 10);
		if (end == text + n || part[i] > 99)
			return 0;
		n = (size_t)(end - text);
		if (text[n] != '.')
			break;
		n++;
	}
	return VERSION(
		(unsigned int)part[0], (unsigned int)part[1], (unsigned int)part[2]);
}

static unsigned int bits_of(const struct t1s_iperf_use *use)
{
	return (unsigned int)(use->sender ? AT_SENDER : AT_RECEIVER) |
	       (use->udp ? (unsigned int)WITH_UDP : 0) |
	       (use->omit ? (unsigned int)WITH_OMIT : 0) |
	       (use->both ? (unsigned int)WITH_BOTH : 0) |
	       (use->reverse ? (unsigned int)WITH_REVERSE : 0);
}

size_t t1s_iperf_defects(const char *version, const struct t1s_iperf_use *use,
	struct t1s_iperf_defect *ret, size_t max)
{
	const unsigned int v = parse(version), bits = bits_of(use);
	size_t n = 0;

	for (size_t i = 0; v > 0 && i < T1S_ELEMENTSOF(table) && n < max; i++) {
		const unsigned int used = table[i].where & ~ENDS;

		if (v >= table[i].from && v < table[i].fixed &&
			(table[i].where & ENDS & bits) && (used & bits) == used)
			ret[n++] = table[i].defect;
	}
	return n;
}
