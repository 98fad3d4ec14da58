/* SPDX-License-Identifier: MIT */
#include "sweep/config_keys.h"

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/text.h"

#include <arpa/inet.h>
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

static const char *const order_names[] = {"descending", "ascending", "shuffled", NULL};
static const char *const search_names[] = {"all", "knee", NULL};
static const char *const protocol_names[] = {"udp", "tcp", NULL};
static const char *const direction_names[] = {"receive", "send", "both", NULL};

const char *t1s_order_name(enum t1s_order o)
{
	return order_names[o];
}

const char *t1s_protocol_name(enum t1s_protocol p)
{
	return protocol_names[p];
}

const char *t1s_direction_name(enum t1s_direction d)
{
	return direction_names[d];
}

/* Also clears what stood behind a longer text before. */
static void store_text(void *field, size_t size, const char *value)
{
	memset(field, 0, size);
	memcpy(field, value, strlen(value));
}

static int store_uint(const struct t1s_config_key *k, uint64_t value, void *field)
{
	if (value < k->min || value > k->max)
		return -ERANGE;
	switch (k->size) {
	case sizeof(uint16_t):
		*(uint16_t *)field = (uint16_t)value;
		break;
	case sizeof(uint32_t):
		*(uint32_t *)field = (uint32_t)value;
		break;
	default:
		*(uint64_t *)field = value;
		break;
	}
	return 0;
}

static int parse_text(const struct t1s_config_key *k, const char *value, void *field)
{
	if (strlen(value) >= k->size)
		return -ERANGE;
	if (!k->is_valid(value))
		return -EINVAL;
	store_text(field, k->size, value);
	return 0;
}

static int parse_uint(const struct t1s_config_key *k, const char *value, void *field)
{
	uint64_t v;
	int r = t1s_parse_uint(value, k->max, &v);

	return r < 0 ? r : store_uint(k, v, field);
}

static int parse_frequency(const struct t1s_config_key *k, const char *value, void *field)
{
	uint64_t v;
	int r = t1s_parse_si(value, "Hz", &v);

	return r < 0 ? r : store_uint(k, v, field);
}

static int parse_rate(const struct t1s_config_key *k, const char *value, uint64_t *ret)
{
	int r = t1s_parse_si(value, NULL, ret);

	if (r < 0)
		return r;
	return *ret < k->min || *ret > k->max ? -ERANGE : 0;
}

static int parse_link_rate(const struct t1s_config_key *k, const char *value, void *field)
{
	uint64_t v;
	int r = parse_rate(k, value, &v);

	if (r == 0)
		*(double *)field = (double)v;
	return r;
}

/* The field is rate_text; rate_bps stands in the same workload. */
static int parse_workload_rate(
	const struct t1s_config_key *k, const char *value, void *field)
{
	struct t1s_workload *w =
		(struct t1s_workload *)((char *)field -
					offsetof(struct t1s_workload, rate_text));
	uint64_t v;
	int r = parse_rate(k, value, &v);

	if (r < 0)
		return r;
	if (strlen(value) >= sizeof(w->rate_text))
		return -ERANGE;
	store_text(w->rate_text, sizeof(w->rate_text), value);
	w->rate_bps = v;
	return 0;
}

static int parse_duration_us(
	const struct t1s_config_key *k, const char *value, void *field)
{
	uint64_t us;
	int r = t1s_parse_duration(value, &us);

	return r < 0 ? r : store_uint(k, us, field);
}

static int parse_whole_seconds(
	const struct t1s_config_key *k, const char *value, void *field)
{
	uint64_t us;
	int r = t1s_parse_duration(value, &us);

	if (r < 0)
		return r;
	if (us % T1S_USEC_PER_SEC != 0)
		return -EINVAL;
	return store_uint(k, us / T1S_USEC_PER_SEC, field);
}

static int parse_percent(const struct t1s_config_key *k, const char *value, void *field)
{
	(void)k;
	return t1s_parse_percent(value, field);
}

static int parse_bool(const struct t1s_config_key *k, const char *value, void *field)
{
	(void)k;
	return t1s_parse_bool(value, field);
}

/* Empty stays "not set". */
static int parse_switch(const struct t1s_config_key *k, const char *value, void *field)
{
	bool on;
	int r = t1s_parse_bool(value, &on);

	(void)k;
	if (r == 0)
		*(int *)field = on;
	return r;
}

static int parse_choice(const struct t1s_config_key *k, const char *value, void *field)
{
	for (unsigned int i = 0; k->names[i]; i++)
		if (strcmp(value, k->names[i]) == 0) {
			*(unsigned int *)field = i;
			return 0;
		}
	return -EINVAL;
}

static int parse_chip_select(
	const struct t1s_config_key *k, const char *value, void *field)
{
	if (strcmp(value, "any") == 0) {
		*(int *)field = T1S_CHIP_SELECT_ANY;
		return 0;
	}
	return parse_uint(k, value, field);
}

static bool has_frequency(const uint32_t *list, unsigned int count, uint64_t freq_hz)
{
	for (unsigned int i = 0; i < count; i++)
		if (list[i] == freq_hz)
			return true;
	return false;
}

/* The field is points_hz; points_count stands in the same configuration. */
static int parse_points(const struct t1s_config_key *k, const char *value, void *field)
{
	struct t1s_config *c =
		(struct t1s_config *)((char *)field -
				      offsetof(struct t1s_config, points_hz));
	uint32_t points_hz[T1S_POINTS_MAX] = {0};
	unsigned int count = 0;

	while (value[strspn(value, " \t,")] != '\0') {
		char word[24];
		uint64_t v;
		size_t n;
		int r;

		value += strspn(value, " \t,");
		n = strcspn(value, " \t,");
		if (n >= sizeof(word))
			return -EINVAL;
		memcpy(word, value, n);
		word[n] = '\0';
		value += n;
		r = t1s_parse_si(word, "Hz", &v);
		if (r < 0)
			return r;
		if (v < k->min || v > k->max || count == T1S_POINTS_MAX)
			return -ERANGE;
		if (has_frequency(points_hz, count, v))
			return -EINVAL;
		points_hz[count++] = (uint32_t)v;
	}
	if (count == 0)
		return -EINVAL;
	memcpy(c->points_hz, points_hz, sizeof(points_hz));
	c->points_count = count;
	return 0;
}

/* Bytes of UTF-8 are allowed, the control characters in it are not. */
static bool is_printable(const char *value)
{
	cleanup_free char *copy = strdup(value);

	if (!copy)
		return false;
	t1s_printable(copy);
	return strcmp(copy, value) == 0;
}

static bool consists_of(const char *value, const char *extra)
{
	for (const char *p = value; *p; p++)
		if (!isalnum((unsigned char)*p) && !strchr(extra, *p))
			return false;
	return *value != '\0';
}

bool t1s_is_label(const char *value, size_t size)
{
	return *value != '\0' && *value != '.' && strlen(value) < size &&
	       !strchr(value, '/') && is_printable(value);
}

static bool is_overlay(const char *value)
{
	return t1s_is_label(value, SIZE_MAX);
}

static bool is_host(const char *value)
{
	return *value != '-' && consists_of(value, ".-_:%");
}

static bool is_user(const char *value)
{
	return *value != '-' && consists_of(value, ".-_@");
}

static bool is_interface(const char *value)
{
	return *value != '-' && *value != '.' && consists_of(value, ".-_");
}

static bool is_address(const char *value)
{
	struct in6_addr a;

	return inet_pton(AF_INET, value, &a) == 1 || inet_pton(AF_INET6, value, &a) == 1;
}

static bool is_program(const char *value)
{
	return *value != '\0' && *value != '-' && is_printable(value);
}

static bool is_absolute_path(const char *value)
{
	return *value == '/' && is_printable(value);
}

/* Characters of names in the device tree (Devicetree Specification 2.2.4, 2.3.1). */
static bool is_tree_name(const char *value)
{
	return consists_of(value, ",._+-?#");
}

#define KHZ UINT64_C(1000)
#define MHZ UINT64_C(1000000)
#define RATE_MIN_BPS (1 * KHZ)
#define RATE_MAX_BPS (100000 * MHZ)

#define FIELD(member)                                                                    \
	.offset = offsetof(struct t1s_config, member),                                   \
	.size = sizeof(((struct t1s_config *)0)->member)
#define WORKLOAD_FIELD(member)                                                           \
	.offset = offsetof(struct t1s_workload, member),                                 \
	.size = sizeof(((struct t1s_workload *)0)->member)

#define TEXT(member, check, what)                                                        \
	.parse = parse_text, FIELD(member), .is_valid = (check), .allowed = (what)
#define NUMBER(member, parser, low, high, what)                                          \
	.parse = (parser), FIELD(member), .min = (low), .max = (high), .allowed = (what)
#define FREQUENCY(member)                                                                \
	NUMBER(member, parse_frequency, T1S_FREQ_MIN_HZ, T1S_FREQ_MAX_HZ,                \
		"a frequency such as 1M or 500k, 1 kHz to 125 MHz")
#define CHOICE(list, what) .parse = parse_choice, .names = (list), .allowed = (what)
#define WORKLOAD_NUMBER(member, parser, low, high, what)                                 \
	.parse = (parser), WORKLOAD_FIELD(member), .min = (low), .max = (high),          \
	.allowed = (what)
#define INTERFACE_NAME                                                                   \
	"an interface name such as eth1, at most 15 letters, digits or . _ -"
#define ADDRESS "an IPv4 or IPv6 address such as 10.10.10.1"
#define NODE_ID "a PLCA node id, 0 to 254 (empty: not set)"
#define TREE_NAME "as in the device tree: letters, digits or , . _ + - ? #"

const struct t1s_config_key t1s_config_keys[] = {
	{"Sender", "Host",
		TEXT(sender_host, is_host,
			"a host name or address without blanks (on the management "
			"network)"),
		.may_be_empty = true},
	{"Sender", "User",
		TEXT(sender_user, is_user,
			"a user name: letters, digits or . _ - @, at most 63"),
		.may_be_empty = true},
	{"Sender", "Port",
		NUMBER(sender_port, parse_uint, 1, 65535, "a port, 1 to 65535")},
	{"Sender", "WaitTime",
		NUMBER(sender_wait_us, parse_duration_us, T1S_USEC_PER_SEC,
			3600 * T1S_USEC_PER_SEC, "a duration such as 2min, 1 s to 1 h")},
	{"Sender", "Interface", TEXT(sender_interface, is_interface, INTERFACE_NAME),
		.may_be_empty = true},
	{"Sender", "Address", TEXT(sender_address, is_address, ADDRESS)},
	{"Sender", "Iperf3",
		TEXT(sender_iperf3, is_program,
			"a program such as iperf3 or /usr/local/bin/iperf3, at most 255 "
			"characters")},
	{"Receiver", "Interface", TEXT(receiver_interface, is_interface, INTERFACE_NAME)},
	{"Receiver", "Address", TEXT(receiver_address, is_address, ADDRESS)},
	{"Receiver", "Port",
		NUMBER(receiver_port, parse_uint, 1, 65535, "a port, 1 to 65535")},
	{"Receiver", "WaitTime",
		NUMBER(receiver_wait_us, parse_duration_us, T1S_USEC_PER_SEC,
			3600 * T1S_USEC_PER_SEC, "a duration such as 30s, 1 s to 1 h")},
	{"Link", "PlcaNodeId", NUMBER(plca_node_id, parse_uint, 0, 254, NODE_ID),
		.may_be_empty = true},
	{"Link", "PlcaNodeCount",
		NUMBER(plca_node_count, parse_uint, 1, 255,
			"a number of nodes, 1 to 255 (empty: not set)"),
		.may_be_empty = true},
	{"Link", "SenderPlcaNodeId",
		NUMBER(sender_plca_node_id, parse_uint, 0, 254, NODE_ID),
		.may_be_empty = true},
	{"DeviceTree", "Overlay",
		TEXT(overlay, is_overlay,
			"the name of an overlay without .dtbo, no '/' and no '.' in "
			"front, at most 127 characters")},
	{"DeviceTree", "OverlayFile",
		TEXT(overlay_file, is_absolute_path,
			"an absolute path (empty: the file the firmware loads)"),
		.may_be_empty = true},
	{"DeviceTree", "Compatible", TEXT(match.compatible, is_tree_name, TREE_NAME)},
	{"DeviceTree", "ChipSelect",
		NUMBER(match.chip_select, parse_chip_select, 0, 255,
			"a chip select, 0 to 255, or any")},
	{"DeviceTree", "Property", TEXT(match.property, is_tree_name, TREE_NAME)},
	{"DeviceTree", "SpiClock",
		NUMBER(spi_clk_hz, parse_frequency, 1 * MHZ, 4000 * MHZ,
			"a frequency such as 500M, 1 MHz to 4 GHz (empty: by board)"),
		.may_be_empty = true},
	{"Sweep", "Start", FREQUENCY(start_hz)},
	{"Sweep", "Minimum", FREQUENCY(minimum_hz)},
	{"Sweep", "Step", FREQUENCY(step_hz)},
	{"Sweep", "Points",
		NUMBER(points_hz, parse_points, T1S_FREQ_MIN_HZ, T1S_FREQ_MAX_HZ,
			"up to 512 different frequencies such as 20M 15M 12.5M, 1 kHz to "
			"125 MHz (empty: by Start, Minimum and Step)"),
		.may_be_empty = true},
	{"Sweep", "Order", FIELD(order),
		CHOICE(order_names, "descending, ascending or shuffled")},
	{"Sweep", "Passes", NUMBER(passes, parse_uint, 1, 1000, "a number, 1 to 1000")},
	{"Sweep", "SkipEqualClock", .parse = parse_bool, FIELD(skip_equal_clock),
		.allowed = "yes or no"},
	{"Sweep", "Search", FIELD(search), CHOICE(search_names, "all or knee")},
	{"Sweep", "CollapseBelow", .parse = parse_percent, FIELD(collapse_below),
		.allowed = "a percentage such as 5%, 0% to 100% (0: never)"},
	{"Sweep", "CollapsePoints",
		NUMBER(collapse_points, parse_uint, 1, T1S_POINTS_MAX,
			"a number of points, 1 to 512")},
	{"Sweep", "SettleTime",
		NUMBER(settle_us, parse_duration_us, 0, 3600 * T1S_USEC_PER_SEC,
			"a time such as 10s or 2min, at most 1h")},
	{"Sweep", "RebootDelay",
		NUMBER(reboot_delay_us, parse_duration_us, T1S_USEC_PER_SEC,
			3600 * T1S_USEC_PER_SEC, "a time such as 10s or 1min, 1s to 1h")},
	{"Sweep", "Attempts", NUMBER(attempts, parse_uint, 1, 100, "a number, 1 to 100")},
	{"Sweep", "OpeningBaseline", .parse = parse_switch, FIELD(opening_baseline),
		.allowed = "yes or no (empty: as ClosingBaseline)", .may_be_empty = true},
	{"Sweep", "ClosingBaseline", .parse = parse_bool, FIELD(closing_baseline),
		.allowed = "yes or no"},
	{T1S_WORKLOAD_SECTION, "Protocol", WORKLOAD_FIELD(protocol),
		CHOICE(protocol_names, "udp or tcp")},
	{T1S_WORKLOAD_SECTION, "Rate",
		WORKLOAD_NUMBER(rate_text, parse_workload_rate, RATE_MIN_BPS,
			RATE_MAX_BPS,
			"a bit rate such as 10M or 500k, 1 kbit/s to 100 Gbit/s (empty: "
			"10M with udp, as much as gets through with tcp)"),
		.may_be_empty = true},
	{T1S_WORKLOAD_SECTION, "Length",
		WORKLOAD_NUMBER(length_bytes, parse_uint, 16, 1048576,
			"the bytes of one datagram, 16 to 65507, or with tcp of one "
			"write, up to 1048576")},
	{T1S_WORKLOAD_SECTION, "Duration",
		WORKLOAD_NUMBER(duration_s, parse_whole_seconds, 1, 86400,
			"a time in whole seconds such as 20s, 1s to 24h")},
	{T1S_WORKLOAD_SECTION, "Omit",
		WORKLOAD_NUMBER(omit_s, parse_whole_seconds, 0, 600,
			"a time in whole seconds such as 3s, at most 10min")},
	{T1S_WORKLOAD_SECTION, "Repeats",
		WORKLOAD_NUMBER(repeats, parse_uint, 1, 1000, "a number, 1 to 1000")},
	{T1S_WORKLOAD_SECTION, "Direction", WORKLOAD_FIELD(direction),
		CHOICE(direction_names, "receive, send or both")},
	{"Report", "LinkRate",
		NUMBER(link_rate_bps, parse_link_rate, RATE_MIN_BPS, RATE_MAX_BPS,
			"a bit rate such as 10M, 1 kbit/s to 100 Gbit/s (empty: by the "
			"chip)"),
		.may_be_empty = true},
	{"Report", "PlcaOverhead",
		NUMBER(plca_overhead_bits, parse_uint, 0, 10000,
			"bit times per frame, 0 to 10000 (empty: by the chip)"),
		.may_be_empty = true},
	{"Report", "Full", .parse = parse_percent, FIELD(full_share),
		.allowed = "a percentage such as 93%, 0% to 100%"},
	{"Report", "Severe", .parse = parse_percent, FIELD(severe_share),
		.allowed = "a percentage such as 50%, 0% to 100%"},
};

const size_t t1s_config_keys_count = T1S_ELEMENTSOF(t1s_config_keys);

_Static_assert(T1S_ELEMENTSOF(t1s_config_keys) <= T1S_CONFIG_KEYS_MAX,
	"T1S_CONFIG_KEYS_MAX too small");

static void set_default(const struct t1s_config_key *k, char *base, const char *defaults)
{
	memcpy(base + k->offset, defaults + k->offset, k->size);
	if (k->parse == parse_points)
		((struct t1s_config *)base)->points_count = 0;
	if (k->parse == parse_workload_rate)
		((struct t1s_workload *)base)->rate_bps = 0;
}

int t1s_config_key_set(const struct t1s_config_key *k, const char *value, void *base,
	const void *defaults)
{
	if (*value == '\0' && k->may_be_empty) {
		set_default(k, base, defaults);
		return 0;
	}
	return k->parse(k, value, (char *)base + k->offset);
}
