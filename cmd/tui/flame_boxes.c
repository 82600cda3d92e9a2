/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <math.h>
#include <stdlib.h>

#include "flame_boxes.h"

static bool add(struct boxes *b, const struct box *box)
{
	if (!sm_grow(&b->items, &b->cap, b->n + 1, sizeof(*b->items)))
		return false;
	b->items[b->n++] = *box;
	return true;
}

/* Takes a column from those boxes from `first` on, for one behind them: from the first that has one
 * to spare; else the last one is given up. Returns whether that is so. */
static bool make_room(struct boxes *b, size_t first)
{
	for (size_t i = first; i < b->n; i++) {
		if (b->items[i].w < 2)
			continue;
		b->items[i].w--;
		for (i++; i < b->n; i++)
			b->items[i].x--;
		return false;
	}
	b->n--;
	return true;
}

/* The boxes below one. What was grown and what has shrunk may be more than the caller has: then
 * all of them share its width. */
static bool lay_children(struct boxes *b, struct box over)
{
	const struct sm_tree_node *n = over.node;
	size_t first = b->n, i;
	struct box box = {.row = over.row + 1};
	double total, unit, sum = 0;
	int end = 0;

	total = (double)(n->self_now > n->self_old ? n->self_now : n->self_old);
	for (i = 0; i < n->nchildren; i++)
		total += (double)node_weight(&n->children[i]);
	if (total < (double)node_weight(n))
		total = (double)node_weight(n);
	unit = total > 0 ? over.w / total : 0;
	/* The widest come first. */
	for (i = 0; i < n->nchildren; i++) {
		double weight = (double)node_weight(&n->children[i]);

		if (weight * unit < 1)
			break;
		sum += weight;
		box.node = &n->children[i];
		box.x = over.x + end;
		box.w = (int)lround(sum * unit) - end;
		/* A sum of doubles may miss it by a little. */
		if (box.w < 1 || end + box.w > over.w)
			break;
		end += box.w;
		if (!add(b, &box))
			return false;
	}
	if (i == n->nchildren)
		return true;
	box.node = over.node;
	box.rest = true;
	box.from = i;
	for (; i < n->nchildren; i++)
		sum += (double)node_weight(&n->children[i]);
	box.w = (int)lround(sum * unit);
	box.w = (box.w < over.w ? box.w : over.w) - end;
	if (box.w < 1)
		box.w = 1;
	if (end + box.w > over.w) {
		box.from -= make_room(b, first);
		end--;
	}
	box.x = over.x + end;
	return add(b, &box);
}

/* What a box has below it. */
static bool lay_below(struct boxes *b, const struct box *over)
{
	struct box unknown;

	if (over->rest || over->node->leaf)
		return true;
	if (over->node->mark & NODE_LOADED)
		return lay_children(b, *over);
	unknown = *over;
	unknown.row++;
	unknown.rest = true;
	unknown.from = 0;
	return add(b, &unknown);
}

static bool end_row(struct boxes *b)
{
	if (!sm_grow(&b->rows, &b->rows_cap, b->nrows + 2, sizeof(*b->rows)))
		return false;
	b->rows[++b->nrows] = b->n;
	return true;
}

bool boxes_lay(struct boxes *b, struct sm_tree_node *top, int width)
{
	struct box first = {.node = top, .w = width};
	size_t done = 0;

	b->n = b->nrows = 0;
	if (width < 1 || !add(b, &first) || !end_row(b))
		return false;
	b->rows[0] = 0;
	while (done < b->n) {
		for (size_t end = b->n; done < end; done++) {
			struct box over = b->items[done];

			if (!lay_below(b, &over))
				return false;
		}
		if (done < b->n && !end_row(b))
			return false;
	}
	return true;
}

void boxes_release(struct boxes *b)
{
	free(b->items);
	free(b->rows);
	*b = (struct boxes){0};
}

size_t boxes_find(const struct boxes *b, const struct sm_tree_node *n, bool rest)
{
	for (; n; n = n->parent, rest = false)
		for (unsigned any = 0; any < 2; any++)
			for (size_t i = 0; i < b->n; i++)
				if (b->items[i].node == n && (any || b->items[i].rest == rest))
					return i;
	return SIZE_MAX;
}

size_t boxes_at(const struct boxes *b, size_t row, int x)
{
	if (row >= b->nrows)
		return SIZE_MAX;
	for (size_t i = b->rows[row]; i < b->rows[row + 1]; i++)
		if (x >= b->items[i].x && x < b->items[i].x + b->items[i].w)
			return i;
	return SIZE_MAX;
}

void box_sums(const struct box *box, uint64_t *now, uint64_t *old, size_t *count)
{
	const struct sm_tree_node *n = box->node;

	*now = n->now;
	*old = n->old;
	*count = 1;
	if (!box->rest)
		return;
	if (!(n->mark & NODE_LOADED)) {
		*now -= n->self_now;
		*old -= n->self_old;
		*count = 0;
		return;
	}
	*now = *old = 0;
	*count = n->nchildren - box->from;
	for (size_t i = box->from; i < n->nchildren; i++) {
		*now += n->children[i].now;
		*old += n->children[i].old;
	}
}
