/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The emulator's screen as text. */
#include <limits.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "emulator.h"

/* The text of cells [from, to) without blanks at its end; the caller frees it. */
static char *text_of(const struct emulator *e, int y, int from, int to)
{
	char *text = malloc((size_t)(to - from) * CELL_CHARACTERS * MB_LEN_MAX + 1);
	size_t n = 0, end = 0;

	if (!text)
		abort();
	for (int x = from; x < to; x++) {
		const struct cell *c = emulator_cell(e, y, x);
		mbstate_t state = {0};

		for (int i = 0; i < CELL_CHARACTERS && c->text[i]; i++) {
			size_t len = wcrtomb(text + n, c->text[i], &state);

			if (len != (size_t)-1)
				n += len;
		}
		if (c->text[0] && (c->text[0] != L' ' || c->text[1]))
			end = n;
	}
	text[end] = '\0';
	return text;
}

void emulator_print(const struct emulator *e, FILE *out)
{
	for (int y = 0; y < e->rows; y++) {
		char *text = text_of(e, y, 0, e->columns);

		fprintf(out, "%s\n", text);
		free(text);
	}
}

bool emulator_contains(const struct emulator *e, const char *wanted)
{
	bool found = false;

	for (int y = 0; y < e->rows && !found; y++) {
		char *text = text_of(e, y, 0, e->columns);

		found = strstr(text, wanted) != NULL;
		free(text);
	}
	return found;
}

unsigned emulator_blank_rows(const struct emulator *e)
{
	unsigned blank = 0;

	for (int y = 0; y < e->rows; y++) {
		int x = 0;

		while (x < e->columns && emulator_cell(e, y, x)->text[0] == L' ')
			x++;
		blank += x == e->columns;
	}
	return blank;
}

static bool same_look(const struct look *a, const struct look *b)
{
	return a->flags == b->flags && a->fg == b->fg && a->bg == b->bg;
}

static void print_color(int color, FILE *out)
{
	static const char *const NAMES[] = {
		"black", "red", "green", "yellow", "blue", "magenta", "cyan", "white"};

	if (color < 16)
		fprintf(out, "%s%s", color < 8 ? "" : "bright-", NAMES[color % 8]);
	else
		fprintf(out, "%d", color);
}

static void print_look(const struct look *l, FILE *out)
{
	static const char *const FLAGS[] = {"bold", "dim", "italic", "underline", "blink",
		"reverse", "invisible", "struck", "standout"};

	for (unsigned i = 0; i < sizeof(FLAGS) / sizeof(FLAGS[0]); i++)
		if (l->flags & 1u << i)
			fprintf(out, " %s", FLAGS[i]);
	if (l->fg >= 0) {
		fputc(' ', out);
		print_color(l->fg, out);
	}
	if (l->bg >= 0) {
		fputs(" on ", out);
		print_color(l->bg, out);
	}
}

/* What can be seen of a blank's */
static struct look look_of_blank(struct look l)
{
	l.flags &= LOOK_UNDERLINE | LOOK_REVERSE | LOOK_STRUCK | LOOK_STANDOUT;
	if (!l.flags)
		l.fg = -1;
	return l;
}

static bool is_blank(const struct cell *c)
{
	return c->text[0] == L' ' && !c->text[1];
}

/* So that it doesn't matter whether blanks were written or what was there erased */
static struct look look_seen(const struct cell *c)
{
	return is_blank(c) ? look_of_blank(c->look) : c->look;
}

static void print_run(const struct emulator *e, int y, int x, int end, FILE *out)
{
	const struct look look = look_seen(emulator_cell(e, y, x));
	char *text = text_of(e, y, x, end);

	fprintf(out, "%d:%d-%d", y, x, end - 1);
	print_look(&look, out);
	fprintf(out, " '%s'\n", text);
	free(text);
}

void emulator_print_looks(const struct emulator *e, int first, int last, FILE *out)
{
	const struct look plain = {.fg = -1, .bg = -1};

	for (int y = first; y <= last && y < e->rows; y++) {
		for (int x = 0, next; x < e->columns; x = next) {
			const struct look look = look_seen(emulator_cell(e, y, x));
			const struct look blank = look_of_blank(look);
			int end = x + 1;

			for (next = x + 1; next < e->columns; next++) {
				const struct cell *c = emulator_cell(e, y, next);
				const struct look l = look_seen(c);

				if (!same_look(&l, &look) &&
					!(is_blank(c) && same_look(&l, &blank)))
					break;
				/* Blanks behind a run aren't of it when they look plain. */
				if (!is_blank(c) || !same_look(&l, &plain))
					end = next + 1;
			}
			if (!same_look(&look, &plain))
				print_run(e, y, x, end, out);
		}
	}
}

__attribute__((format(printf, 3, 4))) static void add(char *text, size_t size, const char *fmt, ...)
{
	size_t n = strlen(text);
	va_list ap;

	if (n + 2 >= size)
		return;
	if (n) {
		strcpy(text + n, ", ");
		n += 2;
	}
	va_start(ap, fmt);
	vsnprintf(text + n, size - n, fmt, ap);
	va_end(ap);
}

bool emulator_differs(const struct emulator *e, char *text, size_t size)
{
	const struct look *look = &e->at.look;

	text[0] = '\0';
	if (emulator_is_inside(e))
		add(text, size, "a sequence isn't ended");
	if (e->alternate)
		add(text, size, "the alternate screen is shown");
	if (e->cursor_hidden)
		add(text, size, "the cursor is hidden");
	if (look->flags)
		add(text, size, "attributes are on");
	if (look->fg >= 0 || look->bg >= 0)
		add(text, size, "colours are on");
	if (e->at.charset[e->at.shift] == '0')
		add(text, size, "letters are line drawing");
	if (e->top != 0 || e->bottom != e->rows)
		add(text, size, "lines %d-%d scroll", e->top, e->bottom - 1);
	if (e->mouse)
		add(text, size, "the mouse reports");
	if (e->paste)
		add(text, size, "pasting is bracketed");
	if (e->focus)
		add(text, size, "focus is reported");
	if (e->cursor_keys || e->keypad)
		add(text, size, "keys are in application mode");
	if (e->insert)
		add(text, size, "characters are inserted");
	if (!e->wraparound)
		add(text, size, "lines don't wrap");
	if (e->reverse)
		add(text, size, "the screen is reversed");
	if (e->palette)
		add(text, size, "colours are redefined");
	if (e->titles)
		add(text, size, "the title isn't brought back");
	return text[0];
}
