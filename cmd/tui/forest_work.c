/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <regex.h>
#include <stdlib.h>

#include "forest_work.h"
#include "lookout.h"

#define BOXES_NS 30000000 /* so long, then what is there is shown first */

struct sm_error *forest_job_open(struct forest_job *j, struct sm_tree_node *n, bool open)
{
	struct forest *f = forest_job_forest(j);
	struct sm_error *err = sm_tree_open(f->trees[forest_tree_of(f, n)], n);

	if (err)
		return err;
	/* Nobody else sees the marks of what is being made. */
	if (j->made) {
		if (!open || n->mark & NODE_OPEN) {
			n->mark |= NODE_LOADED;
			return NULL;
		}
		n->mark |= NODE_LOADED | NODE_OPEN;
	}
	if (!nodes_add(&j->loaded, n))
		return sm_error_nomem();
	if (open) {
		j->loaded.items[j->loaded.n - 1] = j->loaded.items[j->nopen];
		j->loaded.items[j->nopen++] = n;
	}
	return NULL;
}

struct sm_error *forest_job_open_chain(struct forest_job *j, struct sm_tree_node *n)
{
	struct sm_error *err = NULL;

	while (!err && !n->leaf) {
		err = forest_job_open(j, n, true);
		if (err || n->nchildren != 1)
			break;
		n = n->children;
	}
	return err;
}

/* ---- the heaviest first ---- */

/* A heap. */
static bool push(struct nodes *h, struct sm_tree_node *n)
{
	size_t i = h->n;

	if (!nodes_add(h, n))
		return false;
	for (; i && node_weight(h->items[(i - 1) / 2]) < node_weight(n); i = (i - 1) / 2)
		h->items[i] = h->items[(i - 1) / 2];
	h->items[i] = n;
	return true;
}

static struct sm_tree_node *pop(struct nodes *h)
{
	struct sm_tree_node *top = h->items[0], *last = h->items[--h->n];
	size_t i = 0;

	for (;;) {
		size_t c = 2 * i + 1;

		if (c + 1 < h->n && node_weight(h->items[c + 1]) > node_weight(h->items[c]))
			c++;
		if (c >= h->n || node_weight(h->items[c]) <= node_weight(last))
			break;
		h->items[i] = h->items[c];
		i = c;
	}
	h->items[i] = last;
	return top;
}

/* Opens what weighs at least `least`, until there are `most` nodes, or the time is over. */
static struct sm_error *open_heaviest(struct forest_job *j, struct sm_tree_node *n, bool show,
	double least, size_t most, uint64_t until)
{
	struct nodes heap = {0};
	struct sm_error *err = NULL;
	size_t shown = 0;

	if (!n->leaf && !push(&heap, n))
		err = sm_error_nomem();
	while (!err && heap.n && !job_is_cancelled(&j->base.job)) {
		if (shown >= most || sm_now_ns() > until) {
			j->cut |= shown >= most;
			j->more |= shown < most;
			break;
		}
		n = pop(&heap);
		err = forest_job_open(j, n, show);
		shown += n->nchildren;
		for (size_t i = 0; !err && i < n->nchildren; i++) {
			struct sm_tree_node *c = &n->children[i];

			/* They come in order. */
			if ((double)node_weight(c) < least)
				break;
			if (!c->leaf && !push(&heap, c))
				err = sm_error_nomem();
		}
	}
	free(heap.items);
	return err;
}

struct sm_error *forest_job_expand(struct forest_job *j, struct sm_tree_node *n)
{
	return open_heaviest(j, n, true, 0, EXPAND_MOST, UINT64_MAX);
}

struct sm_error *forest_job_load(struct forest_job *j, struct sm_tree_node *n, size_t most)
{
	return open_heaviest(j, n, false, 0, most, UINT64_MAX);
}

struct sm_error *forest_job_open_boxes(struct forest_job *j)
{
	struct sm_tree_node *zoom = j->follow.items[0];

	/* Half a column, so that whatever rounding does it is there. */
	return open_heaviest(j, zoom, false, (double)node_weight(zoom) / j->columns / 2, SIZE_MAX,
		sm_now_ns() + BOXES_NS);
}

/* ---- finding ---- */

struct finder {
	regex_t expression;
	struct sm_buf text;
};

static bool matches(void *ctx, const char *function, const char *module)
{
	struct finder *f = ctx;

	sm_buf_reset(&f->text);
	sm_buf_adds(&f->text, function);
	if (module[0] && module[0] != '[')
		sm_buf_addf(&f->text, " [%s]", module);
	return !f->text.failed && regexec(&f->expression, f->text.data, 0, NULL, 0) == 0;
}

/* The function in the middle of its callers and callees is the second tree's root, which is read
 * right before that tree. */
static bool is_middle(const struct forest *f, const struct sm_tree_node *n)
{
	return f->plan.n > 1 && n == f->roots[1];
}

static struct sm_error *find(struct forest_job *j, struct sm_tree_search *s, struct finder *finder,
	struct sm_tree_node *from)
{
	struct forest *f = forest_job_forest(j);
	size_t n = f->plan.n, at = from ? forest_tree_of(f, from) : j->forward ? 0 : n - 1;
	struct sm_error *err = NULL;

	if (from && j->from_here && (from->depth || is_middle(f, from)) &&
		matches(finder, from->function, from->module)) {
		j->found = from;
		return NULL;
	}
	for (size_t i = 0; !err && !j->found && i <= n; i++) {
		size_t which = (j->forward ? at + i : at + 2 * n - i) % n;
		struct sm_tree_node *start = i ? NULL : from, *root = f->roots[which];
		bool middle = is_middle(f, root);

		if (i)
			j->wrapped |= j->forward ? which <= at : which >= at;
		if (middle && j->forward && !start &&
			matches(finder, root->function, root->module)) {
			j->found = root;
			break;
		}
		if (!(middle && !j->forward && start == root))
			err = sm_tree_find(
				f->trees[which], &s[which], start, j->forward, &j->found);
		if (!err && !j->found && middle && !j->forward && start != root &&
			matches(finder, root->function, root->module))
			j->found = root;
	}
	for (struct sm_tree_node *up = j->found; !err && up && up->parent; up = up->parent)
		err = forest_job_open(j, up->parent, true);
	return err;
}

struct sm_error *forest_job_find(struct forest_job *j, struct sm_tree_node *from)
{
	struct sm_tree_search searches[MAX_TREES] = {0};
	struct finder finder = {0};
	struct sm_error *err = NULL;

	if (lookout_compile(&finder.expression, j->expression))
		return sm_error_nomem();
	for (size_t i = 0; i < MAX_TREES; i++)
		searches[i] = (struct sm_tree_search){.matches = matches,
			.ctx = &finder,
			.stopped = job_stopped,
			.stopped_ctx = &j->base.job};
	if (j->sum)
		err = sm_tree_sum(forest_job_forest(j)->trees[0], &searches[0], j->follow.items[0],
			&j->matched_now, &j->matched_old);
	else
		err = find(j, searches, &finder, from);
	for (size_t i = 0; i < MAX_TREES; i++)
		sm_tree_search_release(&searches[i]);
	sm_buf_release(&finder.text);
	regfree(&finder.expression);
	return err;
}
