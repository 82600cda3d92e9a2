/* SPDX-License-Identifier: GPL-2.0-or-later */
/* list: rows of which a window is shown, with a cursor. */
#ifndef SMTOOL_TUI_LIST_H
#define SMTOOL_TUI_LIST_H

#include "keymap.h"

struct list {
	size_t n, cursor;
	size_t first; /* the row at the top of the window */
	int rows;     /* of the window, when it was last drawn */
	int shift;    /* columns that are scrolled away to the left */
};

/* True when the action moved in the list, or would have. */
bool list_do(struct list *l, enum action action);
/* The row below a line of the area that it was last drawn in; SIZE_MAX = none. */
size_t list_row_at(const struct list *l, const struct area *area, int y);
void list_go(struct list *l, size_t row);
/* Calls draw() for each row of the window. */
void list_draw(struct list *l, struct screen *s, const struct area *area,
	void (*draw)(void *ctx, size_t row, struct pen *pen), void *ctx);

#endif
