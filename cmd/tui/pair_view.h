/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the files of the view of differences share. */
#ifndef SMTOOL_TUI_PAIR_VIEW_H
#define SMTOOL_TUI_PAIR_VIEW_H

#include "browser.h"

/* What is compared, and how. */
struct pair_plan {
	struct reading *readings[2]; /* held; the old one first */
	const struct narrow *narrow; /* held */
	enum sm_group group;
	enum sm_attr attr;
	enum sm_metric by;
	struct sm_diff_opts diff;
	bool exact; /* see struct pair */
};
/* Holds all. */
void pair_plan_copy(struct pair_plan *to, const struct pair_plan *from);
void pair_plan_release(struct pair_plan *p);

/* Two readings, compared. Read-only; jobs use it: it is let go of by browser_drop(). */
struct pair {
	struct pair_plan plan;
	struct sm_table *tables[2];
	uint32_t *tell[2]; /* of stacks: per row of the table, the frame that tells it apart */
	struct sm_diff *diff;
	bool exact;     /* chance has no part in it, and other times are no matter */
	uint32_t *sure; /* rows that differ by more than chance: indexes */
	size_t nsure;
	size_t cursor; /* where the row that was to be followed is; SIZE_MAX = nowhere */
};
/* `job` may cancel it. */
struct sm_error *pair_new(
	const struct pair_plan *plan, struct job *job, struct pair **pair) SM_MUST_CHECK;
void pair_free(void *pair);

struct pair_view {
	struct view view;
	bool of_mark; /* else of two inputs */
	enum sm_group group;
	enum sm_attr attr;
	bool all;          /* rows that differ within chance are shown, too */
	struct pair *pair; /* NULL = not there yet */
	bool stale;        /* there is a newer reading than those that are being compared */
	/* What the job is about that it waits for. */
	enum sm_group asked_group;
	enum sm_attr asked_attr;
	enum sm_metric asked_by;
	enum sm_match asked_match;
	bool asked_normalize;
	size_t nnotes; /* that were said */
};

/* The row of a line; of the cursor, NULL = none. */
const struct sm_diff_row *pair_row(const struct pair_view *v, size_t line);
/* Where a row's symbols are. */
static inline struct side *pair_side(const struct pair *p, const struct sm_diff_row *row)
{
	return p->plan.readings[row->input]->side;
}

/* Opens what is behind a row that is a stack; callers and callees of what the row is, or begins
 * with.
 */
void pair_enter_stack(struct pair_view *v, const struct sm_diff_row *row);
void pair_peek(struct pair_view *v, const struct sm_diff_row *row);

/* pair_draw.c */
void pair_draw(struct pair_view *v, const struct area *area);

/* ---- pair_job.c ---- */

struct pair_job {
	struct view_job base;
	struct pair_plan plan;
	/* The row that the cursor is on. */
	char *label;
	uint64_t *ips;
	uint32_t depth;
	struct pair *result;
};
struct pair_job *pair_job_new(const struct pair_plan *plan);
void pair_job_follow(struct pair_job *j, const struct sm_diff_row *row);
void pair_job_free(struct pair_job *j);

struct pair_search {
	struct view_job base;
	const struct pair *pair;
	bool all;
	char *expression;
	size_t from;
	bool forward, from_here;
	size_t found; /* SIZE_MAX = none */
	bool wrapped;
};
struct pair_search *pair_search_new(const struct pair_view *v, bool forward, bool from_here);
void pair_search_free(struct pair_search *j);

/* pair_saver.c: as `smtool diff` writes it; as SVG the flame graph of the difference. */
struct saver *pair_saver_new(const struct pair_plan *plan, bool all, bool utf8);

#endif
