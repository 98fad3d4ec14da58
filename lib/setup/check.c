/* SPDX-License-Identifier: MIT */
#include "setup/check.h"

#include "base/cleanup.h"
#include "base/log.h"
#include "base/path.h"
#include "board/bootconf.h"
#include "board/power.h"
#include "setup/checking.h"
#include "sweep/target.h"

#include <errno.h>
#include <stdarg.h>
#include <string.h>
#include <unistd.h>

static const struct {
	const char *title, *key;
} groups[] = {
	[T1S_CHECK_CONFIGURATION] = {"Configuration", "configuration"},
	[T1S_CHECK_SENDER] = {"Sender", "sender"},
	[T1S_CHECK_LINK] = {"T1S link", "link"},
	[T1S_CHECK_TREE] = {"Device tree and boot", "device-tree"},
	[T1S_CHECK_STORAGE] = {"Storage", "storage"},
	[T1S_CHECK_MACHINE] = {"Power and clock", "machine"},
	[T1S_CHECK_SERVICE] = {"Service", "service"},
};

const char *t1s_check_group_title(enum t1s_check_group g)
{
	return groups[g].title;
}

const char *t1s_check_group_key(enum t1s_check_group g)
{
	return groups[g].key;
}

const char *t1s_check_mark_name(enum t1s_check_mark m)
{
	static const char *const names[] = {
		[T1S_CHECK_GOOD] = "good",
		[T1S_CHECK_NOTE] = "note",
		[T1S_CHECK_BAD] = "bad",
	};

	return names[m];
}

void t1s_check_remedy(struct t1s_checking *c, const char *format, ...)
{
	va_list ap;

	va_start(ap, format);
	(void)vsnprintf(c->item.remedy, sizeof(c->item.remedy), format, ap);
	va_end(ap);
}

void t1s_check_say(struct t1s_checking *c, enum t1s_check_group group,
	enum t1s_check_mark mark, const char *name, const char *format, ...)
{
	va_list ap;

	c->item.group = group;
	c->item.mark = mark;
	c->item.name = name;
	va_start(ap, format);
	(void)vsnprintf(c->item.found, sizeof(c->item.found), format, ap);
	va_end(ap);
	/* some of it comes from files and from the sender */
	t1s_printable(c->item.found);
	t1s_printable(c->item.remedy);
	c->result.of[mark]++;
	c->fn(&c->item, c->data);
	c->item.remedy[0] = '\0';
}

bool t1s_check_is_under_way(const struct t1s_checking *c)
{
	return c->state_r == 0 && !t1s_state_ended(&c->state);
}

static void find_boot_folder(struct t1s_checking *c)
{
	char folder[PATH_MAX];
	const char *below = "/boot/firmware";

	if (t1s_boot_folder(c->root, folder, NULL) == 0)
		below = t1s_path_below(c->root, folder);
	(void)snprintf(c->boot_folder, sizeof(c->boot_folder), "%s", below);
}

/* What more than one group looks at. */
static void gather(struct t1s_checking *c)
{
	char boot_id[T1S_BOOT_ID_MAX];
	const struct t1s_node_match *match;

	c->as_root = geteuid() == 0;
	find_boot_folder(c);
	c->at_rest = c->root[0] && t1s_boot_id(c->root, boot_id, NULL) == -ENOENT;
	c->complete = t1s_config_load(c->root, c->config_path, true, &c->config,
			      &c->config_why) == 0;
	c->have_config = c->complete || t1s_config_load(c->root, c->config_path, false,
						&c->config, NULL) == 0;
	c->state_r = t1s_state_load(c->root, &c->state, &c->state_damaged, &c->state_why);
	match = t1s_check_is_under_way(c) ? &c->state.overlay.match : &c->config.match;
	c->live_r = c->at_rest || !c->have_config
			    ? -ENODATA
			    : t1s_target_live(c->root, match, 0, &c->live, &c->live_why);
}

void t1s_check_run(const char *root, const char *config_path, bool trial,
	void (*fn)(const struct t1s_check_item *item, void *data), void *data,
	struct t1s_check_result *ret)
{
	static void (*const all[])(struct t1s_checking *) = {t1s_check_configuration,
		t1s_check_sender, t1s_check_link, t1s_check_tree, t1s_check_storage,
		t1s_check_machine, t1s_check_service};
	struct t1s_checking c = {.root = root,
		.config_path = config_path,
		.trial = trial,
		.fn = fn,
		.data = data};

	gather(&c);
	for (size_t i = 0; i < T1S_ELEMENTSOF(all); i++)
		all[i](&c);
	c.result.under_way = t1s_check_is_under_way(&c);
	t1s_sender_close(c.sender);
	if (c.state_r == 0)
		t1s_state_done(&c.state);
	*ret = c.result;
}
