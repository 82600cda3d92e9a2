/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Differences, made and searched by the worker. */
#include <stdlib.h>

#include "comparison.h"
#include "lookout.h"
#include "pair_view.h"

void pair_plan_copy(struct pair_plan *to, const struct pair_plan *from)
{
	*to = *from;
	for (size_t i = 0; i < 2; i++)
		reading_get(to->readings[i]);
	narrow_get(to->narrow);
}

void pair_plan_release(struct pair_plan *p)
{
	for (size_t i = 0; i < 2; i++)
		reading_put(p->readings[i]);
	narrow_put(p->narrow);
}

void pair_free(void *pair)
{
	struct pair *p = pair;

	if (!p)
		return;
	sm_diff_free(p->diff);
	for (size_t i = 0; i < 2; i++) {
		sm_table_free(p->tables[i]);
		free(p->tell[i]);
	}
	free(p->sure);
	pair_plan_release(&p->plan);
	free(p);
}

static struct sm_error *stopped(void)
{
	return sm_error_new(SM_E_STOPPED, NULL, "stopped before its end", NULL);
}

/* One side's table, which outlives the diff: not the reading's own, that symbols renew. */
static struct sm_error *make_table(struct pair *p, size_t i, struct job *job)
{
	struct reading *r = p->plan.readings[i];
	struct sm_table_opts opts = r->question->selection.table;
	const struct sm_profile *profile;
	struct sm_error *err;
	uint8_t *rows = NULL;

	if (job_is_cancelled(job))
		return stopped();
	err = reading_part(r, job, p->plan.narrow, p->plan.group, p->plan.attr, &profile, &rows);
	opts.by = p->plan.by;
	opts.group = p->plan.group;
	opts.attr = p->plan.attr;
	opts.rows = rows;
	opts.limit = 0;
	opts.unsorted = true;
	if (!err)
		err = sm_table_build(profile, r->side->in.syms, &opts, &p->tables[i]);
	free(rows);
	if (err)
		return err;
	p->tables[i]->opts.rows = NULL;
	if (p->plan.group != SM_GROUP_STACK)
		return NULL;
	p->tell[i] = malloc((p->tables[i]->nrows + 1) * sizeof(*p->tell[i]));
	return p->tell[i] ? sm_table_tell_apart(p->tables[i], p->tell[i]) : sm_error_nomem();
}

static struct sm_error *list_sure(struct pair *p)
{
	p->sure = malloc((p->diff->nrows + 1) * sizeof(*p->sure));
	if (!p->sure)
		return sm_error_nomem();
	for (size_t i = 0; i < p->diff->nrows; i++)
		if (p->diff->rows[i].significant || p->diff->opts.all)
			p->sure[p->nsure++] = (uint32_t)i;
	return NULL;
}

struct sm_error *pair_new(const struct pair_plan *plan, struct job *job, struct pair **out)
{
	const struct sm_profile *const profiles[2] = {
		plan->readings[0]->profile, plan->readings[1]->profile};
	struct pair *p = calloc(1, sizeof(*p));
	struct sm_diff_opts diff = plan->diff;
	const struct sm_table *tables[2];
	struct sm_error *err;

	*out = NULL;
	if (!p)
		return sm_error_nomem();
	pair_plan_copy(&p->plan, plan);
	p->exact = plan->exact;
	err = comparison_check(profiles, 2, plan->by);
	for (size_t i = 0; !err && i < 2; i++)
		err = make_table(p, i, job);
	if (!err && job_is_cancelled(job))
		err = stopped();
	if (!err) {
		tables[0] = p->tables[0];
		tables[1] = p->tables[1];
		diff.stopped = job_stopped;
		diff.stopped_ctx = job;
		err = sm_diff_build(tables, 2, &diff, &p->diff);
	}
	if (!err)
		err = list_sure(p);
	if (err) {
		pair_free(p);
		return err;
	}
	*out = p;
	return NULL;
}

/* In the same input a stack has the same addresses. */
static bool is_followed(const struct pair_job *j, const struct sm_diff_row *row)
{
	if (j->label || row->label)
		return j->label && row->label && !strcmp(j->label, row->label);
	return j->depth && row->row->depth == j->depth &&
	       !memcmp(row->row->ips, j->ips, j->depth * sizeof(*j->ips));
}

static void work(struct job *job)
{
	struct pair_job *j = (struct pair_job *)job;
	const struct sm_diff *d;

	job->err = pair_new(&j->plan, job, &j->result);
	if (job->err)
		return;
	d = j->result->diff;
	j->result->cursor = SIZE_MAX;
	for (size_t i = 0; (j->label || j->depth) && i < d->nrows; i++) {
		if (is_followed(j, &d->rows[i])) {
			j->result->cursor = i;
			break;
		}
	}
}

struct pair_job *pair_job_new(const struct pair_plan *plan)
{
	struct pair_job *j = calloc(1, sizeof(*j));

	if (!j)
		return NULL;
	pair_plan_copy(&j->plan, plan);
	j->base.job.work = work;
	j->base.job.what = "comparing";
	return j;
}

void pair_job_follow(struct pair_job *j, const struct sm_diff_row *row)
{
	if (row->label) {
		j->label = strdup(row->label);
		return;
	}
	j->ips = malloc((row->row->depth + 1) * sizeof(*j->ips));
	if (!j->ips)
		return;
	memcpy(j->ips, row->row->ips, row->row->depth * sizeof(*j->ips));
	j->depth = row->row->depth;
}

void pair_job_free(struct pair_job *j)
{
	pair_free(j->result);
	pair_plan_release(&j->plan);
	view_job_release(&j->base);
	free(j->label);
	free(j->ips);
	free(j);
}

/* ---- searching ---- */

struct searcher {
	const struct pair_search *job;
	struct lookout lookout;
};

static bool line_matches(void *ctx, size_t line)
{
	struct searcher *s = ctx;
	const struct pair *p = s->job->pair;
	const struct sm_diff_row *row = &p->diff->rows[s->job->all ? line : p->sure[line]];

	return !job_is_cancelled(&s->job->base.job) &&
	       lookout_matches(&s->lookout, p->tables[row->input]->syms, row->label, row->row->ips,
		       row->row->depth);
}

static void work_search(struct job *job)
{
	struct pair_search *j = (struct pair_search *)job;
	size_t n = j->all ? j->pair->diff->nrows : j->pair->nsure;
	struct searcher s = {.job = j};

	j->found = SIZE_MAX;
	if (!lookout_open(&s.lookout, j->expression)) {
		job->err = sm_error_nomem();
		return;
	}
	j->found = lookout_find(n, j->from, j->forward, j->from_here, line_matches, &s);
	j->wrapped = lookout_wrapped(j->from, j->found, j->forward);
	lookout_close(&s.lookout);
}

struct pair_search *pair_search_new(const struct pair_view *v, bool forward, bool from_here)
{
	struct pair_search *j = calloc(1, sizeof(*j));

	if (!j)
		return NULL;
	j->expression = strdup(v->view.browser->search);
	if (!j->expression) {
		free(j);
		return NULL;
	}
	j->base.job.work = work_search;
	j->base.job.what = "searching";
	j->pair = v->pair;
	j->all = v->all;
	j->from = v->view.list.cursor;
	j->forward = forward;
	j->from_here = from_here;
	return j;
}

void pair_search_free(struct pair_search *j)
{
	view_job_release(&j->base);
	free(j->expression);
	free(j);
}
