/* SPDX-License-Identifier: MIT */
#include "board/overlay.h"

#include "base/cleanup.h"
#include "base/file.h"
#include "blob.h"
#include "board/dtprop.h"
#include "tree.h"

#include <errno.h>
#include <libfdt.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#define cleanup_overlay cleanup_(t1s_overlay_done)

static void our_overlays_hold_one_node_of_20_mhz_on_their_chip_select(void **state)
{
	(void)state;
	for (int n = 0; n < 3; n++) {
		cleanup_overlay struct t1s_overlay o = {0};
		struct t1s_overlay_node nodes[4];
		char path[256];

		(void)snprintf(path, sizeof(path), "%s/overlays/lan8650-spi0-cs%d.dtbo",
			T1S_TEST_BUILD, n);
		blob_load(path, &o);
		assert_int_equal(t1s_overlay_nodes(&o, FREQUENCY, nodes, 4, NULL), 1);
		assert_int_equal(nodes[0].chip_select, n);
		assert_int_equal(nodes[0].freq_hz, 20000000);
		assert_string_equal(nodes[0].compatible, "microchip,lan8651");
		assert_int_equal(nodes[0].offset % 4, 0);
		assert_int_equal(t1s_dt_u32(o.blob + nodes[0].offset), 20000000);
	}
}

static void nodes_are_listed_in_the_blob_s_order(void **state)
{
	cleanup_overlay struct t1s_overlay o = {0};
	struct t1s_overlay_node nodes[2];

	(void)state;
	blob_load(TWO_CHIPS, &o);
	assert_int_equal(t1s_overlay_nodes(&o, FREQUENCY, nodes, 2, NULL), 2);
	assert_string_equal(nodes[0].path, "/fragment@2/__overlay__/ethernet@1");
	assert_int_equal(nodes[0].freq_hz, 15000000);
	assert_string_equal(nodes[1].path, "/fragment@2/__overlay__/ethernet@0");
	assert_int_equal(nodes[1].freq_hz, 20000000);
}

static void more_nodes_than_room_is_an_error(void **state)
{
	cleanup_overlay struct t1s_overlay o = {0};
	struct t1s_overlay_node node;

	(void)state;
	blob_load(TWO_CHIPS, &o);
	assert_int_equal(t1s_overlay_nodes(&o, FREQUENCY, &node, 1, NULL), -E2BIG);
}

static void blob_without_the_property_has_no_nodes(void **state)
{
	cleanup_overlay struct t1s_overlay o = {0};
	struct t1s_overlay_node node;

	(void)state;
	blob_load(OUR_CS0, &o);
	assert_int_equal(t1s_overlay_nodes(&o, "spi-max", &node, 1, NULL), 0);
}

static void chip_select_says_which_of_two_is_meant(void **state)
{
	cleanup_overlay struct t1s_overlay o = {0};
	struct t1s_overlay_node node;

	(void)state;
	blob_load(TWO_CHIPS, &o);
	blob_find(&o, 0, &node);
	assert_int_equal(node.freq_hz, 20000000);
	blob_find(&o, 1, &node);
	assert_int_equal(node.freq_hz, 15000000);
}

static void two_that_match_are_an_error_that_lists_both(void **state)
{
	const struct t1s_node_match any = {"microchip,lan8650", -1, FREQUENCY};
	cleanup_overlay struct t1s_overlay o = {0};
	struct t1s_overlay_node node = {.freq_hz = 7};
	struct t1s_error e = {0};

	(void)state;
	blob_load(TWO_CHIPS, &o);
	assert_int_equal(t1s_overlay_find(&o, &any, &node, &e), -ENOTUNIQ);
	assert_non_null(strstr(e.text, "ethernet@1 (microchip,lan8650, chip select 1)"));
	assert_non_null(strstr(e.text, "ethernet@0 (microchip,lan8650, chip select 0)"));
	assert_non_null(strstr(e.text, "ChipSelect="));
	assert_int_equal(node.freq_hz, 7);
}

static void none_that_matches_is_told_with_what_is_there(void **state)
{
	const struct t1s_node_match other_chip = {"microchip,enc28j60", -1, FREQUENCY};
	const struct t1s_node_match other_cs = {"microchip,lan8650", 2, FREQUENCY};
	const struct t1s_node_match other_property = {"microchip,lan8650", 0, "clock"};
	cleanup_overlay struct t1s_overlay o = {0};
	struct t1s_overlay_node node;
	struct t1s_error e = {0};

	(void)state;
	blob_load(TWO_CHIPS, &o);
	assert_int_equal(t1s_overlay_find(&o, &other_chip, &node, &e), -ENOENT);
	assert_non_null(strstr(e.text, "microchip,enc28j60"));
	assert_non_null(strstr(e.text, "ethernet@1"));
	assert_int_equal(t1s_overlay_find(&o, &other_cs, &node, &e), -ENOENT);
	assert_non_null(strstr(e.text, "chip select 2"));
	assert_int_equal(t1s_overlay_find(&o, &other_property, &node, &e), -ENOENT);
	assert_non_null(strstr(e.text, "none"));
}

static void fill_odd(void *blob)
{
	fdt_begin_node(blob, "eight@0");
	fdt_property_string(blob, "compatible", "microchip,lan8650");
	fdt_property_u32(blob, "reg", 0);
	fdt_property_u64(blob, FREQUENCY, 20000000);
	fdt_end_node(blob);
	fdt_begin_node(blob, "no-reg");
	fdt_property_string(blob, "compatible", "microchip,lan8650");
	fdt_property_u32(blob, FREQUENCY, 1000000);
	fdt_end_node(blob);
	fdt_begin_node(blob, "huge-reg");
	fdt_property_u32(blob, "reg", 256); /* more than any controller has */
	fdt_property_u32(blob, FREQUENCY, 2000000);
	fdt_end_node(blob);
}

static void value_of_another_length_does_not_count(void **state)
{
	const struct t1s_node_match any = {"microchip,lan8650", -1, FREQUENCY};
	cleanup_overlay struct t1s_overlay o = {0};
	struct t1s_overlay_node nodes[4];

	(void)state;
	blob_make(fill_odd, &o);
	assert_int_equal(t1s_overlay_nodes(&o, FREQUENCY, nodes, 4, NULL), 2);
	assert_string_equal(nodes[0].path, "/no-reg");
	assert_int_equal(nodes[0].chip_select, -1);
	assert_string_equal(nodes[1].path, "/huge-reg");
	assert_int_equal(nodes[1].chip_select, -1);
	assert_string_equal(nodes[1].compatible, "");
	assert_int_equal(t1s_overlay_find(&o, &any, nodes, NULL), 0);
	assert_int_equal(nodes[0].freq_hz, 1000000);
}

static void fill_deep(void *blob)
{
	for (int i = 0; i < 40; i++)
		fdt_begin_node(blob, "n");
	fdt_property_u32(blob, FREQUENCY, 1);
	for (int i = 0; i < 40; i++)
		fdt_end_node(blob);
}

static void fill_long_path(void *blob)
{
	char name[200];

	memset(name, 'x', sizeof(name) - 1);
	name[sizeof(name) - 1] = '\0';
	for (int i = 0; i < 4; i++)
		fdt_begin_node(blob, name);
	fdt_property_u32(blob, FREQUENCY, 1);
	for (int i = 0; i < 4; i++)
		fdt_end_node(blob);
}

static void nodes_beyond_all_measure_are_refused(void **state)
{
	cleanup_overlay struct t1s_overlay deep = {0}, wide = {0};
	struct t1s_overlay_node node;

	(void)state;
	blob_make(fill_deep, &deep);
	assert_int_equal(t1s_overlay_nodes(&deep, FREQUENCY, &node, 1, NULL), -EBADMSG);
	blob_make(fill_long_path, &wide);
	assert_int_equal(t1s_overlay_nodes(&wide, FREQUENCY, &node, 1, NULL), -EBADMSG);
}

/* Loads ROOT/x.dtbo after writing @data there. */
static int load(const struct tree *t, const void *data, size_t size, struct t1s_error *e)
{
	cleanup_overlay struct t1s_overlay o = {0};
	char path[PATH_MAX];

	tree_write(t, "/x.dtbo", data, size);
	(void)snprintf(path, sizeof(path), "%s/x.dtbo", t->root);
	return t1s_overlay_load(path, &o, e);
}

static void file_that_is_no_blob_is_refused_with_its_name(void **state)
{
	const struct tree *t = *state;
	struct t1s_error e = {0};
	static const char text[] = "/dts-v1/;\n/plugin/;\n/ { compatible = \"x\"; };\n";

	assert_int_equal(load(t, text, sizeof(text) - 1, &e), -EBADMSG);
	assert_non_null(strstr(e.text, "x.dtbo"));
	assert_int_equal(load(t, "", 0, NULL), -EBADMSG);
	assert_int_equal(load(t, "\xd0\x0d\xfe\xed", 4, NULL), -EBADMSG);
}

static void blob_of_a_wrong_make_is_refused(void **state)
{
	const struct tree *t = *state;
	cleanup_overlay struct t1s_overlay o = {0};
	struct t1s_error e = {0};

	blob_load(OUR_CS0, &o);
	assert_int_equal(load(t, o.blob, o.size, NULL), 0);
	assert_int_equal(load(t, o.blob, o.size - 1, &e), -EBADMSG);
	assert_non_null(strstr(e.text, "truncated"));
	fdt_set_version(o.blob, 16);
	assert_int_equal(load(t, o.blob, o.size, NULL), -EBADMSG);
	fdt_set_version(o.blob, 17);
	fdt_set_off_dt_struct(o.blob, fdt_off_dt_struct(o.blob) + 2);
	assert_int_equal(load(t, o.blob, o.size, NULL), -EBADMSG);
	fdt_set_off_dt_struct(o.blob, fdt_off_dt_struct(o.blob) - 2);
	fdt_set_last_comp_version(o.blob, 18);
	assert_int_equal(load(t, o.blob, o.size, NULL), -EBADMSG);
}

/* Its nodes are whole, and libfdt reads them; but a value could lie across two sectors.
 */
static void blob_whose_nodes_begin_at_an_odd_place_is_refused(void **state)
{
	cleanup_overlay struct t1s_overlay o = {0};
	cleanup_free unsigned char *moved = NULL;
	struct t1s_error e = {{0}};
	const size_t by = 2;
	size_t at;

	(void)state;
	blob_load(OUR_CS0, &o);
	at = fdt_off_dt_struct(o.blob);
	assert_true(fdt_off_dt_strings(o.blob) > at);
	moved = calloc(1, o.size + by);
	assert_non_null(moved);
	memcpy(moved, o.blob, at);
	memcpy(moved + at + by, o.blob + at, o.size - at);
	fdt_set_off_dt_struct(moved, (uint32_t)(at + by));
	fdt_set_off_dt_strings(moved, fdt_off_dt_strings(o.blob) + (uint32_t)by);
	fdt_set_totalsize(moved, fdt_totalsize(o.blob) + (uint32_t)by);
	assert_int_equal(t1s_overlay_check(moved, o.size + by, &e), -EBADMSG);
	assert_non_null(strstr(e.text, "not aligned"));
}

static void bytes_behind_the_blob_do_no_harm(void **state)
{
	const struct tree *t = *state;
	cleanup_overlay struct t1s_overlay o = {0};
	cleanup_free unsigned char *padded = NULL;

	blob_load(OUR_CS0, &o);
	padded = calloc(1, o.size + 100);
	assert_non_null(padded);
	memcpy(padded, o.blob, o.size);
	assert_int_equal(load(t, padded, o.size + 100, NULL), 0);
}

static void what_cannot_be_read_is_told(void **state)
{
	const struct tree *t = *state;
	cleanup_overlay struct t1s_overlay o = {0};
	cleanup_free char *big = calloc(1, T1S_OVERLAY_MAX_BYTES + 1);
	char path[PATH_MAX];

	(void)snprintf(path, sizeof(path), "%s/missing.dtbo", t->root);
	assert_int_equal(t1s_overlay_load(path, &o, NULL), -ENOENT);
	assert_int_equal(symlink(OUR_CS0, path), 0);
	assert_int_equal(t1s_overlay_load(path, &o, NULL), -ELOOP);
	assert_int_equal(t1s_overlay_load(t->root, &o, NULL), -EINVAL);
	assert_non_null(big);
	assert_int_equal(load(t, big, T1S_OVERLAY_MAX_BYTES + 1, NULL), -EFBIG);
	assert_null(o.blob);
}

static void our_speed_parameter_shadows_and_int_pin_does_not(void **state)
{
	cleanup_overlay struct t1s_overlay o = {0};
	char params[T1S_OVERLAY_PARAMS_MAX][64];
	struct t1s_overlay_node node;

	(void)state;
	blob_load(OUR_CS0, &o);
	blob_find(&o, 0, &node);
	assert_int_equal(
		t1s_overlay_shadowing_params(&o, node.path, FREQUENCY, params, 16, NULL),
		1);
	assert_string_equal(params[0], "speed");
	assert_int_equal(t1s_overlay_shadowing_params(
				 &o, node.path, "interrupts", params, 16, NULL),
		1);
	assert_string_equal(params[0], "int_pin");
}

static void parameters_with_several_targets_tables_and_cells_are_read(void **state)
{
	cleanup_overlay struct t1s_overlay o = {0};
	char params[T1S_OVERLAY_PARAMS_MAX][64];
	struct t1s_overlay_node node;

	(void)state;
	blob_load(TWO_CHIPS, &o);
	blob_find(&o, 1, &node);
	assert_int_equal(
		t1s_overlay_shadowing_params(&o, node.path, FREQUENCY, params, 16, NULL),
		3);
	assert_string_equal(params[0], "speed");
	assert_string_equal(params[1], "speed1");
	assert_string_equal(params[2], "parent1");
	blob_find(&o, 0, &node);
	assert_int_equal(
		t1s_overlay_shadowing_params(&o, node.path, FREQUENCY, params, 16, NULL),
		2);
	assert_string_equal(params[0], "speed");
	assert_string_equal(params[1], "preset0");
}

static void more_parameters_than_room_is_an_error(void **state)
{
	cleanup_overlay struct t1s_overlay o = {0};
	char params[1][64];
	struct t1s_overlay_node node;

	(void)state;
	blob_load(TWO_CHIPS, &o);
	blob_find(&o, 0, &node);
	assert_int_equal(
		t1s_overlay_shadowing_params(&o, node.path, FREQUENCY, params, 1, NULL),
		-E2BIG);
	assert_int_equal(
		t1s_overlay_shadowing_params(&o, "/nowhere", FREQUENCY, params, 1, NULL),
		-ENOENT);
}

/* A node "/mac" that parameters can refer to, and what stands in __overrides__. */
static const void *override_value;
static int override_size;
static const char *override_name;

static void fill_override(void *blob)
{
	fdt_begin_node(blob, "mac");
	fdt_property_u32(blob, "phandle", 1);
	fdt_property_u32(blob, FREQUENCY, 20000000);
	fdt_end_node(blob);
	if (!override_value)
		return;
	fdt_begin_node(blob, "__overrides__");
	fdt_property_u32(blob, "phandle", 9);
	fdt_property(blob, override_name, override_value, override_size);
	fdt_end_node(blob);
}

static int shadowing(const char *name, const void *value, int size)
{
	cleanup_overlay struct t1s_overlay o = {0};
	char params[4][64];

	override_name = name;
	override_value = value;
	override_size = size;
	blob_make(fill_override, &o);
	return t1s_overlay_shadowing_params(&o, "/mac", FREQUENCY, params, 4, NULL);
}

#define VALUE(text) text, (int)sizeof(text) - 1
#define MAC "\0\0\0\1"

static void every_form_of_declaration_is_told_apart(void **state)
{
	(void)state;
	assert_int_equal(shadowing("p", VALUE(MAC FREQUENCY ":0\0")), 1);
	assert_int_equal(shadowing("p", VALUE(MAC FREQUENCY "\0")), 1);
	assert_int_equal(shadowing("p", VALUE(MAC FREQUENCY "[\0")), 1);
	assert_int_equal(shadowing("p", VALUE(MAC FREQUENCY ":0=5000000\0")), 1);
	assert_int_equal(shadowing("p", VALUE("\0\0\0\2" FREQUENCY ":0\0")), 0);
	assert_int_equal(shadowing("p", VALUE(MAC FREQUENCY "-low:0\0")), 0);
	assert_int_equal(shadowing("p", VALUE(MAC "spi:0\0")), 0);
	/* behind a literal text, behind an empty one, and behind a cell */
	assert_int_equal(shadowing("p", VALUE(MAC "label=x\0" MAC FREQUENCY ":0\0")), 1);
	assert_int_equal(shadowing("p", VALUE(MAC "label=\0" MAC FREQUENCY ":0\0")), 1);
	assert_int_equal(shadowing("p", VALUE(MAC "a:0=\0"
						  "\0\0\0\7" MAC FREQUENCY ":0\0")),
		1);
	/* a fragment's parameter; a property that is empty; no parameters at all */
	assert_int_equal(shadowing("p", VALUE("\0\0\0\0"
					      "+1-2\0")),
		0);
	assert_int_equal(shadowing("p", "", 0), 0);
	assert_int_equal(shadowing("p", NULL, 0), 0);
}

static void parameters_that_end_too_early_are_refused(void **state)
{
	static const char long_name[] =
		"a-parameter-with-a-name-that-does-not-fit-into-the-room-for-a-name";

	(void)state;
	assert_int_equal(shadowing("p", VALUE(MAC)), -EBADMSG);
	assert_int_equal(shadowing("p", VALUE("\0\0")), -EBADMSG);
	assert_int_equal(shadowing("p", VALUE(MAC FREQUENCY ":0")), -EBADMSG);
	assert_int_equal(shadowing("p", VALUE(MAC "a:0=\0"
						  "\0\0")),
		-EBADMSG);
	assert_int_equal(shadowing("p", VALUE(MAC "a:0{x=\0"
						  "\0\0\0\5")),
		-EBADMSG);
	assert_int_equal(shadowing(long_name, VALUE(MAC FREQUENCY ":0\0")), -EBADMSG);
}

static void digest_is_that_of_the_file_with_the_value_set(void **state)
{
	cleanup_overlay struct t1s_overlay o = {0};
	struct t1s_overlay_node node;
	char same[T1S_SHA256_HEX_MAX], file[T1S_SHA256_HEX_MAX],
		other[T1S_SHA256_HEX_MAX];

	(void)state;
	blob_load(OUR_CS0, &o);
	blob_find(&o, 0, &node);
	assert_int_equal(t1s_sha256_hex(o.blob, o.size, file), 0);
	assert_int_equal(t1s_overlay_digest_with(&o, &node, 20000000, same, NULL), 0);
	assert_string_equal(same, file);
	assert_int_equal(t1s_overlay_digest_with(&o, &node, 5000000, other, NULL), 0);
	memcpy(o.blob + node.offset, "\x00\x4c\x4b\x40", 4);
	assert_int_equal(t1s_sha256_hex(o.blob, o.size, file), 0);
	assert_string_equal(other, file);
}

static void node_of_another_blob_is_refused(void **state)
{
	cleanup_overlay struct t1s_overlay ours = {0}, two = {0};
	struct t1s_overlay_node node;
	char digest[T1S_SHA256_HEX_MAX];

	(void)state;
	blob_load(OUR_CS0, &ours);
	blob_load(TWO_CHIPS, &two);
	blob_find(&two, 1, &node);
	assert_int_equal(t1s_overlay_digest_with(&ours, &node, 1, digest, NULL), -EINVAL);
	blob_find(&ours, 0, &node);
	node.offset += 4;
	assert_int_equal(t1s_overlay_digest_with(&ours, &node, 1, digest, NULL), -EINVAL);
}

#define IN_TREE(f) cmocka_unit_test_setup_teardown(f, tree_setup, tree_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			our_overlays_hold_one_node_of_20_mhz_on_their_chip_select),
		cmocka_unit_test(nodes_are_listed_in_the_blob_s_order),
		cmocka_unit_test(more_nodes_than_room_is_an_error),
		cmocka_unit_test(blob_without_the_property_has_no_nodes),
		cmocka_unit_test(chip_select_says_which_of_two_is_meant),
		cmocka_unit_test(two_that_match_are_an_error_that_lists_both),
		cmocka_unit_test(none_that_matches_is_told_with_what_is_there),
		cmocka_unit_test(value_of_another_length_does_not_count),
		cmocka_unit_test(nodes_beyond_all_measure_are_refused),
		cmocka_unit_test(blob_whose_nodes_begin_at_an_odd_place_is_refused),
		IN_TREE(file_that_is_no_blob_is_refused_with_its_name),
		IN_TREE(blob_of_a_wrong_make_is_refused),
		IN_TREE(bytes_behind_the_blob_do_no_harm),
		IN_TREE(what_cannot_be_read_is_told),
		cmocka_unit_test(our_speed_parameter_shadows_and_int_pin_does_not),
		cmocka_unit_test(
			parameters_with_several_targets_tables_and_cells_are_read),
		cmocka_unit_test(more_parameters_than_room_is_an_error),
		cmocka_unit_test(every_form_of_declaration_is_told_apart),
		cmocka_unit_test(parameters_that_end_too_early_are_refused),
		cmocka_unit_test(digest_is_that_of_the_file_with_the_value_set),
		cmocka_unit_test(node_of_another_blob_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
