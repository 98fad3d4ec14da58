/* SPDX-License-Identifier: MIT */
/* clang-format off */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
/* clang-format on */

#include "sweep/reach.h"

#include <errno.h>

static void reads(const char *output, const char *expected)
{
	char version[T1S_REACH_VERSION_MAX];

	assert_int_equal(t1s_reach_read_version(output, version), 0);
	assert_string_equal(version, expected);
}

static void the_version_is_the_number_in_front(void **state)
{
	(void)state;
	reads("iperf 3.12 (cJSON 1.7.15)\nLinux pi 6.6.31\n", "iperf 3.12");
	reads("iperf 3.1.3\n", "iperf 3.1.3");
	reads("iperf 3.17.1+ (cJSON 1.7.15)", "iperf 3.17.1");
	reads("iperf 3.123456789012345678", "iperf 3.123456");
}

static void other_output_is_no_version(void **state)
{
	static const char *const outputs[] = {"", "\n", "iperf", "iperf \n", "iperf ...",
		"iperf three", "sh: 1: iperf3: not found\n", "iperf version 2.1.8\n",
		"\033[2Jiperf 3.12"};

	(void)state;
	for (size_t i = 0; i < sizeof(outputs) / sizeof(outputs[0]); i++) {
		char version[T1S_REACH_VERSION_MAX];

		assert_int_equal(t1s_reach_read_version(outputs[i], version), -EBADMSG);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_version_is_the_number_in_front),
		cmocka_unit_test(other_output_is_no_version),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
