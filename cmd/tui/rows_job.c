/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdlib.h>

#include "browser.h"
#include "lookout.h"
#include "rows_job.h"

void rows_free(void *rows)
{
	struct rows *r = rows;

	if (!r)
		return;
	sm_table_free(r->table);
	free(r->tell);
	reading_put(r->reading);
	free(r);
}

static int compare_cumulative(const void *a, const void *b)
{
	const struct sm_table_row *x = a, *y = b;

	if (x->cumulative != y->cumulative)
		return x->cumulative > y->cumulative ? -1 : 1;
	return x->label && y->label ? strcmp(x->label, y->label) : 0;
}

static bool is_followed(const struct rows_job *j, const struct sm_table_row *row)
{
	if (j->label || row->label)
		return j->label && row->label && !strcmp(j->label, row->label);
	return row->depth == j->depth && !memcmp(row->ips, j->ips, j->depth * sizeof(*j->ips));
}

static void measure(struct rows_job *j)
{
	struct rows *r = j->result;
	bool follow = j->label || j->depth;

	r->cursor = SIZE_MAX;
	for (size_t i = 0; i < r->table->nrows; i++) {
		const struct sm_table_row *row = &r->table->rows[i];
		uint64_t value = row->m[j->by];

		if (j->group == SM_GROUP_FUNCTION && j->cumulative)
			value = row->cumulative;
		r->largest = value > r->largest ? value : r->largest;
		if (follow && r->cursor == SIZE_MAX && is_followed(j, row))
			r->cursor = i;
	}
}

static void work(struct job *job)
{
	struct rows_job *j = (struct rows_job *)job;
	struct reading *reading = j->base.reading;
	struct sm_table_opts opts = reading->question->selection.table;
	const struct sm_profile *profile;
	struct rows *r = j->result;
	struct sm_error *err;
	uint8_t *rows = NULL;

	err = reading_part(reading, job, j->narrow, j->group, j->attr, &profile, &rows);
	opts.by = j->by;
	opts.group = j->group;
	opts.attr = j->attr;
	opts.rows = rows;
	opts.limit = j->quick ? ROWS_FIRST : 0;
	if (!err)
		err = sm_table_build(profile, reading->side->in.syms, &opts, &r->table);
	free(rows);
	if (!err) {
		/* Borrowed until it was built. */
		r->table->opts.rows = NULL;
		r->reading = reading_get(reading);
		r->quick = j->quick;
		if (j->group == SM_GROUP_FUNCTION && j->cumulative)
			qsort(r->table->rows, r->table->nrows, sizeof(*r->table->rows),
				compare_cumulative);
		measure(j);
	}
	if (!err && j->group == SM_GROUP_STACK) {
		r->tell = malloc((r->table->nrows + 1) * sizeof(*r->tell));
		err = r->tell ? sm_table_tell_apart(r->table, r->tell) : sm_error_nomem();
	}
	job->err = err;
}

struct rows_job *rows_job_new(
	enum sm_group group, enum sm_attr attr, enum sm_metric by, const struct narrow *narrow)
{
	struct rows_job *j = calloc(1, sizeof(*j));

	if (!j)
		return NULL;
	j->result = calloc(1, sizeof(*j->result));
	if (!j->result) {
		free(j);
		return NULL;
	}
	j->base.job.work = work;
	j->base.job.what = "ranking";
	j->group = group;
	j->attr = attr;
	j->by = by;
	j->narrow = narrow_get(narrow);
	return j;
}

void rows_job_follow(struct rows_job *j, const struct sm_table_row *row)
{
	if (row->label) {
		j->label = strdup(row->label);
		return;
	}
	j->ips = malloc((row->depth + 1) * sizeof(*j->ips));
	if (!j->ips)
		return;
	memcpy(j->ips, row->ips, row->depth * sizeof(*j->ips));
	j->depth = row->depth;
}

void rows_job_free(struct rows_job *j)
{
	rows_free(j->result);
	view_job_release(&j->base);
	narrow_put(j->narrow);
	free(j->label);
	free(j->ips);
	free(j);
}

/* ---- searching ---- */

struct searcher {
	const struct search_job *job;
	struct lookout lookout;
};

static bool row_matches(void *ctx, size_t index)
{
	struct searcher *s = ctx;
	const struct sm_table *table = s->job->table;
	const struct sm_table_row *row = &table->rows[index];

	return !job_is_cancelled(&s->job->base.job) &&
	       lookout_matches(&s->lookout, table->syms, row->label, row->ips, row->depth);
}

static void work_search(struct job *job)
{
	struct search_job *j = (struct search_job *)job;
	struct searcher s = {.job = j};

	j->found = SIZE_MAX;
	if (!lookout_open(&s.lookout, j->expression)) {
		job->err = sm_error_nomem();
		return;
	}
	j->found =
		lookout_find(j->table->nrows, j->from, j->forward, j->from_here, row_matches, &s);
	j->wrapped = lookout_wrapped(j->from, j->found, j->forward);
	lookout_close(&s.lookout);
}

struct search_job *search_job_new(const struct sm_table *table, const char *expression, size_t from,
	bool forward, bool from_here)
{
	struct search_job *j = calloc(1, sizeof(*j));

	if (!j)
		return NULL;
	j->expression = strdup(expression);
	if (!j->expression) {
		free(j);
		return NULL;
	}
	j->base.job.work = work_search;
	j->base.job.what = "searching";
	j->table = table;
	j->from = from;
	j->forward = forward;
	j->from_here = from_here;
	return j;
}

void search_job_free(struct search_job *j)
{
	view_job_release(&j->base);
	free(j->expression);
	free(j);
}
