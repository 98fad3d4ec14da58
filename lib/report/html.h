/* SPDX-License-Identifier: MIT */
/* Parts of the page. Internal to the room. */
#pragma once

#include <stdio.h>

/* The style sheet, for screens of any width, light and dark, and for paper. */
extern const char t1s_html_style[];
