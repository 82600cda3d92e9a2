/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the files of the call tree share. */
#ifndef SM_TABLE_CALL_TREE_H
#define SM_TABLE_CALL_TREE_H

#include <smtool/tree.h>

#include "frame_number.h"

/* What rows without frames are called: sm_stack_label(). */
#define MAX_LABELS 3

/* A table's row. */
struct path {
	const uint64_t *ips; /* of the first level; or one of the tree's labels */
	uint64_t value;
	uint32_t n;     /* levels */
	uint32_t child; /* while its node is opened: 0 = it ends there */
};

enum { NOW, OLD, SIDES };

struct sm_tree {
	const struct sm_table *tables[SIDES]; /* borrowed; the base's may be NULL */
	struct function_names names;
	struct frame_numbers numbers[SIDES];
	struct path *paths[SIDES];
	uint64_t labels[MAX_LABELS]; /* function numbers of rows without frames */
	size_t nlabels;
	ptrdiff_t step; /* from one level's frame to the next one's */
	double scale;
	struct sm_tree_node root;
	struct sm_arena arena; /* of children */
	/* While a node is opened; of_number is NONE otherwise. */
	uint32_t *of_number; /* by function number: child */
	size_t nnumbers;
	struct sm_tree_node *made;
	size_t nmade, made_cap;
	size_t *next; /* by child, where its range is filled */
	size_t next_cap;
};

/* The path is one of the tree's labels. */
static inline bool is_label(const struct sm_tree *t, const struct path *p)
{
	return (uintptr_t)p->ips - (uintptr_t)t->labels < sizeof(t->labels);
}

/* A sum of the base, as it is shown. */
uint64_t sm_tree_scaled(const struct sm_tree *t, uint64_t raw);

#endif
