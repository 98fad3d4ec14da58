/* SPDX-License-Identifier: MIT */
#include "sweep/results_fields.h"

#include "base/cleanup.h"
#include "base/log.h"
#include "base/text.h"

#include <csv.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#define FIELD(column, kind, member)                                                      \
	{                                                                                \
		.name = (column), .type = (kind),                                        \
		.offset = offsetof(struct t1s_row, member),                              \
		.size = sizeof(((struct t1s_row *)0)->member)                            \
	}
#define TEXT(member) FIELD(#member, T1S_FIELD_TEXT, member)
#define COUNT(member) FIELD(#member, T1S_FIELD_COUNT, member)
#define FIXED(member) FIELD(#member, T1S_FIELD_FIXED, member)
#define SHORTEST(member) FIELD(#member, T1S_FIELD_SHORTEST, member)

const struct t1s_field t1s_fields[] = {
	TEXT(timestamp),
	FIELD("status", T1S_FIELD_STATUS, status),
	TEXT(receiver_host),
	TEXT(overlay),
	FIELD("spi_requested_hz", T1S_FIELD_HZ, spi_requested_hz),
	FIELD("spi_requested_mhz", T1S_FIELD_MHZ, spi_requested_hz),
	TEXT(udp_target),
	FIXED(received_mbit_s),
	SHORTEST(lost_percent),
	SHORTEST(jitter_ms),
	COUNT(packets),
	COUNT(lost_packets),
	COUNT(test_seconds),
	COUNT(omit_seconds),
	TEXT(interface),
	TEXT(receiver_ip),
	TEXT(sender_ip),
	TEXT(sender_ssh),
	TEXT(note),
	/* ours */
	TEXT(sweep_id),
	COUNT(point),
	COUNT(pass),
	TEXT(workload),
	TEXT(protocol),
	TEXT(direction),
	COUNT(length_bytes),
	COUNT(repeat),
	COUNT(attempt),
	TEXT(boot_id),
	COUNT(live_hz),
	COUNT(original_hz),
	COUNT(sclk_predicted_hz),
	FIXED(offered_mbit_s),
	COUNT(sent_packets),
	COUNT(out_of_order),
	FIXED(duration_s),
	COUNT(iface_rx_bytes),
	TEXT(iperf_receiver),
	TEXT(iperf_sender),
	COUNT(clock_synchronised),
	TEXT(raw),
	COUNT(retransmits),
	COUNT(iface_tx_bytes),
	COUNT(seed),
	TEXT(board),
	TEXT(kernel),
	TEXT(driver),
	TEXT(driver_version),
	TEXT(mac_address),
	COUNT(mtu),
	TEXT(qdisc),
	TEXT(plca),
	COUNT(plca_node_id),
	COUNT(plca_node_count),
	COUNT(plca_to_timer_bits),
	COUNT(plca_burst_count),
	COUNT(plca_operating),
	TEXT(sender_kernel),
	TEXT(sender_plca),
	COUNT(sender_plca_node_id),
	COUNT(sender_plca_node_count),
	COUNT(sender_plca_operating),
	TEXT(overlay_sha256),
	TEXT(cpu_governor),
	COUNT(cpu_freq_hz),
	COUNT(core_clock_hz),
	SHORTEST(temperature_c),
	COUNT(undervoltage),
	FIXED(span_s),
	SHORTEST(cpu_busy_percent),
	SHORTEST(cpu_system_percent),
	SHORTEST(cpu_softirq_percent),
	COUNT(cpu_core),
	SHORTEST(cpu_core_percent),
	TEXT(cpu_cores),
	COUNT(irq_spi),
	COUNT(irq_mac),
	COUNT(softnet_dropped),
	COUNT(softnet_squeezed),
	COUNT(spi_messages),
	COUNT(spi_transfers),
	COUNT(spi_bytes),
	COUNT(spi_errors),
	COUNT(spi_timedout),
	COUNT(spi_bus_messages),
	COUNT(spi_bus_bytes),
	COUNT(spi_bus_errors),
	COUNT(spi_bus_timedout),
	COUNT(iface_rx_packets),
	COUNT(iface_rx_dropped),
	COUNT(iface_rx_errors),
	COUNT(iface_tx_packets),
	COUNT(iface_tx_dropped),
	COUNT(iface_tx_errors),
	TEXT(compatible),
};

const size_t t1s_fields_count = T1S_ELEMENTSOF(t1s_fields);

/* each text at most doubled by quotes, 30 characters for each number, a comma for each
 * column that is not ours */
_Static_assert(
	2 * sizeof(struct t1s_row) + 30 * T1S_ELEMENTSOF(t1s_fields) + T1S_COLUMNS_MAX <=
		T1S_ROW_LINE_MAX,
	"T1S_ROW_LINE_MAX too small");

void t1s_row_init(struct t1s_row *r)
{
	memset(r, 0, sizeof(*r));
	for (size_t i = 0; i < t1s_fields_count; i++) {
		void *field = (char *)r + t1s_fields[i].offset;

		switch (t1s_fields[i].type) {
		case T1S_FIELD_STATUS:
			*(enum t1s_run_status *)field = T1S_RUN_STATUS_INVALID;
			break;
		case T1S_FIELD_COUNT:
			*(int64_t *)field = -1;
			break;
		case T1S_FIELD_FIXED:
		case T1S_FIELD_SHORTEST:
			*(double *)field = NAN;
			break;
		default:
			break;
		}
	}
}

/* libcsv quotes every field; the reference has none quoted, so only what needs it is. A
 * blank at either end needs it because readers (libcsv too) cut it off. */
static size_t put_text(char *ret, size_t size, const char *value)
{
	char text[1024];
	size_t n;

	(void)snprintf(text, sizeof(text), "%s", value);
	t1s_printable(text);
	n = strlen(text);
	if (n == 0 || (!strpbrk(text, ",\"") && text[0] != ' ' && text[n - 1] != ' ')) {
		memcpy(ret, text, n);
		return n;
	}
	n = csv_write(ret, size, text, n);
	return n < size ? n : size;
}

static size_t put_number(char *ret, const struct t1s_field *f, const void *value)
{
	ret[0] = '\0';
	switch (f->type) {
	case T1S_FIELD_HZ:
		if (*(const uint32_t *)value > 0)
			return (size_t)sprintf(ret, "%" PRIu32, *(const uint32_t *)value);
		break;
	case T1S_FIELD_MHZ:
		if (*(const uint32_t *)value > 0)
			t1s_format_fixed(ret, *(const uint32_t *)value / 1e6, 3);
		break;
	case T1S_FIELD_COUNT:
		if (*(const int64_t *)value >= 0)
			return (size_t)sprintf(ret, "%" PRId64, *(const int64_t *)value);
		break;
	case T1S_FIELD_FIXED:
		if (isfinite(*(const double *)value))
			t1s_format_fixed(ret, *(const double *)value, 6);
		break;
	default:
		if (isfinite(*(const double *)value))
			t1s_format_shortest(ret, *(const double *)value);
		break;
	}
	return strlen(ret);
}

static size_t put_field(
	char *ret, size_t size, const struct t1s_field *f, const struct t1s_row *row)
{
	const char *value = (const char *)row + f->offset;
	const char *name;

	switch (f->type) {
	case T1S_FIELD_TEXT:
		return put_text(ret, size, value);
	case T1S_FIELD_STATUS:
		name = t1s_run_status_name(row->status);
		return put_text(ret, size, name ? name : "");
	default:
		return put_number(ret, f, value);
	}
}

size_t t1s_results_header(char ret[T1S_ROW_LINE_MAX])
{
	size_t n = 0;

	for (size_t i = 0; i < t1s_fields_count; i++)
		n += (size_t)snprintf(ret + n, T1S_ROW_LINE_MAX - n, "%s%c",
			t1s_fields[i].name, i + 1 < t1s_fields_count ? ',' : '\n');
	return n;
}

size_t t1s_results_line(
	const struct t1s_row *row, const struct t1s_header *h, char ret[T1S_ROW_LINE_MAX])
{
	size_t n = 0;

	for (size_t i = 0; i < h->count; i++) {
		if (h->fields[i])
			n += put_field(ret + n, T1S_ROW_LINE_MAX - n, h->fields[i], row);
		ret[n++] = i + 1 < h->count ? ',' : '\n';
	}
	return n;
}
