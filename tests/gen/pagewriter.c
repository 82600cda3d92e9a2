// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * pagewriter: sub-buffers as trace_pipe_raw delivers them: a time base, the commit word, records,
 * and zeros to the end of the page.
 */
#include "gen.h"

#include <stdlib.h>
#include <string.h>

#define MAX_SMALL_DATA 112u
#define MAX_DELTA ((UINT64_C(1) << 27) - 1)
#define LOST (UINT64_C(1) << 31)
#define LOST_STORED (UINT64_C(1) << 30)

void put_number(const struct kernel *k, uint8_t *p, uint32_t size, uint64_t v)
{
	bool swap = k->big_endian != (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__);
	uint16_t v16 = (uint16_t)v;
	uint32_t v32 = (uint32_t)v;

	switch (size) {
	case 1:
		*p = (uint8_t)v;
		break;
	case 2:
		v16 = swap ? __builtin_bswap16(v16) : v16;
		memcpy(p, &v16, 2);
		break;
	case 4:
		v32 = swap ? __builtin_bswap32(v32) : v32;
		memcpy(p, &v32, 4);
		break;
	default:
		v = swap ? __builtin_bswap64(v) : v;
		memcpy(p, &v, 8);
	}
}

struct out *out_get(struct gen *g, unsigned instance, unsigned cpu)
{
	const struct instance *in = &g->instances[instance];
	char path[512];
	struct out *o;

	for (size_t i = 0; i < g->nouts; i++)
		if (g->outs[i]->instance == instance && g->outs[i]->cpu == cpu)
			return g->outs[i];
	o = gen_alloc(g, sizeof(*o));
	o->instance = instance;
	o->cpu = cpu;
	o->pid = 1;
	o->page_size = in->page_size;
	o->data_offset = 8 + g->k.long_size;
	o->page = gen_alloc(g, o->page_size);
	snprintf(path, sizeof(path), "%s%s%s/per_cpu/cpu%u/trace_pipe_raw", TRACING,
		*in->name ? "/instances/" : "", in->name, cpu);
	o->file = member_open(g, path);
	if (o->file)
		setvbuf(o->file, NULL, _IOFBF, 1 << 20);
	gen_grow(g, &g->outs, &g->outs_cap, g->nouts + 1, sizeof(struct out *));
	g->outs[g->nouts++] = o;
	return o;
}

static void write_out(struct gen *g, struct out *o, uint64_t len)
{
	if (o->ended)
		gen_die(g, "the file of cpu %u has been cut: nothing may follow", o->cpu);
	if (o->file && fwrite(o->page, 1, len, o->file) != len)
		gen_die(g, "cannot write the pages of cpu %u", o->cpu);
}

static void set_base(const struct gen *g, struct out *o)
{
	if (o->based)
		return;
	o->base = o->last = g->now;
	o->based = true;
}

static void finish_page(struct gen *g, struct out *o)
{
	uint64_t commit = o->tail;

	set_base(g, o);
	if (o->lost) {
		commit |= LOST;
		if (o->lost_known) {
			commit |= LOST_STORED;
			put_number(&g->k, o->page + o->data_offset + o->tail, g->k.long_size,
				o->lost_events);
		}
		/* the kernel adds a negative int: a long of 8 bytes has its upper half set */
		if (!o->plain_flags)
			commit |= UINT64_C(0xffffffff) << 32;
	}
	put_number(&g->k, o->page, 8, o->base);
	put_number(&g->k, o->page + 8, g->k.long_size, o->commit_set ? o->commit : commit);
}

static void reset_page(struct out *o)
{
	memset(o->page, 0, o->page_size);
	o->tail = 0;
	o->open = o->based = o->lost = o->lost_known = o->commit_set = false;
	o->base = 0;
}

void out_flush(struct gen *g, struct out *o)
{
	if (!o->open)
		return;
	finish_page(g, o);
	write_out(g, o, o->page_size);
	reset_page(o);
}

void out_page(struct gen *g, struct out *o)
{
	out_flush(g, o);
	o->open = true;
}

void out_cut(struct gen *g, struct out *o, uint64_t len)
{
	if (!o->open || len > o->page_size)
		gen_die(g, "cutpage needs a page, and a length within it");
	finish_page(g, o);
	write_out(g, o, len);
	reset_page(o);
	o->ended = true;
}

void out_zero_page(struct gen *g, struct out *o)
{
	out_flush(g, o);
	write_out(g, o, o->page_size);
}

/* Bytes of data that still fit. */
static uint32_t room(const struct gen *g, const struct out *o)
{
	uint32_t end = o->page_size - o->data_offset;

	if (o->lost_known)
		end -= g->k.long_size;
	return end - o->tail;
}

/* A page on which `len` bytes fit, begun if necessary. */
static void need(struct gen *g, struct out *o, size_t len)
{
	if (o->open && len > room(g, o))
		out_flush(g, o);
	if (!o->open)
		out_page(g, o);
	if (len > room(g, o))
		gen_die(g, "a record of %zu bytes fits no page", len);
}

static uint8_t *append(struct out *o, size_t len)
{
	uint8_t *p = o->page + o->data_offset + o->tail;

	o->tail += (uint32_t)len;
	return p;
}

static void put_header(const struct gen *g, uint8_t *p, uint32_t type_len, uint64_t delta)
{
	uint32_t v;

	if (g->k.big_endian)
		v = type_len << 27 | (uint32_t)delta;
	else
		v = type_len | (uint32_t)delta << 5;
	put_number(&g->k, p, 4, v);
}

/* Makes room for a record of `len` bytes at the present time, with a time extend or an absolute
 * time before it where needed, and returns the delta that is left for the record itself. */
static uint64_t begin(struct gen *g, struct out *o, size_t len)
{
	uint64_t delta, now = g->now;
	uint8_t *p;

	if (o->based && now < o->last && !o->force_abs)
		out_page(g, o); /* only a new page can go back in time */
	if (o->force_abs || (o->based && now - o->last > MAX_DELTA))
		need(g, o, len + 8);
	else
		need(g, o, len);
	set_base(g, o);
	if (o->force_abs) {
		p = append(o, 8);
		put_header(g, p, 31, now & MAX_DELTA);
		put_number(&g->k, p + 4, 4, now >> 27);
		o->force_abs = false;
		o->last = now;
		return 0;
	}
	if (now < o->last)
		gen_die(g, "time %llu is before the page's time base", (unsigned long long)now);
	delta = now - o->last;
	if (delta <= MAX_DELTA)
		return delta;
	if (delta >> 59)
		gen_die(g, "a step of 2^59 ns and more cannot be written");
	p = append(o, 8);
	put_header(g, p, 30, delta & MAX_DELTA);
	put_number(&g->k, p + 4, 4, delta >> 27);
	o->last = now;
	return 0;
}

void out_record(struct gen *g, struct out *o, const uint8_t *payload, uint32_t len)
{
	bool large = len > MAX_SMALL_DATA || g->k.align8;
	uint32_t align = g->k.align8 ? 8 : 4;
	uint32_t total = (large ? 8u : 4u) + (len ? len : 1);
	uint64_t delta;
	uint8_t *p;

	total = (total + align - 1) / align * align;
	/* as the kernel: 12 bytes become 16, to leave room for a time extend */
	if (total == 12)
		total = 16;
	delta = begin(g, o, total);
	p = append(o, total);
	put_header(g, p, large ? 0 : (total - 4) / 4, delta);
	if (large)
		put_number(&g->k, p + 4, 4, total - 4);
	memcpy(p + (large ? 8 : 4), payload, len);
	o->last = g->now;
	o->records++;
}

void out_padding(struct gen *g, struct out *o, uint64_t len, bool discard)
{
	uint64_t delta = 0;
	uint8_t *p;

	if (len < 8 || len % 4 || len > o->page_size)
		gen_die(g, "padding needs a multiple of 4 bytes, 8 and more");
	if (discard) {
		delta = begin(g, o, len);
		/* a delta of 1 says "no time": what is pending stays so */
		if (delta > 1)
			o->last = g->now;
		else
			delta = 1;
	} else {
		need(g, o, len);
		set_base(g, o);
	}
	p = append(o, len);
	put_header(g, p, 29, delta);
	put_number(&g->k, p + 4, 4, len - 4);
}

void out_raw(struct gen *g, struct out *o, const void *data, size_t len)
{
	need(g, o, len);
	set_base(g, o);
	memcpy(append(o, len), data, len);
}

void outs_close(struct gen *g)
{
	for (size_t i = 0; i < g->nouts; i++) {
		struct out *o = g->outs[i];

		out_flush(g, o);
		if (o->file && fclose(o->file))
			gen_die(g, "cannot write the pages of cpu %u", o->cpu);
		o->file = NULL;
	}
}
