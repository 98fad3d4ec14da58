/* SPDX-License-Identifier: MIT */
#include "link/sender_way.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

/* In the form of ip -o. */
#define LOOPBACK                                                                         \
	"1: lo    inet 127.0.0.1/8 scope host lo\\       valid_lft forever\n"            \
	"1: lo    inet6 ::1/128 scope host \\       valid_lft forever\n"
#define T1S                                                                              \
	"3: eth1    inet 10.10.10.1/24 brd 10.10.10.255 scope global eth1\\       "      \
	"valid_lft forever preferred_lft forever\n"
#define ROUTE "10.10.10.2 from 10.10.10.1 dev eth1 uid 1000 \\    cache \n"

static struct t1s_sender_way read_text(const char *text, const char *from)
{
	struct t1s_sender_way w;

	t1s_sender_way_read(text, from, &w);
	return w;
}

static void clock_holder_and_way_are_read(void **state)
{
	const struct t1s_sender_way w =
		read_text("1767225600\n" LOOPBACK T1S ROUTE, "10.10.10.1");

	(void)state;
	assert_int_equal(w.time_s, 1767225600);
	assert_int_equal(w.asked, 1);
	assert_string_equal(w.holder, "eth1");
	assert_string_equal(w.interface, "eth1");
}

static void an_address_that_only_begins_like_it_is_another(void **state)
{
	const struct t1s_sender_way w = read_text("1\n" LOOPBACK T1S, "10.10.10.11");

	(void)state;
	assert_int_equal(w.asked, 1);
	assert_string_equal(w.holder, "");
	assert_string_equal(w.interface, "");
}

static void ipv6_is_compared_by_value_and_is_no_interface_number(void **state)
{
	const struct t1s_sender_way w = read_text(
		"7\n4: eth0.5@eth0    inet6 2001:db8::1/64 scope global \\  valid_lft\n"
		"2001:db8::2 from 2001:db8::1 dev eth0.5 src 2001:db8::1 metric 256\n",
		"2001:0db8:0::1");

	(void)state;
	assert_string_equal(w.holder, "eth0.5");
	assert_string_equal(w.interface, "eth0.5");
}

static void without_ip_nothing_but_the_clock_is_known(void **state)
{
	const struct t1s_sender_way w = read_text("42\n", "10.10.10.1");

	(void)state;
	assert_int_equal(w.time_s, 42);
	assert_int_equal(w.asked, 0);
	assert_string_equal(w.holder, "");
}

static void output_that_makes_no_sense_is_unknown(void **state)
{
	static const char *const texts[] = {"", "\n\n", "sh: date: not found\n",
		"99999999999999999999999\n", "3: \n: \n9:\n dev \n",
		"1: aninterfacenamethatistoolong inet 10.10.10.1/8\n"};

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		const struct t1s_sender_way w = read_text(texts[i], "10.10.10.1");

		assert_int_equal(w.time_s, -1);
		assert_string_equal(w.holder, "");
		assert_string_equal(w.interface, "");
	}
}

static void the_command_runs_in_a_shell(void **state)
{
	char command[512] = "exec 2>&1; ", output[65536];
	const size_t n = strlen(command);
	struct t1s_sender_way w;
	const time_t now = time(NULL);
	size_t size;
	FILE *p;

	(void)state;
	assert_int_equal(t1s_sender_way_command("127.0.0.1", "127.0.0.1", command + n,
				 sizeof(command) - n),
		0);
	/* NOLINTNEXTLINE(cert-env33-c): what the sender's shell is given */
	p = popen(command, "r");
	assert_non_null(p);
	size = fread(output, 1, sizeof(output) - 1, p);
	output[size] = '\0';
	(void)pclose(p);
	t1s_sender_way_read(output, "127.0.0.1", &w);
	assert_true(w.time_s >= now);
	assert_null(strstr(output, "ntax error"));
	if (w.asked) {
		assert_string_equal(w.holder, "lo");
		assert_string_equal(w.interface, "lo");
	}
}

static void an_address_that_is_too_long_makes_no_command(void **state)
{
	char command[512], address[200];

	(void)state;
	memset(address, '1', sizeof(address) - 1);
	address[sizeof(address) - 1] = '\0';
	assert_int_equal(t1s_sender_way_command(address, "::1", command, sizeof(command)),
		-ENAMETOOLONG);
	assert_int_equal(
		t1s_sender_way_command("::1", "::1", command, 30), -ENAMETOOLONG);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(clock_holder_and_way_are_read),
		cmocka_unit_test(an_address_that_only_begins_like_it_is_another),
		cmocka_unit_test(ipv6_is_compared_by_value_and_is_no_interface_number),
		cmocka_unit_test(without_ip_nothing_but_the_clock_is_known),
		cmocka_unit_test(output_that_makes_no_sense_is_unknown),
		cmocka_unit_test(the_command_runs_in_a_shell),
		cmocka_unit_test(an_address_that_is_too_long_makes_no_command),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
