/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "keymap.h"

#define CTRL(c) ((c)&31)

/* clang-format off */
const struct key_def keymap[] = {
	{{SCREEN_UP, 'k'}, ACT_UP, KEYS_MOVE, "up", "", "a row up", NULL},
	{{SCREEN_DOWN, 'j'}, ACT_DOWN, KEYS_MOVE, "down", "", "a row down", NULL},
	{{SCREEN_LEFT, 'h'}, ACT_LEFT, KEYS_MOVE, "left", "",
		"to the left: scrolls, closes a node, goes back in time", NULL},
	{{SCREEN_RIGHT, 'l'}, ACT_RIGHT, KEYS_MOVE, "right", "",
		"to the right: scrolls, opens a node, goes on in time", NULL},
	{{SCREEN_PAGE_UP, CTRL('b')}, ACT_PAGE_UP, KEYS_MOVE, "page-up", "", "a page up", NULL},
	{{SCREEN_PAGE_DOWN, CTRL('f')}, ACT_PAGE_DOWN, KEYS_MOVE, "page-down", "", "a page down",
		NULL},
	{{SCREEN_HOME, '<'}, ACT_TOP, KEYS_MOVE, "top", "", "to the first row", NULL},
	{{SCREEN_END, 'G', '>'}, ACT_BOTTOM, KEYS_MOVE, "bottom", "", "to the last row", NULL},
	{{SCREEN_ENTER}, ACT_ENTER, KEYS_MOVE, "enter", "", "into the row", "in"},
	{{SCREEN_ESC, SCREEN_BACKSPACE}, ACT_BACK, KEYS_MOVE, "back", "",
		"out again: to the view before", "out"},

	{{'/'}, ACT_SEARCH, KEYS_FIND, "search", "[RE]",
		"find a row whose text or frames match an expression", "find"},
	{{'n'}, ACT_NEXT, KEYS_FIND, "next", "", "the next match", NULL},
	{{'N'}, ACT_PREVIOUS, KEYS_FIND, "previous", "", "the match before", NULL},
	{{'f'}, ACT_FILTER, KEYS_FIND, "filter", "[NAME=VALUE]...",
		"what is counted: the filters of 'smtool top'; nothing = all", "filter"},
	{{'s'}, ACT_SORT, KEYS_FIND, "sort", "[KEY]", "the key that rows are ranked by", "sort"},
	{{'F'}, ACT_PERCENT, KEYS_FIND, "percent", "[total|part]",
		"shares of all that was counted, or of what this view is a part of", NULL},

	{{'g'}, ACT_GROUP, KEYS_VIEWS, "group", "[GROUP]",
		"what a row is: a stack, function, module, comm...", "group"},
	{{'t'}, ACT_TREE, KEYS_VIEWS, "tree", "[top-down|inverted]", "the call tree, or back to the rows",
		"tree"},
	{{'i'}, ACT_INVERT, KEYS_VIEWS, "invert", "",
		"the tree from what allocates outwards, or back", NULL},
	{{'e'}, ACT_EXPAND, KEYS_VIEWS, "expand", "", "open all below a node", NULL},
	{{'c'}, ACT_COLLAPSE, KEYS_VIEWS, "collapse", "", "close all below a node", NULL},
	{{'x'}, ACT_FLAME, KEYS_VIEWS, "flame", "", "the flame graph, or back to the rows", "flame"},
	{{'p'}, ACT_PEEK, KEYS_VIEWS, "peek", "[FUNCTION]",
		"callers and callees of the row's function, or of one; of a timeline the peak", NULL},
	{{'T'}, ACT_TIMELINE, KEYS_VIEWS, "timeline", "", "live memory over time", "time"},
	{{'a'}, ACT_AT, KEYS_VIEWS, "at", "[TIME]",
		"what was live at a moment: seconds, +seconds, 40%, peak; nothing = the end", NULL},
	{{'d'}, ACT_CODE, KEYS_VIEWS, "code", "", "source and disassembly of the call site", "code"},
	{{'m'}, ACT_MARK, KEYS_VIEWS, "mark", "",
		"mark what is counted now; then: compare with the mark", "mark"},
	{{'M'}, ACT_UNMARK, KEYS_VIEWS, "unmark", "", "forget the mark", NULL},
	{{'D'}, ACT_DIFF, KEYS_VIEWS, "diff", "", "what differs: of two inputs, or since the mark",
		NULL},
	{{'A'}, ACT_CHANCE, KEYS_VIEWS, "all", "", "what differs: rows that may do so by chance, too", NULL},
	{{0}, ACT_MATCH, KEYS_VIEWS, "match", "[exact|function]",
		"what differs: frames are the same by their code, or by function in other builds too",
		NULL},
	{{0}, ACT_NORMALIZE, KEYS_VIEWS, "normalize", "",
		"what differs: per second of each window, or in all", NULL},
	{{'o'}, ACT_OTHER, KEYS_VIEWS, "other", "", "the other one of two inputs", NULL},
	{{'v', SCREEN_TAB}, ACT_VIEW, KEYS_VIEWS, "view", "[NAME]", "choose a view", "views"},
	{{'L'}, ACT_MESSAGES, KEYS_VIEWS, "messages", "", "what was said so far", NULL},

	{{'w'}, ACT_WRITE, KEYS_FILES, "write", "[FILE]",
		"write this view to a file, whose ending says how: .txt, .json, .svg", "write"},
	{{'y'}, ACT_COPY, KEYS_FILES, "copy", "[FILE]", "write the text of the row's stack to a file",
		NULL},
	{{0}, ACT_SCREEN, KEYS_FILES, "screen", "FILE", "write what the screen shows to a file", NULL},
	{{'S'}, ACT_SAVE, KEYS_FILES, "save", "[FILE]",
		"live: save what was seen as a capture", NULL},

	{{' '}, ACT_FREEZE, KEYS_OTHER, "freeze", "", "live: hold the picture, or let it go on", NULL},
	{{'.'}, ACT_STEP, KEYS_OTHER, "step", "", "live: bring a held picture up to date, once", NULL},
	{{':'}, ACT_PROMPT, KEYS_OTHER, "prompt", "", "any of these by its word; Tab completes", NULL},
	{{CTRL('l')}, ACT_REPAINT, KEYS_OTHER, "repaint", "", "draw the screen anew", NULL},
	{{'?', SCREEN_F1}, ACT_HELP, KEYS_OTHER, "help", "", "this help", "help"},
	{{'q'}, ACT_QUIT, KEYS_OTHER, "quit", "", "end", "quit"},
};
/* clang-format on */
const size_t keymap_n = SM_ARRAY_SIZE(keymap);

const struct key_def *keymap_find(int key)
{
	if (!key)
		return NULL;
	for (size_t i = 0; i < keymap_n; i++)
		for (size_t k = 0; k < SM_ARRAY_SIZE(keymap[i].keys); k++)
			if (keymap[i].keys[k] == key)
				return &keymap[i];
	return NULL;
}

const struct key_def *keymap_word(const char *word, size_t len)
{
	const struct key_def *found = NULL;
	size_t n = 0;

	for (size_t i = 0; i < keymap_n; i++) {
		if (strncmp(keymap[i].word, word, len) != 0)
			continue;
		if (!keymap[i].word[len])
			return &keymap[i];
		found = &keymap[i];
		n++;
	}
	return n == 1 ? found : NULL;
}

const char *keymap_section(enum key_section section)
{
	static const char *const NAMES[KEYS_SECTIONS] = {
		[KEYS_MOVE] = "Moving",
		[KEYS_FIND] = "Finding and choosing",
		[KEYS_VIEWS] = "Views",
		[KEYS_FILES] = "Files",
		[KEYS_OTHER] = "The rest",
	};

	return NAMES[section];
}

void keymap_name(int key, struct sm_buf *name)
{
	static const struct {
		int key;
		const char *name;
	} NAMES[] = {
		{SCREEN_UP, "Up"},
		{SCREEN_DOWN, "Down"},
		{SCREEN_LEFT, "Left"},
		{SCREEN_RIGHT, "Right"},
		{SCREEN_PAGE_UP, "PgUp"},
		{SCREEN_PAGE_DOWN, "PgDn"},
		{SCREEN_HOME, "Home"},
		{SCREEN_END, "End"},
		{SCREEN_ENTER, "Enter"},
		{SCREEN_ESC, "Esc"},
		{SCREEN_TAB, "Tab"},
		{SCREEN_BACKTAB, "Shift-Tab"},
		{SCREEN_BACKSPACE, "Backspace"},
		{SCREEN_DELETE, "Del"},
		{SCREEN_F1, "F1"},
		{' ', "Space"},
	};

	for (size_t i = 0; i < SM_ARRAY_SIZE(NAMES); i++) {
		if (NAMES[i].key == key) {
			sm_buf_adds(name, NAMES[i].name);
			return;
		}
	}
	if (key < 32)
		sm_buf_addf(name, "Ctrl-%c", key + 64);
	else if (key < 127)
		sm_buf_addc(name, (char)key);
}
