/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "name_index.h"

#include <stdlib.h>

struct name_index {
	const struct kallsyms *k;
	uint32_t *slots; /* open addressing by name: index + 1 of the last one of that name */
	size_t nslots;
	uint32_t *next; /* the one before of the same name: index + 1 */
};

static uint32_t name_of(const struct kallsyms *k, size_t i)
{
	return i < k->n ? k->syms[i].name : k->mods[i - k->n].name;
}

/* Where that name is, or would be. */
static size_t slot_of(const struct name_index *x, const char *name)
{
	size_t slot = sm_hash(name, strlen(name), 0) & (x->nslots - 1);

	while (x->slots[slot] && strcmp(x->k->names + name_of(x->k, x->slots[slot] - 1), name))
		slot = (slot + 1) & (x->nslots - 1);
	return slot;
}

struct name_index *sm_name_index_new(const struct kallsyms *k)
{
	struct name_index *x = calloc(1, sizeof(*x));
	size_t n = k->n + k->nmods;

	if (!x)
		return NULL;
	x->k = k;
	for (x->nslots = 64; x->nslots < n * 2; x->nslots *= 2)
		;
	x->slots = calloc(x->nslots, sizeof(*x->slots));
	x->next = calloc(n + 1, sizeof(*x->next));
	if (!x->slots || !x->next) {
		sm_name_index_free(x);
		return NULL;
	}
	for (size_t i = 0; i < n; i++) {
		uint32_t at = name_of(k, i);
		size_t slot;

		if (at == NAME_CUT)
			continue;
		slot = slot_of(x, k->names + at);
		x->next[i] = x->slots[slot];
		x->slots[slot] = (uint32_t)i + 1;
	}
	return x;
}

void sm_name_index_free(struct name_index *x)
{
	if (!x)
		return;
	free(x->slots);
	free(x->next);
	free(x);
}

size_t sm_name_index_find(const struct name_index *x, const char *name, uint32_t *found, size_t max)
{
	size_t n = 0;

	for (uint32_t i = x->slots[slot_of(x, name)]; i; i = x->next[i - 1]) {
		if (n < max)
			found[n] = i - 1;
		n++;
	}
	return n;
}
