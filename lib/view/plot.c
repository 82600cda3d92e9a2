/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdlib.h>

#include "plot.h"
#include "plot_axis.h"

#define EIGHTHS 8

/* Different enough without colours; what isn't a row of its own comes last. */
static const char *const FILLS[2][10] = {
	{"#", "%", "+", "o", "=", "*", "x", "~", "&", "$"},
	{"█", "▓", "▒", "╬", "═", "║", "┼", "≡", "╳", "%"},
};
static const char *const REST[2] = {"-", "░"};
static const char *const COLORS[] = {"34", "33", "32", "35", "36", "31", "94", "93", "92", "95"};
static const char *const PARTS[EIGHTHS] = {"", "▁", "▂", "▃", "▄", "▅", "▆", "▇"};

const char *plot_gap_mark(const struct plot *p)
{
	return p->style->utf8 ? "┊" : ":";
}

const char *plot_beyond_mark(const struct plot *p)
{
	return p->style->utf8 ? "·" : ".";
}

void plot_color(const struct plot *p, const char *sgr)
{
	if (p->style->color)
		sm_out_f(p->out, "\033[%sm", sgr);
}

static bool is_rest(const struct plot *p, size_t series)
{
	return p->names->n && series + 1 == p->names->n;
}

static void put(const struct plot *p, size_t series, const char *text)
{
	const char *sgr = is_rest(p, series) ? "37" : COLORS[series % SM_ARRAY_SIZE(COLORS)];

	plot_color(p, sgr);
	sm_out_str(p->out, text);
	plot_color(p, "0");
}

static const char *fill_of(const struct plot *p, size_t series)
{
	if (is_rest(p, series))
		return REST[p->style->utf8];
	return FILLS[p->style->utf8][series % SM_ARRAY_SIZE(FILLS[0])];
}

void plot_fill(const struct plot *p, size_t series)
{
	put(p, series, fill_of(p, series));
}

/* ---- columns ---- */

static const struct sm_timeline_level *level_of(const struct plot *p, size_t point)
{
	const struct sm_timeline_point *at = &p->view->timeline->points[point];

	return p->view->by == SM_M_LIVE_COUNT ? &at->count : &at->bytes;
}

static void fill_column(struct plot *p, struct plot_column *c, size_t first, size_t n)
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

/* What the series adds to the column. */
static uint64_t share_of(const struct plot *p, const struct plot_column *c, size_t series)
{
	uint64_t sum = 0;

	if (!sm_timeline_is_rate(p->view->by))
		return series_value(p->view->timeline, series, c->point);
	for (size_t i = 0; i < c->npoints; i++)
		sum += series_value(p->view->timeline, series, c->point - i);
	return course_scaled(p->view, sum, c->ns);
}

bool plot_init(struct plot *p, const struct sm_timeline_view *view,
	const struct sm_timeline_style *style, const struct series_names *names, struct sm_out *out)
{
	const struct sm_timeline *t = view->timeline;
	size_t room = sm_timeline_columns(style->width);
	unsigned labels = style->height / 3 + 1;
	uint64_t most = 0;

	memset(p, 0, sizeof(*p));
	p->view = view;
	p->style = style;
	p->out = out;
	p->names = names;
	p->per = t->n > room ? (t->n + room - 1) / room : 1;
	p->wide = t->n && t->n < room ? room / t->n : 1;
	p->n = (t->n + p->per - 1) / p->per * p->wide;
	p->columns = calloc(p->n + 1, sizeof(*p->columns));
	p->levels = calloc(names->n + 1, sizeof(*p->levels));
	if (!p->columns || !p->levels)
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

void plot_release(struct plot *p)
{
	free(p->columns);
	free(p->levels);
	sm_buf_release(&p->scratch);
	memset(p, 0, sizeof(*p));
}

/* ---- drawing ---- */

/* In eighths of a row; what isn't nothing shows. In ASCII a row is there or not. */
static uint64_t height_of(const struct plot *p, uint64_t value)
{
	unsigned part = p->style->utf8 ? 1 : EIGHTHS;
	unsigned __int128 scaled = (unsigned __int128)value * p->style->height * EIGHTHS / part;
	uint64_t h = (uint64_t)((scaled + p->top / 2) / p->top);

	return (h || !value ? h : 1) * part;
}

static void find_levels(struct plot *p, const struct plot_column *c)
{
	uint64_t sum = 0;

	for (size_t s = 0; s < p->names->n; s++) {
		sum += share_of(p, c, s);
		p->levels[s] = height_of(p, sum);
	}
}

/* The series that has most of the row, from the bottom up where they are equal. */
static size_t owner_of(const struct plot *p, uint64_t row)
{
	uint64_t from = row * EIGHTHS, to = from + EIGHTHS, below = 0, most = 0;
	size_t owner = p->names->n ? p->names->n - 1 : 0;

	for (size_t s = 0; s < p->names->n; s++) {
		uint64_t begin = below > from ? below : from;
		uint64_t end = p->levels[s] < to ? p->levels[s] : to;

		below = p->levels[s];
		if (end <= begin || end - begin <= most)
			continue;
		most = end - begin;
		owner = s;
	}
	return owner;
}

static void draw_cell(struct plot *p, const struct plot_column *c, uint64_t row)
{
	uint64_t from = row * EIGHTHS, height = height_of(p, c->value);
	uint64_t part = height > from ? height - from : 0;
	size_t owner;

	if (!part) {
		bool beyond = height_of(p, c->max) > from;

		p->beyond |= beyond;
		sm_out_str(p->out, beyond ? plot_beyond_mark(p) : " ");
		return;
	}
	find_levels(p, c);
	owner = owner_of(p, row);
	if (c->gap)
		put(p, owner, plot_gap_mark(p));
	else if (p->style->utf8 && part < EIGHTHS)
		put(p, owner, PARTS[part]);
	else
		plot_fill(p, owner);
}

/* Cells at the end of a line that hold nothing aren't written. */
static size_t used(const struct plot *p, uint64_t row)
{
	size_t n = p->n;

	while (n && height_of(p, p->columns[n - 1].max) <= row * EIGHTHS &&
		height_of(p, p->columns[n - 1].value) <= row * EIGHTHS)
		n--;
	return n;
}

void plot_draw(struct plot *p)
{
	for (uint64_t row = p->style->height; row-- > 0 && !sm_out_failed(p->out);) {
		size_t n = used(p, row);

		axis_label(p, row);
		for (size_t i = 0; i < n; i++)
			draw_cell(p, &p->columns[i], row);
		sm_out_char(p->out, '\n');
	}
	axis_draw(p);
}
