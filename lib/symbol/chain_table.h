/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The lines of addresses that were asked for, kept as long as the image. */
#ifndef SMTOOL_SYMBOL_CHAIN_TABLE_H
#define SMTOOL_SYMBOL_CHAIN_TABLE_H

#include <smtool/symbol.h>

struct chain {
	uint64_t addr;
	size_t n;
	struct sm_line lines[];
};

/* Zero-initialise. */
struct chain_table {
	struct chain **slots; /* open addressing */
	size_t nslots, n;
	struct sm_arena arena;
	struct sm_strings strings;
};

/* NULL where the address wasn't added. */
const struct chain *sm_chain_table_find(const struct chain_table *table, uint64_t addr);
/* Copies the lines with their strings. False when memory is short. */
bool sm_chain_table_add(
	struct chain_table *table, uint64_t addr, const struct sm_line *lines, size_t n);
void sm_chain_table_release(struct chain_table *table);

#endif
