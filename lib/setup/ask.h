/* SPDX-License-Identifier: MIT */
/* Asking the person at the terminal, or whatever standard input is. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#define T1S_ASK_PATIENCE_S 300U

/* Whether somebody is at a terminal. */
bool t1s_ask_somebody(void);

/*
 * Asks and reads one line. At a terminal (standard input is one) by /dev/tty, without
 * showing what is typed unless @echo; Ctrl-C, Ctrl-D on an empty line and Ctrl-Z end it.
 * Else the line is read from standard input, without a word.
 * @data: not used; the form of t1s_asker.
 * Returns 0, -ECANCELED, -ETIMEDOUT after T1S_ASK_PATIENCE_S, -EMSGSIZE if the line is
 * longer than @size, -ENXIO without a terminal, or what the system said.
 */
int t1s_ask(const char *prompt, bool echo, char *ret, size_t size, void *data);
