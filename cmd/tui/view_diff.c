/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What differs: between two inputs, or between the mark and what is shown. */
#include <stdlib.h>

#include "pair_view.h"
#include "stack_saver.h"

static const struct view_ops OPS;

static void refresh(struct view *view);

const struct sm_diff_row *pair_row(const struct pair_view *v, size_t line)
{
	const struct pair *p = v->pair;

	if (!p || line >= (v->all ? p->diff->nrows : p->nsure))
		return NULL;
	return &p->diff->rows[v->all ? line : p->sure[line]];
}

static void count_lines(struct pair_view *v)
{
	v->view.list.n = !v->pair ? 0 : v->all ? v->pair->diff->nrows : v->pair->nsure;
}

/* The line of a row of the diff, or of the next one that is shown. */
static size_t line_of(const struct pair_view *v, size_t row)
{
	size_t low = 0, high = v->pair->nsure;

	if (v->all)
		return row;
	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (v->pair->sure[middle] < row)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* ---- asking ---- */

/* What must be known before it is believed is kept where it can be read whole. */
static void say_notes(struct pair_view *v)
{
	struct browser *b = v->view.browser;
	const struct sm_diff *d = v->pair->diff;

	if (d->nnotes <= v->nnotes || v->pair->exact)
		return;
	v->nnotes = d->nnotes;
	for (size_t i = 0; i < d->nnotes; i++)
		b->cli->log.write(b->cli->log.ctx, SM_INFO, d->notes[i]);
}

static void take(struct job *job)
{
	struct pair_job *j = (struct pair_job *)job;
	struct pair_view *v = (struct pair_view *)view_take(&j->base);

	if (v) {
		size_t cursor = j->result->cursor;

		browser_drop(v->view.browser, pair_free, v->pair);
		v->pair = j->result;
		j->result = NULL;
		count_lines(v);
		if (cursor != SIZE_MAX)
			list_go(&v->view.list, line_of(v, cursor));
		say_notes(v);
		if (v->stale)
			refresh(&v->view);
	}
	pair_job_free(j);
}

static bool find_readings(const struct pair_view *v, struct reading *r[2])
{
	const struct browser *b = v->view.browser;

	r[0] = v->of_mark ? b->mark : b->readings[0];
	r[1] = v->of_mark ? b->readings[b->shown] : b->readings[1];
	return r[0] && r[1];
}

static bool is_counting(const struct pair_view *v)
{
	const struct browser *b = v->view.browser;

	return v->of_mark ? b->counting[b->shown] != NULL : b->counting[0] || b->counting[1];
}

static bool has_symbols(struct reading *const r[2])
{
	return r[0]->side->has_symbols && r[1]->side->has_symbols;
}

/* Two countings of the same events, of which one goes on where the other ends: what differs did
 * happen, and chance has no part in it. */
static bool is_exact(struct reading *const r[2])
{
	return r[0]->side == r[1]->side && r[0]->profile->from == r[1]->profile->from &&
	       questions_count_alike(r[0]->question, r[1]->question);
}

static bool is_asked(const struct pair_view *v)
{
	const struct browser *b = v->view.browser;

	return v->view.job && v->asked_group == v->group && v->asked_attr == v->attr &&
	       v->asked_by == b->by && v->asked_match == b->diff.match &&
	       v->asked_normalize == b->diff.normalize;
}

static void refresh(struct view *view)
{
	struct pair_view *v = (struct pair_view *)view;
	struct browser *b = view->browser;
	const struct sm_diff_row *row = pair_row(v, view->list.cursor);
	struct pair_plan plan = {.narrow = view->narrow,
		.group = v->group,
		.attr = v->attr,
		.by = b->by,
		.diff = b->diff};
	struct pair_job *j;

	v->stale = false;
	if (v->of_mark && !b->mark) {
		browser_drop(b, pair_free, v->pair);
		v->pair = NULL;
		count_lines(v);
	}
	if (!find_readings(v, plan.readings) || !has_symbols(plan.readings) || b->by >= SM_M_NR)
		return;
	/* A reading that is still to come is waited for. */
	if (is_counting(v))
		return;
	/* What goes on is faster than what takes long: that ends first. */
	if (is_asked(v)) {
		v->stale = true;
		return;
	}
	plan.diff.keep_chance = true;
	plan.exact = is_exact(plan.readings);
	plan.diff.all = plan.exact;
	j = pair_job_new(&plan);
	if (!j) {
		browser_say_error(b, sm_error_nomem());
		return;
	}
	if (row && view->list.cursor && v->pair->plan.group == v->group &&
		v->pair->plan.attr == v->attr)
		pair_job_follow(j, row);
	j->base.job.done = take;
	v->asked_group = v->group;
	v->asked_attr = v->attr;
	v->asked_by = b->by;
	v->asked_match = b->diff.match;
	v->asked_normalize = b->diff.normalize;
	view_post(view, &j->base, NULL);
}

/* ---- doing ---- */

void pair_peek(struct pair_view *v, const struct sm_diff_row *row)
{
	struct browser *b = v->view.browser;
	uint64_t ip = row->row->depth ? row->row->ips[0] : row->row->call_site;

	if (v->pair->plan.group == SM_GROUP_FUNCTION)
		browser_peek(b, row->row->label);
	else if (ip &&
		 (v->pair->plan.group == SM_GROUP_STACK || v->pair->plan.group == SM_GROUP_CALLER))
		browser_peek_frame(b, pair_side(v->pair, row), ip);
	else
		browser_say(b, ROLE_WARNING, "this row is no function's");
}

void pair_enter_stack(struct pair_view *v, const struct sm_diff_row *row)
{
	struct browser *b = v->view.browser;

	if (row->row->depth)
		browser_push(b,
			view_stack_new(
				b, pair_side(v->pair, row), v->pair->tables[row->input], row->row),
			narrow_get(v->view.narrow));
	else
		browser_say(b, ROLE_WARNING, "nothing is known of what is behind this row");
}

static bool place(struct view *view, struct place *place)
{
	const struct pair_view *v = (const struct pair_view *)view;
	const struct sm_diff_row *row = pair_row(v, view->list.cursor);

	if (!row)
		return false;
	*place = (struct place){pair_side(v->pair, row), row->row->ips, row->row->depth, 0};
	if (row->row->depth || !row->row->call_site)
		return row->row->depth;
	place->ips = &row->row->call_site;
	place->depth = 1;
	return true;
}

static struct saver *copy(struct view *view, const char **why)
{
	const struct pair_view *v = (const struct pair_view *)view;
	const struct sm_diff_row *row = pair_row(v, view->list.cursor);

	*why = "the row is no stack";
	if (!row)
		return NULL;
	return stack_saver_of(v->pair->plan.readings[row->input], view->narrow,
		v->pair->tables[row->input], row->row, why);
}

static void enter(struct pair_view *v)
{
	const struct sm_diff_row *row = pair_row(v, v->view.list.cursor);
	struct browser *b = v->view.browser;

	if (!row)
		return;
	if (v->pair->plan.group == SM_GROUP_STACK) {
		pair_enter_stack(v, row);
		return;
	}
	browser_push(b, view_diff_new(b, SM_GROUP_STACK, SM_ATTR_NONE, v->of_mark),
		narrow_new_matched(
			v->view.narrow, v->group, v->attr, v->pair->diff->opts.match, row->label));
}

static void show_all(struct pair_view *v, bool all)
{
	const struct sm_diff_row *row = pair_row(v, v->view.list.cursor);
	size_t at = row ? (size_t)(row - v->pair->diff->rows) : 0;

	v->all = all;
	count_lines(v);
	if (v->pair)
		list_go(&v->view.list, line_of(v, at));
}

static bool group(struct pair_view *v, const char *arg)
{
	/* Without a word the browser asks for one. */
	if (!arg || !group_find(arg, &v->group, &v->attr))
		return false;
	list_go(&v->view.list, 0);
	refresh(&v->view);
	return true;
}

static bool act(struct view *view, enum action action, const char *arg)
{
	struct pair_view *v = (struct pair_view *)view;
	struct browser *b = view->browser;

	switch (action) {
	case ACT_ENTER:
		enter(v);
		return true;
	case ACT_GROUP:
		return group(v, arg);
	case ACT_CHANCE:
		show_all(v, !v->all);
		return true;
	case ACT_EXPAND:
	case ACT_COLLAPSE:
		show_all(v, action == ACT_EXPAND);
		return true;
	case ACT_PEEK:
		if (arg && *arg)
			return false;
		if (pair_row(v, view->list.cursor))
			pair_peek(v, pair_row(v, view->list.cursor));
		return true;
	case ACT_DIFF:
		browser_switch(b, view_rows_new(b, v->group, v->attr));
		return true;
	case ACT_UNMARK:
		if (v->of_mark && !view->below)
			browser_switch(b, view_rows_new(b, v->group, v->attr));
		else if (v->of_mark)
			browser_back(b);
		return false;
	default:
		return false;
	}
}

static void found(struct job *job)
{
	struct pair_search *j = (struct pair_search *)job;
	struct pair_view *v = (struct pair_view *)view_take(&j->base);

	if (v && j->all != v->all) {
		browser_say(v->view.browser, ROLE_WARNING, "other rows are shown now: 'n' goes on");
	} else if (v && j->found == SIZE_MAX) {
		browser_say(v->view.browser, ROLE_WARNING, "no row matches '%s'",
			v->view.browser->search);
	} else if (v) {
		list_go(&v->view.list, j->found);
		if (j->wrapped)
			browser_say(v->view.browser, ROLE_STATUS, "from the other end");
	}
	if (v && v->stale)
		refresh(&v->view);
	pair_search_free(j);
}

static void search(struct view *view, bool forward, bool from_here)
{
	struct pair_view *v = (struct pair_view *)view;
	struct pair_search *j;

	if (!v->pair)
		return;
	j = pair_search_new(v, forward, from_here);
	if (!j) {
		browser_say_error(view->browser, sm_error_nomem());
		return;
	}
	j->base.job.done = found;
	/* It takes the place of a comparison that goes on. */
	v->stale |= view->job != NULL;
	view_post(view, &j->base, NULL);
}

/* ---- showing ---- */

static void draw(struct view *view, const struct area *area)
{
	struct pair_view *v = (struct pair_view *)view;
	struct pen pen = screen_pen(view->browser->screen, area->y + 1, area->x, area->w);
	struct reading *r[2];

	view->header = 0;
	view->list.rows = 0;
	if (v->pair)
		pair_draw(v, area);
	else if (v->of_mark && !view->browser->mark)
		pen_text(&pen, ROLE_DIM, "nothing is marked: 'm' marks what is counted now");
	else if (!find_readings(v, r))
		pen_text(&pen, ROLE_DIM, "counting...");
	else
		pen_text(
			&pen, ROLE_DIM, has_symbols(r) ? "comparing..." : "looking for symbols...");
}

static void describe(struct view *view, struct sm_buf *text)
{
	const struct pair_view *v = (const struct pair_view *)view;

	sm_buf_addf(text, "%s diff%s", group_word(v->group, v->attr),
		v->of_mark ? " since the mark" : "");
}

static struct saver *save(struct view *view, enum save_format format, const char **why)
{
	const struct pair_view *v = (const struct pair_view *)view;

	(void)format;
	if (!v->pair) {
		*why = "it isn't there yet";
		return NULL;
	}
	*why = "memory is short";
	return pair_saver_new(&v->pair->plan, v->all, screen_is_utf8(view->browser->screen));
}

static void close_pair(struct view *view)
{
	struct pair_view *v = (struct pair_view *)view;

	browser_drop(view->browser, pair_free, v->pair);
	free(v);
}

struct view *view_diff_new(struct browser *b, enum sm_group group, enum sm_attr attr, bool of_mark)
{
	struct pair_view *v = calloc(1, sizeof(*v));

	if (!v)
		return NULL;
	v->view.ops = &OPS;
	v->view.browser = b;
	v->group = group;
	v->attr = attr;
	v->of_mark = of_mark;
	return &v->view;
}

static const struct view_ops OPS = {
	.name = "diff",
	.refresh = refresh,
	.draw = draw,
	.act = act,
	.search = search,
	.place = place,
	.copy = copy,
	.describe = describe,
	.save = save,
	.close = close_pair,
};
