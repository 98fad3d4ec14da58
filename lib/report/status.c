/* SPDX-License-Identifier: MIT */
#include "report/status.h"

#include "base/clock.h"
#include "base/path.h"
#include "sweep/context.h"
#include "sweep/progress.h"
#include "sweep/schedule.h"
#include "sweep/search.h"
#include "sweep/target.h"

#include <errno.h>
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

void t1s_status_done(struct t1s_status *s)
{
	for (size_t i = 0; i < s->points_count; i++) {
		t1s_values_done(&s->points[i].received);
		t1s_values_done(&s->points[i].lost);
	}
	free(s->points);
	t1s_state_done(&s->state);
	*s = (struct t1s_status){0};
}

struct reading {
	struct t1s_status *s;
	char direction[16]; /* of the first row */
	size_t room;
};

static int add_point(struct reading *rd, const struct t1s_row *row)
{
	struct t1s_status *s = rd->s;

	if (s->points_count == rd->room) {
		const size_t room = rd->room ? 2 * rd->room : 32;
		struct t1s_status_point *grown =
			reallocarray(s->points, room, sizeof(*grown));

		if (!grown)
			return -ENOMEM;
		s->points = grown;
		rd->room = room;
	}
	s->points[s->points_count++] = (struct t1s_status_point){
		.point = (size_t)row->point, .freq_hz = row->spi_requested_hz};
	return 0;
}

static double rate_of(const struct t1s_row *row)
{
	if (row->status == T1S_RUN_OK)
		return row->received_mbit_s;
	return t1s_progress_counts_as_zero(row) ? 0 : NAN;
}

/* The rows of a point stand together. */
static int take_row(const struct t1s_row *row, void *data)
{
	struct reading *rd = data;
	struct t1s_status *s = rd->s;
	struct t1s_status_point *p;
	int r = 0;

	if (strcmp(row->sweep_id, s->state.sweep_id) != 0 || row->point < 1)
		return 0;
	if (s->points_count == 0) {
		memcpy(s->workload, row->workload, sizeof(s->workload));
		memcpy(rd->direction, row->direction, sizeof(rd->direction));
	}
	if (strcmp(row->workload, s->workload) != 0 ||
		strcmp(row->direction, rd->direction) != 0) {
		s->other_workloads = true;
		return 0;
	}
	if (s->points_count == 0 ||
		s->points[s->points_count - 1].point != (size_t)row->point)
		r = add_point(rd, row);
	if (r < 0)
		return r;
	p = &s->points[s->points_count - 1];
	p->rows++;
	p->last = row->status;
	r = t1s_values_add(&p->received, rate_of(row));
	return r < 0 ? r : t1s_values_add(&p->lost, row->lost_percent);
}

#define MEMBER(m) offsetof(struct t1s_row, m)

static int gather_results(const char *root, struct t1s_status *s, struct t1s_error *e)
{
	static const size_t members[] = {MEMBER(status), MEMBER(spi_requested_hz),
		MEMBER(received_mbit_s), MEMBER(lost_percent), MEMBER(sweep_id),
		MEMBER(point), MEMBER(workload), MEMBER(direction), MEMBER(attempt)};
	struct reading rd = {.s = s};
	char folder[PATH_MAX], path[PATH_MAX];
	int64_t r;

	if (t1s_results_folder(root, s->state.sweep_id, folder) < 0 ||
		t1s_path(path, folder, "/results.csv") < 0)
		return t1s_error_set(e, ENAMETOOLONG, "path too long: %s", root);
	r = t1s_results_read_some(
		path, members, sizeof(members) / sizeof(members[0]), take_row, &rd, e);
	if (r == -ENOMEM)
		return t1s_error_set(e, ENOMEM, "out of memory");
	if (r < 0 && r != -ENOENT)
		return (int)r;
	for (size_t i = 0; i < s->points_count; i++) {
		t1s_values_sort(&s->points[i].received);
		t1s_values_sort(&s->points[i].lost);
	}
	return 0;
}

/* What the overlay will hold at the boot after this one. A search decides only once the
 * point is measured; a collapse is not foreseen. */
static uint32_t next_hz(const struct t1s_state *s)
{
	switch (s->phase) {
	case T1S_PHASE_REBOOTING:
	case T1S_PHASE_RESTORING:
		return s->expected_hz;
	case T1S_PHASE_MEASURING:
		if (t1s_search_is_on(s))
			return 0;
		return s->point + 1 < s->plan.count ? s->plan.points[s->point + 1].freq_hz
						    : s->original_hz;
	default:
		return 0;
	}
}

static void gather_service(const char *root, struct t1s_status *s)
{
	if (t1s_unit_file_state(root, T1S_UNIT, s->enabled, NULL) < 0)
		s->enabled[0] = '\0';
	if (!t1s_switched_off(root, s->switched_off, sizeof(s->switched_off)))
		s->switched_off[0] = '\0';
	if (!root[0])
		s->have_doing = t1s_unit_doing(T1S_UNIT, &s->doing, NULL) == 0;
}

int t1s_status_gather(const char *root, const char *config_path, struct t1s_status *ret,
	struct t1s_error *e)
{
	struct t1s_status s = {0};
	struct t1s_live_node live;
	bool have_config;
	int r = t1s_state_load(root, &s.state, &s.damaged, e);

	if (r < 0 && r != -ENOENT)
		return r;
	s.have_state = r == 0;
	r = s.have_state ? gather_results(root, &s, e) : 0;
	if (r < 0) {
		t1s_status_done(&s);
		return r;
	}
	have_config = t1s_config_load(root, config_path, false, &s.config, NULL) == 0;
	if (!have_config)
		t1s_config_defaults(&s.config);
	if (s.have_state) {
		if (t1s_live_find(root, &s.state.overlay.match, &live, NULL) == 0)
			s.live_hz = live.freq_hz;
		s.next_hz = next_hz(&s.state);
		if (have_config)
			s.end_wall_us = t1s_schedule_end_us(&s.state, &s.config);
	}
	gather_service(root, &s);
	*ret = s;
	return 0;
}

static void tell_running(const struct t1s_status *s, char *ret, size_t size)
{
	char when[T1S_TIMESTAMP_MAX];

	if (s->doing.reboot_wall_us > 0) {
		t1s_format_clock(s->doing.reboot_wall_us, when);
		(void)snprintf(ret, size,
			"rebooting at %s (to prevent it: sudo shutdown -c)", when);
	} else {
		(void)snprintf(ret, size, "%s",
			s->doing.status[0] ? s->doing.status : "at work");
	}
}

/* Nothing happens in this boot; what then? */
static void tell_resting(const struct t1s_status *s, char *ret, size_t size)
{
	const bool armed = strncmp(s->enabled, "enabled", strlen("enabled")) == 0;
	const bool failed = s->have_doing && strcmp(s->doing.active, "failed") == 0;

	if (!armed && s->enabled[0])
		(void)snprintf(ret, size,
			"nothing: the service is %s. To go on: sudo systemctl enable --now "
			"t1s-sweep; to end the sweep: sudo t1s-sweep restore",
			s->enabled);
	else if (failed)
		(void)snprintf(ret, size,
			"nothing: the service failed (see: sudo journalctl -u t1s-sweep -b), and tries "
			"again at the next boot. To try now: sudo systemctl start t1s-sweep");
	else if (s->have_doing)
		(void)snprintf(ret, size,
			"nothing: the sweep goes on at the next boot, or now by: sudo systemctl "
			"start t1s-sweep");
}

void t1s_status_sentence(const struct t1s_status *s, char *ret, size_t size)
{
	const bool running =
		s->have_doing && (strcmp(s->doing.active, "activating") == 0 ||
					 s->doing.reboot_wall_us > 0);

	ret[0] = '\0';
	if (!s->have_state || t1s_state_ended(&s->state))
		return;
	if (running)
		tell_running(s, ret, size);
	else if (s->switched_off[0])
		(void)snprintf(ret, size, "nothing: switched off (%s)", s->switched_off);
	else
		tell_resting(s, ret, size);
}
