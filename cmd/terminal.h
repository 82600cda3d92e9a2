/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is known of where text goes. */
#ifndef SMTOOL_TERMINAL_H
#define SMTOOL_TERMINAL_H

#include <stdbool.h>

/* Columns: COLUMNS, or those of standard output's terminal, or 80 where it isn't one (or, with
 * `to_file`, isn't asked). */
unsigned terminal_width(bool to_file);
/* The locale's characters are UTF-8, by LC_ALL, LC_CTYPE and LANG. */
bool terminal_is_utf8(void);

#endif
