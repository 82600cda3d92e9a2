/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the timeline's view has made by the worker, and how it is written. */
#include <stdlib.h>

#include "timeline_view.h"

/* ---- over time ---- */

static struct sm_error *no_events(const struct side *side)
{
	return sm_error_new(SM_E_MISSING, side->path, "no events: nothing over time",
		"it tells how much, not when");
}

static void work_course(struct job *job)
{
	struct course_job *j = (struct course_job *)job;
	struct reading *whole = NULL;

	if (!sm_trace_has_events(j->side->in.trace) && !j->side->live) {
		job->err = no_events(j->side);
		return;
	}
	if (j->base.reading)
		whole = reading_get(j->base.reading);
	else
		job->err = reading_new(j->side, j->question, job, &whole);
	if (!job->err && !whole->timeline)
		job->err = no_events(j->side);
	if (!job->err)
		job->err = course_new(whole, job, j->narrow, j->by, &j->course);
	reading_put(whole);
}

struct course_job *course_job_new(
	struct side *side, struct question *whole, const struct narrow *narrow, enum sm_metric by)
{
	struct course_job *j = calloc(1, sizeof(*j));

	if (!j)
		return NULL;
	j->base.job.work = work_course;
	j->base.job.what = "counting over time";
	j->side = side;
	j->question = question_get(whole);
	j->narrow = narrow_get(narrow);
	j->by = by;
	return j;
}

void course_job_free(struct course_job *j)
{
	course_free(j->course);
	question_put(j->question);
	narrow_put(j->narrow);
	view_job_release(&j->base);
	free(j);
}

/* ---- at a moment ---- */

void moment_free(void *moment)
{
	struct moment *m = moment;

	if (!m)
		return;
	sm_table_free(m->table);
	free(m->tell);
	reading_put(m->reading);
	free(m);
}

static struct sm_error *rank(struct moment *m, struct job *job, const struct narrow *narrow)
{
	struct sm_table_opts opts = m->reading->question->selection.table;
	const struct sm_profile *profile;
	struct sm_error *err;
	uint8_t *rows = NULL;

	err = reading_part(m->reading, job, narrow, SM_GROUP_STACK, SM_ATTR_NONE, &profile, &rows);
	opts.by = m->by;
	opts.group = SM_GROUP_STACK;
	opts.rows = rows;
	opts.limit = TIMELINE_ROWS;
	if (!err)
		err = sm_table_build(profile, m->reading->side->in.syms, &opts, &m->table);
	free(rows);
	if (err)
		return err;
	m->table->opts.rows = NULL;
	m->tell = malloc((m->table->nrows + 1) * sizeof(*m->tell));
	return m->tell ? sm_table_tell_apart(m->table, m->tell) : sm_error_nomem();
}

static void work_moment(struct job *job)
{
	struct moment_job *j = (struct moment_job *)job;

	if (j->base.reading)
		j->moment->reading = reading_get(j->base.reading);
	else
		job->err = reading_new(j->side, j->question, job, &j->moment->reading);
	if (!job->err)
		job->err = rank(j->moment, job, j->narrow);
}

struct moment_job *moment_job_new(struct side *side, struct question *q,
	const struct narrow *narrow, enum sm_metric by, uint64_t from, uint64_t to)
{
	struct moment_job *j = calloc(1, sizeof(*j));

	if (j)
		j->moment = calloc(1, sizeof(*j->moment));
	if (!j || !j->moment) {
		question_put(q);
		free(j);
		return NULL;
	}
	j->base.job.work = work_moment;
	j->base.job.what = "counting at that moment";
	j->side = side;
	j->question = q;
	j->narrow = narrow_get(narrow);
	j->moment->by = by;
	j->moment->from = from;
	j->moment->to = to;
	return j;
}

void moment_job_free(struct moment_job *j)
{
	moment_free(j->moment);
	question_put(j->question);
	narrow_put(j->narrow);
	view_job_release(&j->base);
	free(j);
}

/* ---- to a file ---- */

#define TEXT_WIDTH 100
#define TEXT_HEIGHT 16

struct timeline_saver {
	struct saver saver;
	struct reading *whole;
	const struct narrow *narrow;
	enum sm_metric by;
	bool utf8;
};

static struct sm_error *write_timeline(
	struct saver *saver, enum save_format format, struct sm_out *out)
{
	static const char *const NAMES[SAVE_FORMATS] = {
		[SAVE_TEXT] = "text", [SAVE_JSON] = "json", [SAVE_SVG] = "svg"};
	struct timeline_saver *s = (struct timeline_saver *)saver;
	const struct sm_timeline_style style = {
		.utf8 = s->utf8, .width = TEXT_WIDTH, .height = TEXT_HEIGHT};
	struct job job = {0};
	struct course *course;
	struct sm_error *err = course_new(s->whole, &job, s->narrow, s->by, &course);

	if (err)
		return err;
	/* Series are of the stacks that a table names. */
	free(course->timeline == s->whole->timeline ? NULL : course->timeline->values);
	if (course->timeline != s->whole->timeline) {
		course->timeline->values = NULL;
		course->timeline->nseries = 0;
	}
	for (const struct sm_timeline_format *f = sm_timeline_formats; f->name; f++) {
		const struct sm_timeline_view view = {
			.timeline = course->timeline,
			.profile = course->profile,
			.by = s->by,
		};

		if (!strcmp(f->name, NAMES[format]))
			f->write(&view, &style, out);
	}
	course_free(course);
	return NULL;
}

static void release(struct saver *saver)
{
	struct timeline_saver *s = (struct timeline_saver *)saver;

	reading_put(s->whole);
	narrow_put(s->narrow);
	free(s);
}

struct saver *timeline_saver_new(
	struct reading *whole, const struct narrow *narrow, enum sm_metric by, bool utf8)
{
	struct timeline_saver *s = calloc(1, sizeof(*s));

	if (!s)
		return NULL;
	s->saver = (struct saver){.write = write_timeline, .release = release};
	s->whole = reading_get(whole);
	s->narrow = narrow_get(narrow);
	s->by = by;
	s->utf8 = utf8;
	return &s->saver;
}
