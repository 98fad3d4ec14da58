/* SPDX-License-Identifier: MIT */
/*
 * Filling JSON objects and arrays (json-c) so that what is not known becomes null and the
 * first failure is kept. For this room and those above it.
 */
#pragma once

#include <json-c/json.h>
#include <stdint.h>
#include <stdio.h>

/* An object or array being filled; the first failure stays in @r. */
struct t1s_fill {
	struct json_object *json;
	int r;
};

/* For cleanup_(). */
void t1s_json_putp(struct json_object **o);

/* A value that json-c has made; it is given away in any case. NULL is out of memory. */
void t1s_fill_add(struct t1s_fill *f, const char *key, struct json_object *value);
void t1s_fill_null(struct t1s_fill *f, const char *key);

/* @places behind the point; -1: as few digits as give the same number back. NaN and
 * infinities become null. */
void t1s_fill_number(struct t1s_fill *f, const char *key, int places, double v);

/* A rate in Mbit/s, six places. */
void t1s_fill_rate(struct t1s_fill *f, const char *key, double mbit_s);

void t1s_fill_count(struct t1s_fill *f, const char *key, int64_t n);

/* A count where -1 is "not known". */
void t1s_fill_known_count(struct t1s_fill *f, const char *key, int64_t n);

/* A frequency, where 0 is "not known". */
void t1s_fill_hz(struct t1s_fill *f, const char *key, uint32_t hz);

/* A text, where NULL and "" are "not known". */
void t1s_fill_text(struct t1s_fill *f, const char *key, const char *text);

/* A number for an array, @places as above. */
struct json_object *t1s_json_number(int places, double v);

/* Puts an element into an array, together with what failed while it was made. */
void t1s_fill_append(struct t1s_fill *array, struct json_object *element, int r);

/* Puts a filled object or array into an object. */
void t1s_fill_filled(struct t1s_fill *f, const char *key, const struct t1s_fill *value);

/* Writes the whole and a newline. Returns 0, -ENOMEM if anything failed before, -EIO. */
int t1s_fill_write(const struct t1s_fill *root, FILE *out);
