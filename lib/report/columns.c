/* SPDX-License-Identifier: MIT */
#include "report/columns.h"

#include "base/cleanup.h"

#include <math.h>
#include <string.h>

static bool put(char ret[T1S_CELL_MAX], int places, double v)
{
	if (isnan(v))
		return false;
	(void)snprintf(ret, T1S_CELL_MAX, "%.*f", places, v);
	return true;
}

static bool put_hz(char ret[T1S_CELL_MAX], uint32_t hz)
{
	return put(ret, 3, hz ? (double)hz / 1e6 : NAN);
}

static bool put_words(char ret[T1S_CELL_MAX], const char *text)
{
	(void)snprintf(ret, T1S_CELL_MAX, "%s", text ? text : "");
	return ret[0];
}

static bool request(const struct t1s_report *r, size_t i, char ret[T1S_CELL_MAX])
{
	return put_hz(ret, r->points[i].spi_requested_hz);
}

static bool sclk(const struct t1s_report *r, size_t i, char ret[T1S_CELL_MAX])
{
	return put_hz(ret, r->points[i].sclk_predicted_hz);
}

static bool received(const struct t1s_report *r, size_t i, char ret[T1S_CELL_MAX])
{
	return put(ret, 3, r->points[i].received_mbit_s);
}

static bool range(const struct t1s_report *r, size_t i, char ret[T1S_CELL_MAX])
{
	const struct t1s_report_point *p = &r->points[i];

	if (p->runs < 2)
		return false;
	(void)snprintf(ret, T1S_CELL_MAX, "%.3f–%.3f", p->received_min, p->received_max);
	return true;
}

static bool interval(const struct t1s_report *r, size_t i, char ret[T1S_CELL_MAX])
{
	const struct t1s_interval v = r->points[i].received_interval;

	if (isnan(v.low))
		return false;
	(void)snprintf(ret, T1S_CELL_MAX, "%.3f–%.3f", fmax(v.low, 0), v.high);
	return true;
}

static bool share(const struct t1s_report *r, size_t i, char ret[T1S_CELL_MAX])
{
	return put(ret, 1, 100 * r->points[i].wire_share);
}

static bool ceiling(const struct t1s_report *r, size_t i, char ret[T1S_CELL_MAX])
{
	return put(ret, 2, r->points[i].spi_ceiling_mbit_s);
}

static bool offered(const struct t1s_report *r, size_t i, char ret[T1S_CELL_MAX])
{
	return put(ret, 3, r->points[i].offered_mbit_s);
}

static bool loss(const struct t1s_report *r, size_t i, char ret[T1S_CELL_MAX])
{
	return put(ret, 2, r->points[i].lost_percent);
}

static bool jitter(const struct t1s_report *r, size_t i, char ret[T1S_CELL_MAX])
{
	return put(ret, 3, r->points[i].jitter_ms);
}

static bool cpu(const struct t1s_report *r, size_t i, char ret[T1S_CELL_MAX])
{
	return put(ret, 0, r->points[i].cpu_core_percent);
}

static bool interrupts(const struct t1s_report *r, size_t i, char ret[T1S_CELL_MAX])
{
	const double *means = r->points[i].means;

	return put(ret, 0,
		isnan(means[T1S_MEAN_IRQ_SPI])
			? means[T1S_MEAN_IRQ_MAC]
			: means[T1S_MEAN_IRQ_SPI] + fmax(means[T1S_MEAN_IRQ_MAC], 0));
}

static bool spi_errors(const struct t1s_report *r, size_t i, char ret[T1S_CELL_MAX])
{
	return put(ret, 1, r->points[i].means[T1S_MEAN_SPI_ERRORS]);
}

static bool runs(const struct t1s_report *r, size_t i, char ret[T1S_CELL_MAX])
{
	const struct t1s_report_point *p = &r->points[i];

	if (p->failed)
		(void)snprintf(
			ret, T1S_CELL_MAX, "%u of %u", p->runs, p->runs + p->failed);
	else
		(void)snprintf(ret, T1S_CELL_MAX, "%u", p->runs);
	return true;
}

static bool verdict(const struct t1s_report *r, size_t i, char ret[T1S_CELL_MAX])
{
	return put_words(ret, t1s_verdict_name(r->points[i].verdict));
}

static bool marks(const struct t1s_report *r, size_t i, char ret[T1S_CELL_MAX])
{
	const bool groups = r->points[i].groups.low_count || r->points[i].lower_group;
	const bool clock = t1s_report_is_one_clock(r, i);

	(void)snprintf(ret, T1S_CELL_MAX, "%s%s%s", groups ? "two groups" : "",
		groups && clock ? ", " : "", clock ? "one clock" : "");
	return ret[0];
}

static bool bound(const struct t1s_report *r, size_t i, char ret[T1S_CELL_MAX])
{
	return put_words(ret, t1s_bound_name(r->points[i].bound_by));
}

static bool because(const struct t1s_report *r, size_t i, char ret[T1S_CELL_MAX])
{
	return put_words(ret, r->points[i].bound_because);
}

const struct t1s_column t1s_columns[] = {
	{"Request", "MHz", true, false, request},
	{"SCLK", "MHz", true, false, sclk},
	{"Received", "Mbit/s", true, false, received},
	{"Range", "Mbit/s", true, true, range},
	{"95 % interval", "Mbit/s", true, false, interval},
	{"Wire", "%", true, false, share},
	{"Ceiling", "Mbit/s", true, false, ceiling},
	{"Offered", "Mbit/s", true, true, offered},
	{"Loss", "%", true, false, loss},
	{"Jitter", "ms", true, true, jitter},
	{"Core", "%", true, false, cpu},
	{"IRQs", "1/s", true, false, interrupts},
	{"SPI errors", "per run", true, false, spi_errors},
	{"Runs", "", true, false, runs},
	{"Verdict", "", false, false, verdict},
	{"Marks", "", false, false, marks},
	{"Bound by", "", false, false, bound},
	{"Because", "", false, true, because},
};

const size_t t1s_columns_count = T1S_ELEMENTSOF(t1s_columns);

bool t1s_column_is_used(const struct t1s_column *c, const struct t1s_report *r)
{
	char cell[T1S_CELL_MAX];

	for (size_t i = 0; i < r->count; i++)
		if (c->cell(r, i, cell))
			return true;
	return false;
}
