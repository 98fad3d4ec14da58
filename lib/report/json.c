/* SPDX-License-Identifier: MIT */
/* The report for machines. What is not known is null. */
#include "report/report.h"

#include "base/cleanup.h"

#include <errno.h>
#include <json-c/json.h>
#include <math.h>
#include <stdlib.h>

/* An object or array being filled; the first failure stays. */
struct filling {
	struct json_object *json;
	int r;
};

static void json_putp(struct json_object **o)
{
	json_object_put(*o);
}

static void add(struct filling *f, const char *key, struct json_object *value)
{
	if (value && json_object_object_add(f->json, key, value) == 0)
		return;
	json_object_put(value);
	f->r = -ENOMEM;
}

static void add_null(struct filling *f, const char *key)
{
	if (json_object_object_add(f->json, key, NULL) != 0)
		f->r = -ENOMEM;
}

/* @places: behind the point; -1: as few digits as give the same number back. */
static struct json_object *number(int places, double v)
{
	char text[512];

	if (places >= 0)
		(void)snprintf(text, sizeof(text), "%.*f", places, v);
	for (int digits = 15; places < 0 && digits <= 17; digits++) {
		(void)snprintf(text, sizeof(text), "%.*g", digits, v);
		if (strtod(text, NULL) == v)
			break;
	}
	return json_object_new_double_s(v, text);
}

static void add_number(struct filling *f, const char *key, int places, double v)
{
	if (isfinite(v))
		add(f, key, number(places, v));
	else
		add_null(f, key);
}

static void add_rate(struct filling *f, const char *key, double mbit_s)
{
	add_number(f, key, 6, mbit_s);
}

static void add_count(struct filling *f, const char *key, int64_t n)
{
	add(f, key, json_object_new_int64(n));
}

/* A frequency, where 0 is "not known". */
static void add_hz(struct filling *f, const char *key, uint32_t hz)
{
	if (hz)
		add_count(f, key, hz);
	else
		add_null(f, key);
}

static void add_text(struct filling *f, const char *key, const char *text)
{
	if (text && text[0])
		add(f, key, json_object_new_string(text));
	else
		add_null(f, key);
}

/* Puts an element into an array, together with what failed while it was made. */
static void append(struct filling *array, struct json_object *element, int r)
{
	if (r < 0)
		array->r = r;
	if (element && json_object_array_add(array->json, element) == 0)
		return;
	json_object_put(element);
	array->r = -ENOMEM;
}

static void add_filled(struct filling *f, const char *key, const struct filling *value)
{
	if (value->r < 0)
		f->r = value->r;
	add(f, key, value->json);
}

static void add_samples(struct filling *f, const struct t1s_report_point *p)
{
	struct filling a = {.json = json_object_new_array()};

	for (unsigned int i = 0; a.json && i < p->runs; i++)
		append(&a, number(6, p->samples[i]), 0);
	add_filled(f, "samples_mbit_s", &a);
}

static void append_point(struct filling *points, const struct t1s_report_point *p)
{
	struct filling f = {.json = json_object_new_object()};

	if (!f.json) {
		points->r = -ENOMEM;
		return;
	}
	add_count(&f, "spi_requested_hz", p->spi_requested_hz);
	add_hz(&f, "sclk_predicted_hz", p->sclk_predicted_hz);
	add_count(&f, "runs", p->runs);
	add_count(&f, "failed", p->failed);
	add_rate(&f, "received_mbit_s", p->received_mbit_s);
	add_rate(&f, "received_min", p->received_min);
	add_rate(&f, "received_max", p->received_max);
	add_samples(&f, p);
	add(&f, "repeats_disagree", json_object_new_boolean(p->repeats_disagree));
	add_number(&f, "lost_percent", -1, p->lost_percent);
	add_number(&f, "jitter_ms", -1, p->jitter_ms);
	add_rate(&f, "asked_mbit_s", p->asked_mbit_s);
	add_rate(&f, "offered_mbit_s", p->offered_mbit_s);
	add_number(&f, "wire_share", 6, p->wire_share);
	add_rate(&f, "spi_ceiling_mbit_s", p->spi_ceiling_mbit_s);
	add_text(&f, "verdict", t1s_verdict_name(p->verdict));
	add_text(&f, "bound_by", t1s_bound_name(p->bound_by));
	append(points, f.json, f.r);
}

static void add_points(struct filling *root, const struct t1s_report *r)
{
	struct filling a = {.json = json_object_new_array()};

	for (size_t i = 0; a.json && i < r->count; i++)
		append_point(&a, &r->points[i]);
	add_filled(root, "points", &a);
}

static void add_not_monotonic(struct filling *f, const struct t1s_report *r)
{
	struct filling a = {.json = json_object_new_array()};

	for (size_t i = 0; a.json && i < r->not_monotonic_count; i++)
		append(&a, json_object_new_int64(r->not_monotonic_hz[i]), 0);
	add_filled(f, "not_monotonic", &a);
}

/* One group: {"sclk_predicted_hz", "requested_hz": [...]}. */
static void append_clock(
	struct filling *groups, const struct t1s_report *r, size_t first, size_t n)
{
	struct filling f = {.json = json_object_new_object()};
	struct filling a = {.json = json_object_new_array()};

	if (!f.json) {
		json_object_put(a.json);
		groups->r = -ENOMEM;
		return;
	}
	for (size_t i = first; a.json && i < first + n; i++)
		append(&a, json_object_new_int64(r->points[i].spi_requested_hz), 0);
	add_hz(&f, "sclk_predicted_hz", r->points[first].sclk_predicted_hz);
	add_filled(&f, "requested_hz", &a);
	append(groups, f.json, f.r);
}

static void add_clocks(struct filling *f, const struct t1s_report *r)
{
	struct filling a = {.json = json_object_new_array()};

	for (size_t i = 0, n; a.json && i < r->count; i += n) {
		n = t1s_report_same_clock(r, i);
		if (n > 1)
			append_clock(&a, r, i, n);
	}
	add_filled(f, "one_sclk", &a);
}

static int append_sentence(const char *sentence, void *data)
{
	struct filling *a = data;

	append(a, json_object_new_string(sentence), 0);
	return a->r;
}

static void add_sentences(struct filling *f, const struct t1s_report *r)
{
	struct filling a = {.json = json_object_new_array()};

	if (a.json)
		a.r = t1s_report_sentences(r, append_sentence, &a);
	add_filled(f, "sentences", &a);
}

static void add_summary(struct filling *root, const struct t1s_report *r)
{
	struct filling f = {.json = json_object_new_object()};

	if (!f.json) {
		root->r = -ENOMEM;
		return;
	}
	add_hz(&f, "lowest_full_hz", r->lowest_full_hz);
	add_hz(&f, "original_hz", r->original_hz);
	add_number(&f, "margin", -1, r->margin);
	add_rate(&f, "wire_limit_mbit_s", r->wire_limit_mbit_s);
	add_rate(&f, "best_mbit_s", r->best_mbit_s);
	add_hz(&f, "best_hz", r->best_hz);
	add_not_monotonic(&f, r);
	add_clocks(&f, r);
	add_rate(&f, "opening_mbit_s", r->opening_mbit_s);
	add_rate(&f, "closing_mbit_s", r->closing_mbit_s);
	add_hz(&f, "specified_min_hz", r->specified_min_hz);
	add_number(&f, "full_share", -1, r->full_share);
	add_number(&f, "severe_share", -1, r->severe_share);
	add_number(&f, "collapse_share", -1, r->collapse_share);
	add_sentences(&f, r);
	add_filled(root, "summary", &f);
}

int t1s_report_write_json(const struct t1s_report *r, FILE *out)
{
	cleanup_(json_putp) struct json_object *json = json_object_new_object();
	struct filling root = {.json = json};
	const char *text;

	if (!json)
		return -ENOMEM;
	add_text(&root, "sweep_id", r->sweep_id);
	add_text(&root, "overlay", r->overlay);
	add_text(&root, "workload", r->workload);
	add_text(&root, "first_timestamp", r->first_timestamp);
	add_text(&root, "last_timestamp", r->last_timestamp);
	add_count(&root, "length_bytes", r->length_bytes);
	add_count(&root, "rows", r->rows);
	add_count(&root, "other_rows", r->other_rows);
	add_points(&root, r);
	add_summary(&root, r);
	text = json_object_to_json_string_ext(
		json, JSON_C_TO_STRING_PRETTY | JSON_C_TO_STRING_SPACED |
			      JSON_C_TO_STRING_NOSLASHESCAPE);
	if (root.r < 0 || !text)
		return -ENOMEM;
	(void)fprintf(out, "%s\n", text);
	return fflush(out) == 0 && !ferror(out) ? 0 : -EIO;
}
