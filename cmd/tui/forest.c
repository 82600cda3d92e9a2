/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdlib.h>

#include "forest.h"

bool forest_plan_copy(struct forest_plan *to, const struct forest_plan *from)
{
	*to = *from;
	to->function = NULL;
	if (from->function) {
		to->function = strdup(from->function);
		if (!to->function) {
			*to = (struct forest_plan){0};
			return false;
		}
	}
	if (to->now)
		reading_get(to->now);
	if (to->base)
		reading_get(to->base);
	to->narrow = narrow_get(from->narrow);
	return true;
}

void forest_plan_release(struct forest_plan *p)
{
	reading_put(p->now);
	reading_put(p->base);
	narrow_put(p->narrow);
	free(p->function);
	*p = (struct forest_plan){0};
}

bool forest_plan_is(const struct forest_plan *a, const struct forest_plan *b)
{
	if (a->now != b->now || a->base != b->base || a->narrow != b->narrow || a->by != b->by ||
		a->n != b->n || a->named != b->named || !a->function != !b->function)
		return false;
	return memcmp(a->kinds, b->kinds, a->n * sizeof(a->kinds[0])) == 0 &&
	       (!a->function || strcmp(a->function, b->function) == 0);
}

/* All stacks of the part, trimmed. The reading's own table does where the part is all, and symbols
 * can't come any more, at which it is made anew. */
static struct sm_error *make_table(struct forest *f, struct reading *r, struct job *job,
	unsigned which, const struct sm_table **table)
{
	const struct narrow *narrow = f->plan.narrow;
	struct sm_table_opts opts = r->question->selection.table;
	const struct sm_profile *profile;
	struct sm_error *err;
	uint8_t *rows = NULL;

	if (!narrow && r->side->symbols_tried)
		return reading_stacks(r, f->plan.by, table);
	*table = NULL;
	err = reading_part(r, job, narrow, SM_GROUP_STACK, SM_ATTR_NONE, &profile, &rows);
	opts.by = f->plan.by;
	opts.group = SM_GROUP_STACK;
	opts.attr = SM_ATTR_NONE;
	opts.rows = rows;
	opts.unsorted = true;
	opts.limit = 0;
	if (!err)
		err = sm_table_build(profile, r->side->in.syms, &opts, &f->own[which]);
	free(rows);
	if (!err) {
		/* Borrowed until it was built. */
		f->own[which]->opts.rows = NULL;
		*table = f->own[which];
	}
	return err;
}

struct sm_error *forest_new(const struct forest_plan *plan, struct job *job, struct forest **out)
{
	const struct sm_table *now = NULL, *base = NULL;
	struct forest *f = calloc(1, sizeof(*f));
	struct sm_error *err = NULL;

	*out = NULL;
	if (!f)
		return sm_error_nomem();
	if (!forest_plan_copy(&f->plan, plan))
		err = sm_error_nomem();
	if (!err)
		err = make_table(f, f->plan.now, job, 0, &now);
	if (!err && f->plan.base)
		err = make_table(f, f->plan.base, job, 1, &base);
	f->tables[0] = now;
	f->tables[1] = base;
	for (size_t i = 0; !err && i < f->plan.n; i++) {
		err = sm_tree_new(now, base, 1, f->plan.kinds[i], f->plan.function, &f->trees[i]);
		if (!err)
			f->roots[i] = sm_tree_root(f->trees[i]);
	}
	if (err) {
		forest_free(f);
		return err;
	}
	f->total = now->profile->totals[plan->by];
	f->part = now->totals[plan->by];
	if (base) {
		f->old_total = base->profile->totals[plan->by];
		f->old_part = base->totals[plan->by];
	}
	*out = f;
	return NULL;
}

void forest_free(void *forest)
{
	struct forest *f = forest;

	if (!f)
		return;
	for (size_t i = 0; i < MAX_TREES; i++) {
		sm_tree_free(f->trees[i]);
		sm_table_free(f->own[i]);
	}
	forest_plan_release(&f->plan);
	free(f);
}

size_t forest_tree_of(const struct forest *f, const struct sm_tree_node *n)
{
	while (n->parent)
		n = n->parent;
	return f->plan.n > 1 && n == f->roots[1];
}

void node_label(const struct sm_tree_node *n, struct sm_buf *text)
{
	sm_buf_adds(text, n->function);
	if (n->module[0] && n->module[0] != '[')
		sm_buf_addf(text, " [%s]", n->module);
}
