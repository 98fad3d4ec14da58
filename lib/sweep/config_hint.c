/* SPDX-License-Identifier: MIT */
#include "base/cleanup.h"
#include "sweep/config_keys.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#define SUGGEST_DISTANCE_MAX 2

static size_t smaller(size_t a, size_t b)
{
	return a < b ? a : b;
}

/* Edit distance (Levenshtein) of two words, case aside. */
static size_t distance(const char *a, const char *b)
{
	size_t row[32];
	size_t nb = strlen(b);

	if (nb >= T1S_ELEMENTSOF(row))
		return SIZE_MAX;
	for (size_t j = 0; j <= nb; j++)
		row[j] = j;
	for (size_t i = 1; a[i - 1]; i++) {
		size_t diagonal = row[0];

		row[0] = i;
		for (size_t j = 1; j <= nb; j++) {
			bool same = tolower((unsigned char)a[i - 1]) ==
				    tolower((unsigned char)b[j - 1]);
			size_t d = smaller(row[j], row[j - 1]) + 1;

			d = smaller(d, diagonal + (same ? 0 : 1));
			diagonal = row[j];
			row[j] = d;
		}
	}
	return row[nb];
}

static bool starts_section(size_t i)
{
	return i == 0 ||
	       strcmp(t1s_config_keys[i].section, t1s_config_keys[i - 1].section) != 0;
}

/* The nearest key of a section or, without one, the nearest section; NULL: none is near.
 */
static const char *suggest(const char *section, const char *word)
{
	size_t best = SUGGEST_DISTANCE_MAX + 1;
	const char *ret = NULL;

	for (size_t i = 0; i < t1s_config_keys_count; i++) {
		const struct t1s_config_key *k = &t1s_config_keys[i];
		const char *candidate = section ? k->key : k->section;
		size_t d;

		if (section ? strcmp(k->section, section) != 0 : !starts_section(i))
			continue;
		d = distance(word, candidate);
		if (d < best) {
			best = d;
			ret = candidate;
		}
	}
	return ret;
}

static const char *suffix(const char *section)
{
	return strcmp(section, T1S_WORKLOAD_SECTION) == 0 ? " NAME" : "";
}

void t1s_config_list_names(const char *section, char *ret, size_t size)
{
	size_t n = 0;

	ret[0] = '\0';
	for (size_t i = 0; i < t1s_config_keys_count && n < size; i++) {
		const struct t1s_config_key *k = &t1s_config_keys[i];

		if (section && strcmp(k->section, section) == 0)
			n += (size_t)snprintf(
				ret + n, size - n, "%s%s=", n ? ", " : "", k->key);
		else if (!section && starts_section(i))
			n += (size_t)snprintf(ret + n, size - n, "%s[%s%s]",
				n ? ", " : "", k->section, suffix(k->section));
	}
}

void t1s_config_hint(const char *section, const char *found, char *ret, size_t size)
{
	const char *near = suggest(section, found);

	(void)snprintf(ret, size, ".");
	if (near) {
		if (section)
			(void)snprintf(ret, size, "; did you mean %s=?", near);
		else
			(void)snprintf(
				ret, size, "; did you mean [%s%s]?", near, suffix(near));
		return;
	}
	for (size_t i = 0; section && i < t1s_config_keys_count; i++)
		if (strcmp(t1s_config_keys[i].key, found) == 0)
			(void)snprintf(ret, size, " here, it belongs to [%s].",
				t1s_config_keys[i].section);
}
