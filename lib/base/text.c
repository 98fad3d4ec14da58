/* SPDX-License-Identifier: MIT */
#include "base/text.h"

#include "base/clock.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static const char *skip_space(const char *p)
{
	while (*p == ' ' || *p == '\t')
		p++;
	return p;
}

/*
 * Reads "12" or "12.5" exactly: the digits as one integer and the count of those behind
 * the point, so that no number goes through a double. Returns the end or NULL.
 */
static const char *scan_decimal(
	const char *p, uint64_t *ret_digits, unsigned int *ret_places)
{
	uint64_t digits = 0;
	unsigned int places = 0;
	bool any = false, point = false;

	for (;; p++) {
		if (*p == '.' && !point) {
			point = true;
			continue;
		}
		if (!isdigit((unsigned char)*p))
			break;
		if (__builtin_mul_overflow(digits, 10, &digits) ||
			__builtin_add_overflow(digits, (uint64_t)(*p - '0'), &digits))
			return NULL;
		any = true;
		places += point ? 1U : 0U;
	}
	if (!any)
		return NULL;
	*ret_digits = digits;
	*ret_places = places;
	return p;
}

static int scale(uint64_t digits, unsigned int places, uint64_t factor, uint64_t *ret)
{
	uint64_t v;

	for (; places > 0 && digits % 10 == 0; places--)
		digits /= 10;
	for (; places > 0; places--) {
		if (factor % 10 != 0)
			return -EINVAL; /* not a whole number */
		factor /= 10;
	}
	if (__builtin_mul_overflow(digits, factor, &v))
		return -ERANGE;
	*ret = v;
	return 0;
}

int t1s_parse_si(const char *text, const char *unit, uint64_t *ret)
{
	uint64_t digits, factor = 1;
	unsigned int places;
	const char *p = scan_decimal(skip_space(text), &digits, &places);

	if (!p)
		return -EINVAL;
	p = skip_space(p);
	switch (*p) {
	case 'k':
	case 'K':
		factor = 1000;
		p++;
		break;
	case 'M':
		factor = 1000000;
		p++;
		break;
	case 'G':
		factor = 1000000000;
		p++;
		break;
	default:
		break;
	}
	if (unit && strncmp(p, unit, strlen(unit)) == 0)
		p += strlen(unit);
	if (*skip_space(p) != '\0')
		return -EINVAL;
	return scale(digits, places, factor, ret);
}

int t1s_parse_duration(const char *text, uint64_t *ret_us)
{
	static const struct {
		const char *suffix;
		uint64_t us;
	} units[] = {
		{"ms", T1S_USEC_PER_MSEC},
		{"min", 60 * T1S_USEC_PER_SEC},
		{"s", T1S_USEC_PER_SEC},
		{"h", 3600 * T1S_USEC_PER_SEC},
	};
	const char *p = skip_space(text);
	uint64_t total = 0;

	if (*p == '\0')
		return -EINVAL;
	while (*p) {
		uint64_t digits, us, factor = 0;
		unsigned int places;
		int r;

		p = scan_decimal(p, &digits, &places);
		if (!p)
			return -EINVAL;
		p = skip_space(p);
		for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
			if (strncmp(p, units[i].suffix, strlen(units[i].suffix)) == 0) {
				factor = units[i].us;
				p += strlen(units[i].suffix);
				break;
			}
		}
		if (factor == 0) {
			if (*p != '\0')
				return -EINVAL;
			factor = T1S_USEC_PER_SEC;
		}
		r = scale(digits, places, factor, &us);
		if (r < 0)
			return r;
		if (__builtin_add_overflow(total, us, &total))
			return -ERANGE;
		p = skip_space(p);
	}
	*ret_us = total;
	return 0;
}

int t1s_parse_uint(const char *text, uint64_t max, uint64_t *ret)
{
	uint64_t v;
	unsigned int places;
	const char *p;

	if (!isdigit((unsigned char)*text))
		return -EINVAL;
	if (text[strspn(text, "0123456789")] != '\0')
		return -EINVAL;
	p = scan_decimal(text, &v, &places);
	if (!p || v > max)
		return -ERANGE;
	*ret = v;
	return 0;
}

int t1s_parse_double(const char *text, double *ret)
{
	char *end;
	double v;

	/* strtod also takes "inf", "nan" and hexadecimal floats */
	if (*text == '\0' || text[strspn(text, "+-.0123456789eE")] != '\0')
		return -EINVAL;
	errno = 0;
	v = strtod(text, &end);
	if (end == text || *end != '\0')
		return -EINVAL;
	if (errno == ERANGE || !isfinite(v))
		return -ERANGE;
	*ret = v;
	return 0;
}

int t1s_parse_percent(const char *text, double *ret)
{
	uint64_t digits;
	unsigned int places;
	const char *p = scan_decimal(skip_space(text), &digits, &places);
	double v;

	if (!p)
		return -EINVAL;
	p = skip_space(p);
	if (*p == '%')
		p = skip_space(p + 1);
	else if (digits != 0)
		return -EINVAL;
	if (*p != '\0')
		return -EINVAL;
	v = (double)digits / pow(10, places) / 100;
	if (v > 1)
		return -ERANGE;
	*ret = v;
	return 0;
}

int t1s_parse_bool(const char *text, bool *ret)
{
	static const char *const yes[] = {"yes", "true", "on", "1", "y", "t"};
	static const char *const no[] = {"no", "false", "off", "0", "n", "f"};

	for (size_t i = 0; i < sizeof(yes) / sizeof(yes[0]); i++) {
		if (strcasecmp(text, yes[i]) == 0) {
			*ret = true;
			return 0;
		}
		if (strcasecmp(text, no[i]) == 0) {
			*ret = false;
			return 0;
		}
	}
	return -EINVAL;
}
