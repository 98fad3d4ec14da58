/* SPDX-License-Identifier: MIT */
#include "base/json.h"

#include <errno.h>

size_t t1s_json_blanks(const char *text, size_t size)
{
	size_t n = 0;

	while (n < size &&
		(text[n] == ' ' || text[n] == '\t' || text[n] == '\r' || text[n] == '\n'))
		n++;
	return n;
}

int t1s_json_parse(const char *text, size_t size, int depth_max, int flags,
	json_object **ret, struct t1s_json_end *ret_end)
{
	json_tokener *t = json_tokener_new_ex(depth_max);

	if (!t)
		return -ENOMEM;
	json_tokener_set_flags(t, flags);
	*ret = json_tokener_parse_ex(t, text, (int)size);
	ret_end->error = json_tokener_get_error(t);
	ret_end->at = json_tokener_get_parse_end(t);
	if (*ret)
		ret_end->at += t1s_json_blanks(text + ret_end->at, size - ret_end->at);
	json_tokener_free(t);
	return 0;
}
