/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tree_view.h"

#define VALUE_COLUMNS 11
#define PERCENT_COLUMNS 8
#define NAME_COLUMNS 16 /* of the cursor's row there are at least so many, however deep it is */

/* What has a place beside the tree itself. */
struct tree_layout {
	const struct tree_view *view;
	bool self, percent;
	int bar, step, shift;
	uint64_t whole, largest;
};

static bool is_compared(const struct tree_view *v)
{
	return v->forest->plan.base != NULL;
}

static uint64_t whole_of(const struct tree_view *v)
{
	const struct forest *f = v->forest;

	if (!v->view.browser->of_part)
		return f->total;
	return f->plan.function ? f->roots[0]->now : f->part;
}

static struct tree_layout layout_of(const struct tree_view *v, int width)
{
	const struct forest *f = v->forest;
	struct tree_layout l = {.view = v};
	int left = width - VALUE_COLUMNS - 3;

	l.percent = width >= 36;
	/* Elsewhere it would be where stacks begin. */
	l.self = width >= 100 && !is_compared(v) && f->plan.kinds[0] == SM_TREE_TOP_DOWN;
	l.bar = width >= 120 ? 12 : width >= 90 ? 8 : width >= 72 ? 5 : 0;
	l.step = width >= 60 ? 2 : 1;
	l.whole = whole_of(v);
	for (size_t i = 0; i < f->plan.n; i++)
		if (node_weight(f->roots[i]) > l.largest)
			l.largest = node_weight(f->roots[i]);
	left -= (l.percent ? PERCENT_COLUMNS : 0) + (l.self ? VALUE_COLUMNS : 0) +
		(is_compared(v) ? VALUE_COLUMNS : 0) + (l.bar ? l.bar + 1 : 0);
	if (v->view.list.cursor < v->rows.n) {
		int indent = (int)v->rows.items[v->view.list.cursor].indent * l.step;

		if (indent + NAME_COLUMNS > left)
			l.shift = indent + NAME_COLUMNS - left;
		if (l.shift > indent)
			l.shift = indent;
	}
	return l;
}

static void add_signed(const struct browser *b, char sign, uint64_t by, struct sm_buf *text)
{
	sm_buf_addc(text, sign);
	browser_value(b, by, text);
}

void delta_text(const struct browser *b, uint64_t now, uint64_t old, struct sm_buf *text)
{
	if (now > old)
		add_signed(b, '+', now - old, text);
	else if (now < old)
		add_signed(b, '-', old - now, text);
	else
		sm_buf_addc(text, '=');
}

static void draw_value(const struct tree_layout *l, uint64_t value, struct pen *pen)
{
	struct sm_buf text = {0};

	browser_value(l->view->view.browser, value, &text);
	if (!text.failed)
		pen_right(pen, ROLE_TEXT, VALUE_COLUMNS, text.data);
	sm_buf_release(&text);
}

static void draw_delta(const struct tree_layout *l, const struct sm_tree_node *n, struct pen *pen)
{
	struct sm_buf text = {0};

	delta_text(l->view->view.browser, n->now, n->old, &text);
	if (!text.failed)
		pen_right(pen,
			n->now > n->old   ? ROLE_UP
			: n->now < n->old ? ROLE_DOWN
					  : ROLE_TEXT,
			VALUE_COLUMNS, text.data);
	sm_buf_release(&text);
}

static void draw_figures(const struct tree_layout *l, const struct sm_tree_node *n, struct pen *pen)
{
	uint64_t now = n->now;

	draw_value(l, now, pen);
	if (l->percent) {
		struct sm_buf text = {0};

		sm_buf_addf(&text, "%.2f%%", l->whole ? (double)now * 100 / (double)l->whole : 0.0);
		if (!text.failed)
			pen_right(pen, ROLE_TEXT, PERCENT_COLUMNS, text.data);
		sm_buf_release(&text);
	}
	if (is_compared(l->view))
		draw_delta(l, n, pen);
	if (l->self)
		draw_value(l, n->self_now, pen);
	pen_text(pen, ROLE_TEXT, " ");
	if (l->bar) {
		pen_bar(pen, ROLE_BAR, l->bar, l->largest ? (double)now / (double)l->largest : 0);
		pen_text(pen, ROLE_TEXT, " ");
	}
}

static void draw_name(const struct tree_view *v, const struct sm_tree_node *n, struct pen *pen)
{
	struct sm_buf text = {0};
	size_t len;

	node_label(n, &text);
	if (text.failed || !text.len) {
		sm_buf_release(&text);
		return;
	}
	if (browser_matches(v->view.browser, text.data)) {
		pen_textn(pen, ROLE_MATCH, text.data, text.len);
	} else {
		len = strlen(n->function);
		pen_textn(pen, node_is_middle(v->forest, n) ? ROLE_MARK : ROLE_FUNCTION, text.data,
			len);
		if (text.len > len)
			pen_textn(pen, ROLE_MODULE, text.data + len, text.len - len);
	}
	sm_buf_release(&text);
}

static void draw_middle(const struct tree_layout *l, const struct sm_tree_node *n, struct pen *pen)
{
	const struct tree_view *v = l->view;
	struct sm_buf text = {0};

	pen_text(pen, ROLE_MARK, screen_glyph(v->view.browser->screen, "\u25cf ", "* "));
	draw_name(v, n, pen);
	sm_buf_adds(&text, "  self ");
	browser_value(v->view.browser, n->self_now, &text);
	if (is_compared(v)) {
		sm_buf_addc(&text, ' ');
		delta_text(v->view.browser, n->self_now, n->self_old, &text);
	}
	if (!text.failed)
		pen_text(pen, ROLE_TEXT, text.data);
	sm_buf_release(&text);
}

static void draw_row(void *ctx, size_t index, struct pen *pen)
{
	const struct tree_layout *l = ctx;
	const struct tree_view *v = l->view;
	const struct tree_row *row = &v->rows.items[index];
	const struct sm_tree_node *n = row->node;
	struct screen *s = v->view.browser->screen;
	int indent = (int)row->indent * l->step;
	bool only;

	draw_figures(l, n, pen);
	if (node_is_middle(v->forest, n)) {
		draw_middle(l, n, pen);
		return;
	}
	if (l->shift > indent)
		pen_text(pen, ROLE_DIM, screen_glyph(s, "\u2039", "<"));
	else
		pen_fill(pen, ROLE_TEXT, ' ', indent - l->shift);
	/* What is alone below another one stands at its column, else chains would run out of them.
	 */
	only = n->parent && n->parent->parent && n->parent->nchildren == 1;
	pen_text(pen, ROLE_DIM, only ? screen_glyph(s, "\u2514", "`") : " ");
	pen_text(pen, ROLE_DIM,
		n->leaf                                        ? screen_glyph(s, "\u00b7 ", "  ")
		: n->mark & NODE_LOADED && n->mark & NODE_OPEN ? screen_glyph(s, "\u25be ", "- ")
							       : screen_glyph(s, "\u25b8 ", "+ "));
	draw_name(v, n, pen);
}

static void draw_header(const struct tree_layout *l, const struct area *area)
{
	const struct tree_view *v = l->view;
	const struct forest_plan *plan = &v->forest->plan;
	struct pen pen = screen_pen(v->view.browser->screen, area->y, area->x, area->w);

	pen_right(&pen, ROLE_HEADER, VALUE_COLUMNS, sm_metric_name(plan->by));
	if (l->percent)
		pen_right(&pen, ROLE_HEADER, PERCENT_COLUMNS,
			v->view.browser->of_part && (plan->narrow || plan->function) ? "% part"
										     : "%");
	if (is_compared(v))
		pen_right(&pen, ROLE_HEADER, VALUE_COLUMNS, "change");
	if (l->self)
		pen_right(&pen, ROLE_HEADER, VALUE_COLUMNS, "self");
	pen_fill(&pen, ROLE_HEADER, ' ', l->bar ? l->bar + 2 : 1);
	pen_text(&pen, ROLE_HEADER,
		v->function                   ? "callers, the function, callees"
		: v->kind == SM_TREE_INVERTED ? "functions, from what allocates outwards"
					      : "functions, from the outermost inwards");
	pen_end(&pen, ROLE_HEADER);
}

/* The function stands where callers and callees are both seen. */
static void place(struct tree_view *v, int rows)
{
	struct list *l = &v->view.list;

	v->placed = true;
	if (l->cursor > (size_t)rows / 2)
		l->first = l->cursor - (size_t)rows / 2;
}

void tree_draw(struct view *view, const struct area *area)
{
	struct tree_view *v = (struct tree_view *)view;
	struct area rows = {area->y + 1, area->x, area->h - 1, area->w};
	struct tree_layout layout;

	if (!v->forest) {
		view_draw_empty(view, area);
		return;
	}
	if (!v->placed && v->function && rows.h > 0)
		place(v, rows.h);
	layout = layout_of(v, area->w);
	draw_header(&layout, area);
	list_draw(&view->list, view->browser->screen, &rows, draw_row, &layout);
	if (!v->rows.n || (v->function && v->rows.n == 1 && !v->forest->roots[0]->nrows)) {
		struct pen pen = screen_pen(
			view->browser->screen, rows.y + (int)v->rows.n + 1, rows.x, rows.w);

		pen_text(&pen, ROLE_DIM,
			v->function ? "no stack has this function"
				    : "no rows: nothing was counted, or the filters choose "
				      "nothing");
	}
}
