/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One CPU's pages: their headers, what was lost before them, and what can be kept of a damaged one.
 * The layout is that of the kernel's ring buffer (kernel/trace/ring_buffer.c) as its header_page
 * file describes it.
 *
 * The batch that is being filled is the queue of events too: a stack finds its event by the list of
 * those that wait. When a batch is handed over, everything from the oldest waiting event on is
 * carried over into the next one, so that events leave in their order and complete.
 */
#include <stdlib.h>

#include "internal.h"

#define COMMIT_LOST (UINT32_C(1) << 31)
#define COMMIT_LOST_STORED (UINT32_C(1) << 30)
#define COMMIT_LENGTH ((UINT32_C(1) << 27) - 1)

void sm_event_batch_release(struct event_batch *b)
{
	free(b->events);
	sm_buf_release(&b->raw);
	memset(b, 0, sizeof(*b));
}

struct sm_error *sm_decoder_open(
	struct decoder *d, struct sm_trace *trace, struct sm_trace_cpu *cpu, bool raw)
{
	memset(d, 0, sizeof(*d));
	d->trace = trace;
	d->cpu = cpu;
	d->raw = raw;
	d->take = trace->layout.page_size;
	while (d->take < (trace->ncpus > 32 ? 65536u : 262144u))
		d->take += trace->layout.page_size;
	return sm_source_stream(trace->src, cpu->member, &d->stream);
}

void sm_decoder_close(struct decoder *d)
{
	sm_stream_free(d->stream);
	sm_event_batch_release(&d->carry);
	free(d->scratch);
	free(d->unresolved);
	sm_findings_release(&d->findings);
	sm_gaps_release(&d->gaps);
	sm_error_free(d->error);
	sm_error_free(d->damage);
	memset(d, 0, sizeof(*d));
}

/* What follows `reached` is missing, up to `to`. */
static void add_gap(struct decoder *d, struct sm_gap gap)
{
	gap.cpu = d->cpu->cpu;
	gap.from = d->reached;
	if (gap.to < gap.from)
		gap.to = gap.from;
	if (!sm_gaps_add(&d->gaps, &gap) && !d->error)
		d->error = sm_error_nomem();
}

static void corrupt(struct decoder *d, const char *what, uint64_t offset, size_t rest)
{
	d->cpu->corrupt_pages++;
	d->health.corrupt_pages++;
	d->health.corrupt_bytes += rest;
	/* What is missing may have been the event that the next stack belongs to. */
	d->nwaiting = 0;
	if (rest)
		add_gap(d, (struct sm_gap){.to = SM_GAP_OPEN, .damaged = 1});
	sm_findings_add(&d->findings, what, d->cpu->member, offset,
		"the rest of its page (%zu bytes) is left out", rest);
}

static bool all_zero(const uint8_t *p, size_t len)
{
	return len == 0 || (p[0] == 0 && memcmp(p, p + 1, len - 1) == 0);
}

/* Counts what was lost before this page. False when the stored number doesn't fit. */
static bool take_loss(struct decoder *d, const uint8_t *page, size_t have, uint32_t commit)
{
	const struct sm_layout *l = &d->trace->layout;
	size_t end = l->data_offset + (commit & COMMIT_LENGTH);
	struct sm_gap gap = {.to = d->time, .lost_unknown = 1};
	bool fits = true;
	uint64_t lost;

	d->nwaiting = 0;
	if (commit & COMMIT_LOST_STORED) {
		fits = end + l->long_size <= l->page_size && end + l->long_size <= have;
		lost = !fits               ? UINT64_MAX
		       : l->long_size == 8 ? sm_load64(page + end, l->swap)
					   : sm_load32(page + end, l->swap);
		if (lost != (l->long_size == 8 ? UINT64_MAX : UINT32_MAX) && !(lost >> 62)) {
			gap.lost = lost;
			gap.lost_unknown = 0;
		}
	}
	d->health.lost_events += gap.lost;
	d->cpu->lost_events += gap.lost;
	d->health.lost_unknown += gap.lost_unknown;
	d->cpu->lost_unknown += gap.lost_unknown;
	add_gap(d, gap);
	return fits;
}

/* One page, of which `have` bytes are there: fewer than a page only where the input ends. */
static void decode_page(struct decoder *d, const uint8_t *page, size_t have)
{
	const struct sm_layout *l = &d->trace->layout;
	const char *fault;
	size_t len, at = 0, usable;
	uint32_t commit;
	bool loss_fits = true;

	if (have < l->data_offset) {
		d->health.truncated = true;
		corrupt(d, "page header cut short", d->page_offset, have);
		return;
	}
	d->cpu->pages++;
	commit = l->long_size == 8 ? (uint32_t)sm_load64(page + l->commit_offset, l->swap)
				   : sm_load32(page + l->commit_offset, l->swap);
	d->time = sm_load64(page + l->time_offset, l->swap);
	len = commit & COMMIT_LENGTH;
	if (commit == 0 && d->time == 0 && all_zero(page, have)) {
		corrupt(d, "page of zeros", d->page_offset, have);
		return;
	}
	if (len > l->page_size - l->data_offset) {
		corrupt(d, "page longer than a sub-buffer", d->page_offset + l->commit_offset,
			have - l->data_offset);
		return;
	}
	if (commit & COMMIT_LOST)
		loss_fits = take_loss(d, page, have, commit);
	sm_gaps_close(&d->gaps, d->time);
	usable = have - l->data_offset < len ? have - l->data_offset : len;
	d->cpu->bytes += usable;
	fault = l->swap ? sm_decode_swapped(d, page + l->data_offset, usable, &at)
			: sm_decode_native(d, page + l->data_offset, usable, &at);
	d->reached = d->time;
	if (usable < len) {
		d->health.truncated = true;
		fault = "page cut short";
	}
	if (fault)
		corrupt(d, fault, d->page_offset + l->data_offset + at, usable - at);
	else if (!loss_fits)
		corrupt(d, "number of lost events does not fit its page", d->page_offset + have, 0);
}

/* Puts what was carried over at the start of `out`. */
static void resume(struct decoder *d, struct event_batch *out)
{
	out->n = 0;
	sm_buf_reset(&out->raw);
	if (d->carry.n) {
		if (!sm_grow(&out->events, &out->cap, d->carry.n, sizeof(*out->events))) {
			d->error = sm_error_nomem();
			return;
		}
		memcpy(out->events, d->carry.events, d->carry.n * sizeof(*out->events));
		out->n = d->carry.n;
		if (d->raw)
			sm_buf_add(&out->raw, d->carry.raw.data, d->carry.raw.len);
		d->carry.n = 0;
	}
	d->out = out;
}

/* Events that nothing holds back any more. */
static size_t complete(const struct decoder *d, const struct event_batch *out)
{
	return d->nwaiting ? d->waiting[0].event : out->n;
}

/* Keeps back what still waits, unless this is the end. */
static void suspend(struct decoder *d, struct event_batch *out)
{
	size_t from = d->done ? out->n : complete(d, out);
	size_t n = out->n - from;

	if (n) {
		struct event_batch *c = &d->carry;

		if (n > c->cap && !sm_grow(&c->events, &c->cap, n, sizeof(*c->events))) {
			d->error = sm_error_nomem();
			return;
		}
		memcpy(c->events, out->events + from, n * sizeof(*c->events));
		c->n = n;
		if (d->raw) {
			uint32_t raw = c->events[0].raw;

			sm_buf_reset(&c->raw);
			sm_buf_add(&c->raw, out->raw.data + raw, out->raw.len - raw);
			for (size_t i = 0; i < n; i++)
				c->events[i].raw -= raw;
		}
		for (unsigned i = 0; i < d->nwaiting; i++)
			d->waiting[i].event -= (uint32_t)from;
	}
	out->n = from;
	if (out->raw.failed || d->carry.raw.failed)
		d->error = d->error ? d->error : sm_error_nomem();
}

/* The stack of an event comes right after it, but for interrupts. What has waited for long at what
 * is the end for now never had one. */
static void give_up(struct decoder *d)
{
	unsigned n = 0;

	while (n < d->nwaiting && d->out->events[d->waiting[n].event].ts < d->give_up)
		n++;
	d->nwaiting -= n;
	memmove(d->waiting, d->waiting + n, d->nwaiting * sizeof(d->waiting[0]));
}

/* Takes the next pages from the stream; false at its end. */
static bool take_run(struct decoder *d)
{
	struct sm_error *err;

	d->run_offset = sm_stream_offset(d->stream);
	err = sm_stream_take(d->stream, d->take, &d->run, &d->run_len);
	if (err) {
		if (err->code == SM_E_NOMEM)
			d->error = err;
		else
			d->damage = err;
		add_gap(d, (struct sm_gap){.to = SM_GAP_OPEN, .damaged = 1});
		d->health.truncated = true;
		d->run_len = 0;
	}
	return d->run_len > 0;
}

void sm_decoder_fill(struct decoder *d, struct event_batch *out, size_t target)
{
	const size_t page_size = d->trace->layout.page_size;

	d->dry = false;
	resume(d, out);
	while (complete(d, out) < target && !d->error && !d->done) {
		size_t have;

		if (d->run_len == 0 && !take_run(d)) {
			d->dry = d->goes_on && !d->damage && !d->error;
			d->done = !d->dry;
			if (d->dry)
				give_up(d);
			break;
		}
		have = d->run_len < page_size ? d->run_len : page_size;
		d->page_offset = d->run_offset;
		decode_page(d, d->run, have);
		d->run += have;
		d->run_len -= have;
		d->run_offset += have;
	}
	suspend(d, out);
	out->health = d->health;
}
