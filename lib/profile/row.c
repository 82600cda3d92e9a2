/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Rows while they are counted: found by stack alone, or by stack and attribute. */
#include <stdlib.h>

#include "internal.h"

static uint32_t new_row(struct row_table *t, uint32_t stack, uint32_t attr)
{
	struct count_row *row;

	if (t->n >= ROW_NONE - 1 || !sm_grow(&t->rows, &t->cap, t->n + 1, sizeof(*t->rows)))
		return ROW_NONE;
	row = &t->rows[t->n];
	memset(row, 0, sizeof(*row));
	row->stack = stack;
	row->attr = attr;
	return (uint32_t)t->n++;
}

uint32_t sm_rows_by_stack(struct row_table *t, uint32_t stack)
{
	/* SM_STACK_UNRESOLVED and SM_STACK_NONE wrap around to 0 and 1. */
	uint32_t at = stack + 2;
	uint32_t row;

	if (at >= t->of_stack_n) {
		size_t n = t->of_stack_n;

		if (!sm_grow(&t->of_stack, &t->of_stack_n, (size_t)at + 1, sizeof(*t->of_stack)))
			return ROW_NONE;
		for (; n < t->of_stack_n; n++)
			t->of_stack[n] = ROW_NONE;
	}
	row = t->of_stack[at];
	if (row == ROW_NONE)
		row = t->of_stack[at] = new_row(t, stack, 0);
	return row;
}

static size_t home_of(uint32_t stack, uint32_t attr, size_t nslots)
{
	uint64_t key = (uint64_t)stack << 32 | attr;

	return (size_t)((key * UINT64_C(0x9e3779b97f4a7c15)) >> 20) & (nslots - 1);
}

static bool grow_slots(struct row_table *t)
{
	size_t nslots = t->nslots ? t->nslots * 2 : 1024;
	uint32_t *slots = calloc(nslots, sizeof(*slots));

	if (!slots)
		return false;
	for (size_t r = 0; r < t->n; r++) {
		size_t i = home_of(t->rows[r].stack, t->rows[r].attr, nslots);

		while (slots[i])
			i = (i + 1) & (nslots - 1);
		slots[i] = (uint32_t)r + 1;
	}
	free(t->slots);
	t->slots = slots;
	t->nslots = nslots;
	return true;
}

uint32_t sm_rows_by_pair(struct row_table *t, uint32_t stack, uint32_t attr)
{
	uint32_t row;
	size_t i;

	if (t->n * 2 >= t->nslots && !grow_slots(t))
		return ROW_NONE;
	for (i = home_of(stack, attr, t->nslots); t->slots[i]; i = (i + 1) & (t->nslots - 1)) {
		const struct count_row *r = &t->rows[t->slots[i] - 1];

		if (r->stack == stack && r->attr == attr)
			return t->slots[i] - 1;
	}
	row = new_row(t, stack, attr);
	if (row != ROW_NONE)
		t->slots[i] = row + 1;
	return row;
}

struct sm_error *sm_rows_finish(struct sm_profile *p, uint64_t epoch)
{
	const struct row_table *t = &p->priv->rows;

	p->rows = malloc((t->n + 1) * sizeof(*p->rows));
	if (!p->rows)
		return sm_error_nomem();
	for (size_t i = 0; i < t->n; i++) {
		const struct count_row *from = &t->rows[i];
		struct sm_row row = {.stack = from->stack, .attr = from->attr};
		uint64_t any = 0;

		row.m[SM_M_COUNT] = from->count;
		row.m[SM_M_BYTES] = from->bytes;
		row.m[SM_M_BYTES_REQ] = from->req;
		row.m[SM_M_WASTE] = from->bytes > from->req ? from->bytes - from->req : 0;
		row.m[SM_M_LIVE_BYTES] = from->live_bytes;
		row.m[SM_M_LIVE_COUNT] = from->live_count;
		row.m[SM_M_PEAK_BYTES] = from->epoch == epoch ? from->peak : from->live_bytes;
		row.m[SM_M_FREES] = from->frees;
		row.m[SM_M_REF_COUNT] = from->ref_count;
		for (unsigned k = 0; k < SM_M_NR; k++) {
			p->totals[k] += row.m[k];
			any |= row.m[k];
		}
		if (p->priv->row_of)
			p->priv->row_of[i] = any ? (uint32_t)p->nrows : ROW_NONE;
		if (any)
			p->rows[p->nrows++] = row;
	}
	return NULL;
}

struct sm_error *sm_rows_of_map(struct sm_profile *p)
{
	const struct sm_trace *trace = p->trace;
	const struct sm_map *map = trace->map;
	size_t n = sm_stacks_count(trace->stacks), kept = 0;
	struct sm_row *rows = calloc(n + 1, sizeof(*rows));

	if (!rows)
		return sm_error_nomem();
	sm_huge_hint(rows, (n + 1) * sizeof(*rows));
	for (size_t i = 0; i < map->n; i++)
		rows[trace->map_stacks[i]].m[SM_M_REF_COUNT] += map->records[i].ref_count;
	for (size_t i = 0; i < n; i++) {
		if (!rows[i].m[SM_M_REF_COUNT])
			continue;
		rows[kept] = rows[i];
		rows[kept++].stack = (uint32_t)i;
		p->totals[SM_M_REF_COUNT] += rows[i].m[SM_M_REF_COUNT];
	}
	p->rows = rows;
	p->nrows = kept;
	return NULL;
}

void sm_rows_restart(struct row_table *t, uint64_t epoch)
{
	for (size_t i = 0; i < t->n; i++)
		t->rows[i] = (struct count_row){
			.stack = t->rows[i].stack, .attr = t->rows[i].attr, .epoch = epoch};
}

void sm_rows_release(struct row_table *t)
{
	free(t->rows);
	free(t->of_stack);
	free(t->slots);
	memset(t, 0, sizeof(*t));
}
