/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Parts of a reading over time. */
#include <stdlib.h>

#include "reading.h"

void course_free(void *course)
{
	struct course *c = course;

	if (!c)
		return;
	sm_timeline_free(c->own_timeline);
	sm_profile_free(c->own_profile);
	reading_put(c->reading);
	free(c);
}

/* Leaves those of the rows that the filters on frames let through. */
static struct sm_error *keep_focused(
	const struct reading *r, const struct sm_profile *profile, uint8_t *rows)
{
	struct sm_table_opts opts = r->question->selection.table;
	struct sm_table *table = NULL;
	uint32_t *of = NULL;
	struct sm_error *err;

	opts.by = profile->known & 1u << SM_M_COUNT ? SM_M_COUNT : SM_M_LIVE_COUNT;
	opts.group = SM_GROUP_STACK;
	opts.rows = rows;
	opts.limit = 0;
	opts.unsorted = opts.every_row = true;
	err = sm_table_build(profile, r->side->in.syms, &opts, &table);
	if (!err) {
		of = malloc((profile->nrows + 1) * sizeof(*of));
		if (!of)
			err = sm_error_nomem();
	}
	if (!err) {
		sm_table_rows_of(table, of);
		for (size_t i = 0; i < profile->nrows; i++)
			rows[i] &= of[i] != UINT32_MAX;
	}
	free(of);
	sm_table_free(table);
	return err;
}

/* Of stacks: they are counted on their own, with all that a timeline tells. */
static struct sm_error *count_stacks(struct course *c, struct job *job, const uint8_t *rows)
{
	const struct sm_timeline_opts points = {.points = READING_POINTS};
	const struct sm_profile *p = c->reading->profile;
	struct sm_trace *trace = c->reading->side->in.trace;
	struct sm_profile_opts opts;
	struct sm_error *err;
	uint8_t *stacks;
	uint32_t n = sm_stacks_count(trace->stacks);

	stacks = calloc((size_t)n + 2, 1);
	if (!stacks)
		return sm_error_nomem();
	for (size_t i = 0; i < p->nrows; i++) {
		uint32_t stack = p->rows[i].stack;

		if (!rows[i])
			continue;
		if (stack == SM_STACK_UNRESOLVED)
			stacks[n] = 1;
		else if (stack == SM_STACK_NONE)
			stacks[n + 1] = 1;
		else if (stack < n)
			stacks[stack] = 1;
	}
	reading_opts(c->reading->question, job, &opts);
	opts.stacks = stacks;
	opts.nstacks = n;
	err = sm_timeline_build(trace, &opts, &points, &c->own_timeline, &c->own_profile);
	free(stacks);
	c->timeline = c->own_timeline;
	c->profile = c->own_profile;
	return err;
}

/* The first of two series as a timeline of its own, as far as it is one: of the whole's intervals
 * their ends. */
static void take_series(struct sm_timeline *t, enum sm_metric by)
{
	struct sm_timeline_peak peak = {0};

	for (size_t i = 0; i < t->n; i++) {
		struct sm_timeline_point *p = &t->points[i];
		uint64_t value = t->values[i];
		const struct sm_timeline_level level = {.value = value, .min = value, .max = value};

		p->bytes = by == SM_M_LIVE_BYTES ? level : (struct sm_timeline_level){0};
		p->count = by == SM_M_LIVE_COUNT ? level : (struct sm_timeline_level){0};
		p->alloc_bytes = by == SM_M_BYTES ? value : 0;
		p->allocs = by == SM_M_COUNT ? value : 0;
		if (value > peak.value)
			peak = (struct sm_timeline_peak){p->ts, value};
	}
	t->bytes_peak = t->count_peak = peak;
}

static struct sm_error *divide(struct course *c, struct job *job, const struct sm_profile *profile,
	const uint8_t *rows, enum sm_metric by)
{
	const struct sm_timeline *whole = c->reading->timeline;
	struct sm_trace *trace = c->reading->side->in.trace;
	struct sm_timeline *t = calloc(1, sizeof(*t));
	uint32_t *series = malloc((profile->nrows + 1) * sizeof(*series));
	struct sm_profile_opts opts;
	struct sm_error *err;

	c->own_timeline = t;
	if (!t || !series) {
		free(series);
		return sm_error_nomem();
	}
	*t = *whole;
	t->values = NULL;
	t->nseries = 0;
	t->points = malloc((whole->n + 1) * sizeof(*t->points));
	if (!t->points) {
		free(series);
		return sm_error_nomem();
	}
	memcpy(t->points, whole->points, whole->n * sizeof(*t->points));
	for (size_t i = 0; i < profile->nrows; i++)
		series[i] = rows[i] ? 0 : 1;
	reading_opts(c->reading->question, job, &opts);
	opts.attr = profile->attr;
	opts.attrs = profile->attrs;
	/* A second reading counts in the profile's own tables, and leaves its rows as they are. */
	err = sm_timeline_split(
		t, trace, (struct sm_profile *)(uintptr_t)profile, &opts, by, series, 2);
	free(series);
	if (!err && t->n)
		take_series(t, by);
	c->timeline = t;
	c->by = by;
	return err;
}

struct sm_error *course_new(struct reading *whole, struct job *job, const struct narrow *narrow,
	enum sm_metric by, struct course **out)
{
	const struct sm_table_opts *table = &whole->question->selection.table;
	bool focused = table->focus.n || table->ignore.n;
	struct course *c = calloc(1, sizeof(*c));
	const struct sm_profile *profile;
	struct sm_error *err = NULL;
	uint8_t *rows = NULL;

	*out = NULL;
	if (!c)
		return sm_error_nomem();
	c->reading = reading_get(whole);
	c->timeline = whole->timeline;
	c->profile = whole->profile;
	c->by = SM_M_NR;
	c->of_whole = (narrow || focused) && whole->side->live;
	if ((narrow || focused) && !c->of_whole && whole->timeline->n) {
		err = reading_part(
			whole, job, narrow, SM_GROUP_STACK, SM_ATTR_NONE, &profile, &rows);
		if (!err && !rows) {
			rows = malloc(profile->nrows + 1);
			if (rows)
				memset(rows, 1, profile->nrows + 1);
			else
				err = sm_error_nomem();
		}
		if (!err && focused)
			err = keep_focused(whole, profile, rows);
		if (!err && profile == whole->profile)
			err = count_stacks(c, job, rows);
		else if (!err)
			err = divide(c, job, profile, rows, by);
		free(rows);
	}
	if (err) {
		course_free(c);
		return err;
	}
	*out = c;
	return NULL;
}
