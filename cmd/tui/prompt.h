/* SPDX-License-Identifier: GPL-2.0-or-later */
/* prompt: a line of text that is being typed, with history and completion. */
#ifndef SMTOOL_TUI_PROMPT_H
#define SMTOOL_TUI_PROMPT_H

#include "keymap.h"

#define PROMPT_HISTORY 50

/* Words that the one at the cursor may become. */
struct candidates {
	struct sm_buf text; /* each with a NUL behind it */
	size_t n;
	size_t start; /* where the word begins, in bytes */
};
void candidates_add(struct candidates *c, const char *word, size_t len, const char *suffix);

struct prompt {
	const char *label; /* NULL = closed */
	enum action action;
	/* Adds those that fit text[0..len). May be NULL. */
	void (*complete)(void *ctx, const char *text, size_t len, struct candidates *c);
	void *ctx;
	struct sm_buf text;
	size_t cursor; /* in bytes */
	struct candidates shown;
	size_t chosen; /* SIZE_MAX = none */
	char *history[PROMPT_HISTORY];
	size_t nhistory, at;
};

enum prompt_result { PROMPT_GOES_ON, PROMPT_ACCEPTED, PROMPT_GIVEN_UP };

/* `label` is a literal. */
void prompt_open(struct prompt *p, const char *label, enum action action, const char *text);
/* Takes a key. After PROMPT_ACCEPTED p->text holds what was typed. */
enum prompt_result prompt_key(struct prompt *p, int key);
/* Draws it, and the candidates in the line above; returns the cursor's column. */
int prompt_draw(struct prompt *p, struct screen *s, int y);
void prompt_release(struct prompt *p);

#endif
