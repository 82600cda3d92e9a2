/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a forest's job does in the worker's thread. */
#ifndef SMTOOL_TUI_FOREST_WORK_H
#define SMTOOL_TUI_FOREST_WORK_H

#include "forest_job.h"

/* The forest that the job works on. */
static inline struct forest *forest_job_forest(const struct forest_job *j)
{
	return j->made ? j->made : j->forest;
}
/* Makes a node's children, to be shown (`open`) or only known; and says so. */
struct sm_error *forest_job_open(
	struct forest_job *j, struct sm_tree_node *n, bool open) SM_MUST_CHECK;
/* Opens it, and what is alone below it, down to where ways part. */
struct sm_error *forest_job_open_chain(struct forest_job *j, struct sm_tree_node *n) SM_MUST_CHECK;
/* Opens what is below it, the heaviest first, as far as that goes. */
struct sm_error *forest_job_expand(struct forest_job *j, struct sm_tree_node *n) SM_MUST_CHECK;
/* The same, up to so many nodes, none of which is shown for it. */
struct sm_error *forest_job_load(
	struct forest_job *j, struct sm_tree_node *n, size_t most) SM_MUST_CHECK;
/* What is wide enough for a flame graph. */
struct sm_error *forest_job_open_boxes(struct forest_job *j) SM_MUST_CHECK;
/* Finds a match behind `from`, or how much matches. */
struct sm_error *forest_job_find(struct forest_job *j, struct sm_tree_node *from) SM_MUST_CHECK;

#endif
