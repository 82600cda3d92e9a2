/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A timeline for people: the plot, what its characters stand for, and what must be said. */
#include <errno.h>

#include "row_text.h"
#include "plot.h"
#include "top.h"

#define LEAST_COLUMNS 10
#define VALUE_WIDTH 12
#define PERCENT_WIDTH 8

unsigned sm_timeline_columns(unsigned width)
{
	unsigned around = PLOT_LABEL + 1;

	return width > around + LEAST_COLUMNS ? width - around : LEAST_COLUMNS;
}

static void flush(struct plot *p)
{
	sm_out_bytes(p->out, p->scratch.data, p->scratch.len);
	sm_buf_reset(&p->scratch);
}

/* A line of the scratch buffer; nothing where that is empty. */
static void write_note(struct plot *p, const char *sgr)
{
	if (!p->scratch.len)
		return;
	if (sgr)
		plot_color(p, sgr);
	flush(p);
	if (sgr)
		plot_color(p, "0");
	sm_out_char(p->out, '\n');
}

static void write_title(struct plot *p)
{
	const struct sm_timeline *t = p->view->timeline;
	const struct sm_trace *trace = p->view->profile->trace;
	struct sm_buf *b = &p->scratch;

	sm_buf_adds(b, sm_metric_name(p->view->by));
	if (t->n && trace->clock_is_time) {
		sm_buf_adds(b, " over ");
		sm_human_ns(t->to - t->from, b);
		sm_buf_adds(b, ", intervals of ");
		sm_human_ns(t->interval, b);
	}
	if (trace->kernel_release) {
		sm_buf_adds(b, ", kernel ");
		sm_buf_add_visible(b, trace->kernel_release, strlen(trace->kernel_release));
	}
	write_note(p, "1");
	sm_out_char(p->out, '\n');
}

/* Right-aligned. */
static void cell(struct plot *p, size_t width)
{
	if (p->scratch.len < width)
		sm_out_pad(p->out, ' ', width - p->scratch.len);
	flush(p);
}

static void write_value(struct plot *p, uint64_t value, uint64_t whole)
{
	if (sm_profile_is_bytes(p->view->profile, p->view->by))
		sm_human_bytes(value, &p->scratch);
	else
		sm_human_count(value, &p->scratch);
	cell(p, VALUE_WIDTH);
	if (whole)
		sm_buf_addf(&p->scratch, "%.1f%%", 100.0 * (double)value / (double)whole);
	else
		sm_buf_addc(&p->scratch, '-');
	cell(p, PERCENT_WIDTH);
	sm_out_str(p->out, "  ");
}

/* The series ever holds anything. */
static bool is_any(const struct sm_timeline *t, size_t series)
{
	for (size_t i = 0; i < t->n; i++)
		if (series_value(t, series, i))
			return true;
	return false;
}

static void write_legend(struct plot *p)
{
	const struct sm_table *table = p->view->table;
	enum sm_metric by;

	if (!p->names->n)
		return;
	by = table->opts.by;
	sm_buf_adds(&p->scratch, course_when(p->view));
	plot_color(p, "4");
	sm_out_str(p->out, "   ");
	cell(p, VALUE_WIDTH);
	sm_buf_adds(&p->scratch, "%");
	cell(p, PERCENT_WIDTH);
	sm_out_f(p->out, "  %s", row_text_group(table->opts.group, table->opts.attr));
	plot_color(p, "0");
	sm_out_char(p->out, '\n');
	for (size_t s = 0; s < p->names->n && !sm_out_failed(p->out); s++) {
		bool rest = s + 1 == p->names->n;

		if (rest && !is_any(p->view->timeline, s))
			break;
		sm_out_str(p->out, "  ");
		plot_fill(p, s);
		write_value(
			p, rest ? table->hidden_value : table->rows[s].m[by], table->totals[by]);
		sm_out_visible(p->out, p->names->items[s], strlen(p->names->items[s]));
		if (rest && table->hidden_rows)
			sm_out_f(p->out, ": %zu more row%s", table->hidden_rows,
				table->hidden_rows == 1 ? "" : "s");
		sm_out_char(p->out, '\n');
	}
}

static void write_marks(struct plot *p)
{
	if (p->beyond)
		sm_out_f(p->out, "  %s  reached within a column\n", plot_beyond_mark(p));
	if (p->data.gaps)
		sm_out_f(p->out, "  %s  events of a CPU are missing here: %s on the axis\n",
			plot_gap_mark(p), p->style->utf8 ? "×" : "x");
}

void sm_timeline_text(const struct sm_timeline_view *view, const struct sm_timeline_style *style,
	struct sm_out *out)
{
	struct series_names names;
	struct plot p;

	series_names_make(&names, view, out);
	if (!plot_init(&p, view, style, &names, out) && !out->errnum)
		out->errnum = ENOMEM;
	write_title(&p);
	if (!view->timeline->n)
		sm_out_str(out, "(nothing: no events in that window)\n\n");
	else if (!out->errnum)
		plot_draw(&p);
	if (view->timeline->n && !out->errnum) {
		sm_out_char(out, '\n');
		write_legend(&p);
		write_marks(&p);
		if (names.n || p.beyond || p.data.gaps)
			sm_out_char(out, '\n');
	}
	course_others_text(view, &p.scratch);
	write_note(&p, NULL);
	sm_timeline_loss_text(view, &p.scratch);
	write_note(&p, "31");
	course_baseline_text(view, &p.scratch);
	write_note(&p, NULL);
	course_health_text(view, &p.scratch);
	write_note(&p, NULL);
	if (view->hint && view->timeline->n) {
		sm_buf_adds(&p.scratch, "the peak, explained: ");
		sm_buf_add_visible(&p.scratch, view->hint, strlen(view->hint));
		write_note(&p, "1");
	}
	if (p.scratch.failed && !out->errnum)
		out->errnum = ENOMEM;
	plot_release(&p);
	series_names_release(&names);
}
