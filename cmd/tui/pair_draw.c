/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Differences on the screen: their sums, what to know before believing them, rows. */
#include <math.h>

#include "pair_view.h"
#include "rows_view.h"

#define DELTA_COLUMNS 12
#define CHANGE_COLUMNS 9
#define STATUS_COLUMNS 8
#define CHANCE_COLUMNS 8
#define SMALL 10     /* lines of a view that has no place for more than rows */
#define NOTE_LINES 6 /* at most, where there is a place */

/* Which columns have a place. */
struct columns {
	bool values, change, chance;
};

static struct columns columns_of(int width)
{
	return (struct columns){width >= 72, width >= 96, width >= 120};
}

/* An amount that isn't negative. */
static void add_amount(const struct sm_diff *d, double x, struct sm_buf *text)
{
	uint64_t whole = x < 1.8e19 ? (uint64_t)(x + 0.5) : UINT64_MAX;

	if (x != floor(x) && x < 100)
		sm_buf_addf(text, d->is_bytes ? "%.1f B" : "%.2f", x);
	else if (d->is_bytes)
		sm_human_bytes(whole, text);
	else
		sm_human_count(whole, text);
}

static void add_rate(const struct sm_diff *d, struct sm_buf *text)
{
	if (d->opts.normalize)
		sm_buf_adds(text, "/s");
}

static void add_signed(const struct sm_diff *d, double x, struct sm_buf *text)
{
	sm_buf_addc(text, x < 0 ? '-' : x > 0 ? '+' : ' ');
	add_amount(d, fabs(x), text);
}

static void add_change(double from, double delta, struct sm_buf *text)
{
	double percent = from > 0 ? 100 * delta / from : 0;

	if (!(from > 0))
		sm_buf_addc(text, '-');
	else if (percent < 99999)
		sm_buf_addf(text, "%+.1f%%", percent);
	else
		sm_buf_adds(text, ">+99999%");
}

static enum role role_of(double delta)
{
	return delta > 0 ? ROLE_UP : delta < 0 ? ROLE_DOWN : ROLE_TEXT;
}

static void put(struct pen *pen, enum role role, struct sm_buf *text)
{
	if (!text->failed && text->len)
		pen_textn(pen, role, text->data, text->len);
	sm_buf_reset(text);
}

static void put_right(struct pen *pen, enum role role, int width, struct sm_buf *text)
{
	pen_right(pen, role, width, !text->failed && text->len ? text->data : "");
	sm_buf_reset(text);
}

/* ---- above the rows ---- */

/* What a side is, where its name alone doesn't tell. */
static void add_reading(const struct pair_view *v, size_t i, struct sm_buf *text)
{
	const struct reading *r = v->pair->plan.readings[i];
	const struct question *q = r->question;

	if (v->of_mark)
		sm_buf_adds(text, i ? "now" : "mark");
	else
		sm_buf_adds(text, i ? "new" : "old");
	if (q->own_moment) {
		sm_buf_addc(text, ' ');
		question_moment(q, text);
	} else if (v->of_mark && r->profile->health.has_window) {
		sm_buf_addf(text, " at %llu.%03llu",
			(unsigned long long)(r->profile->to / 1000000000),
			(unsigned long long)(r->profile->to % 1000000000 / 1000000));
	}
	if (v->of_mark && strcmp(v->pair->plan.readings[0]->question->text,
				  v->pair->plan.readings[1]->question->text))
		sm_buf_addf(text, " [%s]", q->text);
}

static void draw_total(const struct pair_view *v, struct pen *pen)
{
	const struct sm_diff *d = v->pair->diff;
	double old = sm_diff_value(d, 0, d->inputs[0].total), delta = sm_diff_delta(d);
	struct sm_buf text = {0};

	sm_buf_addf(&text, " %s: ", sm_metric_name(d->by));
	for (size_t i = 0; i < 2; i++) {
		if (i)
			sm_buf_adds(&text, " -> ");
		add_amount(d, sm_diff_value(d, i, d->inputs[i].total), &text);
		add_rate(d, &text);
		sm_buf_adds(&text, " (");
		add_reading(v, i, &text);
		sm_buf_addc(&text, ')');
	}
	sm_buf_adds(&text, "  ");
	put(pen, ROLE_TEXT, &text);
	add_signed(d, delta, &text);
	add_rate(d, &text);
	sm_buf_addc(&text, ' ');
	add_change(old, delta, &text);
	put(pen, role_of(delta), &text);
	sm_buf_release(&text);
}

static void draw_sum(const struct sm_diff *d, const char *word, const struct sm_diff_sum *sum,
	enum role role, struct pen *pen)
{
	struct sm_buf text = {0};

	if (!sum->rows)
		return;
	sm_buf_addc(&text, ' ');
	sm_human_count(sum->rows, &text);
	sm_buf_addf(&text, " %s", word);
	if (sum->up > 0) {
		sm_buf_adds(&text, " +");
		add_amount(d, sum->up, &text);
	}
	if (sum->down > 0) {
		sm_buf_adds(&text, " -");
		add_amount(d, sum->down, &text);
	}
	sm_buf_adds(&text, " ");
	put(pen, role, &text);
	sm_buf_release(&text);
}

static void draw_sums(const struct pair_view *v, struct pen *pen)
{
	static const struct {
		enum sm_diff_status status;
		enum role role;
	} SUMS[] = {
		{SM_DIFF_GROWN, ROLE_UP},
		{SM_DIFF_NEW, ROLE_UP},
		{SM_DIFF_SHRUNK, ROLE_DOWN},
		{SM_DIFF_GONE, ROLE_DOWN},
	};
	const struct sm_diff *d = v->pair->diff;
	struct sm_buf text = {0};

	for (size_t i = 0; i < SM_ARRAY_SIZE(SUMS); i++)
		draw_sum(d, sm_diff_status_name(SUMS[i].status), &d->of_status[SUMS[i].status],
			SUMS[i].role, pen);
	draw_sum(d, "suppressed", &d->accepted, ROLE_DIM, pen);
	if (d->chance.rows) {
		draw_sum(d, "within chance", &d->chance, ROLE_WARNING, pen);
		pen_text(pen, ROLE_DIM, v->all ? "(A hides them) " : "(A shows them) ");
	}
	sm_buf_addc(&text, ' ');
	sm_human_count(d->equal_rows, &text);
	sm_buf_adds(&text, " equal");
	put(pen, ROLE_DIM, &text);
	sm_buf_release(&text);
}

/* At a blank, where there is one. */
static size_t take_line(const char *text, int width)
{
	size_t n = strlen(text), at = width > 1 ? (size_t)width : 1;

	if (n <= at)
		return n;
	for (size_t i = at; i > at / 2; i--)
		if (text[i] == ' ')
			return i;
	while (at > 1 && ((unsigned char)text[at] & 0xc0) == 0x80)
		at--;
	return at;
}

/* Returns the line behind them. */
static int draw_notes(const struct pair_view *v, const struct area *area, int y, int most)
{
	const struct sm_diff *d = v->pair->diff;
	int end = y + most;

	for (size_t i = 0; i < d->nnotes && y < end && !v->pair->exact; i++) {
		const char *rest = d->notes[i];

		for (bool first = true; *rest && y < end; first = false) {
			struct pen pen = screen_pen(v->view.browser->screen, y, area->x, area->w);
			size_t n;

			pen_text(&pen, ROLE_WARNING, first ? " note: " : "   ");
			/* The last line shows that there is more, which L has. */
			n = y + 1 < end ? take_line(rest, pen_left(&pen)) : strlen(rest);
			pen_textn(&pen, ROLE_WARNING, rest, n);
			rest += n;
			rest += *rest == ' ';
			y++;
		}
	}
	return y;
}

static void draw_header(const struct pair_view *v, struct pen *pen, struct columns c)
{
	const struct sm_diff *d = v->pair->diff;
	bool per_second = d->opts.normalize;

	if (c.values) {
		pen_right(pen, ROLE_HEADER, VALUE_COLUMNS, per_second ? "old/s" : "old");
		pen_right(pen, ROLE_HEADER, VALUE_COLUMNS, per_second ? "new/s" : "new");
	}
	pen_right(pen, ROLE_HEADER, DELTA_COLUMNS, per_second ? "delta/s" : "delta");
	if (c.change)
		pen_right(pen, ROLE_HEADER, CHANGE_COLUMNS, "change");
	if (c.chance)
		pen_right(pen, ROLE_HEADER, CHANCE_COLUMNS, "q");
	pen_printf(pen, ROLE_HEADER, "  %-*s", STATUS_COLUMNS - 1, "");
	pen_printf(pen, ROLE_HEADER, "%s  (%zu)",
		group_word(v->pair->plan.group, v->pair->plan.attr), v->view.list.n);
	pen_end(pen, ROLE_HEADER);
}

/* ---- rows ---- */

static void draw_row(void *ctx, size_t line, struct pen *pen)
{
	const struct pair_view *v = ctx;
	const struct pair *p = v->pair;
	const struct sm_diff *d = p->diff;
	const struct sm_diff_row *row = pair_row(v, line);
	struct columns c = columns_of(pen->end - pen->x);
	bool sure = row->significant || d->opts.all;
	enum role role = sure ? role_of(row->delta) : ROLE_DIM;
	double old = sm_diff_value(d, 0, row->values[0]);
	struct sm_buf text = {0};

	if (c.values) {
		add_amount(d, old, &text);
		put_right(pen, ROLE_TEXT, VALUE_COLUMNS, &text);
		add_amount(d, sm_diff_value(d, 1, row->values[1]), &text);
		put_right(pen, ROLE_TEXT, VALUE_COLUMNS, &text);
	}
	add_signed(d, row->delta, &text);
	put_right(pen, role, DELTA_COLUMNS, &text);
	if (c.change) {
		add_change(old, row->delta, &text);
		put_right(pen, ROLE_TEXT, CHANGE_COLUMNS, &text);
	}
	if (c.chance) {
		if (d->opts.all || row->q == 0)
			sm_buf_adds(&text, "-");
		else
			sm_buf_addf(&text, row->q < 0.0001 ? "%.0e" : "%.4f", row->q);
		put_right(pen, ROLE_TEXT, CHANCE_COLUMNS, &text);
	}
	/* Without colours, too, it is seen what may be chance. */
	pen_text(pen, role, sure ? "  " : " ~");
	pen_printf(pen, role, "%-*s", STATUS_COLUMNS - 1, sm_diff_status_name(row->status));
	if (row->label)
		pen_text(pen,
			browser_matches(v->view.browser, row->label) ? ROLE_MATCH : ROLE_FUNCTION,
			row->label);
	else
		stack_draw(v->view.browser, pair_side(p, row), row->row,
			p->tell[row->input][row->row - p->tables[row->input]->rows],
			v->view.list.shift, pen);
	sm_buf_release(&text);
}

static void draw_nothing(const struct pair_view *v, const struct area *area)
{
	const struct sm_diff *d = v->pair->diff;
	struct pen pen = screen_pen(v->view.browser->screen, area->y, area->x, area->w);

	pen_text(&pen, ROLE_DIM,
		d->chance.rows     ? "no rows: nothing differs by more than chance; A shows it"
		: d->accepted.rows ? "no rows: all that differs is suppressed"
				   : "no rows: nothing differs");
}

void pair_draw(struct pair_view *v, const struct area *area)
{
	struct screen *s = v->view.browser->screen;
	struct area rows;
	struct pen pen;
	int y = area->y;

	pen = screen_pen(s, y++, area->x, area->w);
	draw_total(v, &pen);
	pen = screen_pen(s, y++, area->x, area->w);
	draw_sums(v, &pen);
	y = draw_notes(v, area, y,
		area->h < SMALL            ? 1
		: area->h / 4 < NOTE_LINES ? area->h / 4
					   : NOTE_LINES);
	if (area->h >= SMALL) {
		pen = screen_pen(s, y++, area->x, area->w);
		draw_header(v, &pen, columns_of(area->w));
	}
	v->view.header = y - area->y;
	rows = (struct area){y, area->x, area->y + area->h - y, area->w};
	list_draw(&v->view.list, s, &rows, draw_row, v);
	if (!v->view.list.n)
		draw_nothing(v, &rows);
}
