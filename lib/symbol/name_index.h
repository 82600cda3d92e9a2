/* SPDX-License-Identifier: GPL-2.0-or-later */
/* From names to symbols: kallsyms is in the order of addresses. */
#ifndef SMTOOL_SYMBOL_NAME_INDEX_H
#define SMTOOL_SYMBOL_NAME_INDEX_H

#include "internal.h"

struct name_index;

/* Of `k`, which must stay as it is while the index is used. NULL when memory is short. */
struct name_index *sm_name_index_new(const struct kallsyms *k);
void sm_name_index_free(struct name_index *x);
/* Finds the symbols of that name: an index below k->n is one of k->syms, another, less k->n, one of
 * k->mods. Writes at most `max`, returns how many there are. */
size_t sm_name_index_find(
	const struct name_index *x, const char *name, uint32_t *found, size_t max);

#endif
