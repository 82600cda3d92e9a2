/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Functions looked for in a call tree. Which nodes lie on the way to a match is asked of their
 * stacks, so that only that way is opened, however much of the tree isn't made yet.
 */
#include <stdlib.h>

#include "call_tree.h"

#define PART 1024 /* stacks between two looks at whether to stop */

enum answer { NO, YES, NO_MEMORY, STOPPED };

void sm_tree_search_release(struct sm_tree_search *s)
{
	free(s->known);
	s->known = NULL;
	s->n = 0;
}

static struct sm_error *error_of(enum answer a)
{
	if (a == STOPPED)
		return sm_error_new(SM_E_STOPPED, NULL, "stopped", NULL);
	return a == NO_MEMORY ? sm_error_nomem() : NULL;
}

static enum answer ask(struct sm_tree *t, struct sm_tree_search *s, uint32_t number)
{
	const char *function;

	if (number == NO_NUMBER)
		return NO_MEMORY;
	if (number >= s->n) {
		size_t had = s->n;

		if (!sm_grow(&s->known, &s->n, (size_t)number + 1, 1))
			return NO_MEMORY;
		memset(s->known + had, 0, s->n - had);
	}
	if (!s->known[number]) {
		function = function_of(&t->names, number);
		s->known[number] =
			s->matches(s->ctx, function, module_of(&t->names, number)) ? 2 : 1;
	}
	return s->known[number] == 2 ? YES : NO;
}

/* Of a stack's levels from `depth` on. */
static enum answer ask_path(struct sm_tree *t, struct sm_tree_search *s, unsigned side,
	const struct path *p, uint32_t depth)
{
	if (is_label(t, p))
		return depth < p->n ? ask(t, s, (uint32_t)*p->ips) : NO;
	for (; depth < p->n; depth++) {
		uint64_t ip = p->ips[(ptrdiff_t)depth * t->step];
		enum answer a = ask(t, s, frame_number(&t->numbers[side], ip));

		if (a != NO)
			return a;
	}
	return NO;
}

static bool is_stopped(const struct sm_tree_search *s, size_t i)
{
	return s->stopped && i % PART == 0 && s->stopped(s->stopped_ctx);
}

/* A match is below the node. */
static enum answer ask_below(
	struct sm_tree *t, struct sm_tree_search *s, const struct sm_tree_node *n)
{
	if (n->leaf)
		return NO;
	for (unsigned side = 0; side < SIDES; side++) {
		for (size_t i = 0; i < n->count[side]; i++) {
			const struct path *p = &t->paths[side][n->first[side] + i];
			enum answer a =
				is_stopped(s, i) ? STOPPED : ask_path(t, s, side, p, n->depth);

			if (a != NO)
				return a;
		}
	}
	return NO;
}

/* By the node's own name: its number is the tree's alone. */
static enum answer ask_node(
	struct sm_tree *t, struct sm_tree_search *s, const struct sm_tree_node *n)
{
	return ask(t, s, sm_function_number(&t->names, n->function, n->module));
}

/* The first or last match below the node, in which one is. Makes the children on the way. */
static enum answer find_below(struct sm_tree *t, struct sm_tree_search *s, struct sm_tree_node *n,
	bool first, struct sm_tree_node **found)
{
	for (;;) {
		struct sm_error *err = sm_tree_open(t, n);
		struct sm_tree_node *next = NULL;

		if (err) {
			sm_error_free(err);
			return NO_MEMORY;
		}
		for (size_t i = 0; i < n->nchildren && !next; i++) {
			struct sm_tree_node *c = &n->children[first ? i : n->nchildren - 1 - i];
			enum answer own = ask_node(t, s, c), below = NO;

			if (own > YES)
				return own;
			if (own == NO || !first)
				below = ask_below(t, s, c);
			if (below > YES)
				return below;
			if (below == YES && (own == NO || !first)) {
				next = c;
			} else if (own == YES) {
				*found = c;
				return YES;
			}
		}
		if (!next)
			return NO;
		n = next;
	}
}

/* The same of the node itself and what is below it; NO where there is none. */
static enum answer find_from(struct sm_tree *t, struct sm_tree_search *s, struct sm_tree_node *n,
	bool first, struct sm_tree_node **found)
{
	enum answer own = ask_node(t, s, n), below;

	if (own > YES)
		return own;
	if (own == YES && first) {
		*found = n;
		return YES;
	}
	below = ask_below(t, s, n);
	if (below == YES)
		return find_below(t, s, n, first, found);
	if (below == NO && own == YES)
		*found = n;
	return below == NO ? own : below;
}

struct sm_error *sm_tree_find(struct sm_tree *t, struct sm_tree_search *s,
	struct sm_tree_node *from, bool forward, struct sm_tree_node **found)
{
	struct sm_tree_node *n = from ? from : &t->root;
	enum answer a = NO;

	*found = NULL;
	if (forward || !from) {
		a = ask_below(t, s, n);
		if (a == YES)
			a = find_below(t, s, n, forward, found);
	}
	for (; a == NO && n->parent; n = n->parent) {
		struct sm_tree_node *siblings = n->parent->children;
		size_t i = (size_t)(n - siblings);

		if (forward) {
			while (a == NO && ++i < n->parent->nchildren)
				a = find_from(t, s, &siblings[i], true, found);
			continue;
		}
		while (a == NO && i-- > 0)
			a = find_from(t, s, &siblings[i], false, found);
		if (a == NO && n->parent->parent) {
			a = ask_node(t, s, n->parent);
			if (a == YES)
				*found = n->parent;
		}
	}
	return error_of(a);
}

struct sm_error *sm_tree_sum(struct sm_tree *t, struct sm_tree_search *s,
	const struct sm_tree_node *n, uint64_t *now, uint64_t *old)
{
	uint64_t sums[SIDES] = {0};

	for (unsigned side = 0; side < SIDES; side++) {
		for (size_t i = 0; i < n->count[side]; i++) {
			const struct path *p = &t->paths[side][n->first[side] + i];
			enum answer a = is_stopped(s, i) ? STOPPED
							 : ask_path(t, s, side, p,
								   n->depth ? n->depth - 1 : 0);

			if (a > YES)
				return error_of(a);
			sums[side] += a == YES ? p->value : 0;
		}
	}
	*now = sums[NOW];
	*old = sm_tree_scaled(t, sums[OLD]);
	return NULL;
}

static const struct path *heaviest_path(
	const struct sm_tree *t, const struct sm_tree_node *n, unsigned *side)
{
	const struct path *most = NULL;

	for (unsigned s = 0; s < SIDES; s++) {
		for (size_t i = 0; i < n->count[s]; i++) {
			const struct path *p = &t->paths[s][n->first[s] + i];

			if (most && p->value <= most->value)
				continue;
			most = p;
			*side = s;
		}
	}
	return most;
}

/* A path knows its frames alone; they are in no other row, as rows are of different stacks. */
static bool is_of(const struct sm_tree *t, const struct path *p, const struct sm_table_row *row)
{
	if (is_label(t, p))
		return !row->depth && row->label &&
		       strcmp(row->label, function_of(&t->names, (uint32_t)*p->ips)) == 0;
	return row->depth && p->ips >= row->ips && p->ips < row->ips + row->depth;
}

const struct sm_table_row *sm_tree_heaviest(
	const struct sm_tree *t, const struct sm_tree_node *n, bool *base, uint32_t *frame)
{
	unsigned side = NOW;
	const struct path *p = heaviest_path(t, n, &side);
	const struct sm_table_row *row = NULL;
	ptrdiff_t level = (ptrdiff_t)n->depth - 1;

	*frame = 0;
	for (size_t i = 0; p && !row && i < t->tables[side]->nrows; i++)
		if (is_of(t, p, &t->tables[side]->rows[i]))
			row = &t->tables[side]->rows[i];
	*base = side == OLD;
	if (!row || !row->depth)
		return row;
	/* A function that nothing is beyond has no level: it is the first or the last frame. */
	if (p->n)
		*frame = (uint32_t)(p->ips + level * t->step - row->ips);
	else
		*frame = t->step < 0 ? 0 : row->depth - 1;
	/* The root of a tree of all is no frame. */
	if (*frame >= row->depth)
		*frame = 0;
	return row;
}
