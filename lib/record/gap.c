/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The times in which events are missing, CPU by CPU. */
#include <stdlib.h>

#include "internal.h"

static void absorb(struct sm_gap *into, const struct sm_gap *gap)
{
	into->from = gap->from < into->from ? gap->from : into->from;
	into->to = gap->to > into->to ? gap->to : into->to;
	into->lost += gap->lost;
	into->lost_unknown += gap->lost_unknown;
	into->damaged += gap->damaged;
}

/* Where there are very many, neighbours become one, with what lies between them: each is then less
 * exact, and none is forgotten. */
static void halve(struct gap_list *g)
{
	size_t n = 0;

	for (size_t i = 0; i < g->n; i += 2) {
		struct sm_gap gap = g->items[i];

		if (i + 1 < g->n)
			absorb(&gap, &g->items[i + 1]);
		g->items[n++] = gap;
	}
	g->n = n;
}

bool sm_gaps_add(struct gap_list *g, const struct sm_gap *gap)
{
	struct sm_gap *last = g->n ? &g->items[g->n - 1] : NULL;

	/* Damage is followed by the loss that the next page tells of: it is one gap. */
	if (last && last->to == SM_GAP_OPEN) {
		absorb(last, gap);
		last->to = gap->to;
		return true;
	}
	if (g->n == MAX_GAPS)
		halve(g);
	if (!sm_grow(&g->items, &g->cap, g->n + 1, sizeof(*g->items)))
		return false;
	g->items[g->n++] = *gap;
	return true;
}

void sm_gaps_close(struct gap_list *g, uint64_t to)
{
	struct sm_gap *last = g->n ? &g->items[g->n - 1] : NULL;

	if (last && last->to == SM_GAP_OPEN)
		last->to = to > last->from ? to : last->from;
}

bool sm_gaps_copy(struct gap_list *to, const struct gap_list *from)
{
	if (!sm_grow(&to->items, &to->cap, to->n + from->n + 1, sizeof(*to->items)))
		return false;
	if (from->n)
		memcpy(to->items + to->n, from->items, from->n * sizeof(*to->items));
	to->n += from->n;
	return true;
}

bool sm_gaps_move(struct gap_list *to, struct gap_list *from)
{
	bool ok = sm_gaps_copy(to, from);

	sm_gaps_release(from);
	return ok;
}

static int compare(const void *a, const void *b)
{
	const struct sm_gap *x = a, *y = b;

	if (x->from != y->from)
		return x->from < y->from ? -1 : 1;
	if (x->to != y->to)
		return x->to < y->to ? -1 : 1;
	return x->cpu < y->cpu ? -1 : x->cpu > y->cpu;
}

void sm_gaps_finish(struct gap_list *g, const struct clock_scale *scale)
{
	for (size_t i = 0; i < g->n; i++) {
		struct sm_gap *gap = &g->items[i];

		if (gap->from)
			gap->from = scale_time(scale, gap->from);
		if (gap->to != SM_GAP_OPEN)
			gap->to = scale_time(scale, gap->to);
	}
	if (g->n)
		qsort(g->items, g->n, sizeof(*g->items), compare);
}

void sm_gaps_release(struct gap_list *g)
{
	free(g->items);
	memset(g, 0, sizeof(*g));
}

const struct sm_gap *sm_trace_gaps(const struct sm_trace *trace, size_t *n)
{
	*n = trace->priv->gaps.n;
	return trace->priv->gaps.items;
}
