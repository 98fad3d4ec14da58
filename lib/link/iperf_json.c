/* SPDX-License-Identifier: MIT */
#include "link/iperf_json.h"

#include "base/json.h"
#include "base/log.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* iperf3's documents are five levels deep */
#define DEPTH_MAX 24

#define WHOLE_MAX ((int64_t)1 << 53) /* exact in a double too */

static int refuse(char *why, size_t size, const char *what, const char *found, size_t n)
{
	char text[41];

	n = strnlen(found, n < sizeof(text) - 1 ? n : sizeof(text) - 1);
	memcpy(text, found, n);
	text[n] = '\0';
	text[strcspn(text, "\n")] = '\0';
	t1s_printable(text);
	/* the text goes into other documents: no bytes that are no UTF-8 */
	for (char *p = text; *p; p++) {
		if (*p & 0x80)
			*p = '?';
	}
	(void)snprintf(why, size, "%s: \"%s\"", what, text);
	return -EBADMSG;
}

static int parse_object(
	const char *data, size_t size, json_object **ret, char *why, size_t why_size)
{
	struct t1s_json_end end;
	json_object *o;

	if (t1s_json_parse(data, size, DEPTH_MAX, JSON_TOKENER_VALIDATE_UTF8, &o, &end) <
		0) {
		(void)snprintf(why, why_size, "not read: out of memory");
		return -EBADMSG;
	}
	if (!o) {
		char what[96];

		if (end.at >= size || end.error == json_tokener_continue) {
			(void)snprintf(why, why_size,
				"not valid JSON: it ends in the middle, after %zu bytes",
				size);
			return -EBADMSG;
		}
		(void)snprintf(what, sizeof(what), "not valid JSON (%s) at byte %zu",
			json_tokener_error_desc(end.error), end.at);
		return refuse(why, why_size, what, data + end.at, size - end.at);
	}
	if (end.at < size || !json_object_is_type(o, json_type_object)) {
		json_object_put(o);
		return refuse(why, why_size, "not one JSON object; it goes on with",
			data + (end.at < size ? end.at : 0),
			end.at < size ? size - end.at : size);
	}
	*ret = o;
	return 0;
}

int t1s_iperf_parse(
	const char *data, size_t size, json_object **ret, char *why, size_t why_size)
{
	size_t blank;

	if (size > T1S_IPERF_MAX_BYTES) {
		(void)snprintf(why, why_size,
			"%zu bytes long, more than the 16 MiB that are expected at most",
			size);
		return -EBADMSG;
	}
	blank = t1s_json_blanks(data, size);
	if (blank == size) {
		(void)snprintf(why, why_size, "empty: no test was finished");
		return -EBADMSG;
	}
	if (data[blank] != '{')
		return refuse(why, why_size, "no JSON: it begins with", data + blank,
			size - blank);
	return parse_object(data, size, ret, why, why_size);
}

static json_object *member(json_object *parent, const char *key)
{
	json_object *o = NULL;

	if (!json_object_is_type(parent, json_type_object))
		return NULL;
	(void)json_object_object_get_ex(parent, key, &o);
	return o;
}

json_object *t1s_iperf_object(json_object *parent, const char *key)
{
	json_object *o = member(parent, key);

	return json_object_is_type(o, json_type_object) ? o : NULL;
}

json_object *t1s_iperf_array(json_object *parent, const char *key)
{
	json_object *o = member(parent, key);

	return json_object_is_type(o, json_type_array) ? o : NULL;
}

const char *t1s_iperf_string(json_object *parent, const char *key)
{
	json_object *o = member(parent, key);

	return json_object_is_type(o, json_type_string) ? json_object_get_string(o)
							: NULL;
}

static double any_number(json_object *parent, const char *key)
{
	json_object *o = member(parent, key);
	double v = NAN;

	if (json_object_is_type(o, json_type_int) ||
		json_object_is_type(o, json_type_double))
		v = json_object_get_double(o);
	return isfinite(v) ? v : NAN;
}

double t1s_iperf_number(json_object *parent, const char *key)
{
	double v = any_number(parent, key);

	return v >= 0 ? v : NAN;
}

int64_t t1s_iperf_difference(json_object *parent, const char *key)
{
	double v = any_number(parent, key);

	/* 3.12 underflows some counters to just below 2^64 */
	if (isnan(v) || fabs(v) > (double)WHOLE_MAX || v != trunc(v))
		return INT64_MIN;
	return (int64_t)v;
}

int64_t t1s_iperf_count(json_object *parent, const char *key)
{
	int64_t v = t1s_iperf_difference(parent, key);

	return v >= 0 ? v : -1;
}
