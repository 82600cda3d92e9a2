/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is in a text of the kernel's: page_owner and its like. */
#include "info.h"

static void put_count(struct sm_out *out, uint64_t n, const char *one, const char *many)
{
	struct sm_buf b = {0};

	sm_human_count(n, &b);
	sm_out_f(out, "%s %s", b.data ? b.data : "?", n == 1 ? one : many);
	sm_buf_release(&b);
}

static void put_if(struct sm_out *out, uint64_t n, const char *one, const char *many)
{
	if (!n)
		return;
	sm_out_str(out, ", ");
	put_count(out, n, one, many);
}

static void put_bytes(struct sm_out *out, uint64_t n)
{
	struct sm_buf b = {0};

	sm_human_bytes(n, &b);
	sm_out_str(out, b.data ? b.data : "?");
	sm_buf_release(&b);
}

/* A stack_count tells no sizes. */
static bool knows_bytes(const struct sm_text *text)
{
	return text->bytes || !text->blocks;
}

static uint64_t allocations(const struct sm_trace *trace)
{
	uint64_t n = 0;

	for (size_t i = 0; trace->imported && i < trace->imported->nrows; i++)
		n += trace->imported->rows[i].m[SM_M_LIVE_COUNT];
	return n;
}

void info_write_text(const struct info *info, struct sm_out *out)
{
	const struct sm_trace *trace = info->trace;
	const struct sm_text *text = &trace->text;
	bool tags = !strcmp(text->kind, "allocinfo");
	struct sm_buf b = {0};

	info_label(out, "text");
	sm_out_f(out, "%s: ", text->kind);
	if (tags)
		put_count(out, text->blocks, "place in use", "places in use");
	else
		put_count(out, text->blocks, "block", "blocks");
	put_if(out, text->empty, "unused", "unused");
	put_if(out, text->inaccurate, "inaccurate", "inaccurate");
	put_if(out, text->bad_blocks, "that makes no sense", "that make no sense");
	put_if(out, text->unknown_lines, "line that isn't understood",
		"lines that aren't understood");
	sm_out_char(out, '\n');
	info_label(out, "holds");
	if (knows_bytes(text))
		put_bytes(out, text->bytes);
	else
		put_count(out, allocations(trace), "allocation", "allocations");
	if (text->pages) {
		sm_out_str(out, " in ");
		put_count(out, text->pages, "page of ", "pages of ");
		put_bytes(out, trace->kernel_page_size);
		sm_out_str(out, text->page_size_assumed ? ", which is assumed" : "");
	}
	sm_out_char(out, '\n');
	info_label(out, tags ? "distinct places" : "distinct stacks");
	sm_human_count(sm_stacks_count(trace->stacks), &b);
	sm_out_f(out, "%s\n", b.data ? b.data : "?");
	sm_buf_release(&b);
}

void info_write_json_text(struct sm_json *j, const struct info *info)
{
	const struct sm_text *text = &info->trace->text;
	bool tags;

	if (!text->kind) {
		sm_json_null(j, "text");
		return;
	}
	tags = !strcmp(text->kind, "allocinfo");
	sm_json_object(j, "text");
	sm_json_str(j, "kind", text->kind);
	sm_json_u64(j, "blocks", text->blocks);
	sm_json_u64(j, "bad_blocks", text->bad_blocks);
	sm_json_u64(j, "unknown_lines", text->unknown_lines);
	sm_json_u64(j, "empty", text->empty);
	sm_json_u64(j, "inaccurate", text->inaccurate);
	sm_json_u64(j, "distinct_stacks", sm_stacks_count(info->trace->stacks));
	if (knows_bytes(text))
		sm_json_u64(j, "bytes", text->bytes);
	else
		sm_json_null(j, "bytes");
	if (tags || !knows_bytes(text)) {
		sm_json_null(j, "pages");
		sm_json_null(j, "page_size");
		sm_json_null(j, "page_size_assumed");
	} else {
		sm_json_u64(j, "pages", text->pages);
		sm_json_u64(j, "page_size", info->trace->kernel_page_size);
		sm_json_bool(j, "page_size_assumed", text->page_size_assumed);
	}
	sm_json_object_end(j);
}
