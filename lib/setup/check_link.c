/* SPDX-License-Identifier: MIT */
#include "base/path.h"
#include "base/sysfs.h"
#include "board/chips.h"
#include "link/iface.h"
#include "link/iperf_versions.h"
#include "link/route.h"
#include "setup/checking.h"
#include "sweep/plca_set.h"
#include "sweep/reach.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#define GROUP T1S_CHECK_LINK
#define RANDOM_ADDRESS 1 /* NET_ADDR_RANDOM of addr_assign_type */

void t1s_check_remedy_address(struct t1s_checking *c, const char *at,
	const char *interface, const char *address)
{
	const bool v6 = strchr(address, ':') != NULL;
	const char *length = v6 ? "/64" : "/24";
	const char *family = v6 ? "ipv6" : "ipv4";
	char path[PATH_MAX];

	if (t1s_path(path, c->root, "/usr/bin/nmcli") == 0 && access(path, F_OK) == 0)
		t1s_check_remedy(c,
			"%ssudo nmcli connection add con-name t1s type ethernet ifname "
			"%s %s.method manual %s.addresses %s%s",
			at, interface, family, family, address, length);
	else /* until the next boot only, but every system has it */
		t1s_check_remedy(c, "%ssudo ip address add %s%s dev %s", at, address,
			length, interface);
}

void t1s_check_remedy_driver(struct t1s_checking *c)
{
	const char *compatible = c->config.match.compatible;
	const char *comma = strchr(compatible, ',');

	/* "lan86": drivers bear the name of a family of chips */
	t1s_check_remedy(c, "dmesg | grep -i -e %s -e %.5s", c->config.receiver_interface,
		comma ? comma + 1 : compatible);
}

static void check_interface(struct t1s_checking *c)
{
	const char *name = c->config.receiver_interface;
	const char *address = c->config.receiver_address;
	struct t1s_error why = {{0}};
	int r = t1s_iface_ready(c->root, name, address, &why);

	if (r == 0) {
		t1s_check_say(c, GROUP, T1S_CHECK_GOOD, "interface", "%s is up with %s",
			name, address);
		return;
	}
	if (r == -EADDRNOTAVAIL)
		t1s_check_remedy_address(c, "", name, address);
	else if (r == -ENETDOWN)
		t1s_check_remedy(c, "sudo ip link set %s up", name);
	else
		t1s_check_remedy_driver(c);
	t1s_check_say(c, GROUP, T1S_CHECK_BAD, "interface", "%s", why.text);
}

static void check_mac(struct t1s_checking *c)
{
	const char *name = c->config.receiver_interface;

	if (strchr(name, '/') ||
		t1s_sysfs_count(c->root, "/sys/class/net/%s/addr_assign_type", name) !=
			RANDOM_ADDRESS)
		return;
	t1s_check_say(c, GROUP, T1S_CHECK_NOTE, "mac",
		"%s has another MAC address at each boot: until the sender has "
		"forgotten the last one, nothing gets through. Give it a fixed one "
		"(local-mac-address in the overlay, or a systemd.link file)",
		name);
}

static void check_route(struct t1s_checking *c)
{
	const char *to = c->config.sender_address, *from = c->config.receiver_address;
	char interface[IF_NAMESIZE];
	struct t1s_error why = {{0}};
	int r = t1s_route_interface(to, from, interface, &why);

	if (r == 0 && strcmp(interface, c->config.receiver_interface) == 0) {
		t1s_check_say(c, GROUP, T1S_CHECK_GOOD, "route", "to %s over %s", to,
			interface);
		return;
	}
	t1s_check_remedy(
		c, "sudo ip route replace %s dev %s", to, c->config.receiver_interface);
	if (r < 0)
		t1s_check_say(c, GROUP, T1S_CHECK_BAD, "route", "%s", why.text);
	else
		t1s_check_say(c, GROUP, T1S_CHECK_BAD, "route",
			"to %s over %s instead of %s: another link would be measured", to,
			interface, c->config.receiver_interface);
}

static const char *sender_interface(const struct t1s_checking *c)
{
	return c->way.holder[0] ? c->way.holder : c->config.sender_interface;
}

/* "ssh -t USER@HOST " */
static void make_at(const struct t1s_checking *c, char *ret, size_t size)
{
	(void)snprintf(
		ret, size, "ssh -t %s@%s ", c->config.sender_user, c->config.sender_host);
}

static void check_sender_address(struct t1s_checking *c)
{
	const char *address = c->config.sender_address, *holder = c->way.holder;
	const char *configured = c->config.sender_interface;
	char at[400];

	make_at(c, at, sizeof(at));
	if (!holder[0]) {
		t1s_check_remedy_address(
			c, at, configured[0] ? configured : "INTERFACE", address);
		t1s_check_say(c, GROUP, T1S_CHECK_BAD, "sender-address",
			"no interface of the sender has %s", address);
	} else if (configured[0] && strcmp(configured, holder) != 0) {
		t1s_check_remedy(c, "sudo t1s-sweep pair %s@%s", c->config.sender_user,
			c->config.sender_host);
		t1s_check_say(c, GROUP, T1S_CHECK_BAD, "sender-address",
			"%s has %s, but [Sender] Interface= is %s", holder, address,
			configured);
	} else {
		t1s_check_say(c, GROUP, T1S_CHECK_GOOD, "sender-address", "%s has %s",
			holder, address);
	}
}

static void check_sender_route(struct t1s_checking *c)
{
	const char *to = c->config.receiver_address;

	if (!c->way.holder[0])
		return;
	if (strcmp(c->way.interface, c->way.holder) == 0) {
		t1s_check_say(c, GROUP, T1S_CHECK_GOOD, "sender-route", "to %s over %s",
			to, c->way.interface);
		return;
	}
	t1s_check_remedy(c, "ssh -t %s@%s sudo ip route replace %s dev %s",
		c->config.sender_user, c->config.sender_host, to, c->way.holder);
	t1s_check_say(c, GROUP, T1S_CHECK_BAD, "sender-route",
		"the sender reaches %s over %s instead of %s: another link would be "
		"measured",
		to, c->way.interface[0] ? c->way.interface : "no interface",
		c->way.holder);
}

static void check_sender_end(struct t1s_checking *c)
{
	if (c->have_way && c->way.asked) {
		check_sender_address(c);
		check_sender_route(c);
		return;
	}
	t1s_check_say(c, GROUP, T1S_CHECK_NOTE, "sender-address",
		"not known: the sender does not tell (ip address show)");
}

static void check_plca(struct t1s_checking *c)
{
	const struct t1s_chip *chip = t1s_chip_find(c->config.match.compatible);
	struct t1s_sender_facts there;
	struct t1s_config asking = c->config;
	struct t1s_plca here;
	bool may;

	if (chip && chip->plca_overhead_bits == 0)
		return; /* its link knows no PLCA */
	(void)t1s_plca_get(c->config.receiver_interface, &here, NULL);
	memset(&there, 0, sizeof(there));
	t1s_plca_init(&there.plca);
	(void)snprintf(asking.sender_interface, sizeof(asking.sender_interface), "%s",
		sender_interface(c));
	if (c->sender)
		(void)t1s_reach_facts(c->sender, &asking, &there, NULL);
	/* the sweep sets it on the configured interface only */
	may = c->sender && c->config.sender_plca_node_id >= 0 &&
	      c->config.sender_interface[0] &&
	      t1s_plca_may_there(
		      c->sender, &c->config, c->config.sender_interface, NULL) > 0;
	t1s_check_plca(c, &here, &there.plca, asking.sender_interface, may);
}

void t1s_check_link(struct t1s_checking *c)
{
	char version[T1S_IPERF_VERSION_MAX];

	if (!c->have_config || c->at_rest) {
		t1s_check_say(c, GROUP, T1S_CHECK_NOTE, "interface", "not looked at: %s",
			c->at_rest ? "this tree is a card at rest"
				   : "the configuration cannot be read");
		return;
	}
	check_interface(c);
	check_mac(c);
	check_route(c);
	if (c->sender)
		check_sender_end(c);
	check_plca(c);
	t1s_iperf_own_version(version);
	t1s_check_iperf(c, GROUP, version, false);
	if (c->trial)
		t1s_check_trial(c);
}
