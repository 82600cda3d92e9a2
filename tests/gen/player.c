// SPDX-License-Identifier: GPL-2.0-or-later
/* player: statements to records. */
#include "gen.h"

#include <stdlib.h>
#include <string.h>

#define TYPE_OFFSET 0
#define MAX_FRAMES 8192u

static uint64_t value(const struct gen *g, const struct expr *e, uint64_t fallback)
{
	return e ? expr_eval(g, e) : fallback;
}

static struct out *current(struct gen *g)
{
	if (!g->out)
		g->out = out_get(g, g->cur_instance, g->cur_cpu);
	return g->out;
}

/* Writes the payload that was assembled in g->payload; `len` may have been overridden. */
static void emit(struct gen *g, const struct stmt *st, struct out *o, uint32_t len)
{
	uint64_t size = value(g, st->size, len);

	if (size > MAX_PAYLOAD)
		gen_die(g, "a payload of %llu bytes is too large", (unsigned long long)size);
	if (size > len)
		memset(g->payload + len, 0, size - len);
	out_record(g, o, g->payload, (uint32_t)size);
}

static void common(
	struct gen *g, const struct stmt *st, const struct event_kind *kind, struct out *o)
{
	uint8_t *p = g->payload;

	memset(p, 0, kind->size);
	put_number(&g->k, p + TYPE_OFFSET, 2, value(g, st->id, kind->id));
	p[2] = o->flags;
	p[3] = o->preempt;
	put_number(&g->k, p + 4, 4, o->pid);
	if (g->k.extra_common)
		put_number(&g->k, p + 8, 8, UINT64_C(0x1122334455667788));
}

/* What a stack does not say for itself is that of the event before. */
static void take_context(struct gen *g, const struct stmt *st, struct out *o)
{
	o->pid = (uint32_t)value(g, st->pid, o->pid);
	o->flags = (uint8_t)value(g, st->flags, o->flags);
	o->preempt = (uint8_t)value(g, st->preempt, o->preempt);
}

static void event(struct gen *g, const struct stmt *st)
{
	const struct event_kind *kind = st->kind;
	struct out *o = current(g);
	uint32_t dynamic = 0;

	if (g->step_due)
		g->now += g->step;
	g->step_due = true;
	o->pid = (uint32_t)value(g, st->pid, 1);
	o->flags = (uint8_t)value(g, st->flags, 0);
	o->preempt = (uint8_t)value(g, st->preempt, 0);
	common(g, st, kind, o);
	for (size_t i = 0; i < st->nsets; i++) {
		const struct assignment *a = &st->sets[i];
		const struct field *f = &kind->fields[a->field];
		uint8_t *p = g->payload + f->offset;
		size_t len = a->text.len;

		if (a->how == SET_NUMBER && f->size <= 8) {
			put_number(&g->k, p, f->size, expr_eval(g, a->e));
		} else if (a->how == SET_LOC) {
			put_number(&g->k, p, 4, expr_eval(g, a->e));
		} else if (f->dynamic) {
			uint32_t at = kind->end + dynamic;

			if (len + 1 > MAX_PAYLOAD - kind->size - dynamic)
				gen_die(g, "a string is too long");
			if (len)
				memcpy(g->payload + at, a->text.s, len);
			if (a->how == SET_TEXT)
				g->payload[at + len++] = 0;
			put_number(&g->k, p, 4, (uint64_t)len << 16 | at);
			dynamic += (uint32_t)len;
		} else if (f->chars) {
			memcpy(p, a->text.s, len < f->size ? len : f->size);
		} else {
			gen_die(g, "field '%s' takes no value", f->name);
		}
	}
	/* as the kernel: the strings begin right behind the last field, the length counts from the
	 * padded end of the struct */
	if (dynamic)
		memset(g->payload + kind->end + dynamic, 0, kind->size - kind->end);
	emit(g, st, o, kind->size + dynamic);
}

static size_t eval_frames(struct gen *g, const struct stmt *st, uint64_t *ips)
{
	size_t n = 0;

	for (size_t i = 0; i < st->nframes; i++) {
		uint64_t ip = expr_eval(g, st->frames[i].ip);
		uint64_t count = value(g, st->frames[i].count, 1);

		if (count > MAX_FRAMES - n)
			gen_die(g, "more than %u frames", MAX_FRAMES);
		for (uint64_t k = 0; k < count; k++, ip += 16)
			ips[n++] = ip;
	}
	return n;
}

static void stack(struct gen *g, const struct stmt *st)
{
	const struct event_kind *kind = kind_find(g, "ftrace", "kernel_stack");
	const struct field *caller = &kind->fields[kind->nfields - 1];
	struct out *o = current(g);
	uint64_t ips[MAX_FRAMES + 1];
	size_t n = eval_frames(g, st, ips);

	take_context(g, st, o);
	common(g, st, kind, o);
	if (g->k.old_stack)
		ips[n++] = UINT64_MAX;
	else
		put_number(&g->k, g->payload + kind->fields[0].offset, 4, value(g, st->e, n));
	if (g->k.long_size == 8 && !g->k.big_endian && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__) {
		memcpy(g->payload + caller->offset, ips, n * 8);
	} else {
		for (size_t i = 0; i < n; i++)
			put_number(&g->k, g->payload + caller->offset + i * g->k.long_size,
				g->k.long_size, ips[i]);
	}
	emit(g, st, o, caller->offset + (uint32_t)(n * g->k.long_size));
}

static void user_stack(struct gen *g, const struct stmt *st)
{
	const struct event_kind *kind = kind_find(g, "ftrace", "user_stack");
	struct out *o = current(g);
	uint64_t ips[MAX_FRAMES + 1];
	size_t n = eval_frames(g, st, ips);

	if (n > 8)
		gen_die(g, "a user stack has 8 frames");
	take_context(g, st, o);
	common(g, st, kind, o);
	put_number(&g->k, g->payload + kind->fields[0].offset, 4, o->pid);
	for (size_t i = 0; i < n; i++)
		put_number(&g->k, g->payload + kind->fields[1].offset + i * g->k.long_size,
			g->k.long_size, ips[i]);
	emit(g, st, o, kind->size);
}

static void stack_id(struct gen *g, const struct stmt *st)
{
	const struct event_kind *kind = kind_find(g, "ftrace", "stack_id");
	struct out *o = current(g);

	take_context(g, st, o);
	common(g, st, kind, o);
	put_number(&g->k, g->payload + kind->fields[0].offset, 4, expr_eval(g, st->e2));
	emit(g, st, o, kind->size);
}

static void map_stack(struct gen *g, const struct stmt *st)
{
	uint64_t ips[MAX_FRAMES + 1];
	size_t n = eval_frames(g, st, ips);

	map_record(g, (uint32_t)expr_eval(g, st->id), (uint32_t)expr_eval(g, st->e2),
		(uint32_t)value(g, st->e3, n), ips, n);
}

static void page(struct gen *g, const struct stmt *st)
{
	struct out *o = current(g);

	out_page(g, o);
	if (st->e) {
		o->base = o->last = expr_eval(g, st->e);
		o->based = true;
		if (g->now < o->base)
			g->now = o->base;
	}
	o->lost = st->flag || st->e2;
	o->lost_known = st->e2 != NULL;
	o->lost_events = value(g, st->e2, 0);
	o->plain_flags = st->flag2;
}

static void raw_words(struct gen *g, const struct stmt *st)
{
	uint64_t words[MAX_FRAMES + 1];
	size_t n = eval_frames(g, st, words);
	uint8_t buf[4 * (MAX_FRAMES + 1)];

	for (size_t i = 0; i < n; i++)
		put_number(&g->k, buf + 4 * i, 4, words[i]);
	out_raw(g, current(g), buf, 4 * n);
}

static void place(struct gen *g, const struct stmt *st)
{
	if (st->op == OP_CPU)
		g->cur_cpu = (unsigned)expr_eval(g, st->e);
	else
		g->cur_instance = st->var;
	g->out = out_get(g, g->cur_instance, g->cur_cpu);
}

static void page_statement(struct gen *g, const struct stmt *st)
{
	struct out *o = current(g);

	switch (st->op) {
	case OP_ZEROPAGE:
		out_zero_page(g, o);
		break;
	case OP_CUTPAGE:
		out_cut(g, o, expr_eval(g, st->e));
		break;
	case OP_COMMIT:
		if (!o->open)
			out_page(g, o);
		o->commit = expr_eval(g, st->e);
		o->commit_set = true;
		break;
	case OP_ABS:
		o->force_abs = true;
		break;
	case OP_PADDING:
	case OP_DISCARD:
		out_padding(g, o, expr_eval(g, st->e), st->op == OP_DISCARD);
		break;
	case OP_RAWBYTES:
		out_raw(g, o, st->bytes.s, st->bytes.len);
		break;
	default:
		raw_words(g, st);
	}
}

static void play_one(struct gen *g, const struct stmt *st)
{
	g->line = st->line;
	switch (st->op) {
	case OP_LET:
		g->values[st->var] = expr_eval(g, st->e);
		break;
	case OP_REPEAT:
		for (uint64_t n = expr_eval(g, st->e); n; n--)
			play(g, &st->body);
		break;
	case OP_AT:
		g->now = expr_eval(g, st->e) + (st->flag ? g->now : 0);
		g->step_due = false;
		break;
	case OP_STEP:
		g->step = expr_eval(g, st->e);
		break;
	case OP_CPU:
	case OP_INSTANCE:
		place(g, st);
		break;
	case OP_PAGE:
		page(g, st);
		break;
	case OP_EVENT:
		event(g, st);
		break;
	case OP_STACK:
		stack(g, st);
		break;
	case OP_USERSTACK:
		user_stack(g, st);
		break;
	case OP_STACKID:
		stack_id(g, st);
		break;
	case OP_MAPSTACK:
		map_stack(g, st);
		break;
	default:
		page_statement(g, st);
	}
}

void play(struct gen *g, const struct block *b)
{
	for (size_t i = 0; i < b->n; i++)
		play_one(g, &b->items[i]);
}
