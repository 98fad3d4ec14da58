/* SPDX-License-Identifier: MIT */
#include "base/cleanup.h"
#include "base/clock.h"
#include "report/fill.h"
#include "report/views.h"
#include "sweep/schedule.h"
#include "sweep/state.h"
#include "sweep/target.h"

#include <errno.h>
#include <string.h>

struct status {
	struct t1s_state state;
	bool have_state;
	uint32_t live_hz;            /* 0: the live tree could not be read */
	char eta[T1S_TIMESTAMP_MAX]; /* "" where the sweep has ended, or it is not known
				      */
};

static void gather_rest(
	const char *root, const struct t1s_config *c, bool have_config, struct status *s)
{
	struct t1s_live_node live;
	uint64_t left_us;
	size_t next;

	if (t1s_live_find(root, &s->state.overlay.match, &live, NULL) == 0)
		s->live_hz = live.freq_hz;
	if (!have_config || t1s_state_ended(&s->state))
		return;
	next = s->state.phase == T1S_PHASE_RESTORING ? t1s_state_points(&s->state)
						     : s->state.point;
	left_us = t1s_schedule_left_us(&s->state, c, next);
	if (left_us > 0)
		t1s_format_timestamp(t1s_wall_us() + left_us, s->eta);
}

static int write_json(const struct status *s, FILE *out)
{
	cleanup_(t1s_json_putp) struct json_object *json = json_object_new_object();
	struct t1s_fill f = {.json = json};
	const struct t1s_state *st = &s->state;

	if (!json)
		return -ENOMEM;
	t1s_fill_text(&f, "sweep_id", st->sweep_id);
	t1s_fill_text(&f, "phase", s->have_state ? t1s_phase_name(st->phase) : NULL);
	t1s_fill_text(&f, "reason", st->reason);
	t1s_fill_text(&f, "search",
		!s->have_state         ? NULL
		: st->search.count > 0 ? "knee"
				       : "all");
	t1s_fill_known_count(&f, "point", s->have_state ? (int64_t)st->point + 1 : -1);
	t1s_fill_known_count(
		&f, "points", s->have_state ? (int64_t)t1s_state_points(st) : -1);
	t1s_fill_hz(&f, "expected_hz", st->expected_hz);
	t1s_fill_hz(&f, "original_hz", st->original_hz);
	t1s_fill_hz(&f, "live_hz", s->live_hz);
	t1s_fill_known_count(&f, "boots", s->have_state ? (int64_t)st->boots : -1);
	t1s_fill_text(&f, "eta", s->eta);
	return t1s_fill_write(&f, out);
}

static void write_freq(FILE *out, const char *what, uint32_t hz)
{
	if (hz > 0)
		(void)fprintf(out, "%s%.3f MHz\n", what, (double)hz / 1e6);
	else
		(void)fprintf(out, "%snot known\n", what);
}

static int write_text(const struct status *s, FILE *out)
{
	const struct t1s_state *st = &s->state;
	const bool open = st->search.count > 0 && !t1s_state_ended(st);

	if (!s->have_state) {
		(void)fprintf(out,
			"No sweep was ever begun here. To begin one: systemctl enable "
			"t1s-sweep, then reboot.\n");
		return fflush(out) == 0 ? 0 : -EIO;
	}
	(void)fprintf(out, "sweep      %s\nphase      %s%s%s\n", st->sweep_id,
		t1s_phase_name(st->phase), st->reason[0] ? ": " : "", st->reason);
	(void)fprintf(out, "point      %zu of %s%zu%s (%.3f MHz)\n", st->point + 1,
		open ? "at most " : "", t1s_state_points(st),
		open ? " unless results disagree" : "",
		(double)st->plan.points[st->point].freq_hz / 1e6);
	write_freq(out, "expected   ", st->expected_hz);
	write_freq(out, "live       ", s->live_hz);
	write_freq(out, "original   ", st->original_hz);
	(void)fprintf(out, "boots      %u\n", st->boots);
	if (s->eta[0])
		(void)fprintf(out, "done about %s\n", s->eta);
	(void)fprintf(out, "results    /var/lib/t1s-sweep/results/%s/results.csv\n",
		st->sweep_id);
	return fflush(out) == 0 && !ferror(out) ? 0 : -EIO;
}

int t1s_view_status(const char *root, const char *config_path, bool json, FILE *out,
	struct t1s_error *e)
{
	struct status s = {0};
	struct t1s_config c;
	bool damaged;
	int r = t1s_state_load(root, &s.state, &damaged, e);

	if (r < 0 && r != -ENOENT)
		return r;
	s.have_state = r == 0;
	if (s.have_state)
		gather_rest(root, &c,
			t1s_config_load(root, config_path, false, &c, NULL) == 0, &s);
	r = json ? write_json(&s, out) : write_text(&s, out);
	if (s.have_state)
		t1s_state_done(&s.state);
	return r < 0 ? t1s_error_set(e, -r, "cannot write the status") : 0;
}
