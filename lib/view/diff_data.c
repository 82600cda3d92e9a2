/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A comparison for programs: JSON, JSON Lines, CSV. */
#include <errno.h>
#include <stdio.h>

#include "diff_view.h"
#include "top.h"

const struct sm_diff_format sm_diff_formats[] = {
	{"text", sm_diff_text},
	{"json", sm_diff_json},
	{"csv", sm_diff_csv},
	{"jsonl", sm_diff_jsonl},
	{NULL, NULL},
};

void sm_diff_prepare(const struct sm_diff *d, bool suppressed, struct sm_out *out)
{
	const struct {
		const struct sm_diff_row *rows;
		size_t n;
	} lists[] = {{d->rows, d->nrows}, {d->suppressed, suppressed ? d->nsuppressed : 0}};

	for (size_t i = 0; i < d->ninputs; i++) {
		struct sm_preparation p;
		struct sm_error *err;

		sm_preparation_init(&p, d->inputs[i].table->syms, true);
		for (size_t k = 0; k < SM_ARRAY_SIZE(lists); k++) {
			for (size_t r = 0; r < lists[k].n; r++) {
				const struct sm_table_row *row = lists[k].rows[r].row;

				if (lists[k].rows[r].input != i)
					continue;
				if (row->depth && !sm_preparation_add(&p, row->ips, row->depth))
					break;
				if (row->call_site && !sm_preparation_add(&p, &row->call_site, 1))
					break;
			}
		}
		err = sm_preparation_finish(&p);
		if (err && !out->errnum)
			out->errnum = ENOMEM;
		sm_error_free(err);
	}
}

static int64_t exact_delta(uint64_t from, uint64_t to)
{
	uint64_t size = to > from ? to - from : from - to;

	if (to >= from)
		return size > INT64_MAX ? INT64_MAX : (int64_t)size;
	return size > INT64_MAX ? INT64_MIN : -(int64_t)size;
}

static void write_value(
	struct sm_json *j, const char *key, const struct sm_diff *d, size_t input, uint64_t value)
{
	if (d->opts.normalize)
		sm_json_double(j, key, sm_diff_value(d, input, value));
	else
		sm_json_u64(j, key, value);
}

/* old, new, delta, change */
static void write_change(struct sm_json *j, const struct sm_diff *d, uint64_t from, uint64_t to)
{
	size_t last = d->ninputs - 1;
	double first = sm_diff_value(d, 0, from), delta = sm_diff_value(d, last, to) - first;

	write_value(j, "old", d, 0, from);
	write_value(j, "new", d, last, to);
	if (d->opts.normalize)
		sm_json_double(j, "delta", delta);
	else
		sm_json_i64(j, "delta", exact_delta(from, to));
	if (from)
		sm_json_double(j, "change", delta / first);
	else
		sm_json_null(j, "change");
}

static void write_values(struct sm_json *j, const struct sm_diff *d, const struct sm_diff_row *row)
{
	sm_json_array(j, "values");
	for (size_t i = 0; i < d->ninputs; i++)
		write_value(j, NULL, d, i, row->values[i]);
	sm_json_array_end(j);
	sm_json_array(j, "counts");
	for (size_t i = 0; i < d->ninputs; i++)
		sm_json_u64(j, NULL, row->counts[i]);
	sm_json_array_end(j);
}

static bool is_counted(const struct sm_diff *d, const struct sm_diff_row *row)
{
	for (size_t i = 0; i < d->ninputs; i++)
		if (row->counts[i])
			return true;
	return false;
}

static void write_row(
	struct sm_json *j, const struct sm_diff *d, const struct sm_diff_row *row, size_t rank)
{
	const struct sm_symbols *syms = d->inputs[row->input].table->syms;
	char key[32];

	sm_json_object(j, NULL);
	if (rank)
		sm_json_u64(j, "rank", rank);
	else
		sm_json_null(j, "rank");
	sm_json_str(j, "label", row->label);
	snprintf(key, sizeof(key), "0x%016llx",
		row->label ? 0 : (unsigned long long)sm_diff_key(d, row));
	sm_json_str(j, "stack_key", row->label ? NULL : key);
	write_change(j, d, row->values[0], row->values[d->ninputs - 1]);
	sm_json_str(j, "status", sm_diff_status_name(row->status));
	sm_json_bool(j, "significant", row->significant);
	if (is_counted(d, row)) {
		sm_json_double(j, "p_value", row->p);
		sm_json_double(j, "q_value", row->q);
	} else {
		sm_json_null(j, "p_value");
		sm_json_null(j, "q_value");
	}
	if (d->ninputs > 2) {
		sm_json_double(j, "slope", row->trend.slope);
		sm_json_str(j, "verdict", sm_verdict_name(row->trend.verdict));
		sm_json_double(j, "confidence", row->trend.confidence);
	}
	write_values(j, d, row);
	sm_frames_json(j, "frames", syms, row->row->ips, row->label ? 0 : row->row->depth);
	sm_json_object_end(j);
}

static void write_sum_members(struct sm_json *j, const struct sm_diff_sum *sum)
{
	sm_json_u64(j, "rows", sum->rows);
	sm_json_double(j, "increase", sum->up);
	sm_json_double(j, "decrease", sum->down);
}

static void write_sum(struct sm_json *j, const char *key, const struct sm_diff_sum *sum)
{
	sm_json_object(j, key);
	write_sum_members(j, sum);
	sm_json_object_end(j);
}

static void write_inputs(struct sm_json *j, const struct sm_diff *d)
{
	sm_json_array(j, "inputs");
	for (size_t i = 0; i < d->ninputs; i++) {
		const struct sm_diff_input *in = &d->inputs[i];
		const struct sm_profile *p = in->table->profile;

		sm_json_object(j, NULL);
		sm_json_str(j, "path", sm_source_path(p->trace->src));
		sm_json_str(j, "kernel_release", p->trace->kernel_release);
		sm_json_str(j, "build_id",
			in->table->syms ? sm_symbols_build_id(in->table->syms, NULL) : NULL);
		sm_json_str(j, "boot_id", p->trace->boot_id);
		write_value(j, "total", d, i, in->total);
		if (in->window > 0)
			sm_json_double(j, "window", in->window);
		else
			sm_json_null(j, "window");
		sm_json_double(j, "time", in->time);
		sm_json_u64(j, "addresses", in->addresses);
		sm_json_u64(j, "unresolved_addresses", in->unresolved);
		sm_health_json(j, "health", &p->health);
		sm_json_object_end(j);
	}
	sm_json_array_end(j);
}

static void write_suppressions(struct sm_json *j, const struct sm_diff *d)
{
	size_t n = sm_suppressions_count(d->opts.suppressions);

	sm_json_object(j, "suppressed");
	write_sum_members(j, &d->accepted);
	sm_json_array(j, "by");
	for (size_t i = 0; i < n; i++) {
		const struct sm_suppression *s = sm_suppressions_get(d->opts.suppressions, i);

		sm_json_object(j, NULL);
		sm_json_u64(j, "line", s->line);
		sm_json_str(j, "pattern", s->pattern);
		sm_json_str(j, "reason", s->reason);
		sm_json_bool(j, "used", d->suppression_used[i]);
		write_sum_members(j, &d->of_suppression[i]);
		sm_json_object_end(j);
	}
	sm_json_array_end(j);
	sm_json_object_end(j);
}

static void write_summary(struct sm_json *j, const struct sm_diff *d)
{
	sm_json_object(j, "summary");
	for (unsigned i = 0; i < SM_DIFF_EQUAL; i++)
		write_sum(j, sm_diff_status_name((enum sm_diff_status)i), &d->of_status[i]);
	for (unsigned i = 0; d->ninputs > 2 && i < SM_VERDICT_TOO_FEW; i++)
		write_sum(j, sm_verdict_name((enum sm_verdict)i), &d->of_verdict[i]);
	sm_json_object_end(j);
}

void sm_diff_json(const struct sm_diff *d, const struct sm_diff_style *style, struct sm_out *out)
{
	struct sm_json j;

	sm_diff_prepare(d, style->suppressed, out);
	sm_json_init(&j, out, true);
	sm_json_object(&j, NULL);
	sm_json_str(&j, "by", sm_metric_name(d->by));
	sm_json_str(&j, "match", d->opts.match == SM_MATCH_EXACT ? "exact" : "function");
	sm_json_bool(&j, "normalized", d->opts.normalize);
	sm_json_double(&j, "fdr", d->opts.fdr);
	if (d->ninputs > 2)
		sm_json_str(&j, "time_unit", d->time_is_seconds ? "s" : "step");
	write_inputs(&j, d);
	sm_json_object(&j, "totals");
	write_change(&j, d, d->inputs[0].total, d->inputs[d->ninputs - 1].total);
	sm_json_object_end(&j);
	sm_json_array(&j, "rows");
	for (size_t i = 0; i < d->nrows && !sm_out_failed(out); i++)
		write_row(&j, d, &d->rows[i], i + 1);
	sm_json_array_end(&j);
	write_sum(&j, "hidden", &d->hidden);
	write_sum(&j, "within_chance", &d->chance);
	write_suppressions(&j, d);
	if (style->suppressed) {
		sm_json_array(&j, "suppressed_rows");
		for (size_t i = 0; i < d->nsuppressed && !sm_out_failed(out); i++)
			write_row(&j, d, &d->suppressed[i], 0);
		sm_json_array_end(&j);
	}
	sm_json_u64(&j, "equal_rows", d->equal_rows);
	write_summary(&j, d);
	sm_json_array(&j, "notes");
	for (size_t i = 0; i < d->nnotes; i++)
		sm_json_str(&j, NULL, d->notes[i]);
	sm_json_array_end(&j);
	sm_json_object_end(&j);
	sm_out_char(out, '\n');
}

void sm_diff_jsonl(const struct sm_diff *d, const struct sm_diff_style *style, struct sm_out *out)
{
	(void)style;
	sm_diff_prepare(d, false, out);
	for (size_t i = 0; i < d->nrows && !sm_out_failed(out); i++) {
		struct sm_json j;

		sm_json_init(&j, out, false);
		write_row(&j, d, &d->rows[i], i + 1);
		sm_out_char(out, '\n');
	}
}

static void put_value(struct sm_out *out, const struct sm_diff *d, size_t input, uint64_t value)
{
	if (d->opts.normalize)
		sm_out_f(out, "%.9g", sm_diff_value(d, input, value));
	else
		sm_out_u64(out, value);
}

static void put_row(struct sm_out *out, const struct sm_diff *d, const struct sm_diff_row *row)
{
	size_t last = d->ninputs - 1;

	if (row->label)
		sm_out_csv(out, row->label, strlen(row->label));
	sm_out_char(out, ',');
	if (!row->label)
		sm_out_f(out, "0x%016llx", (unsigned long long)sm_diff_key(d, row));
	sm_out_char(out, ',');
	put_value(out, d, 0, row->values[0]);
	sm_out_char(out, ',');
	put_value(out, d, last, row->values[last]);
	sm_out_char(out, ',');
	if (d->opts.normalize)
		sm_out_f(out, "%.9g", row->delta);
	else
		sm_out_i64(out, exact_delta(row->values[0], row->values[last]));
	sm_out_f(out, ",%s,%d,", sm_diff_status_name(row->status), row->significant);
	if (is_counted(d, row))
		sm_out_f(out, "%.6g,%.6g", row->p, row->q);
	else
		sm_out_char(out, ',');
	if (d->ninputs == 2)
		return;
	sm_out_f(out, ",%.9g,%s,%.4f,", row->trend.slope, sm_verdict_name(row->trend.verdict),
		row->trend.confidence);
	for (size_t i = 0; i < d->ninputs; i++) {
		if (i)
			sm_out_char(out, ' ');
		put_value(out, d, i, row->values[i]);
	}
}

void sm_diff_csv(const struct sm_diff *d, const struct sm_diff_style *style, struct sm_out *out)
{
	struct sm_buf text = {0};

	(void)style;
	sm_diff_prepare(d, false, out);
	sm_out_str(out, "rank,label,stack_key,old,new,delta,status,significant,p_value,q_value,");
	sm_out_str(out, d->ninputs > 2 ? "slope,verdict,confidence,values,frames\n" : "frames\n");
	for (size_t i = 0; i < d->nrows && !sm_out_failed(out); i++) {
		const struct sm_diff_row *row = &d->rows[i];

		sm_out_f(out, "%zu,", i + 1);
		put_row(out, d, row);
		sm_out_char(out, ',');
		if (!row->label)
			sm_csv_frames(d->inputs[row->input].table->syms, row->row->ips,
				row->row->depth, &text, out);
		sm_out_char(out, '\n');
	}
	sm_buf_release(&text);
}
