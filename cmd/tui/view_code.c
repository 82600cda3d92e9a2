/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The source and the machine code around a call site, along a stack. */
#include <stdlib.h>

#include "code_view.h"

#define HEADER 2

static const struct view_ops OPS;

/* Instructions before and after the call. */
static const unsigned REACH[CODE_STEPS][2] = {{16, 8}, {60, 30}, {250, 120}, {4000, 4000}};

/* ---- asking ---- */

static void take(struct job *job)
{
	struct code_job *j = (struct code_job *)job;
	struct code_view *v = (struct code_view *)view_take(&j->base);

	if (v) {
		browser_drop(v->view.browser, code_free, v->code);
		v->code = j->result;
		j->result = NULL;
		v->placed = false;
		v->width = 0;
	}
	code_job_free(j);
}

static void ask(struct code_view *v)
{
	struct browser *b = v->view.browser;
	struct code_job *j = code_job_new(v->side, v->at, v->ips[v->at]);
	const char *root = getenv("SMTOOL_SYSROOT");

	if (!j) {
		browser_say_error(b, sm_error_nomem());
		return;
	}
	j->places.given = v->side->sources;
	j->places.ngiven = v->side->nsources;
	j->places.root = root ? root : "";
	j->before = REACH[v->step][0];
	j->after = REACH[v->step][1];
	j->base.job.done = take;
	v->had_symbols = v->side->has_symbols;
	view_post(&v->view, &j->base, NULL);
}

static void refresh(struct view *view)
{
	struct code_view *v = (struct code_view *)view;

	/* Code doesn't change with what is counted. */
	if ((!v->code && !view->job) || v->had_symbols != v->side->has_symbols)
		ask(v);
}

/* ---- drawing ---- */

static void draw_line(void *ctx, size_t row, struct pen *pen)
{
	const struct code_view *v = ctx;
	struct cells c = {0};

	code_line_cells(v, &v->lines[row], &c);
	cells_draw(&c, v->view.browser, 0, pen);
	cells_release(&c);
}

static void draw_head(const struct code_view *v, const struct area *area)
{
	struct screen *s = v->view.browser->screen;
	struct pen pen = screen_pen(s, area->y, area->x, area->w);
	struct cells c = {0};

	code_frame_cells(v, &c);
	cells_draw(&c, v->view.browser, 0, &pen);
	pen = screen_pen(s, area->y + 1, area->x, area->w);
	code_beside_cells(v, &c);
	cells_draw(&c, v->view.browser, 0, &pen);
	cells_release(&c);
}

/* The call in the middle of the screen. */
static void place_cursor(struct code_view *v, int rows)
{
	struct list *list = &v->view.list;
	size_t call = code_lines_call(v, false), half = rows > 0 ? (size_t)rows / 2 : 0;

	if (call == SIZE_MAX)
		call = code_lines_call(v, true);
	list_go(list, call == SIZE_MAX ? 0 : call);
	list->first = list->cursor > half ? list->cursor - half : 0;
	v->placed = true;
}

static void draw(struct view *view, const struct area *area)
{
	struct code_view *v = (struct code_view *)view;
	struct area rows = {area->y + HEADER, area->x, area->h - HEADER, area->w};

	draw_head(v, area);
	if (!v->code) {
		struct pen pen = screen_pen(view->browser->screen, rows.y, rows.x, rows.w);

		pen_text(&pen, ROLE_DIM, view->job ? "disassembling..." : "nothing");
		return;
	}
	if (v->width != area->w) {
		code_lines_make(v, area->w);
		view->list.n = v->nlines;
	}
	if (!v->placed)
		place_cursor(v, rows.h);
	list_draw(&view->list, view->browser->screen, &rows, draw_line, v);
}

/* ---- doing ---- */

static void walk(struct code_view *v, bool outwards)
{
	if (outwards ? v->at + 1 >= v->depth : v->at == 0) {
		browser_say(v->view.browser, ROLE_STATUS,
			outwards ? "this is the outermost frame" : "this is the innermost frame");
		return;
	}
	v->at += outwards ? 1 : UINT32_MAX;
	ask(v);
}

static void step(struct code_view *v, bool more)
{
	if (more ? v->step + 1 >= CODE_STEPS : v->step == 0) {
		browser_say(v->view.browser, ROLE_STATUS,
			more ? "this is all of the function" : "it is shown as short as it can be");
		return;
	}
	v->step += more ? 1 : UINT32_MAX;
	ask(v);
}

/* From the call in the source to that in the machine code, and back. */
static void jump(struct code_view *v)
{
	size_t source = code_lines_call(v, false), insn = code_lines_call(v, true);
	size_t to = v->view.list.cursor == insn || insn == SIZE_MAX ? source : insn;

	if (to != SIZE_MAX)
		list_go(&v->view.list, to);
}

static bool act(struct view *view, enum action action, const char *arg)
{
	struct code_view *v = (struct code_view *)view;

	switch (action) {
	case ACT_LEFT:
	case ACT_RIGHT:
		walk(v, action == ACT_RIGHT);
		return true;
	case ACT_EXPAND:
	case ACT_COLLAPSE:
		step(v, action == ACT_EXPAND);
		return true;
	case ACT_CODE:
		jump(v);
		return true;
	case ACT_PEEK:
		if (arg)
			return false;
		browser_peek_frame(view->browser, v->side, v->ips[v->at]);
		return true;
	default:
		return false;
	}
}

static bool matches(void *view, size_t line)
{
	struct code_view *v = view;
	struct cells c = {0};
	bool found;

	code_line_cells(v, &v->lines[line], &c);
	found = cells_match(&c, v->view.browser);
	cells_release(&c);
	return found;
}

static void search(struct view *view, bool forward, bool from_here)
{
	view_search_lines(view, ((struct code_view *)view)->nlines, forward, from_here, matches);
}

static void describe(struct view *view, struct sm_buf *text)
{
	const struct code_view *v = (const struct code_view *)view;
	struct browser *b = view->browser;

	sm_buf_adds(text, "code ");
	browser_frame(b, v->side, v->ips[v->at], false, text);
}

static bool place(struct view *view, struct place *p)
{
	const struct code_view *v = (const struct code_view *)view;

	*p = (struct place){v->side, v->ips, v->depth, v->at};
	return true;
}

static struct saver *save(struct view *view, enum save_format format, const char **why)
{
	struct code_view *v = (struct code_view *)view;
	struct sm_buf text = {0};
	struct cells c = {0};

	*why = format == SAVE_TEXT ? "it isn't there yet" : "it is text";
	if (format != SAVE_TEXT || !v->code || v->code->at != v->at || !v->width)
		return NULL;
	*why = "memory is short";
	code_frame_cells(v, &c);
	cells_write(&c, &text);
	code_beside_cells(v, &c);
	cells_write(&c, &text);
	for (size_t i = 0; i < v->nlines; i++) {
		code_line_cells(v, &v->lines[i], &c);
		cells_write(&c, &text);
	}
	cells_release(&c);
	return text_saver_new(&text);
}

static void close_code(struct view *view)
{
	struct code_view *v = (struct code_view *)view;

	browser_drop(view->browser, code_free, v->code);
	free(v->ips);
	free(v->lines);
	sm_buf_release(&v->notes);
	free(v);
}

struct view *view_code_new(struct browser *b, const struct place *place)
{
	struct code_view *v = calloc(1, sizeof(*v));

	if (!v)
		return NULL;
	v->view.ops = &OPS;
	v->view.browser = b;
	v->view.header = HEADER;
	v->side = place->side;
	v->depth = place->depth;
	v->at = place->at;
	v->ips = malloc(((size_t)place->depth + 1) * sizeof(*v->ips));
	if (!v->ips) {
		free(v);
		return NULL;
	}
	memcpy(v->ips, place->ips, place->depth * sizeof(*v->ips));
	return &v->view;
}

static const struct view_ops OPS = {
	.name = "code",
	.refresh = refresh,
	.draw = draw,
	.act = act,
	.search = search,
	.describe = describe,
	.place = place,
	.save = save,
	.close = close_code,
};
