/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Events in their order, each with its stack. */
#include "dump.h"

/* common_flags */
#define HARDIRQ 0x08
#define SOFTIRQ 0x10
#define NMI 0x40

static const char *context_of(const struct sm_event *ev)
{
	if (ev->flags & NMI)
		return "nmi";
	if (ev->flags & HARDIRQ)
		return "irq";
	return ev->flags & SOFTIRQ ? "softirq" : "task";
}

/* The letter that the kernel's own text has for it. */
static char context_letter(const struct sm_event *ev)
{
	if (ev->flags & NMI)
		return ev->flags & HARDIRQ ? 'Z' : 'z';
	if (ev->flags & HARDIRQ)
		return ev->flags & SOFTIRQ ? 'H' : 'h';
	return ev->flags & SOFTIRQ ? 's' : '.';
}

static const struct sm_event_type *type_of(
	const struct sm_event_writer *w, const struct sm_event *ev)
{
	return ev->type < w->trace->ntypes ? &w->trace->types[ev->type] : NULL;
}

static const uint8_t *payload_of(const struct sm_batch *batch, const struct sm_event *ev)
{
	return batch->raw + ev->raw;
}

/* A record without a format has its type's number for a name. */
static void add_event_name(const struct sm_event_writer *w, const struct sm_batch *batch,
	const struct sm_event *ev, struct sm_buf *buf)
{
	const struct sm_event_type *type = type_of(w, ev);

	sm_buf_reset(buf);
	if (type)
		sm_buf_adds(buf, type->name);
	else if (ev->raw_len >= 2)
		sm_buf_addf(
			buf, "type %u", sm_load16(payload_of(batch, ev), w->trace->layout.swap));
	else
		sm_buf_adds(buf, "unknown");
}

/* " name=value name=value" */
static void add_fields(const struct sm_event_writer *w, const struct sm_batch *batch,
	const struct sm_event *ev, struct sm_buf *buf)
{
	const struct sm_event_type *type = type_of(w, ev);

	sm_buf_reset(buf);
	if (type)
		sm_event_format_fields(w->trace, type, payload_of(batch, ev), ev->raw_len, buf);
}

static bool has_frames(const struct sm_event *ev)
{
	return ev->stack <= SM_STACK_MAX;
}

/* The stack's frames, in the form of this writer; NULL when memory is short. */
static const struct fragment *frames_of(
	struct sm_event_writer *w, const struct sm_event *ev, uint32_t *depth)
{
	struct sm_stack stack = sm_stacks_get(w->trace->stacks, ev->stack);
	const struct fragment *frames = NULL;

	if (w->fragments)
		frames = fragments_of(w->fragments, stack.ips, stack.depth);
	if (!frames)
		dump_no_memory(w->out);
	*depth = stack.depth;
	return frames;
}

/* What stands where there are no frames. */
static void put_no_frames(struct sm_out *out, const struct sm_event *ev)
{
	if (ev->stack == SM_STACK_UNRESOLVED)
		sm_out_f(out, "[unresolved id %d]", ev->stack_id);
	else
		sm_out_str(out, "[no stack]");
}

static void begin(struct sm_event_writer *w, fragment_render render)
{
	w->any = false;
	w->fragments = fragments_new(w->syms, render);
	w->preparation = event_preparation_new(w->syms);
	if (!w->fragments)
		dump_no_memory(w->out);
}

static void end(struct sm_event_writer *w)
{
	fragments_free(w->fragments);
	w->fragments = NULL;
	event_preparation_free(w->preparation);
	w->preparation = NULL;
	if (w->scratch.failed)
		dump_no_memory(w->out);
	sm_buf_release(&w->scratch);
}

/* ---- text ---- */

/* Seconds and microseconds, rounded as the kernel's text has them; other clocks count ticks. */
static void put_time(const struct sm_event_writer *w, uint64_t ts)
{
	uint64_t us = ts / 1000 + (ts % 1000 >= 500);

	if (w->trace->clock_is_time)
		sm_out_f(w->out, "%5llu.%06llu", (unsigned long long)(us / 1000000),
			(unsigned long long)(us % 1000000));
	else
		sm_out_f(w->out, "%12llu", (unsigned long long)ts);
}

static void begin_text(struct sm_event_writer *w)
{
	begin(w, dump_render_event_line);
}

static void put_text(
	struct sm_event_writer *w, const struct sm_batch *batch, const struct sm_event *ev)
{
	const char *comm = sm_event_comm(w->trace, ev);
	size_t len = strlen(comm ? comm : "<...>");
	struct sm_out *out = w->out;

	sm_out_pad(out, ' ', len < 16 ? 16 - len : 0);
	sm_out_visible(out, comm ? comm : "<...>", len);
	if (ev->cpu == SM_CPU_UNKNOWN)
		sm_out_f(out, "-%-7d [---] %c ", ev->pid, context_letter(ev));
	else
		sm_out_f(out, "-%-7d [%03u] %c ", ev->pid, ev->cpu, context_letter(ev));
	put_time(w, ev->ts);
	sm_out_str(out, ": ");
	add_event_name(w, batch, ev, &w->scratch);
	sm_out_visible(out, w->scratch.data, w->scratch.len);
	sm_out_char(out, ':');
	add_fields(w, batch, ev, &w->scratch);
	sm_out_visible(out, w->scratch.data, w->scratch.len);
	sm_out_char(out, '\n');
	if (has_frames(ev)) {
		uint32_t depth;
		const struct fragment *frames = frames_of(w, ev, &depth);

		for (uint32_t i = 0; frames && i < depth; i++) {
			uint32_t at = frames[i].part[0];

			sm_out_bytes(out, frames[i].text, at);
			sm_out_str(out, " => ");
			sm_out_bytes(out, frames[i].text + at, frames[i].len - at);
		}
	} else {
		sm_out_str(out, " => ");
		put_no_frames(out, ev);
		sm_out_char(out, '\n');
	}
}

/* ---- JSON ---- */

static void begin_jsonl(struct sm_event_writer *w)
{
	begin(w, dump_render_json);
}

static void begin_json(struct sm_event_writer *w)
{
	begin(w, dump_render_json);
	sm_out_str(w->out, "{\"events\":[");
}

/* A field is a number where its text is one: addresses, names and flags are strings. */
static bool is_number(const struct sm_field *f, const struct sm_buf *text)
{
	size_t i = text->len && text->data[0] == '-';

	if (f->is_array || f->is_dynamic || f->is_relative || i == text->len)
		return false;
	for (; i < text->len; i++) {
		if (text->data[i] < '0' || text->data[i] > '9')
			return false;
	}
	return true;
}

static void put_json_fields(
	struct sm_event_writer *w, const struct sm_batch *batch, const struct sm_event *ev)
{
	const struct sm_event_type *type = type_of(w, ev);
	struct sm_buf *b = &w->scratch;

	sm_out_str(w->out, ",\"fields\":{");
	for (uint32_t i = type ? type->ncommon : 0; type && i < type->nfields; i++) {
		const struct sm_field *f = &type->fields[i];

		sm_out_str(w->out, i == type->ncommon ? "\"" : ",\"");
		sm_out_str(w->out, f->name);
		sm_out_str(w->out, "\":");
		sm_buf_reset(b);
		sm_event_format_field(w->trace, type, f, payload_of(batch, ev), ev->raw_len, b);
		if (is_number(f, b))
			sm_out_bytes(w->out, b->data, b->len);
		else
			sm_out_json(w->out, b->data ? b->data : "", b->len);
	}
	sm_out_char(w->out, '}');
}

static void put_json_context(struct sm_out *out, const struct sm_event *ev)
{
	if (ev->cpu == SM_CPU_UNKNOWN)
		sm_out_str(out, "null");
	else
		sm_out_f(out, "\"%s\"", context_of(ev));
}

/* An event as one object on a line of its own. */
static void put_object(
	struct sm_event_writer *w, const struct sm_batch *batch, const struct sm_event *ev)
{
	const char *comm = sm_event_comm(w->trace, ev);
	struct sm_out *out = w->out;

	sm_out_str(out, "{\"ts_ns\":");
	sm_out_u64(out, ev->ts);
	sm_out_str(out, ",\"cpu\":");
	if (ev->cpu == SM_CPU_UNKNOWN)
		sm_out_str(out, "null");
	else
		sm_out_u64(out, ev->cpu);
	sm_out_str(out, ",\"pid\":");
	sm_out_i64(out, ev->pid);
	sm_out_str(out, ",\"comm\":");
	if (comm)
		sm_out_json(out, comm, strlen(comm));
	else
		sm_out_str(out, "null");
	sm_out_str(out, ",\"context\":");
	put_json_context(out, ev);
	sm_out_str(out, ",\"event\":");
	add_event_name(w, batch, ev, &w->scratch);
	sm_out_json(out, w->scratch.data ? w->scratch.data : "", w->scratch.len);
	put_json_fields(w, batch, ev);
	sm_out_str(out, ",\"stack_id\":");
	if (ev->stack_id >= 0)
		sm_out_i64(out, ev->stack_id);
	else
		sm_out_str(out, "null");
	sm_out_str(out, ",\"frames\":[");
	if (has_frames(ev)) {
		uint32_t depth;
		const struct fragment *frames = frames_of(w, ev, &depth);

		if (frames)
			dump_put_parts(out, frames, depth, 2);
	}
	sm_out_str(out, "]}");
}

static void put_json(
	struct sm_event_writer *w, const struct sm_batch *batch, const struct sm_event *ev)
{
	sm_out_str(w->out, w->any ? ",\n" : "\n");
	w->any = true;
	put_object(w, batch, ev);
}

static void end_json(struct sm_event_writer *w)
{
	sm_out_str(w->out, w->any ? "\n]}\n" : "]}\n");
	end(w);
}

static void put_jsonl(
	struct sm_event_writer *w, const struct sm_batch *batch, const struct sm_event *ev)
{
	put_object(w, batch, ev);
	sm_out_char(w->out, '\n');
}

/* ---- CSV ---- */

static void begin_csv(struct sm_event_writer *w)
{
	begin(w, dump_render_event_csv);
	sm_out_str(w->out, "ts_ns,cpu,pid,comm,context,event,fields,stack_id,stack\n");
}

static void put_csv(
	struct sm_event_writer *w, const struct sm_batch *batch, const struct sm_event *ev)
{
	const char *comm = sm_event_comm(w->trace, ev);
	struct sm_buf *b = &w->scratch;
	struct sm_out *out = w->out;

	sm_out_u64(out, ev->ts);
	if (ev->cpu == SM_CPU_UNKNOWN)
		sm_out_f(out, ",,%d,", ev->pid);
	else
		sm_out_f(out, ",%u,%d,", ev->cpu, ev->pid);
	if (comm)
		sm_out_csv(out, comm, strlen(comm));
	sm_out_f(out, ",%s,", ev->cpu == SM_CPU_UNKNOWN ? "" : context_of(ev));
	add_event_name(w, batch, ev, b);
	sm_out_csv(out, b->data ? b->data : "", b->len);
	sm_out_char(out, ',');
	add_fields(w, batch, ev, b);
	if (b->len)
		sm_out_csv(out, b->data + 1, b->len - 1);
	sm_out_char(out, ',');
	if (ev->stack_id >= 0)
		sm_out_i64(out, ev->stack_id);
	sm_out_str(out, ",\"");
	if (has_frames(ev)) {
		uint32_t depth;
		const struct fragment *frames = frames_of(w, ev, &depth);

		if (frames)
			dump_put_parts(out, frames, depth, 0);
	} else {
		put_no_frames(out, ev);
	}
	sm_out_str(out, "\"\n");
}

const struct sm_event_format sm_event_formats[] = {
	{"text", begin_text, put_text, end},
	{"json", begin_json, put_json, end_json},
	{"jsonl", begin_jsonl, put_jsonl, end},
	{"csv", begin_csv, put_csv, end},
	{NULL, NULL, NULL, NULL},
};
