/* SPDX-License-Identifier: MIT */
#include "base/cleanup.h"
#include "base/file.h"
#include "base/path.h"
#include "board/power.h"
#include "board/unit.h"
#include "setup/checking.h"

#include <errno.h>
#include <string.h>

#define GROUP T1S_CHECK_SERVICE
#define ACCOUNT "t1s-sweep"
#define PASSWD_MAX_BYTES ((size_t)1024 * 1024)

static bool begins_with(const char *text, const char *word)
{
	return strncmp(text, word, strlen(word)) == 0;
}

static void check_unit(struct t1s_checking *c)
{
	char state[T1S_UNIT_STATE_MAX];
	struct t1s_error why = {{0}};
	int r = t1s_unit_file_state(c->root, T1S_UNIT, state, &why);

	if (r == -ENOENT) {
		t1s_check_remedy(c, "sudo apt install ./t1s-sweep_*.deb");
		t1s_check_say(
			c, GROUP, T1S_CHECK_BAD, "unit", "%s is not installed", T1S_UNIT);
	} else if (r < 0) {
		t1s_check_remedy(c, "systemctl is-enabled t1s-sweep");
		t1s_check_say(c, GROUP, T1S_CHECK_NOTE, "unit", "%s", why.text);
	} else if (begins_with(state, "masked")) {
		t1s_check_remedy(c, "sudo systemctl unmask t1s-sweep");
		t1s_check_say(
			c, GROUP, T1S_CHECK_BAD, "unit", "masked: it cannot be started");
	} else if (begins_with(state, "enabled")) {
		c->result.armed = true;
		t1s_check_say(c, GROUP, T1S_CHECK_GOOD, "unit",
			"enabled: at each boot a sweep begins or goes on");
	} else {
		t1s_check_say(c, GROUP, T1S_CHECK_GOOD, "unit",
			"%s: nothing begins by itself", state);
	}
}

static void check_switches(struct t1s_checking *c)
{
	char why[PATH_MAX + 64];

	if (!t1s_switched_off(c->root, why, sizeof(why))) {
		t1s_check_say(c, GROUP, T1S_CHECK_GOOD, "stop-switches", "none is set");
		return;
	}
	if (why[0] == '/')
		t1s_check_remedy(c, "sudo rm %.*s", (int)strcspn(why, " "), why);
	else
		t1s_check_remedy(c, "sudo sed -i 's/ *t1s_sweep=off//' %s/cmdline.txt",
			c->boot_folder);
	t1s_check_say(c, GROUP, T1S_CHECK_BAD, "stop-switches", "%s: no step runs", why);
}

/* A tree without accounts is not a whole machine's. */
static void check_account(struct t1s_checking *c)
{
	cleanup_free char *text = NULL;
	char path[PATH_MAX];
	bool there;

	if (t1s_path(path, c->root, "/etc/passwd") < 0 ||
		t1s_read_file(path, PASSWD_MAX_BYTES, &text, NULL, NULL) < 0)
		return;
	there = begins_with(text, ACCOUNT ":") || strstr(text, "\n" ACCOUNT ":");
	if (!there)
		t1s_check_remedy(c, "sudo systemd-sysusers && sudo systemd-tmpfiles "
				    "--create");
	t1s_check_say(c, GROUP, there ? T1S_CHECK_GOOD : T1S_CHECK_BAD, "account",
		there ? "the user %s, who measures, is there"
		      : "there is no user %s, who would measure",
		ACCOUNT);
}

static void say_ended(struct t1s_checking *c)
{
	const struct t1s_state *s = &c->state;

	if (s->phase == T1S_PHASE_FINISHED)
		t1s_check_say(c, GROUP, T1S_CHECK_GOOD, "sweep",
			"the last one, %s, is finished", s->sweep_id);
	else
		t1s_check_say(c, GROUP, T1S_CHECK_NOTE, "sweep",
			"the last one, %s, was stopped: %s", s->sweep_id, s->reason);
}

static void check_sweep(struct t1s_checking *c)
{
	const struct t1s_state *s = &c->state;

	if (c->state_r == -ENOENT) {
		t1s_check_say(c, GROUP, T1S_CHECK_GOOD, "sweep", "none was ever begun");
	} else if (c->state_r < 0) {
		t1s_check_remedy(c, "sudo t1s-sweep restore");
		t1s_check_say(c, GROUP, T1S_CHECK_BAD, "sweep", "%s", c->state_why.text);
	} else if (t1s_state_ended(s)) {
		say_ended(c);
	} else {
		t1s_check_say(c, GROUP,
			c->state_damaged ? T1S_CHECK_NOTE : T1S_CHECK_GOOD, "sweep",
			"%s is under way: point %zu of %zu, %s%s", s->sweep_id,
			s->point + 1, t1s_state_points(s), t1s_phase_name(s->phase),
			c->state_damaged ? "; state.json is damaged, its previous copy "
					   "is used"
					 : "");
	}
}

void t1s_check_service(struct t1s_checking *c)
{
	check_unit(c);
	check_switches(c);
	check_account(c);
	check_sweep(c);
}
