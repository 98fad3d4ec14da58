/* SPDX-License-Identifier: MIT */
#include "board/dtprop.h"

#include <stdio.h>
#include <string.h>

uint32_t t1s_dt_u32(const void *data)
{
	const unsigned char *b = data;

	return (uint32_t)b[0] << 24 | (uint32_t)b[1] << 16 | (uint32_t)b[2] << 8 | b[3];
}

int t1s_dt_chip_select(const void *reg, size_t size)
{
	uint32_t v;

	if (size < 4)
		return -1;
	v = t1s_dt_u32(reg);
	return v <= 255 ? (int)v : -1;
}

bool t1s_dt_has_string(const char *list, size_t size, const char *word)
{
	size_t length = strlen(word);

	while (size > 0) {
		size_t n = strnlen(list, size);

		if (n == size)
			return false; /* not ended by a 0 byte */
		if (n == length && memcmp(list, word, n) == 0)
			return true;
		list += n + 1;
		size -= n + 1;
	}
	return false;
}

void t1s_dt_first_string(const char *list, size_t size, char *ret, size_t ret_size)
{
	size_t n = size > 0 ? strnlen(list, size) : 0;

	if (n >= ret_size)
		n = ret_size - 1;
	if (n > 0)
		memcpy(ret, list, n);
	ret[n] = '\0';
}

void t1s_dt_chip_select_text(int chip_select, char ret[T1S_DT_CHIP_SELECT_TEXT_MAX])
{
	if (chip_select < 0)
		(void)snprintf(ret, T1S_DT_CHIP_SELECT_TEXT_MAX, "any chip select");
	else
		(void)snprintf(
			ret, T1S_DT_CHIP_SELECT_TEXT_MAX, "chip select %d", chip_select);
}

void t1s_dt_add_candidate(char list[T1S_DT_CANDIDATES_MAX], const char *path,
	const char *compatible, int chip_select, const char *what)
{
	static const char more[] = ", …";
	size_t used = strlen(list);
	size_t room = T1S_DT_CANDIDATES_MAX - used;
	char where[T1S_DT_CHIP_SELECT_TEXT_MAX] = "no chip select";
	int n;

	if (used >= sizeof(more) && strcmp(list + used - sizeof(more) + 1, more) == 0)
		return;
	if (chip_select >= 0)
		t1s_dt_chip_select_text(chip_select, where);
	n = snprintf(list + used, room, "%s%s (%s, %s%s%s)", used ? ", " : "", path,
		compatible[0] ? compatible : "no compatible", where, what ? ", " : "",
		what ? what : "");
	if (n < 0 || (size_t)n + sizeof(more) > room) {
		/* every entry leaves room for this, so it fits */
		memcpy(list + used, more, sizeof(more));
	}
}
