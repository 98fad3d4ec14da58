/* SPDX-License-Identifier: MIT */
#include "board/spistat.h"

#include "base/sysfs.h"
#include "base/text.h"

#include <stdio.h>
#include <string.h>

static const struct t1s_spi_counts unknown = {-1, -1, -1, -1, -1};

/* The bus of "spiBUS.CHIPSELECT"; -1 if it is no such name. */
static int bus_of(const char *name)
{
	const char *dot = strchr(name, '.');
	char number[8];
	uint64_t bus, chip_select;

	if (strncmp(name, "spi", 3) != 0 || !dot || dot - name - 3 >= (int)sizeof(number))
		return -1;
	(void)snprintf(number, sizeof(number), "%.*s", (int)(dot - name - 3), name + 3);
	if (t1s_parse_uint(number, INT16_MAX, &bus) < 0 ||
		t1s_parse_uint(dot + 1, INT16_MAX, &chip_select) < 0)
		return -1;
	return (int)bus;
}

void t1s_spi_device_of(
	const char *root, const char *interface, struct t1s_spi_device *ret)
{
	char name[sizeof(ret->name)];
	int bus;

	memset(ret, 0, sizeof(*ret));
	(void)t1s_sysfs_link(
		name, sizeof(name), root, "/sys/class/net/%s/device", interface);
	bus = bus_of(name);
	if (bus < 0)
		return;
	memcpy(ret->name, name, sizeof(ret->name));
	ret->bus = (unsigned int)bus;
	(void)t1s_sysfs_link(ret->controller, sizeof(ret->controller), root,
		"/sys/class/spi_master/spi%d/device", bus);
}

static struct t1s_spi_counts read_counts(const char *root, const char *folder)
{
	return (struct t1s_spi_counts){
		.messages = t1s_sysfs_count(root, "%s/statistics/messages", folder),
		.transfers = t1s_sysfs_count(root, "%s/statistics/transfers", folder),
		.bytes = t1s_sysfs_count(root, "%s/statistics/bytes", folder),
		.errors = t1s_sysfs_count(root, "%s/statistics/errors", folder),
		.timedout = t1s_sysfs_count(root, "%s/statistics/timedout", folder),
	};
}

void t1s_spi_statistics_read(
	const char *root, const struct t1s_spi_device *d, struct t1s_spi_statistics *ret)
{
	char folder[128];

	*ret = (struct t1s_spi_statistics){unknown, unknown};
	if (!d->name[0])
		return;
	(void)snprintf(folder, sizeof(folder), "/sys/class/spi_master/spi%u", d->bus);
	ret->controller = read_counts(root, folder);
	(void)snprintf(folder, sizeof(folder), "/sys/bus/spi/devices/%s", d->name);
	ret->device = read_counts(root, folder);
}

struct t1s_spi_counts t1s_spi_counts_delta(
	const struct t1s_spi_counts *before, const struct t1s_spi_counts *after)
{
	return (struct t1s_spi_counts){
		.messages = t1s_counter_delta(before->messages, after->messages),
		.transfers = t1s_counter_delta(before->transfers, after->transfers),
		.bytes = t1s_counter_delta(before->bytes, after->bytes),
		.errors = t1s_counter_delta(before->errors, after->errors),
		.timedout = t1s_counter_delta(before->timedout, after->timedout),
	};
}
