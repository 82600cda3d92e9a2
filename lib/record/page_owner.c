/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Blocks of lines about a stack, with an empty line behind each. What a block is about, it tells:
 *   page_owner        a page: "Page allocated via order 0, mask 0x..., pid ...", "PFN 0x...",
 * frames show_stacks       a sum: frames, "nr_base_pages: 12" (6.8: "stack_count: 3")
 *   page_owner_sort   a sum: "3 times, 12 pages:", then what a page_owner has, or frames
 * Other lines come and go with versions: they are counted, and cost nothing.
 */
#include <stdlib.h>

#include "page_owner.h"

/* Of a sum: its bytes are below 2^63, as pages have at most 2^20. */
#define MAX_PAGES (UINT64_C(1) << 42)

/* ---- the ends of blocks ---- */

/* What a block with all its lines says; the first one with a meaning decides for all. */
static enum kind kind_of(const struct block *b)
{
	if (b->sorted)
		return KIND_SORTED;
	if (b->header)
		return KIND_OWNER;
	if (b->has_pages)
		return KIND_PAGES;
	return b->has_times ? KIND_COUNTS : KIND_UNKNOWN;
}

static bool set_kind(struct owner *o, enum kind kind)
{
	static const char *const NAMES[] = {
		[KIND_OWNER] = "page_owner",
		[KIND_PAGES] = "page_owner_stacks",
		[KIND_COUNTS] = "page_owner_stacks",
		[KIND_SORTED] = "page_owner_sort",
	};

	o->kind = kind;
	o->trace->text.kind = NAMES[kind];
	if (kind != KIND_OWNER)
		o->err = text_rows_begin(o->trace, NAMES[kind]);
	if (o->err)
		return false;
	if (kind == KIND_PAGES)
		o->trace->imported->known = 1u << SM_M_LIVE_BYTES;
	else if (kind == KIND_COUNTS)
		o->trace->imported->known = 1u << SM_M_LIVE_COUNT;
	else if (kind == KIND_SORTED)
		o->trace->imported->known = 1u << SM_M_LIVE_BYTES | 1u << SM_M_LIVE_COUNT;
	return true;
}

static uint32_t add_stack(struct owner *o)
{
	const struct block *b = &o->block;
	uint32_t stack = sm_stacks_add(o->trace->stacks, b->ips, b->depth, false);

	if (b->depth && stack == SM_STACK_NONE)
		owner_no_memory(o);
	return stack;
}

static void add_event(struct owner *o)
{
	struct block *b = &o->block;
	struct owner_events *e = o->events;
	struct sm_text *text = &o->trace->text;
	uint64_t bytes = (uint64_t)o->trace->kernel_page_size << b->event.order;

	b->event.stack = add_stack(o);
	if (b->event.pfn == UINT64_MAX)
		b->event.pfn = NO_PFN | text->blocks;
	else
		e->has_pfn = true;
	if (!sm_grow(&e->items, &e->cap, e->n + 1, sizeof(*e->items))) {
		owner_no_memory(o);
		return;
	}
	e->items[e->n++] = b->event;
	text->blocks++;
	text->pages += UINT64_C(1) << b->event.order;
	text->bytes += bytes;
	o->trace->health.no_stack += b->event.stack == SM_STACK_NONE;
}

static void add_sum(struct owner *o)
{
	struct block *b = &o->block;
	struct sm_text *text = &o->trace->text;
	uint32_t stack;
	bool fits;

	if (b->sorted && !b->has_pages) {
		/* Before 5.x the order alone tells how many pages they are. */
		if (!b->header || b->bad || b->times > MAX_PAGES >> b->event.order) {
			text_bad(&o->in, "a sum whose pages aren't told", "", 0);
			return;
		}
		b->pages = b->times << b->event.order;
	}
	stack = add_stack(o);
	if (o->err)
		return;
	o->err = text_rows_add(
		&o->rows, o->trace, stack, b->pages * o->trace->kernel_page_size, b->times, &fits);
	if (o->err)
		return;
	if (!fits) {
		text_bad(&o->in, "a sum that is too large", "", 0);
		return;
	}
	text->blocks++;
	text->pages += b->pages;
	text->bytes += b->pages * o->trace->kernel_page_size;
}

static void end_block(struct owner *o)
{
	struct block *b = &o->block;
	enum kind kind = kind_of(b);

	if (o->header.len) {
		text_bad(&o->in, "a page that makes no sense", o->header.data, o->header.len);
		sm_buf_reset(&o->header);
	}
	o->stacks += b->depth > 0;
	o->handles |= b->has_handle;
	if (!b->begun || o->err)
		return;
	if (kind == KIND_UNKNOWN && !b->bad)
		/* What is left of a block; or the handles that show_handles tells about. */
		text_unknown(&o->in);
	else if (kind != KIND_SORTED && b->bad)
		; /* told already */
	else if (o->kind == KIND_UNKNOWN && !set_kind(o, kind))
		;
	else if (o->kind != kind)
		text_bad(&o->in, "a block of another kind than those before", "", 0);
	else if (kind == KIND_OWNER)
		add_event(o);
	else
		add_sum(o);
}

static void begin_block(struct owner *o)
{
	struct block *b = &o->block;

	/* All but the addresses, most of which were never written. */
	memset(b, 0, offsetof(struct block, ips));
	b->depth = 0;
}

/* ---- lines ---- */

static bool take_pfn(struct owner *o, const char *line, size_t len)
{
	struct text_cursor c = {line, line + len};
	uint64_t pfn;

	/* Decimal before 5.15. */
	if (!text_take(&c, "PFN ") ||
		!(text_take_hex(&c, &pfn) || text_take_number(&c, UINT64_MAX, &pfn)) ||
		pfn >= NO_PFN || !o->block.header)
		return false;
	o->block.event.pfn = pfn;
	return true;
}

/* "3 times, 12 pages, allocated by SLAB:", "3 times:" */
static bool take_sorted(struct owner *o, const char *line, size_t len)
{
	struct text_cursor c = {line, line + len};
	struct block *b = &o->block;
	uint64_t times, pages;

	if (!text_take_number(&c, MAX_PAGES, &times) || !text_take(&c, " times"))
		return false;
	end_block(o);
	begin_block(o);
	b->begun = b->sorted = b->has_times = true;
	b->times = times;
	if (text_take(&c, ", ") && text_take_number(&c, MAX_PAGES, &pages) &&
		text_take(&c, " pages")) {
		b->pages = pages;
		b->has_pages = true;
	}
	return true;
}

static bool take_count(struct owner *o, const char *line, size_t len)
{
	struct text_cursor c = {line, line + len};
	struct block *b = &o->block;

	if (text_take(&c, "nr_base_pages: "))
		b->has_pages = text_take_number(&c, MAX_PAGES, &b->pages) && text_at_end(&c);
	else if (text_take(&c, "stack_count: "))
		b->has_times = text_take_number(&c, MAX_PAGES, &b->times) && text_at_end(&c);
	else if (text_take(&c, "handle: "))
		b->has_handle = true;
	else
		return false;
	b->begun = true;
	if (!b->has_pages && !b->has_times && !b->has_handle) {
		b->bad = true;
		text_bad(&o->in, "a sum that makes no sense", line, len);
	}
	return true;
}

static bool is_known(const char *line, size_t len)
{
	static const char *const KNOWN[] = {
		"Page has been migrated", "Charged ", "Slab cache page"};
	struct text_cursor c = {line, line + len};

	for (size_t i = 0; i < SM_ARRAY_SIZE(KNOWN); i++)
		if (text_take(&c, KNOWN[i]))
			return true;
	return false;
}

static bool take_frame(struct owner *o, const char *line, size_t len)
{
	const struct sm_frame *frame;
	struct block *b = &o->block;
	uint64_t ip;

	if (*line != ' ' && *line != '\t')
		return false;
	if (!text_frame(&o->frames, o->trace->frames, line, len, &ip))
		return owner_no_memory(o);
	if (!ip || b->depth == MAX_FRAMES)
		return false;
	b->begun = true;
	frame = sm_frames_get(o->trace->frames, ip);
	/* The end of a stack, before 5.2. */
	if (frame->symbol || frame->address != UINT64_MAX)
		b->ips[b->depth++] = ip;
	return true;
}

static void take_line(struct owner *o, const char *line, size_t len)
{
	struct text_cursor c = {line, line + len};
	bool header = text_take(&c, "Page allocated via order ");

	if (o->header.len) {
		owner_continue_header(o, line, len);
		return;
	}
	if (text_at_end(&c) && !header) {
		end_block(o);
		begin_block(o);
		return;
	}
	if (header) {
		/* That of a page which page_owner_sort made a sum of comes first in its block. */
		if (!o->block.sorted || o->block.depth || o->block.header) {
			end_block(o);
			begin_block(o);
		}
		owner_take_header(o, line, len);
		return;
	}
	if (!take_frame(o, line, len) && !take_pfn(o, line, len) && !take_sorted(o, line, len) &&
		!take_count(o, line, len) && !is_known(line, len) && !o->err)
		text_unknown(&o->in);
}

/* The kernel ends each block with an empty line. */
static void end_input(struct owner *o)
{
	const struct block *b = &o->block;
	/* Whose last line says it all. */
	bool sum = kind_of(b) == KIND_PAGES || kind_of(b) == KIND_COUNTS ||
		   (kind_of(b) == KIND_SORTED && !b->depth);

	if (o->trace->damage) {
		begin_block(o); /* the source told what is missing */
		return;
	}
	if (!b->begun)
		return;
	if (o->in.broken || o->header.len || !(b->depth || sum) || kind_of(b) == KIND_UNKNOWN) {
		text_cut(&o->in, "the last block is cut short", "it is left out");
		sm_buf_reset(&o->header);
		begin_block(o);
	} else if (!sum) {
		text_cut(&o->in, "the last block has no end",
			"it is counted as it stands, and may lack frames");
		end_block(o);
	} else {
		end_block(o);
	}
}

static struct sm_error *nothing(const struct owner *o)
{
	const char *path = sm_stream_path(o->in.stream);

	if (o->handles && o->stacks)
		return sm_error_new(SM_E_FORMAT, path, "stacks without their sums",
			"show_stacks has both; show_stacks_handles needs show_handles as well");
	return text_nothing(&o->in, "nothing of a page_owner");
}

static struct sm_error *finish(struct owner *o)
{
	if (o->kind == KIND_UNKNOWN)
		return nothing(o);
	if (o->kind != KIND_OWNER && !o->stacks)
		return sm_error_new(SM_E_FORMAT, sm_stream_path(o->in.stream),
			"sums without their stacks",
			o->kind == KIND_SORTED ? "page_owner_sort --cull=stacktrace has both"
					       : "show_stacks has both");
	if (o->kind != KIND_OWNER)
		return NULL;
	o->trace->health.events = o->events->n;
	return owner_events_finish(o->trace);
}

struct sm_error *page_owner_read(struct sm_trace *trace, const char *member)
{
	struct owner o = {.trace = trace};
	struct sm_error *err;
	const char *line;
	size_t len;

	o.events = trace->priv->owner = calloc(1, sizeof(*o.events));
	if (!o.events)
		return sm_error_nomem();
	err = text_open(&o.in, trace, member);
	if (err)
		return err;
	while (!o.err && text_next(&o.in, &line, &len))
		take_line(&o, line, len);
	if (!o.err)
		end_input(&o);
	if (!o.err) {
		o.err = o.in.failed;
		o.in.failed = NULL;
	}
	if (!o.err)
		o.err = finish(&o);
	text_close(&o.in);
	text_frames_release(&o.frames);
	text_rows_release(&o.rows);
	sm_buf_release(&o.header);
	return o.err;
}
