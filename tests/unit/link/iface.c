/* SPDX-License-Identifier: MIT */
#include "link/iface.h"

#include "base/clock.h"
#include "base/file.h"
#include "scratch.h"

#include <errno.h>
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

/* A tree with one interface; its addresses are those of the real one of that name. */
struct tree {
	char root[SCRATCH_MAX];
	char folder[128];
};

static const char *const counter_names[] = {"rx_bytes", "rx_packets", "rx_dropped",
	"rx_errors", "tx_bytes", "tx_packets", "tx_dropped", "tx_errors"};

static void put(const struct tree *t, const char *name, const char *text)
{
	char path[256];

	(void)snprintf(path, sizeof(path), "%s/%s", t->folder, name);
	assert_int_equal(
		t1s_replace_file(path, text, strlen(text), 0644, false, NULL), 0);
}

static int make_tree(void **state)
{
	struct tree *t = calloc(1, sizeof(*t));
	char path[256];

	assert_non_null(t);
	assert_int_equal(scratch_make(t->root), 0);
	(void)snprintf(t->folder, sizeof(t->folder), "%s/sys/class/net/lo", t->root);
	(void)snprintf(path, sizeof(path), "%s/statistics", t->folder);
	assert_int_equal(t1s_make_folder(path, 0755, NULL), 0);
	put(t, "flags", "0x9\n");
	put(t, "operstate", "unknown\n");
	for (size_t i = 0; i < sizeof(counter_names) / sizeof(counter_names[0]); i++) {
		char name[64], text[64];

		(void)snprintf(name, sizeof(name), "statistics/%s", counter_names[i]);
		(void)snprintf(text, sizeof(text), "%zu\n", 100 + i);
		put(t, name, text);
	}
	*state = t;
	return 0;
}

static int remove_tree(void **state)
{
	struct tree *t = *state;

	assert_int_equal(scratch_remove(t->root), 0);
	free(t);
	return 0;
}

static void loopback_of_the_running_system_is_ready(void **state)
{
	(void)state;
	assert_int_equal(t1s_iface_ready("", "lo", "127.0.0.1", NULL), 0);
}

static void state_unknown_counts_as_up(void **state)
{
	const struct tree *t = *state;

	assert_int_equal(t1s_iface_ready(t->root, "lo", "127.0.0.1", NULL), 0);
	put(t, "operstate", "up\n");
	assert_int_equal(t1s_iface_ready(t->root, "lo", "127.0.0.1", NULL), 0);
}

static void missing_interface_is_enodev_and_named(void **state)
{
	const struct tree *t = *state;
	struct t1s_error e = {""};

	assert_int_equal(t1s_iface_ready(t->root, "t1s0", "127.0.0.1", &e), -ENODEV);
	assert_non_null(strstr(e.text, "no interface t1s0"));
}

static void name_that_leads_elsewhere_is_enodev(void **state)
{
	const struct tree *t = *state;

	assert_int_equal(
		t1s_iface_ready(t->root, "../net/lo", "127.0.0.1", NULL), -ENODEV);
	assert_int_equal(t1s_iface_ready(t->root, "..", "127.0.0.1", NULL), -ENODEV);
	assert_int_equal(t1s_iface_ready(t->root, "", "127.0.0.1", NULL), -ENODEV);
	assert_int_equal(
		t1s_iface_ready(t->root, "a-name-of-16-chr", "127.0.0.1", NULL), -ENODEV);
}

static void interface_set_down_is_enetdown_with_the_remedy(void **state)
{
	const struct tree *t = *state;
	struct t1s_error e = {""};

	put(t, "flags", "0x1002\n");
	assert_int_equal(t1s_iface_ready(t->root, "lo", "127.0.0.1", &e), -ENETDOWN);
	assert_non_null(strstr(e.text, "ip link set lo up"));
}

static void interface_without_link_is_enetdown(void **state)
{
	const struct tree *t = *state;
	struct t1s_error e = {""};

	put(t, "operstate", "lowerlayerdown\n");
	assert_int_equal(t1s_iface_ready(t->root, "lo", "127.0.0.1", &e), -ENETDOWN);
	assert_non_null(strstr(e.text, "lowerlayerdown"));
}

static void address_that_is_missing_is_eaddrnotavail_and_lists_the_others(void **state)
{
	const struct tree *t = *state;
	struct t1s_error e = {""};

	assert_int_equal(
		t1s_iface_ready(t->root, "lo", "192.0.2.77", &e), -EADDRNOTAVAIL);
	assert_non_null(strstr(e.text, "192.0.2.77"));
	assert_non_null(strstr(e.text, "127.0.0.1"));
}

static void text_that_is_no_address_is_eaddrnotavail(void **state)
{
	const struct tree *t = *state;
	struct t1s_error e = {""};

	assert_int_equal(t1s_iface_ready(t->root, "lo", "10.10.10", &e), -EADDRNOTAVAIL);
	assert_non_null(strstr(e.text, "no IPv4 or IPv6 address"));
}

static void ipv6_address_is_the_same_in_any_spelling(void **state)
{
	if (access("/proc/net/if_inet6", R_OK) < 0)
		skip();
	(void)state;
	if (t1s_iface_ready("", "lo", "::1", NULL) == -EADDRNOTAVAIL)
		skip(); /* IPv6 is switched off here */
	assert_int_equal(t1s_iface_ready("", "lo", "0:0:0:0:0:0:0:1", NULL), 0);
	assert_int_equal(t1s_iface_ready("", "lo", "::0001", NULL), 0);
	assert_int_equal(t1s_iface_ready("", "lo", "::2", NULL), -EADDRNOTAVAIL);
}

static void flags_that_are_no_number_are_einval(void **state)
{
	const struct tree *t = *state;

	put(t, "flags", "up\n");
	assert_int_equal(t1s_iface_ready(t->root, "lo", "127.0.0.1", NULL), -EINVAL);
}

static void waiting_ends_at_once_when_ready(void **state)
{
	const struct tree *t = *state;

	assert_int_equal(t1s_iface_wait(t->root, "lo", "127.0.0.1", 0, NULL), 0);
}

static void waiting_ends_at_the_deadline_with_the_last_error(void **state)
{
	const struct tree *t = *state;
	struct t1s_error e = {""};
	uint64_t deadline = t1s_now_us() + 250 * T1S_USEC_PER_MSEC;

	assert_int_equal(
		t1s_iface_wait(t->root, "t1s0", "127.0.0.1", deadline, &e), -ENODEV);
	assert_true(t1s_now_us() >= deadline);
	assert_non_null(strstr(e.text, "t1s0"));
}

static void each_counter_comes_from_its_file(void **state)
{
	const struct tree *t = *state;
	struct t1s_iface_counters c;

	assert_int_equal(t1s_iface_counters(t->root, "lo", &c, NULL), 0);
	assert_int_equal(c.rx_bytes, 100);
	assert_int_equal(c.rx_packets, 101);
	assert_int_equal(c.rx_dropped, 102);
	assert_int_equal(c.rx_errors, 103);
	assert_int_equal(c.tx_bytes, 104);
	assert_int_equal(c.tx_packets, 105);
	assert_int_equal(c.tx_dropped, 106);
	assert_int_equal(c.tx_errors, 107);
}

static void counters_hold_64_bits(void **state)
{
	const struct tree *t = *state;
	struct t1s_iface_counters c;

	put(t, "statistics/rx_bytes", "18446744073709551615\n");
	assert_int_equal(t1s_iface_counters(t->root, "lo", &c, NULL), 0);
	assert_true(c.rx_bytes == UINT64_MAX);
}

static void counters_of_a_missing_interface_are_enodev(void **state)
{
	const struct tree *t = *state;
	struct t1s_iface_counters c = {.rx_bytes = 7};

	assert_int_equal(t1s_iface_counters(t->root, "t1s0", &c, NULL), -ENODEV);
	assert_int_equal(c.rx_bytes, 7);
}

static void counter_that_is_no_number_is_einval_and_leaves_the_output(void **state)
{
	const struct tree *t = *state;
	struct t1s_iface_counters c = {.rx_bytes = 7};
	struct t1s_error e = {""};

	put(t, "statistics/tx_errors", "-1\n");
	assert_int_equal(t1s_iface_counters(t->root, "lo", &c, &e), -EINVAL);
	assert_non_null(strstr(e.text, "tx_errors"));
	assert_int_equal(c.rx_bytes, 7);
}

#define in_tree(f) cmocka_unit_test_setup_teardown(f, make_tree, remove_tree)

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(loopback_of_the_running_system_is_ready),
		in_tree(state_unknown_counts_as_up),
		in_tree(missing_interface_is_enodev_and_named),
		in_tree(name_that_leads_elsewhere_is_enodev),
		in_tree(interface_set_down_is_enetdown_with_the_remedy),
		in_tree(interface_without_link_is_enetdown),
		in_tree(address_that_is_missing_is_eaddrnotavail_and_lists_the_others),
		in_tree(text_that_is_no_address_is_eaddrnotavail),
		cmocka_unit_test(ipv6_address_is_the_same_in_any_spelling),
		in_tree(flags_that_are_no_number_are_einval),
		in_tree(waiting_ends_at_once_when_ready),
		in_tree(waiting_ends_at_the_deadline_with_the_last_error),
		in_tree(each_counter_comes_from_its_file),
		in_tree(counters_hold_64_bits),
		in_tree(counters_of_a_missing_interface_are_enodev),
		in_tree(counter_that_is_no_number_is_einval_and_leaves_the_output),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
