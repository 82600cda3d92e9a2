/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The rows of a table that are shown: the largest ones, in an order that is always the same. */
#include <stdlib.h>

#include "internal.h"

#define MAX_CUT 100 /* rows, up to which a limit is applied before rows are built */

uint64_t sm_table_least(const struct sm_table *table)
{
	const struct sm_profile *profile = table->profile;
	size_t limit = table->opts.limit, n = 0;
	uint64_t best[MAX_CUT + 1];

	if (!limit || limit > MAX_CUT || profile->nrows <= limit)
		return 0;
	for (size_t i = 0; i < profile->nrows; i++) {
		uint64_t value = profile->rows[i].m[table->opts.by];
		size_t at;

		/* Sorted, largest first. */
		if (!sm_table_takes(table, i) || (n == limit && value <= best[n - 1]))
			continue;
		for (at = n < limit ? n++ : n - 1; at > 0 && best[at - 1] < value; at--)
			best[at] = best[at - 1];
		best[at] = value;
	}
	return n == limit ? best[limit - 1] : 0;
}

/* Order of the report: by value, then by what makes it the same every time. */
static int compare(const struct sm_table *table, const struct work_row *a, const struct work_row *b)
{
	static const enum sm_metric TIES[] = {
		SM_M_BYTES, SM_M_COUNT, SM_M_LIVE_BYTES, SM_M_REF_COUNT};
	enum sm_metric by = table->opts.by;

	if (a->m[by] != b->m[by])
		return a->m[by] > b->m[by] ? -1 : 1;
	if (a->cumulative != b->cumulative)
		return a->cumulative > b->cumulative ? -1 : 1;
	for (size_t i = 0; i < SM_ARRAY_SIZE(TIES); i++)
		if (a->m[TIES[i]] != b->m[TIES[i]])
			return a->m[TIES[i]] > b->m[TIES[i]] ? -1 : 1;
	if (a->label || b->label)
		return !a->label ? -1 : !b->label ? 1 : strcmp(a->label, b->label);
	return sm_ips_compare(a->ips, a->depth, b->ips, b->depth);
}

static int compare_work(const void *a, const void *b, void *table)
{
	return compare(
		table, *(const struct work_row *const *)a, *(const struct work_row *const *)b);
}

/* Restores the heap whose root is the row that comes last. */
static void sift_down(
	const struct sm_table *table, const struct work_row **heap, size_t n, size_t i)
{
	for (;;) {
		size_t last = i;
		const struct work_row *swap;

		for (size_t k = 2 * i + 1; k < 2 * i + 3 && k < n; k++)
			if (compare(table, heap[k], heap[last]) > 0)
				last = k;
		if (last == i)
			return;
		swap = heap[i];
		heap[i] = heap[last];
		heap[last] = swap;
		i = last;
	}
}

static bool worth_a_row(const struct sm_table *table, const struct work_row *w)
{
	/* A row that doesn't have the metric at all isn't an answer to --by. */
	return table->opts.every_row || w->m[table->opts.by] != 0 || w->cumulative != 0;
}

static bool is_unsorted(const struct sm_table *table)
{
	return table->opts.unsorted && !table->opts.limit;
}

bool sm_table_select(struct sm_table *table)
{
	struct sm_table_private *p = table->priv;
	size_t limit = table->opts.limit ? table->opts.limit : p->nwork, n = 0;
	size_t worth = p->left_out;
	const struct work_row **top;

	if (limit > p->nwork)
		limit = p->nwork;
	top = malloc((limit + 1) * sizeof(struct work_row *));
	table->rows = calloc(limit + 1, sizeof(*table->rows));
	p->first = malloc((limit + 1) * sizeof(*p->first));
	if (!top || !table->rows || !p->first) {
		free(top);
		return false;
	}
	for (size_t i = 0; i < p->nwork; i++) {
		if (!worth_a_row(table, &p->work[i]))
			continue;
		worth++;
		if (n < limit) {
			top[n++] = &p->work[i];
			if (n == limit && limit < p->nwork)
				for (size_t k = n / 2; k-- > 0;)
					sift_down(table, top, n, k);
		} else if (compare(table, &p->work[i], top[0]) < 0) {
			top[0] = &p->work[i];
			sift_down(table, top, n, 0);
		}
	}
	if (n && !is_unsorted(table))
		qsort_r(top, n, sizeof(struct work_row *), compare_work, table);
	table->hidden_rows = worth - n;
	table->hidden_value = table->opts.by < SM_M_ADDITIVE ? table->totals[table->opts.by] : 0;
	for (size_t i = 0; i < n; i++) {
		struct sm_table_row *row = &table->rows[table->nrows];

		p->first[table->nrows++] = top[i]->first;
		memcpy(row->m, top[i]->m, sizeof(row->m));
		row->cumulative = top[i]->cumulative;
		row->label = top[i]->label;
		row->ips = top[i]->ips;
		row->depth = top[i]->depth;
		row->call_site = top[i]->call_site;
		if (table->opts.by < SM_M_ADDITIVE)
			table->hidden_value -= row->m[table->opts.by];
		row->profile_row = top[i]->first == NO_ROW ? SIZE_MAX : top[i]->first;
	}
	free(top);
	return true;
}

static int compare_ids(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return x < y ? -1 : x > y;
}

static bool add_id(struct sm_table_row *row, size_t *cap, uint32_t **ids, uint32_t id)
{
	if (!sm_grow(ids, cap, row->nstack_ids + 1, sizeof(**ids)))
		return false;
	(*ids)[row->nstack_ids++] = id;
	return true;
}

static bool add_unresolved(
	const struct sm_trace *trace, struct sm_table_row *row, size_t *cap, uint32_t **ids)
{
	for (uint32_t id = 0; trace->unresolved && id < SM_MAP_MAX_IDS; id++)
		if (trace->unresolved[id / 64] & (UINT64_C(1) << id % 64))
			if (!add_id(row, cap, ids, id))
				return false;
	return true;
}

bool sm_table_add_ids(struct sm_table *table)
{
	const struct sm_trace *trace = table->profile->trace;
	const struct sm_profile *profile = table->profile;
	size_t nstacks = sm_stacks_count(trace->stacks), *caps;
	uint32_t *row_of, **ids;
	bool ok;

	if (is_unsorted(table)) {
		for (size_t r = 0; r < table->nrows; r++)
			table->rows[r].nstack_ids = 0;
		return true;
	}
	row_of = malloc((nstacks + 1) * sizeof(*row_of));
	ids = calloc(table->nrows + 1, sizeof(*ids));
	caps = calloc(table->nrows + 1, sizeof(*caps));
	ok = row_of && ids && caps;
	for (size_t i = 0; ok && i < nstacks; i++)
		row_of[i] = NO_ROW;
	for (uint32_t r = 0; r < table->nrows; r++) {
		struct sm_table_row *row = &table->rows[r];
		uint32_t at = table->priv->first[r];

		if (!ok || table->opts.group != SM_GROUP_STACK)
			continue;
		for (; at != NO_ROW; at = table->priv->chain[at]) {
			uint32_t stack = profile->rows[at].stack;

			if (stack < SM_STACK_MAX)
				row_of[stack] = r;
			else if (stack == SM_STACK_UNRESOLVED)
				ok &= add_unresolved(trace, row, &caps[r], &ids[r]);
		}
	}
	for (size_t i = 0; ok && trace->map && i < trace->map->n; i++) {
		uint32_t r = row_of[trace->map_stacks[i]];

		if (r != NO_ROW)
			ok = add_id(&table->rows[r], &caps[r], &ids[r], trace->map->records[i].id);
	}
	for (size_t r = 0; ids && r < table->nrows; r++) {
		if (ids[r])
			qsort(ids[r], table->rows[r].nstack_ids, sizeof(**ids), compare_ids);
		table->rows[r].stack_ids = ids[r];
	}
	free(row_of);
	free(ids);
	free(caps);
	return ok;
}

void sm_table_rows_of(const struct sm_table *table, uint32_t *rows)
{
	for (size_t i = 0; i < table->profile->nrows; i++)
		rows[i] = NO_ROW;
	for (uint32_t r = 0; r < table->nrows; r++)
		for (uint32_t i = table->priv->first[r]; i != NO_ROW; i = table->priv->chain[i])
			rows[i] = r;
}
