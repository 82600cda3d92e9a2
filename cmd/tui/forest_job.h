/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * forest_job: forests made by the worker, and their nodes opened and found by it.
 *
 * A node's children are the worker's to make at any time. So the interface looks at them only where
 * NODE_LOADED is in the node's mark, which is the interface's own once it has the forest: a job
 * tells which nodes it made the children of, and done() marks them.
 */
#ifndef SMTOOL_TUI_FOREST_JOB_H
#define SMTOOL_TUI_FOREST_JOB_H

#include "forest.h"
#include "view.h"

#define NODE_LOADED 1u
#define NODE_OPEN 2u /* its children are shown */

/* So many nodes are opened by one key. */
#define EXPAND_MOST 5000

struct nodes {
	struct sm_tree_node **items;
	size_t n, cap;
};
/* False when memory is short. */
bool nodes_add(struct nodes *l, struct sm_tree_node *n);

struct forest_target {
	struct sm_tree_node *node;
	bool all; /* what is below it; else down to the next fork */
};

struct forest_job {
	struct view_job base;
	/* The forest that the nodes are of, and stays in place unless one is to be built. */
	struct forest *forest;
	bool build;
	struct forest_plan plan; /* of what is to be built */
	/* Nodes whose counterparts are to be open in it. */
	struct nodes open;
	/* Others whose counterparts are asked for; they are put in place of these: what is nearest
	 * to it on the way to the root, where it isn't there any more. */
	struct nodes follow;
	struct forest_target *targets;
	size_t ntargets, targets_cap;
	/* Open what is as wide as a column or so, of so many that follow.items[0] has; 0 = no such
	 * thing. */
	unsigned columns;
	/* Find a match from `from` on (NULL: from the beginning); NULL = don't. */
	char *expression;
	struct sm_tree_node *from;
	bool forward, from_here;
	/* Or how much matches in follow.items[0]. */
	bool sum;
	/* Find the heaviest stack through this; NULL = don't. */
	struct sm_tree_node *through;
	bool code; /* it is for the code around the node's frame in it */

	/* What came of it. */
	struct forest *made; /* to be taken over; its nodes are marked */
	struct nodes loaded; /* what is to be marked; of a forest that was made, what is open */
	size_t nopen;        /* the first of them are to be open */
	bool cut;            /* there were more than EXPAND_MOST */
	bool more;           /* it isn't all yet: ask again */
	struct sm_tree_node *found;
	bool wrapped;
	uint64_t matched_now, matched_old;
	/* The stack, as a row that owns what it points to; at which of its frames the node is. */
	struct sm_table_row stack;
	uint32_t frame;
	bool of_base;
};

/* NULL when memory is short. The caller fills base.job.done. */
struct forest_job *forest_job_new(struct forest *forest);
bool forest_job_target(struct forest_job *j, struct sm_tree_node *node, bool all);
bool forest_job_search(struct forest_job *j, const char *expression);
/* Does also what a job was to do that it takes the place of. */
bool forest_job_inherit(struct forest_job *j, const struct forest_job *old);
void forest_job_free(struct forest_job *j);

#endif
