/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What an escape sequence does. Each is of the terminals whose terminfo entries have it. */
#include <stdlib.h>
#include <string.h>

#include "emulator.h"

#define MAX_PARAMETERS 16

#define XTERMS (XTERM | XTERM_256)
#define MODERN (XTERMS | GNU_SCREEN | LINUX_CONSOLE)
#define ALL (MODERN | VT100)

struct parameters {
	int value[MAX_PARAMETERS]; /* 0 = left out */
	int n;
};

static const char UNKNOWN[] = "a sequence that isn't known";

static int or_one(int value)
{
	return value ? value : 1;
}

static void cursor(struct emulator *e, char final, const struct parameters *p)
{
	int y = e->at.y, x = e->at.x, n = or_one(p->value[0]);

	switch (final) {
	/* Within the scroll region it doesn't leave it. */
	case 'A':
		if (y >= e->top && y - n < e->top)
			n = y - e->top;
		emulator_go(e, y - n, x);
		break;
	case 'B':
		if (y < e->bottom && y + n >= e->bottom)
			n = e->bottom - 1 - y;
		emulator_go(e, y + n, x);
		break;
	case 'C':
		emulator_go(e, y, x + n);
		break;
	case 'D':
		emulator_go(e, y, x - n);
		break;
	case 'G':
		emulator_go(e, y, n - 1);
		break;
	case 'd':
		emulator_go(e, n - 1, x);
		break;
	case 'H':
		emulator_go(e, n - 1, or_one(p->value[1]) - 1);
		break;
	case 'Z':
		while (n-- && x > 0)
			for (x--; x > 0 && !e->tabs[x];)
				x--;
		emulator_go(e, y, x);
		break;
	default:
		break;
	}
}

static void erase_lines(struct emulator *e, int from, int to)
{
	for (int y = from; y < to; y++)
		emulator_erase(e, y, 0, e->columns);
}

static void erase(struct emulator *e, char final, const struct parameters *p)
{
	int y = e->at.y, x = e->at.x, kind = p->value[0];

	e->at.wraps = false;
	if (final == 'X') {
		emulator_erase(e, y, x, x + or_one(kind));
		return;
	}
	if (final == 'J' && kind == 3 && e->terminal->kind & (XTERMS | LINUX_CONSOLE))
		return; /* what has scrolled off, of which nothing is kept */
	if (kind > 2) {
		emulator_fail(e, UNKNOWN);
		return;
	}
	emulator_erase(e, y, kind ? 0 : x, kind == 1 ? x + 1 : e->columns);
	if (final == 'K')
		return;
	if (kind != 0)
		erase_lines(e, 0, y);
	if (kind != 1)
		erase_lines(e, y + 1, e->rows);
}

static void lines(struct emulator *e, char final, const struct parameters *p)
{
	int n = or_one(p->value[0]), y = e->at.y;

	switch (final) {
	case 'S':
		emulator_scroll(e, e->top, e->bottom, n);
		break;
	case 'T':
		emulator_scroll(e, e->top, e->bottom, -n);
		break;
	default:
		if (y >= e->top && y < e->bottom) {
			emulator_scroll(e, y, e->bottom, final == 'M' ? n : -n);
			emulator_go(e, y, 0);
		}
	}
}

static void cells(struct emulator *e, char final, const struct parameters *p)
{
	emulator_shift(e, final == '@' ? or_one(p->value[0]) : -or_one(p->value[0]));
}

static void repeat(struct emulator *e, char final, const struct parameters *p)
{
	(void) final;
	if (!e->last) {
		emulator_fail(e, "nothing to repeat");
		return;
	}
	for (int n = or_one(p->value[0]); n > 0 && !e->error[0]; n--)
		emulator_put(e, e->last);
}

static void region(struct emulator *e, char final, const struct parameters *p)
{
	int top = or_one(p->value[0]) - 1, bottom = p->value[1] ? p->value[1] : e->rows;

	(void) final;
	/* A program that doesn't know yet that the terminal became smaller */
	if (bottom > e->rows)
		bottom = e->rows;
	if (bottom - top < 2) {
		top = 0;
		bottom = e->rows;
	}
	e->top = top;
	e->bottom = bottom;
	emulator_go(e, 0, 0);
}

static void clear_tabs(struct emulator *e, char final, const struct parameters *p)
{
	(void) final;
	if (p->value[0] == 3)
		memset(e->tabs, 0, sizeof(e->tabs));
	else
		emulator_fail(e, UNKNOWN);
}

static const struct {
	int code;
	unsigned terminals, flag, undone;
} LOOKS[] = {
	{1, ALL, LOOK_BOLD, 0},
	{2, MODERN, LOOK_DIM, 0},
	{3, XTERMS, LOOK_ITALIC, 0},
	{3, GNU_SCREEN, LOOK_STANDOUT, 0},
	{4, ALL, LOOK_UNDERLINE, 0},
	{5, ALL, LOOK_BLINK, 0},
	{7, ALL, LOOK_REVERSE, 0},
	{8, XTERMS, LOOK_INVISIBLE, 0},
	{9, XTERMS, LOOK_STRUCK, 0},
	{10, LINUX_CONSOLE, 0, 0}, /* its own characters */
	{22, MODERN, 0, LOOK_BOLD | LOOK_DIM},
	{23, XTERMS, 0, LOOK_ITALIC},
	{23, GNU_SCREEN, 0, LOOK_STANDOUT},
	{24, MODERN, 0, LOOK_UNDERLINE},
	{25, MODERN, 0, LOOK_BLINK},
	{27, MODERN, 0, LOOK_REVERSE},
	{28, XTERMS, 0, LOOK_INVISIBLE},
	{29, XTERMS, 0, LOOK_STRUCK},
};

static bool set_flag(struct emulator *e, int code)
{
	for (size_t i = 0; i < sizeof(LOOKS) / sizeof(LOOKS[0]); i++) {
		if (LOOKS[i].code != code || !(LOOKS[i].terminals & e->terminal->kind))
			continue;
		e->at.look.flags = (e->at.look.flags | LOOKS[i].flag) & ~LOOKS[i].undone;
		return true;
	}
	return false;
}

/* A colour's code at parameter `i`; -1 when it isn't one, else how many parameters it is. */
static int set_color(struct emulator *e, const struct parameters *p, int i)
{
	int code = p->value[i], tens = code / 10, number = code % 10, used = 1;
	bool ground = tens == 4 || tens == 10;

	if (tens != 3 && tens != 4 && tens != 9 && tens != 10)
		return -1;
	if (number == 9 && tens < 5) {
		number = -1;
	} else if (number == 8 && tens < 5) {
		if (i + 2 >= p->n || p->value[i + 1] != 5)
			return -1;
		number = p->value[i + 2];
		used = 3;
	} else if (number > 7) {
		return -1;
	} else if (tens > 4) {
		number += 8;
	}
	if (number >= e->terminal->colors || !e->terminal->colors)
		return -1;
	*(ground ? &e->at.look.bg : &e->at.look.fg) = number;
	return used;
}

static void look(struct emulator *e, char final, const struct parameters *p)
{
	(void) final;
	for (int i = 0; i < p->n;) {
		int used = 1;

		if (p->value[i] == 0)
			e->at.look = (struct look){.fg = -1, .bg = -1};
		else if (!set_flag(e, p->value[i]))
			used = set_color(e, p, i);
		if (used < 0) {
			emulator_fail(e, "an attribute that this terminal doesn't have");
			return;
		}
		i += used;
	}
}

static void keep(struct emulator *e)
{
	e->saved[e->alternate] = e->at;
}

static void bring_back(struct emulator *e)
{
	const struct place *saved = &e->saved[e->alternate];
	bool wraps = saved->wraps && saved->x == e->columns - 1;

	e->at = *saved;
	emulator_go(e, saved->y, saved->x);
	e->at.wraps = wraps;
}

static void set_alternate(struct emulator *e, int mode, bool on)
{
	if (mode == 1048 || (mode == 1049 && on && !e->alternate)) {
		if (on)
			keep(e);
		else
			bring_back(e);
	}
	if (mode == 1048 || e->alternate == on)
		return;
	if (mode == 1047 && !on)
		erase_lines(e, 0, e->rows);
	e->alternate = on;
	if (mode == 1049) {
		if (on)
			erase_lines(e, 0, e->rows);
		else
			bring_back(e);
	}
}

enum { STORE = 1, INVERT, MOUSE, OTHER_SCREEN, NO_MATTER, ONLY_OFF };

#define FIELD(name) offsetof(struct emulator, name)

static const struct {
	int mode;
	unsigned terminals;
	int kind;
	size_t what; /* where the bool is, or of the mouse */
} MODES[] = {
	{1, XTERMS | GNU_SCREEN | VT100, STORE, FIELD(cursor_keys)},
	{3, XTERMS | VT100, ONLY_OFF, 0},
	{4, XTERMS | VT100, ONLY_OFF, 0},
	{5, XTERMS | LINUX_CONSOLE | VT100, STORE, FIELD(reverse)},
	{7, XTERMS | LINUX_CONSOLE | VT100, STORE, FIELD(wraparound)},
	{8, VT100, NO_MATTER, 0},
	{12, XTERMS, NO_MATTER, 0},
	{25, MODERN, INVERT, FIELD(cursor_hidden)},
	{47, XTERMS | GNU_SCREEN, OTHER_SCREEN, 0},
	{1000, MODERN, MOUSE, MOUSE_BUTTONS},
	{1002, XTERMS | GNU_SCREEN, MOUSE, MOUSE_DRAGS},
	{1003, XTERMS | GNU_SCREEN, MOUSE, MOUSE_MOVES},
	{1004, XTERMS, STORE, FIELD(focus)},
	{1006, XTERMS | GNU_SCREEN, MOUSE, MOUSE_SGR},
	{1034, XTERMS, NO_MATTER, 0},
	{1047, XTERMS | GNU_SCREEN, OTHER_SCREEN, 0},
	{1048, XTERMS | GNU_SCREEN, OTHER_SCREEN, 0},
	{1049, XTERMS | GNU_SCREEN, OTHER_SCREEN, 0},
	{2004, XTERMS | GNU_SCREEN, STORE, FIELD(paste)},
	/* The console has none of these, and doesn't mind that they are to be off. */
	{1002, LINUX_CONSOLE, ONLY_OFF, 0},
	{1003, LINUX_CONSOLE, ONLY_OFF, 0},
	{1006, LINUX_CONSOLE, ONLY_OFF, 0},
	{2004, LINUX_CONSOLE, ONLY_OFF, 0},
};

static void set_mode(struct emulator *e, int mode, bool on)
{
	for (size_t i = 0; i < sizeof(MODES) / sizeof(MODES[0]); i++) {
		if (MODES[i].mode != mode || !(MODES[i].terminals & e->terminal->kind) ||
			(on && MODES[i].kind == ONLY_OFF))
			continue;
		switch (MODES[i].kind) {
		case STORE:
			*(bool *)((char *)e + MODES[i].what) = on;
			break;
		case INVERT:
			*(bool *)((char *)e + MODES[i].what) = !on;
			break;
		case MOUSE:
			e->mouse &= ~(unsigned)MODES[i].what;
			e->mouse |= on ? (unsigned)MODES[i].what : 0;
			break;
		case OTHER_SCREEN:
			set_alternate(e, mode, on);
			break;
		default:
			break;
		}
		return;
	}
	emulator_fail(e, "a mode that this terminal doesn't have");
}

static void private_modes(struct emulator *e, char final, const struct parameters *p)
{
	for (int i = 0; i < p->n; i++)
		set_mode(e, p->value[i], final == 'h');
}

static void modes(struct emulator *e, char final, const struct parameters *p)
{
	if (p->value[0] == 4)
		e->insert = final == 'h';
	/* How the cursor looks */
	else if (p->value[0] != 34 || e->terminal->kind != GNU_SCREEN)
		emulator_fail(e, "a mode that this terminal doesn't have");
}

static void titles(struct emulator *e, char final, const struct parameters *p)
{
	(void) final;
	if (p->value[0] == 22)
		e->titles++;
	else if (p->value[0] == 23)
		e->titles -= e->titles > 0;
	else
		emulator_fail(e, UNKNOWN);
}

static void soft_reset(struct emulator *e, char final, const struct parameters *p)
{
	struct place at = e->at;

	(void) final;
	(void)p;
	emulator_reset(e);
	emulator_go(e, at.y, at.x);
}

static void no_matter(struct emulator *e, char final, const struct parameters *p)
{
	(void)e;
	(void) final;
	(void)p;
}

static const struct {
	const char *finals; /* each of them */
	char mark;          /* before or behind the parameters; 0 = none */
	unsigned terminals;
	void (*act)(struct emulator *e, char final, const struct parameters *p);
} CONTROLS[] = {
	{"ABCDH", 0, ALL, cursor}, {"Gd", 0, MODERN, cursor}, {"Z", 0, XTERMS | GNU_SCREEN, cursor},
	{"JK", 0, ALL, erase}, {"X", 0, XTERMS | LINUX_CONSOLE, erase}, {"LM", 0, MODERN, lines},
	{"ST", 0, XTERMS | GNU_SCREEN, lines}, {"@P", 0, MODERN, cells}, {"b", 0, XTERMS, repeat},
	{"r", 0, ALL, region}, {"g", 0, ALL, clear_tabs}, {"m", 0, ALL, look},
	{"hl", 0, MODERN, modes}, {"hl", '?', ALL, private_modes}, {"t", 0, XTERMS, titles},
	{"p", '!', XTERMS, soft_reset}, {"q", ' ', XTERMS, no_matter}, /* how the cursor looks */
	{"c", '?', LINUX_CONSOLE, no_matter},                          /* the same */
};

static bool control_sequence(struct emulator *e)
{
	struct parameters p = {.n = 1};
	char final = e->sequence[e->nsequence - 1], mark = 0;

	if (e->nsequence < 3 || (final >= 0x20 && final < 0x40))
		return false;
	for (size_t i = 2; i + 1 < e->nsequence; i++) {
		char c = e->sequence[i];

		if (c >= '0' && c <= '9') {
			if (p.value[p.n - 1] < 100000)
				p.value[p.n - 1] = p.value[p.n - 1] * 10 + c - '0';
		} else if (c == ';' && p.n < MAX_PARAMETERS) {
			p.n++;
		} else if (!mark && c != ':' && c != ';') {
			mark = c;
		} else {
			emulator_fail(e, UNKNOWN);
			return true;
		}
	}
	for (size_t i = 0; i < sizeof(CONTROLS) / sizeof(CONTROLS[0]); i++) {
		if (CONTROLS[i].mark == mark && CONTROLS[i].terminals & e->terminal->kind &&
			strchr(CONTROLS[i].finals, final) && final) {
			CONTROLS[i].act(e, final, &p);
			return true;
		}
	}
	emulator_fail(e, UNKNOWN);
	return true;
}

/* Titles and colours, to BEL or ESC \; the console's own have neither. */
static bool system_command(struct emulator *e)
{
	const char *text = e->sequence + 2;
	size_t n = e->nsequence - 2;
	bool ended = n && (text[n - 1] == '\a' ||
				  (n > 1 && text[n - 2] == '\033' && text[n - 1] == '\\'));
	long number;

	if (e->terminal->kind == LINUX_CONSOLE && (*text == 'R' || (*text == 'P' && n >= 8))) {
		e->palette = *text == 'P';
		return true;
	}
	if (!ended)
		return false;
	number = strtol(text, NULL, 10);
	if (*text < '0' || *text > '9' || strchr(text, '?'))
		emulator_fail(e, UNKNOWN);
	else if (number == 4 && e->terminal->kind & XTERMS)
		e->palette = true;
	else if (number == 104 && e->terminal->kind & XTERMS)
		e->palette = false;
	else if (number > 2 || e->terminal->kind == VT100)
		emulator_fail(e, UNKNOWN);
	return true;
}

static bool is_of(struct emulator *e, unsigned terminals)
{
	if (e->terminal->kind & terminals)
		return true;
	emulator_fail(e, UNKNOWN);
	return false;
}

bool emulator_sequence(struct emulator *e)
{
	char c = e->sequence[1];

	switch (c) {
	case '[':
		return control_sequence(e);
	case ']':
		return system_command(e);
	case '(':
	case ')':
		if (e->nsequence < 3)
			return false;
		if (strchr("0AB", e->sequence[2]) && e->sequence[2])
			e->at.charset[c == ')'] = e->sequence[2];
		else
			emulator_fail(e, "a character set that isn't known");
		return true;
	case '7':
		keep(e);
		return true;
	case '8':
		bring_back(e);
		return true;
	case 'E':
		if (is_of(e, ALL & ~(unsigned)LINUX_CONSOLE)) {
			e->at.x = 0;
			emulator_line_feed(e);
		}
		return true;
	case 'H':
		e->tabs[e->at.x] = true;
		return true;
	case 'M':
		emulator_reverse_line_feed(e);
		return true;
	case 'c':
		if (is_of(e, MODERN)) {
			e->alternate = false;
			emulator_reset(e);
			erase_lines(e, 0, e->rows);
			emulator_go(e, 0, 0);
		}
		return true;
	case 'g':
		is_of(e, GNU_SCREEN);
		return true; /* flash */
	case '=':
	case '>':
		if (is_of(e, ALL & ~(unsigned)LINUX_CONSOLE))
			e->keypad = c == '=';
		return true;
	default:
		emulator_fail(e, UNKNOWN);
		return true;
	}
}
