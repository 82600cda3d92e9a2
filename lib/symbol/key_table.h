/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Pairs of numbers (offsets, pointers, ids) to ids: what the builder of code maps remembers. */
#ifndef SMTOOL_SYMBOL_KEY_TABLE_H
#define SMTOOL_SYMBOL_KEY_TABLE_H

#include <smtool/base.h>

/* Zero-initialise to start. */
struct key_table {
	struct key_slot {
		uint64_t a, b;
		uint32_t value;
		uint32_t epoch; /* 0 = was never used */
	} * slots;
	size_t nslots;
	size_t used, n; /* of this epoch: slots (a power of 2), keys */
	uint32_t epoch;
	uint64_t seed;
};

/* Forgets everything, in no time, and makes room for so many keys: for few, few slots are used,
 * even if there are many. */
bool sm_key_table_reset(struct key_table *t, size_t expected) SM_MUST_CHECK;
void sm_key_table_release(struct key_table *t);
/* Makes room for one more; false when memory is short. */
bool sm_key_table_grow(struct key_table *t) SM_MUST_CHECK;

static inline uint64_t key_hash(const struct key_table *t, uint64_t a, uint64_t b)
{
	unsigned __int128 m = (unsigned __int128)(a ^ t->seed ^ UINT64_C(0x9e3779b97f4a7c15)) *
			      (b ^ t->seed ^ UINT64_C(0xd1b54a32d192ed03));

	return (uint64_t)m ^ (uint64_t)(m >> 64);
}

/* The slot of a key; *found tells whether it is there. Where it isn't, the caller may write `value`
 * at once, and it is. NULL when memory is short. */
static inline uint32_t *key_table_slot(struct key_table *t, uint64_t a, uint64_t b, bool *found)
{
	size_t i;

	if (t->n >= t->used / 2 && !sm_key_table_grow(t))
		return NULL;
	for (i = key_hash(t, a, b) & (t->used - 1); t->slots[i].epoch == t->epoch;
		i = (i + 1) & (t->used - 1)) {
		if (t->slots[i].a == a && t->slots[i].b == b) {
			*found = true;
			return &t->slots[i].value;
		}
	}
	*found = false;
	t->slots[i] = (struct key_slot){a, b, 0, t->epoch};
	t->n++;
	return &t->slots[i].value;
}

#endif
