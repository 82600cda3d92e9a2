/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A table for programs: JSON, JSON Lines, CSV. */
#include <errno.h>
#include <stdio.h>

#include "places.h"
#include "top.h"

const struct sm_table_format sm_table_formats[] = {
	{"text", sm_top_text},
	{"json", sm_top_json},
	{"csv", sm_top_csv},
	{"jsonl", sm_top_jsonl},
	{NULL, NULL},
};

void sm_call_text(const struct sm_symbols *syms, uint64_t ip, struct sm_buf *buf)
{
	struct sm_symbol sym;

	if (ip == SM_TRAMPOLINE) {
		sm_buf_adds(buf, "[FTRACE TRAMPOLINE]");
		return;
	}
	if (!syms || !sm_symbols_find_caller(syms, ip, &sym)) {
		sm_buf_addf(buf, "0x%llx", (unsigned long long)sm_symbols_shown_address(syms, ip));
		return;
	}
	sm_buf_add_visible(buf, sym.name, strlen(sym.name));
	if (!sm_symbols_tag(syms, ip))
		sm_buf_addf(buf, "+0x%llx", (unsigned long long)sym.offset);
	if (sym.size)
		sm_buf_addf(buf, "/0x%llx", (unsigned long long)sym.size);
	if (sym.module) {
		sm_buf_adds(buf, " [");
		sm_buf_add_visible(buf, sym.module, strlen(sym.module));
		sm_buf_addc(buf, ']');
	}
}

void sm_call_render(
	const struct sm_symbols *syms, uint64_t ip, struct sm_buf *buf, uint32_t part[3])
{
	part[0] = (uint32_t)places_add_frame(syms, ip, "", sm_call_text, buf);
	sm_buf_addc(buf, '\n');
}

void sm_table_prepare(const struct sm_table *table, struct sm_out *out)
{
	struct sm_preparation p;
	struct sm_error *err;

	sm_preparation_init(&p, table->syms, true);
	for (size_t i = 0; i < table->nrows; i++) {
		const struct sm_table_row *row = &table->rows[i];

		if (row->depth && !sm_preparation_add(&p, row->ips, row->depth))
			break;
		if (row->call_site && !sm_preparation_add(&p, &row->call_site, 1))
			break;
	}
	err = sm_preparation_finish(&p);
	if (err && !out->errnum)
		out->errnum = ENOMEM;
	sm_error_free(err);
}

static void write_key(
	struct sm_json *j, const struct sm_table *table, const struct sm_table_row *row)
{
	char key[32];

	if (row->label || !row->depth) {
		sm_json_null(j, "stack_key");
		return;
	}
	snprintf(key, sizeof(key), "0x%016llx",
		(unsigned long long)sm_stack_key(table->syms, row->ips, row->depth));
	sm_json_str(j, "stack_key", key);
}

static void write_row(struct sm_json *j, const struct sm_table *table, size_t rank)
{
	const struct sm_table_row *row = &table->rows[rank - 1];

	sm_json_object(j, NULL);
	sm_json_u64(j, "rank", rank);
	sm_json_str(j, "label", row->label);
	write_key(j, table, row);
	sm_json_array(j, "stack_ids");
	for (size_t i = 0; i < row->nstack_ids; i++)
		sm_json_u64(j, NULL, row->stack_ids[i]);
	sm_json_array_end(j);
	for (unsigned m = 0; m < SM_M_NR; m++)
		if (table->known & (1u << m))
			sm_json_u64(j, sm_metric_name((enum sm_metric)m), row->m[m]);
	if (table->opts.group == SM_GROUP_FUNCTION)
		sm_json_u64(j, "cumulative", row->cumulative);
	sm_frames_json(j, "frames", table->syms, row->ips, row->label ? 0 : row->depth);
	sm_json_object_end(j);
}

void sm_top_json(const struct sm_table *table, const struct sm_style *style, struct sm_out *out)
{
	const struct sm_profile *p = table->profile;
	struct sm_json j;

	(void)style;
	sm_table_prepare(table, out);
	sm_json_init(&j, out, true);
	sm_json_object(&j, NULL);
	sm_json_str(&j, "by", sm_metric_name(table->opts.by));
	sm_json_object(&j, "totals");
	for (unsigned m = 0; m < SM_M_NR; m++)
		if (table->known & (1u << m))
			sm_json_u64(&j, sm_metric_name((enum sm_metric)m), table->totals[m]);
	sm_json_object_end(&j);
	sm_health_json(&j, "health", &p->health);
	sm_json_array(&j, "rows");
	for (size_t i = 0; i < table->nrows && !sm_out_failed(out); i++)
		write_row(&j, table, i + 1);
	sm_json_array_end(&j);
	sm_json_object(&j, "hidden");
	sm_json_u64(&j, "rows", table->hidden_rows);
	sm_json_u64(&j, "value", table->hidden_value);
	sm_json_object_end(&j);
	sm_json_object_end(&j);
	sm_out_char(out, '\n');
}

void sm_top_jsonl(const struct sm_table *table, const struct sm_style *style, struct sm_out *out)
{
	(void)style;
	sm_table_prepare(table, out);
	for (size_t i = 0; i < table->nrows && !sm_out_failed(out); i++) {
		struct sm_json j;

		sm_json_init(&j, out, false);
		write_row(&j, table, i + 1);
		sm_out_char(out, '\n');
	}
}

void sm_csv_frames(const struct sm_symbols *syms, const uint64_t *ips, uint32_t depth,
	struct sm_buf *scratch, struct sm_out *out)
{
	sm_buf_reset(scratch);
	for (uint32_t i = 0; i < depth; i++) {
		uint32_t part[3];

		sm_call_render(syms, ips[i], scratch, part);
	}
	for (size_t i = 0; i < scratch->len; i++) {
		if (scratch->data[i] == '\n')
			scratch->data[i] = ';';
	}
	if (scratch->len)
		sm_out_csv(out, scratch->data, scratch->len - 1);
}

void sm_top_csv(const struct sm_table *table, const struct sm_style *style, struct sm_out *out)
{
	bool function = table->opts.group == SM_GROUP_FUNCTION;
	struct sm_buf text = {0};

	(void)style;
	sm_table_prepare(table, out);
	sm_out_str(out, "rank,label,stack_key,stack_ids");
	for (unsigned m = 0; m < SM_M_NR; m++)
		if (table->known & (1u << m))
			sm_out_f(out, ",%s", sm_metric_name((enum sm_metric)m));
	sm_out_str(out, function ? ",cumulative,frames\n" : ",frames\n");
	for (size_t i = 0; i < table->nrows && !sm_out_failed(out); i++) {
		const struct sm_table_row *row = &table->rows[i];

		sm_out_f(out, "%zu,", i + 1);
		if (row->label)
			sm_out_csv(out, row->label, strlen(row->label));
		sm_out_char(out, ',');
		if (row->depth)
			sm_out_f(out, "0x%016llx",
				(unsigned long long)sm_stack_key(
					table->syms, row->ips, row->depth));
		sm_out_char(out, ',');
		for (size_t k = 0; k < row->nstack_ids; k++)
			sm_out_f(out, k ? " %u" : "%u", row->stack_ids[k]);
		for (unsigned m = 0; m < SM_M_NR; m++)
			if (table->known & (1u << m))
				sm_out_f(out, ",%llu", (unsigned long long)row->m[m]);
		if (function)
			sm_out_f(out, ",%llu", (unsigned long long)row->cumulative);
		sm_out_char(out, ',');
		sm_csv_frames(table->syms, row->ips, row->depth, &text, out);
		sm_out_char(out, '\n');
	}
	sm_buf_release(&text);
}
