/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The terminal given back by a crash handler. */
#ifndef SMTOOL_TUI_RESCUE_H
#define SMTOOL_TUI_RESCUE_H

#include <stdbool.h>

/* The terminal that TERM names is known, and its cursor can be moved. */
bool rescue_knows_terminal(int out);
/* Remembers how the terminal is, and what undoes what the interface does to it; after setupterm().
 * From then on a crash writes that first, and goes on to whatever handled it before. False with
 * errno. */
bool rescue_arm(int in, int out);
void rescue_disarm(void);

#endif
