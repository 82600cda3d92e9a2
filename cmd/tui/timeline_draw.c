/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The plot, what is said of the cursor, and the stacks there. */
#include <stdlib.h>

#include "rows_view.h"
#include "timeline_view.h"

#define EIGHTHS 8
#define LABEL 11       /* columns of the vertical axis' labels */
#define TABLE_LEAST 13 /* lines of a view that has room for stacks */
#define LOSS_LEAST 16  /* likewise for what is uncertain */

struct drawing {
	struct timeline_view *v;
	struct screen *screen;
	struct sm_timeline_view view;
	struct sm_plot plot;
	unsigned rows;       /* of the plot */
	size_t cursor, peak; /* columns; peak SIZE_MAX = none */
	struct area area;
	int y; /* the next line */
};

static struct pen next_line(struct drawing *d)
{
	return screen_pen(d->screen, d->y++, d->area.x, d->area.w);
}

static void draw_title(struct drawing *d)
{
	const struct sm_timeline *t = d->view.timeline;
	struct pen pen = next_line(d);
	struct sm_buf text = {0};

	if (d->view.profile->trace->clock_is_time) {
		sm_human_ns(t->to - t->from, &text);
		sm_buf_adds(&text, " in intervals of ");
		sm_human_ns(t->interval, &text);
		sm_buf_adds(&text, "  ");
	}
	if (d->v->course->of_whole)
		sm_buf_adds(&text, "(of all: what goes on can't be divided)  ");
	if (d->v->view.browser->question->selection.profile.older)
		sm_buf_adds(&text, "(of any age)  ");
	if (!text.failed && text.len)
		pen_textn(&pen, ROLE_DIM, text.data, text.len);
	sm_buf_reset(&text);
	sm_timeline_peak_text(&d->view, &text);
	pen_text(&pen, ROLE_PEAK, "P ");
	if (!text.failed && text.len)
		pen_textn(&pen, ROLE_PEAK, text.data, text.len);
	if (d->v->course->by != SM_M_NR && !sm_timeline_is_rate(d->v->by))
		pen_text(&pen, ROLE_DIM, "  (a part: known at the ends of intervals)");
	sm_buf_release(&text);
}

/* ---- the plot ---- */

static void draw_cell(const struct drawing *d, struct pen *pen, size_t column, uint64_t row)
{
	static const char *const PARTS[EIGHTHS] = {
		"", "\u2581", "\u2582", "\u2583", "\u2584", "\u2585", "\u2586", "\u2587"};
	const struct sm_plot_column *c = &d->plot.columns[column];
	bool utf8 = screen_is_utf8(d->screen), at_cursor = column == d->cursor;
	uint64_t from = row * EIGHTHS;
	uint64_t height = sm_plot_height(&d->plot, c->value, d->rows, !utf8);
	uint64_t part = height > from ? height - from : 0;
	enum role role = c->gap ? ROLE_LOSS : column == d->peak ? ROLE_PEAK : ROLE_BAR;

	if (!part) {
		bool beyond = sm_plot_height(&d->plot, c->max, d->rows, !utf8) > from;

		if (at_cursor)
			pen_text(pen, ROLE_MARK, utf8 ? "\u2502" : "|");
		else
			pen_text(pen, role, !beyond ? " " : utf8 ? "\u00b7" : ".");
		return;
	}
	pen->selected = at_cursor;
	if (c->gap)
		pen_text(pen, role, utf8 ? "\u250a" : ":");
	else if (utf8)
		pen_text(pen, role, part < EIGHTHS ? PARTS[part] : "\u2588");
	else
		pen_text(pen, role, at_cursor ? "|" : "#");
	pen->selected = false;
}

static void draw_plot(struct drawing *d)
{
	d->v->plot = (struct area){d->y, d->area.x + LABEL + 1, (int)d->rows + 1, (int)d->plot.n};
	for (uint64_t row = d->rows; row-- > 0;) {
		struct pen pen = next_line(d);
		struct sm_buf label = {0};
		bool tick = sm_plot_label(&d->plot, row, d->rows, &label);

		pen_right(&pen, ROLE_DIM, LABEL, tick && !label.failed ? label.data : "");
		pen_text(&pen, ROLE_DIM,
			tick ? screen_glyph(d->screen, "\u2524", "+")
			     : screen_glyph(d->screen, "\u2502", "|"));
		for (size_t i = 0; i < d->plot.n; i++)
			draw_cell(d, &pen, i, row);
		sm_buf_release(&label);
	}
}

static uint64_t moment_at(const struct sm_timeline *t, uint64_t since)
{
	return since > UINT64_MAX - t->from ? UINT64_MAX : t->from + since;
}

static void draw_axis(struct drawing *d, uint64_t step)
{
	const struct sm_timeline *t = d->view.timeline;
	uint64_t window = t->to - t->from, next = 0;
	struct pen pen = next_line(d);

	pen_right(&pen, ROLE_DIM, LABEL, "0");
	pen_text(&pen, ROLE_DIM, screen_glyph(d->screen, "\u2514", "+"));
	for (size_t i = 0; i < d->plot.n; i++) {
		bool tick = next <= window && sm_plot_column_at(&d->plot, moment_at(t, next)) == i;

		if (tick)
			next = next > UINT64_MAX - step ? UINT64_MAX : next + step;
		if (i == d->peak) {
			pen.selected = i == d->cursor;
			pen_text(&pen, ROLE_PEAK, "P");
			pen.selected = false;
		} else if (i == d->cursor) {
			pen_text(&pen, ROLE_MARK, screen_glyph(d->screen, "\u25b2", "^"));
		} else if (d->plot.columns[i].gap) {
			pen_text(&pen, ROLE_LOSS, screen_glyph(d->screen, "\u00d7", "x"));
		} else {
			pen_text(&pen, ROLE_DIM,
				tick ? screen_glyph(d->screen, "\u2534", "+")
				     : screen_glyph(d->screen, "\u2500", "-"));
		}
	}
}

static void draw_times(struct drawing *d, uint64_t step)
{
	const struct sm_timeline *t = d->view.timeline;
	bool seconds = d->view.profile->trace->clock_is_time;
	int begin = d->area.x + LABEL + 1, end = begin;

	for (uint64_t x = 0; x <= t->to - t->from; x += step) {
		int at = begin + (int)sm_plot_column_at(&d->plot, moment_at(t, x));
		struct sm_buf text = {0};
		struct pen pen;

		sm_plot_time_label(&d->plot, x, step, &text);
		if (x == 0 && seconds)
			sm_buf_adds(&text, " s");
		if (text.failed || (x && at <= end) ||
			at + (int)text.len > begin + (int)d->plot.n) {
			sm_buf_release(&text);
			break;
		}
		pen = screen_pen(d->screen, d->y, at, (int)text.len);
		pen_text(&pen, ROLE_DIM, text.data);
		end = at + (int)text.len;
		sm_buf_release(&text);
		if (x > UINT64_MAX - step)
			break;
	}
	d->y++;
}

/* ---- the cursor ---- */

static void add_value(const struct drawing *d, uint64_t value, struct sm_buf *text)
{
	if (sm_profile_is_bytes(d->view.profile, d->view.by))
		sm_human_bytes(value, text);
	else
		sm_human_count(value, text);
}

/* What happened in the column. */
struct summary {
	uint64_t min, max, added, dropped, events, lost, unknown;
	bool gap;
};

static struct summary sum_up(const struct drawing *d)
{
	struct summary s = {.min = UINT64_MAX};
	size_t first, n;

	timeline_column(d->v, &first, &n);
	for (size_t i = first; i < first + n; i++) {
		const struct sm_timeline_point *p = &d->view.timeline->points[i];
		const struct sm_timeline_level *level =
			d->view.by == SM_M_LIVE_COUNT ? &p->count : &p->bytes;

		s.min = level->min < s.min ? level->min : s.min;
		s.max = level->max > s.max ? level->max : s.max;
		s.added += sm_timeline_is_rate(d->view.by) ? sm_timeline_value(p, d->view.by)
							   : level->added;
		s.dropped += level->dropped;
		s.events += p->events;
		s.lost += p->lost;
		s.unknown += p->lost_unknown;
		s.gap |= p->gap;
	}
	return s;
}

static void draw_cursor(struct drawing *d)
{
	const struct sm_plot_column *c = &d->plot.columns[d->cursor];
	struct sm_timeline_peak peak = sm_timeline_peak(d->view.timeline, d->view.by);
	struct summary s = sum_up(d);
	uint64_t from, to;
	struct pen pen = next_line(d);
	struct sm_buf text = {0};

	timeline_span(d->v, &from, &to);
	sm_timeline_time_text(&d->view, to, &text);
	sm_buf_adds(&text, ": ");
	if (sm_timeline_is_rate(d->view.by)) {
		add_value(d, s.added, &text);
		sm_buf_adds(&text, " (");
		sm_timeline_value_text(&d->view, c->value, &text);
		sm_buf_addc(&text, ')');
	} else {
		add_value(d, to == peak.ts ? peak.value : c->value, &text);
		if (d->v->course->by == SM_M_NR) {
			sm_buf_adds(&text, "  in ");
			add_value(d, s.min, &text);
			sm_buf_adds(&text, "..");
			add_value(d, s.max, &text);
			sm_buf_adds(&text, "  +");
			add_value(d, s.added, &text);
			sm_buf_adds(&text, " -");
			add_value(d, s.dropped, &text);
		}
	}
	if (!text.failed && text.len)
		pen_textn(&pen, ROLE_TEXT, text.data, text.len);
	sm_buf_reset(&text);
	if (s.gap) {
		sm_buf_adds(&text, "  events are missing here");
		if (s.lost) {
			sm_buf_adds(&text, ": ");
			sm_human_count(s.lost, &text);
		}
		if (s.unknown)
			sm_buf_adds(&text, s.lost ? " and more" : ": nobody knows how many");
		if (!text.failed)
			pen_textn(&pen, ROLE_LOSS, text.data, text.len);
	}
	sm_buf_release(&text);
}

static void draw_loss(struct drawing *d)
{
	struct pen pen = next_line(d);
	struct sm_buf text = {0};

	sm_timeline_loss_text(&d->view, &text);
	if (!text.failed && text.len)
		pen_textn(&pen, ROLE_LOSS, text.data, text.len);
	sm_buf_release(&text);
}

/* ---- the stacks there ---- */

static void draw_row(void *ctx, size_t index, struct pen *pen)
{
	const struct timeline_view *v = ctx;
	const struct moment *m = v->moment;
	const struct sm_table_row *row = &m->table->rows[index];
	uint64_t total = m->table->profile->totals[m->by];
	struct sm_buf text = {0};

	if (sm_profile_is_bytes(m->table->profile, m->by))
		sm_human_bytes(row->m[m->by], &text);
	else
		sm_human_count(row->m[m->by], &text);
	if (!text.failed && text.len)
		pen_right(pen, ROLE_TEXT, VALUE_COLUMNS, text.data);
	sm_buf_reset(&text);
	sm_buf_addf(&text, "%.2f%%", total ? 100.0 * (double)row->m[m->by] / (double)total : 0.0);
	if (!text.failed && text.len)
		pen_right(pen, ROLE_TEXT, PERCENT_COLUMNS, text.data);
	sm_buf_release(&text);
	pen_text(pen, ROLE_TEXT, " ");
	if (row->label)
		pen_text(pen, ROLE_FUNCTION, row->label);
	else
		stack_draw(v->view.browser, m->reading->side, row, m->tell[index],
			v->view.list.shift, pen);
}

static void draw_table(struct drawing *d)
{
	struct timeline_view *v = d->v;
	const struct browser *b = v->view.browser;
	struct area rows;
	struct pen pen = next_line(d);

	rows = (struct area){d->y, d->area.x, d->area.y + d->area.h - d->y, d->area.w};
	v->view.header = d->y - d->area.y;
	pen_right(&pen, ROLE_HEADER, VALUE_COLUMNS, sm_metric_name(v->by));
	pen_right(&pen, ROLE_HEADER, PERCENT_COLUMNS, "%");
	pen_text(&pen, ROLE_HEADER, " ");
	if (b->sides[b->shown].live_wanted)
		pen_text(&pen, ROLE_HEADER, "what goes on: other views have what is live now");
	else if (!v->moment || !timeline_has_moment(v))
		pen_text(&pen, ROLE_HEADER, "counting...");
	else
		pen_text(&pen, ROLE_HEADER,
			v->moment->from != UINT64_MAX
				? "stacks that allocated here"
				: "stacks that own it here  (Enter: all views)");
	pen_end(&pen, ROLE_HEADER);
	if (v->moment && timeline_has_moment(v))
		list_draw(&v->view.list, d->screen, &rows, draw_row, v);
}

/* ---- all of it ---- */

static void find_columns(struct drawing *d)
{
	struct sm_timeline_peak peak = sm_timeline_peak(d->view.timeline, d->view.by);

	d->v->per = d->plot.per;
	d->v->wide = d->plot.wide;
	d->v->columns = d->plot.n;
	d->cursor = sm_plot_column_of(&d->plot, d->v->point);
	d->peak = SIZE_MAX;
	if (peak.value)
		d->peak = sm_plot_column_at(&d->plot, peak.ts ? peak.ts - 1 : 0);
	/* A column that is several wide begins with its first one. */
	if (d->peak != SIZE_MAX)
		d->peak -= d->peak % d->plot.wide;
}

void timeline_draw(struct timeline_view *v, const struct area *area)
{
	struct drawing d = {
		.v = v,
		.screen = v->view.browser->screen,
		.view = timeline_shown(v),
		.area = *area,
		.y = area->y,
	};
	bool table = area->h >= TABLE_LEAST, title = area->h >= 8;
	bool loss = d.view.timeline->uncertain && area->h >= LOSS_LEAST;
	int around = title + 3 + loss, rows;
	uint64_t step;

	v->view.list.rows = 0;
	rows = table ? area->h / 2 - around + 2 : area->h - around;
	d.rows = rows > 2 ? (unsigned)rows : 2;
	if (!sm_plot_init(&d.plot, &d.view, area->w > LABEL + 2 ? (size_t)(area->w - LABEL - 1) : 1,
		    d.rows)) {
		sm_plot_release(&d.plot);
		return;
	}
	find_columns(&d);
	if (title)
		draw_title(&d);
	draw_plot(&d);
	step = sm_plot_time_step(&d.plot);
	draw_axis(&d, step);
	draw_times(&d, step);
	draw_cursor(&d);
	if (loss)
		draw_loss(&d);
	if (table)
		draw_table(&d);
	sm_plot_release(&d.plot);
}
