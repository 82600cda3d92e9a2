/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Counting: each event goes to its row, the live set follows objects from allocation to free, and
 * the peak's shares are kept without a copy per peak (see struct count_row).
 */
#ifndef SM_PROFILE_COUNTER_H
#define SM_PROFILE_COUNTER_H

#include "internal.h"
#include "meter.h"

/* Slots of counter.early: a later one takes an earlier one's place. */
#define EARLY_FREES 4096

struct early_free {
	uint64_t ptr, ts;
	uint32_t cpu;
};

/* So many events are read between two questions whether to go on. */
#define STOP_EVENTS 1024

/* sm_trace_run() is silent about a sink that stops it: `stopped` isn't. */
struct stop {
	const struct sm_profile_opts *opts;
	size_t left; /* events until the next question */
	bool stopped;
};

/* `n` events come next. SM_E_STOPPED when nobody wants them. */
static inline struct sm_error *stop_asked(struct stop *stop, size_t n)
{
	if (stop->left > n) {
		stop->left -= n;
		return NULL;
	}
	stop->left = STOP_EVENTS;
	if (!stop->opts->stopped || !stop->opts->stopped(stop->opts->stopped_ctx))
		return NULL;
	stop->stopped = true;
	return sm_error_new(SM_E_STOPPED, NULL, "stopped before the end", NULL);
}

struct counter {
	struct sm_profile *profile;
	struct sm_trace *trace;
	struct filter filter;
	struct stop stop;
	struct row_table *rows;
	struct attr_set *attrs;
	struct live_set slab, pages;
	struct meter *meter;      /* NULL: only what it comes to matters; borrowed */
	struct early_free *early; /* NULL: the clock orders events across CPUs */
	uint64_t split_pages;     /* of the largest block that was freed in part */
	uint64_t live_total, peak_total, epoch, peak_ts;
	uint64_t slab_allocs, page_allocs; /* seen, filters aside */
	uint64_t unmatched, failed, reused;
};

/* Call before a row's live figures change. */
static inline void touch(struct counter *c, struct count_row *row)
{
	if (row->epoch != c->epoch) {
		row->peak = row->live_bytes;
		row->epoch = c->epoch;
	}
}

static inline void add_live(struct counter *c, uint32_t r, uint64_t bytes, uint64_t ts)
{
	struct count_row *row = &c->rows->rows[r];

	touch(c, row);
	row->live_bytes += bytes;
	row->live_count++;
	c->live_total += bytes;
	if (c->meter) {
		meter_live_bytes(c->meter, r, bytes, 0);
		meter_live_count(c->meter, r, 1, 0, ts);
	}
	if (c->live_total > c->peak_total) {
		c->peak_total = c->live_total;
		c->peak_ts = ts;
		c->epoch++;
	}
}

/* `whole`: and with these bytes the object. */
static inline void drop_live(struct counter *c, uint32_t r, uint64_t bytes, bool whole)
{
	struct count_row *row;

	if (r == ROW_NONE)
		return;
	row = &c->rows->rows[r];
	touch(c, row);
	row->live_bytes -= bytes;
	row->live_count -= whole;
	c->live_total -= bytes;
	if (c->meter) {
		meter_live_bytes(c->meter, r, 0, bytes);
		meter_live_count(c->meter, r, 0, whole, 0);
	}
}

/* What is left of an object became one more. */
static inline void add_piece(struct counter *c, uint32_t r, uint64_t ts)
{
	if (r == ROW_NONE)
		return;
	c->rows->rows[r].live_count++;
	if (c->meter)
		meter_live_count(c->meter, r, 1, 0, ts);
}

/* A sink for sm_trace_run(); `ctx` is the counter. */
struct sm_error *sm_count_batch(void *ctx, const struct sm_batch *batch) SM_MUST_CHECK;

/* ---- profile.c ---- */

/* One with nothing in it but an opened trace and opts' attributes. */
struct sm_error *sm_profile_new(const struct sm_trace *trace, const struct sm_profile_opts *opts,
	struct sm_profile **profile) SM_MUST_CHECK;
/* Empties c->profile and all but the trace and the meter, which begins anew. */
void sm_counter_reset(struct counter *c, const struct sm_profile_opts *opts);
/* After a reset: what will be counted. `opts` are borrowed until sm_counter_release(). */
struct sm_error *sm_counter_begin(struct counter *c, const struct sm_profile_opts *opts,
	enum sm_family family, uint64_t from, uint64_t to) SM_MUST_CHECK;
/* What was counted up to `now`, into c->profile, but for its rows. */
void sm_counter_tell(
	struct counter *c, const struct sm_profile_opts *opts, enum sm_family family, uint64_t now);
/* Before rows are finished: only objects of at least this age stay in the live figures. */
void sm_counter_keep_older(struct counter *c, uint64_t age, uint64_t now);
/* Likewise: the live sets go to the profile. */
struct sm_error *sm_counter_keep_live(struct counter *c) SM_MUST_CHECK;
/* The profile's rows have references of the trace's map: sm_counter_add_refs(). */
bool sm_profile_takes_refs(const struct sm_trace *trace, const struct sm_profile_opts *opts);
struct sm_error *sm_counter_add_refs(struct counter *c) SM_MUST_CHECK;
/* One reading of the pages; the counter, which is new, then holds what is counted of [from, to]. */
struct sm_error *sm_count_pages(struct counter *c, const struct sm_profile_opts *opts,
	enum sm_family family, uint64_t from, uint64_t to) SM_MUST_CHECK;
/* What it owns: the rows are the profile's. */
void sm_counter_release(struct counter *c);
/* sm_profile_build(), with a meter that runs along, or NULL. */
struct sm_error *sm_profile_measure(struct sm_trace *trace, const struct sm_profile_opts *opts,
	struct meter *meter, struct sm_profile **profile) SM_MUST_CHECK;

#endif
