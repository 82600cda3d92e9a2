/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "key_table.h"

#include <stdlib.h>

#define FIRST_SLOTS 256

static bool use_slots(struct key_table *t, size_t used)
{
	struct key_slot *slots = calloc(used, sizeof(*slots));

	if (!slots)
		return false;
	free(t->slots);
	t->slots = slots;
	t->nslots = t->used = used;
	t->epoch = 1;
	/* Where memory lies differs from run to run: keys from a file can't be made to collide. */
	t->seed = (uint64_t)(uintptr_t)slots * UINT64_C(0xbf58476d1ce4e5b9);
	return true;
}

bool sm_key_table_reset(struct key_table *t, size_t expected)
{
	size_t used = FIRST_SLOTS;

	t->n = 0;
	while (used / 2 <= expected && used <= SIZE_MAX / 2)
		used *= 2;
	if (used > t->nslots)
		return use_slots(t, used);
	t->used = used;
	if (++t->epoch)
		return true;
	/* Once in 2^32: old slots would be taken for new ones. */
	t->epoch = 1;
	memset(t->slots, 0, t->nslots * sizeof(*t->slots));
	return true;
}

void sm_key_table_release(struct key_table *t)
{
	free(t->slots);
	*t = (struct key_table){0};
}

bool sm_key_table_grow(struct key_table *t)
{
	struct key_table old = *t;

	t->slots = NULL;
	t->n = 0;
	if (!use_slots(t, old.used ? 2 * old.used : FIRST_SLOTS)) {
		*t = old;
		return false;
	}
	for (size_t i = 0; i < old.used; i++) {
		const struct key_slot *slot = &old.slots[i];
		bool found;

		if (slot->epoch == old.epoch)
			*key_table_slot(t, slot->a, slot->b, &found) = slot->value;
	}
	free(old.slots);
	return true;
}
