/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * usage: sampler [SEED]
 * What the driver is tested with: a screen with everything that ncurses can show, keys that are
 * told of, and with a seed, changes at random; what is to be on the screen then goes to the file
 * 'wanted'.
 */
#include <locale.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <curses.h>

#include "emulator.h"

#define PAIRS 24

struct sampler {
	uint32_t random;
	bool wide;     /* characters of two columns; then lines are written as a whole */
	int idle;      /* a descriptor */
	sigset_t open; /* signals while it waits */
	int timer;     /* ms until something is shown, -1 = nothing is to be */
};

static uint32_t any(struct sampler *s, int below)
{
	s->random = s->random * 1664525 + 1013904223;
	return (s->random >> 8) % (uint32_t)below;
}

/* Attributes that this terminal has, with a colour where it has them */
static void set_look(struct sampler *s)
{
	static const attr_t ATTRS[] = {A_NORMAL, A_BOLD, A_UNDERLINE, A_REVERSE, A_DIM, A_BLINK,
		A_BOLD | A_UNDERLINE, A_REVERSE | A_BOLD};
	attr_t attrs = ATTRS[any(s, 8)] & termattrs();
	bool console = !strcmp(getenv("TERM"), "linux");
	short pair = has_colors() && any(s, 3) ? (short)(1 + any(s, PAIRS)) : 0;

	/* It has no colours together with these (ncv). */
	if (console && pair)
		attrs &= ~(attr_t)(A_UNDERLINE | A_DIM);
	attr_set(attrs, pair, NULL);
}

static void write_text(struct sampler *s)
{
	static const char *const TEXTS[] = {"kmalloc_noprof", "  ", "x",
		"====================", "a        b", "the quick brown fox jumps over", "0x0",
		"                    "};
	static const wchar_t *const WIDE[] = {L"\u8a18\u61b6", L"e\u0301t\u00e9", L"\U0001f40c",
		L"\u4e2d", L"a\u0323\u0302b", L"\uff21\uff22\uff23"};
	int y = (int)any(s, LINES), x = (int)any(s, COLS);

	/* ncurses isn't sure what to think of a character of which half is overwritten. */
	if (s->wide) {
		mvhline(y, 0, ' ', COLS);
		x /= 2;
	}
	set_look(s);
	mvaddnstr(y, x, TEXTS[any(s, 8)], s->wide ? COLS - x : -1);
	if (!s->wide || getcury(stdscr) != y || getcurx(stdscr) + 14 > COLS)
		return;
	set_look(s);
	addwstr(WIDE[any(s, 6)]);
	set_look(s);
	addwstr(WIDE[any(s, 6)]);
}

static void draw_lines(struct sampler *s)
{
	int y = (int)any(s, LINES), x = (int)any(s, COLS), n = 1 + (int)any(s, 30);

	set_look(s);
	if (s->wide) {
		mvhline_set(y, 0, WACS_HLINE, COLS);
	} else if (any(s, 2)) {
		mvhline_set(y, x, WACS_HLINE, n);
		mvvline_set(y, x, WACS_VLINE, n);
	} else {
		mvhline(y, x, any(s, 2) ? ACS_HLINE : '-', n);
		mvaddch(y, x, ACS_ULCORNER);
	}
}

static void scroll_lines(struct sampler *s)
{
	int top = (int)any(s, LINES - 2), bottom = top + 1 + (int)any(s, LINES - top - 1);

	if (any(s, 2)) {
		move(top, 0);
		insdelln(any(s, 2) ? 1 + (int)any(s, 3) : -1 - (int)any(s, 3));
		return;
	}
	scrollok(stdscr, TRUE);
	setscrreg(top, bottom);
	scrl(any(s, 2) ? 1 + (int)any(s, 3) : -1 - (int)any(s, 3));
	setscrreg(0, LINES - 1);
	scrollok(stdscr, FALSE);
}

static void clear_some(struct sampler *s)
{
	move((int)any(s, LINES), s->wide ? 0 : (int)any(s, COLS));
	if (has_colors() && any(s, 2))
		bkgdset((chtype)(' ' | COLOR_PAIR(1 + any(s, PAIRS))));
	if (any(s, 4))
		clrtoeol();
	else
		clrtobot();
	bkgdset(' ');
}

static void shift_cells(struct sampler *s)
{
	int n = 1 + (int)any(s, 4);

	if (s->wide)
		return;
	set_look(s);
	move((int)any(s, LINES), (int)any(s, COLS));
	if (any(s, 2)) {
		insstr("<ins>");
		return;
	}
	while (n--)
		delch();
}

static void change(struct sampler *s)
{
	for (int i = 0; i < 60; i++) {
		switch (any(s, 10)) {
		case 0:
			scroll_lines(s);
			break;
		case 1:
			clear_some(s);
			break;
		case 2:
			shift_cells(s);
			break;
		case 3:
			draw_lines(s);
			break;
		default:
			write_text(s);
		}
		if (!any(s, 4)) {
			move((int)any(s, LINES), (int)any(s, COLS));
			refresh();
		}
	}
	refresh();
}

/* ---- what is to be seen ---- */

static struct look look_of(attr_t attrs, short pair)
{
	static const struct {
		attr_t attr;
		unsigned flag;
	} FLAGS[] = {{A_BOLD, LOOK_BOLD}, {A_DIM, LOOK_DIM}, {A_UNDERLINE, LOOK_UNDERLINE},
		{A_BLINK, LOOK_BLINK}, {A_REVERSE, LOOK_REVERSE}};
	struct look look = {.fg = -1, .bg = -1};
	short fg = -1, bg = -1;

	for (size_t i = 0; i < sizeof(FLAGS) / sizeof(FLAGS[0]); i++)
		look.flags |= attrs & FLAGS[i].attr ? FLAGS[i].flag : 0;
	if (pair)
		pair_content(pair, &fg, &bg);
	look.fg = fg;
	look.bg = bg;
	return look;
}

static void write_wanted(void)
{
	struct emulator e;
	FILE *f = fopen("wanted", "we");

	if (!f || !emulator_init(&e, terminal_find(getenv("TERM")), LINES, COLS))
		exit(1);
	for (int y = 0; y < LINES; y++) {
		for (int x = 0, width; x < COLS; x += width) {
			wchar_t text[CCHARW_MAX + 1] = {0};
			attr_t attrs;
			cchar_t c;
			short pair;

			mvwin_wch(stdscr, y, x, &c);
			getcchar(&c, text, &attrs, &pair, NULL);
			width = attrs & A_ALTCHARSET ? 1 : wcwidth(text[0]);
			if (width < 1)
				width = 1;
			cell_at(&e, y, x)->look = look_of(attrs, pair);
			e.at.charset[0] = attrs & A_ALTCHARSET ? '0' : 'B';
			e.at.look = look_of(attrs, pair);
			emulator_go(&e, y, x);
			for (int i = 0; text[i]; i++)
				emulator_put(&e, text[i]);
		}
	}
	emulator_print(&e, f);
	emulator_print_looks(&e, 0, LINES, f);
	fclose(f);
	emulator_release(&e);
}

/* ---- a picture with one of each ---- */

static void draw(struct sampler *s)
{
	erase();
	attr_set(A_NORMAL, 0, NULL);
	mvprintw(0, 0, "%dx%d %s, colours: %d", COLS, LINES, getenv("TERM"), COLORS);
	attr_set(A_BOLD, 1, NULL);
	mvaddstr(1, 2, "bold in pair 1");
	attr_set(A_REVERSE, 2, NULL);
	mvaddstr(1, 20, "reverse in pair 2");
	attr_set(A_UNDERLINE, 0, NULL);
	mvaddstr(1, 40, "underlined");
	attr_set(A_NORMAL, 0, NULL);
	mvaddstr(2, 2,
		"wide: \u8a18\u61b6 \uff21, combined: e\u0301 a\u0323\u0302, snail: \U0001f40c");
	mvaddstr(3, COLS - 4, "edge");
	mvaddwstr(4, COLS - 1, L"\u8a18"); /* doesn't fit: the next line has it */
	for (int i = 0; i < 16 && has_colors(); i++) {
		attr_set(A_NORMAL, (short)(1 + i), NULL);
		mvaddch(6, 2 + i, '#');
	}
	attr_set(A_NORMAL, 0, NULL);
	mvhline(7, 2, ACS_HLINE, 12);
	mvaddch(7, 1, ACS_ULCORNER);
	mvaddch(7, 14, ACS_URCORNER);
	mvaddstr(7, 20, "------------------------------");
	move(LINES - 1, 0);
	if (s->timer >= 0)
		addstr("time passes");
}

/* Bytes that aren't ncurses' */
static void send(const char *text)
{
	fflush(stdout);
	if (write(STDOUT_FILENO, text, strlen(text)) < 0)
		exit(1);
}

static void tell_key(struct sampler *s, int rc, wint_t key)
{
	MEVENT event;

	draw(s);
	if (rc != KEY_CODE_YES)
		printw("key %s", key_name((wchar_t)key));
	else if (key == KEY_MOUSE && getmouse(&event) == OK)
		printw("mouse %d %d%s%s%s%s%s%s", event.x, event.y,
			event.bstate & BUTTON1_CLICKED ? " clicked" : "",
			event.bstate & BUTTON1_PRESSED ? " pressed" : "",
			event.bstate & BUTTON1_RELEASED ? " released" : "",
			event.bstate & BUTTON4_PRESSED ? " up" : "",
			event.bstate & BUTTON5_PRESSED ? " down" : "",
			event.bstate & REPORT_MOUSE_POSITION ? " moved" : "");
	else
		printw("key %s", keyname((int)key));
}

static bool take_key(struct sampler *s, int rc, wint_t key)
{
	if (rc == OK && key == 'q')
		return false;
	if (rc == OK && key == 'r')
		change(s);
	else if (rc == OK && key == 'd')
		write_wanted();
	else if (rc == OK && key == 'c')
		curs_set(0);
	else if (rc == OK && key == 'm')
		mousemask(ALL_MOUSE_EVENTS | REPORT_MOUSE_POSITION, NULL);
	else if (rc == OK && key == 'p')
		send("\033[?2004h");
	else if (rc == OK && key == 'P')
		send("\033[?2004l");
	else if (rc == OK && key == 'b')
		send("\033[?9999h");
	else if (rc == OK && key == 'x')
		_exit(3);
	else
		tell_key(s, rc, key);
	if (rc == OK && key == 't') {
		s->timer = 200;
		draw(s);
	}
	return true;
}

/* As cmd/tui does: nothing to do, all drawn, nothing typed. */
static void tell_idle(const struct sampler *s)
{
	int waiting = 0;

	if (s->idle >= 0 && ioctl(STDIN_FILENO, FIONREAD, &waiting) == 0 && !waiting &&
		write(s->idle, "idle\n", 5) < 0)
		exit(1);
}

static void loop(struct sampler *s)
{
	for (;;) {
		struct pollfd fd = {.fd = STDIN_FILENO, .events = POLLIN};
		bool any_key = false;
		wint_t key;
		struct timespec time = {.tv_nsec = s->timer * 1000000L};
		int rc, came;

		refresh();
		tell_idle(s);
		/* Signals come here alone, so that none is missed. */
		came = ppoll(&fd, 1, s->timer >= 0 ? &time : NULL, &s->open);
		if (came == 0) {
			s->timer = -1;
			draw(s);
			addstr("its time has come");
			continue;
		}
		/* SIGHUP is to come, too. */
		if (came > 0 && fd.revents & (POLLHUP | POLLERR))
			sigsuspend(&s->open);
		while ((rc = get_wch(&key)) != ERR) {
			any_key = true;
			if (!take_key(s, rc, key))
				return;
		}
		/* Stopped and continued */
		if (!any_key && came < 0)
			clearok(curscr, TRUE);
	}
}

int main(int argc, char **argv)
{
	const char *idle = getenv("SMTOOL_IDLE_FD");
	struct sampler s = {.idle = idle ? atoi(idle) : -1, .timer = -1};
	sigset_t mask;

	setlocale(LC_ALL, "");
	if (argc > 1)
		s.random = (uint32_t)strtoul(argv[1], NULL, 10);
	s.wide = s.random % 2;
	initscr();
	cbreak();
	noecho();
	nonl();
	keypad(stdscr, TRUE);
	nodelay(stdscr, TRUE);
	mouseinterval(0);
	sigemptyset(&mask);
	sigaddset(&mask, SIGWINCH);
	sigaddset(&mask, SIGTSTP);
	sigprocmask(SIG_BLOCK, &mask, &s.open);
	idlok(stdscr, TRUE);
	idcok(stdscr, TRUE);
	set_escdelay(25);
	if (has_colors()) {
		start_color();
		use_default_colors();
		for (short i = 0; i < PAIRS; i++)
			init_pair((short)(i + 1), (short)((i + 1) * 5 % COLORS),
				(short)(i % 3 ? -1 : i * 7 % COLORS));
	}
	if (argc > 1)
		change(&s);
	else
		draw(&s);
	loop(&s);
	endwin();
	return 0;
}
