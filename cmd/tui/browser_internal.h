/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the browser's own files share. */
#ifndef SMTOOL_TUI_BROWSER_INTERNAL_H
#define SMTOOL_TUI_BROWSER_INTERNAL_H

#include "browser.h"

/* browser_log.c: what the library says goes to b->log instead of standard error. */
void browser_log_init(struct browser *b);
void browser_log_release(struct browser *b);

/* browser_draw.c */
void browser_draw(struct browser *b);
/* Where the view on top is. */
struct area browser_area(const struct browser *b);

/* browser_keys.c */
void browser_key(struct browser *b, int key);
void browser_mouse(struct browser *b, const struct mouse *mouse);

/* browser.c: counts what the text chooses, at the moments that were chosen. */
void browser_filter(struct browser *b, const char *text);
/* browser.c: `r` is the side's current reading from now on. */
void browser_take(struct browser *b, size_t side, struct reading *r);

/* browser_views.c */
void browser_close_view(struct view *v);

/* browser_live.c */
bool browser_is_live(const struct browser *b);
/* Milliseconds until the next step; -1 = there is none to wait for. */
int browser_live_wait(const struct browser *b);
void browser_live_tick(struct browser *b);
/* True: it was one of its actions. */
bool browser_live_act(struct browser *b, enum action action, const char *arg);
void browser_live_save(struct browser *b, const char *path);
/* For the title: how it goes on; what was lost. */
void browser_live_text(const struct browser *b, struct sm_buf *text);
void browser_live_loss(const struct browser *b, struct sm_buf *text);

/* For output_file_open(). */
#define NEVER_REPLACED "it is never replaced: give another name"
/* browser_files.c: writes b->screen_file. */
void browser_write_screen(struct browser *b);

#endif
