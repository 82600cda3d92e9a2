/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Several attributes at once: each distinct tuple of their values once. */
#include <stdlib.h>

#include "internal.h"

void sm_attr_set_init(struct attr_set *set, enum sm_attr attr, uint32_t attrs)
{
	memset(set, 0, sizeof(*set));
	attrs = sm_attr_set_bits(attr, attrs);
	for (unsigned a = SM_ATTR_NONE + 1; a < SM_ATTR_NR; a++) {
		if (!(attrs & (1u << a)))
			continue;
		if (a == (unsigned)attr)
			set->main = set->n;
		set->columns[set->n++].attr = (enum sm_attr)a;
	}
}

static uint64_t hash_of(const uint32_t *tuple, unsigned n)
{
	return sm_hash(tuple, n * sizeof(*tuple), n);
}

static bool grow(struct attr_set *set)
{
	size_t nslots = set->nslots ? set->nslots * 2 : 256;
	uint32_t *slots = calloc(nslots, sizeof(*slots));

	if (!slots)
		return false;
	for (size_t t = 0; t < set->ntuples; t++) {
		size_t i = hash_of(&set->tuples[t * set->n], set->n) & (nslots - 1);

		while (slots[i])
			i = (i + 1) & (nslots - 1);
		slots[i] = (uint32_t)t + 1;
	}
	free(set->slots);
	set->slots = slots;
	set->nslots = nslots;
	return true;
}

static bool same(const struct attr_set *set, size_t t, const uint32_t *tuple)
{
	return memcmp(&set->tuples[t * set->n], tuple, set->n * sizeof(*tuple)) == 0;
}

uint32_t sm_attr_set_of(
	struct attr_set *set, const struct sm_trace *trace, const struct sm_event *ev)
{
	uint32_t tuple[SM_ATTR_NR];
	size_t i;

	if (!set->n)
		return 0;
	for (unsigned k = 0; k < set->n; k++) {
		tuple[k] = sm_attr_of(&set->columns[k], trace, ev);
		if (tuple[k] == UINT32_MAX)
			return UINT32_MAX;
	}
	if (set->n == 1)
		return tuple[0];
	if (set->ntuples && same(set, set->last, tuple))
		return set->last;
	if (set->ntuples * 2 >= set->nslots && !grow(set))
		return UINT32_MAX;
	for (i = hash_of(tuple, set->n) & (set->nslots - 1); set->slots[i];
		i = (i + 1) & (set->nslots - 1)) {
		if (!same(set, set->slots[i] - 1, tuple))
			continue;
		set->last = set->slots[i] - 1;
		return set->last;
	}
	if (set->ntuples == UINT32_MAX - 1 ||
		!sm_grow(
			&set->tuples, &set->cap, (set->ntuples + 1) * set->n, sizeof(*set->tuples)))
		return UINT32_MAX;
	memcpy(&set->tuples[set->ntuples * set->n], tuple, set->n * sizeof(*tuple));
	set->last = (uint32_t)set->ntuples++;
	set->slots[i] = set->last + 1;
	return set->last;
}

const char *sm_attr_set_value(const struct attr_set *set, uint32_t row_attr, unsigned column)
{
	uint32_t label = row_attr;

	if (column >= set->n)
		return NULL;
	if (set->n > 1) {
		if (row_attr >= set->ntuples)
			return NULL;
		label = set->tuples[(size_t)row_attr * set->n + column];
	}
	return sm_strings_get(&set->columns[column].labels, label);
}

bool sm_attr_set_copy(struct attr_set *to, const struct attr_set *from)
{
	size_t bytes = from->ntuples * from->n * sizeof(*from->tuples);
	bool ok = true;

	memset(to, 0, sizeof(*to));
	to->n = from->n;
	to->main = from->main;
	for (unsigned k = 0; k < from->n; k++) {
		const struct sm_strings *labels = &from->columns[k].labels;

		to->columns[k].attr = from->columns[k].attr;
		for (size_t i = 0; i < labels->n && ok; i++)
			ok = sm_strings_add(&to->columns[k].labels, labels->items[i].data,
				     labels->items[i].len) == i;
	}
	if (!bytes || !ok)
		return ok;
	to->tuples = malloc(bytes);
	if (!to->tuples)
		return false;
	memcpy(to->tuples, from->tuples, bytes);
	to->ntuples = from->ntuples;
	return true;
}

void sm_attr_set_release(struct attr_set *set)
{
	for (unsigned k = 0; k < set->n; k++)
		sm_attr_release(&set->columns[k]);
	free(set->tuples);
	free(set->slots);
	memset(set, 0, sizeof(*set));
}

void sm_profile_label(const struct sm_profile *profile, uint32_t attr, struct sm_buf *buf)
{
	const struct attr_set *set = &profile->priv->attrs;
	const char *s = sm_attr_set_value(set, attr, set->main);

	if (s && profile->attr != SM_ATTR_NONE)
		sm_buf_adds(buf, s);
}

const char *sm_profile_value(const struct sm_profile *profile, uint32_t attr, enum sm_attr which)
{
	const struct attr_set *set = &profile->priv->attrs;

	for (unsigned k = 0; k < set->n; k++)
		if (set->columns[k].attr == which)
			return sm_attr_set_value(set, attr, k);
	return NULL;
}
