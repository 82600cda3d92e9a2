/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "browser.h"
#include "rows_view.h"

/* Frames of a row, from the call site outwards, as many as have a place; and the one that tells the
 * row from the others in any case. */
struct chain {
	struct browser *browser;
	struct side *side;
	const struct sm_table_row *row;
	uint32_t tell;
	const char *arrow;
	struct sm_buf text;
};

static int columns_of(const struct chain *c, const struct sm_buf *text)
{
	return text->len ? screen_columns(c->browser->screen, text->data, text->len) : 0;
}

static void add_frame(const struct chain *c, uint32_t i, struct sm_buf *text)
{
	sm_buf_adds(text, c->arrow);
	browser_frame(c->browser, c->side, c->row->ips[i], i == c->tell, text);
}

/* Fills c->text with what follows the first frame. */
static void add_frames(struct chain *c, int width)
{
	struct sm_buf told = {0}, next = {0};
	const char *dots = screen_glyph(c->browser->screen, "\u2026", "..");
	uint32_t i, depth = c->row->depth;
	int reserve;

	if (c->tell) {
		sm_buf_adds(&told, c->arrow);
		sm_buf_adds(&told, dots);
		add_frame(c, c->tell, &told);
	}
	reserve = columns_of(c, &told);
	for (i = 1; i < depth && !c->text.failed; i++) {
		sm_buf_reset(&next);
		add_frame(c, i, &next);
		if (i < c->tell && columns_of(c, &c->text) + columns_of(c, &next) + reserve > width)
			break;
		if (next.failed)
			break;
		sm_buf_add(&c->text, next.data, next.len);
		if (i >= c->tell && columns_of(c, &c->text) > width)
			break;
	}
	if (i < c->tell && !told.failed)
		sm_buf_add(&c->text, told.data, told.len);
	sm_buf_release(&told);
	sm_buf_release(&next);
}

/* Bytes of the text that are scrolled away. */
static size_t skipped(const struct chain *c, int columns)
{
	size_t at = 0;

	while (at < c->text.len && screen_columns(c->browser->screen, c->text.data, at) < columns) {
		do
			at++;
		while (at < c->text.len && ((unsigned char)c->text.data[at] & 0xc0) == 0x80);
	}
	return at;
}

void stack_draw(struct browser *b, struct side *side, const struct sm_table_row *row, uint32_t tell,
	int shift, struct pen *pen)
{
	struct chain c = {
		.browser = b,
		.side = side,
		.row = row,
		.tell = tell < row->depth ? tell : 0,
		.arrow = screen_glyph(b->screen, " \u2190 ", " < "),
	};
	struct sm_buf first = {0};
	size_t skip;

	browser_frame(b, c.side, row->ips[0], c.tell == 0, &first);
	if (!first.failed && first.len)
		pen_textn(pen, browser_matches(b, first.data) ? ROLE_MATCH : ROLE_FUNCTION,
			first.data, first.len);
	sm_buf_release(&first);
	add_frames(&c, pen_left(pen) + shift);
	if (!c.text.failed && c.text.len) {
		skip = skipped(&c, shift);
		pen_textn(pen, browser_matches(b, c.text.data) ? ROLE_WARNING : ROLE_DIM,
			c.text.data + skip, c.text.len - skip);
	}
	sm_buf_release(&c.text);
}

void rows_draw_stack(
	const struct rows_view *v, const struct sm_table_row *row, uint32_t tell, struct pen *pen)
{
	stack_draw(v->view.browser, v->rows->reading->side, row, tell, v->view.list.shift, pen);
}

void rows_enter_stack(struct rows_view *v, const struct sm_table_row *row)
{
	struct browser *b = v->view.browser;

	browser_push(b, view_stack_new(b, v->rows->reading->side, v->rows->table, row),
		narrow_get(v->view.narrow));
}

bool rows_place(struct rows_view *v, const struct sm_table_row *row, struct place *place)
{
	*place = (struct place){v->rows->reading->side, row->ips, row->depth, 0};
	if (v->group == SM_GROUP_CALLER && row->call_site) {
		place->ips = &row->call_site;
		place->depth = 1;
		return true;
	}
	return v->group == SM_GROUP_STACK && row->depth;
}

void rows_enter_function(struct rows_view *v, const struct sm_table_row *row)
{
	browser_push(v->view.browser, view_function_new(v->view.browser, row->label),
		narrow_get(v->view.narrow));
}

/* "do_work [module]" of the call site "do_work+0x10/0x40 [module]". */
static void add_function(const char *label, struct sm_buf *text)
{
	const char *offset = strstr(label, "+0x"), *rest;

	if (!offset) {
		sm_buf_adds(text, label);
		return;
	}
	sm_buf_add(text, label, (size_t)(offset - label));
	rest = strstr(offset, " [");
	if (rest)
		sm_buf_adds(text, rest);
}

void rows_peek(struct rows_view *v, const struct sm_table_row *row)
{
	struct browser *b = v->view.browser;
	uint64_t ip = row->depth ? row->ips[0] : row->call_site;
	struct sm_buf text = {0};

	if (v->group == SM_GROUP_FUNCTION) {
		rows_enter_function(v, row);
		return;
	}
	if (!ip || (v->group != SM_GROUP_STACK && v->group != SM_GROUP_CALLER)) {
		browser_say(b, ROLE_WARNING, "this row is no function's");
		return;
	}
	if (!row->label) {
		browser_peek_frame(b, v->rows->reading->side, ip);
		return;
	}
	add_function(row->label, &text);
	browser_peek(b, text.failed ? NULL : text.data);
	sm_buf_release(&text);
}
