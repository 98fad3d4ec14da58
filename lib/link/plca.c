/* SPDX-License-Identifier: MIT */
#include "link/plca.h"

#include "base/cleanup.h"
#include "link/netlink.h"

#include <errno.h>
#include <linux/ethtool_netlink.h>
#include <linux/genetlink.h>
#include <net/if.h>
#include <string.h>

/*
 * The headers of Debian 12 are older than PLCA's user interface. These values are part of
 * the kernel's ABI since 6.3: include/uapi/linux/ethtool_netlink.h there, from 6.14 on
 * include/uapi/linux/ethtool_netlink_generated.h.
 */
#define MSG_PLCA_GET_CFG 39    /* ETHTOOL_MSG_PLCA_GET_CFG */
#define MSG_PLCA_SET_CFG 40    /* ETHTOOL_MSG_PLCA_SET_CFG */
#define MSG_PLCA_GET_STATUS 41 /* ETHTOOL_MSG_PLCA_GET_STATUS */
enum {
	A_PLCA_HEADER = 1, /* ETHTOOL_A_PLCA_HEADER, nested */
	A_PLCA_VERSION,    /* u16 */
	A_PLCA_ENABLED,    /* u8 */
	A_PLCA_STATUS,     /* u8 */
	A_PLCA_NODE_CNT,   /* u32 */
	A_PLCA_NODE_ID,    /* u32 */
	A_PLCA_TO_TMR,     /* u32, bit times */
	A_PLCA_BURST_CNT,  /* u32 */
	A_PLCA_COUNT,
};

const char *t1s_plca_state_name(enum t1s_plca_state s)
{
	static const char *const names[] = {
		[T1S_PLCA_UNSUPPORTED] = "unsupported",
		[T1S_PLCA_OFF] = "off",
		[T1S_PLCA_ON] = "on",
	};

	return (size_t)s < T1S_ELEMENTSOF(names) ? names[s] : NULL;
}

void t1s_plca_init(struct t1s_plca *ret)
{
	*ret = (struct t1s_plca){T1S_PLCA_UNKNOWN, -1, -1, -1, -1, -1};
}

static struct nlmsghdr *begin_message(void *buffer, uint16_t family, uint8_t command)
{
	struct nlmsghdr *message = mnl_nlmsg_put_header(buffer);
	struct genlmsghdr *generic;

	message->nlmsg_type = family;
	generic = mnl_nlmsg_put_extra_header(message, sizeof(*generic));
	generic->cmd = command;
	generic->version = 1;
	return message;
}

static void on_family(const struct nlmsghdr *message, void *data)
{
	static const uint16_t sizes[CTRL_ATTR_FAMILY_ID + 1] = {
		[CTRL_ATTR_FAMILY_ID] = sizeof(uint16_t)};
	const struct nlattr *found[T1S_ELEMENTSOF(sizes)];

	t1s_netlink_attributes(message, GENL_HDRLEN, sizes, found, T1S_ELEMENTSOF(found));
	if (found[CTRL_ATTR_FAMILY_ID])
		*(uint16_t *)data = mnl_attr_get_u16(found[CTRL_ATTR_FAMILY_ID]);
}

/* The number that ethtool's family got on this kernel; -ENOENT on one without. */
static int find_family(uint16_t *ret)
{
	char buffer[T1S_NETLINK_REQUEST_MAX] __attribute__((aligned(8))) = {0};
	struct nlmsghdr *message =
		begin_message(buffer, GENL_ID_CTRL, CTRL_CMD_GETFAMILY);
	int r;

	*ret = 0;
	mnl_attr_put_strz(message, CTRL_ATTR_FAMILY_NAME, ETHTOOL_GENL_NAME);
	r = t1s_netlink_ask(NETLINK_GENERIC, message, on_family, ret);
	return r < 0 || *ret > 0 ? r : -ENOENT;
}

static int64_t number(const struct nlattr *attribute)
{
	return attribute ? (int64_t)mnl_attr_get_u32(attribute) : -1;
}

static void parse(const struct nlmsghdr *message, const struct nlattr **ret)
{
	static const uint16_t sizes[A_PLCA_COUNT] = {
		[A_PLCA_HEADER] = UINT16_MAX, /* of no use here */
		[A_PLCA_VERSION] = sizeof(uint16_t),
		[A_PLCA_ENABLED] = sizeof(uint8_t),
		[A_PLCA_STATUS] = sizeof(uint8_t),
		[A_PLCA_NODE_CNT] = sizeof(uint32_t),
		[A_PLCA_NODE_ID] = sizeof(uint32_t),
		[A_PLCA_TO_TMR] = sizeof(uint32_t),
		[A_PLCA_BURST_CNT] = sizeof(uint32_t),
	};

	t1s_netlink_attributes(message, GENL_HDRLEN, sizes, ret, A_PLCA_COUNT);
}

static void on_cfg(const struct nlmsghdr *message, void *data)
{
	const struct nlattr *found[A_PLCA_COUNT];
	struct t1s_plca *plca = data;

	parse(message, found);
	if (found[A_PLCA_ENABLED])
		plca->state = mnl_attr_get_u8(found[A_PLCA_ENABLED]) ? T1S_PLCA_ON
								     : T1S_PLCA_OFF;
	plca->node_id = number(found[A_PLCA_NODE_ID]);
	plca->node_count = number(found[A_PLCA_NODE_CNT]);
	plca->to_timer_bits = number(found[A_PLCA_TO_TMR]);
	plca->burst_count = number(found[A_PLCA_BURST_CNT]);
}

static void on_status(const struct nlmsghdr *message, void *data)
{
	const struct nlattr *found[A_PLCA_COUNT];
	struct t1s_plca *plca = data;

	parse(message, found);
	if (found[A_PLCA_STATUS])
		plca->operating = mnl_attr_get_u8(found[A_PLCA_STATUS]) != 0;
}

static struct nlmsghdr *begin_plca(
	void *buffer, uint16_t family, uint8_t command, const char *interface)
{
	struct nlmsghdr *message = begin_message(buffer, family, command);
	struct nlattr *header = mnl_attr_nest_start(message, A_PLCA_HEADER);

	mnl_attr_put_strz(message, ETHTOOL_A_HEADER_DEV_NAME, interface);
	mnl_attr_nest_end(message, header);
	return message;
}

static int ask(uint16_t family, uint8_t command, const char *interface, t1s_netlink_fn fn,
	struct t1s_plca *plca)
{
	char buffer[T1S_NETLINK_REQUEST_MAX] __attribute__((aligned(8))) = {0};

	return t1s_netlink_ask(NETLINK_GENERIC,
		begin_plca(buffer, family, command, interface), fn, plca);
}

static int check_name(const char *interface, struct t1s_error *e)
{
	return interface[0] && strlen(interface) < IF_NAMESIZE
		       ? 0
		       : t1s_error_set(
				 e, ENODEV, "\"%s\" is no interface name", interface);
}

int t1s_plca_get(const char *interface, struct t1s_plca *ret, struct t1s_error *e)
{
	struct t1s_plca plca;
	uint16_t family;
	int r;

	t1s_plca_init(ret);
	t1s_plca_init(&plca);
	r = check_name(interface, e);
	if (r < 0)
		return r;
	r = find_family(&family);
	if (r == 0)
		r = ask(family, MSG_PLCA_GET_CFG, interface, on_cfg, &plca);
	if (r == -ENOENT || r == -EOPNOTSUPP) {
		ret->state = T1S_PLCA_UNSUPPORTED;
		return 0;
	}
	if (r < 0)
		return t1s_error_set(e, -r, "cannot read PLCA of interface %s: %s",
			interface, strerror(-r));
	/* without it only this one value is missing */
	(void)ask(family, MSG_PLCA_GET_STATUS, interface, on_status, &plca);
	*ret = plca;
	return 0;
}

bool t1s_plca_is(const struct t1s_plca *p, int node_id, int node_count)
{
	return p->state == T1S_PLCA_ON && p->node_id == node_id &&
	       (node_count < 0 || p->node_count == node_count);
}

int t1s_plca_set(const char *interface, int node_id, int node_count, struct t1s_error *e)
{
	char buffer[T1S_NETLINK_REQUEST_MAX] __attribute__((aligned(8))) = {0};
	struct nlmsghdr *message;
	uint16_t family;
	int r = check_name(interface, e);

	if (r < 0)
		return r;
	r = find_family(&family);
	if (r == 0) {
		message = begin_plca(buffer, family, MSG_PLCA_SET_CFG, interface);
		mnl_attr_put_u8(message, A_PLCA_ENABLED, 1);
		if (node_count >= 0)
			mnl_attr_put_u32(message, A_PLCA_NODE_CNT, (uint32_t)node_count);
		mnl_attr_put_u32(message, A_PLCA_NODE_ID, (uint32_t)node_id);
		r = t1s_netlink_ask(NETLINK_GENERIC, message, NULL, NULL);
	}
	if (r == -ENOENT || r == -EOPNOTSUPP)
		return t1s_error_set(e, EOPNOTSUPP,
			"interface %s: driver or kernel do not support PLCA", interface);
	return r < 0 ? t1s_error_set(e, -r, "cannot set PLCA of interface %s: %s",
			       interface, strerror(-r))
		     : 0;
}
