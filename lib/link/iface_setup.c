/* SPDX-License-Identifier: MIT */
#include "link/iface_setup.h"

#include "base/cleanup.h"
#include "base/sysfs.h"
#include "link/netlink.h"

#include <linux/if_link.h>
#include <linux/rtnetlink.h>
#include <net/if.h>
#include <stdio.h>
#include <string.h>

static void read_driver(const char *root, const char *name, struct t1s_iface_setup *ret)
{
	char module[64], checksum[32];

	(void)t1s_sysfs_link(ret->driver, sizeof(ret->driver), root,
		"/sys/class/net/%s/device/driver", name);
	/* a driver in the kernel itself has no module */
	if (!t1s_sysfs_link(module, sizeof(module), root,
		    "/sys/class/net/%s/device/driver/module", name) ||
		t1s_sysfs_text(ret->driver_version, sizeof(ret->driver_version), root,
			"/sys/module/%s/version", module))
		return;
	if (t1s_sysfs_text(checksum, sizeof(checksum), root, "/sys/module/%s/srcversion",
		    module))
		(void)snprintf(ret->driver_version, sizeof(ret->driver_version),
			"srcversion %s", checksum);
}

static void on_link(const struct nlmsghdr *message, void *data)
{
	static const uint16_t sizes[IFLA_QDISC + 1] = {[IFLA_QDISC] = 0};
	const struct nlattr *found[T1S_ELEMENTSOF(sizes)];
	struct t1s_iface_setup *s = data;

	t1s_netlink_attributes(message, NLMSG_ALIGN(sizeof(struct ifinfomsg)), sizes,
		found, T1S_ELEMENTSOF(found));
	if (found[IFLA_QDISC])
		(void)snprintf(s->qdisc, sizeof(s->qdisc), "%.31s",
			mnl_attr_get_str(found[IFLA_QDISC]));
}

static void read_qdisc(const char *name, struct t1s_iface_setup *ret)
{
	char buffer[T1S_NETLINK_REQUEST_MAX] __attribute__((aligned(8))) = {0};
	struct nlmsghdr *message = mnl_nlmsg_put_header(buffer);

	message->nlmsg_type = RTM_GETLINK;
	(void)mnl_nlmsg_put_extra_header(message, sizeof(struct ifinfomsg));
	mnl_attr_put_strz(message, IFLA_IFNAME, name);
	mnl_attr_put_u32(message, IFLA_EXT_MASK, RTEXT_FILTER_SKIP_STATS);
	(void)t1s_netlink_ask(NETLINK_ROUTE, message, on_link, ret);
}

void t1s_iface_setup_read(const char *root, const char *name, struct t1s_iface_setup *ret)
{
	*ret = (struct t1s_iface_setup){.mtu = -1};
	if (strlen(name) >= IF_NAMESIZE || strchr(name, '/'))
		return;
	(void)t1s_sysfs_text(
		ret->mac, sizeof(ret->mac), root, "/sys/class/net/%s/address", name);
	ret->mtu = t1s_sysfs_count(root, "/sys/class/net/%s/mtu", name);
	read_driver(root, name, ret);
	read_qdisc(name, ret);
}
