/* SPDX-License-Identifier: MIT */
#include "board/chips.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static const char *const known[] = {"microchip,lan8650", "microchip,lan8651",
	"wiznet,w5500", "microchip,enc28j60", "adi,adin1110", "adi,adin2111",
	"microchip,ksz8851", "micrel,ks8851", "qca,qca7000"};

static const struct t1s_chip *find(const char *compatible)
{
	const struct t1s_chip *c = t1s_chip_find(compatible);

	assert_non_null(c);
	return c;
}

static double ceiling_mbit_s(const char *compatible, uint32_t sclk_hz)
{
	return t1s_spi_ceiling_bps(&find(compatible)->framing, sclk_hz, 1448) / 1e6;
}

static void near(double found, double expected)
{
	if (!(fabs(found - expected) < 1e-6))
		fail_msg("found %.9g, expected %.9g", found, expected);
}

static void every_chip_has_a_name_a_rate_and_a_framing(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		const struct t1s_chip *c = find(known[i]);

		assert_true(c->name[0] != '\0');
		assert_true(c->link_rate_bps >= 10e6);
		assert_true(c->framing.kind != T1S_FRAMING_UNKNOWN);
		assert_true(c->max_hz > c->min_hz);
	}
}

static void what_is_not_in_the_table_is_not_known(void **state)
{
	(void)state;
	assert_null(t1s_chip_find(""));
	assert_null(t1s_chip_find("microchip,lan865"));
	assert_null(t1s_chip_find("microchip,lan8650x"));
	assert_null(t1s_chip_find("vendor,other"));
}

static void only_10base_t1s_has_plca(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		assert_int_equal(find(known[i])->plca_overhead_bits, i < 2 ? 32 : 0);
}

static void the_lan8650_s_binding_allows_15_to_25_mhz(void **state)
{
	(void)state;
	assert_int_equal(find("microchip,lan8650")->min_hz, 15000000);
	assert_int_equal(find("microchip,lan8651")->max_hz, 25000000);
}

static void ceilings_are_those_of_each_chip_s_framing(void **state)
{
	(void)state;
	near(ceiling_mbit_s("microchip,lan8651", 20000000), 20.0 * 11584 / 13056);
	/* frame of 1490 B without, 1494 B with FCS */
	near(ceiling_mbit_s("wiznet,w5500", 33000000), 33.0 * 1448 / (1490 + 31));
	near(ceiling_mbit_s("microchip,enc28j60", 20000000), 20.0 * 1448 / (1494 + 22));
	near(ceiling_mbit_s("adi,adin1110", 25000000), 25.0 * 1448 / (1496 + 17));
	near(ceiling_mbit_s("microchip,ksz8851", 40000000), 40.0 * 1448 / (1492 + 29));
	near(ceiling_mbit_s("qca,qca7000", 8000000), 8.0 * 1448 / (1490 + 16));
}

/* The published 13 Mbit/s of a W5500 at 33 MHz: not the clock is what holds it down. */
static void a_published_w5500_lies_far_below_its_ceiling(void **state)
{
	(void)state;
	assert_true(ceiling_mbit_s("wiznet,w5500", 33000000) > 2 * 13);
	assert_true(ceiling_mbit_s("wiznet,w5500", 16000000) > 3 * 4.5);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_chip_has_a_name_a_rate_and_a_framing),
		cmocka_unit_test(what_is_not_in_the_table_is_not_known),
		cmocka_unit_test(only_10base_t1s_has_plca),
		cmocka_unit_test(the_lan8650_s_binding_allows_15_to_25_mhz),
		cmocka_unit_test(ceilings_are_those_of_each_chip_s_framing),
		cmocka_unit_test(a_published_w5500_lies_far_below_its_ceiling),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
