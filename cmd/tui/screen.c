/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <langinfo.h>
#include <locale.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "palette.h"
#include "rescue.h"
#include "screen_internal.h"

#define ESC_DELAY 10 /* ms for the rest of an escape sequence */
#define DOUBLE_NS UINT64_C(400000000)

static bool size_of(const struct screen *s, int *rows, int *columns)
{
	struct winsize ws;

	if (ioctl(fileno(s->out), TIOCGWINSZ, &ws) < 0 || !ws.ws_row || !ws.ws_col)
		return false;
	*rows = ws.ws_row;
	*columns = ws.ws_col;
	return true;
}

void screen_resize(struct screen *s)
{
	int rows, columns;

	if (!size_of(s, &rows, &columns))
		return;
	resizeterm(rows, columns);
	clearok(curscr, TRUE);
}

static void set_modes(struct screen *s)
{
	cbreak();
	noecho();
	nonl();
	keypad(stdscr, TRUE);
	nodelay(stdscr, TRUE);
	meta(stdscr, TRUE);
	leaveok(stdscr, FALSE);
	scrollok(stdscr, FALSE);
	set_escdelay(ESC_DELAY);
	if (s->mouse) {
		/* Presses as they come: waiting for a second click would hold up the first. */
		mouseinterval(0);
		mousemask(BUTTON1_PRESSED | BUTTON4_PRESSED | BUTTON5_PRESSED, NULL);
	}
}

struct sm_error *screen_open(const struct screen_opts *opts, struct screen **out)
{
	const char *term = getenv("TERM");
	struct screen *s = calloc(1, sizeof(*s));

	*out = NULL;
	if (!s)
		return sm_error_nomem();
	if (!rescue_knows_terminal(fileno(opts->out))) {
		free(s);
		return sm_error_new(SM_E_USAGE, NULL, "this terminal can't show it",
			"TERM is '%s': set it to what the terminal is, or use 'smtool top'",
			term ? term : "");
	}
	s->out = opts->out;
	s->in = opts->in;
	s->mouse = opts->mouse;
	setlocale(LC_CTYPE, "");
	s->utf8 = !strcmp(nl_langinfo(CODESET), "UTF-8");
	if (!rescue_arm(fileno(opts->in), fileno(opts->out))) {
		free(s);
		return sm_error_errno(errno, NULL, "can't keep the terminal's settings", NULL);
	}
	s->term = newterm(NULL, opts->out, opts->in);
	if (!s->term) {
		rescue_disarm();
		free(s);
		return sm_error_new(SM_E_OTHER, NULL, "can't use the terminal", NULL);
	}
	set_term(s->term);
	set_modes(s);
	palette_init(opts->color, opts->theme, s->attrs);
	s->color = opts->color && has_colors();
	screen_resize(s);
	*out = s;
	return NULL;
}

void screen_close(struct screen *s)
{
	if (!s)
		return;
	screen_suspend(s);
	rescue_disarm();
	delscreen(s->term);
	free(s);
}

void screen_suspend(struct screen *s)
{
	if (s->mouse)
		mousemask(0, NULL);
	endwin();
	fflush(s->out);
}

void screen_resume(struct screen *s)
{
	screen_resize(s);
	set_modes(s);
	clearok(curscr, TRUE);
	refresh();
}

int screen_height(const struct screen *s)
{
	(void)s;
	return LINES;
}

int screen_width(const struct screen *s)
{
	(void)s;
	return COLS;
}

bool screen_is_utf8(const struct screen *s)
{
	return s->utf8;
}

bool screen_has_color(const struct screen *s)
{
	return s->color;
}

const char *screen_glyph(const struct screen *s, const char *utf8, const char *ascii)
{
	return s->utf8 ? utf8 : ascii;
}

void screen_show(struct screen *s, int y, int x)
{
	(void)s;
	curs_set(y >= 0);
	if (y >= 0)
		move(y, x);
	refresh();
}

void screen_clear(struct screen *s)
{
	(void)s;
	erase();
}

void screen_repaint(struct screen *s)
{
	(void)s;
	clearok(curscr, TRUE);
}

int screen_fd(const struct screen *s)
{
	return fileno(s->in);
}

static int mouse_event(struct screen *s, struct mouse *mouse)
{
	uint64_t now = sm_now_ns();
	MEVENT event;

	if (getmouse(&event) == ERR)
		return SCREEN_OTHER;
	*mouse = (struct mouse){.y = event.y, .x = event.x, .kind = MOUSE_CLICK};
	if (event.bstate & BUTTON4_PRESSED) {
		mouse->kind = MOUSE_UP;
	} else if (event.bstate & BUTTON5_PRESSED) {
		mouse->kind = MOUSE_DOWN;
	} else if (!(event.bstate & BUTTON1_PRESSED)) {
		return SCREEN_OTHER;
	} else if (s->click_ns && now - s->click_ns < DOUBLE_NS && s->click_y == event.y &&
		   s->click_x == event.x) {
		mouse->kind = MOUSE_DOUBLE;
		s->click_ns = 0;
	} else {
		s->click_ns = now;
		s->click_y = event.y;
		s->click_x = event.x;
	}
	return INPUT_MOUSE;
}

static int named_key(wint_t key)
{
	static const struct {
		int curses, ours;
	} KEYS[] = {
		{KEY_UP, SCREEN_UP},
		{KEY_DOWN, SCREEN_DOWN},
		{KEY_LEFT, SCREEN_LEFT},
		{KEY_RIGHT, SCREEN_RIGHT},
		{KEY_PPAGE, SCREEN_PAGE_UP},
		{KEY_NPAGE, SCREEN_PAGE_DOWN},
		{KEY_HOME, SCREEN_HOME},
		{KEY_END, SCREEN_END},
		{KEY_FIND, SCREEN_HOME},
		{KEY_SELECT, SCREEN_END},
		{KEY_ENTER, SCREEN_ENTER},
		{KEY_BTAB, SCREEN_BACKTAB},
		{KEY_BACKSPACE, SCREEN_BACKSPACE},
		{KEY_DC, SCREEN_DELETE},
		{KEY_F(1), SCREEN_F1},
	};

	for (size_t i = 0; i < SM_ARRAY_SIZE(KEYS); i++)
		if (KEYS[i].curses == (int)key)
			return KEYS[i].ours;
	return SCREEN_OTHER;
}

int screen_read(struct screen *s, struct mouse *mouse)
{
	wint_t key;
	int rc = get_wch(&key);

	if (rc == ERR)
		return INPUT_NONE;
	if (rc == KEY_CODE_YES)
		return key == KEY_MOUSE ? mouse_event(s, mouse) : named_key(key);
	switch (key) {
	case '\r':
	case '\n':
		return SCREEN_ENTER;
	case 27:
		return SCREEN_ESC;
	case '\t':
		return SCREEN_TAB;
	case 8:
	case 127:
		return SCREEN_BACKSPACE;
	default:
		return (int)key;
	}
}
