/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Pages of text: the help, and what was said. */
#include <stdlib.h>

#include "browser.h"

struct text_view {
	struct view view;
	struct sm_buf text; /* lines, each with a NUL behind it */
	const char **lines;
	size_t cap;
};

static void end_line(struct sm_buf *text)
{
	sm_buf_addc(text, '\0');
}

/* Finds the lines anew. */
static void split(struct text_view *v)
{
	size_t n = 0;

	for (size_t at = 0; !v->text.failed && at < v->text.len;
		at += strlen(v->text.data + at) + 1) {
		if (!sm_grow(&v->lines, &v->cap, n + 1, sizeof(*v->lines)))
			break;
		v->lines[n++] = v->text.data + at;
	}
	v->view.list.n = n;
}

static void draw_line(void *ctx, size_t row, struct pen *pen)
{
	const struct text_view *v = ctx;
	const char *line = v->lines[row];
	size_t len = strlen(line), skip = (size_t)v->view.list.shift;

	/* These texts are ours, or made visible: a byte is a column but for UTF-8, which isn't cut.
	 */
	while (skip && skip < len && ((unsigned char)line[skip] & 0xc0) == 0x80)
		skip++;
	if (skip < len)
		pen_text(pen,
			browser_matches(v->view.browser, line) ? ROLE_MATCH
			: line[0] != ' '                       ? ROLE_FUNCTION
							       : ROLE_TEXT,
			line + skip);
}

static void draw(struct view *view, const struct area *area)
{
	list_draw(&view->list, view->browser->screen, area, draw_line, view);
}

static bool matches(void *view, size_t line)
{
	const struct text_view *v = view;

	return browser_matches(v->view.browser, v->lines[line]);
}

static void search(struct view *view, bool forward, bool from_here)
{
	view_search_lines(view, view->list.n, forward, from_here, matches);
}

static struct saver *save(struct view *view, enum save_format format, const char **why)
{
	const struct text_view *v = (const struct text_view *)view;
	struct sm_buf text = {0};

	*why = format == SAVE_TEXT ? "memory is short" : "it is text";
	if (format != SAVE_TEXT)
		return NULL;
	for (size_t i = 0; i < v->view.list.n; i++) {
		sm_buf_adds(&text, v->lines[i]);
		sm_buf_addc(&text, '\n');
	}
	return text_saver_new(&text);
}

static void close_text(struct view *view)
{
	struct text_view *v = (struct text_view *)view;

	sm_buf_release(&v->text);
	free(v->lines);
	free(v);
}

static struct view *new_view(struct browser *b, const struct view_ops *ops)
{
	struct text_view *v = calloc(1, sizeof(*v));

	if (!v)
		return NULL;
	v->view.ops = ops;
	v->view.browser = b;
	return &v->view;
}

/* ---- help ---- */

static void add_keys(const struct key_def *def, struct sm_buf *text)
{
	size_t start = text->len;

	sm_buf_adds(text, "  ");
	for (size_t k = 0; k < SM_ARRAY_SIZE(def->keys) && def->keys[k]; k++) {
		if (k)
			sm_buf_addc(text, ' ');
		keymap_name(def->keys[k], text);
	}
	for (; text->len < start + 22;)
		sm_buf_addc(text, ' ');
	sm_buf_addf(text, " :%s%s%s", def->word, def->arg[0] ? " " : "", def->arg);
	for (; text->len < start + 50;)
		sm_buf_addc(text, ' ');
	sm_buf_addf(text, " %s", def->help);
	end_line(text);
}

static void refresh_help(struct view *view)
{
	struct text_view *v = (struct text_view *)view;

	sm_buf_reset(&v->text);
	for (unsigned s = 0; s < KEYS_SECTIONS; s++) {
		if (s)
			end_line(&v->text);
		sm_buf_adds(&v->text, keymap_section((enum key_section)s));
		end_line(&v->text);
		for (size_t i = 0; i < keymap_n; i++)
			if (keymap[i].section == s)
				add_keys(&keymap[i], &v->text);
	}
	split(v);
}

static const struct view_ops HELP = {
	.name = "help",
	.refresh = refresh_help,
	.draw = draw,
	.search = search,
	.save = save,
	.close = close_text,
};

struct view *view_help_new(struct browser *b)
{
	return new_view(b, &HELP);
}

/* ---- messages ---- */

static void refresh_messages(struct view *view)
{
	static const char *const KINDS[] = {"error: ", "warning: ", "", "debug: "};
	struct text_view *v = (struct text_view *)view;
	struct browser *b = view->browser;

	sm_buf_reset(&v->text);
	pthread_mutex_lock(&b->log.lock);
	for (size_t i = 0; i < b->log.n; i++) {
		sm_buf_addf(&v->text, " %s%s", KINDS[b->log.items[i].level], b->log.items[i].text);
		end_line(&v->text);
	}
	b->nread = b->log.n;
	pthread_mutex_unlock(&b->log.lock);
	if (!v->text.len) {
		sm_buf_adds(&v->text, " nothing was said so far");
		end_line(&v->text);
	}
	split(v);
}

static const struct view_ops MESSAGES = {
	.name = "messages",
	.refresh = refresh_messages,
	.draw = draw,
	.search = search,
	.save = save,
	.close = close_text,
};

struct view *view_messages_new(struct browser *b)
{
	return new_view(b, &MESSAGES);
}
