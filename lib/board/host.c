/* SPDX-License-Identifier: MIT */
#include "board/host.h"

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/sysfs.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

void t1s_host_find(const char *root, const char *interface, struct t1s_host *ret)
{
	memset(ret, 0, sizeof(*ret));
	ret->root = root;
	(void)snprintf(ret->interface, sizeof(ret->interface), "%s", interface);
	(void)t1s_sysfs_link(ret->driver, sizeof(ret->driver), root,
		"/sys/class/net/%s/device/driver", interface);
	t1s_spi_device_of(root, interface, &ret->spi);
}

void t1s_host_snapshot(const struct t1s_host *h, struct t1s_host_snapshot *ret)
{
	const char *const controller[] = {h->spi.controller};
	const char *const mac[] = {h->spi.name, h->interface, h->driver};

	*ret = (struct t1s_host_snapshot){.taken_us = t1s_now_us()};
	t1s_cpu_read(h->root, &ret->cpu);
	ret->spi_interrupts =
		t1s_interrupts(h->root, controller, T1S_ELEMENTSOF(controller));
	ret->mac_interrupts = t1s_interrupts(h->root, mac, T1S_ELEMENTSOF(mac));
	t1s_softnet_read(h->root, &ret->softnet);
	t1s_spi_statistics_read(h->root, &h->spi, &ret->spi);
	t1s_condition_read(h->root, &ret->condition);
}

static struct t1s_condition worse(
	const struct t1s_condition *before, const struct t1s_condition *after)
{
	struct t1s_condition c = *after;

	c.temperature_c = fmax(before->temperature_c, after->temperature_c);
	if (before->undervoltage > c.undervoltage)
		c.undervoltage = before->undervoltage;
	return c;
}

void t1s_host_compare(const struct t1s_host_snapshot *before,
	const struct t1s_host_snapshot *after, struct t1s_host_load *ret)
{
	*ret = (struct t1s_host_load){
		.span_s = (double)(after->taken_us - before->taken_us) /
			  (double)T1S_USEC_PER_SEC,
		.spi_interrupts =
			t1s_counter_delta(before->spi_interrupts, after->spi_interrupts),
		.mac_interrupts =
			t1s_counter_delta(before->mac_interrupts, after->mac_interrupts),
		.softnet = {t1s_counter_delta(
				    before->softnet.dropped, after->softnet.dropped),
			t1s_counter_delta(
				before->softnet.squeezed, after->softnet.squeezed)},
		.spi = {t1s_spi_counts_delta(
				&before->spi.controller, &after->spi.controller),
			t1s_spi_counts_delta(&before->spi.device, &after->spi.device)},
		.condition = worse(&before->condition, &after->condition),
	};
	t1s_cpu_compare(&before->cpu, &after->cpu, &ret->cpu);
}
