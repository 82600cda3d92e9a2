/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Code maps of a test's own making, and indexes of them in a scratch directory's "cache". */
#ifndef UNIT_MADE_MAP_H
#define UNIT_MADE_MAP_H

#include "lib/symbol/index_layout.h"
#include "scratch.h"

#define ID "0123456789abcdef"
#define BASE UINT64_C(0xffffffff81000000)
#define STEP 16 /* bytes of a segment */

/* Segment i begins at BASE + i * STEP, has the line `seed` + i, and lies in scope i / 2 % nscopes;
 * scope N has the name "sN-SEED" and, but for each fourth, the parent N - 1. */
struct made {
	struct code_map map;
	struct code_segment *segments;
	struct code_scope *scopes;
	struct sm_buf strings;
};

void made_make(struct made *m, size_t nsegments, size_t nscopes, unsigned seed);
void made_release(struct made *m);
/* Whether `map` says of each segment what `want` does, or nothing; how often it did the former. */
bool made_agrees(const struct code_map *map, const struct code_map *want, size_t *found);

/* In one static buffer each. */
const char *made_dir(const struct scratch *s);
const char *made_path(const struct scratch *s, const char *id);
void made_write(const struct scratch *s, const char *id, const struct made *m);
/* NULL = there is none. */
struct index *made_open(const struct scratch *s, const char *id);

#endif
