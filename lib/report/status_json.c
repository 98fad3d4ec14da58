/* SPDX-License-Identifier: MIT */
#include "base/cleanup.h"
#include "base/clock.h"
#include "report/fill.h"
#include "report/status.h"
#include "sweep/search.h"

#include <errno.h>

static void add_time(struct t1s_fill *f, const char *key, uint64_t wall_us)
{
	char text[T1S_TIMESTAMP_MAX] = "";

	if (wall_us > 0)
		t1s_format_timestamp(wall_us, text);
	t1s_fill_text(f, key, text);
}

static void add_service(struct t1s_fill *root, const struct t1s_status *s)
{
	struct t1s_fill f = {.json = json_object_new_object()};
	char sentence[512];

	if (!f.json) {
		root->r = -ENOMEM;
		return;
	}
	t1s_status_sentence(s, sentence, sizeof(sentence));
	t1s_fill_text(&f, "doing", sentence);
	t1s_fill_text(&f, "active", s->doing.active);
	t1s_fill_text(&f, "status", s->doing.status);
	t1s_fill_text(&f, "enabled", s->enabled);
	t1s_fill_text(&f, "switched_off", s->switched_off);
	add_time(&f, "reboot_at", s->doing.reboot_wall_us);
	t1s_fill_filled(root, "service", &f);
}

static void append_point(struct t1s_fill *a, const struct t1s_status_point *p)
{
	struct t1s_fill f = {.json = json_object_new_object()};

	if (!f.json) {
		a->r = -ENOMEM;
		return;
	}
	t1s_fill_count(&f, "point", (int64_t)p->point);
	t1s_fill_hz(&f, "spi_requested_hz", p->freq_hz);
	t1s_fill_count(&f, "runs", p->rows);
	t1s_fill_text(&f, "status", t1s_run_status_name(p->last));
	t1s_fill_rate(&f, "received_mbit_s", t1s_values_median(&p->received));
	t1s_fill_number(&f, "lost_percent", -1, t1s_values_median(&p->lost));
	t1s_fill_append(a, f.json, f.r);
}

static void add_results(struct t1s_fill *root, const struct t1s_status *s)
{
	struct t1s_fill a = {.json = json_object_new_array()};

	for (size_t i = 0; a.json && i < s->points_count; i++)
		append_point(&a, &s->points[i]);
	t1s_fill_filled(root, "results", &a);
}

static void add_sweep(struct t1s_fill *f, const struct t1s_state *st)
{
	const unsigned int pass = st->plan.points[st->point].pass;

	t1s_fill_text(f, "sweep_id", st->sweep_id);
	t1s_fill_text(f, "phase", t1s_phase_name(st->phase));
	t1s_fill_text(f, "reason", st->reason);
	t1s_fill_text(f, "search", t1s_search_is_on(st) ? "knee" : "all");
	t1s_fill_count(f, "point", (int64_t)st->point + 1);
	t1s_fill_count(f, "points", (int64_t)t1s_state_points(st));
	t1s_fill_known_count(f, "pass", pass > 0 ? (int64_t)pass : -1);
	t1s_fill_hz(f, "point_hz", st->plan.points[st->point].freq_hz);
	t1s_fill_hz(f, "expected_hz", st->expected_hz);
	t1s_fill_hz(f, "original_hz", st->original_hz);
	t1s_fill_count(f, "boots", (int64_t)st->boots);
}

static void add_no_sweep(struct t1s_fill *f)
{
	static const char *const keys[] = {"sweep_id", "phase", "reason", "search",
		"point", "points", "pass", "point_hz", "expected_hz", "original_hz",
		"boots"};

	for (size_t i = 0; i < T1S_ELEMENTSOF(keys); i++)
		t1s_fill_null(f, keys[i]);
}

int t1s_status_write_json(const struct t1s_status *s, FILE *out)
{
	cleanup_(t1s_json_putp) struct json_object *json = json_object_new_object();
	struct t1s_fill f = {.json = json};

	if (!json)
		return -ENOMEM;
	if (s->have_state)
		add_sweep(&f, &s->state);
	else
		add_no_sweep(&f);
	t1s_fill_hz(&f, "live_hz", s->live_hz);
	t1s_fill_hz(&f, "next_hz", s->next_hz);
	add_time(&f, "eta", s->end_wall_us);
	t1s_fill_text(&f, "workload", s->workload);
	add_results(&f, s);
	add_service(&f, s);
	return t1s_fill_write(&f, out);
}
