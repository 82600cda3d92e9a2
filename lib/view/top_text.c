/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A table for people. */
#include <errno.h>

#include "places.h"
#include "top.h"

#define VALUE_WIDTH 12
#define PERCENT_WIDTH 8

struct text {
	const struct sm_table *table;
	const struct sm_style *style;
	struct sm_out *out;
	struct sm_buf scratch;
	struct fragments *fragments;
};

static void color(struct text *t, const char *sgr)
{
	if (t->style->color)
		sm_out_f(t->out, "\033[%sm", sgr);
}

/* Right-aligned. */
static void cell(struct text *t, size_t width)
{
	const struct sm_buf *b = &t->scratch;

	if (b->len < width)
		sm_out_pad(t->out, ' ', width - b->len);
	sm_out_bytes(t->out, b->data, b->len);
	sm_buf_reset(&t->scratch);
}

static void add_value(struct text *t, enum sm_metric m, uint64_t value)
{
	if (sm_profile_is_bytes(t->table->profile, m))
		sm_human_bytes(value, &t->scratch);
	else
		sm_human_count(value, &t->scratch);
}

static void add_percent(struct text *t, uint64_t part, uint64_t whole)
{
	if (whole)
		sm_buf_addf(&t->scratch, "%.1f%%", 100.0 * (double)part / (double)whole);
	else
		sm_buf_addc(&t->scratch, '-');
}

/* The second figure that explains the first; SM_M_NR = none. */
static enum sm_metric companion(const struct sm_table *table)
{
	static const enum sm_metric OF[SM_M_NR] = {
		[SM_M_COUNT] = SM_M_BYTES,
		[SM_M_BYTES] = SM_M_COUNT,
		[SM_M_BYTES_REQ] = SM_M_COUNT,
		[SM_M_WASTE] = SM_M_BYTES,
		[SM_M_LIVE_BYTES] = SM_M_LIVE_COUNT,
		[SM_M_LIVE_COUNT] = SM_M_LIVE_BYTES,
		[SM_M_PEAK_BYTES] = SM_M_LIVE_BYTES,
		[SM_M_FREES] = SM_M_COUNT,
		[SM_M_REF_COUNT] = SM_M_BYTES,
		[SM_M_MACHINES] = SM_M_MEDIAN,
		[SM_M_MEDIAN] = SM_M_MACHINES,
		[SM_M_P95] = SM_M_MACHINES,
	};
	enum sm_metric m = OF[table->opts.by];

	return table->known & (1u << m) ? m : SM_M_NR;
}

static const char *group_title(const struct sm_table *table)
{
	switch (table->opts.group) {
	case SM_GROUP_FUNCTION:
		return "function";
	case SM_GROUP_CALLER:
		return "call site";
	case SM_GROUP_MODULE:
		return "module";
	case SM_GROUP_ATTR:
		return sm_attr_title(table->profile->attr);
	default:
		return "call path, innermost frame first";
	}
}

static void write_title(struct text *t)
{
	const struct sm_profile *p = t->table->profile;
	enum sm_metric by = t->table->opts.by;
	struct sm_buf *b = &t->scratch;

	sm_buf_addf(b, "%s: ", sm_metric_name(by));
	add_value(t, by, t->table->totals[by]);
	if (p->trace->imported) {
		sm_buf_adds(b, " in ");
		sm_human_count(p->nrows, b);
		sm_buf_addf(b, " rows of a %s", p->trace->imported->kind);
		if (p->trace->imported->machines) {
			sm_buf_adds(b, " of ");
			sm_human_count(p->trace->imported->machines, b);
			sm_buf_adds(
				b, p->trace->imported->machines == 1 ? " machine" : " machines");
		}
	} else if (by == SM_M_REF_COUNT) {
		sm_buf_adds(b, " events refer to ");
		sm_human_count(p->trace->map->n, b);
		sm_buf_adds(b, " stacks");
	} else if (p->named || !t->table->totals[SM_M_BYTES]) {
		sm_buf_adds(b, " in ");
		sm_human_count(t->table->totals[SM_M_COUNT], b);
		sm_buf_adds(b, " events");
	} else {
		sm_buf_adds(b, " in ");
		sm_human_count(t->table->totals[SM_M_COUNT], b);
		sm_buf_adds(b, p->mixed                      ? " slab and page allocations"
			       : p->family == SM_FAMILY_PAGE ? " page allocations"
							     : " slab allocations");
	}
	if (by == SM_M_PEAK_BYTES && p->peak_ts && p->trace->clock_is_time)
		sm_buf_addf(b, " at %llu.%06llu", (unsigned long long)(p->peak_ts / 1000000000),
			(unsigned long long)(p->peak_ts % 1000000000 / 1000));
	if (p->trace->kernel_release) {
		sm_buf_adds(b, ", kernel ");
		sm_buf_add_visible(b, p->trace->kernel_release, strlen(p->trace->kernel_release));
	}
	color(t, "1");
	cell(t, 0);
	color(t, "0");
	sm_out_str(t->out, "\n\n");
}

static void write_header(struct text *t, enum sm_metric second)
{
	struct sm_buf *b = &t->scratch;

	color(t, "4");
	sm_buf_adds(b, sm_metric_name(t->table->opts.by));
	cell(t, VALUE_WIDTH);
	sm_buf_adds(b, "%");
	cell(t, PERCENT_WIDTH);
	sm_buf_adds(b, "running");
	cell(t, PERCENT_WIDTH + 1);
	if (t->table->opts.group == SM_GROUP_FUNCTION) {
		sm_buf_adds(b, "cumulative");
		cell(t, VALUE_WIDTH);
		sm_buf_adds(b, "%");
		cell(t, PERCENT_WIDTH);
	}
	if (second != SM_M_NR) {
		sm_buf_adds(b, sm_metric_name(second));
		cell(t, VALUE_WIDTH);
	}
	sm_out_f(t->out, "  %s", group_title(t->table));
	color(t, "0");
	sm_out_char(t->out, '\n');
}

/* The lines of a frame, each but the first of the row indented. */
static void write_frame(struct text *t, const struct fragment *frame, size_t indent, bool first)
{
	const char *p = frame->text, *end = p + frame->len;

	while (p < end) {
		const char *nl = memchr(p, '\n', (size_t)(end - p));
		const char *next = nl ? nl + 1 : end;

		if (!first)
			sm_out_pad(t->out, ' ', indent);
		first = false;
		sm_out_bytes(t->out, p, (size_t)(next - p));
		p = next;
	}
}

static void write_frames(struct text *t, const struct sm_table_row *row, size_t indent)
{
	const struct fragment *frames = NULL;

	if (t->fragments)
		frames = fragments_of(t->fragments, row->ips, row->depth);
	if (!frames && !t->out->errnum)
		t->out->errnum = ENOMEM;
	for (uint32_t i = 0; frames && i < row->depth; i++)
		write_frame(t, &frames[i], indent, i == 0);
}

/* A call site is an address too, whose place in the source is worth more than its offset. */
static void write_label(struct text *t, const struct sm_table_row *row, size_t indent)
{
	const struct fragment *frame = NULL;

	if (row->call_site && t->fragments)
		frame = fragments_of(t->fragments, &row->call_site, 1);
	if (frame) {
		write_frame(t, frame, indent, true);
		return;
	}
	sm_out_visible(t->out, row->label, strlen(row->label));
	sm_out_char(t->out, '\n');
}

static void write_row(
	struct text *t, const struct sm_table_row *row, uint64_t running, enum sm_metric second)
{
	const struct sm_table *table = t->table;
	enum sm_metric by = table->opts.by;
	size_t indent = VALUE_WIDTH + 2 * PERCENT_WIDTH + 1 + 2;

	color(t, "1");
	add_value(t, by, row->m[by]);
	cell(t, VALUE_WIDTH);
	color(t, "0");
	add_percent(t, row->m[by], table->totals[by]);
	cell(t, PERCENT_WIDTH);
	/* How machines share a row says nothing about the next one's. */
	add_percent(t, running, by < SM_M_ADDITIVE ? table->totals[by] : 0);
	cell(t, PERCENT_WIDTH + 1);
	if (table->opts.group == SM_GROUP_FUNCTION) {
		add_value(t, by, row->cumulative);
		cell(t, VALUE_WIDTH);
		add_percent(t, row->cumulative, table->totals[by]);
		cell(t, PERCENT_WIDTH);
	}
	if (second != SM_M_NR) {
		add_value(t, second, row->m[second]);
		cell(t, VALUE_WIDTH);
		indent += VALUE_WIDTH;
	}
	sm_out_str(t->out, "  ");
	if (row->label) {
		write_label(t, row, indent + 2);
		return;
	}
	write_frames(t, row, indent + 2);
}

static void write_hidden(struct text *t)
{
	const struct sm_table *table = t->table;
	enum sm_metric by = table->opts.by;

	if (!table->hidden_rows)
		return;
	sm_human_count(table->hidden_rows, &t->scratch);
	sm_buf_adds(&t->scratch, table->hidden_rows == 1 ? " more row" : " more rows");
	if (by < SM_M_ADDITIVE) {
		sm_buf_adds(&t->scratch, ": ");
		add_value(t, by, table->hidden_value);
		sm_buf_adds(&t->scratch, " (");
		add_percent(t, table->hidden_value, table->totals[by]);
		sm_buf_addc(&t->scratch, ')');
	}
	sm_buf_adds(&t->scratch, "; -n 0 shows all");
	cell(t, 0);
	sm_out_char(t->out, '\n');
}

static bool is_live(enum sm_metric m)
{
	return m == SM_M_LIVE_BYTES || m == SM_M_LIVE_COUNT || m == SM_M_PEAK_BYTES;
}

static void write_honesty(struct text *t)
{
	const struct sm_health *h = &t->table->profile->health;

	sm_health_text(t->table->profile, &t->scratch);
	if (is_live(t->table->opts.by))
		sm_buf_adds(&t->scratch,
			"; bulk and RCU-bulk frees raise no event: what they freed looks live");
	if (h->lost_events || h->lost_unknown || h->dropped || h->corrupt_pages || h->truncated)
		color(t, "31");
	cell(t, 0);
	color(t, "0");
	sm_out_char(t->out, '\n');
}

void sm_top_text(const struct sm_table *table, const struct sm_style *style, struct sm_out *out)
{
	struct text t = {.table = table, .style = style, .out = out};
	enum sm_metric second = companion(table);
	uint64_t running = 0;

	sm_table_prepare(table, out);
	t.fragments = fragments_new(table->syms, sm_call_render);
	write_title(&t);
	write_header(&t, second);
	for (size_t i = 0; i < table->nrows; i++) {
		running += table->rows[i].m[table->opts.by];
		write_row(&t, &table->rows[i], running, second);
		if (table->opts.group == SM_GROUP_STACK)
			sm_out_char(out, '\n');
	}
	if (table->nrows == 0)
		sm_out_str(out, "(no rows: nothing was counted)\n");
	if (table->opts.group != SM_GROUP_STACK || table->nrows == 0)
		sm_out_char(out, '\n');
	write_hidden(&t);
	write_honesty(&t);
	fragments_free(t.fragments);
	sm_buf_release(&t.scratch);
}
