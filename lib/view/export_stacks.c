/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdlib.h>

#include "export.h"

static struct sm_error *check_side(const struct sm_profile *p, enum sm_metric by)
{
	struct sm_buf keys = {0};
	struct sm_error *err;

	if (by < SM_M_ADDITIVE && p->known & (1u << by))
		return NULL;
	sm_metric_list(p->known & ((1u << SM_M_ADDITIVE) - 1), &keys);
	err = sm_error_new(SM_E_USAGE, sm_source_path(p->trace->src),
		"nothing to export by that key",
		"'%s' isn't known of this input as a sum; known are: %s", sm_metric_name(by),
		keys.data ? keys.data : "none");
	sm_buf_release(&keys);
	return err;
}

struct sm_error *export_check_metric(const struct sm_export *x)
{
	struct sm_error *err = check_side(x->now.profile, x->opts->by);

	if (!err && x->base.profile)
		err = check_side(x->base.profile, x->opts->by);
	return err;
}

static uint64_t hash_of(const uint32_t *ids, uint32_t n)
{
	return sm_hash(ids, n * sizeof(*ids), n);
}

static bool grow_slots(struct export_stacks *s)
{
	size_t nslots = s->nslots ? s->nslots * 2 : 1024;
	uint32_t *slots = calloc(nslots, sizeof(*slots));

	if (!slots)
		return false;
	for (size_t k = 0; k < s->n; k++) {
		const struct export_stack *e = &s->items[k];
		size_t i = hash_of(s->ids + e->first, e->n) & (nslots - 1);

		while (slots[i])
			i = (i + 1) & (nslots - 1);
		slots[i] = (uint32_t)k + 1;
	}
	free(s->slots);
	s->slots = slots;
	s->nslots = nslots;
	return true;
}

/* The stack whose frames are the last `n` of `ids`: taken away again where it is known already.
 * NULL when memory is short. */
static struct export_stack *find_stack(struct export_stacks *s, uint32_t n)
{
	const uint32_t *ids = s->ids + s->nids - n;
	struct export_stack *e;
	size_t i;

	if (s->n * 2 >= s->nslots && !grow_slots(s))
		return NULL;
	for (i = hash_of(ids, n) & (s->nslots - 1); s->slots[i]; i = (i + 1) & (s->nslots - 1)) {
		e = &s->items[s->slots[i] - 1];
		if (e->n == n && !memcmp(s->ids + e->first, ids, n * sizeof(*ids))) {
			s->nids -= n;
			return e;
		}
	}
	if (s->n == UINT32_MAX - 1 || !sm_grow(&s->items, &s->cap, s->n + 1, sizeof(*s->items)))
		return NULL;
	e = &s->items[s->n++];
	*e = (struct export_stack){.first = s->nids - n, .n = n};
	s->slots[i] = (uint32_t)s->n;
	return e;
}

static bool push(struct export_stacks *s, uint32_t id)
{
	if (id == SM_NO_STRING || !sm_grow(&s->ids, &s->ids_cap, s->nids + 1, sizeof(*s->ids)))
		return false;
	s->ids[s->nids++] = id;
	return true;
}

/* Appends a row's frames, root first; returns how many, 0 when memory is short. */
static uint32_t add_frames(struct export_stacks *s, unsigned side,
	const struct sm_export_side *from, const struct sm_row *row, const struct sm_trimmed *t)
{
	size_t first = s->nids;

	for (unsigned a = SM_ATTR_NONE + 1; a < SM_ATTR_NR; a++) {
		const char *text;

		if (!(s->x->root & (1u << a)))
			continue;
		text = sm_profile_value(from->profile, row->attr, (enum sm_attr)a);
		if (!push(s, export_frames_label(&s->frames, text ? text : "[unknown]")))
			return 0;
	}
	for (uint32_t i = t->depth; i-- > 0;) {
		const uint32_t *ids;
		uint32_t n = export_frames_of(&s->frames, side, from->syms, t->ips[i], &ids);

		if (!n)
			return 0;
		while (n-- > 0)
			if (!push(s, ids[n]))
				return 0;
	}
	if (!t->depth && !push(s, export_frames_label(&s->frames, sm_stack_label(row->stack))))
		return 0;
	return (uint32_t)(s->nids - first);
}

static bool worth(const struct sm_row *row, enum sm_metric by, bool all)
{
	if (!all)
		return row->m[by] != 0;
	for (unsigned m = 0; m < SM_M_ADDITIVE; m++)
		if (row->m[m])
			return true;
	return false;
}

static bool add_row(struct export_stacks *s, unsigned side, const struct sm_export_side *from,
	const struct sm_row *row, const struct sm_trimmed *t)
{
	uint32_t n = add_frames(s, side, from, row, t);
	struct export_stack *e = n ? find_stack(s, n) : NULL;

	if (!e)
		return false;
	if (side) {
		e->old += row->m[s->x->opts->by];
		return true;
	}
	for (unsigned m = 0; m < SM_M_ADDITIVE; m++) {
		e->m[m] += row->m[m];
		s->totals[m] += row->m[m];
	}
	return true;
}

static struct sm_error *add_side(
	struct export_stacks *s, unsigned side, const struct sm_export_side *from, bool all)
{
	const struct sm_profile *p = from->profile;
	struct sm_trim *trim = NULL;
	struct sm_error *err = sm_trim_new(p, from->syms, s->x->opts, &trim);

	if (!err)
		err = export_prepare(from);
	for (size_t i = 0; !err && i < p->nrows; i++) {
		struct sm_trimmed t;

		if (!worth(&p->rows[i], s->x->opts->by, all))
			continue;
		if (!sm_trim_stack(trim, p->rows[i].stack, &t) ||
			(!t.left_out && !add_row(s, side, from, &p->rows[i], &t)))
			err = sm_error_nomem();
	}
	sm_trim_free(trim);
	return err;
}

struct sm_error *export_stacks_build(
	struct export_stacks *s, const struct sm_export *x, unsigned frames_by, bool all)
{
	struct sm_error *err = export_check_metric(x);
	uint32_t *rank = NULL;

	*s = (struct export_stacks){.x = x, .frames.by = frames_by};
	if (!err)
		err = add_side(s, 0, &x->now, all);
	if (!err && x->base.profile)
		err = add_side(s, 1, &x->base, false);
	if (!err && !export_frames_sort(&s->frames, &rank))
		err = sm_error_nomem();
	for (size_t i = 0; !err && i < s->nids; i++)
		s->ids[i] = rank[s->ids[i]];
	free(rank);
	for (size_t i = 0; i < s->n; i++) {
		s->items[i].old = export_scaled(x, s->items[i].old);
		s->old_total += s->items[i].old;
	}
	return err;
}

static int compare_names(const void *a, const void *b, void *stacks)
{
	const struct export_stacks *s = stacks;
	const struct export_stack *x = a, *y = b;
	const uint32_t *p = s->ids + x->first, *q = s->ids + y->first;

	for (uint32_t i = 0; i < x->n && i < y->n; i++)
		if (p[i] != q[i])
			return p[i] < q[i] ? -1 : 1;
	return x->n < y->n ? -1 : x->n > y->n;
}

static uint64_t weight(const struct export_stacks *s, const struct export_stack *e)
{
	uint64_t now = e->m[s->x->opts->by];

	return now > e->old ? now - e->old : e->old - now;
}

static int compare_weights(const void *a, const void *b, void *stacks)
{
	uint64_t x = weight(stacks, a), y = weight(stacks, b);

	return x != y ? (x > y ? -1 : 1) : compare_names(a, b, stacks);
}

void export_stacks_sort(struct export_stacks *s, bool by_names)
{
	if (s->n)
		qsort_r(s->items, s->n, sizeof(*s->items),
			by_names ? compare_names : compare_weights, s);
}

uint32_t export_stacks_common(const struct export_stacks *s, size_t i)
{
	const uint32_t *p = s->ids + s->items[i].first, *q;
	uint32_t n = s->items[i].n, k = 0;

	if (!i)
		return 0;
	q = s->ids + s->items[i - 1].first;
	if (n > s->items[i - 1].n)
		n = s->items[i - 1].n;
	while (k < n && p[k] == q[k])
		k++;
	return k;
}

void export_stacks_release(struct export_stacks *s)
{
	export_frames_release(&s->frames);
	free(s->ids);
	free(s->items);
	free(s->slots);
}
