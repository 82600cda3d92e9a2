/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cells: a line of a view as pieces of text, to be drawn, searched or written. */
#ifndef SMTOOL_TUI_CELLS_H
#define SMTOOL_TUI_CELLS_H

#include "browser.h"

struct cell {
	enum role role;
	size_t start; /* in the text; it ends where the next one's begins */
	int width;    /* columns that it fills at least; < 0: right-aligned in so many */
	int bar;      /* it is a bar of so many columns, 0 = text */
	double share;
};

/* Zero-initialise; cells_release() in any case. */
struct cells {
	struct sm_buf text;
	struct cell items[48];
	size_t n;
	size_t fixed; /* the first of them stay while the rest is scrolled */
};

void cells_reset(struct cells *c);
void cells_release(struct cells *c);
/* Begins a cell, whose text goes to c->text; NULL where there is no place for one more. The text of
 * the last cell is what is added until the next begins. */
struct sm_buf *cells_begin(struct cells *c, enum role role);
void cells_add(struct cells *c, enum role role, const char *text);
void cells_addf(struct cells *c, enum role role, const char *fmt, ...) SM_PRINTF(3, 4);
void cells_right(struct cells *c, enum role role, int width, const char *text);
void cells_bar(struct cells *c, enum role role, int width, double share);
/* What follows can be scrolled. */
void cells_fix(struct cells *c);

void cells_draw(const struct cells *c, const struct browser *b, int shift, struct pen *pen);
/* Adds the line as text, with what isn't to reach a terminal made visible. */
void cells_write(const struct cells *c, struct sm_buf *text);
bool cells_match(const struct cells *c, const struct browser *b);

#endif
