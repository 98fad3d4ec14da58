/* SPDX-License-Identifier: MIT */
/*
 * What the sender tells about its end of the link in one command: its clock, who has the
 * address that it is to send from, and over which interface it would send.
 */
#pragma once

#include <net/if.h>
#include <stddef.h>
#include <stdint.h>

#define T1S_SENDER_WAY_MAX_BYTES ((size_t)64 * 1024)
#define T1S_SENDER_WAY_S 12U /* the command's own bound */

struct t1s_sender_way {
	int64_t time_s;              /* since 1970, by its clock; -1: unknown */
	char holder[IF_NAMESIZE];    /* of @from; "" nobody has it */
	char interface[IF_NAMESIZE]; /* over which it would send to @to; "" none */
	int asked;                   /* 0: it has no ip(8), nothing is known */
};

/* The command, for a POSIX shell. @to, @from: addresses. Returns 0 or -ENAMETOOLONG. */
int t1s_sender_way_command(const char *to, const char *from, char *ret, size_t size);

/* Reads what it wrote to standard output. @from: as above. */
void t1s_sender_way_read(
	const char *output, const char *from, struct t1s_sender_way *ret);
