/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A run in steps. Decoders keep their state from one to the next; a batch is a page, so that they
 * hardly know more than what was handed out.
 */
#include <stdlib.h>

#include "lanes.h"

/* ns that an event's stack is waited for where more may come: what interrupts take. */
#define PATIENCE UINT64_C(100000000)

struct sm_stepper {
	struct run run;
	struct sm_health base; /* what doesn't come from events */
	sm_sink sink;
	void *ctx;
	uint64_t events, no_stack, unresolved; /* handed out */
	bool ended;
	struct sm_error *error;
};

/* Those of the counters that a batch would tell too early, event by event. */
static struct sm_error *count(void *ctx, const struct sm_batch *batch)
{
	struct sm_stepper *s = ctx;

	s->events += batch->n;
	for (size_t i = 0; i < batch->n; i++) {
		s->no_stack += batch->events[i].stack == SM_STACK_NONE;
		s->unresolved += batch->events[i].stack == SM_STACK_UNRESOLVED;
	}
	return s->sink ? s->sink(s->ctx, batch) : NULL;
}

struct sm_error *sm_stepper_new(
	struct sm_trace *trace, const struct sm_run_opts *opts, struct sm_stepper **out)
{
	struct sm_stepper *s;
	struct sm_error *err;

	*out = NULL;
	if (!sm_trace_has_pages(trace))
		return sm_error_new(SM_E_MISSING, sm_source_path(trace->src),
			"no events of the ring buffer", "only they come one after the other");
	s = calloc(1, sizeof(*s));
	if (!s)
		return sm_error_nomem();
	s->run.trace = trace;
	s->run.sink = count;
	s->run.ctx = s;
	err = sm_run_prepare(&s->run, opts);
	s->run.target = 1;
	if (err) {
		sm_run_release(&s->run);
		free(s);
		return err;
	}
	s->base = trace->health;
	for (size_t i = 0; i < s->run.nlanes; i++) {
		struct decoder *d = &s->run.lanes[i].decoder;

		d->goes_on = sm_stream_goes_on(d->stream);
	}
	*out = s;
	return NULL;
}

/* What the lane knows of the pages up to the event that it handed out last. */
static const struct sm_health *health_of(const struct lane *lane)
{
	const struct event_batch *batch = &lane->batches[lane->read];

	if (!lane->ready)
		return &lane->decoder.health;
	return lane->pos > batch->events ? &batch->health : &lane->told;
}

static void restart_health(struct sm_stepper *s)
{
	struct sm_health *h = &s->run.trace->health;
	struct sm_health window = *h;

	*h = s->base;
	h->has_window = window.has_window;
	h->first_ts = window.first_ts;
	h->last_ts = window.last_ts;
}

static void tell_health(struct sm_stepper *s)
{
	struct sm_health *h = &s->run.trace->health;

	restart_health(s);
	for (size_t i = 0; i < s->run.nlanes; i++)
		sm_health_add(h, health_of(&s->run.lanes[i]));
	h->events = s->events;
	h->no_stack = s->no_stack;
	h->unresolved_ids = s->unresolved;
}

static bool all_done(const struct run *run)
{
	for (size_t i = 0; i < run->nlanes; i++)
		if (!run->lanes[i].done || run->lanes[i].pos < run->lanes[i].end)
			return false;
	return true;
}

/* Lanes that met a fatal error stop the run. */
static struct sm_error *take_fatal(struct run *run)
{
	for (size_t i = 0; run->stop && i < run->nlanes; i++) {
		struct decoder *d = &run->lanes[i].decoder;
		struct sm_error *err = d->error;

		d->error = NULL;
		if (err)
			return err;
	}
	return NULL;
}

static struct sm_error *finish(struct sm_stepper *s)
{
	if (s->ended)
		return NULL;
	s->ended = true;
	restart_health(s);
	sm_gaps_release(&s->run.trace->priv->gaps);
	return sm_run_collect(&s->run);
}

static void begin(struct sm_stepper *s, uint64_t until)
{
	struct run *run = &s->run;

	run->until = until;
	for (size_t i = 0; i < run->nlanes; i++) {
		struct lane *lane = &run->lanes[i];

		lane->dry = false;
		lane->decoder.give_up = until > PATIENCE ? until - PATIENCE : 0;
	}
	sm_run_order(run);
}

struct sm_error *sm_stepper_step(struct sm_stepper *s, uint64_t until, sm_sink sink, void *ctx)
{
	struct run *run = &s->run;
	struct sm_error *err;

	if (s->error)
		return sm_error_copy(s->error);
	if (s->ended) {
		run->until = until;
		return NULL;
	}
	s->sink = sink;
	s->ctx = ctx;
	begin(s, until);
	err = sm_run_merge(run);
	if (!err)
		err = take_fatal(run);
	if (!err && all_done(run))
		err = finish(s);
	else
		tell_health(s);
	if (err)
		s->error = sm_error_copy(err);
	return err;
}

bool sm_stepper_next(struct sm_stepper *s, uint64_t *ts)
{
	if (s->error || s->ended)
		return false;
	begin(s, s->run.until);
	if (!s->run.nheap)
		return false;
	*ts = s->run.heap[0]->pos->ts;
	return true;
}

uint64_t sm_stepper_reached(const struct sm_stepper *s)
{
	return s->run.until;
}

bool sm_stepper_ended(const struct sm_stepper *s)
{
	return s->ended;
}

struct sm_error *sm_stepper_find_gaps(struct sm_stepper *s)
{
	struct gap_list *gaps = &s->run.trace->priv->gaps;

	if (s->ended)
		return NULL;
	sm_gaps_release(gaps);
	for (size_t i = 0; i < s->run.nlanes; i++)
		if (!sm_gaps_copy(gaps, &s->run.lanes[i].decoder.gaps))
			return sm_error_nomem();
	sm_gaps_finish(gaps, &s->run.trace->priv->scale);
	return NULL;
}

void sm_stepper_free(struct sm_stepper *s)
{
	if (!s)
		return;
	sm_error_free(finish(s));
	sm_error_free(s->error);
	sm_run_release(&s->run);
	free(s);
}
