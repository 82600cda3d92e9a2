/* SPDX-License-Identifier: GPL-2.0-or-later */
/* stack_pick: what is counted of one stack: the worker's. */
#ifndef SMTOOL_TUI_STACK_PICK_H
#define SMTOOL_TUI_STACK_PICK_H

#include <smtool/view.h>

#include "reading.h"

struct stack_pick {
	const struct sm_profile *profile; /* the reading's */
	uint8_t *rows;                    /* those of the profile's that are the stack's */
	/* It as a row; none where nothing of it is in the part, or the filters leave it out. Its
	 * totals are the profile's. */
	struct sm_table *table;
	bool left_out; /* by --focus or --ignore */
};

/*
 * Finds all rows that are shown as the same one as `stack`, in the profile that tells `attr` apart
 * (SM_ATTR_NONE: stacks alone). Ranked by `by`, or what comes nearest to it in that profile:
 * pick->table->opts.by. stack_pick_release() in any case. `job` may cancel it: SM_E_STOPPED.
 */
struct sm_error *stack_pick(struct reading *r, struct job *job, const struct narrow *narrow,
	enum sm_attr attr, enum sm_metric by, uint32_t stack,
	struct stack_pick *pick) SM_MUST_CHECK;
void stack_pick_release(struct stack_pick *pick);
/* `by` where rows can be added up by it; else bytes, or what there is. */
enum sm_metric stack_pick_metric(const struct sm_profile *profile, enum sm_metric by);
/* The stack that a table's row is of; false where it has none. */
bool stack_of_row(const struct sm_table *table, const struct sm_table_row *row, uint32_t *stack);

#endif
