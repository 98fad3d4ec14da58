/* SPDX-License-Identifier: MIT */
#include "board/interrupts.h"

#include "base/cleanup.h"
#include "tree.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

/* In the form a Pi 4 shows: six SPI controllers share one line. */
#define PI4                                                                              \
	"           CPU0       CPU1       CPU2       CPU3       \n"                      \
	" 24:     100040     200030     300020     400010     GICv2  30 Level     "      \
	"arch_timer\n"                                                                   \
	" 29:          7          0          0          0     GICv2 114 Level     DMA "  \
	"IRQ\n"                                                                          \
	" 36:       1200          3          0          0     GICv2 150 Level     "      \
	"fe204000.spi, fe205000.i2c\n"                                                   \
	" 54:        800          1          2          0  pinctrl-bcm2835   6 Level "   \
	"    spi0.0\n"                                                                   \
	" 55:         11          0          0          0  pinctrl-bcm2835   5 Edge  "   \
	"    eth1\n"                                                                     \
	"IPI0:      1111       2222       3333       4444       Rescheduling "           \
	"interrupts\n"                                                                   \
	"Err:          0\n"

static int64_t count(const struct tree *t, const char *name)
{
	return t1s_interrupts(t->root, &name, 1);
}

static void lines_are_found_by_the_name_of_an_action(void **state)
{
	const struct tree *t = *state;
	const char *const mac[] = {"", NULL, "spi0.0", "lan8650"};

	tree_write_text(t, "/proc/interrupts", PI4);
	assert_int_equal(count(t, "fe204000.spi"), 1203);
	assert_int_equal(count(t, "fe205000.i2c"), 1203);
	assert_int_equal(t1s_interrupts(t->root, mac, T1S_ELEMENTSOF(mac)), 803);
	assert_int_equal(count(t, "eth1"), 11);
}

static void only_the_whole_name_matches(void **state)
{
	const struct tree *t = *state;

	tree_write_text(t, "/proc/interrupts", PI4);
	assert_int_equal(count(t, "spi0"), -1);
	assert_int_equal(count(t, "fe204000"), -1);
	assert_int_equal(count(t, "800"), -1);
	assert_int_equal(count(t, ""), -1);
}

static void several_lines_are_added_up(void **state)
{
	const struct tree *t = *state;
	const char *const names[] = {"spi0.0", "eth1"};

	tree_write_text(t, "/proc/interrupts", PI4);
	assert_int_equal(t1s_interrupts(t->root, names, T1S_ELEMENTSOF(names)), 814);
}

static void one_core_has_one_column(void **state)
{
	const struct tree *t = *state;

	tree_write_text(t, "/proc/interrupts",
		"           CPU0\n 36:       1200   ARMCTRL-level  86 Edge      "
		"20204000.spi\n");
	assert_int_equal(count(t, "20204000.spi"), 1200);
}

static void lines_that_make_no_sense_are_passed_over(void **state)
{
	const struct tree *t = *state;

	tree_write_text(t, "/proc/interrupts",
		"   CPU0 CPU1\n 1: 5\n 2: x 5 a spi0.0\n3 7 7 a spi0.0\n"
		"4: 99999999999999999999999 1 a spi0.0\n"
		"5: 9223372036854775807 9223372036854775807 a spi0.0\n6: 1 2 a spi0.0");
	assert_int_equal(count(t, "spi0.0"), 3);
}

static void a_missing_or_empty_file_is_unknown(void **state)
{
	const struct tree *t = *state;

	assert_int_equal(count(t, "spi0.0"), -1);
	tree_write_text(t, "/proc/interrupts", "");
	assert_int_equal(count(t, "spi0.0"), -1);
	tree_write_text(t, "/proc/interrupts", "no header\n 1: spi0.0\n");
	assert_int_equal(count(t, "spi0.0"), -1);
}

static void softnet_drops_are_hexadecimal_and_of_all_cores(void **state)
{
	const struct tree *t = *state;
	struct t1s_softnet s;

	tree_write_text(t, "/proc/net/softnet_stat",
		"0006a86e 0000001f 00000002 00000000 00000000\n"
		"0006154e ffffffff 00000010 00000000 00000000\n");
	t1s_softnet_read(t->root, &s);
	assert_int_equal(s.dropped, 0x1f + INT64_C(0xffffffff));
	assert_int_equal(s.squeezed, 0x12);
}

static void softnet_that_makes_no_sense_is_unknown(void **state)
{
	const struct tree *t = *state;
	struct t1s_softnet s = {7, 7};

	t1s_softnet_read(t->root, &s);
	assert_int_equal(s.dropped, -1);
	tree_write_text(t, "/proc/net/softnet_stat", "");
	t1s_softnet_read(t->root, &s);
	assert_int_equal(s.dropped, -1);
	tree_write_text(t, "/proc/net/softnet_stat", "00000001 00000002 00000003\nzz\n");
	t1s_softnet_read(t->root, &s);
	assert_int_equal(s.dropped, -1);
	assert_int_equal(s.squeezed, -1);
}

#define IN_TREE(f) cmocka_unit_test_setup_teardown(f, tree_setup, tree_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		IN_TREE(lines_are_found_by_the_name_of_an_action),
		IN_TREE(only_the_whole_name_matches),
		IN_TREE(several_lines_are_added_up),
		IN_TREE(one_core_has_one_column),
		IN_TREE(lines_that_make_no_sense_are_passed_over),
		IN_TREE(a_missing_or_empty_file_is_unknown),
		IN_TREE(softnet_drops_are_hexadecimal_and_of_all_cores),
		IN_TREE(softnet_that_makes_no_sense_is_unknown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
