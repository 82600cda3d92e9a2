/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "menu.h"

void menu_open(struct menu *m, const char *title, enum action action)
{
	*m = (struct menu){.title = title, .action = action};
}

void menu_add(struct menu *m, const char *word, bool current)
{
	if (m->n == SM_ARRAY_SIZE(m->words))
		return;
	if (current)
		m->list.cursor = m->n;
	m->words[m->n++] = word;
	m->list.n = m->n;
}

const char *menu_word(const struct menu *m)
{
	return m->words[m->list.cursor];
}

static enum menu_result close_menu(struct menu *m, enum menu_result result)
{
	m->title = NULL;
	return m->n ? result : MENU_GIVEN_UP;
}

enum menu_result menu_key(struct menu *m, int key)
{
	const struct key_def *def = keymap_find(key);

	if (key == SCREEN_ENTER)
		return close_menu(m, MENU_CHOSEN);
	if (key == SCREEN_ESC || key == 'q')
		return close_menu(m, MENU_GIVEN_UP);
	if (key == SCREEN_TAB) {
		m->list.cursor = (m->list.cursor + 1) % (m->n ? m->n : 1);
		return MENU_GOES_ON;
	}
	/* A letter: the next word that begins with it. */
	for (size_t i = 1; i <= m->n; i++) {
		size_t at = (m->list.cursor + i) % m->n;

		if (key > ' ' && key < 127 && m->words[at][0] == (char)key) {
			m->list.cursor = at;
			return MENU_GOES_ON;
		}
	}
	if (def)
		list_do(&m->list, def->action);
	return MENU_GOES_ON;
}

enum menu_result menu_mouse(struct menu *m, const struct mouse *mouse)
{
	struct area inner = {m->area.y + 1, m->area.x, m->area.h - 1, m->area.w};
	size_t row = list_row_at(&m->list, &inner, mouse->y);

	if (mouse->kind == MOUSE_UP || mouse->kind == MOUSE_DOWN) {
		list_do(&m->list, mouse->kind == MOUSE_UP ? ACT_UP : ACT_DOWN);
		return MENU_GOES_ON;
	}
	if (row == SIZE_MAX || mouse->x < m->area.x || mouse->x >= m->area.x + m->area.w)
		return close_menu(m, MENU_GIVEN_UP);
	m->list.cursor = row;
	return close_menu(m, MENU_CHOSEN);
}

static void draw_word(void *ctx, size_t row, struct pen *pen)
{
	const struct menu *m = ctx;

	pen_text(pen, ROLE_STATUS, " ");
	pen_text(pen, ROLE_STATUS, m->words[row]);
	pen_end(pen, ROLE_STATUS);
}

void menu_draw(struct menu *m, struct screen *s)
{
	int width = screen_columns(s, m->title, strlen(m->title)), height = (int)m->n + 1;
	struct area inner;
	struct pen pen;

	for (size_t i = 0; i < m->n; i++) {
		int columns = screen_columns(s, m->words[i], strlen(m->words[i]));

		width = columns > width ? columns : width;
	}
	width += 2;
	if (width > screen_width(s))
		width = screen_width(s);
	if (height > screen_height(s))
		height = screen_height(s);
	m->area = (struct area){
		(screen_height(s) - height) / 2, (screen_width(s) - width) / 2, height, width};
	pen = screen_pen(s, m->area.y, m->area.x, width);
	pen_text(&pen, ROLE_TITLE, " ");
	pen_text(&pen, ROLE_TITLE, m->title);
	pen_end(&pen, ROLE_TITLE);
	inner = (struct area){m->area.y + 1, m->area.x, height - 1, width};
	list_draw(&m->list, s, &inner, draw_word, m);
}
