/* SPDX-License-Identifier: MIT */
/* The report for machines. What is not known is null. */
#include "report/report.h"

#include "base/cleanup.h"
#include "report/fill.h"

#include <errno.h>

static void add_samples(struct t1s_fill *f, const struct t1s_report_point *p)
{
	struct t1s_fill a = {.json = json_object_new_array()};

	if (p->runs > p->samples_count) {
		json_object_put(a.json);
		t1s_fill_null(f, "samples_mbit_s");
		return;
	}
	for (size_t i = 0; a.json && i < p->samples_count; i++)
		t1s_fill_append(&a, t1s_json_number(6, p->samples[i]), 0);
	t1s_fill_filled(f, "samples_mbit_s", &a);
}

static const struct {
	enum t1s_mean mean;
	const char *key;
} means[] = {
	{T1S_MEAN_LOST_PACKETS, "lost_packets"},
	{T1S_MEAN_CPU_BUSY, "cpu_busy_percent"},
	{T1S_MEAN_CPU_SYSTEM, "cpu_system_percent"},
	{T1S_MEAN_CPU_SOFTIRQ, "cpu_softirq_percent"},
	{T1S_MEAN_IRQ_SPI, "irq_spi_per_s"},
	{T1S_MEAN_IRQ_MAC, "irq_mac_per_s"},
	{T1S_MEAN_SPI_ERRORS, "spi_errors"},
	{T1S_MEAN_RX_DROPPED, "rx_dropped"},
	{T1S_MEAN_SOFTNET_DROPPED, "softnet_dropped"},
};

static void add_groups(struct t1s_fill *f, const char *key, const struct t1s_groups *g)
{
	struct t1s_fill o = {0};

	if (g->low_count == 0) {
		t1s_fill_null(f, key);
		return;
	}
	o.json = json_object_new_object();
	if (!o.json) {
		f->r = -ENOMEM;
		return;
	}
	t1s_fill_count(&o, "low_count", (int64_t)g->low_count);
	t1s_fill_rate(&o, "low_mbit_s", g->low);
	t1s_fill_count(&o, "high_count", (int64_t)g->high_count);
	t1s_fill_rate(&o, "high_mbit_s", g->high);
	t1s_fill_filled(f, key, &o);
}

/* What a reader of the table would see at a glance. */
static void add_marks(struct t1s_fill *f, const struct t1s_report *r, size_t i)
{
	const struct t1s_report_point *p = &r->points[i];
	struct t1s_fill a = {.json = json_object_new_array()};

	if (a.json && (p->groups.low_count || p->lower_group))
		t1s_fill_append(&a, json_object_new_string("two groups"), 0);
	if (a.json && t1s_report_is_one_clock(r, i))
		t1s_fill_append(&a, json_object_new_string("one clock"), 0);
	t1s_fill_filled(f, "marks", &a);
}

static void append_point(struct t1s_fill *points, const struct t1s_report *r, size_t i)
{
	const struct t1s_report_point *p = &r->points[i];
	struct t1s_fill f = {.json = json_object_new_object()};

	if (!f.json) {
		points->r = -ENOMEM;
		return;
	}
	t1s_fill_hz(&f, "spi_requested_hz", p->spi_requested_hz);
	t1s_fill_hz(&f, "sclk_predicted_hz", p->sclk_predicted_hz);
	t1s_fill_count(&f, "runs", p->runs);
	t1s_fill_count(&f, "failed", p->failed);
	t1s_fill_rate(&f, "received_mbit_s", p->received_mbit_s);
	t1s_fill_rate(&f, "received_min", p->received_min);
	t1s_fill_rate(&f, "received_max", p->received_max);
	t1s_fill_rate(&f, "received_interval_low", p->received_interval.low);
	t1s_fill_rate(&f, "received_interval_high", p->received_interval.high);
	add_samples(&f, p);
	add_groups(&f, "two_groups", &p->groups);
	add_marks(&f, r, i);
	t1s_fill_add(
		&f, "repeats_disagree", json_object_new_boolean(p->repeats_disagree));
	t1s_fill_number(&f, "lost_percent", -1, p->lost_percent);
	t1s_fill_number(&f, "jitter_ms", -1, p->jitter_ms);
	t1s_fill_rate(&f, "asked_mbit_s", p->asked_mbit_s);
	t1s_fill_rate(&f, "offered_mbit_s", p->offered_mbit_s);
	t1s_fill_number(&f, "cpu_core_percent", -1, p->cpu_core_percent);
	for (size_t m = 0; m < T1S_ELEMENTSOF(means); m++)
		t1s_fill_number(&f, means[m].key, 3, p->means[means[m].mean]);
	t1s_fill_number(&f, "wire_share", 6, p->wire_share);
	t1s_fill_rate(&f, "spi_ceiling_mbit_s", p->spi_ceiling_mbit_s);
	t1s_fill_text(&f, "verdict", t1s_verdict_name(p->verdict));
	t1s_fill_text(&f, "bound_by", t1s_bound_name(p->bound_by));
	t1s_fill_text(&f, "bound_because", p->bound_because);
	t1s_fill_append(points, f.json, f.r);
}

static void add_points(struct t1s_fill *root, const struct t1s_report *r)
{
	struct t1s_fill a = {.json = json_object_new_array()};

	for (size_t i = 0; a.json && i < r->count; i++)
		append_point(&a, r, i);
	t1s_fill_filled(root, "points", &a);
}

static void add_frequencies(
	struct t1s_fill *f, const char *key, const uint32_t *hz, size_t count)
{
	struct t1s_fill a = {.json = json_object_new_array()};

	for (size_t i = 0; a.json && i < count; i++)
		t1s_fill_append(&a, json_object_new_int64(hz[i]), 0);
	t1s_fill_filled(f, key, &a);
}

/* {"low_mbit_s", …, "low_hz": [...], "high_hz": [...]}, or null. */
static void add_plateau(struct t1s_fill *f, const struct t1s_report *r)
{
	static const char *const keys[] = {"high_hz", "low_hz"};
	struct json_object *groups;

	add_groups(f, "two_groups", &r->plateau);
	if (r->plateau.low_count == 0 ||
		!json_object_object_get_ex(f->json, "two_groups", &groups))
		return;
	for (size_t k = 0; k < T1S_ELEMENTSOF(keys); k++) {
		struct t1s_fill a = {.json = json_object_new_array()};
		struct t1s_fill g = {.json = groups};

		for (size_t i = 0; a.json && i < r->count; i++)
			if (r->points[i].on_plateau &&
				r->points[i].lower_group == (k == 1))
				t1s_fill_append(&a,
					json_object_new_int64(
						r->points[i].spi_requested_hz),
					0);
		t1s_fill_filled(&g, keys[k], &a);
		f->r = g.r < 0 ? g.r : f->r;
	}
}

/* One group: {"sclk_predicted_hz", "requested_hz": [...]}; the SCLK is null where the
 * requests only read as one. */
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
		n = r->points[i].reads_as_next ? 2 : t1s_report_same_clock(r, i);
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

typedef int (*tell_fn)(const struct t1s_report *r,
	int (*fn)(const char *sentence, void *data), void *data);

static void add_sentences(
	struct t1s_fill *f, const char *key, const struct t1s_report *r, tell_fn tell)
{
	struct t1s_fill a = {.json = json_object_new_array()};

	if (a.json)
		a.r = tell(r, append_sentence, &a);
	t1s_fill_filled(f, key, &a);
}

static void add_in_short(struct t1s_fill *f, const struct t1s_report *r)
{
	cleanup_free char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	if (!out) {
		f->r = -ENOMEM;
		return;
	}
	(void)t1s_report_in_short(r, out);
	if (fclose(out) == 0)
		t1s_fill_text(f, "in_short", text);
	else
		f->r = -ENOMEM;
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
	add_frequencies(&f, "not_monotonic", r->not_monotonic_hz, r->not_monotonic_count);
	add_frequencies(&f, "undecided", r->undecided_hz, r->undecided_count);
	add_plateau(&f, r);
	add_clocks(&f, r);
	t1s_fill_rate(&f, "opening_mbit_s", r->opening_mbit_s);
	t1s_fill_rate(&f, "closing_mbit_s", r->closing_mbit_s);
	t1s_fill_number(&f, "drift_percent", 1, t1s_report_drift_percent(r));
	t1s_fill_text(&f, "interval_method", T1S_INTERVAL_METHOD);
	t1s_fill_hz(&f, "specified_min_hz", r->specified_min_hz);
	t1s_fill_count(&f, "unlike_boots", r->unlike_boots);
	t1s_fill_text(&f, "unlike", r->unlike);
	t1s_fill_number(&f, "full_share", -1, r->full_share);
	t1s_fill_number(&f, "severe_share", -1, r->severe_share);
	t1s_fill_number(&f, "collapse_share", -1, r->collapse_share);
	add_in_short(&f, r);
	add_sentences(&f, "sentences", r, t1s_report_sentences);
	add_sentences(&f, "limits", r, t1s_report_limits);
	t1s_fill_filled(root, "summary", &f);
}

static void add_conditions(struct t1s_fill *root, const struct t1s_report *r)
{
	struct t1s_fill a = {.json = json_object_new_array()};

	for (size_t i = 0; a.json && i < r->conditions_count; i++) {
		const struct t1s_condition_line *c = &r->conditions[i];
		struct t1s_fill f = {.json = json_object_new_object()};

		if (!f.json) {
			a.r = -ENOMEM;
			break;
		}
		t1s_fill_text(&f, "name", c->name);
		t1s_fill_text(&f, "value", c->value);
		t1s_fill_add(&f, "changed", json_object_new_boolean(c->changed));
		t1s_fill_append(&a, f.json, f.r);
	}
	t1s_fill_filled(root, "conditions", &a);
}

static void fill_report(struct t1s_fill *f, const struct t1s_report *r)
{
	t1s_fill_text(f, "sweep_id", r->sweep_id);
	t1s_fill_text(f, "receiver_host", r->host);
	t1s_fill_text(f, "overlay", r->overlay);
	t1s_fill_text(f, "workload", r->workload);
	t1s_fill_text(f, "protocol", r->protocol);
	t1s_fill_text(f, "direction", r->direction);
	t1s_fill_text(f, "first_timestamp", r->first_timestamp);
	t1s_fill_text(f, "last_timestamp", r->last_timestamp);
	if (r->clock_synchronised < 0)
		t1s_fill_null(f, "clock_synchronised");
	else
		t1s_fill_add(f, "clock_synchronised",
			json_object_new_boolean(r->clock_synchronised));
	t1s_fill_count(f, "length_bytes", r->length_bytes);
	t1s_fill_count(f, "rows", r->rows);
	t1s_fill_count(f, "other_rows", r->other_rows);
	t1s_fill_known_count(f, "boots", r->boots > 0 ? r->boots : -1);
	t1s_fill_known_count(f, "passes", r->passes > 0 ? r->passes : -1);
	t1s_fill_known_count(f, "seed", r->seed);
	t1s_fill_number(f, "temperature_min_c", -1, r->temperature_min_c);
	t1s_fill_number(f, "temperature_max_c", -1, r->temperature_max_c);
	add_conditions(f, r);
	add_points(f, r);
	add_summary(f, r);
}

static void append_report(struct t1s_fill *array, const struct t1s_report *r)
{
	struct t1s_fill f = {.json = json_object_new_object()};

	if (f.json)
		fill_report(&f, r);
	else
		f.r = -ENOMEM;
	t1s_fill_append(array, f.json, f.r);
}

/* The first workload's report stands for the file; if there are more, all of them stand
 * in "workloads" once more. */
static void fill_file(
	struct t1s_fill *f, const struct t1s_report_list *l, size_t first, size_t end)
{
	struct t1s_fill a = {0};

	fill_report(f, &l->reports[first]);
	if (end == first + 1)
		return;
	a.json = json_object_new_array();
	for (size_t i = first; a.json && i < end; i++)
		append_report(&a, &l->reports[i]);
	t1s_fill_filled(f, "workloads", &a);
}

static size_t end_of_file(const struct t1s_report_list *l, size_t first)
{
	size_t end = first;

	while (end < l->count && l->reports[end].file == l->reports[first].file)
		end++;
	return end;
}

static void fill_files(struct t1s_fill *root, const struct t1s_report_list *l)
{
	struct t1s_fill a = {.json = json_object_new_array()};

	for (size_t i = 0, end; a.json && i < l->count; i = end) {
		struct t1s_fill f = {.json = json_object_new_object()};

		end = end_of_file(l, i);
		if (f.json)
			fill_file(&f, l, i, end);
		else
			f.r = -ENOMEM;
		t1s_fill_append(&a, f.json, f.r);
	}
	t1s_fill_filled(root, "reports", &a);
}

int t1s_report_write_json(const struct t1s_report_list *l, FILE *out)
{
	cleanup_(t1s_json_putp) struct json_object *json = json_object_new_object();
	struct t1s_fill root = {.json = json};

	if (!json)
		return -ENOMEM;
	if (l->files > 1)
		fill_files(&root, l);
	else if (l->count > 0)
		fill_file(&root, l, 0, l->count);
	return t1s_fill_write(&root, out);
}
