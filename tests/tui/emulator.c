/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdlib.h>
#include <string.h>

#include "emulator.h"

static const struct terminal TERMINALS[] = {
	{"xterm-256color", XTERM_256, 256, true},
	{"xterm", XTERM, 8, true},
	{"screen-256color", GNU_SCREEN, 256, false},
	{"screen", GNU_SCREEN, 8, false},
	{"linux", LINUX_CONSOLE, 8, true},
	{"vt100", VT100, 0, false},
	{"dumb", 0, 0, false},
};

const struct terminal *terminal_find(const char *name)
{
	for (size_t i = 0; i < sizeof(TERMINALS) / sizeof(TERMINALS[0]); i++)
		if (!strcmp(TERMINALS[i].name, name))
			return &TERMINALS[i];
	return NULL;
}

struct cell *cell_at(struct emulator *e, int y, int x)
{
	return &e->grids[e->alternate][(size_t)y * (size_t)e->columns + (size_t)x];
}

const struct cell *emulator_cell(const struct emulator *e, int y, int x)
{
	return &e->grids[e->alternate][(size_t)y * (size_t)e->columns + (size_t)x];
}

void emulator_fail(struct emulator *e, const char *why)
{
	const char *bytes = e->nsequence ? e->sequence : e->utf8;
	size_t n = e->nsequence ? e->nsequence : e->nutf8, at;

	if (e->error[0])
		return;
	at = (size_t)snprintf(e->error, sizeof(e->error), "%s, TERM=%s: '", why, e->terminal->name);
	for (size_t i = 0; i < n && at + 16 < sizeof(e->error); i++) {
		unsigned char c = (unsigned char)bytes[i];

		at += (size_t)snprintf(e->error + at, sizeof(e->error) - at,
			c == 27               ? "\\e"
			: c < ' ' || c >= 127 ? "\\x%02x"
					      : "%c",
			c);
	}
	snprintf(e->error + at, sizeof(e->error) - at, "'");
}

static void blank(const struct emulator *e, struct cell *c)
{
	*c = (struct cell){.text = {L' '},
		.look = {.fg = -1, .bg = e->terminal->erases_with_background ? e->at.look.bg : -1}};
}

/* No character has its halves on both sides of column x: what is written there would leave one. */
static void part(struct emulator *e, int y, int x)
{
	if (x <= 0 || x >= e->columns || cell_at(e, y, x)->text[0])
		return;
	blank(e, cell_at(e, y, x - 1));
	blank(e, cell_at(e, y, x));
}

void emulator_erase(struct emulator *e, int y, int from, int to)
{
	if (to > e->columns)
		to = e->columns;
	part(e, y, from);
	part(e, y, to);
	for (int x = from; x < to; x++)
		blank(e, cell_at(e, y, x));
}

/* The modes that a terminal begins with; what is on the screen stays. */
void emulator_reset(struct emulator *e)
{
	e->at.look = (struct look){.fg = -1, .bg = -1};
	e->at.charset[0] = e->at.charset[1] = 'B';
	e->at.shift = 0;
	e->top = 0;
	e->bottom = e->rows;
	for (int x = 0; x < MAX_COLUMNS; x++)
		e->tabs[x] = x % 8 == 0;
	e->insert = e->cursor_hidden = e->cursor_keys = e->keypad = e->paste = e->focus = false;
	e->reverse = e->palette = e->at.wraps = false;
	e->wraparound = true;
	e->mouse = 0;
	e->titles = 0;
	e->saved[0] = e->saved[1] = e->at;
	e->saved[0].y = e->saved[0].x = e->saved[1].y = e->saved[1].x = 0;
}

static struct cell *make_grid(struct emulator *e)
{
	size_t n = (size_t)e->rows * (size_t)e->columns;
	struct cell *grid = calloc(n, sizeof(*grid));

	for (size_t i = 0; grid && i < n; i++)
		grid[i] = (struct cell){.text = {L' '}, .look = {.fg = -1, .bg = -1}};
	return grid;
}

bool emulator_init(struct emulator *e, const struct terminal *terminal, int rows, int columns)
{
	*e = (struct emulator){.terminal = terminal, .rows = rows, .columns = columns};
	emulator_reset(e);
	e->grids[0] = make_grid(e);
	e->grids[1] = make_grid(e);
	return e->grids[0] && e->grids[1];
}

void emulator_release(struct emulator *e)
{
	free(e->grids[0]);
	free(e->grids[1]);
	e->grids[0] = e->grids[1] = NULL;
}

bool emulator_resize(struct emulator *e, int rows, int columns)
{
	int old_rows = e->rows, old_columns = e->columns;
	int common = columns < old_columns ? columns : old_columns;

	e->rows = rows;
	e->columns = columns;
	e->top = 0;
	e->bottom = rows;
	for (int g = 0; g < 2; g++) {
		struct cell *old = e->grids[g], *grid = make_grid(e);

		if (!grid) {
			e->rows = old_rows;
			e->columns = old_columns;
			return false;
		}
		for (int y = 0; y < rows && y < old_rows; y++) {
			struct cell *to = grid + (size_t)y * (size_t)columns;

			memcpy(to, old + (size_t)y * (size_t)old_columns,
				(size_t)common * sizeof(*to));
			/* Half a character isn't left at the edge. */
			if (common < old_columns && wcwidth(to[common - 1].text[0]) == 2)
				to[common - 1] =
					(struct cell){.text = {L' '}, .look = to[common - 1].look};
		}
		e->grids[g] = grid;
		free(old);
	}
	emulator_go(e, e->at.y, e->at.x);
	return true;
}

void emulator_go(struct emulator *e, int y, int x)
{
	e->at.y = y < 0 ? 0 : y >= e->rows ? e->rows - 1 : y;
	e->at.x = x < 0 ? 0 : x >= e->columns ? e->columns - 1 : x;
	e->at.wraps = false;
}

void emulator_scroll(struct emulator *e, int top, int bottom, int n)
{
	int lines = bottom - top, moved = n < 0 ? -n : n;
	size_t line = (size_t)e->columns * sizeof(struct cell);

	if (moved > lines)
		moved = lines;
	if (n > 0)
		memmove(cell_at(e, top, 0), cell_at(e, top, 0) + moved * e->columns,
			(size_t)(lines - moved) * line);
	else
		memmove(cell_at(e, top, 0) + moved * e->columns, cell_at(e, top, 0),
			(size_t)(lines - moved) * line);
	for (int i = 0; i < moved; i++)
		for (int x = 0, y = n > 0 ? bottom - 1 - i : top + i; x < e->columns; x++)
			blank(e, cell_at(e, y, x));
}

void emulator_line_feed(struct emulator *e)
{
	e->at.wraps = false;
	if (e->at.y + 1 == e->bottom)
		emulator_scroll(e, e->top, e->bottom, 1);
	else if (e->at.y + 1 < e->rows)
		e->at.y++;
}

void emulator_reverse_line_feed(struct emulator *e)
{
	e->at.wraps = false;
	if (e->at.y == e->top)
		emulator_scroll(e, e->top, e->bottom, -1);
	else if (e->at.y > 0)
		e->at.y--;
}

void emulator_shift(struct emulator *e, int n)
{
	struct cell *at = cell_at(e, e->at.y, e->at.x);
	int right = e->columns - e->at.x, moved = n < 0 ? -n : n;

	if (moved > right)
		moved = right;
	part(e, e->at.y, e->at.x);
	if (n > 0) {
		part(e, e->at.y, e->columns - moved);
		memmove(at + moved, at, (size_t)(right - moved) * sizeof(*at));
		for (int i = 0; i < moved; i++)
			blank(e, at + i);
	} else {
		part(e, e->at.y, e->at.x + moved);
		memmove(at, at + moved, (size_t)(right - moved) * sizeof(*at));
		for (int i = right - moved; i < right; i++)
			blank(e, at + i);
	}
	e->at.wraps = false;
}

/* ---- characters ---- */

static wchar_t line_drawing(wchar_t c)
{
	static const wchar_t FROM[] = L"+,-.0`afghijklmnopqrstuvwxyz{|}~";
	static const wchar_t TO[] =
		L"\u2192\u2190\u2191\u2193\u2588\u25c6\u2592\u00b0\u00b1\u2592\u2603"
		L"\u2518\u2510\u250c\u2514\u253c\u23ba\u23bb\u2500\u23bc\u23bd\u251c"
		L"\u2524\u2534\u252c\u2502\u2264\u2265\u03c0\u2260\u00a3\u00b7";
	const wchar_t *at = c ? wcschr(FROM, c) : NULL;

	return at ? TO[at - FROM] : c;
}

static void combine(struct emulator *e, wchar_t c)
{
	int x = e->at.wraps ? e->at.x : e->at.x - 1;
	struct cell *cell;

	if (x > 0 && !cell_at(e, e->at.y, x)->text[0])
		x--;
	if (x < 0) {
		emulator_fail(e, "a combining character that has nothing before it");
		return;
	}
	cell = cell_at(e, e->at.y, x);
	for (int i = 1; i < CELL_CHARACTERS; i++) {
		if (!cell->text[i]) {
			cell->text[i] = c;
			return;
		}
	}
	emulator_fail(e, "too many combining characters");
}

void emulator_put(struct emulator *e, wchar_t c)
{
	int width;

	if (e->at.charset[e->at.shift] == '0')
		c = line_drawing(c);
	width = wcwidth(c);
	if (width < 0) {
		emulator_fail(e, "a character that can't be shown");
		return;
	}
	if (!width) {
		combine(e, c);
		return;
	}
	if (width > e->columns)
		return;
	if (e->wraparound && (e->at.wraps || e->at.x + width > e->columns)) {
		e->at.x = 0;
		emulator_line_feed(e);
	} else if (e->at.x + width > e->columns) {
		e->at.x = e->columns - width;
	}
	if (e->insert)
		emulator_shift(e, width);
	part(e, e->at.y, e->at.x);
	part(e, e->at.y, e->at.x + width);
	*cell_at(e, e->at.y, e->at.x) = (struct cell){.text = {c}, .look = e->at.look};
	if (width == 2)
		*cell_at(e, e->at.y, e->at.x + 1) = (struct cell){.look = e->at.look};
	e->last = c;
	e->at.x += width;
	if (e->at.x >= e->columns) {
		e->at.x = e->columns - 1;
		e->at.wraps = true;
	}
}

static void tab(struct emulator *e)
{
	int x = e->at.x + 1;

	while (x < e->columns - 1 && !e->tabs[x])
		x++;
	emulator_go(e, e->at.y, x);
}

static void control(struct emulator *e, char c)
{
	switch (c) {
	case '\r':
		emulator_go(e, e->at.y, 0);
		break;
	case '\n':
	case '\v':
	case '\f':
		emulator_line_feed(e);
		break;
	case '\b':
		emulator_go(e, e->at.y, e->at.x - 1);
		break;
	case '\t':
		tab(e);
		break;
	case 14:
		e->at.shift = 1;
		break;
	case 15:
		e->at.shift = 0;
		break;
	case 0:
	case '\a':
		break;
	default:
		e->sequence[0] = c;
		e->nsequence = 1;
		emulator_fail(e, "a control character");
	}
}

static void character(struct emulator *e, char c)
{
	mbstate_t state = {0};
	wchar_t wide;
	size_t n;

	e->utf8[e->nutf8++] = c;
	n = mbrtowc(&wide, e->utf8, e->nutf8, &state);
	if (n == (size_t)-2 && e->nutf8 < 4)
		return;
	if (n == e->nutf8)
		emulator_put(e, wide);
	else
		emulator_fail(e, "bytes that are no character");
	e->nutf8 = 0;
}

bool emulator_is_inside(const struct emulator *e)
{
	return e->nsequence || e->nutf8;
}

bool emulator_write(struct emulator *e, const char *data, size_t len)
{
	for (size_t i = 0; i < len && !e->error[0]; i++) {
		char c = data[i];

		if (e->nsequence) {
			e->sequence[e->nsequence++] = c;
			e->sequence[e->nsequence] = '\0';
			if (e->nsequence + 1 >= sizeof(e->sequence))
				emulator_fail(e, "a sequence without an end");
			else if (emulator_sequence(e))
				e->nsequence = 0;
		} else if (e->nutf8 && !((unsigned char)c >= 0x80 && (unsigned char)c < 0xc0)) {
			emulator_fail(e, "bytes that are no character");
		} else if (c == 27) {
			e->sequence[e->nsequence++] = c;
		} else if ((unsigned char)c < ' ' || c == 127) {
			control(e, c);
		} else {
			character(e, c);
		}
	}
	return !e->error[0];
}
