/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Counting: each event goes to its row, the live set follows objects from allocation to free, and
 * the peak's shares are kept without a copy per peak (see struct count_row).
 */
#ifndef SM_PROFILE_COUNTER_H
#define SM_PROFILE_COUNTER_H

#include "internal.h"

/* Slots of counter.early: a later one takes an earlier one's place. */
#define EARLY_FREES 4096

struct early_free {
	uint64_t ptr, ts;
	uint32_t cpu;
};

struct counter {
	struct sm_profile *profile;
	struct sm_trace *trace;
	struct filter filter;
	struct row_table *rows;
	struct attr_set *attrs;
	struct live_set slab, pages;
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
	if (c->live_total > c->peak_total) {
		c->peak_total = c->live_total;
		c->peak_ts = ts;
		c->epoch++;
	}
}

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
}

/* A sink for sm_trace_run(); `ctx` is the counter. */
struct sm_error *sm_count_batch(void *ctx, const struct sm_batch *batch) SM_MUST_CHECK;

#endif
