/* SPDX-License-Identifier: MIT */
#include "base/cleanup.h"
#include "base/clock.h"
#include "base/path.h"
#include "setup/checking.h"
#include "setup/restriction.h"
#include "sweep/reach.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define GROUP T1S_CHECK_SENDER
#define WAY_SPARE_S 3U
#define CLOCK_APART_MAX_S 60

static void check_key_file(struct t1s_checking *c, const char *path)
{
	const char *shown = t1s_path_below(c->root, path);
	struct stat st;

	/* where it is missing, the login tells */
	if (stat(path, &st) < 0 || !(st.st_mode & 077))
		return;
	t1s_check_remedy(c, "sudo chmod 600 %s", shown);
	t1s_check_say(c, GROUP, T1S_CHECK_NOTE, "key", "%s may be read by others (%04o)",
		shown, st.st_mode & 07777U);
}

static void say_failure(struct t1s_checking *c, enum t1s_sender_failure failure, int r,
	const struct t1s_error *why)
{
	const char *user = c->config.sender_user, *host = c->config.sender_host;

	if (r == -EACCES && !c->as_root) {
		t1s_check_remedy(c, "sudo t1s-sweep check");
		t1s_check_say(c, GROUP, T1S_CHECK_NOTE, "login",
			"not looked at: only root may read the key");
		return;
	}
	if (failure != T1S_SENDER_UNREACHABLE)
		t1s_check_remedy(c, "sudo t1s-sweep pair %s@%s", user, host);
	else if (r == -ECONNREFUSED)
		t1s_check_remedy(c, "on the sender: sudo systemctl enable --now ssh");
	else if (r == -ENXIO)
		t1s_check_remedy(c, "getent hosts %s", host);
	else
		t1s_check_remedy(c, "ping -c 3 %s", host);
	t1s_check_say(c, GROUP, T1S_CHECK_BAD, "login", "%s", why->text);
}

static void log_in(struct t1s_checking *c)
{
	enum t1s_sender_failure failure = T1S_SENDER_OK;
	struct t1s_sender_config settings;
	struct t1s_error why = {{0}};
	int r;

	t1s_reach_settings(c->root, &c->config, &settings);
	check_key_file(c, settings.key_file);
	r = t1s_sender_open(
		&settings, t1s_now_us() + T1S_REACH_TRY_US, &c->sender, &failure, &why);
	if (r < 0) {
		say_failure(c, failure, r, &why);
		return;
	}
	t1s_check_say(c, GROUP, T1S_CHECK_GOOD, "login",
		"%s@%s shows the pinned host key and takes ours", settings.user,
		settings.host);
}

static void check_restriction(struct t1s_checking *c)
{
	const char *user = c->config.sender_user, *host = c->config.sender_host;
	enum t1s_restriction restriction = T1S_RESTRICTION_NONE;
	struct t1s_error why = {{0}};
	int r = t1s_restriction_ask(c->sender, &c->config, &restriction, &why);

	if (r == 0 && restriction == T1S_RESTRICTION_NONE) {
		t1s_check_remedy(c, "sudo t1s-sweep pair %s@%s", user, host);
		t1s_check_say(c, GROUP, T1S_CHECK_NOTE, "restriction",
			"our key may run anything there");
		return;
	}
	if (r == 0)
		r = t1s_restriction_try(c->sender, &c->config, &why);
	if (r == 0) {
		t1s_check_say(c, GROUP, T1S_CHECK_GOOD, "restriction",
			"our key may run a sweep's commands, and no others");
		return;
	}
	if (r == -EACCES)
		t1s_check_remedy(c, "sudo t1s-sweep pair %s@%s", user, host);
	t1s_check_say(c, GROUP, r == -EACCES ? T1S_CHECK_BAD : T1S_CHECK_NOTE,
		"restriction", "%s", why.text);
}

static void check_version(struct t1s_checking *c)
{
	char version[T1S_REACH_VERSION_MAX];
	struct t1s_error why = {{0}};
	int r = t1s_reach_version(c->sender, &c->config, version, &why);

	if (r == 0) {
		t1s_check_iperf(c, GROUP, version, true);
		return;
	}
	t1s_check_remedy(c, "ssh -t %s@%s sudo apt install iperf3", c->config.sender_user,
		c->config.sender_host);
	t1s_check_say(c, GROUP, T1S_CHECK_BAD, "iperf3", "%s", why.text);
}

static void ask_way(struct t1s_checking *c)
{
	cleanup_(t1s_sender_output_done) struct t1s_sender_output out = {0};
	char command[1024];
	int r = t1s_sender_way_command(c->config.receiver_address,
		c->config.sender_address, command, sizeof(command));

	if (r == 0)
		r = t1s_sender_run(c->sender, command, T1S_SENDER_WAY_MAX_BYTES,
			t1s_now_us() +
				(T1S_SENDER_WAY_S + WAY_SPARE_S) * T1S_USEC_PER_SEC,
			NULL, NULL, &out, NULL);
	if (r < 0)
		return;
	t1s_sender_way_read(out.out, c->config.sender_address, &c->way);
	c->have_way = true;
}

/* To the second only, and the answer took its time. */
static void check_clock(struct t1s_checking *c)
{
	const int64_t ours_s = (int64_t)(t1s_wall_us() / T1S_USEC_PER_SEC);
	const int64_t apart_s = c->have_way ? c->way.time_s - ours_s : 0;

	if (!c->have_way || c->way.time_s < 0) {
		t1s_check_say(c, GROUP, T1S_CHECK_NOTE, "clock", "it does not tell");
		return;
	}
	if (llabs(apart_s) <= CLOCK_APART_MAX_S) {
		t1s_check_say(c, GROUP, T1S_CHECK_GOOD, "clock",
			"within a minute of this machine's");
		return;
	}
	t1s_check_remedy(c, "ssh -t %s@%s sudo timedatectl set-ntp true",
		c->config.sender_user, c->config.sender_host);
	t1s_check_say(c, GROUP, T1S_CHECK_NOTE, "clock",
		"%" PRId64 " s %s this machine's: its logs and ours will not go together",
		(int64_t)llabs(apart_s), apart_s > 0 ? "ahead of" : "behind");
}

void t1s_check_sender(struct t1s_checking *c)
{
	if (!c->complete || c->at_rest) {
		t1s_check_say(c, GROUP, T1S_CHECK_NOTE, "login", "not looked at: %s",
			c->at_rest ? "this tree is a card at rest"
				   : "the configuration does not say where it is");
		return;
	}
	log_in(c);
	if (!c->sender)
		return;
	check_restriction(c);
	check_version(c);
	ask_way(c);
	check_clock(c);
}
