/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A table for people. */
#include "row_text.h"
#include "top.h"

struct text {
	const struct sm_table *table;
	struct row_text r;
	struct fragments *fragments;
};

static bool is_bytes(const struct text *t, enum sm_metric m)
{
	return sm_profile_is_bytes(t->table->profile, m);
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

static void write_title(struct text *t)
{
	const struct sm_profile *p = t->table->profile;
	enum sm_metric by = t->table->opts.by;
	struct sm_buf *b = &t->r.scratch;

	sm_buf_addf(b, "%s: ", sm_metric_name(by));
	row_text_value(&t->r, is_bytes(t, by), t->table->totals[by]);
	if (p->trace->imported) {
		sm_buf_adds(b, " in ");
		sm_human_count(p->nrows, b);
		sm_buf_addf(b, " rows of %s %s", sm_imported_article(p->trace->imported),
			p->trace->imported->kind);
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
	row_text_color(&t->r, "1");
	row_text_cell(&t->r, 0);
	row_text_color(&t->r, "0");
	sm_out_str(t->r.out, "\n\n");
}

static void write_header(struct text *t, enum sm_metric second)
{
	struct sm_buf *b = &t->r.scratch;

	row_text_color(&t->r, "4");
	sm_buf_adds(b, sm_metric_name(t->table->opts.by));
	row_text_cell(&t->r, VALUE_WIDTH);
	sm_buf_adds(b, "%");
	row_text_cell(&t->r, PERCENT_WIDTH);
	sm_buf_adds(b, "running");
	row_text_cell(&t->r, PERCENT_WIDTH + 1);
	if (t->table->opts.group == SM_GROUP_FUNCTION) {
		sm_buf_adds(b, "cumulative");
		row_text_cell(&t->r, VALUE_WIDTH);
		sm_buf_adds(b, "%");
		row_text_cell(&t->r, PERCENT_WIDTH);
	}
	if (second != SM_M_NR) {
		sm_buf_adds(b, sm_metric_name(second));
		row_text_cell(&t->r, VALUE_WIDTH);
	}
	sm_out_f(t->r.out, "  %s", row_text_group(t->table->opts.group, t->table->opts.attr));
	row_text_color(&t->r, "0");
	sm_out_char(t->r.out, '\n');
}

static void write_row(
	struct text *t, const struct sm_table_row *row, uint64_t running, enum sm_metric second)
{
	const struct sm_table *table = t->table;
	enum sm_metric by = table->opts.by;
	size_t indent = VALUE_WIDTH + 2 * PERCENT_WIDTH + 1 + 2;

	row_text_color(&t->r, "1");
	row_text_value(&t->r, is_bytes(t, by), row->m[by]);
	row_text_cell(&t->r, VALUE_WIDTH);
	row_text_color(&t->r, "0");
	row_text_percent(&t->r, row->m[by], table->totals[by]);
	row_text_cell(&t->r, PERCENT_WIDTH);
	/* How machines share a row says nothing about the next one's. */
	row_text_percent(&t->r, running, by < SM_M_ADDITIVE ? table->totals[by] : 0);
	row_text_cell(&t->r, PERCENT_WIDTH + 1);
	if (table->opts.group == SM_GROUP_FUNCTION) {
		row_text_value(&t->r, is_bytes(t, by), row->cumulative);
		row_text_cell(&t->r, VALUE_WIDTH);
		row_text_percent(&t->r, row->cumulative, table->totals[by]);
		row_text_cell(&t->r, PERCENT_WIDTH);
	}
	if (second != SM_M_NR) {
		row_text_value(&t->r, is_bytes(t, second), row->m[second]);
		row_text_cell(&t->r, VALUE_WIDTH);
		indent += VALUE_WIDTH;
	}
	sm_out_str(t->r.out, "  ");
	if (row->label) {
		row_text_label(&t->r, t->fragments, row->label, row->call_site, indent + 2);
		return;
	}
	row_text_frames(&t->r, t->fragments, row->ips, row->depth, indent + 2);
}

static void write_hidden(struct text *t)
{
	const struct sm_table *table = t->table;
	enum sm_metric by = table->opts.by;

	if (!table->hidden_rows)
		return;
	sm_human_count(table->hidden_rows, &t->r.scratch);
	sm_buf_adds(&t->r.scratch, table->hidden_rows == 1 ? " more row" : " more rows");
	if (by < SM_M_ADDITIVE) {
		sm_buf_adds(&t->r.scratch, ": ");
		row_text_value(&t->r, is_bytes(t, by), table->hidden_value);
		sm_buf_adds(&t->r.scratch, " (");
		row_text_percent(&t->r, table->hidden_value, table->totals[by]);
		sm_buf_addc(&t->r.scratch, ')');
	}
	sm_buf_adds(&t->r.scratch, "; -n 0 shows all");
	row_text_cell(&t->r, 0);
	sm_out_char(t->r.out, '\n');
}

void sm_top_text(const struct sm_table *table, const struct sm_style *style, struct sm_out *out)
{
	struct text t = {.table = table, .r = {.style = style, .out = out}};
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
	row_text_honesty(&t.r, table->profile, table->opts.by);
	fragments_free(t.fragments);
	row_text_release(&t.r);
}
