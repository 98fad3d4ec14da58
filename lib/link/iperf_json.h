/* SPDX-License-Identifier: MIT */
/*
 * Inside the room only: typed looks into an iperf3 document that may hold anything. What
 * is absent, of another type, or out of range is "not known", never 0.
 */
#pragma once

#include <json-c/json.h>
#include <stddef.h>
#include <stdint.h>

#define T1S_IPERF_MAX_BYTES ((size_t)16 * 1024 * 1024)

/*
 * Parses a whole document: strict JSON of UTF-8, one object, bounded depth and size.
 * @ret: to be freed with json_object_put.
 * Returns 0, or -EBADMSG with what is wrong in @why.
 */
int t1s_iperf_parse(
	const char *data, size_t size, json_object **ret, char *why, size_t why_size);

/* A member of that type, else NULL; @parent may be NULL or no object. */
json_object *t1s_iperf_object(json_object *parent, const char *key);
json_object *t1s_iperf_array(json_object *parent, const char *key);
const char *t1s_iperf_string(json_object *parent, const char *key);

/* A finite number that is not negative, else NaN. */
double t1s_iperf_number(json_object *parent, const char *key);

/* A whole number from -2^53 to 2^53 (a difference may be negative), else INT64_MIN. */
int64_t t1s_iperf_difference(json_object *parent, const char *key);

/* A whole number from 0 to 2^53, else -1. */
int64_t t1s_iperf_count(json_object *parent, const char *key);
