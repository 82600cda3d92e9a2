/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Call trees: of all stacks, top-down or inverted, and the callers and callees of a function. */
#include <stdlib.h>

#include "tree_view.h"

static const struct view_ops TREE, FUNCTION;

/* ---- asking ---- */

bool forest_plan_now(const struct browser *b, const struct narrow *narrow, struct forest_plan *p)
{
	struct reading *now, *base;

	if (!browser_pair(b, &base, &now)) {
		/* Of two inputs one comes first; it is shown alone for as long. */
		now = b->readings[b->shown];
		base = NULL;
	}
	if (!now || b->by >= SM_M_NR)
		return false;
	if (base && !(base->profile->known & 1u << b->by))
		base = NULL;
	*p = (struct forest_plan){.now = now, .base = base, .narrow = narrow, .by = b->by, .n = 1};
	p->named = now->side->has_symbols && (!base || base->side->has_symbols);
	return true;
}

static struct sm_tree_node *node_at(const struct tree_view *v)
{
	size_t at = v->view.list.cursor;

	return v->forest && at < v->rows.n ? v->rows.items[at].node : NULL;
}

static void show(struct tree_view *v, const struct sm_tree_node *cursor)
{
	if (!tree_rows_make(&v->rows, v->forest))
		browser_say_error(v->view.browser, sm_error_nomem());
	v->view.list.n = v->rows.n;
	if (cursor)
		list_go(&v->view.list, tree_rows_find(&v->rows, cursor));
}

static void say_found(const struct tree_view *v, const struct forest_job *j)
{
	struct browser *b = v->view.browser;

	if (j->cut)
		browser_say(b, ROLE_WARNING,
			"the heaviest %d nodes are open; what is below the rest is closed yet",
			EXPAND_MOST);
	if (!j->expression)
		return;
	if (!j->found)
		browser_say(b, ROLE_WARNING, "no function matches '%s'", j->expression);
	else if (j->wrapped)
		browser_say(b, ROLE_STATUS, "from the other end");
}

void forest_show_stack(const struct view *view, const struct forest *f, const struct forest_job *j)
{
	const struct reading *r = j->of_base ? f->plan.base : f->plan.now;
	struct browser *b = view->browser;
	struct view *page;

	if (!j->stack.ips)
		return;
	if (j->code && !j->stack.depth) {
		browser_say(b, ROLE_WARNING, "there is no code: it isn't a function");
		return;
	}
	if (j->code) {
		const struct place place = {r->side, j->stack.ips, j->stack.depth, j->frame};

		page = view_code_new(b, &place);
	} else {
		page = view_stack_new(b, r->side, f->tables[j->of_base], &j->stack);
	}
	browser_push(b, page, narrow_get(view->narrow));
}

static void take(struct job *job)
{
	struct forest_job *j = (struct forest_job *)job;
	struct tree_view *v = (struct tree_view *)view_take(&j->base);
	const struct sm_tree_node *cursor;

	if (v) {
		bool first = !v->forest || v->forest != j->forest;

		cursor = j->found ? j->found : j->made && j->follow.n ? j->follow.items[0] : NULL;
		if (!cursor)
			cursor = node_at(v);
		if (j->made) {
			if (first && v->function)
				cursor = j->made->roots[1];
			browser_drop(v->view.browser, forest_free, v->forest);
			v->forest = j->made;
		}
		if (!tree_rows_take(&v->rows, j))
			browser_say_error(v->view.browser, sm_error_nomem());
		j->made = NULL;
		show(v, cursor);
		say_found(v, j);
		/* Not on top of what was opened meanwhile. */
		if (v->view.browser->top == &v->view)
			forest_show_stack(&v->view, v->forest, j);
	}
	forest_job_free(j);
}

static void post(struct tree_view *v, struct forest_job *j)
{
	struct forest_job *old = (struct forest_job *)v->view.job;
	struct sm_tree_node *cursor = node_at(v);
	bool ok = j != NULL;

	if (ok && j->forest)
		ok = forest_job_inherit(j, old);
	for (size_t i = 0; ok && j->build && j->forest && i < v->rows.open.n; i++)
		ok = nodes_add(&j->open, v->rows.open.items[i]);
	if (ok && j->build && j->forest && cursor)
		ok = nodes_add(&j->follow, cursor);
	if (!ok) {
		forest_job_free(j);
		browser_say_error(v->view.browser, sm_error_nomem());
		return;
	}
	j->base.job.done = take;
	view_post(&v->view, &j->base, v->view.browser->readings[v->view.browser->shown]);
}

static struct forest_plan plan_of(const struct tree_view *v)
{
	struct forest_plan p = {0};

	if (!forest_plan_now(v->view.browser, v->view.narrow, &p))
		return p;
	if (v->function) {
		p.n = 2;
		p.kinds[0] = SM_TREE_CALLERS;
		p.kinds[1] = SM_TREE_CALLEES;
		p.function = v->function;
	} else {
		p.kinds[0] = v->kind;
	}
	return p;
}

static void refresh(struct view *view)
{
	struct tree_view *v = (struct tree_view *)view;
	struct forest_plan plan = plan_of(v);
	struct forest_job *j;
	bool same_kind = v->forest && v->forest->plan.kinds[0] == plan.kinds[0];

	if (!plan.now || (v->forest && !view->job && forest_plan_is(&v->forest->plan, &plan)))
		return;
	/* Nothing of a tree is found in one that is the other way round. */
	j = forest_job_new(same_kind ? v->forest : NULL);
	if (j) {
		j->build = true;
		if (!forest_plan_copy(&j->plan, &plan)) {
			forest_job_free(j);
			j = NULL;
		}
	}
	post(v, j);
}

/* ---- opening and closing ---- */

static void open_node(struct tree_view *v, struct sm_tree_node *n, bool all)
{
	struct sm_tree_node *rest = all ? n : tree_rows_open(&v->rows, n);
	struct forest_job *j;

	if (!all)
		show(v, n);
	if (!rest || n->leaf)
		return;
	j = forest_job_new(v->forest);
	if (j && !forest_job_target(j, rest, all)) {
		forest_job_free(j);
		j = NULL;
	}
	post(v, j);
}

static bool is_open(const struct sm_tree_node *n)
{
	return n->mark & NODE_LOADED && n->mark & NODE_OPEN && n->nchildren;
}

static void enter_function(struct tree_view *v, const struct sm_tree_node *n)
{
	struct browser *b = v->view.browser;
	struct sm_buf text = {0};

	node_label(n, &text);
	if (text.failed)
		browser_say_error(b, sm_error_nomem());
	else if (v->function && strcmp(text.data, v->function) == 0)
		browser_say(b, ROLE_STATUS, "this is what is in the middle");
	else
		browser_push(b, view_function_new(b, text.data), narrow_get(v->view.narrow));
	sm_buf_release(&text);
}

/* The page of the heaviest stack through a node, or the code around it. */
static void open_stack(struct tree_view *v, struct sm_tree_node *n, bool code)
{
	struct forest_job *j = forest_job_new(v->forest);

	if (j) {
		j->through = n;
		j->code = code;
	}
	post(v, j);
}

static void enter(struct tree_view *v, struct sm_tree_node *n)
{
	if (v->function) {
		enter_function(v, n);
	} else if (n->leaf) {
		open_stack(v, n, false);
	} else if (is_open(n)) {
		tree_rows_close(&v->rows, n);
		show(v, n);
	} else {
		open_node(v, n, false);
	}
}

static void go_left(struct tree_view *v, struct sm_tree_node *n)
{
	if (node_is_middle(v->forest, n))
		return;
	if (is_open(n)) {
		tree_rows_close(&v->rows, n);
		show(v, n);
	} else if (n->parent->parent || node_is_middle(v->forest, n->parent)) {
		list_go(&v->view.list, tree_rows_find(&v->rows, n->parent));
	} else if (v->function) {
		list_go(&v->view.list, tree_rows_find(&v->rows, v->forest->roots[1]));
	}
}

static void go_right(struct tree_view *v, struct sm_tree_node *n)
{
	if (node_is_middle(v->forest, n))
		return;
	if (is_open(n))
		list_go(&v->view.list, v->view.list.cursor + 1);
	else
		open_node(v, n, false);
}

static void all_below(struct tree_view *v, struct sm_tree_node *n, bool expand)
{
	bool middle = node_is_middle(v->forest, n);

	for (size_t i = 0; i < (middle ? v->forest->plan.n : 1); i++) {
		struct sm_tree_node *top = middle ? v->forest->roots[i] : n;

		if (expand)
			open_node(v, top, true);
		else
			tree_rows_close_all(&v->rows, top);
	}
	if (!expand)
		show(v, n);
}

static void invert(struct tree_view *v)
{
	v->kind = v->kind == SM_TREE_INVERTED ? SM_TREE_TOP_DOWN : SM_TREE_INVERTED;
	refresh(&v->view);
}

/* What is of the tree as a whole. */
static bool act_tree(struct tree_view *v, enum action action, const char *arg)
{
	bool inverted = arg && strcmp(arg, "inverted") == 0;

	if (v->function)
		return false;
	switch (action) {
	case ACT_INVERT:
		invert(v);
		return true;
	case ACT_FLAME:
		browser_switch(v->view.browser,
			view_flame_new(v->view.browser, v->kind == SM_TREE_INVERTED));
		return true;
	case ACT_TREE:
		if (arg && inverted == (v->kind == SM_TREE_INVERTED))
			return true;
		if (arg)
			invert(v);
		else
			browser_act(v->view.browser, ACT_GROUP, "stack");
		return true;
	default:
		return false;
	}
}

static bool act(struct view *view, enum action action, const char *arg)
{
	struct tree_view *v = (struct tree_view *)view;
	struct sm_tree_node *n = node_at(v);

	if (act_tree(v, action, arg))
		return true;
	if (!n)
		return false;
	switch (action) {
	case ACT_ENTER:
		enter(v, n);
		return true;
	case ACT_LEFT:
		go_left(v, n);
		return true;
	case ACT_RIGHT:
		go_right(v, n);
		return true;
	case ACT_EXPAND:
	case ACT_COLLAPSE:
		all_below(v, n, action == ACT_EXPAND);
		return true;
	case ACT_CODE:
		open_stack(v, n, true);
		return true;
	case ACT_PEEK:
		if (arg)
			return false;
		enter_function(v, n);
		return true;
	default:
		return false;
	}
}

static void search(struct view *view, bool forward, bool from_here)
{
	struct tree_view *v = (struct tree_view *)view;
	struct forest_job *j;

	if (!v->forest)
		return;
	j = forest_job_new(v->forest);
	if (j) {
		j->from = node_at(v);
		j->forward = forward;
		j->from_here = from_here;
		if (!forest_job_search(j, view->browser->search)) {
			forest_job_free(j);
			j = NULL;
		}
	}
	post(v, j);
}

/* ---- the rest ---- */

static void describe(struct view *view, struct sm_buf *text)
{
	const struct tree_view *v = (const struct tree_view *)view;

	if (v->function)
		sm_buf_addf(text, "peek %s", v->function);
	else
		sm_buf_adds(text, v->kind == SM_TREE_INVERTED ? "inverted tree" : "call tree");
}

static struct saver *save(struct view *view, enum save_format format, const char **why)
{
	struct tree_view *v = (struct tree_view *)view;

	if (!v->forest) {
		*why = "it isn't there yet";
		return NULL;
	}
	return tree_saver_new(v->forest, v->rows.items, v->rows.n, format, why);
}

static void close_tree(struct view *view)
{
	struct tree_view *v = (struct tree_view *)view;

	browser_drop(view->browser, forest_free, v->forest);
	tree_rows_release(&v->rows);
	free(v->function);
	free(v);
}

static struct tree_view *new_view(struct browser *b, const struct view_ops *ops)
{
	struct tree_view *v = calloc(1, sizeof(*v));

	if (!v)
		return NULL;
	v->view.ops = ops;
	v->view.browser = b;
	v->view.header = 1;
	return v;
}

struct view *view_tree_new(struct browser *b, bool inverted)
{
	struct tree_view *v = new_view(b, &TREE);

	if (!v)
		return NULL;
	v->kind = inverted ? SM_TREE_INVERTED : SM_TREE_TOP_DOWN;
	return &v->view;
}

struct view *view_function_new(struct browser *b, const char *function)
{
	struct tree_view *v = new_view(b, &FUNCTION);

	if (!v)
		return NULL;
	v->kind = SM_TREE_CALLERS;
	v->function = strdup(function);
	if (!v->function) {
		free(v);
		return NULL;
	}
	return &v->view;
}

static const struct view_ops TREE = {
	.name = "tree",
	.refresh = refresh,
	.draw = tree_draw,
	.act = act,
	.search = search,
	.describe = describe,
	.save = save,
	.close = close_tree,
};

static const struct view_ops FUNCTION = {
	.name = "peek",
	.refresh = refresh,
	.draw = tree_draw,
	.act = act,
	.search = search,
	.describe = describe,
	.save = save,
	.close = close_tree,
};
