/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdlib.h>

#include "stack_pick.h"

#define LOOK 65536 /* rows between looks at whether it is still wanted */

bool stack_of_row(const struct sm_table *table, const struct sm_table_row *row, uint32_t *stack)
{
	if (table->opts.group != SM_GROUP_STACK || row->profile_row >= table->profile->nrows)
		return false;
	*stack = table->profile->rows[row->profile_row].stack;
	return true;
}

enum sm_metric stack_pick_metric(const struct sm_profile *profile, enum sm_metric by)
{
	static const enum sm_metric ELSE[] = {SM_M_BYTES, SM_M_COUNT, SM_M_LIVE_BYTES,
		SM_M_LIVE_COUNT, SM_M_REF_COUNT, SM_M_FREES};

	if (by < SM_M_ADDITIVE && profile->known & 1u << by)
		return by;
	for (size_t i = 0; i < SM_ARRAY_SIZE(ELSE); i++)
		if (profile->known & 1u << ELSE[i])
			return ELSE[i];
	return by;
}

struct picker {
	struct sm_trim *trim;
	struct sm_trimmed wanted;
	const char *label; /* of what has no frames */
	uint8_t *memo;     /* by stack: 0 = not looked at yet, 1 = another, 2 = it is shown so */
	uint32_t nstacks;
};

/* False when memory is short. */
static bool is_shown_so(struct picker *p, uint32_t stack, uint8_t *is)
{
	struct sm_trimmed f;

	if (stack < p->nstacks && p->memo[stack]) {
		*is = p->memo[stack] == 2;
		return true;
	}
	if (!sm_trim_stack(p->trim, stack, &f))
		return false;
	*is = !f.left_out && f.depth == p->wanted.depth &&
	      (f.depth ? !memcmp(f.ips, p->wanted.ips, f.depth * sizeof(*f.ips))
		       : !strcmp(sm_stack_label(stack), p->label));
	if (stack < p->nstacks)
		p->memo[stack] = *is ? 2 : 1;
	return true;
}

/* Leaves those of pick->rows that are the stack's. */
static struct sm_error *keep_stack(
	struct picker *p, struct job *job, uint32_t stack, struct stack_pick *pick)
{
	if (!sm_trim_stack(p->trim, stack, &p->wanted))
		return sm_error_nomem();
	pick->left_out = p->wanted.left_out;
	p->label = sm_stack_label(stack);
	for (size_t i = 0; i < pick->profile->nrows; i++) {
		uint8_t is;

		if (i % LOOK == 0 && job_is_cancelled(job))
			return sm_error_new(SM_E_STOPPED, NULL, "not wanted any more", NULL);
		if (!pick->rows[i])
			continue;
		if (!is_shown_so(p, pick->profile->rows[i].stack, &is))
			return sm_error_nomem();
		pick->rows[i] = is;
	}
	return NULL;
}

static struct sm_error *find_rows(
	struct reading *r, struct job *job, uint32_t stack, struct stack_pick *pick)
{
	const struct sm_table_opts *opts = &r->question->selection.table;
	struct picker p = {.nstacks = sm_stacks_count(pick->profile->trace->stacks)};
	struct sm_error *err;

	if (stack < SM_STACK_MAX && stack >= p.nstacks)
		return sm_error_new(SM_E_USAGE, NULL, "no such stack", NULL);
	if (!pick->rows) {
		pick->rows = malloc(pick->profile->nrows + 1);
		if (!pick->rows)
			return sm_error_nomem();
		memset(pick->rows, 1, pick->profile->nrows + 1);
	}
	p.memo = calloc((size_t)p.nstacks + 1, 1);
	err = p.memo ? sm_trim_new(pick->profile, r->side->in.syms, opts, &p.trim)
		     : sm_error_nomem();
	if (!err)
		err = keep_stack(&p, job, stack, pick);
	sm_trim_free(p.trim);
	free(p.memo);
	return err;
}

struct sm_error *stack_pick(struct reading *r, struct job *job, const struct narrow *narrow,
	enum sm_attr attr, enum sm_metric by, uint32_t stack, struct stack_pick *pick)
{
	struct sm_table_opts opts = r->question->selection.table;
	struct sm_error *err =
		reading_part(r, job, narrow, attr == SM_ATTR_NONE ? SM_GROUP_STACK : SM_GROUP_ATTR,
			attr, &pick->profile, &pick->rows);

	if (!err)
		err = find_rows(r, job, stack, pick);
	if (err)
		return err;
	opts.by = pick->profile->known & 1u << by ? by : stack_pick_metric(pick->profile, by);
	opts.group = SM_GROUP_STACK;
	opts.attr = SM_ATTR_NONE;
	opts.limit = 0;
	opts.rows = pick->rows;
	opts.every_row = true;
	err = sm_table_build(pick->profile, r->side->in.syms, &opts, &pick->table);
	if (err)
		return err;
	pick->table->opts.rows = NULL;
	/* Shares are of all. */
	memcpy(pick->table->totals, pick->profile->totals, sizeof(pick->table->totals));
	return NULL;
}

void stack_pick_release(struct stack_pick *pick)
{
	sm_table_free(pick->table);
	free(pick->rows);
	*pick = (struct stack_pick){0};
}
