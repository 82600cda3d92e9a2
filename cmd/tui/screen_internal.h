/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What screen.c and pen.c share. */
#ifndef SMTOOL_TUI_SCREEN_INTERNAL_H
#define SMTOOL_TUI_SCREEN_INTERNAL_H

#include <curses.h>

#include "screen.h"

struct screen {
	FILE *in, *out;
	SCREEN *term;
	attr_t attrs[ROLE_NR];
	bool utf8, color, mouse;
	uint64_t click_ns; /* of the last click, 0 = none that could become a double one */
	int click_y, click_x;
};

#endif
