/* SPDX-License-Identifier: MIT */
/* Which way the kernel would send: Linux answers for an address on any interface, so that
 * two addresses alone do not say which link is measured. */
#pragma once

#include "base/error.h"

#include <net/if.h>

/*
 * The interface over which this machine would send to @to from its own address @from,
 * both IPv4 or both IPv6 (RTM_GETROUTE of the running system). Sends nothing.
 * Returns 0; -ENETUNREACH or -EHOSTUNREACH without a route, or if @from is not an address
 * of this machine; -EINVAL if one is no address or they do not go together; -ETIMEDOUT,
 * or what the kernel said.
 */
int t1s_route_interface(
	const char *to, const char *from, char ret[IF_NAMESIZE], struct t1s_error *e);
