/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "chain_table.h"

#include <stdlib.h>

static struct chain **find_slot(const struct chain_table *table, uint64_t addr)
{
	size_t mask = table->nslots - 1;
	size_t i = (size_t)sm_hash(&addr, sizeof(addr), 0) & mask;

	while (table->slots[i] && table->slots[i]->addr != addr)
		i = (i + 1) & mask;
	return &table->slots[i];
}

const struct chain *sm_chain_table_find(const struct chain_table *table, uint64_t addr)
{
	return table->nslots ? *find_slot(table, addr) : NULL;
}

static bool grow(struct chain_table *table)
{
	struct chain_table larger = {.nslots = table->nslots ? table->nslots * 2 : 64};

	larger.slots = calloc(larger.nslots, sizeof(struct chain *));
	if (!larger.slots)
		return false;
	for (size_t i = 0; i < table->nslots; i++) {
		if (table->slots[i])
			*find_slot(&larger, table->slots[i]->addr) = table->slots[i];
	}
	free(table->slots);
	table->slots = larger.slots;
	table->nslots = larger.nslots;
	return true;
}

static bool copy_string(struct chain_table *table, const char **s)
{
	uint32_t id;

	if (!*s)
		return true;
	id = sm_strings_add(&table->strings, *s, strlen(*s));
	*s = sm_strings_get(&table->strings, id);
	return *s != NULL;
}

bool sm_chain_table_add(
	struct chain_table *table, uint64_t addr, const struct sm_line *lines, size_t n)
{
	struct chain *chain, **slot;

	if (table->n >= table->nslots / 2 && !grow(table))
		return false;
	slot = find_slot(table, addr);
	if (*slot)
		return true;
	chain = sm_arena_alloc(&table->arena, sizeof(*chain) + n * sizeof(*lines));
	if (!chain)
		return false;
	chain->addr = addr;
	chain->n = n;
	for (size_t i = 0; i < n; i++) {
		chain->lines[i] = lines[i];
		if (!copy_string(table, &chain->lines[i].function) ||
			!copy_string(table, &chain->lines[i].file))
			return false;
	}
	*slot = chain;
	table->n++;
	return true;
}

void sm_chain_table_release(struct chain_table *table)
{
	free(table->slots);
	sm_arena_release(&table->arena);
	sm_strings_release(&table->strings);
	*table = (struct chain_table){0};
}
