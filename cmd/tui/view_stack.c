/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A stack's page: its figures, frames, what its events are shared out by, ages. */
#include <stdlib.h>

#include "stack_saver.h"
#include "stack_view.h"

static const struct view_ops OPS;

/* ---- asking ---- */

static bool set_frames(struct stack_view *v, const struct sm_table_row *row)
{
	uint64_t *ips = malloc(((size_t)row->depth + 1) * sizeof(*ips));
	char *label = row->label ? strdup(row->label) : NULL;

	if (!ips || (row->label && !label)) {
		free(ips);
		free(label);
		return false;
	}
	memcpy(ips, row->ips, row->depth * sizeof(*ips));
	free(v->ips);
	free(v->label);
	v->ips = ips;
	v->label = label;
	v->depth = row->label ? 0 : row->depth;
	return true;
}

static void take(struct job *job)
{
	struct page_job *j = (struct page_job *)job;
	struct stack_view *v = (struct stack_view *)view_take(&j->base);

	if (v) {
		const struct sm_table_row *row = page_row(j->result);

		browser_drop(v->view.browser, page_free, v->page);
		v->page = j->result;
		j->result = NULL;
		/* Other frames may be left out now. */
		if (row && !set_frames(v, row))
			browser_say_error(v->view.browser, sm_error_nomem());
	}
	page_job_free(j);
}

static void refresh(struct view *view)
{
	struct stack_view *v = (struct stack_view *)view;
	struct browser *b = view->browser;
	struct page_job *j;

	if (!b->readings[v->side - b->sides])
		return;
	j = page_job_new(view->narrow, b->by, v->stack);
	if (!j) {
		browser_say_error(b, sm_error_nomem());
		return;
	}
	j->base.job.done = take;
	view_post(view, &j->base, b->readings[v->side - b->sides]);
}

/* ---- drawing ---- */

static void draw_line(void *ctx, size_t row, struct pen *pen)
{
	const struct stack_view *v = ctx;
	struct cells c = {0};

	page_line_cells(v, &v->lines[row], &c);
	cells_draw(&c, v->view.browser, v->view.list.shift, pen);
	cells_release(&c);
}

/* Lines come and go: the cursor stays on what it is on. */
static void make_lines(struct stack_view *v, int width)
{
	struct list *list = &v->view.list;
	struct page_line at = {0};
	bool had = list->cursor < v->nlines && list->cursor > 0;

	if (had)
		at = v->lines[list->cursor];
	page_lines_make(v, width);
	list->n = v->nlines;
	for (size_t i = 0; !v->placed && i < v->nlines; i++) {
		v->placed = v->lines[i].kind == PAGE_FRAME || v->lines[i].kind == PAGE_LABEL;
		if (v->placed)
			list_go(list, i);
	}
	if (!had || (list->cursor < v->nlines && !memcmp(&v->lines[list->cursor], &at, sizeof(at))))
		return;
	for (size_t i = 0; i < v->nlines; i++) {
		const struct page_line *l = &v->lines[i];

		if (l->kind == at.kind && l->a == at.a && l->b == at.b && l->kind != PAGE_BLANK) {
			/* It stays where it is on the screen, unless that shows the beginning. */
			list->first += list->first ? i - list->cursor : 0;
			list_go(list, i);
			return;
		}
	}
}

static void draw(struct view *view, const struct area *area)
{
	struct stack_view *v = (struct stack_view *)view;

	make_lines(v, area->w);
	list_draw(&view->list, view->browser->screen, area, draw_line, v);
}

/* ---- doing ---- */

static const struct page_line *line_at(const struct stack_view *v)
{
	return v->view.list.cursor < v->nlines ? &v->lines[v->view.list.cursor] : NULL;
}

static void enter(struct stack_view *v)
{
	const struct page_line *line = line_at(v);
	struct browser *b = v->view.browser;

	if (!line)
		return;
	switch (line->kind) {
	case PAGE_FRAME:
	case PAGE_INLINED:
		browser_act(b, ACT_CODE, NULL);
		return;
	case PAGE_ONE:
	case PAGE_SHARE:
		browser_push(b, view_rows_new(b, SM_GROUP_STACK, SM_ATTR_NONE),
			narrow_new(v->view.narrow, SM_GROUP_ATTR, page_attrs[line->a],
				v->page->shares[line->a]->rows[line->b].label));
		return;
	case PAGE_REST:
	case PAGE_SHARES:
		v->all ^= 1u << line->a;
		return;
	default:
		browser_say(b, ROLE_STATUS,
			"Enter on a frame shows its code, on a share the stacks of that group");
	}
}

static bool act(struct view *view, enum action action, const char *arg)
{
	struct stack_view *v = (struct stack_view *)view;
	const struct page_line *line = line_at(v);

	switch (action) {
	case ACT_ENTER:
		enter(v);
		return true;
	case ACT_EXPAND:
		v->all = UINT32_MAX;
		return true;
	case ACT_COLLAPSE:
		v->all = 0;
		return true;
	case ACT_PEEK:
		if (arg || !line || (line->kind != PAGE_FRAME && line->kind != PAGE_INLINED))
			return false;
		browser_peek_frame(view->browser, v->side, v->ips[line->a]);
		return true;
	default:
		return false;
	}
}

static bool matches(void *view, size_t line)
{
	struct stack_view *v = view;
	struct cells c = {0};
	bool found;

	page_line_cells(v, &v->lines[line], &c);
	found = cells_match(&c, v->view.browser);
	cells_release(&c);
	return found;
}

static void search(struct view *view, bool forward, bool from_here)
{
	view_search_lines(view, ((struct stack_view *)view)->nlines, forward, from_here, matches);
}

static void describe(struct view *view, struct sm_buf *text)
{
	const struct stack_view *v = (const struct stack_view *)view;
	struct browser *b = view->browser;

	sm_buf_adds(text, "stack ");
	if (v->depth)
		browser_frame(b, v->side, v->ips[0], false, text);
	else if (v->label)
		sm_buf_adds(text, v->label);
}

static bool place(struct view *view, struct place *p)
{
	const struct stack_view *v = (const struct stack_view *)view;
	const struct page_line *line = line_at(v);

	if (!v->depth)
		return false;
	*p = (struct place){.side = v->side, .ips = v->ips, .depth = v->depth};
	if (line && (line->kind == PAGE_FRAME || line->kind == PAGE_INLINED) && line->a < v->depth)
		p->at = line->a;
	return true;
}

static struct saver *copy(struct view *view, const char **why)
{
	struct stack_view *v = (struct stack_view *)view;
	struct browser *b = view->browser;

	*why = "memory is short";
	return stack_saver_new(b->readings[v->side - b->sides], view->narrow, b->by, v->stack);
}

static struct saver *save(struct view *view, enum save_format format, const char **why)
{
	struct stack_view *v = (struct stack_view *)view;
	struct browser *b = view->browser;

	*why = format == SAVE_SVG ? "it is one stack" : "memory is short";
	return format == SAVE_SVG ? NULL
				  : page_saver_new(b->readings[v->side - b->sides], view->narrow,
					    b->by, v->stack);
}

static void close_stack(struct view *view)
{
	struct stack_view *v = (struct stack_view *)view;

	browser_drop(view->browser, page_free, v->page);
	free(v->ips);
	free(v->label);
	free(v->lines);
	free(v);
}

struct view *view_stack_new(struct browser *b, struct side *side, const struct sm_table *table,
	const struct sm_table_row *row)
{
	struct stack_view *v = calloc(1, sizeof(*v));

	if (!v)
		return NULL;
	v->view.ops = &OPS;
	v->view.browser = b;
	v->side = side;
	if (!stack_of_row(table, row, &v->stack) || !set_frames(v, row)) {
		free(v);
		return NULL;
	}
	v->known = table->known;
	memcpy(v->m, row->m, sizeof(v->m));
	memcpy(v->totals, table->profile->totals, sizeof(v->totals));
	return &v->view;
}

static const struct view_ops OPS = {
	.name = "stack",
	.refresh = refresh,
	.draw = draw,
	.act = act,
	.search = search,
	.describe = describe,
	.place = place,
	.copy = copy,
	.save = save,
	.close = close_stack,
};
