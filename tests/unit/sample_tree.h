/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef UNIT_SAMPLE_TREE_H
#define UNIT_SAMPLE_TREE_H

#include "lookup.h"

/*
 * Two units. alloc() has a part elsewhere; helper() is inlined into it, and deep() of the other
 * unit into that, both through lexical blocks. free_one() has lines for its first half, between it
 * and other() lies code that has lines and no function. `text` has 0xa0 bytes of it, `cold` 0x10.
 */
void sample_tree_write(struct dw *d, const struct ew_section *text, const struct ew_section *cold);

#endif
