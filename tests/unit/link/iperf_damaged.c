/* SPDX-License-Identifier: MIT */
/*
 * Whatever becomes of a document, what is read from it must stay within what can be true.
 * Every member of every sample is replaced by every kind of value, and taken out; the
 * text is cut at and changed in every byte.
 */
#include "link/iperf.h"

#include "base/file.h"

#include <errno.h>
#include <json-c/json.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const char *const samples[] = {
	"srv-3.12-udp-omit1-underflow.json",
	"srv-3.7-udp-10pct-loss.json",
	"srv-3.18-udp-10pct-loss.json",
	"srv-3.12-udp-all-data-lost.json",
	"srv-3.12-client-killed.json",
	"srv-3.12-client-sigint-partial.json",
	"cli-all-3.12.json",
	"bad-nan-lost_percent.txt",
	"../workloads/cli-3.12-udp-both.json",
};

#define SAMPLES_COUNT (sizeof(samples) / sizeof(samples[0]))

/* NULL: taken out */
static const char *const values[] = {NULL, "null", "true", "-1", "0", "1.5", "1e308",
	"18446744073709551615", "\"1\\u0000\\u001b\"", "[{}]", "{\"sum\":7}"};

static char *load(const char *name, size_t *ret_size)
{
	char path[512];
	char *data;

	(void)snprintf(path, sizeof(path), T1S_TEST_DATA "/samples/%s", name);
	assert_int_equal(t1s_read_file(path, 1 << 20, &data, ret_size, NULL), 0);
	return data;
}

static void assert_loss_possible(const struct t1s_iperf_result *r)
{
	assert_true(r->packets >= -1 && r->lost_packets >= -1);
	assert_true(r->lost_packets <= r->packets);
	assert_true(isnan(r->lost_percent) == (r->lost_packets == -1));
	assert_true(isnan(r->lost_percent) ||
		    (r->lost_percent >= 0 && r->lost_percent <= 100));
}

static void assert_possible(const struct t1s_iperf_result *r)
{
	assert_true(strnlen(r->reason, sizeof(r->reason)) < sizeof(r->reason));
	for (const char *p = r->reason; *p; p++)
		assert_true((unsigned char)*p >= 0x20 && *p != 0x7f);
	assert_loss_possible(r);
	switch (r->status) {
	case T1S_RUN_OK:
		assert_true(isfinite(r->received_bps) && r->received_bps > 0);
		assert_true(isfinite(r->duration_s) && r->duration_s > 0);
		break;
	case T1S_RUN_NO_DATA:
		assert_true(r->reason[0] != '\0' && r->received_bps == 0.0);
		break;
	case T1S_RUN_FAILED:
		assert_true(r->reason[0] != '\0' && isnan(r->received_bps));
		assert_true(r->packets == -1 && isnan(r->jitter_ms));
		break;
	default:
		fail_msg("status %d", (int)r->status);
	}
	assert_true(isnan(r->offered_bps) ||
		    (isfinite(r->offered_bps) && r->offered_bps >= 0));
}

static bool has_error(const char *text, size_t size)
{
	json_tokener *tok = json_tokener_new();
	json_object *top = json_tokener_parse_ex(tok, text, (int)size);
	bool has = json_object_is_type(top, json_type_object) &&
		   json_object_object_get_ex(top, "error", NULL);

	json_object_put(top);
	json_tokener_free(tok);
	return has;
}

static unsigned long checked;
static struct t1s_iperf_result receiver; /* a good one, for a sender's to be added to */

static void check_text(const char *text, size_t size)
{
	const struct t1s_iperf_expect expect = {.link_rate_bps = 10e6};
	struct t1s_iperf_result r, good = receiver;
	char error[64];

	t1s_iperf_read(text, size, &expect, &r);
	assert_possible(&r);
	if (r.status == T1S_RUN_OK) {
		assert_true(r.received_bps <= 10e6);
		assert_false(has_error(text, size));
	}
	(void)t1s_iperf_add_sender(text, size, &good, error, sizeof(error));
	assert_possible(&good);
	assert_int_equal(good.status, T1S_RUN_OK);
}

static void check_document(json_object *top)
{
	size_t size;
	const char *text = json_object_to_json_string_length(
		top, JSON_C_TO_STRING_PLAIN | JSON_C_TO_STRING_NOSLASHESCAPE, &size);

	check_text(text, size);
	checked++;
}

/* Replaces one member after the other of everything below @node. */
static void damage_members(json_object *top, json_object *node);

/* The streams of an interval are looked at by nobody. */
static bool is_read(const char *key)
{
	return strcmp(key, "streams") != 0;
}

static void damage_member(json_object *top, json_object *node, const char *key)
{
	json_object *original = json_object_get(json_object_object_get(node, key));

	for (size_t v = 0; v < sizeof(values) / sizeof(values[0]); v++) {
		if (values[v])
			(void)json_object_object_add(
				node, key, json_tokener_parse(values[v]));
		else
			json_object_object_del(node, key);
		check_document(top);
	}
	(void)json_object_object_add(node, key, original);
	if (is_read(key) || node == json_object_object_get(top, "end"))
		damage_members(top, original);
}

static void damage_elements(json_object *top, json_object *node)
{
	for (size_t i = 0; i < json_object_array_length(node); i++) {
		json_object *original =
			json_object_get(json_object_array_get_idx(node, i));

		for (size_t v = 1; v < sizeof(values) / sizeof(values[0]); v++) {
			(void)json_object_array_put_idx(
				node, i, json_tokener_parse(values[v]));
			check_document(top);
		}
		(void)json_object_array_put_idx(node, i, original);
		damage_members(top, original);
	}
}

static void damage_members(json_object *top, json_object *node)
{
	if (json_object_is_type(node, json_type_array)) {
		damage_elements(top, node);
	} else if (json_object_is_type(node, json_type_object)) {
		size_t n = (size_t)json_object_object_length(node), i = 0;
		char **keys = calloc(n ? n : 1, sizeof(*keys));

		assert_non_null(keys);
		json_object_object_foreach (node, key, value) {
			(void)value;
			keys[i++] = strdup(key);
		}
		for (i = 0; i < n; i++) {
			damage_member(top, node, keys[i]);
			free(keys[i]);
		}
		free(keys);
	}
}

static void any_value_in_any_place_gives_a_possible_result(void **state)
{
	size_t good_size;
	char *good = load(samples[0], &good_size);

	(void)state;
	t1s_iperf_read(good, good_size, NULL, &receiver);
	free(good);
	for (size_t i = 0; i < SAMPLES_COUNT; i++) {
		size_t size;
		char *data = load(samples[i], &size);
		json_object *top = json_tokener_parse(data);

		if (top)
			damage_members(top, top);
		json_object_put(top);
		free(data);
	}
	assert_true(checked > 3000);
}

static void document_cut_anywhere_is_failed(void **state)
{
	(void)state;
	for (size_t i = 0; i < SAMPLES_COUNT; i++) {
		struct t1s_iperf_result r;
		size_t size;
		char *data = load(samples[i], &size);

		while (size > 0 && data[size - 1] != '}')
			size--;
		for (size_t n = 0; n < size; n++) {
			/* a copy of that size, so that a sanitizer sees a look past it */
			char *cut = malloc(n ? n : 1);

			assert_non_null(cut);
			memcpy(cut, data, n);
			t1s_iperf_read(cut, n, NULL, &r);
			assert_possible(&r);
			assert_int_equal(r.status, T1S_RUN_FAILED);
			free(cut);
		}
		free(data);
	}
}

static void any_byte_changed_gives_a_possible_result(void **state)
{
	static const char bytes[] = {
		'\0', '"', '{', '}', ']', ',', '-', '9', 'e', '\x80'};

	(void)state;
	for (size_t i = 0; i < SAMPLES_COUNT; i++) {
		struct t1s_iperf_result r;
		size_t size;
		char *data = load(samples[i], &size);

		for (size_t n = 0; n < size; n++) {
			char original = data[n];

			data[n] = bytes[n % sizeof(bytes)];
			t1s_iperf_read(data, size, NULL, &r);
			assert_possible(&r);
			data[n] = original;
		}
		free(data);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(any_value_in_any_place_gives_a_possible_result),
		cmocka_unit_test(document_cut_anywhere_is_failed),
		cmocka_unit_test(any_byte_changed_gives_a_possible_result),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
