/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * screen: the terminal: opened, drawn on, and given back as it was, whatever happens. With keymap.c
 * and browser.c this is all that knows ncurses.
 */
#ifndef SMTOOL_TUI_SCREEN_H
#define SMTOOL_TUI_SCREEN_H

#include <stdio.h>

#include <smtool/base.h>

/* What something on the screen is; how that looks follows from the terminal. */
enum role {
	ROLE_TEXT,
	ROLE_TITLE,
	ROLE_HEADER, /* of columns */
	ROLE_STATUS, /* the line at the bottom */
	ROLE_DIM,    /* what is beside the point: addresses, frames beyond the first */
	ROLE_BAR,
	ROLE_FUNCTION,
	ROLE_MODULE,
	ROLE_FILE,
	ROLE_KEY,   /* a key that does something */
	ROLE_MATCH, /* of a search */
	ROLE_MARK,
	ROLE_PEAK,
	ROLE_LOSS, /* lost events, errors */
	ROLE_WARNING,
	ROLE_UP,   /* grown, new */
	ROLE_DOWN, /* shrunk, gone */
	/* Boxes of a flame graph: text on a background. */
	ROLE_BOX, /* ROLE_BOX + 0 to ROLE_BOXES - 1 */
	ROLE_BOX_LAST = ROLE_BOX + 5,
	ROLE_BOX_UP, /* from a little to much */
	ROLE_BOX_UP_LAST = ROLE_BOX_UP + 2,
	ROLE_BOX_DOWN,
	ROLE_BOX_DOWN_LAST = ROLE_BOX_DOWN + 2,
	ROLE_BOX_SAME,
	ROLE_NR
};
#define ROLE_BOXES (ROLE_BOX_LAST - ROLE_BOX + 1)
#define ROLE_STEPS (ROLE_BOX_UP_LAST - ROLE_BOX_UP + 1)

enum screen_theme { THEME_AUTO, THEME_DARK, THEME_LIGHT };

struct screen_opts {
	FILE *in, *out; /* a terminal; `in` isn't standard input where that is a pipe */
	bool color;
	enum screen_theme theme;
	bool mouse;
};

/* A part of the screen. */
struct area {
	int y, x, h, w;
};

struct screen;

/* SM_E_USAGE for a terminal that can't do it. One at a time. */
struct sm_error *screen_open(const struct screen_opts *opts, struct screen **screen) SM_MUST_CHECK;
/* Gives the terminal back. */
void screen_close(struct screen *s);
/* Gives it back until screen_resume(). */
void screen_suspend(struct screen *s);
void screen_resume(struct screen *s);
/* After SIGWINCH: takes the terminal's size. */
void screen_resize(struct screen *s);
int screen_height(const struct screen *s);
int screen_width(const struct screen *s);
bool screen_is_utf8(const struct screen *s);
bool screen_has_color(const struct screen *s);
/* Shows what was drawn; the cursor is left at y, x, or hidden where y < 0. */
void screen_show(struct screen *s, int y, int x);
void screen_clear(struct screen *s);
/* Draws everything anew: something else wrote on the terminal. */
void screen_repaint(struct screen *s);

/* Writes what it shows as text, blanks at the ends of lines left out. */
void screen_write(struct screen *s, struct sm_out *out);

/* ---- drawing: a pen writes into one line, from left to right, never beyond its end ---- */

struct pen {
	struct screen *screen;
	int y, x, end; /* the next column, and the one behind the last */
	bool selected; /* the line of the cursor */
};

struct pen screen_pen(struct screen *s, int y, int x, int width);
/* Untrusted text in UTF-8: control characters, and those that turn text around, become visible.
 * What has no place is cut, and shown to be: the last column becomes '>'. */
void pen_text(struct pen *p, enum role role, const char *text);
void pen_textn(struct pen *p, enum role role, const char *text, size_t len);
void pen_printf(struct pen *p, enum role role, const char *fmt, ...) SM_PRINTF(3, 4);
/* Right-aligned in `width` columns. */
void pen_right(struct pen *p, enum role role, int width, const char *text);
void pen_fill(struct pen *p, enum role role, char c, int width);
/* A bar of part/whole of `width` columns, in eighths of a column where the terminal can. */
void pen_bar(struct pen *p, enum role role, int width, double share);
/* The rest of the line. */
void pen_end(struct pen *p, enum role role);
static inline int pen_left(const struct pen *p)
{
	return p->end - p->x;
}
/* How many columns the text takes. */
int screen_columns(const struct screen *s, const char *text, size_t len);
/* What the terminal can show of it: `utf8`, or else `ascii`. */
const char *screen_glyph(const struct screen *s, const char *utf8, const char *ascii);

/* ---- input ---- */

enum {
	INPUT_NONE = -1,
	INPUT_MOUSE = -2,
};
struct mouse {
	int y, x;
	enum { MOUSE_CLICK, MOUSE_DOUBLE, MOUSE_UP, MOUSE_DOWN } kind; /* wheel up, down */
};
/* The next key that waits: a character, or KEY_... of ncurses, which keymap.c knows (SCREEN_KEY).
 */
int screen_read(struct screen *s, struct mouse *mouse);
int screen_fd(const struct screen *s);

/* Named keys, beyond all characters. */
#define SCREEN_KEY(n) (0x110000 + (n))
enum screen_key {
	SCREEN_UP = SCREEN_KEY(0),
	SCREEN_DOWN,
	SCREEN_LEFT,
	SCREEN_RIGHT,
	SCREEN_PAGE_UP,
	SCREEN_PAGE_DOWN,
	SCREEN_HOME,
	SCREEN_END,
	SCREEN_ENTER,
	SCREEN_ESC,
	SCREEN_TAB,
	SCREEN_BACKTAB,
	SCREEN_BACKSPACE,
	SCREEN_DELETE,
	SCREEN_F1,
	SCREEN_OTHER, /* that means nothing here */
};

#endif
