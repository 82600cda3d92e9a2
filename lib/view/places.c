/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "places.h"

void place_add(const struct sm_line *line, struct sm_buf *buf)
{
	if (!line->file)
		return;
	sm_buf_add_visible(buf, line->file, strlen(line->file));
	if (line->line)
		sm_buf_addf(buf, ":%u", line->line);
	else
		sm_buf_adds(buf, ":?");
}

static void add_after_blank(const struct sm_line *line, struct sm_buf *buf)
{
	if (!line->file)
		return;
	sm_buf_addc(buf, ' ');
	place_add(line, buf);
}

void place_add_function(const struct sm_line *line, bool inlined, struct sm_buf *buf)
{
	const char *name = line->function ? line->function : "??";

	sm_buf_add_visible(buf, name, strlen(name));
	if (inlined)
		sm_buf_adds(buf, " (inlined)");
	add_after_blank(line, buf);
}

size_t places_of(const struct sm_symbols *syms, uint64_t ip, const struct sm_line **lines)
{
	*lines = NULL;
	if (!syms || sm_symbols_no_inlines(syms))
		return 0;
	return sm_symbols_lines(syms, ip, SM_ADDRESS_RETURN, lines);
}

/* Whether `name` is `function`, or a part of it that the compiler split off (.cold, .isra.0). */
static bool is_of(const char *name, const char *function)
{
	size_t len = strlen(function);

	return !strncmp(name, function, len) && (!name[len] || name[len] == '.');
}

/*
 * Where a call is the last instruction of its function, the address behind it is the next
 * function's, and that is what the kernel prints.
 */
static void add_caller(const struct sm_symbols *syms, uint64_t ip, frame_namer name,
	const struct sm_line *line, struct sm_buf *buf)
{
	struct sm_symbol sym;

	if (name != frame_text || !line->function || !sm_symbols_find(syms, ip, &sym) ||
		sym.offset || is_of(sym.name, line->function))
		return;
	sm_buf_adds(buf, " from ");
	sm_buf_add_visible(buf, line->function, strlen(line->function));
}

size_t places_add_frame(const struct sm_symbols *syms, uint64_t ip, const char *indent,
	frame_namer name, struct sm_buf *buf)
{
	const struct sm_line *lines;
	size_t n = places_of(syms, ip, &lines), at;

	for (size_t i = 0; i + 1 < n; i++) {
		sm_buf_adds(buf, indent);
		place_add_function(&lines[i], true, buf);
		sm_buf_addc(buf, '\n');
	}
	at = buf->len;
	name(syms, ip, buf);
	if (n) {
		add_caller(syms, ip, name, &lines[n - 1], buf);
		add_after_blank(&lines[n - 1], buf);
	}
	return at;
}
