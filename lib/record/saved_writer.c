/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "internal.h"
#include "saved.h"

struct writer {
	struct sm_buf *out;
	struct sm_strings strings;
	bool failed;
};

static void put(struct writer *w, uint64_t v)
{
	char bytes[10];
	size_t n = 0;

	do {
		bytes[n++] = (char)((v & 0x7f) | (v > 0x7f ? 0x80 : 0));
		v >>= 7;
	} while (v);
	sm_buf_add(w->out, bytes, n);
}

/* The text's number: 0 = NULL. */
static uint64_t number_of(struct writer *w, const char *s)
{
	uint32_t id;

	if (!s)
		return 0;
	id = sm_strings_add(&w->strings, s, strlen(s));
	if (id == SM_NO_STRING)
		w->failed = true;
	return (uint64_t)id + 1;
}

static void put_text(struct writer *w, const char *s)
{
	size_t len = s ? strlen(s) : 0;

	put(w, len);
	sm_buf_add(w->out, s ? s : "", len);
}

static void put_frame(struct writer *w, const struct sm_frame *f)
{
	put(w, number_of(w, f->symbol));
	put(w, number_of(w, f->module));
	put(w, number_of(w, f->build_id));
	put(w, f->address);
	put(w, f->offset);
	put(w, f->size);
	put(w, number_of(w, f->caller));
	put(w, f->caller_offset);
	put(w, f->caller_size);
	put(w, f->nlines);
	for (size_t i = 0; i < f->nlines; i++) {
		put(w, number_of(w, f->lines[i].function));
		put(w, number_of(w, f->lines[i].file));
		put(w, f->lines[i].line);
	}
}

/* Frames refer to texts, which come first: they are written into a buffer of their own. */
static void put_frames(struct writer *w, const struct sm_frames *frames)
{
	size_t n = sm_frames_count(frames);
	struct sm_buf body = {0}, *out = w->out;

	w->out = &body;
	for (size_t i = 0; i < n; i++)
		put_frame(w, sm_frames_get(frames, SM_FRAME_TAG | i));
	w->out = out;
	put(w, w->strings.n);
	for (uint32_t i = 0; i < w->strings.n; i++)
		put_text(w, sm_strings_get(&w->strings, i));
	put(w, n);
	sm_buf_add(w->out, body.data ? body.data : "", body.len);
	w->failed |= body.failed;
	sm_buf_release(&body);
}

static void put_stacks(struct writer *w, const struct sm_stacks *stacks)
{
	uint32_t n = sm_stacks_count(stacks);

	put(w, n);
	for (uint32_t i = 0; i < n; i++) {
		struct sm_stack stack = sm_stacks_get(stacks, i);

		put(w, stack.depth);
		for (uint32_t k = 0; k < stack.depth; k++)
			put(w, stack.ips[k] - SM_FRAME_TAG);
	}
}

static void put_spread(struct writer *w, const struct sm_spread *s)
{
	uint64_t last = 0;

	put(w, s->bits);
	put(w, s->n);
	for (uint32_t i = 0; i < s->n; i++) {
		put(w, s->entries[i].value - last);
		put(w, s->entries[i].count);
		last = s->entries[i].value;
	}
}

static void put_rows(struct writer *w, const struct sm_imported *in)
{
	put(w, in->spreads ? in->machines : 0);
	if (in->spreads) {
		put_text(w, sm_metric_name(in->spread_of));
		put_spread(w, &in->total);
	}
	put(w, in->nrows);
	for (size_t i = 0; i < in->nrows; i++) {
		/* SM_STACK_UNRESOLVED and SM_STACK_NONE become 0 and 1. */
		put(w, (uint32_t)(in->rows[i].stack + 2));
		for (unsigned m = 0; m < SM_M_ADDITIVE; m++)
			if (in->known & (1u << m))
				put(w, in->rows[i].m[m]);
		if (in->spreads)
			put_spread(w, &in->spreads[i]);
	}
}

static void put_health(struct writer *w, const struct sm_health *h)
{
	struct sm_health counters = *h;

	put(w, sm_health_ncounters);
	for (size_t i = 0; i < sm_health_ncounters; i++) {
		put_text(w, sm_health_counters[i].name);
		put(w, *sm_health_counter(&counters, i));
	}
}

struct sm_error *sm_saved_write(const struct sm_saved *saved, struct sm_buf *buf)
{
	const struct sm_imported *in = saved->imported;
	struct writer w = {.out = buf};
	size_t start = buf->len;
	uint64_t sum;
	bool failed;

	sm_buf_adds(buf, SAVED_MAGIC);
	put(&w, in->trimmed ? SAVED_TRIMMED : 0);
	put_text(&w, saved->kernel_release);
	put(&w, in->duration_ns);
	put_health(&w, saved->health);
	put_frames(&w, saved->frames);
	put_stacks(&w, saved->stacks);
	put(&w, (unsigned)__builtin_popcount(in->known & ((1u << SM_M_ADDITIVE) - 1)));
	for (unsigned m = 0; m < SM_M_ADDITIVE; m++)
		if (in->known & (1u << m))
			put_text(&w, sm_metric_name((enum sm_metric)m));
	put_rows(&w, in);
	failed = w.failed || buf->failed;
	sm_strings_release(&w.strings);
	if (failed)
		return sm_error_nomem();
	sum = sm_fnv(SM_FNV_INIT, buf->data + start, buf->len - start);
	if (sm_host_big_endian())
		sum = __builtin_bswap64(sum);
	sm_buf_add(buf, &sum, sizeof(sum));
	return buf->failed ? sm_error_nomem() : NULL;
}
