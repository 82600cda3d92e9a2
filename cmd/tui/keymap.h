/* SPDX-License-Identifier: GPL-2.0-or-later */
/* keymap: what can be done, by which key and which word of the prompt. One table is all there is:
 * keys, the prompt, its completion, the help, and the manual's check come from it. */
#ifndef SMTOOL_TUI_KEYMAP_H
#define SMTOOL_TUI_KEYMAP_H

#include "screen.h"

enum action {
	ACT_NONE,
	/* moving */
	ACT_UP,
	ACT_DOWN,
	ACT_LEFT,
	ACT_RIGHT,
	ACT_PAGE_UP,
	ACT_PAGE_DOWN,
	ACT_TOP,
	ACT_BOTTOM,
	ACT_ENTER,
	ACT_BACK,
	/* finding, choosing */
	ACT_SEARCH,
	ACT_NEXT,
	ACT_PREVIOUS,
	ACT_FILTER,
	ACT_SORT,
	ACT_PERCENT,
	/* views */
	ACT_GROUP,
	ACT_TREE,
	ACT_INVERT,
	ACT_EXPAND,
	ACT_COLLAPSE,
	ACT_FLAME,
	ACT_PEEK,
	ACT_TIMELINE,
	ACT_AT,
	ACT_CODE,
	ACT_DIFF,
	ACT_OTHER,
	ACT_VIEW,
	ACT_MESSAGES,
	ACT_HELP,
	/* comparing */
	ACT_MARK,
	ACT_UNMARK,
	ACT_CHANCE,
	ACT_MATCH,
	ACT_NORMALIZE,
	/* files */
	ACT_WRITE,
	ACT_COPY,
	ACT_SCREEN,
	/* live */
	ACT_FREEZE,
	ACT_STEP,
	ACT_SAVE,
	/* the rest */
	ACT_PROMPT,
	ACT_REPAINT,
	ACT_QUIT,
	ACT_NR
};

enum key_section { KEYS_MOVE, KEYS_FIND, KEYS_VIEWS, KEYS_FILES, KEYS_OTHER, KEYS_SECTIONS };

struct key_def {
	int keys[4]; /* characters or SCREEN_..., 0 = no more */
	enum action action;
	enum key_section section;
	const char *word; /* of the prompt */
	const char *arg;  /* what follows it there, "" = nothing; in [] where it may be left out */
	const char *help; /* a phrase in lower case */
	const char *hint; /* for the status line; NULL = not worth its place */
};

extern const struct key_def keymap[];
extern const size_t keymap_n;

const struct key_def *keymap_find(int key);
/* By its word, or the beginning of just one; NULL. */
const struct key_def *keymap_word(const char *word, size_t len);
const char *keymap_section(enum key_section section);
/* "Enter", "Ctrl-L", "PgUp", "/" */
void keymap_name(int key, struct sm_buf *name);

#endif
