/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdlib.h>

#include "reading.h"

static struct sm_error *open_live(struct side *side, struct question *q)
{
	static const struct sm_timeline_opts points = {.points = READING_POINTS};
	struct sm_profile_opts *counted = &side->counted;
	const struct live_choice *choice = side->choice;
	const struct sm_live_opts opts = {
		.profile = counted,
		.timeline = &points,
		.events = choice->events,
		.nevents = choice->nevents,
		.slab = q->selection.profile.family == SM_FAMILY_SLAB,
		.page = q->selection.profile.family == SM_FAMILY_PAGE,
		.buffer_kb = choice->buffer_kb,
		.clock = choice->clock,
		.instance = choice->instance,
		.command = "smtool browse",
		.spool_dir = choice->spool_dir,
		.spool_limit = choice->keep,
		.log = &side->cli->log,
	};
	struct sm_error *err;

	/* There is no second reading for the attributes. */
	side->question = question_get(q);
	*counted = q->selection.profile;
	counted->by_stack = true;
	counted->attr = SM_ATTR_COMM;
	counted->attrs = READING_ATTRS;
	counted->keep_live = true;
	if (choice->replay)
		return sm_live_open_replay(side->in.trace, choice->replay, &opts, &side->live);
	err = sm_live_open_kernel(&opts, &side->live);
	if (err)
		return err;
	side->in.trace = sm_live_trace(side->live);
	side->in.src = (struct sm_source *)(uintptr_t)side->in.trace->src;
	return NULL;
}

struct sm_error *live_reading(struct side *side, struct question *question, struct reading **out)
{
	struct sm_timeline *timeline = NULL;
	struct sm_profile *profile = NULL;
	struct sm_error *err = sm_live_profile(side->live, &profile, &timeline);

	*out = NULL;
	if (!err)
		err = reading_of(side, question, profile, true, out);
	if (err)
		sm_timeline_free(timeline);
	else
		(*out)->timeline = timeline;
	return err;
}

struct sm_error *side_open(struct side *side, struct question *q)
{
	struct cli *cli = side->cli;
	struct sm_error *err = NULL;

	side->in.later_symbols = true;
	if (!side->live_wanted || side->path)
		err = input_open(&side->in, cli, side->path, cli->selection.instance, INPUT_ALL);
	if (!err && side->live_wanted)
		err = open_live(side, q);
	return err;
}

struct sm_error *side_open_symbols(struct side *side)
{
	side->symbols_tried = true;
	return input_open_names(&side->in, side->cli);
}

void side_close(struct side *side)
{
	if (side->live && !side->path) {
		/* What it has is read from it until the symbols are gone. */
		side->in.src = NULL;
		side->in.trace = NULL;
		input_close(&side->in, side->cli);
		sm_live_free(side->live);
	} else {
		sm_live_free(side->live);
		input_close(&side->in, side->cli);
	}
	question_put(side->question);
	names_free(side->names);
	free(side->title);
}

struct sm_error *reading_of(struct side *side, struct question *question,
	struct sm_profile *profile, bool detailed, struct reading **out)
{
	struct reading *r = calloc(1, sizeof(*r));

	*out = r;
	if (!r) {
		sm_profile_free(profile);
		return sm_error_nomem();
	}
	atomic_init(&r->refs, 1);
	r->side = side;
	r->question = question_get(question);
	r->profile = profile;
	if (detailed)
		r->details[0] = profile;
	return NULL;
}

void reading_opts(const struct question *q, struct job *job, struct sm_profile_opts *opts)
{
	*opts = q->selection.profile;
	opts->attr = SM_ATTR_NONE;
	opts->by_stack = true;
	opts->stopped = job_stopped;
	opts->stopped_ctx = job;
}

struct sm_error *reading_new(
	struct side *side, struct question *question, struct job *job, struct reading **out)
{
	const struct sm_timeline_opts points = {.points = READING_POINTS};
	struct sm_trace *trace = side->in.trace;
	struct sm_timeline *timeline = NULL;
	struct sm_profile *profile = NULL;
	struct sm_profile_opts opts;
	struct sm_error *err;

	*out = NULL;
	if (side->live) {
		err = sm_live_step(side->live);
		return err ? err : live_reading(side, question, out);
	}
	reading_opts(question, job, &opts);
	if (sm_trace_has_events(trace) && !question->has_moment && !opts.older)
		err = sm_timeline_build(trace, &opts, &points, &timeline, &profile);
	else
		err = sm_profile_build(trace, &opts, &profile);
	if (!err)
		err = reading_of(side, question, profile, false, out);
	if (err)
		sm_timeline_free(timeline);
	else
		(*out)->timeline = timeline;
	return err;
}

struct reading *reading_get(struct reading *r)
{
	atomic_fetch_add(&r->refs, 1);
	return r;
}

void reading_put(struct reading *r)
{
	if (!r || atomic_fetch_sub(&r->refs, 1) > 1)
		return;
	for (size_t i = 0; i < SM_M_NR; i++)
		sm_table_free(r->stacks[i]);
	for (size_t i = 0; i < SM_ARRAY_SIZE(r->details); i++)
		if (r->details[i] != r->profile)
			sm_profile_free(r->details[i]);
	sm_profile_free(r->profile);
	sm_timeline_free(r->timeline);
	question_put(r->question);
	free(r);
}

struct sm_error *reading_detail(
	struct reading *r, struct job *job, bool all, const struct sm_profile **profile)
{
	struct sm_profile **detail = &r->details[all];
	struct sm_profile_opts opts;
	struct sm_error *err = NULL;

	if (!*detail && sm_trace_has_events(r->side->in.trace)) {
		reading_opts(r->question, job, &opts);
		opts.attr = SM_ATTR_COMM;
		opts.attrs = all ? READING_ALL_ATTRS : READING_ATTRS;
		opts.keep_live = true;
		err = sm_profile_build(r->side->in.trace, &opts, detail);
	}
	*profile = *detail;
	return err;
}

struct sm_error *reading_stacks(struct reading *r, enum sm_metric by, const struct sm_table **table)
{
	struct sm_table_opts opts = r->question->selection.table;
	bool named = r->side->in.syms != NULL;
	struct sm_error *err = NULL;

	*table = NULL;
	if (r->named != named) {
		for (size_t i = 0; i < SM_M_NR; i++) {
			sm_table_free(r->stacks[i]);
			r->stacks[i] = NULL;
		}
		r->named = named;
	}
	opts.by = by;
	opts.group = SM_GROUP_STACK;
	opts.unsorted = true;
	opts.limit = 0;
	if (!r->stacks[by])
		err = sm_table_build(r->profile, r->side->in.syms, &opts, &r->stacks[by]);
	*table = r->stacks[by];
	return err;
}
