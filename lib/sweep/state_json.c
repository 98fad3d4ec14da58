/* SPDX-License-Identifier: MIT */
/* The text of state.json: strict in what it takes, since privileged steps act on it. */
#include "base/cleanup.h"
#include "base/json.h"
#include "sweep/state.h"

#include <errno.h>
#include <inttypes.h>
#include <json-c/json.h>
#include <stdlib.h>
#include <string.h>

#define DEPTH_MAX 8

static void put_jsonp(json_object **o)
{
	json_object_put(*o);
}

/* Reading stops at the first thing that does not fit; later reads are then no-ops. */
struct reader {
	struct t1s_error *e;
	int r;
};

static void misfit(struct reader *rd, const char *key, const char *expected)
{
	if (rd->r == 0)
		rd->r = t1s_error_set(
			rd->e, EBADMSG, "member \"%s\": expected %s", key, expected);
}

static json_object *member(struct reader *rd, json_object *o, const char *key,
	json_type type, const char *expected)
{
	json_object *v = NULL;

	if (rd->r < 0)
		return NULL;
	if (!json_object_object_get_ex(o, key, &v) || !json_object_is_type(v, type)) {
		misfit(rd, key, expected);
		return NULL;
	}
	return v;
}

static uint64_t read_uint(
	struct reader *rd, json_object *o, const char *key, uint64_t max)
{
	json_object *v = member(rd, o, key, json_type_int, "a whole number");
	int64_t n = v ? json_object_get_int64(v) : 0;

	if (v && (n < 0 || (uint64_t)n > max)) {
		misfit(rd, key, "a number in its range");
		return 0;
	}
	return (uint64_t)n;
}

/* A member that came later than the schema: states without it are whole. */
static uint64_t read_later_uint(
	struct reader *rd, json_object *o, const char *key, uint64_t max)
{
	return json_object_object_get_ex(o, key, NULL) ? read_uint(rd, o, key, max) : 0;
}

static uint32_t read_freq(struct reader *rd, json_object *o, const char *key)
{
	uint32_t hz = (uint32_t)read_uint(rd, o, key, UINT32_MAX);

	if (rd->r == 0 && (hz < T1S_FREQ_MIN_HZ || hz > T1S_FREQ_MAX_HZ))
		misfit(rd, key, "a frequency from 1 kHz to 125 MHz");
	return hz;
}

static bool read_bool(struct reader *rd, json_object *o, const char *key)
{
	json_object *v = member(rd, o, key, json_type_boolean, "true or false");

	return v && json_object_get_boolean(v);
}

static void read_text(
	struct reader *rd, json_object *o, const char *key, char *ret, size_t size)
{
	json_object *v = member(rd, o, key, json_type_string, "a text");
	size_t n = v ? (size_t)json_object_get_string_len(v) : 0;

	if (!v)
		return;
	if (n >= size || strlen(json_object_get_string(v)) != n) {
		misfit(rd, key, "a shorter text");
		return;
	}
	memcpy(ret, json_object_get_string(v), n + 1);
}

static void read_plan(struct reader *rd, json_object *o, struct t1s_plan *ret)
{
	json_object *plan = member(rd, o, "plan", json_type_object, "the plan");
	json_object *points;
	size_t count;

	if (!plan)
		return;
	ret->seed = read_uint(rd, plan, "seed", INT64_MAX);
	points = member(rd, plan, "points", json_type_array, "the points");
	count = points ? json_object_array_length(points) : 0;
	if (rd->r < 0)
		return;
	if (count == 0 || count > T1S_PLAN_MAX) {
		misfit(rd, "points", "at least one point and not too many");
		return;
	}
	ret->points = calloc(count, sizeof(*ret->points));
	if (!ret->points) {
		rd->r = t1s_error_set(rd->e, ENOMEM, "out of memory");
		return;
	}
	for (size_t i = 0; i < count && rd->r == 0; i++) {
		json_object *p = json_object_array_get_idx(points, i);

		if (!json_object_is_type(p, json_type_object)) {
			misfit(rd, "points", "an object per point");
			return;
		}
		ret->points[i].freq_hz = read_freq(rd, p, "hz");
		ret->points[i].pass = (unsigned int)read_uint(rd, p, "pass", UINT16_MAX);
		ret->points[i].kind = ret->points[i].pass > 0 ? T1S_POINT_SWEEP
				      : i == 0                ? T1S_POINT_OPENING
							      : T1S_POINT_CLOSING;
	}
	ret->count = count;
}

/* Without the member, as in states of earlier versions, there is no search. */
static void read_search(struct reader *rd, json_object *o, struct t1s_search_state *ret)
{
	json_object *search, *candidates;
	size_t count;

	if (rd->r < 0 || !json_object_object_get_ex(o, "search", NULL))
		return;
	search = member(rd, o, "search", json_type_object, "the search");
	if (!search)
		return;
	ret->points = (size_t)read_uint(rd, search, "points", T1S_PLAN_MAX);
	candidates = member(rd, search, "candidates", json_type_array, "the candidates");
	count = candidates ? json_object_array_length(candidates) : 0;
	if (count == 0 || count > T1S_PLAN_MAX) {
		misfit(rd, "candidates", "at least one and not too many");
		return;
	}
	ret->candidates = calloc(count, sizeof(*ret->candidates));
	if (!ret->candidates) {
		rd->r = t1s_error_set(rd->e, ENOMEM, "out of memory");
		return;
	}
	ret->count = count;
	for (size_t i = 0; i < count && rd->r == 0; i++) {
		json_object *c = json_object_array_get_idx(candidates, i);
		struct t1s_candidate *to = &ret->candidates[i];

		if (!json_object_is_type(c, json_type_object)) {
			misfit(rd, "candidates", "an object per candidate");
			return;
		}
		to->freq_hz = read_freq(rd, c, "hz");
		to->sclk_hz = (uint32_t)read_uint(rd, c, "sclk_hz", UINT32_MAX);
	}
}

/* Only to reckon with: states of earlier versions have none. */
static void read_boot_times(struct reader *rd, json_object *o, struct t1s_boot_times *ret)
{
	json_object *times;
	size_t count;

	if (rd->r < 0 || !json_object_object_get_ex(o, "boot_times_us", NULL))
		return;
	times = member(rd, o, "boot_times_us", json_type_array, "the times of boots");
	count = times ? json_object_array_length(times) : 0;
	if (count > T1S_BOOT_TIMES_MAX) {
		misfit(rd, "boot_times_us", "not as many");
		return;
	}
	for (size_t i = 0; i < count; i++) {
		json_object *v = json_object_array_get_idx(times, i);
		const int64_t us = json_object_get_int64(v);

		if (!json_object_is_type(v, json_type_int) || us < 0) {
			misfit(rd, "boot_times_us", "whole numbers");
			return;
		}
		ret->us[ret->count++] = (uint64_t)us;
	}
}

static void read_overlay(struct reader *rd, json_object *o, struct t1s_state *s)
{
	json_object *v = member(rd, o, "overlay", json_type_object, "the overlay");
	struct t1s_node_match *m = &s->overlay.match;

	if (!v)
		return;
	read_text(rd, v, "name", s->overlay.name, sizeof(s->overlay.name));
	read_text(rd, v, "path", s->overlay.path, sizeof(s->overlay.path));
	read_text(rd, v, "sha256", s->overlay.sha256, sizeof(s->overlay.sha256));
	read_text(rd, v, "node", s->overlay.node_path, sizeof(s->overlay.node_path));
	read_text(rd, v, "compatible", m->compatible, sizeof(m->compatible));
	read_text(rd, v, "property", m->property, sizeof(m->property));
	m->chip_select = T1S_CHIP_SELECT_ANY;
	if (!json_object_is_type(
		    json_object_object_get(v, "chip_select"), json_type_null))
		m->chip_select = (int)read_uint(rd, v, "chip_select", 255);
	s->original_hz = read_freq(rd, v, "original_hz");
}

static void read_state(struct reader *rd, json_object *o, struct t1s_state *s)
{
	char phase[32] = "";

	read_text(rd, o, "sweep_id", s->sweep_id, sizeof(s->sweep_id));
	read_text(rd, o, "phase", phase, sizeof(phase));
	read_text(rd, o, "reason", s->reason, sizeof(s->reason));
	s->stopping = read_bool(rd, o, "stopping");
	s->disarmed = read_bool(rd, o, "disarmed");
	s->point = (size_t)read_uint(rd, o, "point", T1S_PLAN_MAX);
	s->expected_hz = read_freq(rd, o, "expected_hz");
	read_text(rd, o, "boot_id", s->boot_id, sizeof(s->boot_id));
	s->boots = (unsigned int)read_uint(rd, o, "boots", T1S_BOOTS_MAX);
	s->boots_here = (unsigned int)read_uint(rd, o, "boots_here", T1S_BOOTS_MAX);
	s->asks = (unsigned int)read_later_uint(rd, o, "asks", INT32_MAX);
	s->advanced_wall_us = read_uint(rd, o, "advanced_wall_us", INT64_MAX);
	read_boot_times(rd, o, &s->boot_times);
	s->core_clock_hz = read_later_uint(rd, o, "core_clock_hz", INT64_MAX);
	read_overlay(rd, o, s);
	read_plan(rd, o, &s->plan);
	read_search(rd, o, &s->search);
	if (rd->r < 0)
		return;
	s->phase = t1s_phase_from_name(phase);
	if (s->phase == T1S_PHASE_INVALID)
		misfit(rd, "phase",
			"measuring, rebooting, restoring, finished or stopped");
}

/* What a privileged step may act on: only the plan's frequencies, only a folder of ours.
 */
static void check_sense(struct reader *rd, const struct t1s_state *s)
{
	static const char id_letters[] = "0123456789abcdefT-";

	if (rd->r < 0)
		return;
	if (s->sweep_id[0] == '\0' ||
		s->sweep_id[strspn(s->sweep_id, id_letters)] != '\0')
		misfit(rd, "sweep_id", "a sweep id");
	if (s->point >= s->plan.count)
		misfit(rd, "point", "a point of the plan");
	if (s->expected_hz != s->original_hz && !t1s_plan_has(&s->plan, s->expected_hz))
		misfit(rd, "expected_hz",
			"a point of the plan or the original frequency");
	for (size_t i = 0; s->search.count > 0 && i < s->plan.count; i++)
		if (!t1s_state_is_candidate(s, s->plan.points[i].freq_hz) &&
			s->plan.points[i].pass > 0)
			misfit(rd, "points", "candidates of the search only");
	if (s->overlay.path[0] != '/' || strstr(s->overlay.path, "/../"))
		misfit(rd, "path", "an absolute path");
}

static json_object *parse_whole(
	const char *text, size_t size, struct t1s_error *e, int *ret_r)
{
	struct t1s_json_end end;
	json_object *o = NULL;

	*ret_r = -EBADMSG;
	if (size > T1S_STATE_MAX_BYTES ||
		t1s_json_parse(text, size, DEPTH_MAX, 0, &o, &end) < 0) {
		(void)t1s_error_set(e, EBADMSG, "too large, or out of memory");
		return NULL;
	}
	if (!json_object_is_type(o, json_type_object))
		(void)t1s_error_set(e, EBADMSG, "%s",
			size == 0 ? "empty" : json_tokener_error_desc(end.error));
	else if (end.at < size)
		(void)t1s_error_set(
			e, EBADMSG, "more behind its end, at byte %zu", end.at);
	else
		*ret_r = 0;
	if (*ret_r < 0) {
		json_object_put(o);
		return NULL;
	}
	return o;
}

int t1s_state_parse(
	const char *text, size_t size, struct t1s_state *ret, struct t1s_error *e)
{
	struct t1s_state s = {0};
	struct reader rd = {.e = e};
	cleanup_(put_jsonp) json_object *o = parse_whole(text, size, e, &rd.r);
	uint64_t version;

	if (!o)
		return rd.r;
	version = read_uint(&rd, o, "version", INT32_MAX);
	if (rd.r == 0 && version != T1S_STATE_VERSION)
		return t1s_error_set(e, EPROTONOSUPPORT,
			"written by another version of t1s-sweep (schema %" PRIu64
			", this one knows %d). Nothing was changed. Install that "
			"version again, or end the sweep with: t1s-sweep restore",
			version, T1S_STATE_VERSION);
	read_state(&rd, o, &s);
	check_sense(&rd, &s);
	if (rd.r < 0) {
		t1s_state_done(&s);
		return rd.r;
	}
	*ret = s;
	return 0;
}

static json_object *plan_json(const struct t1s_plan *plan)
{
	json_object *o = json_object_new_object();
	json_object *points = json_object_new_array();

	json_object_object_add(o, "seed", json_object_new_int64((int64_t)plan->seed));
	for (size_t i = 0; i < plan->count; i++) {
		json_object *p = json_object_new_object();

		json_object_object_add(
			p, "hz", json_object_new_int64(plan->points[i].freq_hz));
		json_object_object_add(
			p, "pass", json_object_new_int64(plan->points[i].pass));
		json_object_array_add(points, p);
	}
	json_object_object_add(o, "points", points);
	return o;
}

static json_object *boot_times_json(const struct t1s_boot_times *t)
{
	json_object *a = json_object_new_array();

	for (size_t i = 0; i < t->count; i++)
		json_object_array_add(a, json_object_new_int64((int64_t)t->us[i]));
	return a;
}

static json_object *search_json(const struct t1s_search_state *search)
{
	json_object *o = json_object_new_object();
	json_object *candidates = json_object_new_array();

	json_object_object_add(
		o, "points", json_object_new_int64((int64_t)search->points));
	for (size_t i = 0; i < search->count; i++) {
		const struct t1s_candidate *from = &search->candidates[i];
		json_object *c = json_object_new_object();

		json_object_object_add(c, "hz", json_object_new_int64(from->freq_hz));
		json_object_object_add(
			c, "sclk_hz", json_object_new_int64(from->sclk_hz));
		json_object_array_add(candidates, c);
	}
	json_object_object_add(o, "candidates", candidates);
	return o;
}

static json_object *overlay_json(const struct t1s_state *s)
{
	const struct t1s_node_match *m = &s->overlay.match;
	json_object *o = json_object_new_object();

	json_object_object_add(o, "name", json_object_new_string(s->overlay.name));
	json_object_object_add(o, "path", json_object_new_string(s->overlay.path));
	json_object_object_add(o, "sha256", json_object_new_string(s->overlay.sha256));
	json_object_object_add(o, "node", json_object_new_string(s->overlay.node_path));
	json_object_object_add(o, "compatible", json_object_new_string(m->compatible));
	json_object_object_add(o, "property", json_object_new_string(m->property));
	json_object_object_add(o, "chip_select",
		m->chip_select == T1S_CHIP_SELECT_ANY
			? NULL
			: json_object_new_int(m->chip_select));
	json_object_object_add(o, "original_hz", json_object_new_int64(s->original_hz));
	return o;
}

int t1s_state_format(const struct t1s_state *s, char **ret)
{
	cleanup_(put_jsonp) json_object *o = json_object_new_object();
	const char *text;

	json_object_object_add(o, "version", json_object_new_int(T1S_STATE_VERSION));
	json_object_object_add(o, "sweep_id", json_object_new_string(s->sweep_id));
	json_object_object_add(
		o, "phase", json_object_new_string(t1s_phase_name(s->phase)));
	json_object_object_add(o, "reason", json_object_new_string(s->reason));
	json_object_object_add(o, "stopping", json_object_new_boolean(s->stopping));
	json_object_object_add(o, "disarmed", json_object_new_boolean(s->disarmed));
	json_object_object_add(o, "point", json_object_new_int64((int64_t)s->point));
	json_object_object_add(o, "expected_hz", json_object_new_int64(s->expected_hz));
	json_object_object_add(o, "boot_id", json_object_new_string(s->boot_id));
	json_object_object_add(o, "boots", json_object_new_int64(s->boots));
	json_object_object_add(o, "asks", json_object_new_int64(s->asks));
	json_object_object_add(o, "boots_here", json_object_new_int64(s->boots_here));
	json_object_object_add(o, "advanced_wall_us",
		json_object_new_int64((int64_t)s->advanced_wall_us));
	json_object_object_add(o, "boot_times_us", boot_times_json(&s->boot_times));
	json_object_object_add(
		o, "core_clock_hz", json_object_new_int64((int64_t)s->core_clock_hz));
	json_object_object_add(o, "overlay", overlay_json(s));
	json_object_object_add(o, "plan", plan_json(&s->plan));
	if (s->search.count > 0)
		json_object_object_add(o, "search", search_json(&s->search));
	text = json_object_to_json_string_ext(
		o, JSON_C_TO_STRING_PRETTY | JSON_C_TO_STRING_NOSLASHESCAPE);
	*ret = text ? strdup(text) : NULL;
	return *ret ? 0 : -ENOMEM;
}
