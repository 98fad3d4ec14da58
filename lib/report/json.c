/* SPDX-License-Identifier: MIT */
/* The report for machines. What is not known is null. */
#include "report/report.h"

#include "base/cleanup.h"
#include "report/fill.h"

#include <errno.h>

static void add_samples(struct t1s_fill *f, const struct t1s_report_point *p)
{
	struct t1s_fill a = {.json = json_object_new_array()};

	for (unsigned int i = 0; a.json && i < p->runs; i++)
		t1s_fill_append(&a, t1s_json_number(6, p->samples[i]), 0);
	t1s_fill_filled(f, "samples_mbit_s", &a);
}

static void append_point(struct t1s_fill *points, const struct t1s_report_point *p)
{
	struct t1s_fill f = {.json = json_object_new_object()};

	if (!f.json) {
		points->r = -ENOMEM;
		return;
	}
	t1s_fill_count(&f, "spi_requested_hz", p->spi_requested_hz);
	t1s_fill_hz(&f, "sclk_predicted_hz", p->sclk_predicted_hz);
	t1s_fill_count(&f, "runs", p->runs);
	t1s_fill_count(&f, "failed", p->failed);
	t1s_fill_rate(&f, "received_mbit_s", p->received_mbit_s);
	t1s_fill_rate(&f, "received_min", p->received_min);
	t1s_fill_rate(&f, "received_max", p->received_max);
	add_samples(&f, p);
	t1s_fill_add(
		&f, "repeats_disagree", json_object_new_boolean(p->repeats_disagree));
	t1s_fill_number(&f, "lost_percent", -1, p->lost_percent);
	t1s_fill_number(&f, "jitter_ms", -1, p->jitter_ms);
	t1s_fill_rate(&f, "asked_mbit_s", p->asked_mbit_s);
	t1s_fill_rate(&f, "offered_mbit_s", p->offered_mbit_s);
	t1s_fill_number(&f, "wire_share", 6, p->wire_share);
	t1s_fill_rate(&f, "spi_ceiling_mbit_s", p->spi_ceiling_mbit_s);
	t1s_fill_text(&f, "verdict", t1s_verdict_name(p->verdict));
	t1s_fill_text(&f, "bound_by", t1s_bound_name(p->bound_by));
	t1s_fill_append(points, f.json, f.r);
}

static void add_points(struct t1s_fill *root, const struct t1s_report *r)
{
	struct t1s_fill a = {.json = json_object_new_array()};

	for (size_t i = 0; a.json && i < r->count; i++)
		append_point(&a, &r->points[i]);
	t1s_fill_filled(root, "points", &a);
}

static void add_not_monotonic(struct t1s_fill *f, const struct t1s_report *r)
{
	struct t1s_fill a = {.json = json_object_new_array()};

	for (size_t i = 0; a.json && i < r->not_monotonic_count; i++)
		t1s_fill_append(&a, json_object_new_int64(r->not_monotonic_hz[i]), 0);
	t1s_fill_filled(f, "not_monotonic", &a);
}

/* One group: {"sclk_predicted_hz", "requested_hz": [...]}. */
static void append_clock(
	struct t1s_fill *groups, const struct t1s_report *r, size_t first, size_t n)
{
	struct t1s_fill f = {.json = json_object_new_object()};
	struct t1s_fill a = {.json = json_object_new_array()};

	if (!f.json) {
		json_object_put(a.json);
		groups->r = -ENOMEM;
		return;
	}
	for (size_t i = first; a.json && i < first + n; i++)
		t1s_fill_append(
			&a, json_object_new_int64(r->points[i].spi_requested_hz), 0);
	t1s_fill_hz(&f, "sclk_predicted_hz", r->points[first].sclk_predicted_hz);
	t1s_fill_filled(&f, "requested_hz", &a);
	t1s_fill_append(groups, f.json, f.r);
}

static void add_clocks(struct t1s_fill *f, const struct t1s_report *r)
{
	struct t1s_fill a = {.json = json_object_new_array()};

	for (size_t i = 0, n; a.json && i < r->count; i += n) {
		n = t1s_report_same_clock(r, i);
		if (n > 1)
			append_clock(&a, r, i, n);
	}
	t1s_fill_filled(f, "one_sclk", &a);
}

static int append_sentence(const char *sentence, void *data)
{
	struct t1s_fill *a = data;

	t1s_fill_append(a, json_object_new_string(sentence), 0);
	return a->r;
}

static void add_sentences(struct t1s_fill *f, const struct t1s_report *r)
{
	struct t1s_fill a = {.json = json_object_new_array()};

	if (a.json)
		a.r = t1s_report_sentences(r, append_sentence, &a);
	t1s_fill_filled(f, "sentences", &a);
}

static void add_summary(struct t1s_fill *root, const struct t1s_report *r)
{
	struct t1s_fill f = {.json = json_object_new_object()};

	if (!f.json) {
		root->r = -ENOMEM;
		return;
	}
	t1s_fill_hz(&f, "lowest_full_hz", r->lowest_full_hz);
	t1s_fill_hz(&f, "original_hz", r->original_hz);
	t1s_fill_number(&f, "margin", -1, r->margin);
	t1s_fill_rate(&f, "wire_limit_mbit_s", r->wire_limit_mbit_s);
	t1s_fill_rate(&f, "best_mbit_s", r->best_mbit_s);
	t1s_fill_hz(&f, "best_hz", r->best_hz);
	add_not_monotonic(&f, r);
	add_clocks(&f, r);
	t1s_fill_rate(&f, "opening_mbit_s", r->opening_mbit_s);
	t1s_fill_rate(&f, "closing_mbit_s", r->closing_mbit_s);
	t1s_fill_hz(&f, "specified_min_hz", r->specified_min_hz);
	t1s_fill_count(&f, "unlike_boots", r->unlike_boots);
	t1s_fill_text(&f, "unlike", r->unlike);
	t1s_fill_number(&f, "full_share", -1, r->full_share);
	t1s_fill_number(&f, "severe_share", -1, r->severe_share);
	t1s_fill_number(&f, "collapse_share", -1, r->collapse_share);
	add_sentences(&f, r);
	t1s_fill_filled(root, "summary", &f);
}

int t1s_report_write_json(const struct t1s_report *r, FILE *out)
{
	cleanup_(t1s_json_putp) struct json_object *json = json_object_new_object();
	struct t1s_fill root = {.json = json};

	if (!json)
		return -ENOMEM;
	t1s_fill_text(&root, "sweep_id", r->sweep_id);
	t1s_fill_text(&root, "overlay", r->overlay);
	t1s_fill_text(&root, "workload", r->workload);
	t1s_fill_text(&root, "first_timestamp", r->first_timestamp);
	t1s_fill_text(&root, "last_timestamp", r->last_timestamp);
	if (r->clock_synchronised < 0)
		t1s_fill_null(&root, "clock_synchronised");
	else
		t1s_fill_add(&root, "clock_synchronised",
			json_object_new_boolean(r->clock_synchronised));
	t1s_fill_count(&root, "length_bytes", r->length_bytes);
	t1s_fill_count(&root, "rows", r->rows);
	t1s_fill_count(&root, "other_rows", r->other_rows);
	add_points(&root, r);
	add_summary(&root, r);
	return t1s_fill_write(&root, out);
}
