/* SPDX-License-Identifier: MIT */
#include "board/livetree.h"

#include "tree.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#define TREE "/proc/device-tree"
#define NODE TREE "/soc/spi@7e204000/ethernet@0"

static const struct t1s_node_match lan8650 = {
	.compatible = "microchip,lan8650",
	.chip_select = T1S_CHIP_SELECT_ANY,
	.property = "spi-max-frequency",
};

static struct t1s_node_match on_chip_select(int chip_select)
{
	struct t1s_node_match m = lan8650;

	m.chip_select = chip_select;
	return m;
}

static void strings(
	const struct tree *t, const char *path, const char *first, const char *second)
{
	char list[256] = "";
	size_t n = strlen(first) + 1;

	memcpy(list, first, n);
	if (second) {
		memcpy(list + n, second, strlen(second) + 1);
		n += strlen(second) + 1;
	}
	tree_write(t, path, list, n);
}

static void cell(const struct tree *t, const char *path, uint32_t v)
{
	const unsigned char bytes[4] = {(unsigned char)(v >> 24),
		(unsigned char)(v >> 16), (unsigned char)(v >> 8), (unsigned char)v};

	tree_write(t, path, bytes, sizeof(bytes));
}

/* A LAN8650 at NODE-like @path, below a controller. */
static void add_chip(
	const struct tree *t, const char *path, uint32_t chip_select, uint32_t freq_hz)
{
	char file[512];

	(void)snprintf(file, sizeof(file), "%s/compatible", path);
	strings(t, file, "microchip,lan8650", NULL);
	(void)snprintf(file, sizeof(file), "%s/reg", path);
	cell(t, file, chip_select);
	(void)snprintf(file, sizeof(file), "%s/spi-max-frequency", path);
	cell(t, file, freq_hz);
}

static void our_overlays_give_a_live_node_on_their_chip_select(void **state)
{
	for (int n = 0; n < 3; n++) {
		struct t1s_node_match m = on_chip_select(n);
		struct t1s_live_node node;
		char blob[512], path[64];
		void *tree = NULL;

		(void)state;
		assert_int_equal(tree_setup(&tree), 0);
		(void)snprintf(blob, sizeof(blob), "%s/tests/unit/board/live-cs%d.dtb",
			T1S_TEST_BUILD, n);
		tree_unfold(tree, blob, "/sys/firmware/devicetree/base");
		assert_int_equal(
			t1s_live_find(((struct tree *)tree)->root, &m, &node, NULL), 0);
		(void)snprintf(path, sizeof(path), "/soc/spi@7e204000/ethernet@%d", n);
		assert_string_equal(node.path, path);
		assert_string_equal(node.compatible, "microchip,lan8651");
		assert_string_equal(node.controller, "brcm,bcm2835-spi");
		assert_int_equal(node.chip_select, n);
		assert_int_equal(node.freq_hz, 20000000);
		assert_int_equal(tree_teardown(&tree), 0);
	}
}

static void any_of_the_compatible_strings_matches(void **state)
{
	const struct tree *t = *state;
	struct t1s_live_node node;

	add_chip(t, NODE, 0, 20000000);
	strings(t, NODE "/compatible", "example,other", "microchip,lan8650");
	assert_int_equal(t1s_live_find(t->root, &lan8650, &node, NULL), 0);
	assert_string_equal(node.compatible, "example,other");
}

static void part_of_a_compatible_string_does_not_match(void **state)
{
	const struct tree *t = *state;
	struct t1s_live_node node;

	add_chip(t, NODE, 0, 20000000);
	strings(t, NODE "/compatible", "microchip,lan8650b", "microchip,lan865");
	assert_int_equal(t1s_live_find(t->root, &lan8650, &node, NULL), -ENOENT);
	/* not ended by a 0 byte: no string */
	tree_write_text(t, NODE "/compatible", "microchip,lan8650");
	assert_int_equal(t1s_live_find(t->root, &lan8650, &node, NULL), -ENOENT);
}

static void status_okay_ok_or_absent_is_on_and_all_else_is_off(void **state)
{
	const struct tree *t = *state;
	struct t1s_live_node node;
	struct t1s_error e = {0};

	add_chip(t, NODE, 0, 20000000);
	assert_int_equal(t1s_live_find(t->root, &lan8650, &node, NULL), 0);
	strings(t, NODE "/status", "okay", NULL);
	assert_int_equal(t1s_live_find(t->root, &lan8650, &node, NULL), 0);
	strings(t, NODE "/status", "ok", NULL);
	assert_int_equal(t1s_live_find(t->root, &lan8650, &node, NULL), 0);
	strings(t, NODE "/status", "disabled", NULL);
	assert_int_equal(t1s_live_find(t->root, &lan8650, &node, &e), -ENOENT);
	assert_non_null(strstr(e.text, "ethernet@0"));
	assert_non_null(strstr(e.text, "switched off"));
	strings(t, NODE "/status", "okayish", NULL);
	assert_int_equal(t1s_live_find(t->root, &lan8650, &node, NULL), -ENOENT);
	strings(t, NODE "/status", "", NULL);
	assert_int_equal(t1s_live_find(t->root, &lan8650, &node, NULL), -ENOENT);
}

static void node_below_a_controller_that_is_off_is_not_live(void **state)
{
	const struct tree *t = *state;
	struct t1s_live_node node;

	add_chip(t, NODE, 0, 20000000);
	strings(t, TREE "/soc/spi@7e204000/status", "disabled", NULL);
	assert_int_equal(t1s_live_find(t->root, &lan8650, &node, NULL), -ENOENT);
}

static void node_elsewhere_in_another_board_s_tree_is_found(void **state)
{
	const struct tree *t = *state;
	struct t1s_node_match m = on_chip_select(1);
	struct t1s_live_node node;

	strings(t, TREE "/axi/pcie@120000/rp1/spi@50000/compatible", "snps,dw-apb-ssi",
		"more");
	add_chip(t, TREE "/axi/pcie@120000/rp1/spi@50000/ethernet@1", 1, 12345678);
	assert_int_equal(t1s_live_find(t->root, &m, &node, NULL), 0);
	assert_string_equal(node.path, "/axi/pcie@120000/rp1/spi@50000/ethernet@1");
	assert_string_equal(node.controller, "snps,dw-apb-ssi");
	assert_int_equal(node.freq_hz, 12345678);
}

static void wrong_chip_select_is_told_with_what_is_there(void **state)
{
	const struct tree *t = *state;
	struct t1s_node_match m = on_chip_select(1);
	struct t1s_live_node node = {.freq_hz = 7};
	struct t1s_error e = {0};

	add_chip(t, NODE, 0, 20000000);
	assert_int_equal(t1s_live_find(t->root, &m, &node, &e), -ENOENT);
	assert_non_null(strstr(e.text, "on chip select 1"));
	assert_non_null(strstr(e.text, "chip select 0"));
	assert_int_equal(node.freq_hz, 7);
}

static void two_matching_nodes_are_an_error_that_lists_both(void **state)
{
	const struct tree *t = *state;
	struct t1s_node_match m = on_chip_select(1);
	struct t1s_live_node node;
	struct t1s_error e = {0};

	add_chip(t, TREE "/soc/spi@7e204000/ethernet@1", 1, 15000000);
	add_chip(t, TREE "/soc/spi@7e204000/ethernet@0", 0, 20000000);
	assert_int_equal(t1s_live_find(t->root, &lan8650, &node, &e), -ENOTUNIQ);
	assert_non_null(strstr(e.text, "ethernet@0 (microchip,lan8650, chip select 0)"));
	assert_non_null(strstr(e.text, "ethernet@1 (microchip,lan8650, chip select 1)"));
	assert_int_equal(t1s_live_find(t->root, &m, &node, NULL), 0);
	assert_int_equal(node.freq_hz, 15000000);
}

static void list_of_very_many_candidates_is_cut_and_not_overrun(void **state)
{
	const struct tree *t = *state;
	struct t1s_live_node node;
	struct t1s_error e = {0};
	char path[128];

	for (uint32_t i = 0; i < 40; i++) {
		(void)snprintf(
			path, sizeof(path), TREE "/soc/spi@7e204000/ethernet@%u", i);
		add_chip(t, path, i, 20000000);
	}
	assert_int_equal(t1s_live_find(t->root, &lan8650, &node, &e), -ENOTUNIQ);
	assert_non_null(strstr(e.text, "40 nodes"));
	assert_non_null(strstr(e.text, "…"));
}

static void value_that_is_missing_or_not_4_bytes_is_an_error(void **state)
{
	const struct tree *t = *state;
	struct t1s_live_node node;
	struct t1s_error e = {0};

	add_chip(t, NODE, 0, 20000000);
	tree_write(t, NODE "/spi-max-frequency", "\0\0\0\1\0\0\0\2", 8);
	assert_int_equal(t1s_live_find(t->root, &lan8650, &node, &e), -EINVAL);
	assert_non_null(strstr(e.text, "8 bytes"));
	tree_write(t, NODE "/spi-max-frequency", "\1\2\3", 3);
	assert_int_equal(t1s_live_find(t->root, &lan8650, &node, NULL), -EINVAL);
	tree_write(t, NODE "/spi-max-frequency", "", 0);
	assert_int_equal(t1s_live_find(t->root, &lan8650, &node, NULL), -EINVAL);
	{
		char path[512];

		(void)snprintf(
			path, sizeof(path), "%s" NODE "/spi-max-frequency", t->root);
		assert_int_equal(unlink(path), 0);
	}
	assert_int_equal(t1s_live_find(t->root, &lan8650, &node, NULL), -EINVAL);
}

static void no_device_tree_at_all_is_told_apart_from_no_node(void **state)
{
	const struct tree *t = *state;
	struct t1s_live_node node;
	struct t1s_error e = {0};

	assert_int_equal(t1s_live_find(t->root, &lan8650, &node, &e), -ENODEV);
	assert_non_null(strstr(e.text, "Raspberry Pi"));
	tree_folder(t, TREE);
	assert_int_equal(t1s_live_find(t->root, &lan8650, &node, NULL), -ENOENT);
}

static void link_below_a_root_does_not_lead_out_of_it(void **state)
{
	const struct tree *t = *state;
	struct t1s_live_node node;
	char outside[512], link[512];

	add_chip(t, "/outside/ethernet@0", 0, 1);
	add_chip(t, "/sys/firmware/devicetree/base/ethernet@0", 0, 20000000);
	tree_folder(t, "/proc");
	(void)snprintf(outside, sizeof(outside), "%s/outside", t->root);
	(void)snprintf(link, sizeof(link), "%s/proc/device-tree", t->root);
	assert_int_equal(symlink(outside, link), 0);
	assert_int_equal(t1s_live_find(t->root, &lan8650, &node, NULL), 0);
	assert_int_equal(node.freq_hz, 20000000);
}

static void tree_without_end_is_refused(void **state)
{
	const struct tree *t = *state;
	struct t1s_live_node node;
	char path[512] = TREE;

	for (int i = 0; i < 40; i++)
		memcpy(path + strlen(path), "/n", 3);
	tree_folder(t, path);
	assert_int_equal(t1s_live_find(t->root, &lan8650, &node, NULL), -ELOOP);
}

static void board_and_model_are_told_or_empty(void **state)
{
	const struct tree *t = *state;
	char model[T1S_MODEL_MAX], board[T1S_COMPATIBLE_MAX];

	t1s_live_model(t->root, model);
	t1s_live_board(t->root, board);
	assert_string_equal(model, "");
	assert_string_equal(board, "");
	tree_unfold(t, T1S_TEST_BUILD "/tests/unit/board/pi-base.dtb", TREE);
	t1s_live_model(t->root, model);
	t1s_live_board(t->root, board);
	assert_string_equal(model, "Raspberry Pi 4 Model B Rev 1.4");
	assert_string_equal(board, "raspberrypi,4-model-b");
}

static void chosen_property_is_text_or_absent(void **state)
{
	const struct tree *t = *state;
	char text[16] = "before", small[4];

	tree_folder(t, TREE);
	assert_int_equal(
		t1s_live_chosen(t->root, "os_prefix", text, sizeof(text)), -ENOENT);
	assert_string_equal(text, "");
	strings(t, TREE "/chosen/os_prefix", "6.1/", NULL);
	assert_int_equal(t1s_live_chosen(t->root, "os_prefix", text, sizeof(text)), 0);
	assert_string_equal(text, "6.1/");
	assert_int_equal(
		t1s_live_chosen(t->root, "os_prefix", small, sizeof(small)), -ENOENT);
	assert_string_equal(small, "");
}

#define IN_TREE(f) cmocka_unit_test_setup_teardown(f, tree_setup, tree_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(our_overlays_give_a_live_node_on_their_chip_select),
		IN_TREE(any_of_the_compatible_strings_matches),
		IN_TREE(part_of_a_compatible_string_does_not_match),
		IN_TREE(status_okay_ok_or_absent_is_on_and_all_else_is_off),
		IN_TREE(node_below_a_controller_that_is_off_is_not_live),
		IN_TREE(node_elsewhere_in_another_board_s_tree_is_found),
		IN_TREE(wrong_chip_select_is_told_with_what_is_there),
		IN_TREE(two_matching_nodes_are_an_error_that_lists_both),
		IN_TREE(list_of_very_many_candidates_is_cut_and_not_overrun),
		IN_TREE(value_that_is_missing_or_not_4_bytes_is_an_error),
		IN_TREE(no_device_tree_at_all_is_told_apart_from_no_node),
		IN_TREE(link_below_a_root_does_not_lead_out_of_it),
		IN_TREE(tree_without_end_is_refused),
		IN_TREE(board_and_model_are_told_or_empty),
		IN_TREE(chosen_property_is_text_or_absent),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
