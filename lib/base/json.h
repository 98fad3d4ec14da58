/* SPDX-License-Identifier: MIT */
/* JSON documents out of memory. */
#pragma once

#include <json-c/json.h>
#include <stddef.h>

/* Where reading ended. */
struct t1s_json_end {
	enum json_tokener_error error;
	size_t at; /* behind the document and its blanks; on an error, where json-c gave
		      up */
};

/*
 * Reads the one document that @text begins with, at most @depth_max levels deep; @flags
 * as of json_tokener_set_flags(), but never JSON_TOKENER_STRICT: from json-c 0.17 on that
 * refuses each character beyond ASCII where char is signed. Nothing else stands in the
 * text where @ret_end->at is @size; json-c takes a 0 byte for an end.
 * Returns 0 or -ENOMEM; *ret is to be put, and NULL on an error and for the document
 * null.
 */
int t1s_json_parse(const char *text, size_t size, int depth_max, int flags,
	json_object **ret, struct t1s_json_end *ret_end);

/* How many of JSON's blanks the text begins with. */
size_t t1s_json_blanks(const char *text, size_t size);
