/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "list.h"

#define SHIFT 8 /* columns at a time */

void list_go(struct list *l, size_t row)
{
	l->cursor = !l->n ? 0 : row < l->n ? row : l->n - 1;
}

static void move(struct list *l, size_t by, bool down)
{
	if (down)
		list_go(l, l->cursor + by);
	else
		l->cursor = l->cursor > by ? l->cursor - by : 0;
}

bool list_do(struct list *l, enum action action)
{
	size_t page = l->rows > 1 ? (size_t)l->rows - 1 : 1;

	switch (action) {
	case ACT_UP:
	case ACT_DOWN:
		move(l, 1, action == ACT_DOWN);
		return true;
	case ACT_PAGE_UP:
	case ACT_PAGE_DOWN:
		move(l, page, action == ACT_PAGE_DOWN);
		return true;
	case ACT_TOP:
		l->cursor = 0;
		return true;
	case ACT_BOTTOM:
		list_go(l, SIZE_MAX);
		return true;
	case ACT_LEFT:
		l->shift = l->shift > SHIFT ? l->shift - SHIFT : 0;
		return true;
	case ACT_RIGHT:
		l->shift += SHIFT;
		return true;
	default:
		return false;
	}
}

size_t list_row_at(const struct list *l, const struct area *area, int y)
{
	size_t row;

	if (y < area->y || y >= area->y + area->h)
		return SIZE_MAX;
	row = l->first + (size_t)(y - area->y);
	return row < l->n ? row : SIZE_MAX;
}

void list_draw(struct list *l, struct screen *s, const struct area *area,
	void (*draw)(void *ctx, size_t row, struct pen *pen), void *ctx)
{
	size_t rows = area->h > 0 ? (size_t)area->h : 0;

	l->rows = area->h;
	list_go(l, l->cursor);
	if (l->cursor < l->first)
		l->first = l->cursor;
	if (rows && l->cursor >= l->first + rows)
		l->first = l->cursor - rows + 1;
	if (l->first + rows > l->n)
		l->first = l->n > rows ? l->n - rows : 0;
	for (size_t i = 0; i < rows && l->first + i < l->n; i++) {
		struct pen pen = screen_pen(s, area->y + (int)i, area->x, area->w);

		pen.selected = l->first + i == l->cursor;
		draw(ctx, l->first + i, &pen);
		pen_end(&pen, ROLE_TEXT);
	}
}
