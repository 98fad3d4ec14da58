/* SPDX-License-Identifier: MIT */
#include "link/route.h"

#include "base/cleanup.h"
#include "link/netlink.h"

#include <arpa/inet.h>
#include <errno.h>
#include <linux/rtnetlink.h>
#include <string.h>

struct address {
	uint8_t family;
	uint8_t size;
	unsigned char bytes[16];
};

static int parse(const char *text, struct address *ret, struct t1s_error *e)
{
	if (inet_pton(AF_INET, text, ret->bytes) == 1) {
		ret->family = AF_INET;
		ret->size = 4;
		return 0;
	}
	if (inet_pton(AF_INET6, text, ret->bytes) == 1) {
		ret->family = AF_INET6;
		ret->size = 16;
		return 0;
	}
	return t1s_error_set(e, EINVAL, "\"%s\" is no IPv4 or IPv6 address", text);
}

static void on_route(const struct nlmsghdr *message, void *data)
{
	static const uint16_t sizes[RTA_OIF + 1] = {[RTA_OIF] = sizeof(uint32_t)};
	const struct nlattr *found[T1S_ELEMENTSOF(sizes)];

	t1s_netlink_attributes(message, NLMSG_ALIGN(sizeof(struct rtmsg)), sizes, found,
		T1S_ELEMENTSOF(found));
	if (found[RTA_OIF])
		*(uint32_t *)data = mnl_attr_get_u32(found[RTA_OIF]);
}

static int ask(const struct address *to, const struct address *from, uint32_t *ret_index)
{
	char buffer[T1S_NETLINK_REQUEST_MAX] __attribute__((aligned(8)));
	struct nlmsghdr *message = mnl_nlmsg_put_header(buffer);
	struct rtmsg *route;

	message->nlmsg_type = RTM_GETROUTE;
	route = mnl_nlmsg_put_extra_header(message, sizeof(*route));
	route->rtm_family = to->family;
	route->rtm_dst_len = (uint8_t)(to->size * 8);
	route->rtm_src_len = (uint8_t)(from->size * 8);
	mnl_attr_put(message, RTA_DST, to->size, to->bytes);
	mnl_attr_put(message, RTA_SRC, from->size, from->bytes);
	return t1s_netlink_ask(NETLINK_ROUTE, message, on_route, ret_index);
}

int t1s_route_interface(
	const char *to, const char *from, char ret[IF_NAMESIZE], struct t1s_error *e)
{
	struct address to_address = {0}, from_address = {0};
	uint32_t index = 0;
	int r = parse(to, &to_address, e);

	if (r == 0)
		r = parse(from, &from_address, e);
	if (r < 0)
		return r;
	if (to_address.family != from_address.family)
		return t1s_error_set(
			e, EINVAL, "%s and %s are not of one kind", to, from);
	r = ask(&to_address, &from_address, &index);
	if (r == 0 && !if_indextoname(index, ret))
		r = -ENETUNREACH;
	if (r < 0)
		return t1s_error_set(
			e, -r, "no route from %s to %s: %s", from, to, strerror(-r));
	return 0;
}
