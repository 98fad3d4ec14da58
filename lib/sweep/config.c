/* SPDX-License-Identifier: MIT */
#include "sweep/config.h"

#include "base/clock.h"
#include "base/log.h"
#include "base/path.h"
#include "board/chips.h"
#include "sweep/config_keys.h"

#include <dirent.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CONFIG_FILE "/etc/t1s-sweep/t1s-sweep.conf"

void t1s_workload_defaults(const char *name, struct t1s_workload *ret)
{
	*ret = (struct t1s_workload){
		.protocol = T1S_PROTOCOL_UDP,
		.direction = T1S_DIRECTION_RECEIVE,
		.length_bytes = 1448,
		.duration_s = 20,
		.omit_s = 3,
		.repeats = 1,
	};
	(void)snprintf(ret->name, sizeof(ret->name), "%s", name);
}

/* The rate of UDP where none is given. */
static void resolve_workload(struct t1s_workload *w)
{
	if (w->protocol != T1S_PROTOCOL_UDP || w->rate_bps > 0)
		return;
	(void)snprintf(w->rate_text, sizeof(w->rate_text), "10M");
	w->rate_bps = 10000000;
}

void t1s_config_unresolved(struct t1s_config *ret)
{
	memset(ret, 0, sizeof(*ret));
	*ret = (struct t1s_config){
		.sender_port = 22,
		.sender_wait_us = 120 * T1S_USEC_PER_SEC,
		.sender_address = "10.10.10.1",
		.sender_iperf3 = "iperf3",
		.receiver_interface = "beiis-t1s0",
		.receiver_address = "10.10.10.2",
		.receiver_port = 5201,
		.receiver_wait_us = 30 * T1S_USEC_PER_SEC,
		.plca_node_id = -1,
		.plca_node_count = -1,
		.sender_plca_node_id = -1,
		.overlay = "BE-IIS-HPP-T1S-I",
		.match = {.compatible = T1S_CHIP_DEFAULT,
			.chip_select = T1S_CHIP_SELECT_ANY,
			.property = "spi-max-frequency"},
		.start_hz = 20000000,
		.minimum_hz = 5000000,
		.step_hz = 1000000,
		.order = T1S_ORDER_DESCENDING,
		.passes = 1,
		.search = T1S_SEARCH_ALL,
		.collapse_below = 0.05,
		.collapse_points = 1,
		.settle_us = 10 * T1S_USEC_PER_SEC,
		.reboot_delay_us = 10 * T1S_USEC_PER_SEC,
		.attempts = 3,
		.opening_baseline = -1,
		.closing_baseline = true,
		.workloads_count = 1,
		.link_rate_bps = T1S_LINK_RATE_BY_CHIP,
		.plca_overhead_bits = T1S_PLCA_OVERHEAD_BY_CHIP,
		.full_share = 0.93,
		.severe_share = 0.50,
	};
	t1s_workload_defaults("default", &ret->workloads[0]);
}

void t1s_config_resolve(struct t1s_config *c)
{
	const struct t1s_chip *chip = t1s_chip_find(c->match.compatible);

	if (c->link_rate_bps <= T1S_LINK_RATE_BY_CHIP && chip)
		c->link_rate_bps = chip->link_rate_bps;
	if (c->plca_overhead_bits == T1S_PLCA_OVERHEAD_BY_CHIP)
		c->plca_overhead_bits = chip ? chip->plca_overhead_bits : 0;
	for (unsigned int i = 0; i < c->workloads_count; i++)
		resolve_workload(&c->workloads[i]);
}

void t1s_config_defaults(struct t1s_config *ret)
{
	t1s_config_unresolved(ret);
	t1s_config_resolve(ret);
}

void t1s_config_problem(struct t1s_config_problems *p, const char *format, ...)
{
	char text[T1S_ERROR_TEXT_MAX];
	va_list ap;

	if (p->count++ > 0)
		return;
	va_start(ap, format);
	(void)vsnprintf(text, sizeof(text), format, ap);
	va_end(ap);
	t1s_printable(text);
	(void)t1s_error_set(p->first, EINVAL, "%s", text);
}

static int is_drop_in(const struct dirent *d)
{
	size_t n = strlen(d->d_name);

	return n > 5 && d->d_name[0] != '.' && strcmp(d->d_name + n - 5, ".conf") == 0;
}

/* By bytes: alphasort() would follow the locale. */
static int by_name(const struct dirent **a, const struct dirent **b)
{
	return strcmp((*a)->d_name, (*b)->d_name);
}

static int read_drop_ins(struct t1s_config_target *t, const char *root,
	const char *main_file, struct t1s_error *e)
{
	char folder[PATH_MAX], file[PATH_MAX];
	struct dirent **list = NULL;
	int r = t1s_path(folder, main_file, ".d");
	int n;

	if (r < 0)
		return t1s_error_set(e, -r, "path too long: %s.d", main_file);
	n = scandir(folder, &list, is_drop_in, by_name);
	if (n < 0)
		return errno == ENOENT ? 0
				       : t1s_error_set(e, errno, "cannot read %s: %s",
						 folder, strerror(errno));
	for (int i = 0; i < n; i++) {
		if (r == 0 && t1s_path(file, folder, "/%s", list[i]->d_name) < 0)
			r = t1s_error_set(e, ENAMETOOLONG, "path too long: %s/%s", folder,
				list[i]->d_name);
		if (r == 0)
			r = t1s_config_read_file(file, t1s_path_below(root, file), t, e);
		free(list[i]);
	}
	free(list);
	return r;
}

static int read_all(struct t1s_config_target *t, const char *root, const char *main_file,
	bool may_be_missing, struct t1s_error *e)
{
	int r = t1s_config_read_file(main_file, t1s_path_below(root, main_file), t, e);

	if (r == -ENOENT && may_be_missing)
		r = 0;
	return r < 0 ? r : read_drop_ins(t, root, main_file, e);
}

/* What cannot be read is an error of the configuration like any other. */
static int unreadable(int r, struct t1s_error *e)
{
	if (r == -EACCES && e)
		return t1s_error_set(e, EINVAL,
			"%s. The user t1s-sweep, who measures, must be able to read the "
			"configuration: chmod a+r (it holds no secrets)",
			e->text);
	return -EINVAL;
}

int t1s_config_load(const char *root, const char *path, bool complete,
	struct t1s_config *ret, struct t1s_error *e)
{
	struct t1s_config_target t = {.problems = {.first = e}};
	char main_file[PATH_MAX];
	int r = t1s_path(main_file, path ? "" : root, "%s", path ? path : CONFIG_FILE);

	if (r < 0)
		return t1s_error_set(e, -r, "path too long: %s", path ? path : root);
	t1s_config_unresolved(&t.config);
	r = read_all(&t, root, main_file, !path, e);
	if (r < 0)
		return unreadable(r, e);
	t1s_config_resolve(&t.config);
	if (complete && t.problems.count == 0)
		t1s_config_check(&t.config, t1s_path_below(root, main_file), &t.problems);
	if (t.problems.count > 1)
		return t1s_error_set(e, EINVAL, "%s (and %u more)", t1s_error_text(e),
			t.problems.count - 1);
	if (t.problems.count == 1)
		return -EINVAL;
	*ret = t.config;
	return 0;
}
