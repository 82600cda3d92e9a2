/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tree: the stacks of a table, or of two, as a tree of functions that is made as it is opened: a
 * node costs what its own stacks cost, however large the whole is. Of room table.
 */
#ifndef SMTOOL_TREE_H
#define SMTOOL_TREE_H

#include <smtool/table.h>

enum sm_tree_kind {
	SM_TREE_TOP_DOWN, /* outermost frame first */
	SM_TREE_INVERTED, /* innermost frame, which allocates, first */
	SM_TREE_CALLERS,  /* of one function: from its outermost occurrence outwards */
	SM_TREE_CALLEES,  /* of one function: from its innermost occurrence inwards */
};

/*
 * A function at one place of the tree. Of each stack that is in a node, every frame is a level,
 * also where a function calls itself; so each stack counts once in a node, and now == self_now +
 * the children's now, old == self_old + the children's old hold exactly. Frames are the same where
 * function and module are; unresolved ones where the address is. Read-only to users, but for
 * `mark`.
 */
struct sm_tree_node {
	/* As untrusted as the input; live as long as the tree. The root has the function that was
	 * asked for, else "". A row without frames is a child of the root, its label ("[no stack]")
	 * the function and "" the module. */
	const char *function;
	const char *module; /* "[kernel]", "[unknown]", or a module's name */
	uint64_t ip;        /* of one of its frames; 0 = none */
	/* Of all stacks through it, in the tables' metric. `old` is the base's, scaled: right to
	 * within 1 where `scale` isn't 1. */
	uint64_t now, old;
	uint64_t self_now, self_old; /* of those that end here */
	uint32_t depth;              /* of the root 0 */
	size_t nrows;                /* stacks through it, of both tables */
	struct sm_tree_node *parent; /* of the root NULL */
	/* Once it is opened: largest first, by the larger of `now` and `old`, then by name. */
	struct sm_tree_node *children;
	size_t nchildren;
	bool opened;
	bool leaf;     /* there is no frame beyond it: it has no children */
	uint32_t mark; /* the caller's; begins as 0 */
	/* The library's: its stacks are a range of each table's, */
	size_t first[2], count[2];
	uint64_t old_raw, old_at; /* and so much, from there on, of the base's total */
};

struct sm_tree;

/*
 * `now` and `base` are by stack, without a limit, in any order, and their metric is a sum; both
 * outlive the tree. `base` NULL: there is nothing to compare with; else its values are multiplied
 * by `scale`, at least 0. `function` is a label as of a SM_GROUP_FUNCTION row, for the last two
 * kinds, which look at the stacks with it alone; it may be a row's label as well ("[no stack]"). A
 * tree is for one thread at a time, as symbols are. Takes 24 bytes a row. Errors: SM_E_NOMEM,
 * SM_E_USAGE for other tables.
 */
struct sm_error *sm_tree_new(const struct sm_table *now, const struct sm_table *base, double scale,
	enum sm_tree_kind kind, const char *function, struct sm_tree **tree) SM_MUST_CHECK;
struct sm_tree_node *sm_tree_root(struct sm_tree *tree);
/* Makes the node's children, once. They stay where they are until the tree is freed. SM_E_NOMEM is
 * the only error: the node is then as before. */
struct sm_error *sm_tree_open(struct sm_tree *tree, struct sm_tree_node *node) SM_MUST_CHECK;
void sm_tree_free(struct sm_tree *tree);

/* The row of the largest value among the stacks of a node; NULL where there is none. *base: it is
 * of the base's table. *frame: which of its frames is the node's, 0 where it has none. Takes as
 * long as looking at each of the tables' rows once. */
const struct sm_table_row *sm_tree_heaviest(
	const struct sm_tree *tree, const struct sm_tree_node *node, bool *base, uint32_t *frame);

/* ---- looking for functions in all its stacks, opened or not ---- */

struct sm_tree_search {
	/* Asked once for each function. */
	bool (*matches)(void *ctx, const char *function, const char *module);
	void *ctx;
	/* Asked now and then; true: SM_E_STOPPED. NULL = never. */
	bool (*stopped)(void *ctx);
	void *stopped_ctx;
	/* Private. Begins as zeros; is of one tree alone. */
	uint8_t *known; /* by function number: 0 = not asked yet, 1 = no, 2 = it matches */
	size_t n;
};
void sm_tree_search_release(struct sm_tree_search *search);
/*
 * The node behind `from` (or before it) that matches, in the order in which a tree that is open as
 * a whole is read; NULL `from`: the first one, or the last. Opens the way to it, and nothing else.
 * The root isn't looked at, and the search doesn't begin anew at the end: *found is NULL then.
 * Errors: SM_E_NOMEM, SM_E_STOPPED.
 */
struct sm_error *sm_tree_find(struct sm_tree *tree, struct sm_tree_search *search,
	struct sm_tree_node *from, bool forward, struct sm_tree_node **found) SM_MUST_CHECK;
/* What is in the stacks of a node that a matching function is in, be it the node's own or one
 * beyond it: each counts once. `old` as a node's. Errors: as above. */
struct sm_error *sm_tree_sum(struct sm_tree *tree, struct sm_tree_search *search,
	const struct sm_tree_node *node, uint64_t *now, uint64_t *old) SM_MUST_CHECK;

#endif
