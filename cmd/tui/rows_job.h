/* SPDX-License-Identifier: GPL-2.0-or-later */
/* rows_job: tables made by the worker, searched by it, and written. */
#ifndef SMTOOL_TUI_ROWS_JOB_H
#define SMTOOL_TUI_ROWS_JOB_H

#include "view.h"

/* From so many rows on, the first of them are shown before all are sorted. */
#define ROWS_QUICK 5000
#define ROWS_FIRST 100 /* as many as a table finds without building all of them */

/* A table with what it needs. Jobs read it: it is let go of by browser_drop(). */
struct rows {
	struct reading *reading;
	struct sm_table *table;
	uint32_t *tell; /* of stacks: per row, the frame that tells it apart; NULL = not known */
	uint64_t largest;
	bool quick;    /* only the first ones */
	size_t cursor; /* where the row that was to be followed is; SIZE_MAX = nowhere */
};
void rows_free(void *rows);

struct rows_job {
	struct view_job base;
	enum sm_group group;
	enum sm_attr attr;
	enum sm_metric by;
	const struct narrow *narrow; /* held */
	bool quick, cumulative;
	/* The row that the cursor is on. */
	char *label;
	uint64_t *ips;
	uint32_t depth;
	struct rows *result;
};

/* The caller fills base.job.done and what else it wants. NULL when memory is short. */
struct rows_job *rows_job_new(
	enum sm_group group, enum sm_attr attr, enum sm_metric by, const struct narrow *narrow);
/* The result says where a row like this one is. */
void rows_job_follow(struct rows_job *j, const struct sm_table_row *row);
void rows_job_free(struct rows_job *j);

struct search_job {
	struct view_job base;
	const struct sm_table *table; /* of the reading that the job holds */
	char *expression;
	size_t from;
	bool forward, from_here;
	size_t found; /* SIZE_MAX = none */
	bool wrapped;
};

/* Looks for a row whose label, or a frame's "name [module]", matches. */
struct search_job *search_job_new(const struct sm_table *table, const char *expression, size_t from,
	bool forward, bool from_here);
void search_job_free(struct search_job *j);

/* rows_saver.c: the rows as `smtool top` writes them, all of them; as SVG the flame graph of their
 * stacks. */
struct saver *rows_saver_new(struct reading *reading, enum sm_group group, enum sm_attr attr,
	enum sm_metric by, const struct narrow *narrow);

#endif
