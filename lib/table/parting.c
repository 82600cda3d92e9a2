/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where stacks part: a quicksort by the frame at one level, of stacks that are the same up to
 * there. Who is alone then parts there; those that have the same frame go on at the next level.
 */
#include <stdlib.h>

#include "internal.h"

struct parting {
	const uint64_t *ips;
	uint64_t key; /* the frame at the level that is sorted by */
	uint32_t depth;
	uint32_t row;
};

struct partings {
	uint32_t *frame; /* by row */
	uint64_t random;
};

/* A pivot that no input can foresee to be bad is cheap. */
static uint64_t next_pivot(struct partings *all, size_t n)
{
	all->random ^= all->random << 13;
	all->random ^= all->random >> 7;
	all->random ^= all->random << 17;
	return all->random % n;
}

static void swap(struct parting *a, struct parting *b)
{
	struct parting c = *a;

	*a = *b;
	*b = c;
}

/* Stacks that are the same in their first `level` frames: those that end there lead no further, and
 * are at the end then. Returns the number of the others, whose keys are set. */
static size_t take_level(struct partings *all, struct parting *p, size_t n, uint32_t level)
{
	for (size_t i = 0; i < n;) {
		if (p[i].depth > level) {
			p[i].key = p[i].ips[level];
			i++;
			continue;
		}
		all->frame[p[i].row] = level ? level - 1 : 0;
		swap(&p[i], &p[--n]);
	}
	return n;
}

/* Stacks that share their first `level` frames; `keyed`: their keys at that level are set. The
 * largest part is left to the loop, so that recursion is no deeper than the logarithm of n. */
static void divide(struct partings *all, struct parting *p, size_t n, uint32_t level, bool keyed)
{
	for (;;) {
		struct {
			struct parting *p;
			size_t n;
			uint32_t level;
		} parts[3];
		size_t less = 0, more, largest = 0;
		uint64_t pivot;

		if (n > 1 && !keyed)
			n = take_level(all, p, n, level);
		if (n == 1)
			all->frame[p->row] = level;
		if (n < 2)
			return;
		pivot = p[next_pivot(all, n)].key;
		more = n;
		for (size_t i = 0; i < more;) {
			if (p[i].key == pivot)
				i++;
			else if (p[i].key < pivot)
				swap(&p[i++], &p[less++]);
			else
				swap(&p[i], &p[--more]);
		}
		parts[0].p = p;
		parts[0].n = less;
		parts[1].p = p + less;
		parts[1].n = more - less;
		parts[2].p = p + more;
		parts[2].n = n - more;
		parts[0].level = parts[2].level = level;
		/* Whose frame nobody else has parts here. */
		parts[1].level = level + (parts[1].n > 1);
		for (size_t k = 1; k < 3; k++)
			if (parts[k].n > parts[largest].n)
				largest = k;
		for (size_t k = 0; k < 3; k++)
			if (k != largest)
				divide(all, parts[k].p, parts[k].n, parts[k].level, k != 1);
		p = parts[largest].p;
		n = parts[largest].n;
		level = parts[largest].level;
		keyed = largest != 1;
	}
}

struct sm_error *sm_table_tell_apart(const struct sm_table *table, uint32_t *frame)
{
	struct partings all = {.frame = frame, .random = UINT64_C(0x9e3779b97f4a7c15)};
	struct parting *p = malloc((table->nrows + 1) * sizeof(*p));

	if (!p)
		return sm_error_nomem();
	sm_huge_hint(p, (table->nrows + 1) * sizeof(*p));
	for (size_t i = 0; i < table->nrows; i++)
		p[i] = (struct parting){.ips = table->rows[i].ips,
			.depth = table->rows[i].depth,
			.row = (uint32_t)i};
	divide(&all, p, table->nrows, 0, false);
	free(p);
	return NULL;
}
