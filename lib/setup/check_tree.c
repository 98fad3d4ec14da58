/* SPDX-License-Identifier: MIT */
#include "base/path.h"
#include "board/bootconf.h"
#include "setup/checking.h"
#include "sweep/target.h"

#include <errno.h>
#include <string.h>

#define GROUP T1S_CHECK_TREE

/* What a command for people names the overlay file by. */
static void remedy_overlay(struct t1s_checking *c, int r, const char *path)
{
	switch (r) {
	case -ENOTUNIQ:
		t1s_check_remedy(c,
			"sudoedit /etc/t1s-sweep/t1s-sweep.conf   # [DeviceTree] "
			"ChipSelect=");
		break;
	case -ESTALE:
		t1s_check_remedy(c, "sudo t1s-sweep restore");
		break;
	case -EBADMSG:
		t1s_check_remedy(c, "ls -l %s*", path);
		break;
	default:
		t1s_check_remedy(c, "ls %.*s/   # then Overlay= in [DeviceTree]",
			(int)(strrchr(path, '/') ? strrchr(path, '/') - path : 1),
			strrchr(path, '/') ? path : "/");
		break;
	}
}

/* Why it is this file. */
static void describe_choice(
	const struct t1s_checking *c, const struct t1s_target *t, char *ret, size_t size)
{
	struct t1s_boot_shadow shadow;
	char prefix[128];

	if (c->config.overlay_file[0]) {
		(void)snprintf(ret, size, "as OverlayFile= says");
		return;
	}
	if (t1s_live_chosen(c->root, "os_prefix", prefix, sizeof(prefix)) == 0 &&
		prefix[0])
		(void)snprintf(ret, size, "the firmware's os_prefix is %s", prefix);
	else if (t1s_target_shadow(c->root, c->config.overlay, t, &shadow, NULL) == 0 &&
		 shadow.named)
		(void)snprintf(
			ret, size, "loaded by line %u of %s", shadow.line, shadow.file);
	else
		(void)snprintf(ret, size,
			"no line of config.txt loads it: a HAT's EEPROM or a service "
			"must");
}

static void check_shadow(struct t1s_checking *c, const struct t1s_target *t)
{
	struct t1s_boot_shadow shadow;
	struct t1s_error why = {{0}};
	int r = t1s_target_not_shadowed(c->root, c->config.overlay, t, &why);

	if (r == 0) {
		t1s_check_say(c, GROUP, T1S_CHECK_GOOD, "config.txt",
			"no parameter sets the frequency");
		return;
	}
	if (r == -EEXIST &&
		t1s_target_shadow(c->root, c->config.overlay, t, &shadow, NULL) == 0)
		t1s_check_remedy(c, "sudo nano +%u %s/%s", shadow.line, c->boot_folder,
			shadow.file);
	t1s_check_say(c, GROUP, T1S_CHECK_BAD, "config.txt", "%s", why.text);
}

static void say_mismatch(struct t1s_checking *c, const struct t1s_target *t)
{
	char cause[384];

	/* between the last step of a boot and its reboot */
	if (t1s_check_is_under_way(c) && t->node.freq_hz == c->state.expected_hz) {
		t1s_check_say(c, GROUP, T1S_CHECK_NOTE, "frequency",
			"the overlay was set to " T1S_MHZ_FMT
			", which the reboot to come makes effective",
			t1s_mhz(t->node.freq_hz));
		return;
	}
	t1s_target_explain_mismatch(c->root, c->config.overlay, t, cause, sizeof(cause));
	t1s_check_remedy(c, "sudo reboot   # if the overlay was changed since the last");
	t1s_check_say(c, GROUP, T1S_CHECK_BAD, "frequency",
		"%s holds " T1S_MHZ_FMT ", the live tree shows " T1S_MHZ_FMT ": %s",
		t1s_path_below(c->root, t->path), t1s_mhz(t->node.freq_hz),
		t1s_mhz(c->live.freq_hz), cause);
}

static void check_frequency(struct t1s_checking *c, const struct t1s_target *t)
{
	if (c->live_r < 0)
		return;
	if (c->live.freq_hz != t->node.freq_hz) {
		say_mismatch(c, t);
		return;
	}
	t1s_check_say(c, GROUP, T1S_CHECK_GOOD, "frequency",
		T1S_MHZ_FMT ", in the overlay and in the live tree",
		t1s_mhz(t->node.freq_hz));
}

static int open_target(struct t1s_checking *c, char path[PATH_MAX], struct t1s_target *t,
	struct t1s_error *e)
{
	int r = t1s_target_path(c->root, &c->config, path, e);

	if (r < 0)
		return r;
	if (t1s_check_is_under_way(c))
		return t1s_target_open_checked(c->root, &c->state, t, e);
	return t1s_target_open(c->root, path, &c->config.match, t, e);
}

static void check_overlay(struct t1s_checking *c)
{
	struct t1s_error why = {{0}};
	struct t1s_target t = {0};
	char path[PATH_MAX] = "", choice[256];
	int r = open_target(c, path, &t, &why);

	if (r < 0) {
		remedy_overlay(c, r, path);
		t1s_check_say(c, GROUP, T1S_CHECK_BAD, "overlay", "%s", why.text);
		return;
	}
	describe_choice(c, &t, choice, sizeof(choice));
	t1s_check_say(c, GROUP, T1S_CHECK_GOOD, "overlay", "%s (%s), node %s",
		t1s_path_below(c->root, t.path), choice, t.node.path);
	check_shadow(c, &t);
	check_frequency(c, &t);
	t1s_target_done(&t);
}

static void check_live(struct t1s_checking *c)
{
	if (c->at_rest) {
		t1s_check_say(c, GROUP, T1S_CHECK_NOTE, "live-tree",
			"not looked at: this tree is a card at rest");
	} else if (c->live_r == 0) {
		t1s_check_say(c, GROUP, T1S_CHECK_GOOD, "live-tree", "%s", c->live.path);
	} else {
		if (c->live_r == -ENOTUNIQ)
			t1s_check_remedy(c, "sudoedit /etc/t1s-sweep/t1s-sweep.conf   # "
					    "[DeviceTree] ChipSelect=");
		else
			t1s_check_remedy(c,
				"dmesg | grep -i -e overlay -e spi; "
				"grep dtoverlay %s/config.txt",
				c->boot_folder);
		t1s_check_say(
			c, GROUP, T1S_CHECK_BAD, "live-tree", "%s", c->live_why.text);
	}
}

void t1s_check_tree(struct t1s_checking *c)
{
	if (!c->have_config) {
		t1s_check_say(c, GROUP, T1S_CHECK_NOTE, "overlay",
			"not looked at: the configuration cannot be read");
		return;
	}
	check_overlay(c);
	check_live(c);
}
