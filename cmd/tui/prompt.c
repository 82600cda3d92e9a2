/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdlib.h>
#include <wchar.h>

#include "prompt.h"

#define CTRL(c) ((c)&31)

void candidates_add(struct candidates *c, const char *word, size_t len, const char *suffix)
{
	sm_buf_add(&c->text, word, len);
	sm_buf_adds(&c->text, suffix);
	sm_buf_addc(&c->text, '\0');
	c->n++;
}

static void forget_candidates(struct prompt *p)
{
	sm_buf_reset(&p->shown.text);
	p->shown.n = 0;
	p->chosen = SIZE_MAX;
}

static const char *text_of(const struct prompt *p)
{
	return p->text.data ? p->text.data : "";
}

static void set_text(struct prompt *p, const char *text, size_t len)
{
	sm_buf_reset(&p->text);
	sm_buf_add(&p->text, text, len);
	p->cursor = p->text.len;
}

void prompt_open(struct prompt *p, const char *label, enum action action, const char *text)
{
	p->label = label;
	p->action = action;
	p->at = p->nhistory;
	p->text.failed = false;
	set_text(p, text, strlen(text));
	forget_candidates(p);
}

static size_t before(const struct prompt *p, size_t at)
{
	do
		at--;
	while (at > 0 && ((unsigned char)p->text.data[at] & 0xc0) == 0x80);
	return at;
}

static size_t after(const struct prompt *p, size_t at)
{
	do
		at++;
	while (at < p->text.len && ((unsigned char)p->text.data[at] & 0xc0) == 0x80);
	return at;
}

static void erase_part(struct prompt *p, size_t from, size_t to)
{
	memmove(p->text.data + from, p->text.data + to, p->text.len - to + 1);
	p->text.len -= to - from;
	p->cursor = from;
}

static void insert(struct prompt *p, const char *text, size_t len)
{
	size_t tail = p->text.len - p->cursor;

	sm_buf_add(&p->text, text, len);
	if (p->text.failed)
		return;
	memmove(p->text.data + p->cursor + len, p->text.data + p->cursor, tail);
	memcpy(p->text.data + p->cursor, text, len);
	p->cursor += len;
}

static const char *candidate(const struct prompt *p, size_t i)
{
	const char *word = p->shown.text.data;

	while (i--)
		word += strlen(word) + 1;
	return word;
}

static void put_word(struct prompt *p, const char *word, size_t len)
{
	erase_part(p, p->shown.start, p->cursor);
	insert(p, word, len);
}

/* As far as all of them agree; once more Tab goes through them. */
static void complete(struct prompt *p, int step)
{
	const char *first;
	size_t len;

	if (!p->complete)
		return;
	if (p->chosen != SIZE_MAX || p->shown.n > 1) {
		if (p->chosen == SIZE_MAX)
			p->chosen = step > 0 ? 0 : p->shown.n - 1;
		else
			p->chosen = (p->chosen + p->shown.n + (size_t)step) % p->shown.n;
		first = candidate(p, p->chosen);
		put_word(p, first, strlen(first));
		return;
	}
	forget_candidates(p);
	p->shown.start = p->cursor;
	sm_buf_add(&p->text, "", 0);
	p->complete(p->ctx, text_of(p), p->cursor, &p->shown);
	if (p->shown.text.failed || p->text.failed || !p->shown.n) {
		forget_candidates(p);
		return;
	}
	first = candidate(p, 0);
	len = strlen(first);
	for (size_t i = 1; i < p->shown.n; i++) {
		const char *word = candidate(p, i);
		size_t same = 0;

		while (same < len && word[same] == first[same])
			same++;
		len = same;
	}
	if (len > p->cursor - p->shown.start)
		put_word(p, first, len);
	if (p->shown.n == 1)
		forget_candidates(p);
}

static void remember(struct prompt *p)
{
	char *text;

	if (!p->text.len || (p->nhistory && !strcmp(p->history[p->nhistory - 1], p->text.data)))
		return;
	text = strdup(p->text.data);
	if (!text)
		return;
	if (p->nhistory == PROMPT_HISTORY) {
		free(p->history[0]);
		memmove(p->history, p->history + 1, sizeof(p->history) - sizeof(p->history[0]));
		p->nhistory--;
	}
	p->history[p->nhistory++] = text;
}

static void recall(struct prompt *p, int step)
{
	if ((step < 0 && p->at == 0) || (step > 0 && p->at >= p->nhistory))
		return;
	p->at = step < 0 ? p->at - 1 : p->at + 1;
	if (p->at == p->nhistory)
		set_text(p, "", 0);
	else
		set_text(p, p->history[p->at], strlen(p->history[p->at]));
}

static void type(struct prompt *p, int key)
{
	char bytes[16];
	mbstate_t state = {0};
	size_t n = key < 0x110000 ? wcrtomb(bytes, (wchar_t)key, &state) : 0;

	if (n && n != (size_t)-1 && key >= ' ')
		insert(p, bytes, n);
}

static size_t word_before(const struct prompt *p)
{
	size_t at = p->cursor;

	while (at && p->text.data[at - 1] == ' ')
		at--;
	while (at && p->text.data[at - 1] != ' ')
		at--;
	return at;
}

enum prompt_result prompt_key(struct prompt *p, int key)
{
	if (key == SCREEN_TAB || key == SCREEN_BACKTAB) {
		complete(p, key == SCREEN_TAB ? 1 : -1);
		return PROMPT_GOES_ON;
	}
	forget_candidates(p);
	switch (key) {
	case SCREEN_ENTER:
		remember(p);
		p->label = NULL;
		return PROMPT_ACCEPTED;
	case SCREEN_ESC:
	case CTRL('g'):
		p->label = NULL;
		return PROMPT_GIVEN_UP;
	case SCREEN_BACKSPACE:
		if (!p->text.len) {
			p->label = NULL;
			return PROMPT_GIVEN_UP;
		}
		if (p->cursor)
			erase_part(p, before(p, p->cursor), p->cursor);
		break;
	case SCREEN_DELETE:
	case CTRL('d'):
		if (p->cursor < p->text.len)
			erase_part(p, p->cursor, after(p, p->cursor));
		break;
	case SCREEN_LEFT:
		if (p->cursor)
			p->cursor = before(p, p->cursor);
		break;
	case SCREEN_RIGHT:
		if (p->cursor < p->text.len)
			p->cursor = after(p, p->cursor);
		break;
	case SCREEN_HOME:
	case CTRL('a'):
		p->cursor = 0;
		break;
	case SCREEN_END:
	case CTRL('e'):
		p->cursor = p->text.len;
		break;
	case SCREEN_UP:
		recall(p, -1);
		break;
	case SCREEN_DOWN:
		recall(p, 1);
		break;
	case CTRL('u'):
		if (p->cursor)
			erase_part(p, 0, p->cursor);
		break;
	case CTRL('k'):
		if (p->cursor < p->text.len)
			erase_part(p, p->cursor, p->text.len);
		break;
	case CTRL('w'):
		if (p->cursor)
			erase_part(p, word_before(p), p->cursor);
		break;
	default:
		type(p, key);
	}
	return PROMPT_GOES_ON;
}

static void draw_candidates(struct prompt *p, struct screen *s, int y)
{
	struct pen pen = screen_pen(s, y, 0, screen_width(s));
	size_t from = 0;

	/* The chosen one is among those that fit. */
	for (size_t i = 0, width = 0; p->chosen != SIZE_MAX && i <= p->chosen; i++) {
		const char *word = candidate(p, i);

		width += (size_t)screen_columns(s, word, strlen(word)) + 2;
		if (width > (size_t)screen_width(s)) {
			from = i;
			width = 0;
		}
	}
	for (size_t i = from; i < p->shown.n && pen_left(&pen) > 0; i++) {
		pen_text(&pen, i == p->chosen ? ROLE_MATCH : ROLE_STATUS, candidate(p, i));
		pen_text(&pen, ROLE_STATUS, "  ");
	}
	pen_end(&pen, ROLE_STATUS);
}

int prompt_draw(struct prompt *p, struct screen *s, int y)
{
	struct pen pen = screen_pen(s, y, 0, screen_width(s));
	const char *text = text_of(p);
	size_t from = 0;
	int column;

	if (p->shown.n > 1 && y > 0)
		draw_candidates(p, s, y - 1);
	pen_text(&pen, ROLE_KEY, p->label);
	/* What is left of the cursor and has no place is scrolled away. */
	while (from < p->cursor &&
		screen_columns(s, text + from, p->cursor - from) >= pen_left(&pen))
		from = after(p, from);
	column = pen.x + screen_columns(s, text + from, p->cursor - from);
	pen_textn(&pen, ROLE_TEXT, text + from, p->text.len - from);
	pen_end(&pen, ROLE_TEXT);
	return column;
}

void prompt_release(struct prompt *p)
{
	for (size_t i = 0; i < p->nhistory; i++)
		free(p->history[i]);
	sm_buf_release(&p->text);
	sm_buf_release(&p->shown.text);
}
