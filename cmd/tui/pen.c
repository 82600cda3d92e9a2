/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <wchar.h>

#include "screen_internal.h"

struct pen screen_pen(struct screen *s, int y, int x, int width)
{
	struct pen p = {.screen = s, .y = y, .x = x, .end = x + width};

	if (p.end > COLS)
		p.end = COLS;
	if (y < 0 || y >= LINES || x < 0)
		p.end = p.x;
	return p;
}

static void begin(struct pen *p, enum role role)
{
	attr_t attr = p->screen->attrs[role];

	/* The cursor's line is inverse as a whole, colours and all but what warns. */
	if (p->selected && role != ROLE_LOSS)
		attr = (attr & A_BOLD) | A_REVERSE;
	attrset((int)attr);
}

/* Takes a character of the text, or what stands for it, at most 8 wide characters into `out`;
 * returns how many bytes it was. *width: its columns. */
static size_t take(const struct screen *s, const char *text, size_t len, wchar_t *out, int *width)
{
	static const char HEX[] = "0123456789abcdef";
	mbstate_t state = {0};
	wchar_t c;
	size_t n = mbrtowc(&c, text, len, &state);
	bool turns;

	if (n == 0 || n > len) {
		unsigned char byte = (unsigned char)*text;

		/* Not a character here, but perhaps one elsewhere. */
		if (!s->utf8 && byte >= 0x80) {
			out[0] = L'?';
			out[1] = L'\0';
			*width = 1;
			return 1;
		}
		out[0] = L'\\';
		out[1] = L'x';
		out[2] = (wchar_t)HEX[byte >> 4];
		out[3] = (wchar_t)HEX[byte & 15];
		out[4] = L'\0';
		*width = 4;
		return 1;
	}
	*width = wcwidth(c);
	/* Marks that change the direction, or aren't seen at all, let a name look like another. */
	turns = (c >= 0x200b && c <= 0x200f) || (c >= 0x202a && c <= 0x202e) ||
		(c >= 0x2060 && c <= 0x206f) || c == 0xfeff || c == 0xad || c == 0x61c;
	if (*width >= 0 && !turns) {
		out[0] = c;
		out[1] = L'\0';
		return n;
	}
	*width = swprintf(out, 10, c < 0x100 ? L"\\x%02x" : L"\\u%04x", (unsigned)c);
	return n;
}

int screen_columns(const struct screen *s, const char *text, size_t len)
{
	int columns = 0, width;
	wchar_t out[16];

	while (len) {
		size_t n = take(s, text, len, out, &width);

		text += n;
		len -= n;
		columns += width;
	}
	return columns;
}

static void cut(struct pen *p)
{
	if (p->x == p->end)
		mvaddch(p->y, p->end - 1, '>');
}

/* A cell's text in one go: wide characters gathered up to `end`. */
static bool write_text(struct pen *p, const char *text, size_t len, int end)
{
	wchar_t line[256];
	size_t n = 0;
	int x = p->x;

	while (len) {
		wchar_t out[16];
		int width;
		size_t used = take(p->screen, text, len, out, &width);

		if (x + width > end)
			break;
		if (n + 16 > SM_ARRAY_SIZE(line)) {
			mvaddnwstr(p->y, p->x, line, (int)n);
			p->x = x;
			n = 0;
		}
		for (size_t i = 0; out[i]; i++)
			line[n++] = out[i];
		x += width;
		text += used;
		len -= used;
	}
	if (n)
		mvaddnwstr(p->y, p->x, line, (int)n);
	p->x = x;
	return len == 0;
}

void pen_textn(struct pen *p, enum role role, const char *text, size_t len)
{
	if (p->x >= p->end)
		return;
	begin(p, role);
	if (!write_text(p, text, len, p->end)) {
		/* A wide character may leave a column. */
		while (p->x < p->end) {
			mvaddch(p->y, p->x, ' ');
			p->x++;
		}
		cut(p);
	}
}

void pen_text(struct pen *p, enum role role, const char *text)
{
	pen_textn(p, role, text, strlen(text));
}

void pen_printf(struct pen *p, enum role role, const char *fmt, ...)
{
	struct sm_buf text = {0};
	va_list ap;

	va_start(ap, fmt);
	sm_buf_vaddf(&text, fmt, ap);
	va_end(ap);
	if (!text.failed && text.len)
		pen_textn(p, role, text.data, text.len);
	sm_buf_release(&text);
}

void pen_fill(struct pen *p, enum role role, char c, int width)
{
	if (width > pen_left(p))
		width = pen_left(p);
	if (width <= 0)
		return;
	begin(p, role);
	for (int i = 0; i < width; i++)
		mvaddch(p->y, p->x + i, (chtype)(unsigned char)c);
	p->x += width;
}

void pen_right(struct pen *p, enum role role, int width, const char *text)
{
	int columns = screen_columns(p->screen, text, strlen(text));

	if (columns < width)
		pen_fill(p, role, ' ', width - columns);
	pen_text(p, role, text);
}

void pen_bar(struct pen *p, enum role role, int width, double share)
{
	static const char *const EIGHTHS[] = {
		"", "\u258f", "\u258e", "\u258d", "\u258c", "\u258b", "\u258a", "\u2589"};
	int steps, full, end = p->x + width;

	if (!(share > 0))
		share = 0;
	if (share > 1)
		share = 1;
	if (!p->screen->utf8) {
		full = (int)(share * width + 0.5);
		pen_fill(p, role, '#', full);
	} else {
		steps = (int)(share * width * 8 + 0.5);
		if (share > 0 && !steps)
			steps = 1;
		for (full = 0; full < steps / 8; full++)
			pen_text(p, role, "\u2588");
		if (steps % 8)
			pen_text(p, role, EIGHTHS[steps % 8]);
	}
	if (p->x < end)
		pen_fill(p, ROLE_TEXT, ' ', end - p->x);
}

void pen_end(struct pen *p, enum role role)
{
	pen_fill(p, role, ' ', pen_left(p));
}

void screen_write(struct screen *s, struct sm_out *out)
{
	wchar_t *line = malloc(((size_t)COLS + 1) * 8 * sizeof(*line));
	size_t size = ((size_t)COLS + 1) * 8 * MB_LEN_MAX;
	char *bytes = malloc(size);

	(void)s;
	for (int y = 0; line && bytes && y < LINES; y++) {
		size_t n;

		if (mvinnwstr(y, 0, line, COLS) == ERR)
			line[0] = L'\0';
		n = wcstombs(bytes, line, size - 1);
		if (n == (size_t)-1)
			n = 0;
		while (n && bytes[n - 1] == ' ')
			n--;
		sm_out_bytes(out, bytes, n);
		sm_out_char(out, '\n');
	}
	if (!line || !bytes)
		out->errnum = ENOMEM;
	free(line);
	free(bytes);
}
