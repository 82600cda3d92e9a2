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

/* What the series adds to the column. */
static uint64_t share_of(const struct plot *p, const struct sm_plot_column *c, size_t series)
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
	memset(p, 0, sizeof(*p));
	p->view = view;
	p->style = style;
	p->out = out;
	p->names = names;
	p->levels = calloc(names->n + 1, sizeof(*p->levels));
	return sm_plot_init(&p->data, view, sm_timeline_columns(style->width), style->height) &&
	       p->levels;
}

void plot_release(struct plot *p)
{
	sm_plot_release(&p->data);
	free(p->levels);
	sm_buf_release(&p->scratch);
	memset(p, 0, sizeof(*p));
}

/* ---- drawing ---- */

static uint64_t height_of(const struct plot *p, uint64_t value)
{
	return sm_plot_height(&p->data, value, p->style->height, !p->style->utf8);
}

static void find_levels(struct plot *p, const struct sm_plot_column *c)
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

static void draw_cell(struct plot *p, const struct sm_plot_column *c, uint64_t row)
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
	size_t n = p->data.n;

	while (n && height_of(p, p->data.columns[n - 1].max) <= row * EIGHTHS &&
		height_of(p, p->data.columns[n - 1].value) <= row * EIGHTHS)
		n--;
	return n;
}

void plot_draw(struct plot *p)
{
	for (uint64_t row = p->style->height; row-- > 0 && !sm_out_failed(p->out);) {
		size_t n = used(p, row);

		axis_label(p, row);
		for (size_t i = 0; i < n; i++)
			draw_cell(p, &p->data.columns[i], row);
		sm_out_char(p->out, '\n');
	}
	axis_draw(p);
}
