/* SPDX-License-Identifier: GPL-2.0-or-later */
/* tree_rows: what is open of a forest, as rows. The interface's. */
#ifndef SMTOOL_TUI_TREE_ROWS_H
#define SMTOOL_TUI_TREE_ROWS_H

#include "forest_job.h"

struct tree_row {
	struct sm_tree_node *node;
	uint32_t indent; /* forks above it */
};

struct tree_rows {
	struct tree_row *items;
	size_t n, cap;
	struct nodes open; /* all that are, also below what is closed */
};

/* False when memory is short, as below: rows are missing then. */
bool tree_rows_make(struct tree_rows *r, const struct forest *f);
/* Marks what a job says, and drops what was of another forest. */
bool tree_rows_take(struct tree_rows *r, const struct forest_job *j);
/* Opens it, and what is alone below it; returns what isn't loaded yet, which a job must open, or
 * NULL. */
struct sm_tree_node *tree_rows_open(struct tree_rows *r, struct sm_tree_node *n);
void tree_rows_close(struct tree_rows *r, struct sm_tree_node *n);
/* That and all below it. */
void tree_rows_close_all(struct tree_rows *r, struct sm_tree_node *n);
/* The row that shows it, or what it is in. */
size_t tree_rows_find(const struct tree_rows *r, const struct sm_tree_node *n);
void tree_rows_release(struct tree_rows *r);

/* It is the function in the middle, of which `f` has callers and callees. */
static inline bool node_is_middle(const struct forest *f, const struct sm_tree_node *n)
{
	return f->plan.n > 1 && n == f->roots[1];
}

#endif
