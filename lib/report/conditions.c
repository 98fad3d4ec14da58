/* SPDX-License-Identifier: MIT */
#include "report/conditions.h"

#include "base/cleanup.h"
#include "base/log.h"

#include <inttypes.h>
#include <stddef.h>
#include <string.h>

#define VALUE_MAX sizeof(((struct t1s_condition_line *)0)->value)
#define MEMBER(m) offsetof(struct t1s_row, m)

/* A value in words; "" if the row does not tell it. */
typedef void (*describe_fn)(const struct t1s_row *row, char ret[VALUE_MAX]);

struct condition {
	const char *name;
	size_t text;          /* offset of a text member, where there is no function */
	describe_fn describe; /* or NULL */
};

static void append(char ret[VALUE_MAX], const char *separator, const char *text)
{
	const size_t used = strlen(ret);

	(void)snprintf(ret + used, VALUE_MAX - used, "%s%s", used ? separator : "", text);
}

static void append_number(char ret[VALUE_MAX], const char *what, int64_t n)
{
	char text[64];

	if (n < 0)
		return;
	(void)snprintf(text, sizeof(text), "%s %" PRId64, what, n);
	append(ret, ", ", text);
}

static void describe_driver(const struct t1s_row *row, char ret[VALUE_MAX])
{
	append(ret, "", row->driver);
	if (row->driver_version[0])
		append(ret, ", ", row->driver_version);
}

/* Node 255 is a node that was given no number. */
static void describe_plca(const struct t1s_row *row, char ret[VALUE_MAX])
{
	append(ret, "", row->plca);
	if (row->plca_node_id != 255)
		append_number(ret, "node", row->plca_node_id);
	append_number(ret, "nodes", row->plca_node_count);
	append_number(ret, "opportunity of bit times:", row->plca_to_timer_bits);
	append_number(ret, "burst", row->plca_burst_count);
	if (row->plca_operating >= 0)
		append(ret, ", ", row->plca_operating ? "beacon there" : "no beacon");
}

static void describe_sender_plca(const struct t1s_row *row, char ret[VALUE_MAX])
{
	append(ret, "", row->sender_plca);
	if (row->sender_plca_node_id != 255)
		append_number(ret, "node", row->sender_plca_node_id);
	append_number(ret, "nodes", row->sender_plca_node_count);
	if (row->sender_plca_operating >= 0)
		append(ret, ", ",
			row->sender_plca_operating ? "beacon there" : "no beacon");
}

static void describe_mtu(const struct t1s_row *row, char ret[VALUE_MAX])
{
	if (row->mtu >= 0)
		(void)snprintf(ret, VALUE_MAX, "%" PRId64 " bytes", row->mtu);
}

static void describe_core_clock(const struct t1s_row *row, char ret[VALUE_MAX])
{
	if (row->core_clock_hz > 0)
		(void)snprintf(
			ret, VALUE_MAX, "%g MHz", (double)row->core_clock_hz / 1e6);
}

static void describe_supply(const struct t1s_row *row, char ret[VALUE_MAX])
{
	if (row->undervoltage >= 0)
		append(ret, "", row->undervoltage ? "under-voltage" : "no under-voltage");
}

static const struct condition conditions[] = {
	{"Board", MEMBER(board), NULL},
	{"Kernel", MEMBER(kernel), NULL},
	{"Chip", MEMBER(compatible), NULL},
	{"Driver", 0, describe_driver},
	{"Interface", MEMBER(interface), NULL},
	{"MTU", 0, describe_mtu},
	{"Queueing discipline", MEMBER(qdisc), NULL},
	{"PLCA", 0, describe_plca},
	{"iperf3, receiver", MEMBER(iperf_receiver), NULL},
	{"CPU governor", MEMBER(cpu_governor), NULL},
	{"Core clock", 0, describe_core_clock},
	{"Supply", 0, describe_supply},
	{"Overlay's SHA-256", MEMBER(overlay_sha256), NULL},
	{"Kernel of the sender", MEMBER(sender_kernel), NULL},
	{"PLCA of the sender", 0, describe_sender_plca},
	{"iperf3, sender", MEMBER(iperf_sender), NULL},
};

_Static_assert(T1S_ELEMENTSOF(conditions) <= T1S_CONDITIONS_MAX, "too many conditions");

const size_t t1s_conditions_members[] = {
	MEMBER(board),
	MEMBER(kernel),
	MEMBER(compatible),
	MEMBER(driver),
	MEMBER(driver_version),
	MEMBER(interface),
	MEMBER(mtu),
	MEMBER(qdisc),
	MEMBER(plca),
	MEMBER(plca_node_id),
	MEMBER(plca_node_count),
	MEMBER(plca_to_timer_bits),
	MEMBER(plca_burst_count),
	MEMBER(plca_operating),
	MEMBER(iperf_receiver),
	MEMBER(cpu_governor),
	MEMBER(core_clock_hz),
	MEMBER(undervoltage),
	MEMBER(overlay_sha256),
	MEMBER(sender_kernel),
	MEMBER(sender_plca),
	MEMBER(sender_plca_node_id),
	MEMBER(sender_plca_node_count),
	MEMBER(sender_plca_operating),
	MEMBER(iperf_sender),
};

const size_t t1s_conditions_members_count = T1S_ELEMENTSOF(t1s_conditions_members);

static struct t1s_condition_line *line_of(struct t1s_report *r, const char *name)
{
	for (size_t i = 0; i < r->conditions_count; i++)
		if (r->conditions[i].name == name)
			return &r->conditions[i];
	return NULL;
}

static void take(struct t1s_report *r, const struct condition *c, const char *value)
{
	struct t1s_condition_line *line = line_of(r, c->name);

	if (value[0] == '\0')
		return;
	if (line) {
		line->changed = line->changed || strcmp(line->value, value) != 0;
		return;
	}
	line = &r->conditions[r->conditions_count++];
	line->name = c->name;
	(void)snprintf(line->value, VALUE_MAX, "%s", value);
}

void t1s_conditions_take(struct t1s_report *r, const struct t1s_row *row)
{
	for (size_t i = 0; i < T1S_ELEMENTSOF(conditions); i++) {
		char value[VALUE_MAX] = "";

		if (conditions[i].describe)
			conditions[i].describe(row, value);
		else
			append(value, "", (const char *)row + conditions[i].text);
		t1s_printable(value);
		take(r, &conditions[i], value);
	}
}
