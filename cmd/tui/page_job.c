/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdlib.h>

#include "page_job.h"

const enum sm_attr page_attrs[PAGE_ATTRS] = {
	SM_ATTR_COMM, SM_ATTR_CACHE, SM_ATTR_GFP, SM_ATTR_SIZE, SM_ATTR_EVENT, SM_ATTR_ORDER};

void page_free(void *page)
{
	struct page *p = page;

	if (!p)
		return;
	for (size_t i = 0; i < PAGE_ATTRS; i++)
		sm_table_free(p->shares[i]);
	stack_pick_release(&p->pick);
	reading_put(p->reading);
	free(p);
}

const char *page_no_share(const struct page *p, enum sm_attr attr)
{
	if (p->shares_by == SM_M_NR)
		return "not known: this input has no events";
	if (p->shares[0] && !p->part)
		return "nothing of that key";
	if (attr == SM_ATTR_ORDER)
		return "not known: of page allocations alone";
	if (attr == SM_ATTR_CACHE && p->reading->profile->family == SM_FAMILY_PAGE)
		return "not known: of slab allocations alone";
	return "not known: these events don't tell it";
}

const char *page_no_ages(const struct page *p)
{
	if (p->shares_by == SM_M_NR)
		return "not known: this input has no events";
	return "not known: this input doesn't tell when things happened";
}

void page_bound(uint64_t ns, struct sm_buf *text)
{
	static const struct {
		uint64_t ns;
		const char *name;
	} UNITS[] = {{UINT64_C(3600000000000), "h"}, {UINT64_C(60000000000), "min"},
		{1000000000, "s"}, {1000000, "ms"}};

	for (size_t i = 0; i < SM_ARRAY_SIZE(UNITS); i++) {
		if (ns >= UNITS[i].ns) {
			sm_buf_addf(text, "%llu %s", (unsigned long long)(ns / UNITS[i].ns),
				UNITS[i].name);
			return;
		}
	}
}

static struct sm_error *share_out(struct page *p, const struct stack_pick *detail)
{
	struct sm_table_opts opts = p->reading->question->selection.table;
	struct sm_error *err = NULL;

	opts.by = p->shares_by;
	opts.group = SM_GROUP_ATTR;
	opts.limit = 0;
	opts.rows = detail->rows;
	for (size_t i = 0; !err && i < PAGE_ATTRS; i++) {
		struct sm_table *t;

		if (!(detail->profile->attrs & 1u << page_attrs[i]))
			continue;
		opts.attr = page_attrs[i];
		err = sm_table_build(detail->profile, p->reading->side->in.syms, &opts, &t);
		if (err)
			break;
		t->opts.rows = NULL;
		p->shares[i] = t;
		p->part = t->totals[p->shares_by];
		for (size_t k = PAGE_LARGEST; k < t->nrows; k++)
			p->rest[i] += t->rows[k].m[p->shares_by];
	}
	return err;
}

static struct sm_error *find_details(
	struct page *p, struct job *job, const struct narrow *narrow, uint32_t stack)
{
	struct stack_pick detail = {0};
	struct sm_error *err =
		stack_pick(p->reading, job, narrow, SM_ATTR_COMM, p->by, stack, &detail);

	if (!err) {
		p->shares_by = stack_pick_metric(detail.profile, p->by);
		err = share_out(p, &detail);
	}
	if (!err && detail.profile->known & 1u << SM_M_LIVE_BYTES)
		p->has_ages = sm_profile_ages(detail.profile, detail.rows, p->ages, &p->oldest_ns);
	stack_pick_release(&detail);
	return err;
}

struct sm_error *page_make(struct reading *r, struct job *job, const struct narrow *narrow,
	enum sm_metric by, uint32_t stack, struct page **page)
{
	struct page *p = calloc(1, sizeof(*p));
	const struct sm_table_row *row;
	struct sm_error *err;

	*page = NULL;
	if (!p)
		return sm_error_nomem();
	p->reading = reading_get(r);
	p->by = by;
	p->shares_by = SM_M_NR;
	err = stack_pick(r, job, narrow, SM_ATTR_NONE, by, stack, &p->pick);
	row = err ? NULL : page_row(p);
	if (row && row->depth) {
		p->has_key = true;
		p->key = sm_stack_key(r->side->in.syms, row->ips, row->depth);
	}
	if (row && sm_trace_has_events(r->side->in.trace))
		err = find_details(p, job, narrow, stack);
	if (err) {
		page_free(p);
		return err;
	}
	*page = p;
	return NULL;
}

static void work(struct job *job)
{
	struct page_job *j = (struct page_job *)job;

	job->err = page_make(j->base.reading, job, j->narrow, j->by, j->stack, &j->result);
}

struct page_job *page_job_new(const struct narrow *narrow, enum sm_metric by, uint32_t stack)
{
	struct page_job *j = calloc(1, sizeof(*j));

	if (!j)
		return NULL;
	j->base.job.work = work;
	j->base.job.what = "looking into the stack";
	j->narrow = narrow_get(narrow);
	j->by = by;
	j->stack = stack;
	return j;
}

void page_job_free(struct page_job *j)
{
	page_free(j->result);
	view_job_release(&j->base);
	narrow_put(j->narrow);
	free(j);
}
