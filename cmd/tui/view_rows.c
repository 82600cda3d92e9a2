/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Stacks, functions, call sites, modules and attributes: the rows of a table. */
#include <stdlib.h>

#include "browser.h"
#include "rows_job.h"
#include "rows_view.h"
#include "stack_saver.h"

static const struct view_ops OPS;

/* ---- asking ---- */

static void ask(struct rows_view *v, bool quick);

static void take(struct job *job)
{
	struct rows_job *j = (struct rows_job *)job;
	struct rows_view *v = (struct rows_view *)view_take(&j->base);

	if (v) {
		size_t cursor = j->result->cursor;

		browser_drop(v->view.browser, rows_free, v->rows);
		v->rows = j->result;
		j->result = NULL;
		v->view.list.n = v->rows->table->nrows;
		if (cursor != SIZE_MAX)
			list_go(&v->view.list, cursor);
		if (v->rows->quick && v->view.browser->sides[v->view.browser->shown].has_symbols)
			ask(v, false);
	}
	rows_job_free(j);
}

static void ask(struct rows_view *v, bool quick)
{
	struct browser *b = v->view.browser;
	struct reading *r = b->readings[b->shown];
	struct rows_job *j = rows_job_new(v->group, v->attr, b->by, v->view.narrow);

	if (!j) {
		browser_say_error(b, sm_error_nomem());
		return;
	}
	j->quick = quick;
	j->cumulative = v->cumulative;
	if (v->rows && v->view.list.cursor && v->view.list.cursor < v->rows->table->nrows)
		rows_job_follow(j, &v->rows->table->rows[v->view.list.cursor]);
	j->base.job.done = take;
	view_post(&v->view, &j->base, r);
}

static void refresh(struct view *view)
{
	struct rows_view *v = (struct rows_view *)view;
	struct browser *b = view->browser;
	const struct reading *r = b->readings[b->shown];

	if (r)
		ask(v, !b->sides[b->shown].has_symbols || r->profile->nrows > ROWS_QUICK);
}

/* ---- drawing ---- */

static bool has_shares(const struct rows_view *v)
{
	return v->rows->table->opts.by < SM_M_ADDITIVE;
}

static uint64_t whole_of(const struct rows_view *v)
{
	const struct sm_table *t = v->rows->table;

	return (v->view.browser->of_part ? t->totals : t->profile->totals)[t->opts.by];
}

static void draw_figures(const struct rows_view *v, uint64_t value, struct pen *pen)
{
	struct sm_buf text = {0};
	double share;

	browser_value(v->view.browser, value, &text);
	if (!text.failed)
		pen_right(pen, ROLE_TEXT, VALUE_COLUMNS, text.data);
	sm_buf_release(&text);
	if (!has_shares(v))
		return;
	share = whole_of(v) ? (double)value / (double)whole_of(v) : 0;
	sm_buf_addf(&text, "%.2f%%", share * 100);
	if (!text.failed)
		pen_right(pen, ROLE_TEXT, PERCENT_COLUMNS, text.data);
	sm_buf_release(&text);
}

static void draw_row(void *ctx, size_t index, struct pen *pen)
{
	const struct rows_view *v = ctx;
	const struct sm_table_row *row = &v->rows->table->rows[index];
	uint64_t value = row->m[v->rows->table->opts.by];
	uint64_t largest = v->rows->largest;
	bool matches = false;

	draw_figures(v, value, pen);
	if (v->group == SM_GROUP_FUNCTION)
		draw_figures(v, row->cumulative, pen);
	pen_text(pen, ROLE_TEXT, " ");
	if (v->bar) {
		pen_bar(pen, ROLE_BAR, v->bar,
			largest ? (double)(v->group == SM_GROUP_FUNCTION && v->cumulative
						   ? row->cumulative
						   : value) /
					  (double)largest
				: 0);
		pen_text(pen, ROLE_TEXT, " ");
	}
	if (row->label) {
		matches = browser_matches(v->view.browser, row->label);
		pen_text(pen, matches ? ROLE_MATCH : ROLE_FUNCTION, row->label);
		return;
	}
	rows_draw_stack(v, row, v->rows->tell ? v->rows->tell[index] : 0, pen);
}

static void draw_header(const struct rows_view *v, const struct area *area)
{
	struct pen pen = screen_pen(v->view.browser->screen, area->y, area->x, area->w);
	const char *name = sm_metric_name(v->rows->table->opts.by);

	if (v->group == SM_GROUP_FUNCTION) {
		pen_right(&pen, ROLE_HEADER, VALUE_COLUMNS, v->cumulative ? "self" : "self \u2193");
		pen_right(&pen, ROLE_HEADER, has_shares(v) ? PERCENT_COLUMNS : 0, "%");
		pen_right(
			&pen, ROLE_HEADER, VALUE_COLUMNS, v->cumulative ? "total \u2193" : "total");
	} else {
		pen_right(&pen, ROLE_HEADER, VALUE_COLUMNS, name);
	}
	if (has_shares(v))
		pen_right(&pen, ROLE_HEADER, PERCENT_COLUMNS,
			v->view.browser->of_part && v->view.narrow ? "% part" : "%");
	pen_fill(&pen, ROLE_HEADER, ' ', v->bar ? v->bar + 2 : 1);
	pen_printf(&pen, ROLE_HEADER, "%s", group_word(v->group, v->attr));
	if (v->rows->quick && v->rows->table->hidden_rows)
		pen_printf(&pen, ROLE_HEADER, "  (the first %zu of %zu)", v->rows->table->nrows,
			v->rows->table->nrows + v->rows->table->hidden_rows);
	else
		pen_printf(&pen, ROLE_HEADER, "  (%zu)", v->rows->table->nrows);
	pen_end(&pen, ROLE_HEADER);
}

static void draw(struct view *view, const struct area *area)
{
	struct rows_view *v = (struct rows_view *)view;
	struct area rows = {area->y + 1, area->x, area->h - 1, area->w};

	if (!v->rows) {
		view_draw_empty(view, area);
		return;
	}
	v->bar = area->w >= 120 ? 12 : area->w >= 90 ? 8 : area->w >= 72 ? 5 : 0;
	draw_header(v, area);
	list_draw(&view->list, view->browser->screen, &rows, draw_row, v);
	if (!v->rows->table->nrows) {
		struct pen pen = screen_pen(view->browser->screen, rows.y, rows.x, rows.w);

		pen_text(&pen, ROLE_DIM,
			"no rows: nothing was counted, or the filters choose nothing");
	}
}

/* ---- doing ---- */

static void enter(struct rows_view *v)
{
	const struct sm_table_row *row;
	struct browser *b = v->view.browser;

	if (v->view.list.cursor >= v->view.list.n)
		return;
	row = &v->rows->table->rows[v->view.list.cursor];
	switch (v->group) {
	case SM_GROUP_STACK:
		rows_enter_stack(v, row);
		return;
	case SM_GROUP_FUNCTION:
		rows_enter_function(v, row);
		return;
	default:
		break;
	}
	browser_push(b, view_rows_new(b, SM_GROUP_STACK, SM_ATTR_NONE),
		narrow_new(v->view.narrow, v->group, v->attr, row->label));
}

static bool act(struct view *view, enum action action, const char *arg)
{
	struct rows_view *v = (struct rows_view *)view;

	switch (action) {
	case ACT_ENTER:
		enter(v);
		return true;
	case ACT_PEEK:
		if (arg || v->view.list.cursor >= v->view.list.n)
			return false;
		rows_peek(v, &v->rows->table->rows[v->view.list.cursor]);
		return true;
	case ACT_INVERT:
		if (v->group != SM_GROUP_FUNCTION)
			return false;
		v->cumulative = !v->cumulative;
		refresh(view);
		return true;
	default:
		return false;
	}
}

static void describe(struct view *view, struct sm_buf *text)
{
	const struct rows_view *v = (const struct rows_view *)view;

	sm_buf_addf(text, "%ss", group_word(v->group, v->attr));
}

static void found(struct job *job)
{
	struct search_job *j = (struct search_job *)job;
	struct rows_view *v = (struct rows_view *)view_take(&j->base);

	if (v && j->found == SIZE_MAX) {
		browser_say(v->view.browser, ROLE_WARNING, "no row matches '%s'",
			v->view.browser->search);
	} else if (v) {
		list_go(&v->view.list, j->found);
		if (j->wrapped)
			browser_say(v->view.browser, ROLE_STATUS, "from the other end");
	}
	search_job_free(j);
}

static void search(struct view *view, bool forward, bool from_here)
{
	struct rows_view *v = (struct rows_view *)view;
	struct search_job *j;

	if (!v->rows)
		return;
	j = search_job_new(
		v->rows->table, view->browser->search, view->list.cursor, forward, from_here);
	if (!j) {
		browser_say_error(view->browser, sm_error_nomem());
		return;
	}
	j->base.job.done = found;
	view_post(view, &j->base, v->rows->reading);
}

static bool place(struct view *view, struct place *place)
{
	struct rows_view *v = (struct rows_view *)view;

	return v->rows && view->list.cursor < v->rows->table->nrows &&
	       rows_place(v, &v->rows->table->rows[view->list.cursor], place);
}

static struct saver *copy(struct view *view, const char **why)
{
	struct rows_view *v = (struct rows_view *)view;

	*why = "there is no row";
	if (!v->rows || view->list.cursor >= v->rows->table->nrows)
		return NULL;
	return stack_saver_of(v->rows->reading, view->narrow, v->rows->table,
		&v->rows->table->rows[view->list.cursor], why);
}

static struct saver *save(struct view *view, enum save_format format, const char **why)
{
	struct rows_view *v = (struct rows_view *)view;

	(void)format;
	if (!v->rows) {
		*why = "it isn't there yet";
		return NULL;
	}
	*why = "memory is short";
	return rows_saver_new(
		v->rows->reading, v->group, v->attr, v->rows->table->opts.by, view->narrow);
}

static void close_rows(struct view *view)
{
	struct rows_view *v = (struct rows_view *)view;

	browser_drop(view->browser, rows_free, v->rows);
	free(v);
}

struct view *view_rows_new(struct browser *b, enum sm_group group, enum sm_attr attr)
{
	struct rows_view *v = calloc(1, sizeof(*v));

	if (!v)
		return NULL;
	v->view.ops = &OPS;
	v->view.browser = b;
	v->view.header = 1;
	v->group = group;
	v->attr = attr;
	return &v->view;
}

static const struct view_ops OPS = {
	.name = "rows",
	.refresh = refresh,
	.draw = draw,
	.act = act,
	.search = search,
	.describe = describe,
	.place = place,
	.copy = copy,
	.save = save,
	.close = close_rows,
};
