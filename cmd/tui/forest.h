/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * forest: the call trees of a part of a reading, or of two readings that are compared, with what
 * they are made of. The worker's, but for what forest_job.h says of nodes.
 */
#ifndef SMTOOL_TUI_FOREST_H
#define SMTOOL_TUI_FOREST_H

#include <smtool/tree.h>

#include "reading.h"

#define MAX_TREES 2

/* What a forest is made for. */
struct forest_plan {
	struct reading *now, *base;  /* held; base NULL: nothing is compared */
	const struct narrow *narrow; /* held */
	enum sm_metric by;
	size_t n; /* trees: one, or callers and callees of a function */
	enum sm_tree_kind kinds[MAX_TREES];
	char *function; /* owned; NULL = of all */
	bool named;     /* symbols were there */
};
/* Shares what is shared, copies the function. False when memory is short. */
bool forest_plan_copy(struct forest_plan *to, const struct forest_plan *from);
void forest_plan_release(struct forest_plan *p);
bool forest_plan_is(const struct forest_plan *a, const struct forest_plan *b);

/* Read-only once it is made, but for its nodes. Jobs use it: it is let go of by browser_drop(). */
struct forest {
	struct forest_plan plan;
	struct sm_tree *trees[MAX_TREES];
	struct sm_tree_node *roots[MAX_TREES];
	uint64_t total, part; /* of all that was counted, and of the part; now's */
	uint64_t old_total, old_part;
	/* Private. */
	const struct sm_table *tables[2]; /* what the trees are made of: now, base */
	struct sm_table *own[2];          /* tables, where the readings' own didn't do */
};

/* `job` may cancel it. */
struct sm_error *forest_new(
	const struct forest_plan *plan, struct job *job, struct forest **forest) SM_MUST_CHECK;
void forest_free(void *forest);

/* What a node weighs: the larger of now and old. */
static inline uint64_t node_weight(const struct sm_tree_node *n)
{
	return n->now > n->old ? n->now : n->old;
}
/* The tree of the forest that a node is of. */
size_t forest_tree_of(const struct forest *f, const struct sm_tree_node *n);
/* "kmalloc", "do_work [module]": as a table's row of functions. */
void node_label(const struct sm_tree_node *n, struct sm_buf *text);

#endif
