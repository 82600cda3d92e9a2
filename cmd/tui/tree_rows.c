/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdlib.h>

#include "tree_rows.h"

static bool is_open(const struct sm_tree_node *n)
{
	return (n->mark & (NODE_LOADED | NODE_OPEN)) == (NODE_LOADED | NODE_OPEN);
}

static bool add_row(struct tree_rows *r, struct sm_tree_node *n, uint32_t indent)
{
	if (!sm_grow(&r->items, &r->cap, r->n + 1, sizeof(*r->items)))
		return false;
	r->items[r->n++] = (struct tree_row){n, indent};
	return true;
}

/* Rows below a root. */
static bool add_tree(struct tree_rows *r, struct sm_tree_node *root)
{
	struct sm_tree_node *n = root;
	uint32_t indent = 0;

	for (;;) {
		if (is_open(n) && n->nchildren) {
			/* The root's children are the first level. */
			indent += n->nchildren > 1 && n != root;
			n = n->children;
		} else {
			while (n != root && n + 1 == n->parent->children + n->parent->nchildren) {
				n = n->parent;
				indent -= n->nchildren > 1 && n != root;
			}
			if (n == root)
				return true;
			n++;
		}
		if (!add_row(r, n, indent))
			return false;
	}
}

bool tree_rows_make(struct tree_rows *r, const struct forest *f)
{
	bool ok = true;

	r->n = 0;
	for (size_t i = 0; ok && i < f->plan.n; i++) {
		if (node_is_middle(f, f->roots[i]))
			ok = add_row(r, f->roots[i], 0);
		ok = ok && add_tree(r, f->roots[i]);
	}
	return ok;
}

static bool open_node(struct tree_rows *r, struct sm_tree_node *n)
{
	if (n->mark & NODE_OPEN)
		return true;
	n->mark |= NODE_OPEN;
	return nodes_add(&r->open, n);
}

bool tree_rows_take(struct tree_rows *r, const struct forest_job *j)
{
	bool ok = true;

	if (j->made)
		r->open.n = 0;
	for (size_t i = 0; ok && i < j->loaded.n; i++) {
		struct sm_tree_node *n = j->loaded.items[i];

		n->mark |= NODE_LOADED;
		if (j->made && i < j->nopen)
			ok = nodes_add(&r->open, n);
		else if (i < j->nopen)
			ok = open_node(r, n);
	}
	return ok;
}

struct sm_tree_node *tree_rows_open(struct tree_rows *r, struct sm_tree_node *n)
{
	while (!n->leaf) {
		if (!(n->mark & NODE_LOADED) || !open_node(r, n))
			return n;
		if (n->nchildren != 1)
			break;
		n = n->children;
	}
	return NULL;
}

void tree_rows_close(struct tree_rows *r, struct sm_tree_node *n)
{
	size_t kept = 0;

	n->mark &= ~NODE_OPEN;
	for (size_t i = 0; i < r->open.n; i++)
		if (r->open.items[i] != n)
			r->open.items[kept++] = r->open.items[i];
	r->open.n = kept;
}

static bool is_in(const struct sm_tree_node *n, const struct sm_tree_node *above)
{
	while (n && n->depth > above->depth)
		n = n->parent;
	return n == above;
}

void tree_rows_close_all(struct tree_rows *r, struct sm_tree_node *n)
{
	size_t kept = 0;

	for (size_t i = 0; i < r->open.n; i++) {
		struct sm_tree_node *open = r->open.items[i];

		/* Roots are always open. */
		if (open->depth && is_in(open, n))
			open->mark &= ~NODE_OPEN;
		else
			r->open.items[kept++] = open;
	}
	r->open.n = kept;
}

size_t tree_rows_find(const struct tree_rows *r, const struct sm_tree_node *n)
{
	for (; n; n = n->parent)
		for (size_t i = 0; i < r->n; i++)
			if (r->items[i].node == n)
				return i;
	return 0;
}

void tree_rows_release(struct tree_rows *r)
{
	free(r->items);
	free(r->open.items);
	*r = (struct tree_rows){0};
}
