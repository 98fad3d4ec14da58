/* SPDX-License-Identifier: MIT */
#include "report/fill.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

void t1s_json_putp(struct json_object **o)
{
	json_object_put(*o);
}

void t1s_fill_add(struct t1s_fill *f, const char *key, struct json_object *value)
{
	if (value && json_object_object_add(f->json, key, value) == 0)
		return;
	json_object_put(value);
	f->r = -ENOMEM;
}

void t1s_fill_null(struct t1s_fill *f, const char *key)
{
	if (json_object_object_add(f->json, key, NULL) != 0)
		f->r = -ENOMEM;
}

struct json_object *t1s_json_number(int places, double v)
{
	char text[512];

	if (places >= 0)
		(void)snprintf(text, sizeof(text), "%.*f", places, v);
	for (int digits = 15; places < 0 && digits <= 17; digits++) {
		(void)snprintf(text, sizeof(text), "%.*g", digits, v);
		if (strtod(text, NULL) == v)
			break;
	}
	return json_object_new_double_s(v, text);
}

void t1s_fill_number(struct t1s_fill *f, const char *key, int places, double v)
{
	if (isfinite(v))
		t1s_fill_add(f, key, t1s_json_number(places, v));
	else
		t1s_fill_null(f, key);
}

void t1s_fill_rate(struct t1s_fill *f, const char *key, double mbit_s)
{
	t1s_fill_number(f, key, 6, mbit_s);
}

void t1s_fill_count(struct t1s_fill *f, const char *key, int64_t n)
{
	t1s_fill_add(f, key, json_object_new_int64(n));
}

void t1s_fill_known_count(struct t1s_fill *f, const char *key, int64_t n)
{
	if (n >= 0)
		t1s_fill_count(f, key, n);
	else
		t1s_fill_null(f, key);
}

void t1s_fill_hz(struct t1s_fill *f, const char *key, uint32_t hz)
{
	if (hz)
		t1s_fill_count(f, key, hz);
	else
		t1s_fill_null(f, key);
}

void t1s_fill_text(struct t1s_fill *f, const char *key, const char *text)
{
	if (text && text[0])
		t1s_fill_add(f, key, json_object_new_string(text));
	else
		t1s_fill_null(f, key);
}

void t1s_fill_append(struct t1s_fill *array, struct json_object *element, int r)
{
	if (r < 0)
		array->r = r;
	if (element && json_object_array_add(array->json, element) == 0)
		return;
	json_object_put(element);
	array->r = -ENOMEM;
}

void t1s_fill_filled(struct t1s_fill *f, const char *key, const struct t1s_fill *value)
{
	if (value->r < 0)
		f->r = value->r;
	t1s_fill_add(f, key, value->json);
}

int t1s_fill_write(const struct t1s_fill *root, FILE *out)
{
	const char *text =
		root->r < 0 ? NULL
			    : json_object_to_json_string_ext(root->json,
				      JSON_C_TO_STRING_PRETTY | JSON_C_TO_STRING_SPACED |
					      JSON_C_TO_STRING_NOSLASHESCAPE);

	if (!text)
		return -ENOMEM;
	(void)fprintf(out, "%s\n", text);
	return fflush(out) == 0 && !ferror(out) ? 0 : -EIO;
}
