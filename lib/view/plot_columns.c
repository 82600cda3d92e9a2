/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A timeline's points as columns, and where things are among them. */
#include <stdlib.h>

#include "plot_axis.h"

#define EIGHTHS 8

static const struct sm_timeline_level *level_of(const struct sm_plot *p, size_t point)
{
	const struct sm_timeline_point *at = &p->view->timeline->points[point];

	return p->view->by == SM_M_LIVE_COUNT ? &at->count : &at->bytes;
}

static void fill_column(struct sm_plot *p, struct sm_plot_column *c, size_t first, size_t n)
{
	const struct sm_timeline *t = p->view->timeline;
	enum sm_metric by = p->view->by;
	bool rate = sm_timeline_is_rate(by);
	uint64_t sum = 0;

	c->point = first + n - 1;
	c->npoints = n;
	for (size_t i = first; i < first + n; i++) {
		uint64_t value = sm_timeline_value(&t->points[i], by), ns = course_length(t);
		uint64_t most = rate ? course_scaled(p->view, value, ns) : level_of(p, i)->max;

		c->ns += ns;
		c->gap |= t->points[i].gap;
		c->max = most > c->max ? most : c->max;
		sum += value;
		c->value = value;
	}
	if (rate)
		c->value = course_scaled(p->view, sum, c->ns);
}

bool sm_plot_init(
	struct sm_plot *p, const struct sm_timeline_view *view, size_t columns, unsigned rows)
{
	const struct sm_timeline *t = view->timeline;
	size_t room = columns ? columns : 1;
	unsigned labels = rows / 3 + 1;
	uint64_t most = 0;

	memset(p, 0, sizeof(*p));
	p->view = view;
	p->per = t->n > room ? (t->n + room - 1) / room : 1;
	p->wide = t->n && t->n < room ? room / t->n : 1;
	p->n = (t->n + p->per - 1) / p->per * p->wide;
	p->columns = calloc(p->n + 1, sizeof(*p->columns));
	if (!p->columns)
		return false;
	for (size_t i = 0; i < p->n; i++) {
		size_t first = i / p->wide * p->per;
		size_t left = t->n - first;

		fill_column(p, &p->columns[i], first, left < p->per ? left : p->per);
		most = p->columns[i].max > most ? p->columns[i].max : most;
		p->gaps |= p->columns[i].gap;
	}
	axis_scale(most, sm_profile_is_bytes(view->profile, view->by),
		labels < 2   ? 2
		: labels < 5 ? labels
			     : 5,
		&p->top, &p->step);
	return true;
}

void sm_plot_release(struct sm_plot *p)
{
	free(p->columns);
	memset(p, 0, sizeof(*p));
}

uint64_t sm_plot_height(const struct sm_plot *p, uint64_t value, unsigned rows, bool whole)
{
	unsigned part = whole ? EIGHTHS : 1;
	unsigned __int128 scaled = (unsigned __int128)value * rows * EIGHTHS / part;
	uint64_t h = (uint64_t)((scaled + p->top / 2) / p->top);

	return (h || !value ? h : 1) * part;
}

size_t sm_plot_column_at(const struct sm_plot *p, uint64_t ts)
{
	const struct sm_timeline *t = p->view->timeline;
	unsigned __int128 at = ts > t->from ? ts - t->from : 0;

	at = at * p->wide / ((unsigned __int128)t->interval * p->per);
	return at < p->n ? (size_t)at : p->n - 1;
}

size_t sm_plot_column_of(const struct sm_plot *p, size_t point)
{
	size_t at = point / p->per * p->wide;

	return at < p->n ? at : p->n - 1;
}

bool sm_plot_label(const struct sm_plot *p, uint64_t row, unsigned rows, struct sm_buf *text)
{
	/* The upper edge of the row is what is labelled. */
	for (uint64_t v = p->step;; v += p->step) {
		uint64_t at = (uint64_t)(((unsigned __int128)v * rows + p->top / 2) / p->top);

		if (at == row + 1) {
			sm_timeline_value_text(p->view, v, text);
			return true;
		}
		if (at > row || v > p->top - p->step)
			return false;
	}
}

uint64_t sm_plot_time_step(const struct sm_plot *p)
{
	const struct sm_timeline *t = p->view->timeline;
	uint64_t window = t->to - t->from, n = p->n / 8;

	for (;; n--) {
		uint64_t step = axis_time_step(window, n);
		struct sm_buf text = {0};
		size_t width, column = p->n;

		axis_time_text(window, step, &text);
		width = text.len + 2;
		sm_buf_release(&text);
		if (window)
			column = sm_plot_column_at(
				p, step > UINT64_MAX - t->from ? UINT64_MAX : t->from + step);
		if (n <= 1 || column >= width)
			return step;
	}
}

void sm_plot_time_label(const struct sm_plot *p, uint64_t since, uint64_t step, struct sm_buf *text)
{
	if (p->view->profile->trace->clock_is_time)
		axis_time_text(since, step, text);
	else
		sm_buf_addf(text, "%llu", (unsigned long long)since);
}
