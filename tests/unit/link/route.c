/* SPDX-License-Identifier: MIT */
#include "link/route.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static void this_machine_is_reached_over_its_loopback(void **state)
{
	char name[IF_NAMESIZE] = "";

	(void)state;
	assert_int_equal(t1s_route_interface("127.0.0.1", "127.0.0.1", name, NULL), 0);
	assert_string_equal(name, "lo");
}

static void an_address_of_another_machine_has_no_route_from_here(void **state)
{
	char name[IF_NAMESIZE] = "kept";

	(void)state;
	assert_int_equal(t1s_route_interface("127.0.0.1", "192.0.2.254", name, NULL),
		-ENETUNREACH);
	assert_string_equal(name, "kept");
}

static void what_is_no_pair_of_addresses_is_refused(void **state)
{
	static const char *const cases[][2] = {{"pi", "127.0.0.1"}, {"127.0.0.1", ""},
		{"::1", "127.0.0.1"}, {"127.0.0.1", "::1"}};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char name[IF_NAMESIZE];

		assert_int_equal(
			t1s_route_interface(cases[i][0], cases[i][1], name, NULL),
			-EINVAL);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(this_machine_is_reached_over_its_loopback),
		cmocka_unit_test(an_address_of_another_machine_has_no_route_from_here),
		cmocka_unit_test(what_is_no_pair_of_addresses_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
