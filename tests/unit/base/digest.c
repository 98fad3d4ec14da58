/* SPDX-License-Identifier: MIT */
#include "base/digest.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <string.h>

static void has_digest(const char *data, size_t size, const char *expected)
{
	char hex[T1S_SHA256_HEX_MAX];

	assert_int_equal(t1s_sha256_hex(data, size, hex), 0);
	assert_string_equal(hex, expected);
}

/* FIPS 180-4, and its examples published by NIST. */
static void the_published_examples_come_out(void **state)
{
	const char *two = "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq";

	(void)state;
	has_digest("", 0,
		"e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
	has_digest("abc", 3,
		"ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
	has_digest(two, strlen(two),
		"248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
}

static void bytes_of_value_0_count(void **state)
{
	char a[T1S_SHA256_HEX_MAX], b[T1S_SHA256_HEX_MAX];

	(void)state;
	assert_int_equal(t1s_sha256_hex("a\0b", 3, a), 0);
	assert_int_equal(t1s_sha256_hex("a\0c", 3, b), 0);
	assert_string_not_equal(a, b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_published_examples_come_out),
		cmocka_unit_test(bytes_of_value_0_count),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
