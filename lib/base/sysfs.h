/* SPDX-License-Identifier: MIT */
/*
 * Files of /sys and /proc that hold one value. What is missing or makes no sense is
 * unknown and never an error: boards, kernels and drivers differ in what they show.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* One line of text from ROOT + path. False, and "" in @ret, if it cannot be read or does
 * not fit. */
bool t1s_sysfs_text(char *ret, size_t size, const char *root, const char *format, ...)
	__attribute__((format(printf, 4, 5)));

/* A whole number from 0 on; -1: unknown. */
int64_t t1s_sysfs_count(const char *root, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* The last part of what a symbolic link points to, as /sys names a device's driver. False
 * and "" if there is no such link. */
bool t1s_sysfs_link(char *ret, size_t size, const char *root, const char *format, ...)
	__attribute__((format(printf, 4, 5)));

/* A whole file of several lines, 1 MiB at most, 0-terminated; the caller frees it. NULL
 * if it cannot be read. */
char *t1s_sysfs_whole(const char *root, const char *path);

/* Difference of two readings of a counter; -1 if one is unknown or it went backwards
 * (the driver was loaded anew). */
int64_t t1s_counter_delta(int64_t before, int64_t after);
