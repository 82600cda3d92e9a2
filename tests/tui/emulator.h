/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * emulator: as much of a terminal as ncurses makes use of, by the terminfo entries of the terminals
 * it knows. What the entry of a terminal doesn't have is an error there, not ignored. wcwidth()
 * says how wide a character is, so the program needs a UTF-8 locale.
 */
#ifndef TESTS_TUI_EMULATOR_H
#define TESTS_TUI_EMULATOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <wchar.h>

#define CELL_CHARACTERS 6 /* a character and what combines with it */
#define MAX_COLUMNS 1000
#define MAX_ROWS 1000

enum {
	LOOK_BOLD = 1,
	LOOK_DIM = 2,
	LOOK_ITALIC = 4,
	LOOK_UNDERLINE = 8,
	LOOK_BLINK = 16,
	LOOK_REVERSE = 32,
	LOOK_INVISIBLE = 64,
	LOOK_STRUCK = 128,
	LOOK_STANDOUT = 256,
};

struct look {
	unsigned flags;
	int fg, bg; /* -1 = the terminal's own */
};

struct cell {
	wchar_t text[CELL_CHARACTERS]; /* [0] = 0: the right half of a wide one */
	struct look look;
};

/* Which of a terminal's entries a sequence is in */
enum {
	XTERM = 1,
	XTERM_256 = 2,
	GNU_SCREEN = 4,
	LINUX_CONSOLE = 8,
	VT100 = 16,
};

struct terminal {
	const char *name; /* TERM */
	unsigned kind;
	int colors;
	bool erases_with_background;
};

/* What ESC 7 keeps. */
struct place {
	int y, x;
	bool wraps; /* the next character goes to the next line */
	struct look look;
	char charset[2]; /* of G0 and G1: 'B' = ASCII, '0' = line drawing */
	int shift;       /* which is in use */
};

enum {
	MOUSE_BUTTONS = 1,
	MOUSE_DRAGS = 2,
	MOUSE_MOVES = 4,
	MOUSE_SGR = 8, /* how it reports */
};

struct emulator {
	const struct terminal *terminal;
	int rows, columns;
	struct cell *grids[2]; /* main, alternate */
	bool alternate;
	struct place at, saved[2];
	int top, bottom; /* of the scroll region; bottom is the line behind it */
	bool tabs[MAX_COLUMNS];
	bool insert, wraparound, cursor_hidden, cursor_keys, keypad, paste, focus, reverse;
	bool palette; /* a colour was redefined */
	unsigned mouse;
	int titles; /* put aside and not brought back */
	wchar_t last;
	/* What is being taken in */
	char sequence[1024];
	size_t nsequence;
	char utf8[8];
	size_t nutf8;
	char error[512]; /* "" = none */
};

/* NULL when there is none of this name */
const struct terminal *terminal_find(const char *name);

/* False without memory; sizes are bounded by MAX_ROWS and MAX_COLUMNS. */
bool emulator_init(struct emulator *e, const struct terminal *terminal, int rows, int columns);
void emulator_release(struct emulator *e);
/* False: it is an error, and e->error says which bytes. Nothing is taken after one. */
bool emulator_write(struct emulator *e, const char *data, size_t len);
/* What is left keeps its place. */
bool emulator_resize(struct emulator *e, int rows, int columns);
/* In a sequence or a character */
bool emulator_is_inside(const struct emulator *e);
/* What isn't as it was at first, in words into `text`; false = nothing. */
bool emulator_differs(const struct emulator *e, char *text, size_t size);

const struct cell *emulator_cell(const struct emulator *e, int y, int x);

/* The text, blanks at the ends of lines left out. */
void emulator_print(const struct emulator *e, FILE *out);
/* How runs of cells of these rows look, where it isn't plain. */
void emulator_print_looks(const struct emulator *e, int first, int last, FILE *out);
/* A line of the screen has `text` in it. */
bool emulator_contains(const struct emulator *e, const char *text);
unsigned emulator_blank_rows(const struct emulator *e);

/* ---- for emulator_sequence.c ---- */

struct cell *cell_at(struct emulator *e, int y, int x);
void emulator_go(struct emulator *e, int y, int x);
void emulator_line_feed(struct emulator *e);
void emulator_reverse_line_feed(struct emulator *e);
/* Lines [top, bottom) go up by n, down by -n. */
void emulator_scroll(struct emulator *e, int top, int bottom, int n);
void emulator_erase(struct emulator *e, int y, int from, int to);
/* Cells from the cursor on go right by n, left by -n. */
void emulator_shift(struct emulator *e, int n);
void emulator_put(struct emulator *e, wchar_t c);
void emulator_fail(struct emulator *e, const char *why);
void emulator_reset(struct emulator *e);
/* A byte of a sequence; true at its end. */
bool emulator_sequence(struct emulator *e);

#endif
