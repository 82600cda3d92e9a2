/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How each role looks: by colours that the terminal has, on a dark or a light ground. */
#ifndef SMTOOL_TUI_PALETTE_H
#define SMTOOL_TUI_PALETTE_H

#include <curses.h>

#include "screen.h"

/* Fills an attribute for each role; after initscr(), with `color` false without any colour. */
void palette_init(bool color, enum screen_theme theme, attr_t attrs[ROLE_NR]);

#endif
