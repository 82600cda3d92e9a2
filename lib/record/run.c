/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * All CPUs' events in one order of time. Each CPU is a lane with a few batches: workers fill them,
 * the caller's thread merges them and hands out runs. When the merger needs a batch that nobody is
 * filling, it fills that itself, so one thread alone works too.
 */
#include <stdlib.h>

#include "lanes.h"

/* Waking a thread costs as much as a good part of a batch: an idle worker is woken once a lane is
 * this low, then fills it up. */
#define LOW 1

static void wake_worker(struct run *run, const struct lane *lane)
{
	if (run->idle && lane->ready <= LOW && !lane->busy && !lane->done)
		pthread_cond_signal(&run->room);
}

/* Fills the lane's next batch; called and returns with the lock held. */
static void fill(struct run *run, struct lane *lane)
{
	struct event_batch *batch = &lane->batches[lane->write];
	uint64_t pages = lane->decoder.cpu->pages;

	lane->busy = true;
	pthread_mutex_unlock(&run->lock);
	sm_decoder_fill(&lane->decoder, batch, run->target);
	pthread_mutex_lock(&run->lock);
	lane->busy = false;
	run->pages_done += lane->decoder.cpu->pages - pages;
	if (lane->decoder.error) {
		run->stop = true;
		lane->done = true;
	}
	if (lane->decoder.done)
		lane->done = true;
	lane->dry = lane->decoder.dry;
	if (batch->n) {
		lane->write = (lane->write + 1) % BATCHES;
		lane->ready++;
	}
	if (run->merger_waits)
		pthread_cond_signal(&run->filled);
	wake_worker(run, lane);
	if (lane->done && run->idle)
		pthread_cond_broadcast(&run->room);
}

/* The lane to be filled next, NULL when all are full or being filled. */
static struct lane *neediest(struct run *run)
{
	struct lane *best = NULL;

	for (size_t i = 0; i < run->nlanes; i++) {
		struct lane *lane = &run->lanes[i];

		if (lane->busy || lane->done || lane->dry || lane->ready == BATCHES)
			continue;
		if (!best || lane->ready < best->ready)
			best = lane;
	}
	return best;
}

static bool all_done(const struct run *run)
{
	for (size_t i = 0; i < run->nlanes; i++)
		if (!run->lanes[i].done)
			return false;
	return true;
}

static void *work(void *arg)
{
	struct run *run = arg;

	pthread_mutex_lock(&run->lock);
	while (!run->stop && !all_done(run)) {
		struct lane *lane = neediest(run);

		if (lane) {
			fill(run, lane);
		} else {
			run->idle++;
			pthread_cond_wait(&run->room, &run->lock);
			run->idle--;
		}
	}
	pthread_mutex_unlock(&run->lock);
	return NULL;
}

bool sm_run_advance(struct run *run, struct lane *lane, bool first)
{
	bool more;

	pthread_mutex_lock(&run->lock);
	if (!first) {
		lane->told = lane->batches[lane->read].health;
		lane->read = (lane->read + 1) % BATCHES;
		lane->ready--;
		wake_worker(run, lane);
	}
	while (lane->ready == 0 && !lane->done && !lane->dry && !run->stop) {
		/* While somebody else fills this one, there may be another one to fill. */
		struct lane *useful = lane->busy ? neediest(run) : lane;

		if (useful) {
			fill(run, useful);
		} else {
			run->merger_waits = true;
			pthread_cond_wait(&run->filled, &run->lock);
			run->merger_waits = false;
		}
	}
	more = lane->ready > 0 && !run->stop;
	run->bytes_done = run->pages_done * run->trace->layout.page_size;
	if (more) {
		const struct event_batch *batch = &lane->batches[lane->read];

		lane->pos = batch->events;
		lane->end = batch->events + batch->n;
	}
	pthread_mutex_unlock(&run->lock);
	return more;
}

static inline bool before(const struct lane *a, const struct lane *b)
{
	if (a->pos->ts != b->pos->ts)
		return a->pos->ts < b->pos->ts;
	return a < b;
}

static void sift_down(struct run *run, size_t i)
{
	for (;;) {
		size_t least = i, child = 2 * i + 1;
		struct lane *swap;

		for (size_t k = child; k < child + 2 && k < run->nheap; k++)
			if (before(run->heap[k], run->heap[least]))
				least = k;
		if (least == i)
			return;
		swap = run->heap[i];
		run->heap[i] = run->heap[least];
		run->heap[least] = swap;
		i = least;
	}
}

/* The lane that comes right after the first one, NULL when there is none. */
static const struct lane *second(const struct run *run)
{
	if (run->nheap < 2)
		return NULL;
	if (run->nheap == 2 || before(run->heap[1], run->heap[2]))
		return run->heap[1];
	return run->heap[2];
}

static struct sm_error *emit(struct run *run, const struct lane *lane, const struct sm_event *from,
	const struct sm_event *to)
{
	struct sm_health *h = &run->trace->health;
	struct sm_batch batch = {
		.events = from,
		.n = (size_t)(to - from),
		.ahead = (size_t)(lane->end - to),
		.raw = (const uint8_t *)lane->batches[lane->read].raw.data,
	};

	if (!h->has_window) {
		h->has_window = true;
		h->first_ts = h->last_ts = from->ts;
	}
	/* Not only the ends: time may go back a little. */
	for (const struct sm_event *ev = from; ev < to; ev++) {
		h->first_ts = ev->ts < h->first_ts ? ev->ts : h->first_ts;
		h->last_ts = ev->ts > h->last_ts ? ev->ts : h->last_ts;
	}
	return run->sink ? run->sink(run->ctx, &batch) : NULL;
}

/* Events of a dry lane that still wait for their stacks are handed out in their turn: nothing that
 * is later goes before them. */
static void hold_back(struct run *run, const struct lane *lane)
{
	const struct event_batch *carry = &lane->decoder.carry;

	if (lane->dry && carry->n && carry->events[0].ts <= run->until)
		run->until = carry->events[0].ts ? carry->events[0].ts - 1 : 0;
}

void sm_run_order(struct run *run)
{
	run->nheap = 0;
	for (size_t i = 0; i < run->nlanes; i++) {
		struct lane *lane = &run->lanes[i];

		if (lane->pos < lane->end || sm_run_advance(run, lane, true))
			run->heap[run->nheap++] = lane;
		else
			hold_back(run, lane);
	}
	for (size_t i = run->nheap / 2; i-- > 0;)
		sift_down(run, i);
}

struct sm_error *sm_run_merge(struct run *run)
{
	struct sm_error *err = NULL;

	while (run->nheap && !err) {
		struct lane *lane = run->heap[0];
		const struct lane *next = second(run);
		const struct sm_event *from = lane->pos;

		if (from->ts > run->until)
			break;
		if (!next && run->until == UINT64_MAX) {
			lane->pos = lane->end;
		} else {
			uint64_t limit = run->until == UINT64_MAX ? UINT64_MAX : run->until + 1;

			if (next && next->pos->ts < limit)
				limit = next->pos->ts;
			/* The first event is due by the heap's order, ties included. */
			do
				lane->pos++;
			while (lane->pos < lane->end && lane->pos->ts < limit);
		}
		err = emit(run, lane, from, lane->pos);
		if (!err && lane->pos == lane->end) {
			sm_progress_tick(run->trace->priv->progress, "reading pages",
				run->bytes_done, run->bytes_total);
			if (!sm_run_advance(run, lane, false)) {
				run->heap[0] = run->heap[--run->nheap];
				if (run->stop)
					break;
				hold_back(run, lane);
			}
		}
		sift_down(run, 0);
	}
	return err;
}

struct sm_error *sm_run_collect(struct run *run)
{
	struct sm_trace *trace = run->trace;
	struct sm_error *fatal = NULL;

	for (size_t i = 0; i < run->nlanes; i++) {
		struct decoder *d = &run->lanes[i].decoder;

		sm_health_add(&trace->health, &d->health);
		sm_findings_move(&trace->priv->findings, &d->findings);
		if (!sm_gaps_move(&trace->priv->gaps, &d->gaps) && !fatal)
			fatal = sm_error_nomem();
		if (d->error && !fatal) {
			fatal = d->error;
			d->error = NULL;
		}
		if (d->damage) {
			sm_findings_add(&trace->priv->findings, "pages end early", d->cpu->member,
				d->damage->has_offset ? d->damage->offset : 0, "%s: %s",
				d->damage->what, d->damage->detail ? d->damage->detail : "");
			if (!trace->damage) {
				trace->damage = d->damage;
				d->damage = NULL;
			}
		}
		for (size_t k = 0; d->unresolved && k < SM_MAP_MAX_IDS / 64; k++)
			trace->unresolved[k] |= d->unresolved[k];
	}
	sm_gaps_finish(&trace->priv->gaps, &trace->priv->scale);
	return fatal;
}

struct sm_error *sm_run_prepare(struct run *run, const struct sm_run_opts *opts)
{
	struct sm_trace *trace = run->trace;
	bool truncated = sm_source_damage(trace->src) != NULL;
	struct sm_error *err;

	pthread_mutex_init(&run->lock, NULL);
	pthread_cond_init(&run->filled, NULL);
	pthread_cond_init(&run->room, NULL);
	memset(&trace->health, 0, sizeof(trace->health));
	trace->health.truncated = truncated;
	trace->health.generation = trace->generation;
	trace->health.map_drops = trace->map_stat.drops;
	sm_findings_release(&trace->priv->findings);
	sm_gaps_release(&trace->priv->gaps);
	if (!trace->unresolved)
		trace->unresolved = malloc(SM_MAP_MAX_IDS / 8);
	run->nlanes = trace->ncpus;
	run->target = run->nlanes <= 8 ? 1024 : 32768 / run->nlanes;
	if (run->target < 128)
		run->target = 128;
	run->lanes = calloc(run->nlanes + 1, sizeof(*run->lanes));
	run->heap = calloc(run->nlanes + 1, sizeof(struct lane *));
	if (!run->lanes || !run->heap || !trace->unresolved)
		return sm_error_nomem();
	memset(trace->unresolved, 0, SM_MAP_MAX_IDS / 8);
	for (size_t i = 0; i < run->nlanes; i++) {
		struct sm_trace_cpu *cpu = &trace->cpus[i];

		cpu->pages = cpu->records = cpu->bytes = cpu->corrupt_pages = 0;
		cpu->lost_events = cpu->lost_unknown = 0;
		trace->health.dropped += cpu->stats.dropped;
		err = sm_decoder_open(&run->lanes[i].decoder, trace, cpu, opts->raw);
		if (err)
			return err;
		run->bytes_total += sm_stream_size(run->lanes[i].decoder.stream);
	}
	return NULL;
}

void sm_run_release(struct run *run)
{
	for (size_t i = 0; i < run->nlanes && run->lanes; i++) {
		if (run->lanes[i].decoder.trace)
			sm_decoder_close(&run->lanes[i].decoder);
		for (unsigned k = 0; k < BATCHES; k++)
			sm_event_batch_release(&run->lanes[i].batches[k]);
	}
	free(run->lanes);
	free(run->heap);
	pthread_cond_destroy(&run->filled);
	pthread_cond_destroy(&run->room);
	pthread_mutex_destroy(&run->lock);
}

static struct sm_error *run_threads(struct run *run, unsigned nworkers)
{
	pthread_t *workers = calloc(nworkers + 1, sizeof(*workers));
	unsigned started = 0;
	struct sm_error *err;

	if (!workers)
		return sm_error_nomem();
	/* Fewer workers than wanted only cost time. */
	while (started < nworkers && pthread_create(&workers[started], NULL, work, run) == 0)
		started++;
	sm_run_order(run);
	err = sm_run_merge(run);
	pthread_mutex_lock(&run->lock);
	run->stop = true;
	pthread_cond_broadcast(&run->room);
	pthread_mutex_unlock(&run->lock);
	while (started)
		pthread_join(workers[--started], NULL);
	free(workers);
	return err;
}

struct sm_error *sm_trace_run(
	struct sm_trace *trace, const struct sm_run_opts *opts, sm_sink sink, void *ctx)
{
	struct run run = {.trace = trace, .until = UINT64_MAX, .sink = sink, .ctx = ctx};
	unsigned threads = opts->threads ? opts->threads : sm_cpu_count();
	struct sm_error *err, *fatal;

	if (trace->text.kind)
		return trace->priv->owner && sink ? owner_events_run(trace, opts, sink, ctx) : NULL;
	err = sm_run_prepare(&run, opts);
	if (!err) {
		if (threads > run.nlanes + 1)
			threads = (unsigned)run.nlanes + 1;
		err = run_threads(&run, threads - 1);
		fatal = sm_run_collect(&run);
		if (err && err->code == SM_E_STOPPED) {
			sm_error_free(err);
			err = NULL;
		}
		if (err)
			sm_error_free(fatal);
		else
			err = fatal;
	}
	sm_run_release(&run);
	return err;
}
