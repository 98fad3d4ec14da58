/* SPDX-License-Identifier: MIT */
#include "sweep/surroundings.h"

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/sysfs.h"
#include "link/iface_setup.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

void t1s_surroundings_read(const struct t1s_context *c, struct t1s_surroundings *ret)
{
	memset(ret, 0, sizeof(*ret));
	t1s_plca_init(&ret->sender.plca);
	t1s_live_model(c->env->root, ret->board);
	(void)t1s_sysfs_text(ret->kernel, sizeof(ret->kernel), c->env->root,
		"/proc/sys/kernel/osrelease");
}

static void fill_plca(char *state, size_t size, const struct t1s_plca *p)
{
	const char *name = t1s_plca_state_name(p->state);

	(void)snprintf(state, size, "%s", name ? name : "");
}

void t1s_surroundings_fill(const struct t1s_surroundings *s, const struct t1s_context *c,
	struct t1s_row *row)
{
	const struct t1s_plca *p = &s->sender.plca;

	(void)snprintf(row->board, sizeof(row->board), "%s", s->board);
	(void)snprintf(row->kernel, sizeof(row->kernel), "%s", s->kernel);
	/* Not read once more: the user that measures would leave an access time on the
	 * boot partition. begin has just found the file to be the same but for the
	 * frequency. */
	memcpy(row->overlay_sha256, c->state.overlay.sha256, sizeof(row->overlay_sha256));
	(void)snprintf(
		row->sender_kernel, sizeof(row->sender_kernel), "%s", s->sender.kernel);
	fill_plca(row->sender_plca, sizeof(row->sender_plca), p);
	row->sender_plca_node_id = p->node_id;
	row->sender_plca_node_count = p->node_count;
	row->sender_plca_operating = p->operating;
	if (c->state.core_clock_hz > 0)
		row->core_clock_hz = (int64_t)c->state.core_clock_hz;
}

void t1s_watch_begin(const char *root, const char *interface, struct t1s_watch *ret)
{
	memset(ret, 0, sizeof(*ret));
	t1s_host_find(root, interface, &ret->host);
	ret->have_counters =
		t1s_iface_counters(root, interface, &ret->counters, NULL) == 0;
	t1s_host_snapshot(&ret->host, &ret->before);
}

/* Hundredths are as much as ten milliseconds of time can tell. */
static double hundredths(double percent)
{
	return round(percent * 100) / 100;
}

static void fill_cpu(const struct t1s_cpu_loads *l, struct t1s_row *row)
{
	row->cpu_busy_percent = hundredths(l->all.busy);
	row->cpu_system_percent = hundredths(l->all.system);
	row->cpu_softirq_percent = hundredths(l->all.softirq);
	if (l->busiest >= 0)
		row->cpu_core = l->cores[l->busiest].number;
	row->cpu_core_percent = hundredths(t1s_cpu_busiest(l));
	t1s_cpu_text(l, row->cpu_cores);
}

static void fill_load(const struct t1s_host_load *l, struct t1s_row *row)
{
	row->span_s = l->span_s;
	fill_cpu(&l->cpu, row);
	row->irq_spi = l->spi_interrupts;
	row->irq_mac = l->mac_interrupts;
	row->softnet_dropped = l->softnet.dropped;
	row->softnet_squeezed = l->softnet.squeezed;
	row->spi_messages = l->spi.device.messages;
	row->spi_transfers = l->spi.device.transfers;
	row->spi_bytes = l->spi.device.bytes;
	row->spi_errors = l->spi.device.errors;
	row->spi_timedout = l->spi.device.timedout;
	row->spi_bus_messages = l->spi.controller.messages;
	row->spi_bus_bytes = l->spi.controller.bytes;
	row->spi_bus_errors = l->spi.controller.errors;
	row->spi_bus_timedout = l->spi.controller.timedout;
	(void)snprintf(row->cpu_governor, sizeof(row->cpu_governor), "%s",
		l->condition.governor);
	row->cpu_freq_hz = l->condition.cpu_freq_hz;
	row->temperature_c = l->condition.temperature_c;
	row->undervoltage = l->condition.undervoltage;
}

static int64_t grown(uint64_t before, uint64_t after)
{
	return before > INT64_MAX || after > INT64_MAX
		       ? -1
		       : t1s_counter_delta((int64_t)before, (int64_t)after);
}

static void fill_counters(const struct t1s_iface_counters *b,
	const struct t1s_iface_counters *a, struct t1s_row *row)
{
	row->iface_rx_packets = grown(b->rx_packets, a->rx_packets);
	row->iface_rx_dropped = grown(b->rx_dropped, a->rx_dropped);
	row->iface_rx_errors = grown(b->rx_errors, a->rx_errors);
	row->iface_tx_packets = grown(b->tx_packets, a->tx_packets);
	row->iface_tx_dropped = grown(b->tx_dropped, a->tx_dropped);
	row->iface_tx_errors = grown(b->tx_errors, a->tx_errors);
}

static void fill_setup(
	const struct t1s_iface_setup *s, const struct t1s_plca *p, struct t1s_row *row)
{
	(void)snprintf(row->driver, sizeof(row->driver), "%s", s->driver);
	(void)snprintf(row->driver_version, sizeof(row->driver_version), "%s",
		s->driver_version);
	(void)snprintf(row->mac_address, sizeof(row->mac_address), "%s", s->mac);
	row->mtu = s->mtu;
	(void)snprintf(row->qdisc, sizeof(row->qdisc), "%s", s->qdisc);
	fill_plca(row->plca, sizeof(row->plca), p);
	row->plca_node_id = p->node_id;
	row->plca_node_count = p->node_count;
	row->plca_to_timer_bits = p->to_timer_bits;
	row->plca_burst_count = p->burst_count;
	row->plca_operating = p->operating;
}

void t1s_watch_end(const struct t1s_watch *w, struct t1s_row *rows, unsigned int count)
{
	const char *root = w->host.root, *interface = w->host.interface;
	struct t1s_host_snapshot after;
	struct t1s_host_load load;
	struct t1s_iface_counters counters;
	struct t1s_iface_setup setup;
	struct t1s_plca plca;
	bool have_counters;

	t1s_host_snapshot(&w->host, &after);
	have_counters = w->have_counters &&
			t1s_iface_counters(root, interface, &counters, NULL) == 0;
	t1s_host_compare(&w->before, &after, &load);
	t1s_iface_setup_read(root, interface, &setup);
	(void)t1s_plca_get(interface, &plca, NULL);
	for (unsigned int i = 0; i < count; i++) {
		fill_load(&load, &rows[i]);
		fill_setup(&setup, &plca, &rows[i]);
		if (have_counters)
			fill_counters(&w->counters, &counters, &rows[i]);
	}
}
