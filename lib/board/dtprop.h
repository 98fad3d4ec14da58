/* SPDX-License-Identifier: MIT */
/*
 * Device tree properties as bytes: what the live tree and an overlay blob have in common.
 * Inside the room only.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define T1S_DT_CANDIDATES_MAX 512

/* A big-endian cell; @data need not be aligned. */
uint32_t t1s_dt_u32(const void *data);

/* Chip select from a reg property: its first cell; -1 if it has none or one that no
 * controller has. @reg may be NULL where @size is 0. */
int t1s_dt_chip_select(const void *reg, size_t size);

/* Whether @list, strings each ended by a 0 byte, holds @word. */
bool t1s_dt_has_string(const char *list, size_t size, const char *word);

/* The first string of @list, cut to fit; "" if there is none. */
void t1s_dt_first_string(const char *list, size_t size, char *ret, size_t ret_size);

/* Adds "PATH (compatible C, chip select N, WHAT)" to a list for an error's text; what
 * does not fit any more becomes "…". @what may be NULL. */
void t1s_dt_add_candidate(char list[T1S_DT_CANDIDATES_MAX], const char *path,
	const char *compatible, int chip_select, const char *what);

#define T1S_DT_CHIP_SELECT_TEXT_MAX 32

/* "chip select 1", or "any chip select" for a negative one. */
void t1s_dt_chip_select_text(int chip_select, char ret[T1S_DT_CHIP_SELECT_TEXT_MAX]);
