/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A profile that goes on: one counter that is fed step by step, and snapshots of it. A snapshot
 * copies what it tells and leaves the counter's rows, and so the peak's shares, as they are.
 */
#include <stdlib.h>

#include "live_profile.h"

static struct sm_error *check_moment(const struct sm_moment *m)
{
	if (m->kind != SM_MOMENT_PERCENT && m->kind != SM_MOMENT_PEAK)
		return NULL;
	return sm_error_new(SM_E_USAGE, NULL, "that moment needs an end",
		"while it goes on, give seconds of the trace clock or from the first event");
}

static struct sm_error *open_book(struct sm_live *live, enum sm_family family)
{
	struct book *book = &live->books[live->nbooks++];
	struct counter *c = &book->counter;
	struct sm_error *err = NULL;

	book->family = family;
	c->trace = live->trace;
	if (live->opts.timeline) {
		err = sm_timeline_meter(live->trace, live->opts.timeline, &book->meter);
		c->meter = &book->meter;
	}
	if (!err)
		err = sm_profile_new(live->trace, &live->popts, &c->profile);
	if (err)
		return err;
	sm_counter_reset(c, &live->popts);
	err = sm_counter_begin(c, &live->popts, family, 0, UINT64_MAX);
	if (!err && sm_profile_takes_refs(live->trace, &live->popts))
		err = sm_counter_add_refs(c);
	return err;
}

static void close_book(struct book *book)
{
	sm_counter_release(&book->counter);
	sm_profile_free(book->counter.profile);
	free(book->meter.points);
	memset(book, 0, sizeof(*book));
}

struct sm_error *sm_live_begin(struct sm_live *live, const struct sm_live_opts *opts)
{
	const struct sm_run_opts run = {.threads = 1};
	const struct sm_profile_opts *p = opts->profile;
	struct sm_error *err;

	live->opts = *opts;
	live->popts = *p;
	live->popts.stopped = NULL;
	err = check_moment(&p->from);
	if (!err)
		err = check_moment(&p->to);
	if (!err && opts->timeline && opts->timeline->interval)
		err = sm_error_new(SM_E_USAGE, NULL, "an interval needs an end",
			"while it goes on, give a number of points");
	if (!err)
		err = sm_stepper_new(live->trace, &run, &live->stepper);
	if (!err)
		err = open_book(
			live, p->family == SM_FAMILY_PAGE ? SM_FAMILY_PAGE : SM_FAMILY_SLAB);
	if (!err && p->family == SM_FAMILY_AUTO && !p->events.n)
		err = open_book(live, SM_FAMILY_PAGE);
	return err;
}

struct sm_error *sm_live_open_replay(struct sm_trace *trace, uint64_t step_ns,
	const struct sm_live_opts *opts, struct sm_live **out)
{
	struct sm_live *live = calloc(1, sizeof(*live));
	struct sm_error *err;

	*out = NULL;
	if (!live)
		return sm_error_nomem();
	live->trace = trace;
	live->step_ns = step_ns;
	err = step_ns ? sm_live_begin(live, opts)
		      : sm_error_new(SM_E_USAGE, NULL, "steps of no length", NULL);
	if (err) {
		sm_live_free(live);
		return err;
	}
	*out = live;
	return NULL;
}

void sm_live_free(struct sm_live *live)
{
	if (!live)
		return;
	while (live->nbooks)
		close_book(&live->books[--live->nbooks]);
	sm_stepper_free(live->stepper);
	/* Its streams are the recorder's. */
	if (live->recorder)
		sm_trace_free(live->trace);
	sm_recorder_free(live->recorder);
	free(live);
}

static uint64_t later(uint64_t ts, uint64_t ns)
{
	return ns < UINT64_MAX - ts ? ts + ns : UINT64_MAX;
}

static uint64_t moment_ns(const struct sm_moment *m, uint64_t first, uint64_t otherwise)
{
	switch (m->kind) {
	case SM_MOMENT_NS:
		return m->ns;
	case SM_MOMENT_FROM_START:
		return later(first, m->ns);
	default:
		return otherwise;
	}
}

static void begin_window(struct sm_live *live, uint64_t first)
{
	live->begun = true;
	live->first = first;
	for (unsigned i = 0; i < live->nbooks; i++) {
		struct filter *f = &live->books[i].counter.filter;

		f->from = moment_ns(&live->popts.from, first, 0);
		f->to = moment_ns(&live->popts.to, first, UINT64_MAX);
	}
}

static struct sm_error *count_batch(void *ctx, const struct sm_batch *batch)
{
	struct sm_live *live = ctx;
	struct sm_error *err = NULL;

	if (!live->begun)
		begin_window(live, batch->events->ts);
	for (unsigned i = 0; i < live->nbooks && !err; i++)
		err = sm_count_batch(&live->books[i].counter, batch);
	if (live->nbooks > 1 && live->books[0].counter.slab_allocs)
		close_book(&live->books[--live->nbooks]);
	return err;
}

static uint64_t count_of_lost(const struct sm_live_status *st)
{
	return st->lost + st->lost_unknown;
}

static void tell_status(struct sm_live *live)
{
	const struct sm_health *h = &live->trace->health;
	struct sm_live_status *st = &live->status, old = *st;
	uint64_t last = h->has_window ? h->last_ts : 0;
	uint64_t reached = sm_stepper_reached(live->stepper);
	double seconds = (double)live->step_ns / 1e9;

	st->ended = sm_stepper_ended(live->stepper);
	live->now = st->ended || reached == UINT64_MAX ? last : reached;
	st->now_ns = live->now;
	st->elapsed_ns = live->begun && live->now > live->first ? live->now - live->first : 0;
	st->events = h->events;
	st->events_per_s =
		live->step_ns ? (uint64_t)((double)(st->events - old.events) / seconds) : 0;
	st->lost = h->lost_events + h->dropped;
	st->lost_unknown = h->lost_unknown;
	st->kept_all = true;
	if (live->recorder)
		sm_live_tell_kernel(live, st);
	st->lost_now = count_of_lost(st) > count_of_lost(&old)
			       ? count_of_lost(st) - count_of_lost(&old)
			       : 0;
}

static struct sm_error *step_replay(struct sm_live *live)
{
	uint64_t from = live->now, until;

	if (!live->begun && !sm_stepper_next(live->stepper, &from))
		from = 0; /* there is nothing: this step finds that out */
	until = later(from, live->step_ns);
	return sm_stepper_step(live->stepper, until, count_batch, live);
}

struct sm_error *sm_live_step(struct sm_live *live)
{
	uint64_t now = sm_now_ns();
	struct sm_error *err;

	if (live->recorder) {
		live->step_ns = now - live->stepped_at;
		live->stepped_at = now;
		err = sm_live_step_kernel(live, count_batch);
	} else {
		err = step_replay(live);
	}
	tell_status(live);
	return err;
}

void sm_live_status(const struct sm_live *live, struct sm_live_status *status)
{
	*status = live->status;
}

struct sm_trace *sm_live_trace(struct sm_live *live)
{
	return live->trace;
}

/* ---- snapshots ---- */

/* A counter with the same contents, for the snapshot's own changes. What it owns: */
struct copy {
	struct counter counter;
	bool own_rows;
};

static void release_copy(struct copy *copy)
{
	struct row_table *rows = &copy->counter.profile->priv->rows;

	/* The profile has no use for the table any more; of the counter's only the rows were
	 * copied. */
	if (copy->own_rows)
		free(rows->rows);
	memset(rows, 0, sizeof(*rows));
	sm_live_release(&copy->counter.slab);
	sm_live_release(&copy->counter.pages);
}

static struct sm_error *make_copy(
	struct copy *copy, const struct sm_live *live, const struct counter *c)
{
	struct sm_profile_private *priv = copy->counter.profile->priv;
	struct counter *own = &copy->counter;
	struct count_row *rows;

	own->trace = c->trace;
	own->filter = c->filter;
	own->peak_ts = c->peak_ts;
	own->epoch = c->epoch;
	own->slab_allocs = c->slab_allocs;
	own->page_allocs = c->page_allocs;
	own->unmatched = c->unmatched;
	own->failed = c->failed;
	own->reused = c->reused;
	own->rows = &priv->rows;
	priv->rows = *c->rows;
	if (!sm_attr_set_copy(&priv->attrs, c->attrs))
		return sm_error_nomem();
	if (!live->popts.older && !live->popts.keep_live)
		return NULL;
	if (!sm_live_copy(&own->slab, &c->slab) || !sm_live_copy(&own->pages, &c->pages))
		return sm_error_nomem();
	if (!live->popts.older)
		return NULL;
	rows = malloc((priv->rows.n + 1) * sizeof(*rows));
	if (!rows)
		return sm_error_nomem();
	if (priv->rows.n)
		memcpy(rows, priv->rows.rows, priv->rows.n * sizeof(*rows));
	priv->rows.rows = rows;
	copy->own_rows = true;
	return NULL;
}

static struct sm_error *snap(
	struct sm_live *live, const struct book *book, struct sm_profile *profile)
{
	const struct sm_profile_opts *popts = &live->popts;
	struct copy copy = {.counter.profile = profile};
	struct sm_error *err = make_copy(&copy, live, &book->counter);

	if (!err) {
		sm_counter_tell(&copy.counter, popts, book->family, live->now);
		profile->known |= (1u << SM_M_REF_COUNT) - 1;
		if (sm_profile_takes_refs(live->trace, popts))
			profile->known |= 1u << SM_M_REF_COUNT;
		if (popts->older)
			sm_counter_keep_older(&copy.counter, popts->older, profile->to);
		if (popts->keep_live)
			err = sm_counter_keep_live(&copy.counter);
	}
	if (!err)
		err = sm_rows_finish(profile, book->counter.epoch);
	release_copy(&copy);
	return err;
}

static struct sm_error *snap_timeline(struct sm_live *live, const struct book *book,
	const struct sm_profile *profile, struct sm_timeline **timeline)
{
	const struct meter *from = &book->meter;
	struct meter m = *from;
	struct sm_error *err = sm_stepper_find_gaps(live->stepper);

	if (err)
		return err;
	m.cap = m.n;
	m.points = malloc((m.n + 1) * sizeof(*m.points));
	if (!m.points)
		return sm_error_nomem();
	if (m.n)
		memcpy(m.points, from->points, m.n * sizeof(*m.points));
	m.now = m.n ? &m.points[m.n - 1] : NULL;
	err = sm_timeline_take(&m, profile, &live->popts, live->opts.timeline, timeline);
	free(m.points);
	return err;
}

/* As sm_profile_build() chooses: slab, unless there are only page events. */
static const struct book *choose_book(const struct sm_live *live)
{
	const struct book *other = &live->books[1];

	return live->nbooks > 1 && other->counter.page_allocs ? other : &live->books[0];
}

struct sm_error *sm_live_profile(
	struct sm_live *live, struct sm_profile **out, struct sm_timeline **timeline)
{
	const struct book *book = choose_book(live);
	struct sm_profile *profile;
	struct sm_error *err = sm_profile_new(live->trace, &live->popts, &profile);

	*out = NULL;
	if (timeline)
		*timeline = NULL;
	if (err)
		return err;
	err = snap(live, book, profile);
	if (!err && timeline && live->opts.timeline)
		err = snap_timeline(live, book, profile, timeline);
	if (err) {
		sm_profile_free(profile);
		return err;
	}
	*out = profile;
	return NULL;
}
