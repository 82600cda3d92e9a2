/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The frame around the view on top: title, health, status. */
#include <stdlib.h>

#include "browser_internal.h"

#define MIN_HEIGHT 6
#define MIN_WIDTH 20

struct area browser_area(const struct browser *b)
{
	int h = screen_height(b->screen);

	return (struct area){.y = 1, .x = 0, .h = h > 3 ? h - 3 : 0, .w = screen_width(b->screen)};
}

/* "by bytes", and what else holds for all views. */
static void mode_text(const struct browser *b, struct sm_buf *text)
{
	browser_live_text(b, text);
	if (b->by < SM_M_NR)
		sm_buf_addf(text, "by %s", sm_metric_name(b->by));
	if (b->mark)
		sm_buf_adds(text, "  marked");
	sm_buf_adds(text, " ");
}

static void draw_path(const struct browser *b, struct pen *pen)
{
	const struct view *views[64];
	const char *arrow = screen_glyph(b->screen, " \u203a ", " > ");
	size_t n = 0;

	for (const struct view *v = b->top; v && n < SM_ARRAY_SIZE(views); v = v->below)
		views[n++] = v;
	while (n-- > 0) {
		const struct view *v = views[n];
		struct sm_buf text = {0};

		if (v->narrow && (!v->below || v->below->narrow != v->narrow)) {
			pen_text(pen, ROLE_TITLE, arrow);
			narrow_text(v->narrow, &text);
			sm_buf_addc(&text, ' ');
		} else {
			pen_text(pen, ROLE_TITLE, arrow);
		}
		if (v->ops->describe)
			v->ops->describe((struct view *)(uintptr_t)v, &text);
		else
			sm_buf_adds(&text, v->ops->name);
		if (!text.failed && text.len)
			pen_textn(pen, ROLE_TITLE, text.data, text.len);
		sm_buf_release(&text);
	}
}

static void draw_title(struct browser *b)
{
	int width = screen_width(b->screen), columns;
	struct pen pen = screen_pen(b->screen, 0, 0, width), right;
	struct sm_buf mode = {0}, moment = {0};

	mode_text(b, &mode);
	if (mode.failed)
		return;
	columns = screen_columns(b->screen, mode.data, mode.len);
	if (columns < width / 2)
		pen.end = width - columns - 1;
	for (size_t i = 0; i < b->nsides; i++) {
		const char *title = b->sides[i].title, *slash = strrchr(title, '/');

		pen_text(&pen, ROLE_TITLE, i ? " : " : " ");
		pen_text(&pen, ROLE_TITLE, slash && slash[1] && width < 100 ? slash + 1 : title);
	}
	if (b->question->text[0])
		pen_printf(&pen, ROLE_TITLE, " [%s]", b->question->text);
	question_moment(b->asked[b->shown], &moment);
	if (!moment.failed && moment.len)
		pen_printf(&pen, ROLE_TITLE, " %s", moment.data);
	sm_buf_release(&moment);
	draw_path(b, &pen);
	pen.end = width;
	right = screen_pen(b->screen, 0, columns < width / 2 ? width - columns : width, columns);
	pen_fill(&pen, ROLE_TITLE, ' ', right.x - pen.x);
	pen_text(&right, ROLE_TITLE, mode.data);
	sm_buf_release(&mode);
}

static bool has_loss(const struct sm_health *h)
{
	return h->lost_events || h->lost_unknown || h->dropped || h->corrupt_pages || h->truncated;
}

static void draw_health(struct browser *b)
{
	struct pen pen =
		screen_pen(b->screen, screen_height(b->screen) - 2, 0, screen_width(b->screen));
	struct sm_buf loss = {0};
	bool any = false;

	browser_live_loss(b, &loss);
	if (!loss.failed && loss.len) {
		pen_textn(&pen, ROLE_LOSS, loss.data, loss.len);
		pen_text(&pen, ROLE_TEXT, " ");
	}
	sm_buf_release(&loss);
	for (size_t i = 0; i < b->nsides; i++) {
		const struct reading *r = b->readings[i];
		struct sm_buf text = {0};

		if (!r)
			continue;
		if (any)
			pen_text(&pen, ROLE_DIM, " : ");
		any = true;
		sm_health_text(r->profile, &text);
		if (!text.failed && text.len)
			pen_textn(&pen, has_loss(&r->profile->health) ? ROLE_LOSS : ROLE_DIM,
				text.data, text.len);
		sm_buf_release(&text);
	}
	pen_end(&pen, ROLE_TEXT);
}

/* What is being worked on: also what is done soon, as an answer to the key that asked for it. */
static bool progress_text(struct browser *b, struct sm_buf *text)
{
	uint64_t since = 0;
	const char *what = worker_what(b->worker, &since);

	if (!what)
		return false;
	pthread_mutex_lock(&b->log.lock);
	sm_buf_addf(text, "%s...", what);
	if (b->log.at >= since && b->log.what[0])
		sm_buf_addf(text, ": %s", b->log.what);
	if (b->log.at >= since && b->log.total)
		sm_buf_addf(text, " %u%%",
			(unsigned)(b->log.done >= b->log.total
					   ? 100
					   : (double)b->log.done * 100 / (double)b->log.total));
	pthread_mutex_unlock(&b->log.lock);
	return true;
}

/* The first thing that was said and not shown yet. */
static void take_message(struct browser *b)
{
	pthread_mutex_lock(&b->log.lock);
	for (; !b->note && b->nread < b->log.n; b->nread++)
		if (b->log.items[b->nread].level <= SM_WARN)
			browser_say(b, ROLE_WARNING, "%s", b->log.items[b->nread].text);
	pthread_mutex_unlock(&b->log.lock);
}

static void draw_hints(const struct browser *b, struct pen *pen)
{
	for (size_t i = 0; i < keymap_n; i++) {
		struct sm_buf name = {0};
		int width;

		if (!keymap[i].hint)
			continue;
		keymap_name(keymap[i].keys[0], &name);
		width = (int)(name.len + strlen(keymap[i].hint)) + 3;
		if (!name.failed && width <= pen_left(pen)) {
			pen_text(pen, ROLE_KEY, name.data);
			pen_printf(pen, ROLE_STATUS, " %s  ", keymap[i].hint);
		}
		sm_buf_release(&name);
	}
	(void)b;
}

static void draw_status(struct browser *b)
{
	struct pen pen =
		screen_pen(b->screen, screen_height(b->screen) - 1, 0, screen_width(b->screen));
	struct sm_buf progress = {0};

	take_message(b);
	if (b->note)
		pen_text(&pen, b->note_role, b->note);
	else if (progress_text(b, &progress) && !progress.failed)
		pen_textn(&pen, ROLE_STATUS, progress.data, progress.len);
	else
		draw_hints(b, &pen);
	sm_buf_release(&progress);
	pen_end(&pen, ROLE_STATUS);
}

static void draw_trouble(const struct view *v, const struct area *area)
{
	struct pen pen = screen_pen(v->browser->screen, area->y + v->header, area->x, area->w);

	pen_text(&pen, ROLE_DIM, v->trouble);
}

void browser_draw(struct browser *b)
{
	struct area area = browser_area(b);
	int y = -1, x = 0, last = screen_height(b->screen) - 1;

	screen_clear(b->screen);
	for (size_t i = 0; i < b->nsides; i++)
		names_forget_asked(b->sides[i].names);
	if (last + 1 < MIN_HEIGHT || area.w < MIN_WIDTH) {
		struct pen pen = screen_pen(b->screen, 0, 0, area.w);

		pen_text(&pen, ROLE_WARNING, "too small");
		screen_show(b->screen, -1, 0);
		return;
	}
	draw_title(b);
	if (b->top->trouble)
		draw_trouble(b->top, &area);
	else
		b->top->ops->draw(b->top, &area);
	draw_health(b);
	if (b->prompt.label) {
		x = prompt_draw(&b->prompt, b->screen, last);
		y = last;
	} else {
		draw_status(b);
	}
	if (b->menu.title)
		menu_draw(&b->menu, b->screen);
	screen_show(b->screen, y, x);
}
