/* SPDX-License-Identifier: MIT */
/* What our own overlays make of a Raspberry Pi's tree, one by one and all together. */
#include "base/cleanup.h"
#include "base/file.h"
#include "blob.h"
#include "board/dtprop.h"

#include <libfdt.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#define HERE T1S_TEST_BUILD "/tests/unit/board"
#define SPI0 "/soc/spi@7e204000"
#define GPIO "/soc/gpio@7e200000"

static const uint32_t int_pins[] = {6, 5, 22};

/* Cell @index of a property in a merged tree; the test fails if there is none. */
static uint32_t cell_of(const void *tree, const char *path, const char *name, int index)
{
	int size = 0;
	int node = fdt_path_offset(tree, path);
	const unsigned char *value =
		node < 0 ? NULL : fdt_getprop(tree, node, name, &size);

	if (!value || size < (index + 1) * 4)
		fail_msg("%s has no %s[%d]", path, name, index);
	return t1s_dt_u32(value + (ptrdiff_t)index * 4);
}

static int size_of(const void *tree, const char *path, const char *name)
{
	int size = 0;
	int node = fdt_path_offset(tree, path);

	if (node < 0 || !fdt_getprop(tree, node, name, &size))
		return -1;
	return size;
}

static bool disabled(const void *tree, const char *path)
{
	int node = fdt_path_offset(tree, path);
	const char *status = node < 0 ? NULL : fdt_getprop(tree, node, "status", NULL);

	return status && strcmp(status, "disabled") == 0;
}

static char *read_tree(const char *name)
{
	char path[512];
	char *tree;

	(void)snprintf(path, sizeof(path), HERE "/%s.dtb", name);
	assert_int_equal(
		t1s_read_file(path, T1S_OVERLAY_MAX_BYTES, &tree, NULL, NULL), 0);
	return tree;
}

static void check_chip(const void *tree, int n)
{
	char chip[64], pins[64];

	(void)snprintf(chip, sizeof(chip), SPI0 "/ethernet@%d", n);
	(void)snprintf(pins, sizeof(pins), GPIO "/lan8650_spi0_cs%d_pins", n);
	assert_int_equal(cell_of(tree, chip, "reg", 0), n);
	assert_int_equal(cell_of(tree, chip, "spi-max-frequency", 0), 20000000);
	assert_int_equal(cell_of(tree, chip, "interrupts", 0), int_pins[n]);
	assert_int_equal(cell_of(tree, chip, "interrupts", 1), 8); /* level, low */
	assert_int_equal(cell_of(tree, pins, "brcm,pins", 0), int_pins[n]);
	assert_int_equal(
		cell_of(tree, chip, "pinctrl-0", 0), cell_of(tree, pins, "phandle", 0));
	assert_int_equal(cell_of(tree, chip, "interrupt-parent", 0),
		cell_of(tree, GPIO, "phandle", 0));
	assert_false(disabled(tree, SPI0));
}

static void each_takes_its_own_chip_select_and_leaves_the_others(void **state)
{
	(void)state;
	for (int n = 0; n < 3; n++) {
		cleanup_free char *tree = NULL;
		char name[16];

		(void)snprintf(name, sizeof(name), "live-cs%d", n);
		tree = read_tree(name);
		check_chip(tree, n);
		assert_int_equal(disabled(tree, SPI0 "/spidev@0"), n == 0);
		assert_int_equal(disabled(tree, SPI0 "/spidev@1"), n == 1);
		assert_int_equal(size_of(tree, SPI0, "cs-gpios"), n == 2 ? 36 : 24);
	}
}

static void third_chip_select_has_its_gpio(void **state)
{
	cleanup_free char *tree = read_tree("live-cs2");

	(void)state;
	assert_int_equal(cell_of(tree, SPI0, "num-cs", 0), 3);
	assert_int_equal(cell_of(tree, SPI0, "cs-gpios", 1), 8);
	assert_int_equal(cell_of(tree, SPI0, "cs-gpios", 4), 7);
	assert_int_equal(cell_of(tree, SPI0, "cs-gpios", 7), 27);
	assert_int_equal(cell_of(tree, SPI0, "cs-gpios", 8), 1); /* active low */
	assert_int_equal(
		cell_of(tree, GPIO "/lan8650_spi0_cs2_cs_pins", "brcm,pins", 0), 27);
	/* the pins that SPI0 had before, and the new one */
	assert_int_equal(size_of(tree, SPI0, "pinctrl-0"), 12);
	assert_int_equal(cell_of(tree, SPI0, "pinctrl-0", 2),
		cell_of(tree, GPIO "/lan8650_spi0_cs2_cs_pins", "phandle", 0));
}

static void all_three_go_together(void **state)
{
	cleanup_free char *tree = read_tree("live-all");

	(void)state;
	for (int n = 0; n < 3; n++)
		check_chip(tree, n);
	assert_true(disabled(tree, SPI0 "/spidev@0"));
	assert_true(disabled(tree, SPI0 "/spidev@1"));
}

/* The one parameter that rewrites a property of a node. */
static void set_by(const struct t1s_overlay *o, const char *path, const char *property,
	const char *parameter)
{
	char params[4][64];

	assert_int_equal(
		t1s_overlay_shadowing_params(o, path, property, params, 4, NULL), 1);
	assert_string_equal(params[0], parameter);
}

static void int_pin_sets_interrupt_and_pin_and_speed_the_frequency(void **state)
{
	(void)state;
	for (int n = 0; n < 3; n++) {
		cleanup_(t1s_overlay_done) struct t1s_overlay o = {0};
		struct t1s_overlay_node node;
		char path[256];

		(void)snprintf(path, sizeof(path), "%s/overlays/lan8650-spi0-cs%d.dtbo",
			T1S_TEST_BUILD, n);
		blob_load(path, &o);
		blob_find(&o, n, &node);
		set_by(&o, node.path, "interrupts", "int_pin");
		set_by(&o, node.path, FREQUENCY, "speed");
		(void)snprintf(path, sizeof(path),
			"/fragment@%d/__overlay__/lan8650_spi0_cs%d_pins", n == 2 ? 0 : 1,
			n);
		set_by(&o, path, "brcm,pins", "int_pin");
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_takes_its_own_chip_select_and_leaves_the_others),
		cmocka_unit_test(third_chip_select_has_its_gpio),
		cmocka_unit_test(all_three_go_together),
		cmocka_unit_test(int_pin_sets_interrupt_and_pin_and_speed_the_frequency),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
