/* SPDX-License-Identifier: GPL-2.0-or-later */
/* page_job: what is known of one stack, gathered by the worker. */
#ifndef SMTOOL_TUI_PAGE_JOB_H
#define SMTOOL_TUI_PAGE_JOB_H

#include "stack_pick.h"
#include "view.h"

#define PAGE_ATTRS 6   /* attributes that its events are shared out by */
#define PAGE_LARGEST 8 /* of each so many are shown, unless all are asked for */

extern const enum sm_attr page_attrs[PAGE_ATTRS];

/* Read-only once it is made. Jobs may read it: it is let go of by browser_drop(). */
struct page {
	struct reading *reading;
	enum sm_metric by;
	struct stack_pick pick; /* by stack alone */
	bool has_key;
	uint64_t key; /* stack_key */
	/* Of input with events, else shares_by is SM_M_NR: */
	enum sm_metric shares_by;
	struct sm_table *shares[PAGE_ATTRS]; /* NULL = not known; all rows, largest first */
	uint64_t rest[PAGE_ATTRS];           /* the sum of those beyond PAGE_LARGEST */
	uint64_t part;                       /* the stack's own sum, of which they are shares */
	bool has_ages;
	struct sm_age ages[SM_AGES];
	uint64_t oldest_ns; /* 0 = nothing is live, or it came last */
};
void page_free(void *page);
/* Its row; NULL where nothing of it is counted. */
static inline const struct sm_table_row *page_row(const struct page *p)
{
	return p->pick.table->nrows ? &p->pick.table->rows[0] : NULL;
}
/* Why it has no shares by that attribute, or no ages; a literal. */
const char *page_no_share(const struct page *p, enum sm_attr attr);
const char *page_no_ages(const struct page *p);

/* "10 ms", of sm_age_bounds. */
void page_bound(uint64_t ns, struct sm_buf *text);

struct sm_error *page_make(struct reading *r, struct job *job, const struct narrow *narrow,
	enum sm_metric by, uint32_t stack, struct page **page) SM_MUST_CHECK;

struct page_job {
	struct view_job base;
	const struct narrow *narrow; /* held */
	enum sm_metric by;
	uint32_t stack;
	struct page *result;
};
/* The caller fills base.job.done. NULL when memory is short. */
struct page_job *page_job_new(const struct narrow *narrow, enum sm_metric by, uint32_t stack);
void page_job_free(struct page_job *j);

/* page_saver.c: text or JSON; NULL when memory is short. */
struct saver *page_saver_new(
	struct reading *reading, const struct narrow *narrow, enum sm_metric by, uint32_t stack);

#endif
