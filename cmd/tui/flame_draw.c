/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Roots are at the top: a terminal is read, and scrolled, from there, the tree stands the same way,
 * and where stacks are deeper than the screen it is the wide boxes that are seen first.
 */
#include "flame_view.h"

#define TALL 14 /* lines of a view that has two for the chosen box */

static uint64_t whole_of(const struct flame_view *v)
{
	return v->view.browser->of_part ? flame_zoom(v)->now : v->forest->total;
}

static void add_share(const struct flame_view *v, uint64_t value, struct sm_buf *text)
{
	uint64_t whole = whole_of(v);

	sm_buf_addf(text, " %.2f%%", whole ? (double)value * 100 / (double)whole : 0.0);
}

static void add_name(const struct flame_view *v, const struct box *box, struct sm_buf *text)
{
	uint64_t now, old;
	size_t count;

	if (!box->rest && !box->node->parent) {
		sm_buf_adds(text, "all");
		return;
	}
	if (!box->rest) {
		node_label(box->node, text);
		return;
	}
	box_sums(box, &now, &old, &count);
	if (!count) {
		sm_buf_adds(text, "not looked into yet");
		return;
	}
	sm_buf_addf(text, "%zu function%s narrower than a column, below ", count,
		count == 1 ? "" : "s");
	if (box->node->parent)
		node_label(box->node, text);
	else
		sm_buf_adds(text, "all");
	(void)v;
}

/* Its value, share, change, and of a function what it has itself. */
static void add_figures(const struct flame_view *v, const struct box *box, struct sm_buf *text)
{
	const struct browser *b = v->view.browser;
	uint64_t now, old;
	size_t count;

	box_sums(box, &now, &old, &count);
	browser_value(b, now, text);
	add_share(v, now, text);
	if (v->forest->plan.base) {
		sm_buf_adds(text, " (");
		delta_text(b, now, old, text);
		if (old && now != old)
			sm_buf_addf(
				text, ", %+.1f%%", ((double)now - (double)old) * 100 / (double)old);
		else if (now && !old)
			sm_buf_adds(text, ", new");
		sm_buf_addc(text, ')');
	}
	if (!box->rest && !v->inverted && box->node->self_now) {
		sm_buf_adds(text, ", self ");
		browser_value(b, box->node->self_now, text);
	}
}

static void add_matched(const struct flame_view *v, struct sm_buf *text)
{
	const struct browser *b = v->view.browser;

	if (!v->matched)
		return;
	sm_buf_adds(text, "  matched ");
	browser_value(b, v->matched_now, text);
	add_share(v, v->matched_now, text);
	if (v->forest->plan.base) {
		sm_buf_adds(text, " (");
		delta_text(b, v->matched_now, v->matched_old, text);
		sm_buf_addc(text, ')');
	}
}

static void add_place(const struct flame_view *v, struct sm_buf *text)
{
	size_t last = v->first + (size_t)v->rows;

	if (v->boxes.nrows > (size_t)v->rows)
		sm_buf_addf(text, "  rows %zu-%zu of %zu", v->first + 1,
			last < v->boxes.nrows ? last : v->boxes.nrows, v->boxes.nrows);
	if (v->zooms.n > 1)
		sm_buf_adds(text, "  zoomed: Esc");
}

static void draw_line(const struct flame_view *v, const struct area *area, int y, enum role role,
	const struct sm_buf *text)
{
	struct pen pen = screen_pen(v->view.browser->screen, area->y + y, area->x, area->w);

	pen_text(&pen, role, " ");
	if (!text->failed && text->len)
		pen_textn(&pen, role, text->data, text->len);
	pen_end(&pen, role);
}

static void draw_head(const struct flame_view *v, const struct area *area, int lines)
{
	size_t chosen = flame_chosen(v);
	const struct box *box = chosen == SIZE_MAX ? NULL : &v->boxes.items[chosen];
	struct sm_buf name = {0}, figures = {0};

	if (box) {
		add_name(v, box, &name);
		add_figures(v, box, &figures);
	}
	if (lines > 1) {
		add_matched(v, &figures);
		add_place(v, &figures);
		draw_line(v, area, 0, ROLE_HEADER, &name);
		draw_line(v, area, 1, ROLE_STATUS, &figures);
	} else {
		sm_buf_addc(&figures, ' ');
		if (!name.failed && name.len)
			sm_buf_add(&figures, name.data, name.len);
		add_matched(v, &figures);
		add_place(v, &figures);
		draw_line(v, area, 0, ROLE_HEADER, &figures);
	}
	sm_buf_release(&name);
	sm_buf_release(&figures);
}

/* ---- boxes ---- */

/* -1, 0, 1: what counts as a change is at least a hundredth. */
static int sign_of(const struct sm_tree_node *n)
{
	uint64_t by = n->now > n->old ? n->now - n->old : n->old - n->now;

	if ((double)by * 100 < (double)node_weight(n))
		return 0;
	return n->now > n->old ? 1 : n->now < n->old ? -1 : 0;
}

static enum role role_of(const struct flame_view *v, const struct box *box, size_t index)
{
	const struct sm_tree_node *n = box->node;
	int sign = sign_of(n), step = 0;
	double by;

	if (!v->forest->plan.base) {
		/* Neighbours differ; what a function has is the same, as far as that goes. */
		uint64_t hash = sm_hash(n->function, strlen(n->function), 0);

		return (enum role)(ROLE_BOX + 2 * (hash % (ROLE_BOXES / 2)) + (index & 1));
	}
	if (!sign)
		return ROLE_BOX_SAME;
	by = ((double)n->now - (double)n->old) / (double)node_weight(n);
	by = by < 0 ? -by : by;
	step = by < 0.25 ? 0 : by < 0.75 ? 1 : ROLE_STEPS - 1;
	return (enum role)((sign > 0 ? ROLE_BOX_UP : ROLE_BOX_DOWN) + step);
}

/* What isn't a function of its own: dim dots, and how many there are where that has a place. */
static void draw_rest(const struct box *box, struct pen *pen)
{
	const char *dot = screen_glyph(pen->screen, "\u00b7", ":");
	struct sm_buf count = {0};
	size_t n = box->node->mark & NODE_LOADED ? box->node->nchildren - box->from : 0;
	int side;

	if (n)
		sm_buf_addf(&count, "%zu", n);
	side = count.failed ? box->w : (box->w - (int)count.len) / 2;
	if (side < 1)
		side = box->w;
	for (int i = 0; i < side; i++)
		pen_text(pen, ROLE_DIM, dot);
	if (side < box->w && !count.failed && count.len)
		pen_textn(pen, ROLE_DIM, count.data, count.len);
	while (pen_left(pen) > 0)
		pen_text(pen, ROLE_DIM, dot);
	sm_buf_release(&count);
}

/* A name can't look like several boxes. */
static void round_brackets(struct sm_buf *text)
{
	for (size_t i = 0; i < text->len; i++) {
		char *c = &text->data[i];

		*c = *c == '[' ? '(' : *c == ']' ? ')' : *c;
	}
}

/* Where colours don't tell boxes apart brackets do, and a star what matches. */
static void draw_node(
	const struct flame_view *v, const struct box *box, size_t index, struct pen *pen)
{
	bool color = screen_has_color(pen->screen), matches = flame_matches(v, box->node);
	enum role role = role_of(v, box, index);
	struct sm_buf text = {0};
	int end = pen->end;

	if (!color)
		role = matches ? ROLE_KEY : ROLE_TEXT;
	else if (matches)
		role = ROLE_MATCH;
	if (v->forest->plan.base)
		sm_buf_addc(&text, "-=+"[sign_of(box->node) + 1]);
	if (!color && matches)
		sm_buf_addc(&text, '*');
	if (!color && box->w <= 2 && text.len && !text.failed) {
		pen_textn(pen, role, text.data, box->w == 1 ? 1 : text.len);
		pen_end(pen, role);
	} else if (!color && box->w == 1) {
		pen_text(pen, role, "|");
	} else {
		if (!color) {
			pen_text(pen, role, "[");
			pen->end--;
		}
		/* A letter says nothing. */
		if (pen_left(pen) > 2)
			add_name(v, box, &text);
		if (!color)
			round_brackets(&text);
		if (!text.failed && text.len)
			pen_textn(pen, role, text.data, text.len);
		pen_end(pen, role);
		pen->end = end;
		if (!color)
			pen_text(pen, role, "]");
	}
	sm_buf_release(&text);
}

static void draw_rows(const struct flame_view *v, const struct area *area)
{
	size_t chosen = flame_chosen(v);

	for (int y = 0; y < v->rows && v->first + (size_t)y < v->boxes.nrows; y++) {
		size_t row = v->first + (size_t)y, begin = v->boxes.rows[row];

		for (size_t i = begin; i < v->boxes.rows[row + 1]; i++) {
			const struct box *box = &v->boxes.items[i];
			struct pen pen = screen_pen(
				v->view.browser->screen, v->top + y, area->x + box->x, box->w);

			pen.selected = i == chosen;
			if (box->rest)
				draw_rest(box, &pen);
			else
				draw_node(v, box, i - begin, &pen);
		}
	}
}

/* Scrolls to the chosen one. */
static void scroll(struct flame_view *v)
{
	size_t chosen = flame_chosen(v), rows = v->rows > 0 ? (size_t)v->rows : 0;
	size_t row = chosen == SIZE_MAX ? 0 : v->boxes.items[chosen].row;

	if (row < v->first)
		v->first = row;
	if (rows && row >= v->first + rows)
		v->first = row - rows + 1;
	if (v->first + rows > v->boxes.nrows)
		v->first = v->boxes.nrows > rows ? v->boxes.nrows - rows : 0;
}

void flame_draw(struct flame_view *v, const struct area *area)
{
	int lines = area->h >= TALL ? 2 : 1;

	v->rows = area->h - lines;
	v->top = area->y + lines;
	scroll(v);
	draw_head(v, area, lines);
	draw_rows(v, area);
}
