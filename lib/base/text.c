/* SPDX-License-Identifier: MIT */
#include "base/text.h"

#include "base/cleanup.h"
#include "base/clock.h"

#include <errno.h>
#include <float.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define DIGITS_MAX 19U /* as many fit into 64 bits, whatever they are */

static const char *skip_space(const char *p)
{
	while (*p == ' ' || *p == '\t')
		p++;
	return p;
}

/*
 * Reads "12" or "12.5" exactly: the digits as one integer and the count of those behind
 * the point, so that no number goes through a double. @p is moved to the end. Returns 0,
 * -EINVAL if there are no digits, or -ERANGE if they are too many.
 */
static int scan_decimal(const char **p, uint64_t *ret_digits, unsigned int *ret_places)
{
	const char *c = *p;
	uint64_t digits = 0;
	unsigned int places = 0, digit;
	bool any = false, point = false;

	for (;; c++) {
		if (*c == '.' && !point) {
			point = true;
			continue;
		}
		digit = (unsigned int)*c - '0';
		if (digit > 9)
			break;
		if (__builtin_mul_overflow(digits, 10, &digits) ||
			__builtin_add_overflow(digits, digit, &digits))
			return -ERANGE;
		any = true;
		places += point ? 1U : 0U;
	}
	if (!any)
		return -EINVAL;
	*p = c;
	*ret_digits = digits;
	*ret_places = places;
	return 0;
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
	const char *p = skip_space(text);
	int r = scan_decimal(&p, &digits, &places);

	if (r < 0)
		return r;
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

/* A unit of time, moving @p behind it; plain seconds at the end of the text. 0: none. */
static uint64_t scan_time_unit(const char **p)
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

	for (size_t i = 0; i < T1S_ELEMENTSOF(units); i++) {
		size_t n = strlen(units[i].suffix);

		if (strncmp(*p, units[i].suffix, n) == 0) {
			*p += n;
			return units[i].us;
		}
	}
	return **p == '\0' ? T1S_USEC_PER_SEC : 0;
}

int t1s_parse_duration(const char *text, uint64_t *ret_us)
{
	const char *p = skip_space(text);
	uint64_t total = 0;

	do {
		uint64_t digits, factor, us;
		unsigned int places;
		int r = scan_decimal(&p, &digits, &places);

		if (r < 0)
			return r;
		p = skip_space(p);
		factor = scan_time_unit(&p);
		if (factor == 0)
			return -EINVAL;
		r = scale(digits, places, factor, &us);
		if (r < 0)
			return r;
		if (__builtin_add_overflow(total, us, &total))
			return -ERANGE;
		p = skip_space(p);
	} while (*p != '\0');
	*ret_us = total;
	return 0;
}

int t1s_parse_uint(const char *text, uint64_t max, uint64_t *ret)
{
	uint64_t v;
	unsigned int places;

	if (*text == '\0' || text[strspn(text, "0123456789")] != '\0')
		return -EINVAL;
	if (scan_decimal(&text, &v, &places) < 0 || v > max)
		return -ERANGE;
	*ret = v;
	return 0;
}

/* Where numbers have a point. Costs nothing: glibc's "C" locale is a constant. */
static locale_t c_locale(void)
{
	return newlocale(LC_ALL_MASK, "C", (locale_t)0);
}

static const uint64_t power_of_10[] = {
	UINT64_C(1),
	UINT64_C(10),
	UINT64_C(100),
	UINT64_C(1000),
	UINT64_C(10000),
	UINT64_C(100000),
	UINT64_C(1000000),
	UINT64_C(10000000),
	UINT64_C(100000000),
	UINT64_C(1000000000),
	UINT64_C(10000000000),
	UINT64_C(100000000000),
	UINT64_C(1000000000000),
	UINT64_C(10000000000000),
	UINT64_C(100000000000000),
	UINT64_C(1000000000000000),
	UINT64_C(10000000000000000),
	UINT64_C(100000000000000000),
	UINT64_C(1000000000000000000),
	UINT64_C(10000000000000000000),
};

#ifdef __SIZEOF_INT128__
static unsigned int bits_of(uint64_t v)
{
	return 64U - (unsigned int)__builtin_clzll(v);
}

/*
 * digits / 10^places, rounded once and to even as strtod does: an integer division whose
 * quotient has more bits than a double holds, and whose remainder says on which side of
 * the middle the rest lies. False if the digits are too many for it.
 */
static bool divide_rounded(uint64_t digits, unsigned int places, double *ret)
{
	const uint64_t divisor = power_of_10[places];
	uint64_t quotient, rest, half;
	unsigned int shift, extra;
	unsigned __int128 n;

	if (bits_of(digits) > bits_of(divisor) + 55)
		return false;
	shift = 55 + bits_of(divisor) - bits_of(digits);
	n = (unsigned __int128)digits << shift;
	quotient = (uint64_t)(n / divisor); /* 55 or 56 bits */
	extra = bits_of(quotient) - DBL_MANT_DIG;
	half = UINT64_C(1) << (extra - 1);
	rest = quotient & (2 * half - 1);
	if (rest == half && (uint64_t)(n % divisor) != 0)
		rest++;
	quotient >>= extra;
	if (rest > half || (rest == half && quotient % 2 == 1))
		quotient++;
	*ret = ldexp((double)quotient, (int)extra - (int)shift);
	return true;
}
#else
static bool divide_rounded(uint64_t digits, unsigned int places, double *ret)
{
	(void)digits;
	(void)places;
	(void)ret;
	return false;
}
#endif

/* digits / 10^places as the nearest double. False where this has no quick way. */
static bool to_double(uint64_t digits, unsigned int places, double *ret)
{
	if (places >= T1S_ELEMENTSOF(power_of_10))
		return false;
	if (digits > UINT64_C(1) << DBL_MANT_DIG)
		return divide_rounded(digits, places, ret);
	/* both are doubles exactly, so that the quotient is rounded once */
	*ret = (double)digits / (double)power_of_10[places];
	return true;
}

static size_t scan_digits(const char *text, size_t n, uint64_t *digits)
{
	uint64_t v = *digits;
	size_t i;

	for (i = 0; i < n; i++) {
		const unsigned int digit = (unsigned int)text[i] - '0';

		if (digit > 9)
			break;
		v = v * 10 + digit;
	}
	*digits = v;
	return i;
}

/*
 * The usual form of a number, without sign or exponent, and with no more digits than an
 * integer takes. There are results files with a million rows, of which strtod alone would
 * take as long as all the rest.
 */
static bool parse_plain_double(const char *text, size_t n, double *ret)
{
	uint64_t digits = 0;
	size_t whole, places = 0;

	if (n > DIGITS_MAX + 1)
		return false;
	whole = scan_digits(text, n, &digits);
	if (whole < n && text[whole] == '.')
		places = scan_digits(text + whole + 1, n - whole - 1, &digits) + 1;
	if (whole + places < n || whole > DIGITS_MAX)
		return false;
	places -= places > 0 ? 1U : 0U;
	return whole + places > 0 && to_double(digits, (unsigned int)places, ret);
}

int t1s_parse_double_of(const char *text, size_t n, double *ret)
{
	char *end;
	double v;

	if (parse_plain_double(text, n, ret))
		return 0;
	/* strtod also takes "inf", "nan" and hexadecimal floats */
	if (n == 0 || strspn(text, "+-.0123456789eE") != n)
		return -EINVAL;
	errno = 0;
	v = strtod_l(text, &end, c_locale());
	if (end != text + n)
		return -EINVAL;
	if (errno == ERANGE || !isfinite(v))
		return -ERANGE;
	*ret = v;
	return 0;
}

int t1s_parse_double(const char *text, double *ret)
{
	return t1s_parse_double_of(text, strlen(text), ret);
}

int t1s_parse_percent(const char *text, double *ret)
{
	uint64_t digits;
	unsigned int places;
	const char *p = skip_space(text);
	int r = scan_decimal(&p, &digits, &places);
	double v;

	if (r < 0)
		return r;
	p = skip_space(p);
	if (*p == '%')
		p = skip_space(p + 1);
	else if (digits != 0)
		return -EINVAL;
	if (*p != '\0')
		return -EINVAL;
	if (!to_double(digits, places + 2, &v) || v > 1)
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

void t1s_format_fixed(char ret[T1S_NUMBER_MAX], double value, int places)
{
	locale_t before;

	if (fabs(value) >= 1e15) {
		t1s_format_shortest(ret, value);
		return;
	}
	before = uselocale(c_locale());
	(void)snprintf(ret, T1S_NUMBER_MAX, "%.*f", places, value);
	(void)uselocale(before);
}

void t1s_format_shortest(char ret[T1S_NUMBER_MAX], double value)
{
	locale_t before = uselocale(c_locale());

	/* 15 digits survive any double, and every double survives 17 (IEEE 754) */
	for (int digits = 15; digits <= 17; digits++) {
		(void)snprintf(ret, T1S_NUMBER_MAX, "%.*g", digits, value);
		if (strtod(ret, NULL) == value)
			break;
	}
	(void)uselocale(before);
}
