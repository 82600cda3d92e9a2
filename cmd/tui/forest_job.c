/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdlib.h>

#include "forest_work.h"

bool nodes_add(struct nodes *l, struct sm_tree_node *n)
{
	if (!sm_grow(&l->items, &l->cap, l->n + 1, sizeof(*l->items)))
		return false;
	l->items[l->n++] = n;
	return true;
}

/* ---- the same node of another forest ---- */

static bool is_same(const struct sm_tree_node *a, const struct sm_tree_node *b)
{
	return strcmp(a->function, b->function) == 0 && strcmp(a->module, b->module) == 0;
}

/* Most are where they were, or near. */
static struct sm_tree_node *child_like(struct sm_tree_node *n, const struct sm_tree_node *old)
{
	size_t at = (size_t)(old - old->parent->children), most = n->nchildren;

	for (unsigned by_address = 0; by_address < 2; by_address++) {
		for (size_t d = 0; d <= at || at + d < most; d++) {
			size_t sides[] = {at + d, at - d};

			for (unsigned s = 0; s < 2; s++) {
				struct sm_tree_node *c;

				if (sides[s] >= most)
					continue;
				c = &n->children[sides[s]];
				/* Names may have come meanwhile. */
				if (by_address ? c->ip && c->ip == old->ip : is_same(c, old))
					return c;
			}
		}
	}
	return NULL;
}

/* The counterpart of an old forest's node, or of the nearest one above it that has one. */
static struct sm_error *find_like(
	struct forest_job *j, const struct sm_tree_node *old, struct sm_tree_node **like)
{
	size_t which = forest_tree_of(j->forest, old), depth = old->depth;
	const struct sm_tree_node **way = malloc((depth + 1) * sizeof(*way));
	struct sm_tree_node *n = which < j->made->plan.n ? j->made->roots[which] : NULL;
	struct sm_error *err = way ? NULL : sm_error_nomem();

	*like = n ? n : j->made->roots[0];
	for (size_t i = depth; way && i > 0; i--, old = old->parent)
		way[i] = old;
	for (size_t i = 1; !err && n && i <= depth; i++) {
		err = sm_tree_open(j->made->trees[which], n);
		n = err ? NULL : child_like(n, way[i]);
		if (n)
			*like = n;
	}
	free(way);
	return err;
}

static int by_depth(const void *a, const void *b)
{
	const struct sm_tree_node *x = *(struct sm_tree_node *const *)a;
	const struct sm_tree_node *y = *(struct sm_tree_node *const *)b;

	return x->depth < y->depth ? -1 : x->depth > y->depth;
}

static struct sm_error *reopen(struct forest_job *j)
{
	struct sm_error *err = NULL;

	if (j->open.n)
		qsort(j->open.items, j->open.n, sizeof(*j->open.items), by_depth);
	for (size_t i = 0; !err && i < j->open.n; i++) {
		const struct sm_tree_node *old = j->open.items[i];
		struct sm_tree_node *like;

		err = find_like(j, old, &like);
		if (!err && like->depth == old->depth)
			err = forest_job_open(j, like, true);
	}
	return err;
}

static struct sm_error *build(struct forest_job *j)
{
	struct sm_error *err = forest_new(&j->plan, &j->base.job, &j->made);

	for (size_t i = 0; !err && i < j->made->plan.n; i++)
		err = forest_job_open(j, j->made->roots[i], true);
	if (err)
		return err;
	if (j->forest) {
		err = reopen(j);
		for (size_t i = 0; !err && i < j->follow.n; i++)
			err = find_like(j, j->follow.items[i], &j->follow.items[i]);
		return err;
	}
	/* One that is alone leads nowhere but down. */
	for (size_t i = 0; !err && i < j->made->plan.n; i++)
		if (j->made->roots[i]->nchildren == 1)
			err = forest_job_open_chain(j, j->made->roots[i]->children);
	if (!j->follow.n && !nodes_add(&j->follow, j->made->roots[0]))
		err = sm_error_nomem();
	return err;
}

/* What was asked for stays as it was: another job may take it over. */
static struct sm_error *node_of(
	struct forest_job *j, struct sm_tree_node *asked, struct sm_tree_node **node)
{
	*node = asked;
	return asked && j->build && j->forest ? find_like(j, asked, node) : NULL;
}

static struct sm_error *find_stack(struct forest_job *j, const struct sm_tree_node *n)
{
	const struct forest *f = forest_job_forest(j);
	const struct sm_table_row *row =
		sm_tree_heaviest(f->trees[forest_tree_of(f, n)], n, &j->of_base, &j->frame);
	uint64_t *ips;

	if (!row)
		return NULL;
	ips = malloc((row->depth + 1) * sizeof(*ips));
	j->stack = *row;
	j->stack.stack_ids = NULL;
	j->stack.nstack_ids = 0;
	j->stack.ips = ips;
	j->stack.label = row->label ? strdup(row->label) : NULL;
	if (!ips || (row->label && !j->stack.label))
		return sm_error_nomem();
	if (row->depth)
		memcpy(ips, row->ips, row->depth * sizeof(*ips));
	j->stack.depth = row->depth;
	return NULL;
}

static void work(struct job *job)
{
	struct forest_job *j = (struct forest_job *)job;
	struct sm_error *err = j->build ? build(j) : NULL;
	struct sm_tree_node *node = NULL;

	for (size_t i = 0; !err && i < j->ntargets; i++) {
		err = node_of(j, j->targets[i].node, &node);
		if (!err)
			err = j->targets[i].all ? forest_job_expand(j, node)
						: forest_job_open_chain(j, node);
	}
	if (!err && j->columns)
		err = forest_job_open_boxes(j);
	if (!err && j->expression)
		err = node_of(j, j->from, &node);
	if (!err && j->expression)
		err = forest_job_find(j, node);
	if (!err)
		err = node_of(j, j->through, &node);
	if (!err && node)
		err = find_stack(j, node);
	job->err = err;
}

/* ---- the interface's ---- */

struct forest_job *forest_job_new(struct forest *forest)
{
	struct forest_job *j = calloc(1, sizeof(*j));

	if (!j)
		return NULL;
	j->base.job.work = work;
	j->base.job.what = "making the tree";
	j->forest = forest;
	return j;
}

bool forest_job_target(struct forest_job *j, struct sm_tree_node *node, bool all)
{
	if (!sm_grow(&j->targets, &j->targets_cap, j->ntargets + 1, sizeof(*j->targets)))
		return false;
	j->targets[j->ntargets++] = (struct forest_target){node, all};
	return true;
}

bool forest_job_search(struct forest_job *j, const char *expression)
{
	j->base.job.what = "searching";
	j->expression = strdup(expression);
	return j->expression != NULL;
}

bool forest_job_inherit(struct forest_job *j, const struct forest_job *old)
{
	bool ok = true;

	if (!old)
		return true;
	/* The plan that comes later holds. */
	if (old->build && !j->build) {
		j->build = true;
		ok = forest_plan_copy(&j->plan, &old->plan);
	}
	for (size_t i = 0; ok && i < old->ntargets; i++)
		ok = forest_job_target(j, old->targets[i].node, old->targets[i].all);
	if (!j->through) {
		j->through = old->through;
		j->code = old->code;
	}
	if (ok && old->expression && !j->expression) {
		j->from = old->from;
		j->forward = old->forward;
		j->from_here = old->from_here;
		j->sum |= old->sum;
		ok = forest_job_search(j, old->expression);
	}
	return ok;
}

void forest_job_free(struct forest_job *j)
{
	if (!j)
		return;
	forest_free(j->made);
	forest_plan_release(&j->plan);
	view_job_release(&j->base);
	free(j->open.items);
	free(j->follow.items);
	free(j->loaded.items);
	free(j->targets);
	free(j->expression);
	free((void *)(uintptr_t)j->stack.ips);
	free((void *)(uintptr_t)j->stack.label);
	free(j);
}
