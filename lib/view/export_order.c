/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Rows of a profile one by one, in an order that is always the same. */
#include <stdlib.h>

#include "export.h"

struct order {
	const struct sm_profile *profile;
	enum sm_metric by;
};

static int compare_stacks(const struct sm_profile *p, uint32_t a, uint32_t b)
{
	struct sm_stack x, y;

	if (a == b)
		return 0;
	if (a >= SM_STACK_MAX || b >= SM_STACK_MAX)
		return a < b ? -1 : 1;
	x = sm_stacks_get(p->trace->stacks, a);
	y = sm_stacks_get(p->trace->stacks, b);
	return sm_ips_compare(x.ips, x.depth, y.ips, y.depth);
}

static int compare(const void *a, const void *b, void *order)
{
	const struct order *o = order;
	const struct sm_row *x = &o->profile->rows[*(const uint32_t *)a];
	const struct sm_row *y = &o->profile->rows[*(const uint32_t *)b];
	int c;

	if (x->m[o->by] != y->m[o->by])
		return x->m[o->by] > y->m[o->by] ? -1 : 1;
	c = compare_stacks(o->profile, x->stack, y->stack);
	for (unsigned k = SM_ATTR_NONE + 1; !c && x->attr != y->attr && k < SM_ATTR_NR; k++) {
		const char *s = sm_profile_value(o->profile, x->attr, (enum sm_attr)k);
		const char *t = sm_profile_value(o->profile, y->attr, (enum sm_attr)k);

		c = strcmp(s ? s : "", t ? t : "");
	}
	return c;
}

uint32_t *export_row_order(const struct sm_profile *profile, enum sm_metric by)
{
	struct order o = {profile, by};
	uint32_t *rows = malloc((profile->nrows + 1) * sizeof(*rows));

	if (!rows)
		return NULL;
	for (size_t i = 0; i < profile->nrows; i++)
		rows[i] = (uint32_t)i;
	if (profile->nrows)
		qsort_r(rows, profile->nrows, sizeof(*rows), compare, &o);
	return rows;
}

static int compare_ids(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return x < y ? -1 : x > y;
}

bool export_ids_init(struct export_ids *t, const struct sm_trace *trace)
{
	size_t nstacks = sm_stacks_count(trace->stacks), n = trace->map ? trace->map->n : 0;

	t->first = calloc(nstacks + 2, sizeof(*t->first));
	t->ids = malloc((n + 1) * sizeof(*t->ids));
	if (!t->first || !t->ids)
		return false;
	/* Counted two places on, so that filling moves each to where its stack begins. */
	for (size_t i = 0; i < n; i++)
		if (trace->map_stacks[i] < nstacks)
			t->first[trace->map_stacks[i] + 2]++;
	for (size_t s = 2; s < nstacks + 2; s++)
		t->first[s] += t->first[s - 1];
	for (size_t i = 0; i < n; i++)
		if (trace->map_stacks[i] < nstacks)
			t->ids[t->first[trace->map_stacks[i] + 1]++] = trace->map->records[i].id;
	for (size_t s = 0; s < nstacks; s++)
		if (t->first[s + 1] - t->first[s] > 1)
			qsort(t->ids + t->first[s], t->first[s + 1] - t->first[s], sizeof(*t->ids),
				compare_ids);
	return true;
}

void export_ids_release(struct export_ids *t)
{
	free(t->first);
	free(t->ids);
}
