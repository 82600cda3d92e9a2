/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One event after the other into rows and live sets. */
#include <stdlib.h>

#include "counter.h"

/* Addresses up to ZERO_SIZE_PTR belong to no object. */
#define ZERO_SIZE_PTR 16
/* A page block is never larger than 2^MAX_SPLIT pages here (the decoder refuses more than 2^20). */
#define MAX_SPLIT 20
/* How far before a page a piece that holds it is looked for: the largest block that kernels have.
 */
#define MAX_LOOK_BACK 1024
/* No object starts above: its end must not wrap around, and LIVE_FREE isn't an address. */
#define LAST_PTR (UINT64_MAX - (UINT64_C(2) << MAX_SPLIT))

/* The live set is larger than a cache: slots are asked for so many events before their turn. */
#define PREFETCH 8

/* Under a clock that doesn't order CPUs a free can seem to precede its allocation by this much. */
#define CLOCK_SKEW_NS UINT64_C(1000000)

/* The row that the event is counted in, ROW_NONE when memory is short. */
static uint32_t row_of(struct counter *c, const struct sm_event *ev)
{
	size_t known = c->rows->n;
	uint32_t row;

	if (!c->attrs->n) {
		row = sm_rows_by_stack(c->rows, ev->stack);
	} else {
		uint32_t attr = sm_attr_set_of(c->attrs, c->trace, ev);

		if (attr == UINT32_MAX)
			return ROW_NONE;
		row = sm_rows_by_pair(
			c->rows, c->profile->by_stack ? ev->stack : SM_STACK_NONE, attr);
	}
	/* It wasn't there at any peak so far. */
	if (row != ROW_NONE && row >= known)
		c->rows->rows[row].epoch = c->epoch;
	return row;
}

static inline size_t early_slot(uint64_t ptr)
{
	return (size_t)((ptr * UINT64_C(0x9e3779b97f4a7c15)) >> 52);
}

static void note_unmatched(struct counter *c, const struct sm_event *ev)
{
	c->unmatched++;
	if (c->early)
		c->early[early_slot(ev->ptr)] =
			(struct early_free){.ptr = ev->ptr, .ts = ev->ts, .cpu = ev->cpu};
}

/* The allocation was freed on another CPU whose clock is slightly ahead: that free came before it.
 */
static bool freed_early(struct counter *c, const struct sm_event *ev)
{
	struct early_free *e;

	if (!c->early)
		return false;
	e = &c->early[early_slot(ev->ptr)];
	if (e->ptr != ev->ptr || e->cpu == ev->cpu || ev->ts - e->ts > CLOCK_SKEW_NS)
		return false;
	e->ptr = 0;
	c->unmatched--;
	return true;
}

static struct sm_error *count_alloc(
	struct counter *c, struct live_set *live, const struct sm_event *ev, bool counted)
{
	struct live_object *object;
	uint32_t row = ROW_NONE;

	if (counted) {
		struct count_row *r;

		row = row_of(c, ev);
		if (row == ROW_NONE)
			return sm_error_nomem();
		r = &c->rows->rows[row];
		r->count++;
		r->bytes += ev->bytes_alloc;
		r->req += ev->bytes_req;
		if (c->meter)
			meter_counted(c->meter, row, ev->bytes_alloc);
	}
	if ((live == &c->slab && ev->ptr <= ZERO_SIZE_PTR) || ev->ptr > LAST_PTR)
		return NULL;
	if (!sm_live_reserve(live))
		return sm_error_nomem();
	object = live_slot(live, ev->ptr);
	if (object->ptr != LIVE_FREE) {
		/* Freed in between, and nobody saw it. */
		c->reused++;
		drop_live(c, object->row, object->bytes, true);
	} else if (freed_early(c, ev)) {
		if (row != ROW_NONE) {
			add_live(c, row, ev->bytes_alloc, ev->ts);
			drop_live(c, row, ev->bytes_alloc, true);
			c->rows->rows[row].frees++;
		}
		return NULL;
	} else {
		object->ptr = ev->ptr;
		live->n++;
	}
	object->ts = ev->ts;
	object->bytes = ev->bytes_alloc;
	object->row = row;
	object->cpu = ev->cpu;
	if (row != ROW_NONE)
		add_live(c, row, ev->bytes_alloc, ev->ts);
	return NULL;
}

static void free_object(struct counter *c, struct live_set *live, struct live_object *object)
{
	drop_live(c, object->row, object->bytes, true);
	if (object->row != ROW_NONE)
		c->rows->rows[object->row].frees++;
	sm_live_remove(live, object);
}

static void count_slab_free(struct counter *c, const struct sm_event *ev)
{
	struct live_object *object;

	if (ev->ptr <= ZERO_SIZE_PTR)
		return;
	object = sm_live_find(&c->slab, ev->ptr);
	if (object)
		free_object(c, &c->slab, object);
	else
		note_unmatched(c, ev);
}

/* The live block that holds page `pfn` but doesn't start there. */
static struct live_object *block_around(struct counter *c, uint64_t pfn, uint64_t page)
{
	for (unsigned k = 1; k <= MAX_SPLIT; k++) {
		uint64_t start = pfn & ~((UINT64_C(1) << k) - 1);
		struct live_object *block;

		if (start == pfn)
			continue;
		block = sm_live_find(&c->pages, start);
		if (block && block->bytes / page > pfn - start)
			return block;
	}
	/* What is left of a block that was freed in part starts anywhere. */
	for (uint64_t back = 1; back < c->split_pages && back <= pfn; back++) {
		struct live_object *block = sm_live_find(&c->pages, pfn - back);

		if (block)
			return block->bytes / page > back ? block : NULL;
	}
	return NULL;
}

/* Frees [pfn, pfn + n) of a larger block: what is left of it lives on, in pieces. */
static struct sm_error *free_part(struct counter *c, struct live_object *block,
	const struct sm_event *ev, uint64_t n, uint64_t page)
{
	uint64_t pfn = ev->ptr;
	struct live_object whole = *block;
	uint64_t pages = whole.bytes / page, before = pfn - whole.ptr;
	uint64_t after = pages - before > n ? pages - before - n : 0;
	uint64_t freed = pages - before - after;

	if (pages > c->split_pages)
		c->split_pages = pages < MAX_LOOK_BACK ? pages : MAX_LOOK_BACK;
	drop_live(c, whole.row, freed * page, false);
	if (before) {
		block->bytes = before * page;
	} else {
		sm_live_remove(&c->pages, block);
	}
	if (after && sm_live_find(&c->pages, pfn + n)) {
		/* Another block lies there: this one's end was freed, and nobody saw it. */
		drop_live(c, whole.row, after * page, false);
		after = 0;
	}
	if (after) {
		struct live_object *rest;

		if (!sm_live_reserve(&c->pages))
			return sm_error_nomem();
		rest = sm_live_insert(&c->pages, pfn + n);
		rest->ts = whole.ts;
		rest->bytes = after * page;
		rest->row = whole.row;
		rest->cpu = whole.cpu;
		/* Two pieces are left of one: both are objects now. */
		if (before)
			add_piece(c, whole.row, ev->ts);
	} else if (!before && !after && whole.row != ROW_NONE) {
		drop_live(c, whole.row, 0, true);
		c->rows->rows[whole.row].frees++;
	}
	return NULL;
}

/* Frees every block that starts within [pfn, pfn + n); false when there is none. An event may claim
 * a million pages: its cost is bounded by what is live, too. */
static bool free_within(struct counter *c, uint64_t pfn, uint64_t n)
{
	struct live_set *live = &c->pages;
	struct live_object *block;
	bool any = false;

	if (n <= live->nslots) {
		for (uint64_t i = 0; i < n; i++) {
			block = sm_live_find(live, pfn + i);
			if (!block)
				continue;
			free_object(c, live, block);
			any = true;
		}
		return any;
	}
	for (size_t i = 0; i < live->nslots;) {
		block = &live->slots[i];
		if (block->ptr == LIVE_FREE || block->ptr - pfn >= n) {
			i++;
			continue;
		}
		/* What is behind may move into this slot: it is looked at again. */
		free_object(c, live, block);
		any = true;
	}
	return any;
}

static struct sm_error *count_page_free(struct counter *c, const struct sm_event *ev)
{
	uint64_t page = c->trace->kernel_page_size;
	uint64_t n = UINT64_C(1) << ev->order;
	struct live_object *block = sm_live_find(&c->pages, ev->ptr);

	if (ev->failed || ev->ptr > LAST_PTR)
		return NULL;
	if (block && block->bytes == n * page) {
		free_object(c, &c->pages, block);
		return NULL;
	}
	if (!block)
		block = block_around(c, ev->ptr, page);
	if (block && block->bytes / page > n)
		return free_part(c, block, ev, n, page);
	if (block && block->ptr != ev->ptr)
		return free_part(c, block, ev, n, page);
	/* A block that was put together from several allocations. */
	if (!free_within(c, ev->ptr, n))
		note_unmatched(c, ev);
	return NULL;
}

static struct sm_error *count_other(struct counter *c, const struct sm_event *ev)
{
	uint32_t row = row_of(c, ev);

	if (row == ROW_NONE)
		return sm_error_nomem();
	c->rows->rows[row].count++;
	if (c->meter)
		meter_counted(c->meter, row, 0);
	return NULL;
}

static inline struct sm_error *count_event(struct counter *c, const struct sm_event *ev)
{
	bool counted = sm_filter_match(&c->filter, ev);
	struct sm_error *err;

	switch (ev->kind) {
	case SM_EV_SLAB_ALLOC:
		if (ev->failed) {
			c->failed++;
			return NULL;
		}
		c->slab_allocs++;
		return c->filter.follow_slab ? count_alloc(c, &c->slab, ev, counted) : NULL;
	case SM_EV_PAGE_ALLOC:
		if (ev->failed) {
			c->failed++;
			return NULL;
		}
		c->page_allocs++;
		return c->filter.follow_page ? count_alloc(c, &c->pages, ev, counted) : NULL;
	case SM_EV_SLAB_FREE:
		if (c->filter.follow_slab)
			count_slab_free(c, ev);
		break;
	case SM_EV_PAGE_FREE:
		if (c->filter.follow_page) {
			err = count_page_free(c, ev);
			if (err)
				return err;
		}
		break;
	default:
		break;
	}
	return counted ? count_other(c, ev) : NULL;
}

struct sm_error *sm_count_batch(void *ctx, const struct sm_batch *batch)
{
	struct counter *c = ctx;
	struct sm_error *err = stop_asked(&c->stop, batch->n);

	if (err)
		return err;
	for (size_t i = 0; i < batch->n; i++) {
		const struct sm_event *ev = &batch->events[i];

		if (i + PREFETCH < batch->n + batch->ahead)
			live_prefetch(&c->slab, batch->events[i + PREFETCH].ptr);
		/* What is live at the window's end is known by now; what follows only counts
		 * for the capture's health, which the decoder keeps. */
		if (ev->ts > c->filter.to)
			continue;
		if (c->meter) {
			err = meter_event(c->meter, c->filter.from, ev->ts);
			if (err)
				return err;
		}
		err = count_event(c, ev);
		if (err)
			return err;
	}
	return NULL;
}
