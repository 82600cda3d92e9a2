/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A comparison for people. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "diff_view.h"
#include "row_text.h"
#include "top.h"

#define DELTA_WIDTH 13
#define CHANGE_WIDTH 10
#define VERDICT_WIDTH 10
#define STATUS_WIDTH 6
#define SURE_WIDTH 6

struct text {
	const struct sm_diff *d;
	const struct sm_diff_style *style;
	struct row_text r;
	struct fragments **fragments; /* by input; made when they are needed */
	double *scaled;               /* of one row, by input */
};

static bool is_series(const struct text *t)
{
	return t->d->ninputs > 2;
}

/* An amount that is not negative. */
static void add_amount(struct text *t, double x)
{
	struct sm_buf *b = &t->r.scratch;
	uint64_t whole = x < 1.8e19 ? (uint64_t)(x + 0.5) : UINT64_MAX;
	bool bytes = t->d->is_bytes;

	if (x != floor(x) && x < 100)
		sm_buf_addf(b, bytes ? "%.1f B" : "%.2f", x);
	else if (bytes)
		sm_human_bytes(whole, b);
	else
		sm_human_count(whole, b);
}

static void add_signed(struct text *t, double x)
{
	sm_buf_addc(&t->r.scratch, x < 0 ? '-' : '+');
	add_amount(t, fabs(x));
}

static void add_per_second(struct text *t)
{
	if (t->d->opts.normalize)
		sm_buf_adds(&t->r.scratch, "/s");
}

static void add_change(struct text *t, double from, double delta)
{
	double percent = from > 0 ? 100 * delta / from : 0;

	if (!(from > 0))
		sm_buf_addc(&t->r.scratch, '-');
	else if (percent < 99999)
		sm_buf_addf(&t->r.scratch, "%+.1f%%", percent);
	else
		sm_buf_adds(&t->r.scratch, ">+99999%");
}

/* What an input is called. */
static void add_input(struct text *t, size_t i)
{
	static const char *const NAMES[] = {"old", "new"};

	if (is_series(t))
		sm_buf_addf(&t->r.scratch, "%zu", i);
	else
		sm_buf_adds(&t->r.scratch, NAMES[i]);
}

static void write_line(struct text *t)
{
	row_text_cell(&t->r, 0);
	sm_out_char(t->r.out, '\n');
}

static void write_title(struct text *t)
{
	const struct sm_diff *d = t->d;
	struct sm_buf *b = &t->r.scratch;
	size_t last = d->ninputs - 1;
	double first = sm_diff_value(d, 0, d->inputs[0].total), delta = sm_diff_delta(d);

	sm_buf_addf(b, "%s: ", sm_metric_name(d->by));
	add_amount(t, first);
	add_per_second(t);
	sm_buf_adds(b, " -> ");
	add_amount(t, sm_diff_value(d, last, d->inputs[last].total));
	add_per_second(t);
	sm_buf_adds(b, ", ");
	add_signed(t, delta);
	add_per_second(t);
	sm_buf_adds(b, " (");
	add_change(t, first, delta);
	sm_buf_addc(b, ')');
	row_text_color(&t->r, "1");
	row_text_cell(&t->r, 0);
	row_text_color(&t->r, "0");
	sm_out_char(t->r.out, '\n');
	for (size_t i = 0; i < d->ninputs; i++) {
		const struct sm_trace *trace = d->inputs[i].table->profile->trace;
		const char *path = sm_source_path(trace->src);

		add_input(t, i);
		sm_buf_adds(b, ": ");
		sm_buf_add_visible(b, path, strlen(path));
		if (trace->kernel_release) {
			sm_buf_adds(b, ", kernel ");
			sm_buf_add_visible(b, trace->kernel_release, strlen(trace->kernel_release));
		}
		if (is_series(t)) {
			sm_buf_adds(b, ", ");
			add_amount(t, sm_diff_value(d, i, d->inputs[i].total));
			add_per_second(t);
			sm_buf_addf(b, d->time_is_seconds ? " at +%g s" : " at step %g",
				d->inputs[i].time);
		}
		write_line(t);
	}
	sm_out_char(t->r.out, '\n');
}

static void write_column(struct text *t, const char *name, bool per_second, size_t width)
{
	sm_buf_adds(&t->r.scratch, name);
	if (per_second)
		add_per_second(t);
	row_text_cell(&t->r, width);
}

/* A word in a column, left-aligned. */
static void write_word(struct text *t, const char *word, size_t width)
{
	sm_out_f(t->r.out, "  %-*s", (int)width, word);
}

static size_t picture_width(const struct text *t)
{
	size_t n = t->d->ninputs;

	return n < 6 ? 6 : n < SPARKLINE_WIDTH ? n : SPARKLINE_WIDTH;
}

static void write_header(struct text *t)
{
	const struct sm_table *table = t->d->inputs[0].table;

	row_text_color(&t->r, "4");
	write_column(t, is_series(t) ? "first" : "old", true, VALUE_WIDTH);
	write_column(t, is_series(t) ? "last" : "new", true, VALUE_WIDTH);
	write_column(t, "delta", true, DELTA_WIDTH);
	if (is_series(t)) {
		write_column(
			t, t->d->time_is_seconds ? "slope/s" : "slope/step", false, DELTA_WIDTH);
		write_word(t, "verdict", VERDICT_WIDTH);
		write_column(t, "sure", false, SURE_WIDTH);
		write_word(t, "values", picture_width(t));
	} else {
		write_column(t, "change", false, CHANGE_WIDTH);
		write_word(t, "status", STATUS_WIDTH);
	}
	sm_out_f(t->r.out, "  %s", row_text_group(table->opts.group, table->opts.attr));
	row_text_color(&t->r, "0");
	sm_out_char(t->r.out, '\n');
}

static const char *color_of(double delta)
{
	return delta > 0 ? "31" : delta < 0 ? "32" : "0";
}

/* The figures of a series behind the first three. */
static void write_trend(struct text *t, const struct sm_diff_row *row)
{
	const struct sm_diff *d = t->d;
	enum sm_verdict verdict = row->trend.verdict;

	add_signed(t, row->trend.slope);
	row_text_cell(&t->r, DELTA_WIDTH);
	row_text_color(&t->r, verdict == SM_VERDICT_GROWING      ? "1;31"
			      : verdict == SM_VERDICT_SATURATING ? "33"
								 : "0");
	write_word(t, sm_verdict_name(verdict), VERDICT_WIDTH);
	row_text_color(&t->r, "0");
	if (verdict == SM_VERDICT_TOO_FEW)
		sm_buf_addc(&t->r.scratch, '-');
	else
		sm_buf_addf(&t->r.scratch, "%.0f%%", 100 * row->trend.confidence);
	row_text_cell(&t->r, SURE_WIDTH);
	for (size_t i = 0; i < d->ninputs; i++)
		t->scaled[i] = sm_diff_value(d, i, row->values[i]);
	sm_out_str(t->r.out, "  ");
	sparkline_add(t->scaled, d->ninputs, t->style->unicode, &t->r.scratch);
	row_text_cell(&t->r, 0);
	sm_out_pad(t->r.out, ' ',
		picture_width(t) - (d->ninputs < SPARKLINE_WIDTH ? d->ninputs : SPARKLINE_WIDTH));
}

static void write_frames(struct text *t, const struct sm_diff_row *row, size_t indent)
{
	struct fragments **fragments = &t->fragments[row->input];
	/* One function stands for several call sites where they match by functions. */
	uint64_t site = t->d->opts.match == SM_MATCH_EXACT ? row->row->call_site : 0;

	if (!*fragments)
		*fragments = fragments_new(t->d->inputs[row->input].table->syms, sm_call_render);
	if (row->label)
		row_text_label(&t->r, *fragments, row->label, site, indent);
	else
		row_text_frames(&t->r, *fragments, row->row->ips, row->row->depth, indent);
}

static void write_row(struct text *t, const struct sm_diff_row *row)
{
	const struct sm_diff *d = t->d;
	size_t last = d->ninputs - 1, indent = 2 * VALUE_WIDTH + DELTA_WIDTH + 2;
	double first = sm_diff_value(d, 0, row->values[0]);

	add_amount(t, first);
	row_text_cell(&t->r, VALUE_WIDTH);
	add_amount(t, sm_diff_value(d, last, row->values[last]));
	row_text_cell(&t->r, VALUE_WIDTH);
	row_text_color(&t->r, color_of(row->delta));
	add_signed(t, row->delta);
	row_text_cell(&t->r, DELTA_WIDTH);
	row_text_color(&t->r, "0");
	if (is_series(t)) {
		write_trend(t, row);
		indent += DELTA_WIDTH + 2 + VERDICT_WIDTH + SURE_WIDTH + 2 + picture_width(t);
	} else {
		add_change(t, first, row->delta);
		row_text_cell(&t->r, CHANGE_WIDTH);
		row_text_color(&t->r, color_of(row->delta));
		write_word(t, sm_diff_status_name(row->status), STATUS_WIDTH);
		row_text_color(&t->r, "0");
		indent += CHANGE_WIDTH + 2 + STATUS_WIDTH;
	}
	sm_out_str(t->r.out, "  ");
	write_frames(t, row, indent + 2);
	if (d->inputs[0].table->opts.group == SM_GROUP_STACK)
		sm_out_char(t->r.out, '\n');
}

/* "3 rows are equal: +1.2 MiB, -12 B" */
static void add_sum(
	struct text *t, const struct sm_diff_sum *sum, const char *one, const char *many)
{
	struct sm_buf *b = &t->r.scratch;

	sm_human_count(sum->rows, b);
	sm_buf_adds(b, sum->rows == 1 ? one : many);
	if (sum->up > 0) {
		sm_buf_adds(b, ": +");
		add_amount(t, sum->up);
		add_per_second(t);
	}
	if (sum->down > 0) {
		sm_buf_adds(b, sum->up > 0 ? ", -" : ": -");
		add_amount(t, sum->down);
		add_per_second(t);
	}
}

static void write_sums(struct text *t)
{
	const struct sm_diff *d = t->d;
	struct sm_buf *b = &t->r.scratch;

	if (d->hidden.rows) {
		add_sum(t, &d->hidden, " more row", " more rows");
		sm_buf_adds(b, "; -n 0 shows all");
		write_line(t);
	}
	if (d->chance.rows && !d->opts.keep_chance) {
		add_sum(t, &d->chance, " row differs within chance", " rows differ within chance");
		if (d->chance.rows > 1) {
			sm_buf_adds(b, ", at most ");
			add_amount(t, d->chance.most);
			add_per_second(t);
			sm_buf_adds(b, " each");
		}
		sm_buf_adds(b, "; --all shows them");
		write_line(t);
	}
	if (d->accepted.rows) {
		add_sum(t, &d->accepted, " row is suppressed", " rows are suppressed");
		sm_buf_adds(b, t->style->suppressed ? "" : "; -v shows them");
		write_line(t);
	}
	if (d->equal_rows) {
		sm_human_count(d->equal_rows, b);
		sm_buf_adds(b, d->equal_rows == 1 ? " row is equal" : " rows are equal");
		write_line(t);
	}
}

static void write_suppressed(struct text *t)
{
	const struct sm_diff *d = t->d;

	if (!t->style->suppressed || !d->nsuppressed)
		return;
	sm_out_str(t->r.out, "suppressed:\n");
	if (!d->nrows)
		write_header(t);
	for (size_t i = 0; i < d->nsuppressed && !sm_out_failed(t->r.out); i++) {
		const struct sm_diff_row *row = &d->suppressed[i];
		const struct sm_suppression *s =
			sm_suppressions_get(d->opts.suppressions, row->suppression);
		const char *why = s->reason ? s->reason : "no reason is given";

		sm_buf_addf(&t->r.scratch, "line %u, ", s->line);
		sm_buf_add_visible(&t->r.scratch, s->pattern, strlen(s->pattern));
		sm_buf_adds(&t->r.scratch, ": ");
		sm_buf_add_visible(&t->r.scratch, why, strlen(why));
		write_line(t);
		write_row(t, row);
	}
}

static void write_end(struct text *t)
{
	const struct sm_diff *d = t->d;

	write_sums(t);
	for (size_t i = 0; i < d->nnotes; i++) {
		row_text_color(&t->r, "33");
		sm_out_f(t->r.out, "note: %s", d->notes[i]);
		row_text_color(&t->r, "0");
		sm_out_char(t->r.out, '\n');
	}
	for (size_t i = 0; i < d->ninputs; i++) {
		add_input(t, i);
		sm_buf_adds(&t->r.scratch, ": ");
		row_text_honesty(&t->r, d->inputs[i].table->profile, d->by);
	}
}

void sm_diff_text(const struct sm_diff *d, const struct sm_diff_style *style, struct sm_out *out)
{
	struct text t = {.d = d, .style = style, .r = {.style = &style->base, .out = out}};

	t.fragments = calloc(d->ninputs, sizeof(struct fragments *));
	t.scaled = calloc(d->ninputs, sizeof(*t.scaled));
	if (!t.fragments || !t.scaled) {
		free(t.fragments);
		free(t.scaled);
		out->errnum = ENOMEM;
		return;
	}
	sm_diff_prepare(d, style->suppressed, out);
	write_title(&t);
	if (d->nrows)
		write_header(&t);
	for (size_t i = 0; i < d->nrows && !sm_out_failed(out); i++)
		write_row(&t, &d->rows[i]);
	if (!d->nrows)
		sm_out_str(out, d->chance.rows ? "(no rows: nothing differs by more than chance)\n"
				: d->accepted.rows ? "(no rows: all that differs is suppressed)\n"
						   : "(no rows: nothing differs)\n");
	if (!d->nrows || d->inputs[0].table->opts.group != SM_GROUP_STACK)
		sm_out_char(out, '\n');
	write_suppressed(&t);
	write_end(&t);
	for (size_t i = 0; i < d->ninputs; i++)
		fragments_free(t.fragments[i]);
	free(t.fragments);
	free(t.scaled);
	row_text_release(&t.r);
}
