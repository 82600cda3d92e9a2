/* SPDX-License-Identifier: GPL-2.0-or-later */
/* completer: what the text of a prompt may go on with. */
#ifndef SMTOOL_TUI_COMPLETER_H
#define SMTOOL_TUI_COMPLETER_H

#include "browser.h"

/* Of the words of --group-by the first ones need no events. */
#define GROUPS_WITHOUT_EVENTS 4

/* The i-th group's word; NULL at the end. */
const char *completer_group(size_t i);
/* The i-th view's word, of browser_keys.c. */
const char *browser_view_word(size_t i);
/* For struct prompt; `browser` is a struct browser. */
void completer_complete(void *browser, const char *text, size_t len, struct candidates *c);

#endif
