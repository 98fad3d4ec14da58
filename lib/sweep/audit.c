/* SPDX-License-Identifier: MIT */
#include "sweep/audit.h"

#include "base/cleanup.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#define VALUE_SHOWN_MAX 40
#define DIGEST_SHOWN_MAX 12 /* enough to tell them apart */

enum kind { TEXT, DIGEST, COUNT };

struct audited {
	const char *column;
	enum kind kind;
	size_t offset, size;
};

#define AUDITED(kind, member)                                                            \
	{                                                                                \
#member, kind, offsetof(struct t1s_row, member),                         \
			sizeof(((struct t1s_row *)0)->member)                            \
	}

static const struct audited table[] = {
	AUDITED(TEXT, board),
	AUDITED(TEXT, kernel),
	AUDITED(TEXT, overlay),
	AUDITED(DIGEST, overlay_sha256),
	AUDITED(TEXT, compatible),
	AUDITED(TEXT, driver),
	AUDITED(TEXT, driver_version),
	AUDITED(TEXT, interface),
	AUDITED(TEXT, receiver_ip),
	AUDITED(TEXT, sender_ip),
	AUDITED(COUNT, mtu),
	AUDITED(TEXT, qdisc),
	AUDITED(TEXT, plca),
	AUDITED(COUNT, plca_node_id),
	AUDITED(COUNT, plca_node_count),
	AUDITED(COUNT, plca_to_timer_bits),
	AUDITED(COUNT, plca_burst_count),
	AUDITED(COUNT, plca_operating),
	AUDITED(TEXT, sender_kernel),
	AUDITED(TEXT, sender_plca),
	AUDITED(COUNT, sender_plca_node_id),
	AUDITED(COUNT, sender_plca_node_count),
	AUDITED(COUNT, sender_plca_operating),
	AUDITED(TEXT, cpu_governor),
	AUDITED(TEXT, iperf_receiver),
	AUDITED(TEXT, iperf_sender),
};

size_t t1s_audit_members(size_t *ret)
{
	for (size_t i = 0; ret && i < T1S_ELEMENTSOF(table); i++)
		ret[i] = table[i].offset;
	return T1S_ELEMENTSOF(table);
}

static const void *value_of(const struct audited *a, const struct t1s_row *row)
{
	return (const char *)row + a->offset;
}

static bool is_known(const struct audited *a, const void *value)
{
	return a->kind == COUNT ? *(const int64_t *)value >= 0
				: *(const char *)value != '\0';
}

static bool is_equal(const struct audited *a, const void *one, const void *other)
{
	return a->kind == COUNT ? *(const int64_t *)one == *(const int64_t *)other
				: strcmp(one, other) == 0;
}

void t1s_audit_learn(struct t1s_row *reference, const struct t1s_row *row)
{
	for (size_t i = 0; i < T1S_ELEMENTSOF(table); i++) {
		const struct audited *a = &table[i];

		if (!is_known(a, value_of(a, reference)))
			memcpy((char *)reference + a->offset, value_of(a, row), a->size);
	}
}

static void show(
	const struct audited *a, const void *value, char ret[VALUE_SHOWN_MAX + 1])
{
	if (a->kind == COUNT)
		(void)snprintf(
			ret, VALUE_SHOWN_MAX + 1, "%" PRId64, *(const int64_t *)value);
	else
		(void)snprintf(ret, VALUE_SHOWN_MAX + 1, "%.*s",
			a->kind == DIGEST ? DIGEST_SHOWN_MAX : VALUE_SHOWN_MAX,
			(const char *)value);
}

unsigned int t1s_audit_compare(const struct t1s_row *reference, const struct t1s_row *row,
	char ret[T1S_AUDIT_TEXT_MAX])
{
	unsigned int differences = 0;

	ret[0] = '\0';
	for (size_t i = 0; i < T1S_ELEMENTSOF(table); i++) {
		const struct audited *a = &table[i];
		const void *was = value_of(a, reference), *is = value_of(a, row);
		char shown_was[VALUE_SHOWN_MAX + 1], shown_is[VALUE_SHOWN_MAX + 1];
		const size_t used = strlen(ret);

		if (!is_known(a, was) || !is_known(a, is) || is_equal(a, was, is))
			continue;
		differences++;
		show(a, was, shown_was);
		show(a, is, shown_is);
		(void)snprintf(ret + used, T1S_AUDIT_TEXT_MAX - used, "%s%s %s (was %s)",
			used ? ", " : "", a->column, shown_is, shown_was);
	}
	return differences;
}
