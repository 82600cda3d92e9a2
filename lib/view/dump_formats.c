/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Stacks as they are, one after the other. */
#include "dump.h"

/* Writes one stack, whose frames are `frames`. */
typedef void (*put_stack)(
	struct sm_out *out, const struct sm_map_record *rec, const struct fragment *frames);

/* All that will be asked for, or a part from all over the list where names alone are. */
static void prepare(const struct sm_stack_list *list, const struct sm_symbols *syms, bool lines,
	struct sm_out *out)
{
	size_t step = lines || list->n < 1000 ? 1 : list->n / 500;
	struct sm_preparation p;

	sm_preparation_init(&p, syms, lines);
	for (size_t i = 0; i < list->n; i += step) {
		if (!sm_preparation_add(&p, list->records[i].ips, list->records[i].depth))
			break;
	}
	dump_take_error(out, sm_preparation_finish(&p));
}

/* Each stack of the list; `between` stands between two of them. */
static void put_stacks(const struct sm_stack_list *list, const struct sm_symbols *syms,
	struct sm_out *out, fragment_render render, put_stack put, const char *between)
{
	struct fragments *f = fragments_new(syms, render);

	if (!f)
		dump_no_memory(out);
	/* CSV has nothing but names here. */
	prepare(list, syms, render != dump_render_csv, out);
	for (size_t i = 0; i < list->n && !sm_out_failed(out); i++) {
		const struct sm_map_record *rec = &list->records[i];
		const struct fragment *frames = fragments_of(f, rec->ips, rec->depth);

		if (!frames) {
			dump_no_memory(out);
			break;
		}
		if (i)
			sm_out_str(out, between);
		put(out, rec, frames);
	}
	fragments_free(f);
}

static void put_text(
	struct sm_out *out, const struct sm_map_record *rec, const struct fragment *frames)
{
	sm_out_str(out, "stack_id ");
	sm_out_u64(out, rec->id);
	sm_out_str(out, " [ref ");
	sm_out_u64(out, rec->ref_count);
	sm_out_str(out, ", depth ");
	sm_out_u64(out, rec->depth);
	sm_out_str(out, "]\n");
	for (uint32_t i = 0; i < rec->depth; i++) {
		uint32_t at = frames[i].part[0];

		sm_out_bytes(out, frames[i].text, at);
		sm_out_str(out, "  [");
		sm_out_u64(out, i);
		sm_out_str(out, "] ");
		sm_out_bytes(out, frames[i].text + at, frames[i].len - at);
	}
	sm_out_char(out, '\n');
}

static void write_text(
	const struct sm_stack_list *list, const struct sm_symbols *syms, struct sm_out *out)
{
	put_stacks(list, syms, out, dump_render_line, put_text, "");
}

static void put_json(
	struct sm_out *out, const struct sm_map_record *rec, const struct fragment *frames)
{
	sm_out_str(out, "{\"stack_id\":");
	sm_out_u64(out, rec->id);
	sm_out_str(out, ",\"ref_count\":");
	sm_out_u64(out, rec->ref_count);
	sm_out_str(out, ",\"depth\":");
	sm_out_u64(out, rec->depth);
	sm_out_str(out, ",\"ips\":[");
	dump_put_parts(out, frames, rec->depth, 0);
	sm_out_str(out, "],\"symbols\":[");
	dump_put_parts(out, frames, rec->depth, 1);
	sm_out_str(out, "],\"frames\":[");
	dump_put_parts(out, frames, rec->depth, 2);
	sm_out_str(out, "]}");
}

static void write_json(
	const struct sm_stack_list *list, const struct sm_symbols *syms, struct sm_out *out)
{
	struct sm_json json;

	sm_out_char(out, '{');
	sm_out_str(out, "\"header\":");
	sm_json_init(&json, out, false);
	sm_json_object(&json, NULL);
	sm_json_str(&json, "byte_order", list->byte_order);
	sm_json_u64(&json, "version", list->version);
	sm_json_u64(&json, "nr_stacks", list->nr_stacks);
	sm_json_object_end(&json);
	/* A stack a line: the document stays fit for line tools. */
	sm_out_str(out, list->n ? ",\n\"stacks\":[\n" : ",\n\"stacks\":[");
	put_stacks(list, syms, out, dump_render_json, put_json, ",\n");
	sm_out_str(out, list->n ? "\n]}\n" : "]}\n");
}

static void write_jsonl(
	const struct sm_stack_list *list, const struct sm_symbols *syms, struct sm_out *out)
{
	put_stacks(list, syms, out, dump_render_json, put_json, "\n");
	if (list->n)
		sm_out_char(out, '\n');
}

static void put_csv(
	struct sm_out *out, const struct sm_map_record *rec, const struct fragment *frames)
{
	sm_out_u64(out, rec->id);
	sm_out_char(out, ',');
	sm_out_u64(out, rec->ref_count);
	sm_out_char(out, ',');
	sm_out_u64(out, rec->depth);
	sm_out_char(out, ',');
	dump_put_parts(out, frames, rec->depth, 0);
	sm_out_str(out, ",\"");
	dump_put_parts(out, frames, rec->depth, 1);
	sm_out_str(out, "\"\n");
}

static void write_csv(
	const struct sm_stack_list *list, const struct sm_symbols *syms, struct sm_out *out)
{
	sm_out_str(out, "stack_id,ref_count,depth,ips,symbols\n");
	put_stacks(list, syms, out, dump_render_csv, put_csv, "");
}

/* Root first. */
static void put_folded(
	struct sm_out *out, const struct sm_map_record *rec, const struct fragment *frames)
{
	if (!rec->ref_count)
		return;
	for (uint32_t i = rec->depth; i-- > 0;) {
		size_t from = i + 1 == rec->depth;

		sm_out_bytes(out, frames[i].text + from, frames[i].len - from);
	}
	sm_out_char(out, ' ');
	sm_out_u64(out, rec->ref_count);
	sm_out_char(out, '\n');
}

static void write_folded(
	const struct sm_stack_list *list, const struct sm_symbols *syms, struct sm_out *out)
{
	put_stacks(list, syms, out, dump_render_folded, put_folded, "");
}

const struct sm_dump_format sm_dump_formats[] = {
	{"text", write_text},
	{"json", write_json},
	{"jsonl", write_jsonl},
	{"csv", write_csv},
	{"folded", write_folded},
	{NULL, NULL},
};
