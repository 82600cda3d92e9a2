/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cells.h"

void cells_reset(struct cells *c)
{
	sm_buf_reset(&c->text);
	c->n = 0;
	c->fixed = 0;
}

void cells_release(struct cells *c)
{
	sm_buf_release(&c->text);
}

static size_t len_of(const struct cells *c, size_t i)
{
	return (i + 1 < c->n ? c->items[i + 1].start : c->text.len) - c->items[i].start;
}

static struct cell *add(struct cells *c, enum role role)
{
	struct cell *cell;

	if (c->n == SM_ARRAY_SIZE(c->items))
		return NULL;
	cell = &c->items[c->n++];
	*cell = (struct cell){.role = role, .start = c->text.len};
	return cell;
}

struct sm_buf *cells_begin(struct cells *c, enum role role)
{
	return add(c, role) ? &c->text : NULL;
}

void cells_add(struct cells *c, enum role role, const char *text)
{
	if (!add(c, role))
		return;
	sm_buf_adds(&c->text, text);
}

void cells_addf(struct cells *c, enum role role, const char *fmt, ...)
{
	va_list ap;

	if (!add(c, role))
		return;
	va_start(ap, fmt);
	sm_buf_vaddf(&c->text, fmt, ap);
	va_end(ap);
}

void cells_right(struct cells *c, enum role role, int width, const char *text)
{
	struct cell *cell = add(c, role);

	if (!cell)
		return;
	cell->width = -width;
	sm_buf_adds(&c->text, text);
}

void cells_bar(struct cells *c, enum role role, int width, double share)
{
	struct cell *cell = width > 0 ? add(c, role) : NULL;

	if (!cell)
		return;
	cell->bar = width;
	cell->share = share;
}

void cells_fix(struct cells *c)
{
	c->fixed = c->n;
}

/* How many bytes of the text `columns` take, which are left with what remains of them. */
static size_t skipped(const struct screen *s, const char *text, size_t len, int *columns)
{
	size_t at = 0;

	for (; at<len && * columns> 0;) {
		size_t next = at + 1;

		while (next < len && ((unsigned char)text[next] & 0xc0) == 0x80)
			next++;
		*columns -= screen_columns(s, text + at, next - at);
		at = next;
	}
	return at;
}

/* It, or what it is a part of, matches the search. */
static bool part_matches(const struct cells *c, size_t i, const struct browser *b)
{
	struct sm_buf text = {0};
	bool matches;

	sm_buf_add(&text, c->text.data + c->items[i].start, len_of(c, i));
	matches = !text.failed && text.len && browser_matches(b, text.data);
	sm_buf_release(&text);
	return matches;
}

static void draw_cell(const struct cells *c, size_t i, const struct browser *b, enum role role,
	int *shift, struct pen *pen)
{
	const char *text = c->text.data + c->items[i].start;
	int width = c->items[i].width, pad;
	size_t len = len_of(c, i), skip;

	pad = (width < 0 ? -width : width) - screen_columns(b->screen, text, len);
	if (pad > 0 && width < 0)
		pen_fill(pen, ROLE_TEXT, ' ', pad);
	skip = skipped(b->screen, text, len, shift);
	pen_textn(pen, role, text + skip, len - skip);
	if (pad <= 0 || width < 0)
		return;
	if (*shift > 0) {
		int hidden = *shift < pad ? *shift : pad;

		*shift -= hidden;
		pad -= hidden;
	}
	pen_fill(pen, ROLE_TEXT, ' ', pad);
}

void cells_draw(const struct cells *c, const struct browser *b, int shift, struct pen *pen)
{
	bool matches = cells_match(c, b), alone = false;

	if (c->text.failed)
		return;
	for (size_t i = 0; matches && i < c->n; i++)
		alone |= part_matches(c, i, b);
	for (size_t i = 0; i < c->n; i++) {
		const struct cell *cell = &c->items[i];
		enum role role = cell->role;
		int none = 0;

		if (cell->bar) {
			pen_bar(pen, role, cell->bar, cell->share);
			continue;
		}
		if (!c->text.len)
			continue;
		if (matches && (!alone || part_matches(c, i, b)))
			role = ROLE_MATCH;
		draw_cell(c, i, b, role, i < c->fixed ? &none : &shift, pen);
	}
}

bool cells_match(const struct cells *c, const struct browser *b)
{
	return !c->text.failed && c->text.len && browser_matches(b, c->text.data);
}

void cells_write(const struct cells *c, struct sm_buf *text)
{
	text->failed |= c->text.failed;
	for (size_t i = 0; i < c->n; i++) {
		const struct cell *cell = &c->items[i];
		size_t len = len_of(c, i);
		int pad = (cell->width < 0 ? -cell->width : cell->width) - (int)len;

		for (; cell->width < 0 && pad > 0; pad--)
			sm_buf_addc(text, ' ');
		if (len)
			sm_buf_add_visible(text, c->text.data + cell->start, len);
		for (; cell->width > 0 && pad > 0; pad--)
			sm_buf_addc(text, ' ');
	}
	while (text->len && text->data[text->len - 1] == ' ')
		text->len--;
	sm_buf_addc(text, '\n');
}
