/* SPDX-License-Identifier: MIT */
#include "link/iface.h"

#include "base/clock.h"
#include "base/file.h"
#include "base/path.h"
#include "base/text.h"

#include <arpa/inet.h>
#include <errno.h>
#include <ifaddrs.h>
#include <inttypes.h>
#include <net/if.h>
#include <netinet/in.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define POLL_US (100 * T1S_USEC_PER_MSEC)

/* The name becomes part of a path. */
static bool is_interface_name(const char *name)
{
	return name[0] && strlen(name) < IF_NAMESIZE && !strchr(name, '/') &&
	       strcmp(name, ".") != 0 && strcmp(name, "..") != 0;
}

static int read_attribute(const char *root, const char *name, const char *attribute,
	char *ret, size_t size, struct t1s_error *e)
{
	char path[PATH_MAX];
	int r;

	if (!is_interface_name(name))
		return t1s_error_set(e, ENODEV, "\"%s\" is no interface name", name);
	r = t1s_path(path, root, "/sys/class/net/%s/%s", name, attribute);
	if (r < 0)
		return t1s_error_set(e, -r, "the root folder's path is too long");
	r = t1s_read_line_file(path, ret, size, e);
	if (r == -ENOENT)
		return t1s_error_set(e, ENODEV,
			"there is no interface %s; see which there are with \"ip link\", "
			"and whether its driver was loaded with \"dmesg\"",
			name);
	return r;
}

static int check_up(const char *root, const char *name, struct t1s_error *e)
{
	char flags[32], state[32];
	unsigned long value;
	char *end;
	int r = read_attribute(root, name, "flags", flags, sizeof(flags), e);

	if (r < 0)
		return r;
	value = strtoul(flags, &end, 16);
	if (end == flags || *end)
		return t1s_error_set(e, EINVAL,
			"flags of interface %s: a number was expected, found \"%s\"",
			name, flags);
	if (!(value & IFF_UP))
		return t1s_error_set(e, ENETDOWN,
			"interface %s is not up; set it up at boot, or now with \"ip "
			"link set %s up\"",
			name, name);
	r = read_attribute(root, name, "operstate", state, sizeof(state), e);
	if (r < 0)
		return r;
	/* a driver that does not report its carrier leaves "unknown" */
	if (strcmp(state, "up") != 0 && strcmp(state, "unknown") != 0)
		return t1s_error_set(e, ENETDOWN,
			"interface %s has no link (its state is \"%s\"); look at the "
			"cable, the termination and the other node",
			name, state);
	return 0;
}

/* An address in binary, so that two spellings of one IPv6 address are the same. */
struct binary_address {
	int family;
	unsigned char bytes[16];
};

static int parse_address(const char *text, struct binary_address *ret)
{
	*ret = (struct binary_address){.family = AF_INET};
	if (inet_pton(AF_INET, text, ret->bytes) == 1)
		return 0;
	ret->family = AF_INET6;
	return inet_pton(AF_INET6, text, ret->bytes) == 1 ? 0 : -EINVAL;
}

static bool binary_of(const struct sockaddr *sa, struct binary_address *ret)
{
	*ret = (struct binary_address){0};
	if (!sa)
		return false;
	ret->family = sa->sa_family;
	if (sa->sa_family == AF_INET)
		memcpy(ret->bytes, &((const struct sockaddr_in *)sa)->sin_addr, 4);
	else if (sa->sa_family == AF_INET6)
		memcpy(ret->bytes, &((const struct sockaddr_in6 *)sa)->sin6_addr, 16);
	else
		return false;
	return true;
}

static void append_address(char *list, size_t size, const struct binary_address *a)
{
	char text[INET6_ADDRSTRLEN];
	size_t n = strlen(list);

	if (inet_ntop(a->family, a->bytes, text, sizeof(text)))
		(void)snprintf(list + n, size - n, "%s%s", n ? ", " : "", text);
}

static int check_address(const char *name, const char *address, struct t1s_error *e)
{
	struct binary_address wanted, found;
	struct ifaddrs *all;
	char others[256] = "";
	bool has = false;

	if (parse_address(address, &wanted) < 0)
		return t1s_error_set(
			e, EADDRNOTAVAIL, "\"%s\" is no IPv4 or IPv6 address", address);
	if (getifaddrs(&all) < 0)
		return t1s_error_set(
			e, errno, "cannot list addresses: %s", strerror(errno));
	for (const struct ifaddrs *a = all; a && !has; a = a->ifa_next) {
		if (strcmp(a->ifa_name, name) != 0 || !binary_of(a->ifa_addr, &found))
			continue;
		has = found.family == wanted.family &&
		      memcmp(found.bytes, wanted.bytes, sizeof(found.bytes)) == 0;
		append_address(others, sizeof(others), &found);
	}
	freeifaddrs(all);
	if (has)
		return 0;
	return t1s_error_set(e, EADDRNOTAVAIL,
		"interface %s does not have the address %s; it has %s", name, address,
		others[0] ? others : "none");
}

int t1s_iface_ready(
	const char *root, const char *name, const char *address, struct t1s_error *e)
{
	int r = check_up(root, name, e);

	return r < 0 ? r : check_address(name, address, e);
}

int t1s_iface_wait(const char *root, const char *name, const char *address,
	uint64_t deadline_us, struct t1s_error *e)
{
	for (;;) {
		int r = t1s_iface_ready(root, name, address, e);
		uint64_t now_us = t1s_now_us();

		if (r == 0 || now_us >= deadline_us)
			return r;
		t1s_sleep_us(
			deadline_us - now_us < POLL_US ? deadline_us - now_us : POLL_US);
	}
}

static int read_counter(const char *root, const char *name, const char *counter,
	uint64_t *ret, struct t1s_error *e)
{
	char attribute[64], text[32];
	int r;

	(void)snprintf(attribute, sizeof(attribute), "statistics/%s", counter);
	r = read_attribute(root, name, attribute, text, sizeof(text), e);
	if (r < 0)
		return r == -ENODEV ? r : -EINVAL;
	if (t1s_parse_uint(text, UINT64_MAX, ret) < 0)
		return t1s_error_set(e, EINVAL,
			"counter %s of interface %s: a number was expected, found \"%s\"",
			counter, name, text);
	return 0;
}

int t1s_iface_counters(const char *root, const char *name, struct t1s_iface_counters *ret,
	struct t1s_error *e)
{
	struct t1s_iface_counters c = {0};
	const struct {
		const char *name;
		uint64_t *value;
	} all[] = {
		{"rx_bytes", &c.rx_bytes},
		{"rx_packets", &c.rx_packets},
		{"rx_dropped", &c.rx_dropped},
		{"rx_errors", &c.rx_errors},
		{"tx_bytes", &c.tx_bytes},
		{"tx_packets", &c.tx_packets},
		{"tx_dropped", &c.tx_dropped},
		{"tx_errors", &c.tx_errors},
	};

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		int r = read_counter(root, name, all[i].name, all[i].value, e);

		if (r < 0)
			return r;
	}
	*ret = c;
	return 0;
}
