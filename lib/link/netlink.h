/* SPDX-License-Identifier: MIT */
/* One question to the kernel over netlink (libmnl). Internal to the room. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <libmnl/libmnl.h>

#define T1S_NETLINK_REQUEST_MAX 512 /* of the questions of this room */

/* Called for each message of the answer. */
typedef void (*t1s_netlink_fn)(const struct nlmsghdr *message, void *data);

/*
 * Sends @request (flags and sequence number are set here) and hands over what answers it,
 * unless @fn is NULL.
 * @protocol: NETLINK_ROUTE or NETLINK_GENERIC. An answer takes the kernel no time; after
 * a second without one it is -ETIMEDOUT. Returns 0, the error that the kernel answered
 * with, or what the socket said.
 */
int t1s_netlink_ask(
	int protocol, struct nlmsghdr *request, t1s_netlink_fn fn, void *data);

/*
 * The attributes of @message, behind its family's header of @header_bytes, by type: NULL
 * for those it does not have, and for those whose size does not fit @sizes (of their
 * value; 0: a string).
 */
void t1s_netlink_attributes(const struct nlmsghdr *message, size_t header_bytes,
	const uint16_t *sizes, const struct nlattr **ret, size_t count);
