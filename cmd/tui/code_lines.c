/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The lines of the code view. */
#include "code_view.h"

#define CHAIN_MOST 16 /* functions inlined into each other that are shown */
#define TAB 8

/* Lines before and after the call, in the innermost function and in those around it. */
static const uint32_t CONTEXT[CODE_STEPS][2] = {{6, 3}, {15, 8}, {60, 30}, {100000, 60}};

/* ---- which lines there are ---- */

static void add(struct code_view *v, enum code_kind kind, uint32_t a, uint32_t b)
{
	if (sm_grow(&v->lines, &v->cap, v->nlines + 1, sizeof(*v->lines)))
		v->lines[v->nlines++] = (struct code_line){kind, a, b};
}

static void count_digits(struct code_view *v, uint32_t line)
{
	int n = 1;

	for (; line >= 10; line /= 10)
		n++;
	v->digits = n > v->digits ? n : v->digits;
}

static void add_source(struct code_view *v, uint32_t i)
{
	const struct sm_line *at = &v->code->lines[i];
	const struct source_file *f = code_file(v->code, at->file);
	uint32_t context = CONTEXT[v->step][i > 0], first, last;

	if (!f || !f->data || !at->line) {
		add(v, CODE_NOTHING, i, 0);
		return;
	}
	add(v, CODE_FILE, i, 0);
	first = at->line > context ? at->line - context : 1;
	last = f->nlines - at->line < context ? (uint32_t)f->nlines : at->line + context;
	for (uint32_t line = first; line <= last; line++)
		add(v, CODE_TEXT, i, line);
	count_digits(v, last);
}

/* A text in as many lines as it takes: it can't be scrolled. */
static void add_note(struct code_view *v, const char *text)
{
	size_t start = v->notes.len, width = v->width > 1 ? (size_t)v->width - 1 : 1;

	sm_buf_add_visible(&v->notes, text, strlen(text));
	while (!v->notes.failed && start < v->notes.len) {
		const char *at = v->notes.data + start;
		size_t left = v->notes.len - start, n = left;

		if (left > width)
			for (n = width; n && at[n] != ' ';)
				n--;
		/* A word that is longer than a line. */
		n = n ? n : width < left ? width : left;
		add(v, CODE_NOTE, (uint32_t)start, (uint32_t)n);
		start += n + (n < left && at[n] == ' ');
	}
}

static bool same_text(const char *a, const char *b)
{
	return a == b || (a && b && !strcmp(a, b));
}

static void add_insns(struct code_view *v)
{
	const struct code *c = v->code;

	add(v, CODE_BLANK, 0, 0);
	if (c->trouble) {
		add_note(v, c->trouble);
		return;
	}
	add(v, CODE_HEAD, 0, 0);
	for (uint32_t i = 0; i < c->ninsns; i++) {
		const struct code_insn *at = &c->insns[i], *before = i ? at - 1 : NULL;

		if (at->file && (!before || at->line != before->line ||
					!same_text(at->file, before->file) ||
					!same_text(at->function, before->function)))
			add(v, CODE_PLACE, i, 0);
		add(v, CODE_INSN, i, 0);
	}
}

void code_lines_make(struct code_view *v, int width)
{
	bool missing = false;

	v->nlines = 0;
	v->digits = 1;
	v->width = width;
	sm_buf_reset(&v->notes);
	if (!v->code)
		return;
	for (uint32_t i = 0; i < v->code->nlines && i < CHAIN_MOST; i++) {
		add_source(v, i);
		missing |= v->nlines && v->lines[v->nlines - 1].kind == CODE_NOTHING;
	}
	if (missing)
		add_note(v, "no source: --source DIR names where the kernel's is");
	if (!v->code->nlines)
		add_note(v, "no source: file and line aren't known; --vmlinux names a file with "
			    "debug information");
	add_insns(v);
}

size_t code_lines_call(const struct code_view *v, bool insn)
{
	for (size_t i = 0; i < v->nlines; i++) {
		const struct code_line *l = &v->lines[i];

		if (insn ? l->kind == CODE_INSN && v->code->insns[l->a].call
			 : l->kind == CODE_TEXT && l->b == v->code->lines[l->a].line)
			return i;
	}
	return SIZE_MAX;
}

/* ---- what they say ---- */

static void add_place(const char *file, uint32_t line, struct cells *c)
{
	if (!file)
		return;
	cells_addf(c, ROLE_FILE, "%s", file);
	if (line)
		cells_addf(c, ROLE_FILE, ":%u", line);
}

/* A line of source, tabs as blanks. */
static void add_text(const char *text, size_t len, size_t column, struct sm_buf *out)
{
	size_t start = column;

	for (size_t i = 0; i < len && i < 4096; i++) {
		if (text[i] != '\t') {
			sm_buf_addc(out, text[i] ? text[i] : ' ');
			/* The bytes that go on with a character of UTF-8 take no column. */
			column += ((unsigned char)text[i] & 0xc0) != 0x80;
			continue;
		}
		do
			sm_buf_addc(out, ' ');
		while ((++column - start) % TAB);
	}
}

/* A function of the chain and its place; what its file is, NULL = unknown. */
static const struct source_file *chain_cells(const struct code_view *v, uint32_t i, struct cells *c)
{
	const struct sm_line *at = &v->code->lines[i];

	cells_addf(c, ROLE_FUNCTION, "%s%s  ", at->function ? at->function : "??",
		i + 1 < v->code->nlines ? " (inlined)" : "");
	add_place(at->file, at->line, c);
	return code_file(v->code, at->file);
}

static void file_cells(const struct code_view *v, uint32_t i, struct cells *c)
{
	const struct source_file *f = chain_cells(v, i, c);

	if (f && f->path)
		cells_addf(c, ROLE_DIM, "  from %s", f->path);
}

static void nothing_cells(const struct code_view *v, uint32_t i, struct cells *c)
{
	const struct source_file *f = chain_cells(v, i, c);

	if (f && f->path)
		cells_addf(
			c, ROLE_WARNING, "  %s is too short for that: of another version", f->path);
}

static void text_cells(const struct code_view *v, const struct code_line *line, struct cells *c)
{
	const struct sm_line *at = &v->code->lines[line->a];
	const struct source_file *f = code_file(v->code, at->file);
	bool call = line->b == at->line;
	struct sm_buf *out;
	const char *text;
	size_t len;

	cells_addf(
		c, call ? ROLE_MARK : ROLE_DIM, "%s %*u ", call ? "=>" : "  ", v->digits, line->b);
	text = f ? source_file_line(f, line->b, &len) : NULL;
	out = text ? cells_begin(c, call ? ROLE_FUNCTION : ROLE_TEXT) : NULL;
	if (out)
		add_text(text, len, 0, out);
}

/* Which line, and what stands there. */
static void place_cells(const struct code_view *v, uint32_t i, struct cells *c)
{
	const struct code_insn *at = &v->code->insns[i];
	const struct source_file *f = code_file(v->code, at->file);
	const char *physical =
		v->code->nlines ? v->code->lines[v->code->nlines - 1].function : NULL;
	const char *text;
	struct sm_buf *out;
	size_t len;

	cells_add(c, ROLE_TEXT, "  ");
	if (at->function && !same_text(at->function, physical))
		cells_addf(c, ROLE_FUNCTION, "%s (inlined) ", at->function);
	add_place(at->file, at->line, c);
	text = f ? source_file_line(f, at->line, &len) : NULL;
	if (!text)
		return;
	for (; len && (*text == ' ' || *text == '\t'); len--)
		text++;
	cells_add(c, ROLE_TEXT, "  ");
	out = cells_begin(c, ROLE_DIM);
	if (out)
		add_text(text, len, 0, out);
}

static void insn_cells(const struct code_view *v, uint32_t i, struct cells *c)
{
	const struct code_insn *at = &v->code->insns[i];
	const char *address;

	cells_add(c, at->call ? ROLE_MARK : ROLE_DIM, at->call ? "=>   " : "     ");
	cells_addf(c, ROLE_DIM, "%llx  ", (unsigned long long)at->ip);
	if (!at->text)
		return;
	/* The name first, as there may be no place for both. */
	address = at->target ? strrchr(at->text, ' ') : NULL;
	cells_addf(c, at->call ? ROLE_FUNCTION : ROLE_TEXT, "%.*s",
		address ? (int)(address - at->text) : (int)strlen(at->text), at->text);
	if (address) {
		cells_addf(c, ROLE_FUNCTION, " %s", at->target);
		cells_addf(c, ROLE_DIM, " %s", address);
	}
}

void code_line_cells(const struct code_view *v, const struct code_line *line, struct cells *c)
{
	cells_reset(c);
	switch (line->kind) {
	case CODE_BLANK:
		break;
	case CODE_FILE:
		file_cells(v, line->a, c);
		break;
	case CODE_TEXT:
		text_cells(v, line, c);
		break;
	case CODE_NOTHING:
		nothing_cells(v, line->a, c);
		break;
	case CODE_HEAD:
		cells_add(c, ROLE_FUNCTION, "machine code");
		cells_add(
			c, ROLE_DIM, ", as the file has it; a running kernel patches parts of it");
		break;
	case CODE_NOTE:
		cells_addf(c, ROLE_WARNING, "%.*s", (int)line->b, v->notes.data + line->a);
		break;
	case CODE_PLACE:
		place_cells(v, line->a, c);
		break;
	case CODE_INSN:
		insn_cells(v, line->a, c);
		break;
	}
}

void code_frame_cells(const struct code_view *v, struct cells *c)
{
	struct browser *b = v->view.browser;
	const struct code *code = v->code;
	uint32_t at = code ? code->at : v->at;
	const struct sm_line *line;
	struct sm_buf *text;

	cells_reset(c);
	if (v->depth > 1)
		cells_addf(c, ROLE_DIM, "frame %u of 0-%u  ", at, v->depth - 1);
	text = cells_begin(c, ROLE_FUNCTION);
	if (!text)
		return;
	browser_frame(b, v->side, v->ips[at], false, text);
	if (code && code->has_name && !sm_is_named(code->ip))
		cells_addf(c, ROLE_DIM, "  +0x%llx/0x%llx", (unsigned long long)code->symbol.offset,
			(unsigned long long)code->symbol.size);
	if (code && code->nlines) {
		line = &code->lines[code->nlines - 1];
		cells_add(c, ROLE_TEXT, "  ");
		add_place(line->file, line->line, c);
	}
}

void code_beside_cells(const struct code_view *v, struct cells *c)
{
	struct browser *b = v->view.browser;
	uint32_t at = v->code ? v->code->at : v->at;
	struct sm_buf *text;

	cells_reset(c);
	if (v->depth < 2)
		return;
	text = cells_begin(c, ROLE_DIM);
	if (!text)
		return;
	sm_buf_adds(text, screen_glyph(b->screen, "\u2190 ", "< "));
	if (at)
		browser_frame(b, v->side, v->ips[at - 1], false, text);
	else
		sm_buf_adds(text, "(innermost)");
	sm_buf_adds(text, "   ");
	if (at + 1 < v->depth)
		browser_frame(b, v->side, v->ips[at + 1], false, text);
	else
		sm_buf_adds(text, "(outermost)");
	sm_buf_adds(text, screen_glyph(b->screen, " \u2192", " >"));
}
