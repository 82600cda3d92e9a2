/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The axes of a plot: round values, times, and the peak's mark. */
#include "plot_axis.h"

void axis_scale(uint64_t most, bool bytes, unsigned labels, uint64_t *top, uint64_t *step)
{
	static const uint64_t tens[] = {2, 5, 10};
	uint64_t s = 1;

	if (!most)
		most = 1;
	for (unsigned i = 0; most / s >= labels && s < UINT64_MAX / 20; i++) {
		if (bytes)
			s *= 2;
		else
			s = i % 3 ? s / tens[i % 3 - 1] * tens[i % 3] : s * 2;
	}
	*step = s;
	/* The end needn't be labelled: little room is wasted. */
	s = s < 4 ? s : s / 4;
	*top = most / s * s;
	if (*top < most)
		*top = *top > UINT64_MAX - s ? UINT64_MAX : *top + s;
	*top = *top < *step ? *step : *top;
}

uint64_t axis_time_step(uint64_t window, uint64_t n)
{
	uint64_t s = 1;

	if (!n)
		n = 1;
	for (unsigned i = 0; window / s > n && s < UINT64_MAX / 20; i++)
		s = i % 3 == 1 ? s / 2 * 5 : s * 2;
	return s;
}

void axis_time_text(uint64_t ns, uint64_t step, struct sm_buf *buf)
{
	unsigned digits = 9;
	uint64_t unit = 1;

	while (digits && step % (unit * 10) == 0) {
		unit *= 10;
		digits--;
	}
	sm_buf_addf(buf, "%llu", (unsigned long long)(ns / 1000000000));
	if (digits)
		sm_buf_addf(
			buf, ".%0*llu", (int)digits, (unsigned long long)(ns % 1000000000 / unit));
}

void sm_timeline_value_text(const struct sm_timeline_view *view, uint64_t value, struct sm_buf *buf)
{
	static const char *const units[] = {" M", " G", " T", " P", " E"};
	uint64_t unit = 1000000;
	size_t u = 0;

	if (sm_profile_is_bytes(view->profile, view->by)) {
		sm_human_bytes(value, buf);
	} else if (value < unit) {
		sm_human_count(value, buf);
	} else {
		while (u + 1 < SM_ARRAY_SIZE(units) && value / unit >= 1000) {
			unit *= 1000;
			u++;
		}
		sm_buf_addf(buf, "%llu", (unsigned long long)(value / unit));
		if (value % unit)
			sm_buf_addf(buf, ".%llu", (unsigned long long)(value % unit / (unit / 10)));
		sm_buf_adds(buf, units[u]);
	}
	sm_buf_adds(buf, course_suffix(view));
}

/* In columns, not bytes. */
static size_t width_of(const struct sm_buf *b)
{
	size_t n = 0;

	for (size_t i = 0; i < b->len; i++)
		n += (b->data[i] & 0xc0) != 0x80;
	return n;
}

/* Right-aligned. */
static void put_label(struct plot *p)
{
	struct sm_buf *b = &p->scratch;

	if (b->len < PLOT_LABEL)
		sm_out_pad(p->out, ' ', PLOT_LABEL - b->len);
	if (b->len)
		sm_out_bytes(p->out, b->data, b->len);
	sm_buf_reset(b);
}

void axis_label(struct plot *p, uint64_t row)
{
	bool tick = sm_plot_label(&p->data, row, p->style->height, &p->scratch);

	put_label(p);
	if (p->style->utf8)
		sm_out_str(p->out, tick ? "┤" : "│");
	else
		sm_out_str(p->out, tick ? "+" : "|");
}

/* The column where `since` ns after the begin are. */
static size_t column_at(const struct plot *p, uint64_t since)
{
	const struct sm_timeline *t = p->view->timeline;

	return sm_plot_column_at(
		&p->data, since > UINT64_MAX - t->from ? UINT64_MAX : t->from + since);
}

static void draw_line(struct plot *p, uint64_t step)
{
	bool utf8 = p->style->utf8;
	uint64_t window = p->view->timeline->to - p->view->timeline->from, next = 0;

	sm_buf_adds(&p->scratch, "0");
	put_label(p);
	sm_out_str(p->out, utf8 ? "└" : "+");
	for (size_t i = 0; i < p->data.n; i++) {
		bool tick = next <= window && column_at(p, next) == i;

		if (tick)
			next = next > UINT64_MAX - step ? UINT64_MAX : next + step;
		if (p->data.columns[i].gap)
			sm_out_str(p->out, utf8 ? "×" : "x");
		else if (utf8)
			sm_out_str(p->out, tick ? "┴" : "─");
		else
			sm_out_char(p->out, tick ? '+' : '-');
	}
	sm_out_char(p->out, '\n');
}

static void draw_times(struct plot *p, uint64_t step)
{
	const struct sm_timeline *t = p->view->timeline;
	size_t at = 0;

	sm_out_pad(p->out, ' ', PLOT_LABEL + 1);
	for (uint64_t x = 0; x <= t->to - t->from; x += step) {
		size_t column = column_at(p, x), left = p->data.n - column;

		sm_plot_time_label(&p->data, x, step, &p->scratch);
		/* The last one may have no room. */
		if ((at && column <= at) || p->scratch.len > left) {
			sm_buf_reset(&p->scratch);
			break;
		}
		sm_out_pad(p->out, ' ', column - at);
		sm_out_bytes(p->out, p->scratch.data, p->scratch.len);
		at = column + p->scratch.len;
		sm_buf_reset(&p->scratch);
		if (x > UINT64_MAX - step)
			break;
	}
	sm_out_char(p->out, '\n');
	sm_out_pad(p->out, ' ', PLOT_LABEL + 1);
	course_origin_text(p->view, &p->scratch);
	sm_out_bytes(p->out, p->scratch.data, p->scratch.len);
	sm_buf_reset(&p->scratch);
	sm_out_char(p->out, '\n');
}

static void draw_peak(struct plot *p)
{
	const struct sm_timeline *t = p->view->timeline;
	struct sm_timeline_peak peak = sm_timeline_peak(t, p->view->by);
	const char *mark = p->style->utf8 ? "▲" : "^";
	size_t column, width;

	if (!peak.value)
		return;
	column = column_at(p, peak.ts > t->from ? peak.ts - t->from - 1 : 0);
	sm_timeline_peak_text(p->view, &p->scratch);
	width = width_of(&p->scratch);
	plot_color(p, "1");
	if (PLOT_LABEL + 1 + column + 2 + width <= p->style->width ||
		width + 1 > PLOT_LABEL + 1 + column) {
		sm_out_pad(p->out, ' ', PLOT_LABEL + 1 + column);
		sm_out_f(p->out, "%s %s", mark, p->scratch.data);
	} else {
		sm_out_pad(p->out, ' ', PLOT_LABEL + 1 + column - width - 1);
		sm_out_f(p->out, "%s %s", p->scratch.data, mark);
	}
	plot_color(p, "0");
	sm_out_char(p->out, '\n');
	sm_buf_reset(&p->scratch);
}

void axis_draw(struct plot *p)
{
	uint64_t step = sm_plot_time_step(&p->data);

	draw_line(p, step);
	draw_peak(p);
	draw_times(p, step);
}
