/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The flame graph in the terminal: call trees as boxes. */
#include <stdlib.h>

#include "flame_view.h"
#include "lookout.h"

/* In a node's mark, beside those of forest_job.h: */
#define NODE_ASKED 4u /* whether it matches, in the search of the generation above this byte */
#define NODE_MATCHES 8u
#define NODE_BOXED 16u /* it is a box of its own */
#define GENERATION_SHIFT 8

static const struct view_ops OPS;

/* ---- asking ---- */

static void ask(struct flame_view *v, const struct forest_plan *plan);

static void lay_out(struct flame_view *v, int width)
{
	if (v->width == width)
		return;
	v->width = width;
	for (size_t i = 0; i < v->boxes.n; i++)
		v->boxes.items[i].node->mark &= ~NODE_BOXED;
	if (!boxes_lay(&v->boxes, flame_zoom(v), width))
		browser_say_error(v->view.browser, sm_error_nomem());
	for (size_t i = 0; i < v->boxes.n; i++)
		if (!v->boxes.items[i].rest)
			v->boxes.items[i].node->mark |= NODE_BOXED;
}

/* The new forest's counterparts: of the zoom, the chosen node, then all zooms. */
static bool take_forest(struct flame_view *v, struct forest_job *j)
{
	bool first = j->follow.n < 2, ok;

	browser_drop(v->view.browser, forest_free, v->forest);
	v->forest = j->made;
	j->made = NULL;
	v->boxes.n = v->boxes.nrows = 0;
	v->zooms.n = 0;
	ok = nodes_add(&v->zooms, v->forest->roots[0]);
	for (size_t i = 2; ok && i < j->follow.n; i++)
		if (j->follow.items[i] != flame_zoom(v))
			ok = nodes_add(&v->zooms, j->follow.items[i]);
	if (first) {
		v->node = v->forest->roots[0];
		v->rest = false;
	} else if (v->node) {
		v->node = j->follow.items[1];
	}
	return ok;
}

static void say_matched(const struct flame_view *v, const char *expression)
{
	struct browser *b = v->view.browser;

	if (!v->matched_now && !v->matched_old) {
		browser_say(b, ROLE_WARNING, "no function matches '%s'", expression);
		return;
	}
	for (size_t i = 0; i < v->boxes.n; i++)
		if (!v->boxes.items[i].rest && flame_matches(v, v->boxes.items[i].node))
			return;
	browser_say(b, ROLE_STATUS,
		"what matches '%s' is narrower than a column: zoom in, or look in the tree (t)",
		expression);
}

static void take(struct job *job)
{
	struct forest_job *j = (struct forest_job *)job;
	struct flame_view *v = (struct flame_view *)view_take(&j->base);

	if (v) {
		int width = v->width;

		if (j->made && !take_forest(v, j))
			browser_say_error(v->view.browser, sm_error_nomem());
		for (size_t i = 0; i < j->loaded.n; i++)
			j->loaded.items[i]->mark |= NODE_LOADED;
		v->width = 0;
		if (width)
			lay_out(v, width);
		if (j->expression) {
			v->matched = true;
			v->matched_now = j->matched_now;
			v->matched_old = j->matched_old;
			if (v->telling && width)
				say_matched(v, j->expression);
			v->telling = false;
		}
		if (j->more)
			ask(v, NULL);
		if (v->view.browser->top == &v->view)
			forest_show_stack(&v->view, v->forest, j);
	}
	forest_job_free(j);
}

static struct forest_job *new_job(struct flame_view *v, const struct forest_plan *plan)
{
	bool same_kind = v->forest && (!plan || v->forest->plan.kinds[0] == plan->kinds[0]);
	struct forest_job *j = forest_job_new(same_kind ? v->forest : NULL);
	bool ok = j != NULL;

	if (ok && plan) {
		j->build = true;
		ok = forest_plan_copy(&j->plan, plan);
	}
	if (ok && j->forest) {
		ok = nodes_add(&j->follow, flame_zoom(v)) && nodes_add(&j->follow, v->node);
		for (size_t i = 1; ok && i < v->zooms.n; i++)
			ok = nodes_add(&j->follow, v->zooms.items[i]);
		/* What this one takes the place of. */
		ok = ok && forest_job_inherit(j, (struct forest_job *)v->view.job);
	}
	if (ok && v->expression && !j->expression) {
		j->sum = true;
		ok = forest_job_search(j, v->expression);
	}
	if (ok)
		return j;
	forest_job_free(j);
	return NULL;
}

/* For boxes below the zoom, of a new forest where there is a plan. */
static void ask(struct flame_view *v, const struct forest_plan *plan)
{
	struct browser *b = v->view.browser;
	struct forest_job *j = new_job(v, plan);

	if (!j) {
		browser_say_error(b, sm_error_nomem());
		return;
	}
	v->asked = (unsigned)screen_width(b->screen);
	j->columns = v->asked;
	if (v->through) {
		j->through = v->through;
		j->code = true;
	}
	j->base.job.done = take;
	view_post(&v->view, &j->base, b->readings[b->shown]);
}

static void refresh(struct view *view)
{
	struct flame_view *v = (struct flame_view *)view;
	struct forest_plan plan;

	if (!forest_plan_now(view->browser, view->narrow, &plan))
		return;
	plan.kinds[0] = v->inverted ? SM_TREE_INVERTED : SM_TREE_TOP_DOWN;
	if (!v->forest || view->job || !forest_plan_is(&v->forest->plan, &plan))
		ask(v, &plan);
}

/* ---- the search ---- */

bool flame_matches(const struct flame_view *v, struct sm_tree_node *n)
{
	uint32_t ours = n->mark & (NODE_LOADED | NODE_OPEN | NODE_BOXED);
	struct sm_buf text = {0};
	bool matches;

	if (!v->expression || !n->parent)
		return false;
	if (n->mark & NODE_ASKED && n->mark >> GENERATION_SHIFT == v->generation)
		return n->mark & NODE_MATCHES;
	node_label(n, &text);
	matches = !text.failed && text.len && browser_matches(v->view.browser, text.data);
	sm_buf_release(&text);
	n->mark = ours | NODE_ASKED | (matches ? NODE_MATCHES : 0) |
		  v->generation << GENERATION_SHIFT;
	return matches;
}

/* Another search than the last one: also one that was made in another view. */
static void follow_search(struct flame_view *v)
{
	const struct browser *b = v->view.browser;

	if (!b->search || (v->expression && strcmp(v->expression, b->search) == 0))
		return;
	free(v->expression);
	v->expression = strdup(b->search);
	v->generation = (v->generation + 1) & (UINT32_MAX >> GENERATION_SHIFT);
	v->matched = false;
	if (v->forest)
		ask(v, NULL);
}

static void choose(struct flame_view *v, size_t i)
{
	if (i == SIZE_MAX)
		return;
	v->node = v->boxes.items[i].node;
	v->rest = v->boxes.items[i].rest;
	v->column = v->boxes.items[i].x;
}

static bool box_matches(void *view, size_t at)
{
	const struct flame_view *v = view;

	return !v->boxes.items[at].rest && flame_matches(v, v->boxes.items[at].node);
}

static void search(struct view *view, bool forward, bool from_here)
{
	struct flame_view *v = (struct flame_view *)view;
	size_t n = v->boxes.n, from, found;

	if (!v->forest || !n)
		return;
	follow_search(v);
	v->telling = !v->matched;
	from = flame_chosen(v);
	from = from == SIZE_MAX ? 0 : from;
	found = lookout_find(n, from, forward, from_here, box_matches, v);
	if (found != SIZE_MAX)
		choose(v, found);
	else if (v->matched)
		say_matched(v, v->expression);
}

/* ---- moving ---- */

static void go_up(struct flame_view *v, size_t at)
{
	const struct box *box = &v->boxes.items[at];
	int column = v->column;

	if (!box->row)
		return;
	choose(v, boxes_at(&v->boxes, box->row - 1, box->x));
	v->column = column;
}

/* To what is below the column that was left upwards, or to the heaviest. */
static bool go_down(struct flame_view *v, size_t at)
{
	struct box box = v->boxes.items[at];
	int column = v->column;
	size_t below = SIZE_MAX;

	if (column >= box.x && column < box.x + box.w)
		below = boxes_at(&v->boxes, box.row + 1, column);
	if (below == SIZE_MAX)
		below = boxes_at(&v->boxes, box.row + 1, box.x);
	if (below == SIZE_MAX)
		return false;
	choose(v, below);
	if (column >= box.x && column < box.x + box.w)
		v->column = column;
	return true;
}

static void go_beside(struct flame_view *v, size_t at, bool right)
{
	size_t row = v->boxes.items[at].row;

	if (right && at + 1 < v->boxes.rows[row + 1])
		choose(v, at + 1);
	else if (!right && at > v->boxes.rows[row])
		choose(v, at - 1);
}

static bool move(struct flame_view *v, enum action action)
{
	int steps = 1;
	size_t at = flame_chosen(v);

	if (at == SIZE_MAX)
		return false;
	switch (action) {
	case ACT_LEFT:
	case ACT_RIGHT:
		go_beside(v, at, action == ACT_RIGHT);
		return true;
	case ACT_TOP:
		choose(v, 0);
		return true;
	case ACT_PAGE_UP:
		steps = v->rows > 1 ? v->rows - 1 : 1;
		/* fall through */
	case ACT_UP:
		for (; steps > 0 && at != SIZE_MAX; steps--, at = flame_chosen(v))
			go_up(v, at);
		return true;
	case ACT_BOTTOM:
		steps = INT32_MAX;
		/* fall through */
	case ACT_PAGE_DOWN:
		if (action == ACT_PAGE_DOWN)
			steps = v->rows > 1 ? v->rows - 1 : 1;
		/* fall through */
	case ACT_DOWN:
		for (; steps > 0 && at != SIZE_MAX; steps--, at = flame_chosen(v))
			if (!go_down(v, at))
				break;
		return true;
	default:
		return false;
	}
}

/* ---- zooming ---- */

static void zoom_changed(struct flame_view *v)
{
	int width = v->width;

	v->width = 0;
	v->first = 0;
	v->matched = false;
	if (width)
		lay_out(v, width);
	ask(v, NULL);
}

static void zoom_out(struct flame_view *v)
{
	v->zooms.n--;
	zoom_changed(v);
}

static void zoom_in(struct flame_view *v)
{
	choose(v, flame_chosen(v));
	if (v->node == flame_zoom(v)) {
		if (v->rest)
			browser_say(v->view.browser, ROLE_STATUS,
				"these are too narrow to be boxes: the tree (t) lists them");
		else if (v->zooms.n > 1)
			zoom_out(v);
		return;
	}
	if (!nodes_add(&v->zooms, v->node)) {
		browser_say_error(v->view.browser, sm_error_nomem());
		return;
	}
	v->column = 0;
	zoom_changed(v);
}

static void invert(struct flame_view *v)
{
	v->inverted = !v->inverted;
	refresh(&v->view);
}

/* The code around the chosen function in the heaviest stack through it. */
static void ask_code(struct flame_view *v)
{
	choose(v, flame_chosen(v));
	v->through = v->node;
	ask(v, NULL);
	v->through = NULL;
}

static void peek(struct flame_view *v)
{
	struct browser *b = v->view.browser;
	struct sm_buf text = {0};

	choose(v, flame_chosen(v));
	if (!v->node->parent) {
		browser_say(b, ROLE_STATUS, "this is all: choose a function");
		return;
	}
	node_label(v->node, &text);
	if (text.failed)
		browser_say_error(b, sm_error_nomem());
	else
		browser_push(b, view_function_new(b, text.data), narrow_get(v->view.narrow));
	sm_buf_release(&text);
}

static bool act(struct view *view, enum action action, const char *arg)
{
	struct flame_view *v = (struct flame_view *)view;

	if (action == ACT_TREE && !arg) {
		browser_switch(view->browser, view_tree_new(view->browser, v->inverted));
		return true;
	}
	if (action == ACT_FLAME) {
		browser_act(view->browser, ACT_GROUP, "stack");
		return true;
	}
	if (action == ACT_INVERT) {
		invert(v);
		return true;
	}
	if (!v->forest || !v->node)
		return false;
	if (move(v, action))
		return true;
	switch (action) {
	case ACT_ENTER:
		zoom_in(v);
		return true;
	case ACT_BACK:
		if (v->zooms.n < 2)
			return false;
		zoom_out(v);
		return true;
	case ACT_CODE:
		ask_code(v);
		return true;
	case ACT_PEEK:
		if (arg)
			return false;
		peek(v);
		return true;
	default:
		return false;
	}
}

static bool click(struct view *view, const struct mouse *mouse, const struct area *area)
{
	struct flame_view *v = (struct flame_view *)view;
	size_t at;

	if (!v->forest || mouse->y < v->top || mouse->y >= v->top + v->rows)
		return false;
	at = boxes_at(&v->boxes, v->first + (size_t)(mouse->y - v->top), mouse->x - area->x);
	if (at == SIZE_MAX)
		return false;
	choose(v, at);
	if (mouse->kind == MOUSE_DOUBLE)
		zoom_in(v);
	return true;
}

/* ---- the rest ---- */

static void draw(struct view *view, const struct area *area)
{
	struct flame_view *v = (struct flame_view *)view;

	if (!v->forest) {
		view_draw_empty(view, area);
		return;
	}
	follow_search(v);
	lay_out(v, area->w);
	/* A wider terminal has a place for more. */
	if (v->asked < (unsigned)area->w)
		ask(v, NULL);
	flame_draw(v, area);
}

static void describe(struct view *view, struct sm_buf *text)
{
	const struct flame_view *v = (const struct flame_view *)view;

	sm_buf_adds(text, v->inverted ? "inverted flame graph" : "flame graph");
	if (v->forest && v->zooms.n > 1) {
		sm_buf_adds(text, " of ");
		node_label(flame_zoom(v), text);
	}
}

/* The boxes, in the order of a tree. */
static struct saver *save(struct view *view, enum save_format format, const char **why)
{
	struct flame_view *v = (struct flame_view *)view;
	struct tree_row *rows = NULL;
	struct saver *saver;
	size_t n = 0, cap = 0;

	*why = "it isn't there yet";
	if (!v->forest || !v->boxes.n)
		return NULL;
	*why = "memory is short";
	for (struct sm_tree_node *at = flame_zoom(v); format == SAVE_TEXT;) {
		if (!sm_grow(&rows, &cap, n + 1, sizeof(*rows))) {
			free(rows);
			return NULL;
		}
		rows[n++] = (struct tree_row){at, 0};
		if (at->mark & NODE_LOADED && at->nchildren && at->children->mark & NODE_BOXED) {
			at = at->children;
			continue;
		}
		while (at != flame_zoom(v) &&
			(at + 1 == at->parent->children + at->parent->nchildren ||
				!(at[1].mark & NODE_BOXED)))
			at = at->parent;
		if (at == flame_zoom(v))
			break;
		at++;
	}
	saver = tree_saver_new(v->forest, rows, n, format, why);
	free(rows);
	return saver;
}

static void close_flame(struct view *view)
{
	struct flame_view *v = (struct flame_view *)view;

	browser_drop(view->browser, forest_free, v->forest);
	boxes_release(&v->boxes);
	free(v->zooms.items);
	free(v->expression);
	free(v);
}

struct view *view_flame_new(struct browser *b, bool inverted)
{
	struct flame_view *v = calloc(1, sizeof(*v));

	if (!v)
		return NULL;
	v->view.ops = &OPS;
	v->view.browser = b;
	v->inverted = inverted;
	return &v->view;
}

static const struct view_ops OPS = {
	.name = "flame",
	.refresh = refresh,
	.draw = draw,
	.act = act,
	.click = click,
	.search = search,
	.describe = describe,
	.save = save,
	.close = close_flame,
};
