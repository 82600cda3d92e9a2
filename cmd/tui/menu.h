/* SPDX-License-Identifier: GPL-2.0-or-later */
/* menu: a few words of which one is chosen, above whatever is on the screen. */
#ifndef SMTOOL_TUI_MENU_H
#define SMTOOL_TUI_MENU_H

#include "list.h"

struct menu {
	const char *title;  /* NULL = closed */
	enum action action; /* gets the word as its argument */
	const char *words[32];
	size_t n;
	struct list list;
	struct area area; /* where it was last drawn */
};

enum menu_result { MENU_GOES_ON, MENU_CHOSEN, MENU_GIVEN_UP };

/* Literals; menu_add() then fills it. */
void menu_open(struct menu *m, const char *title, enum action action);
/* `current`: the one that the cursor is on. */
void menu_add(struct menu *m, const char *word, bool current);
enum menu_result menu_key(struct menu *m, int key);
enum menu_result menu_mouse(struct menu *m, const struct mouse *mouse);
const char *menu_word(const struct menu *m);
void menu_draw(struct menu *m, struct screen *s);

#endif
