/* SPDX-License-Identifier: MIT */
#include "base/cleanup.h"
#include "base/text.h"
#include "board/overlay.h"
#include "report/views.h"
#include "verb.h"

#include <errno.h>

#define SET_MIN_HZ 1000U
#define SET_MAX_HZ 125000000U

static int set(const char *path, const struct t1s_node_match *match, const char *text,
	struct t1s_error *e)
{
	cleanup_(t1s_overlay_done) struct t1s_overlay o = {0};
	struct t1s_overlay_node node;
	uint64_t hz;
	int r = t1s_parse_si(text, "Hz", &hz);

	if (r < 0 || hz < SET_MIN_HZ || hz > SET_MAX_HZ)
		return t1s_error_set(e, EINVAL,
			"--set=%s: expected a frequency such as 20M or 500k, 1 kHz to "
			"125 MHz",
			text);
	r = t1s_overlay_load(path, &o, e);
	if (r == 0)
		r = t1s_overlay_find(&o, match, &node, e);
	return r < 0 ? r : t1s_overlay_set(path, &o, &node, (uint32_t)hz, e);
}

int verb_overlay(const struct t1s_args *a)
{
	const char *path = a->operands[0];
	struct t1s_error e = {{0}};
	struct t1s_config c;
	int r = t1s_config_load(a->root, a->config, false, &c, &e);

	if (r < 0)
		return t1s_verb_failed(r, &e);
	if (a->set)
		r = set(path, &c.match, a->set, &e);
	if (r == 0)
		r = t1s_view_overlay(path, c.match.property, a->json, stdout, &e);
	return r < 0 ? t1s_verb_failed(r, &e) : T1S_EXIT_OK;
}
