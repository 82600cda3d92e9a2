/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * allocinfo: a line for each place in the source that allocates, with what it holds.
 *   "        4096        1 mm/slub.c:123 [module] func:alloc_slab_page accurate:no"
 */
#include <stdlib.h>

#include "text.h"

struct tag {
	int64_t bytes;
	uint64_t calls;
	char file[TEXT_LINE_MAX];
	char module[TEXT_SYMBOL_MAX];
	char function[TEXT_SYMBOL_MAX];
	uint32_t line;
	bool inaccurate;
};

static bool copy(char *to, size_t size, const char *from, const char *end)
{
	size_t n = (size_t)(end - from);

	if (end <= from || n >= size || memchr(from, '\0', n))
		return false;
	memcpy(to, from, n);
	to[n] = '\0';
	return true;
}

/* "FILE:LINE [MODULE]", where names of files may hold blanks and colons. */
static bool parse_place(struct tag *tag, const char *p, const char *end)
{
	const char *colon = end;
	struct text_cursor c;
	uint64_t line;

	*tag->module = '\0';
	if (end > p && end[-1] == ']') {
		const char *open = end;

		while (open > p && open[-1] != '[')
			open--;
		if (open == p || !copy(tag->module, sizeof(tag->module), open, end - 1))
			return false;
		end = open - 1;
		while (end > p && end[-1] == ' ')
			end--;
		colon = end;
	}
	while (colon > p && colon[-1] != ':')
		colon--;
	c = (struct text_cursor){colon, end};
	if (colon == p || !text_take_number(&c, UINT32_MAX, &line) || c.p != end)
		return false;
	tag->line = (uint32_t)line;
	return copy(tag->file, sizeof(tag->file), p, colon - 1);
}

static bool parse(struct tag *tag, const char *line, size_t len)
{
	static const char MARK[] = " func:";
	struct text_cursor c = {line, line + len};
	const char *func, *end;

	text_skip_blanks(&c);
	if (!text_take_signed(&c, &tag->bytes) || !text_take(&c, " "))
		return false;
	text_skip_blanks(&c);
	if (!text_take_number(&c, INT64_MAX, &tag->calls) || !text_take(&c, " "))
		return false;
	text_skip_blanks(&c);
	func = memmem(c.p, (size_t)(c.end - c.p), MARK, sizeof(MARK) - 1);
	if (!func || !parse_place(tag, c.p, func))
		return false;
	c.p = func + sizeof(MARK) - 1;
	end = memchr(c.p, ' ', (size_t)(c.end - c.p));
	if (!end)
		end = c.end;
	if (!copy(tag->function, sizeof(tag->function), c.p, end))
		return false;
	c.p = end;
	text_skip_blanks(&c);
	/* Whatever versions to come have behind it. */
	tag->inaccurate = text_take(&c, "accurate:no");
	return true;
}

static struct sm_error *add_tag(struct text_reader *in, struct text_rows *rows,
	const struct tag *tag, const char *line, size_t len)
{
	struct sm_trace *trace = in->trace;
	struct sm_text *text = &trace->text;
	struct sm_line place = {.function = tag->function, .file = tag->file, .line = tag->line};
	struct sm_frame frame = {
		.symbol = tag->function,
		.module = *tag->module ? tag->module : NULL,
		.lines = &place,
		.nlines = 1,
	};
	struct sm_error *err;
	uint32_t stack;
	uint64_t ip;
	bool fits;

	text->inaccurate += tag->inaccurate;
	if (!tag->bytes && !tag->calls) {
		text->empty++;
		return NULL;
	}
	if (tag->bytes < 0) {
		text_bad(in, "a size below 0", line, len);
		return NULL;
	}
	ip = sm_frames_add(trace->frames, &frame);
	stack = ip ? sm_stacks_add(trace->stacks, &ip, 1, false) : SM_STACK_NONE;
	if (stack == SM_STACK_NONE)
		return sm_error_nomem();
	err = text_rows_add(rows, trace, stack, (uint64_t)tag->bytes, tag->calls, &fits);
	if (err)
		return err;
	if (!fits) {
		text_bad(in, "a sum that is too large", line, len);
		return NULL;
	}
	text->blocks++;
	text->bytes += (uint64_t)tag->bytes;
	return NULL;
}

static bool is_header(const char *line, size_t len)
{
	struct text_cursor c = {line, line + len};

	return text_at_end(&c) || text_take(&c, "allocinfo - version: ") || text_take(&c, "#");
}

struct sm_error *allocinfo_read(struct sm_trace *trace, const char *member)
{
	struct text_reader in;
	struct text_rows rows = {0};
	struct sm_error *err;
	const char *line;
	struct tag tag;
	size_t len;

	trace->text.kind = "allocinfo";
	err = text_rows_begin(trace, "allocinfo");
	if (err)
		return err;
	trace->imported->known = 1u << SM_M_LIVE_BYTES | 1u << SM_M_LIVE_COUNT;
	err = text_open(&in, trace, member);
	if (err)
		return err;
	while (!err && text_next(&in, &line, &len)) {
		if (in.broken)
			text_cut(&in, "the last line is cut short", "it is left out");
		else if (parse(&tag, line, len))
			err = add_tag(&in, &rows, &tag, line, len);
		else if (!is_header(line, len))
			text_unknown(&in);
	}
	if (!err) {
		err = in.failed;
		in.failed = NULL;
	}
	if (!err && !trace->text.blocks && !trace->text.empty)
		err = text_nothing(&in, "nothing of an allocinfo");
	text_close(&in);
	text_rows_release(&rows);
	return err;
}
