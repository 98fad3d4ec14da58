/* SPDX-License-Identifier: MIT */
/*
 * Numbers to and from text, in the form the configuration, the results and the messages
 * use. The program never calls setlocale(), so printf writes a point whatever the locale;
 * what is read and written here has one even if somebody did.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Parses a whole number with an optional decimal multiplier: "20000000", "20M", "500k",
 * "12.5M", "1G". Also "20MHz" and "500 kHz" where @unit is "Hz" (NULL: no unit allowed).
 * Decimal multipliers only, as for frequencies and bit rates. Returns 0; -EINVAL if it is
 * no such number or not whole (as "1.5"), -ERANGE if it does not fit.
 */
int t1s_parse_si(const char *text, const char *unit, uint64_t *ret);

/* Parses a duration: "20s", "3min", "1h", "500ms", "1h 30min", plain digits are seconds.
 * Returns 0, -EINVAL or -ERANGE; @ret_us in microseconds. */
int t1s_parse_duration(const char *text, uint64_t *ret_us);

/* Parses decimal digits only, up to @max. Returns 0, -EINVAL or -ERANGE. */
int t1s_parse_uint(const char *text, uint64_t max, uint64_t *ret);

/* Parses a finite decimal number with a point, no exponent needed, nothing before or
 * behind it. Returns 0, -EINVAL or -ERANGE. */
int t1s_parse_double(const char *text, double *ret);

/* The same of the first @n bytes, behind which a 0 byte stands. */
int t1s_parse_double_of(const char *text, size_t n, double *ret);

/* Parses a share: "5%", "93 %". @ret: 0.05, 0.93; 0 % to 100 %; a plain "0" is 0 %.
 * Returns 0, -EINVAL or -ERANGE. */
int t1s_parse_percent(const char *text, double *ret);

/* yes/no, true/false, on/off, 1/0 as systemd reads them. Returns 0 or -EINVAL. */
int t1s_parse_bool(const char *text, bool *ret);

#define T1S_NUMBER_MAX 40

/* Writes a finite number with this many decimals (at most 9); beyond 1e15 as
 * t1s_format_shortest. */
void t1s_format_fixed(char ret[T1S_NUMBER_MAX], double value, int places);

/* Writes a finite number with as few digits as give exactly the same when read again. */
void t1s_format_shortest(char ret[T1S_NUMBER_MAX], double value);
