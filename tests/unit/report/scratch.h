/* SPDX-License-Identifier: MIT */
/* What the tests of building a report share: a results file in a folder of its own. */
#pragma once

#include "report/report.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

#define MHZ 1000000U
#define HEADER                                                                           \
	"timestamp,status,receiver_host,overlay,spi_requested_hz,spi_requested_mhz,"     \
	"udp_target,received_mbit_s,lost_percent,jitter_ms,packets,lost_packets,"        \
	"test_seconds,omit_seconds,interface,receiver_ip,sender_ip,sender_ssh,note\n"

struct scratch {
	char folder[64];
	char path[96];
};

static inline int set_up(void **state)
{
	struct scratch *s = calloc(1, sizeof(*s));

	assert_non_null(s);
	(void)snprintf(s->folder, sizeof(s->folder), "/tmp/t1s-report-XXXXXX");
	assert_non_null(mkdtemp(s->folder));
	(void)snprintf(s->path, sizeof(s->path), "%s/results.csv", s->folder);
	*state = s;
	return 0;
}

static inline int tear_down(void **state)
{
	struct scratch *s = *state;

	(void)unlink(s->path);
	(void)rmdir(s->folder);
	free(s);
	return 0;
}

#define in_scratch(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)

static inline void write_text(const struct scratch *s, const char *text)
{
	FILE *f = fopen(s->path, "w");

	assert_non_null(f);
	assert_int_equal(fputs(text, f) < 0, 0);
	assert_int_equal(fclose(f), 0);
}

static inline struct t1s_report_list listed(
	const char *path, const struct t1s_config *c, const char *controller)
{
	struct t1s_report_list l = {0};
	struct t1s_error e = {0};

	if (t1s_report_add(&l, path, c, controller, &e) != 0)
		fail_msg("%s", e.text);
	return l;
}

static inline struct t1s_report_list listed_by_default(const char *path)
{
	struct t1s_config c;

	t1s_config_defaults(&c);
	return listed(path, &c, NULL);
}

/* The report of a file with one workload. */
static inline struct t1s_report built(
	const char *path, const struct t1s_config *c, const char *controller)
{
	struct t1s_report_list l = listed(path, c, controller);
	struct t1s_report r;

	assert_int_equal(l.count, 1);
	r = l.reports[0];
	free(l.reports);
	return r;
}

static inline struct t1s_report built_by_default(const char *path)
{
	struct t1s_config c;

	t1s_config_defaults(&c);
	return built(path, &c, NULL);
}

/* For cleanup_(), of what built() returned. */
static inline void report_done(struct t1s_report *r)
{
	struct t1s_report_list l = {.reports = malloc(sizeof(*r)), .count = 1};

	assert_non_null(l.reports);
	l.reports[0] = *r;
	t1s_report_list_done(&l);
}
