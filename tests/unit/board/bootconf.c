/* SPDX-License-Identifier: MIT */
#include "board/bootconf.h"

#include "base/cleanup.h"
#include "tree.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#define PI4 "raspberrypi,4-model-b"

static void boot_folder_is_boot_firmware_else_boot(void **state)
{
	const struct tree *t = *state;
	char folder[PATH_MAX], expected[PATH_MAX];
	struct t1s_error e = {0};

	assert_int_equal(t1s_boot_folder(t->root, folder, &e), -ENOENT);
	assert_non_null(strstr(e.text, "/boot/firmware"));
	assert_string_equal(folder, "");
	tree_folder(t, "/boot");
	assert_int_equal(t1s_boot_folder(t->root, folder, NULL), 0);
	(void)snprintf(expected, sizeof(expected), "%s/boot", t->root);
	assert_string_equal(folder, expected);
	tree_folder(t, "/boot/firmware");
	assert_int_equal(t1s_boot_folder(t->root, folder, NULL), 0);
	(void)snprintf(expected, sizeof(expected), "%s/boot/firmware", t->root);
	assert_string_equal(folder, expected);
}

/* The path of overlay "x" below the boot folder, or the error. */
static int overlay_path(const struct tree *t, const char *name, char ret[PATH_MAX])
{
	char full[PATH_MAX];
	int r = t1s_boot_overlay_path(t->root, name, full, NULL);

	if (r == 0)
		(void)snprintf(ret, PATH_MAX, "%s",
			full + strlen(t->root) + strlen("/boot/firmware"));
	return r;
}

static void prefixes(const struct tree *t, const char *os, const char *overlay)
{
	if (os)
		tree_write(t, "/proc/device-tree/chosen/os_prefix", os, strlen(os) + 1);
	if (overlay)
		tree_write(t, "/proc/device-tree/chosen/overlay_prefix", overlay,
			strlen(overlay) + 1);
}

static void overlay_lies_in_overlays_where_the_tree_tells_no_prefix(void **state)
{
	const struct tree *t = *state;
	char path[PATH_MAX];

	assert_int_equal(overlay_path(t, "x", path), -ENOENT);
	tree_folder(t, "/boot/firmware");
	assert_int_equal(overlay_path(t, "x", path), 0);
	assert_string_equal(path, "/overlays/x.dtbo");
	prefixes(t, "", "overlays/");
	assert_int_equal(overlay_path(t, "x", path), 0);
	assert_string_equal(path, "/overlays/x.dtbo");
	prefixes(t, "", "");
	assert_int_equal(overlay_path(t, "x", path), 0);
	assert_string_equal(path, "/x.dtbo");
}

static void os_prefix_counts_only_with_a_readme_as_for_the_firmware(void **state)
{
	const struct tree *t = *state;
	char path[PATH_MAX];

	tree_folder(t, "/boot/firmware/6.1/overlays");
	prefixes(t, "6.1/", "overlays/");
	assert_int_equal(overlay_path(t, "x", path), 0);
	assert_string_equal(path, "/overlays/x.dtbo");
	tree_write_text(t, "/boot/firmware/6.1/overlays/README", "");
	assert_int_equal(overlay_path(t, "x", path), 0);
	assert_string_equal(path, "/6.1/overlays/x.dtbo");
}

static void prefix_need_not_be_a_folder(void **state)
{
	const struct tree *t = *state;
	char path[PATH_MAX];

	prefixes(t, "test-", "ov/pre-");
	tree_write_text(t, "/boot/firmware/test-ov/pre-README", "");
	assert_int_equal(overlay_path(t, "x", path), 0);
	assert_string_equal(path, "/test-ov/pre-x.dtbo");
}

static void prefix_or_name_that_leads_out_is_refused(void **state)
{
	const struct tree *t = *state;
	char path[PATH_MAX];

	tree_folder(t, "/boot/firmware");
	assert_int_equal(overlay_path(t, "", path), -EINVAL);
	assert_int_equal(overlay_path(t, "..", path), -EINVAL);
	assert_int_equal(overlay_path(t, "a/b", path), -EINVAL);
	prefixes(t, "../", NULL);
	assert_int_equal(overlay_path(t, "x", path), -EINVAL);
	prefixes(t, "a/../../b/", NULL);
	assert_int_equal(overlay_path(t, "x", path), -EINVAL);
	prefixes(t, "/etc/", NULL);
	assert_int_equal(overlay_path(t, "x", path), -EINVAL);
	prefixes(t, "", "/etc/");
	assert_int_equal(overlay_path(t, "x", path), -EINVAL);
	prefixes(t, "", "overlays/..");
	assert_int_equal(overlay_path(t, "x", path), -EINVAL);
	prefixes(t, "..a/", "..b/");
	tree_write_text(t, "/boot/firmware/..a/..b/README", "");
	assert_int_equal(overlay_path(t, "x", path), 0);
}

static const char shadowing[][64] = {"speed", "freq"};

/* Reads @config as the config.txt of @board; overlay "chip", parameters as above. */
static struct t1s_boot_shadow read_on(
	const struct tree *t, const char *board, const char *config)
{
	struct t1s_boot_shadow s;
	struct t1s_error e = {0};

	tree_write_text(t, "/config.txt", config);
	if (t1s_boot_shadow(t->root, board, "chip", shadowing, T1S_ELEMENTSOF(shadowing),
		    &s, &e) < 0)
		fail_msg("%s", e.text);
	return s;
}

static void no_config_or_other_overlays_name_nothing(void **state)
{
	const struct tree *t = *state;
	struct t1s_boot_shadow s;

	memset(&s, 0xff, sizeof(s));
	assert_int_equal(
		t1s_boot_shadow(t->root, PI4, "chip", shadowing, 2, &s, NULL), 0);
	assert_false(s.named || s.shadowed || s.conditional);
	assert_int_equal(s.line, 0);
	s = read_on(t, PI4,
		"# dtoverlay=chip,speed=1\ndtoverlay=chips,speed=1\n"
		"dtoverlay=chi\ndtoverlay=other,chip,speed=1\ndtparam=speed=1\n"
		"dtoverlay=\nnot=a=thing\n\n=\n[\n");
	assert_false(s.named || s.shadowed);
}

static void naming_without_our_parameter_does_not_shadow(void **state)
{
	struct t1s_boot_shadow s = read_on(*state, PI4,
		"a=b\r\ndtoverlay=chip,int_pin=5,speedy=1\r\ndtparam=spi=on\r\n");

	assert_true(s.named);
	assert_false(s.shadowed || s.conditional);
	assert_int_equal(s.line, 2);
	assert_string_equal(s.file, "config.txt");
	assert_string_equal(s.text, "dtoverlay=chip,int_pin=5,speedy=1");
}

/* Whether @config shadows, surely: at the line given. */
static void shadows(const struct tree *t, const char *config, unsigned int line)
{
	struct t1s_boot_shadow s = read_on(t, PI4, config);

	assert_true(s.named && s.shadowed);
	assert_false(s.conditional);
	assert_int_equal(s.line, line);
}

static void named_only(const struct tree *t, const char *config)
{
	struct t1s_boot_shadow s = read_on(t, PI4, config);

	assert_true(s.named);
	assert_false(s.shadowed);
}

static void parameter_on_the_line_shadows(void **state)
{
	shadows(*state, "dtoverlay=chip,speed=10000000", 1);
	shadows(*state, "dtoverlay=chip,int_pin=5,freq=1\n", 1);
	shadows(*state, "dtoverlay=chip:speed=1\n", 1);
	shadows(*state, "  dtoverlay=chip,speed\t\r\n", 1);
	shadows(*state, "\ndtoverlay=chip\ndtoverlay=chip,speed=1\n", 3);
}

static void parameter_on_a_later_dtparam_line_shadows(void **state)
{
	shadows(*state, "dtoverlay=chip\ndtparam=speed=1\n", 2);
	shadows(*state, "dtoverlay=chip\ndtparam=spi=on,freq=1\n", 2);
	shadows(*state, "dtoverlay=chip\n[pi3]\n[pi4]\nx=y\ndtparam=speed=1\n", 5);
}

static void another_overlay_ends_the_reach_of_dtparam(void **state)
{
	named_only(*state, "dtoverlay=chip\ndtoverlay=\ndtparam=speed=1\n");
	named_only(*state, "dtoverlay=chip\ndtoverlay=x\ndtparam=speed=1\n");
	named_only(*state, "dtparam=speed=1\ndtoverlay=chip\n");
	shadows(*state, "dtoverlay=chip\n[pi3]\ndtoverlay=\n[all]\ndtparam=speed=1\n", 5);
}

static void boards_filter_decides_on_the_board_at_hand(void **state)
{
	static const struct {
		const char *filter, *board;
		bool applies;
	} cases[] = {
		{"pi0", "raspberrypi,model-zero", true},
		{"pi0", "raspberrypi,model-zero-w", true},
		{"pi0", "raspberrypi,model-zero-2-w", true},
		{"pi0", "raspberrypi,model-b-plus", false},
		{"pi0w", "raspberrypi,model-zero", false},
		{"pi0w", "raspberrypi,model-zero-w", true},
		{"pi0w", "raspberrypi,model-zero-2-w", true},
		{"pi02", "raspberrypi,model-zero-2-w", true},
		{"pi02", "raspberrypi,model-zero-w", false},
		{"pi1", "raspberrypi,model-b-plus", true},
		{"pi1", "raspberrypi,model-a", true},
		{"pi1", "raspberrypi,compute-module", true},
		{"pi1", "raspberrypi,model-zero", false},
		{"pi2", "raspberrypi,2-model-b", true},
		{"pi2", PI4, false},
		{"pi3", "raspberrypi,3-model-b", true},
		{"pi3", "raspberrypi,3-model-b-plus", true},
		{"pi3+", "raspberrypi,3-model-b-plus", true},
		{"pi3+", "raspberrypi,3-model-a-plus", true},
		{"pi3+", "raspberrypi,3-model-b", false},
		{"pi4", PI4, true},
		{"pi4", "raspberrypi,400", true},
		{"pi4", "raspberrypi,4-compute-module", true},
		{"pi4", "raspberrypi,5-model-b", false},
		{"pi400", "raspberrypi,400", true},
		{"pi400", PI4, false},
		{"cm4", "raspberrypi,4-compute-module", true},
		{"cm4", "raspberrypi,4-compute-module-s", false},
		{"cm4", PI4, false},
		{"cm4s", "raspberrypi,4-compute-module-s", true},
		{"pi5", "raspberrypi,5-model-b", true},
		{"pi5", "raspberrypi,500", true},
		{"pi5", "raspberrypi,5-compute-module", true},
		{"pi500", "raspberrypi,500", true},
		{"pi500", "raspberrypi,5-model-b", false},
		{"cm5", "raspberrypi,5-compute-module", true},
		{"cm5", "raspberrypi,5-model-b", false},
		{"all", PI4, true},
		{"none", PI4, false},
	};

	for (size_t i = 0; i < T1S_ELEMENTSOF(cases); i++) {
		struct t1s_boot_shadow s;
		char config[128];

		(void)snprintf(config, sizeof(config), "[%s]\ndtoverlay=chip,speed=1\n",
			cases[i].filter);
		s = read_on(*state, cases[i].board, config);
		if (s.shadowed != cases[i].applies || s.conditional)
			fail_msg("[%s] on %s", cases[i].filter, cases[i].board);
	}
}

/* Whether @config may shadow, but not surely. */
static void may_shadow(const struct tree *t, const char *board, const char *config)
{
	struct t1s_boot_shadow s = read_on(t, board, config);

	assert_true(s.shadowed);
	assert_true(s.conditional);
}

static void filter_that_cannot_be_decided_is_conditional(void **state)
{
	static const char *const filters[] = {"tryboot", "EDID=VSC-TD2220", "0x12345678",
		"gpio4=1", "HDMI:0", "board-type=0x14", "pi6", "unclosed"};

	for (size_t i = 0; i < T1S_ELEMENTSOF(filters); i++) {
		char config[128];

		(void)snprintf(config, sizeof(config), "[%s]\ndtoverlay=chip,speed=1\n",
			filters[i]);
		may_shadow(*state, PI4, config);
	}
	may_shadow(*state, PI4, "[tryboot\ndtoverlay=chip,speed=1\n");
	/* the Compute Module 3+ has the 3's compatible; no board at all */
	may_shadow(*state, "raspberrypi,3-compute-module",
		"[cm3+]\ndtoverlay=chip,speed=1\n");
	may_shadow(*state, "", "[pi4]\ndtoverlay=chip,speed=1\n");
}

static void filters_of_one_kind_replace_and_of_two_kinds_add_up(void **state)
{
	shadows(*state, "[pi3]\n[pi4]\ndtoverlay=chip,speed=1\n", 3);
	may_shadow(*state, PI4, "[tryboot]\n[pi4]\ndtoverlay=chip,speed=1\n");
	assert_false(
		read_on(*state, PI4, "[tryboot]\n[pi3]\ndtoverlay=chip,speed=1\n").named);
	shadows(*state, "[tryboot]\n[pi3]\n[none]\n[all]\ndtoverlay=chip,speed=1\n", 5);
	/* not documented: whether a board filter ends [none] */
	may_shadow(*state, PI4, "[none]\n[pi4]\ndtoverlay=chip,speed=1\n");
	assert_false(
		read_on(*state, PI4, "[none]\n[pi3]\ndtoverlay=chip,speed=1\n").named);
}

static void conditional_overlay_lines_leave_the_reach_open(void **state)
{
	may_shadow(*state, PI4, "[tryboot]\ndtoverlay=chip\n[all]\ndtparam=speed=1\n");
	may_shadow(*state, PI4,
		"dtoverlay=chip\n[tryboot]\ndtoverlay=x\n[all]\ndtparam=speed=1\n");
	named_only(*state,
		"dtoverlay=chip\ndtoverlay=x\n[tryboot]\n[all]\ndtparam=speed=1\n");
}

static void sure_finding_outweighs_a_conditional_one(void **state)
{
	shadows(*state,
		"[tryboot]\ndtoverlay=chip,speed=1\n[all]\ndtoverlay=chip,speed=2\n", 4);
	shadows(*state, "dtoverlay=chip,speed=2\n[tryboot]\ndtoverlay=chip,speed=1\n", 1);
	may_shadow(*state, PI4, "dtoverlay=chip\n[tryboot]\ndtparam=speed=1\n");
	/* of two alike, the first */
	shadows(*state, "dtoverlay=chip,speed=1\ndtoverlay=chip,speed=2\n", 1);
}

static void dtparam_before_any_overlay_may_go_to_a_hat(void **state)
{
	struct t1s_boot_shadow s = read_on(*state, PI4, "x=y\ndtparam=speed=1\n");

	assert_true(s.shadowed && s.conditional);
	assert_false(s.named);
	assert_int_equal(s.line, 2);
	/* an empty dtoverlay= switches the HAT's overlay off */
	s = read_on(*state, PI4, "dtoverlay=\ndtparam=speed=1\n");
	assert_false(s.shadowed);
	/* what config.txt names is not the HAT's */
	named_only(*state, "dtparam=speed=1\ndtoverlay=chip\n");
}

static void parameter_behind_the_98th_character_is_conditional(void **state)
{
	char line[256] = "dtoverlay=chip,";
	size_t n = strlen(line);

	memset(line + n, 'x', 97 - n);
	(void)snprintf(line + 97, sizeof(line) - 97, ",speed=1\n");
	assert_int_equal(line[98], 's');
	may_shadow(*state, PI4, line);
	/* one character less, and the name begins within the limit */
	memmove(line + 20, line + 21, strlen(line + 20));
	assert_int_equal(line[97], 's');
	shadows(*state, line, 1);
}

static void overlong_line_is_cut_in_what_is_told(void **state)
{
	char line[1200] = "dtoverlay=chip,speed=1,";
	struct t1s_boot_shadow s;

	memset(line + strlen(line), 'x', 1000);
	s = read_on(*state, PI4, line);
	assert_true(s.shadowed);
	assert_int_equal(strlen(s.text), sizeof(s.text) - 1);
}

static void included_files_are_read_in_place(void **state)
{
	const struct tree *t = *state;
	struct t1s_boot_shadow s;

	tree_write_text(t, "/extra.txt", "\ndtoverlay=chip,speed=1\n[pi3]\n");
	s = read_on(t, PI4, "include extra.txt\r\n");
	assert_true(s.shadowed && !s.conditional);
	assert_string_equal(s.file, "extra.txt");
	assert_int_equal(s.line, 2);
	/* a filter lasts beyond the end of the file that sets it */
	s = read_on(t, PI4, "include extra.txt\ndtoverlay=chip,freq=1\n");
	assert_string_equal(s.file, "extra.txt");
	tree_write_text(t, "/extra.txt", "dtoverlay=chip\n");
	s = read_on(t, PI4, "include extra.txt\ndtparam=speed=1\n");
	assert_true(s.shadowed && !s.conditional);
	assert_string_equal(s.file, "config.txt");
	s = read_on(t, PI4, "[pi3]\ninclude extra.txt\n");
	assert_false(s.named);
	/* missing, or not of this partition: passed over */
	s = read_on(t, PI4, "include gone.txt\ninclude ../x\ninclude \ndtoverlay=chip\n");
	assert_true(s.named);
}

static void file_included_under_a_filter_stays_conditional(void **state)
{
	tree_write_text(*state, "/extra.txt", "[all]\ndtoverlay=chip,speed=1\n");
	may_shadow(*state, PI4, "[tryboot]\ninclude extra.txt\n");
}

static int read_error(const struct tree *t, const char *config)
{
	struct t1s_boot_shadow s;
	struct t1s_error e = {0};
	int r;

	tree_write_text(t, "/config.txt", config);
	r = t1s_boot_shadow(t->root, PI4, "chip", shadowing, 2, &s, &e);
	assert_true(r == 0 || e.text[0] != '\0');
	return r;
}

static void includes_without_end_are_an_error(void **state)
{
	const struct tree *t = *state;
	char many[2048] = "";
	size_t used = 0;

	assert_int_equal(read_error(t, "include config.txt\n"), -ELOOP);
	for (int c = 'a'; c < 'h'; c++) {
		char path[8], text[32];

		(void)snprintf(path, sizeof(path), "/%c", c);
		(void)snprintf(text, sizeof(text), "include %c\n", c + 1);
		tree_write_text(t, path, text);
	}
	tree_write_text(t, "/h", "\n");
	assert_int_equal(read_error(t, "include a\n"), 0); /* eight deep */
	tree_write_text(t, "/h", "include i\n");
	tree_write_text(t, "/i", "\n");
	assert_int_equal(read_error(t, "include a\n"), -ELOOP);
	/* not deep, but without measure */
	for (int i = 0; i < 100; i++)
		used += (size_t)snprintf(many + used, sizeof(many) - used, "include i\n");
	assert_int_equal(read_error(t, many), -ELOOP);
}

static void config_that_cannot_be_read_is_an_error(void **state)
{
	const struct tree *t = *state;
	struct t1s_boot_shadow s;
	cleanup_free char *big = calloc(1, 300000);

	assert_non_null(big);
	memset(big, '\n', 300000);
	tree_write(t, "/config.txt", big, 300000);
	assert_int_equal(
		t1s_boot_shadow(t->root, PI4, "chip", shadowing, 2, &s, NULL), -EFBIG);
	tree_folder(t, "/folder");
	assert_int_equal(read_error(t, "include folder\n"), -EINVAL);
}

#define IN_TREE(f) cmocka_unit_test_setup_teardown(f, tree_setup, tree_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		IN_TREE(boot_folder_is_boot_firmware_else_boot),
		IN_TREE(overlay_lies_in_overlays_where_the_tree_tells_no_prefix),
		IN_TREE(os_prefix_counts_only_with_a_readme_as_for_the_firmware),
		IN_TREE(prefix_need_not_be_a_folder),
		IN_TREE(prefix_or_name_that_leads_out_is_refused),
		IN_TREE(no_config_or_other_overlays_name_nothing),
		IN_TREE(naming_without_our_parameter_does_not_shadow),
		IN_TREE(parameter_on_the_line_shadows),
		IN_TREE(parameter_on_a_later_dtparam_line_shadows),
		IN_TREE(another_overlay_ends_the_reach_of_dtparam),
		IN_TREE(boards_filter_decides_on_the_board_at_hand),
		IN_TREE(filter_that_cannot_be_decided_is_conditional),
		IN_TREE(filters_of_one_kind_replace_and_of_two_kinds_add_up),
		IN_TREE(conditional_overlay_lines_leave_the_reach_open),
		IN_TREE(sure_finding_outweighs_a_conditional_one),
		IN_TREE(dtparam_before_any_overlay_may_go_to_a_hat),
		IN_TREE(parameter_behind_the_98th_character_is_conditional),
		IN_TREE(overlong_line_is_cut_in_what_is_told),
		IN_TREE(included_files_are_read_in_place),
		IN_TREE(file_included_under_a_filter_stays_conditional),
		IN_TREE(includes_without_end_are_an_error),
		IN_TREE(config_that_cannot_be_read_is_an_error),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
