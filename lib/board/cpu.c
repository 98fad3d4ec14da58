/* SPDX-License-Identifier: MIT */
#include "board/cpu.h"

#include "base/cleanup.h"
#include "base/sysfs.h"

#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define STATES_MIN 4 /* the kernel never showed fewer */

/* The numbers of one line; columns that an older kernel does not have stay 0. */
static bool parse_ticks(const char *text, uint64_t ret[T1S_CPU_STATES])
{
	uint64_t ticks[T1S_CPU_STATES] = {0};
	int n = 0;

	for (; n < T1S_CPU_STATES; n++) {
		char *end;

		while (*text == ' ')
			text++;
		if (*text < '0' || *text > '9')
			break;
		errno = 0;
		ticks[n] = strtoull(text, &end, 10);
		if (errno != 0)
			return false;
		text = end;
	}
	if (n < STATES_MIN || (*text && !strchr(" 0123456789", *text)))
		return false;
	memcpy(ret, ticks, sizeof(ticks));
	return true;
}

/* "cpu  1 2 3 …" for all, "cpu7 1 2 3 …" for one. */
static void take_line(const char *line, struct t1s_cpu_snapshot *ret)
{
	struct t1s_cpu_core core = {0};
	char *end;

	if (strncmp(line, "cpu", 3) != 0)
		return;
	if (line[3] == ' ') {
		(void)parse_ticks(line + 3, ret->all.ticks);
		return;
	}
	core.number = (unsigned int)strtoul(line + 3, &end, 10);
	if (end == line + 3 || *end != ' ' || ret->count == T1S_CPUS_MAX)
		return;
	if (parse_ticks(end, core.ticks))
		ret->cores[ret->count++] = core;
}

void t1s_cpu_read(const char *root, struct t1s_cpu_snapshot *ret)
{
	cleanup_free char *text = t1s_sysfs_whole(root, "/proc/stat");
	char *rest, *line;

	memset(ret, 0, sizeof(*ret));
	for (rest = text; (line = strsep(&rest, "\n")) != NULL;)
		take_line(line, ret);
}

static struct t1s_cpu_load compare(
	const struct t1s_cpu_core *before, const struct t1s_cpu_core *after)
{
	double spent[T1S_CPU_STATES], total = 0;

	for (int i = 0; i < T1S_CPU_STATES; i++) {
		spent[i] = after->ticks[i] > before->ticks[i]
				   ? (double)(after->ticks[i] - before->ticks[i])
				   : 0;
		total += spent[i];
	}
	if (total <= 0)
		return (struct t1s_cpu_load){NAN, NAN, NAN};
	return (struct t1s_cpu_load){
		.busy = (total - spent[T1S_CPU_IDLE] - spent[T1S_CPU_IOWAIT]) / total *
			100,
		.system = (spent[T1S_CPU_SYSTEM] + spent[T1S_CPU_IRQ]) / total * 100,
		.softirq = spent[T1S_CPU_SOFTIRQ] / total * 100,
	};
}

static const struct t1s_cpu_core *find(
	const struct t1s_cpu_snapshot *s, unsigned int number)
{
	for (size_t i = 0; i < s->count; i++)
		if (s->cores[i].number == number)
			return &s->cores[i];
	return NULL;
}

static double kernel_share(const struct t1s_cpu_load *l)
{
	return l->system + l->softirq;
}

void t1s_cpu_compare(const struct t1s_cpu_snapshot *before,
	const struct t1s_cpu_snapshot *after, struct t1s_cpu_loads *ret)
{
	memset(ret, 0, sizeof(*ret));
	ret->busiest = -1;
	ret->all = compare(&before->all, &after->all);
	for (size_t i = 0; i < after->count; i++) {
		const struct t1s_cpu_core *old = find(before, after->cores[i].number);
		struct t1s_cpu_load load;

		if (!old)
			continue;
		load = compare(old, &after->cores[i]);
		if (isnan(load.busy))
			continue;
		ret->cores[ret->count].number = after->cores[i].number;
		ret->cores[ret->count].load = load;
		if (ret->busiest < 0 ||
			kernel_share(&load) >
				kernel_share(&ret->cores[ret->busiest].load))
			ret->busiest = (int)ret->count;
		ret->count++;
	}
}

double t1s_cpu_busiest(const struct t1s_cpu_loads *l)
{
	return l->busiest < 0 ? NAN : kernel_share(&l->cores[l->busiest].load);
}

void t1s_cpu_text(const struct t1s_cpu_loads *l, char ret[T1S_CPU_TEXT_MAX])
{
	size_t used = 0;

	ret[0] = '\0';
	for (size_t i = 0; i < l->count; i++) {
		const struct t1s_cpu_load *c = &l->cores[i].load;
		int n = snprintf(ret + used, T1S_CPU_TEXT_MAX - used,
			"%s%u:%.1f/%.1f/%.1f", used ? " " : "", l->cores[i].number,
			c->busy, c->system, c->softirq);

		if (n < 0 || (size_t)n >= T1S_CPU_TEXT_MAX - used) {
			ret[used] = '\0';
			return;
		}
		used += (size_t)n;
	}
}
