/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A line of a stack, as the kernel's %pS has it. */
#include <stdlib.h>

#include "text.h"

/* Text of a frame's line, with ends of strings where they are needed. */
struct words {
	char symbol[TEXT_SYMBOL_MAX];
	char module[TEXT_SYMBOL_MAX];
	char build_id[TEXT_SYMBOL_MAX];
};

static bool copy(char to[TEXT_SYMBOL_MAX], const char *from, size_t len)
{
	if (!len || len >= TEXT_SYMBOL_MAX || memchr(from, '\0', len))
		return false;
	memcpy(to, from, len);
	to[len] = '\0';
	return true;
}

/* "[<ffffffff81164e9a>] ", which kernels before 4.11 have in front; what is behind tells more. */
static void skip_address(struct text_cursor *c)
{
	struct text_cursor at = *c;

	if (!text_take(&at, "[<"))
		return;
	while (at.p < at.end && *at.p != '>')
		at.p++;
	if (!text_take(&at, ">]"))
		return;
	text_skip_blanks(&at);
	*c = at;
}

/* " [module]", " [module 0123abcd]" */
static bool take_module(struct text_cursor *c, struct sm_frame *f, struct words *w)
{
	const char *close, *blank;

	text_skip_blanks(c);
	if (!text_take(c, "["))
		return true;
	close = memchr(c->p, ']', (size_t)(c->end - c->p));
	if (!close)
		return false;
	blank = memchr(c->p, ' ', (size_t)(close - c->p));
	if (!copy(w->module, c->p, (size_t)((blank ? blank : close) - c->p)))
		return false;
	f->module = w->module;
	if (blank) {
		if (!copy(w->build_id, blank + 1, (size_t)(close - blank) - 1))
			return false;
		f->build_id = w->build_id;
	}
	c->p = close + 1;
	return true;
}

static bool parse(const char *line, size_t len, struct sm_frame *f, struct words *w)
{
	struct text_cursor c = {line, line + len}, name;

	*f = (struct sm_frame){0};
	text_skip_blanks(&c);
	if (c.p == line)
		return false;
	skip_address(&c);
	text_take(&c, "? ");
	if (text_take_hex(&c, &f->address))
		return text_at_end(&c);
	name = c;
	while (c.p < c.end && *c.p != ' ' && *c.p != '\t' &&
		!(c.end - c.p > 3 && !memcmp(c.p, "+0x", 3)))
		c.p++;
	if (!copy(w->symbol, name.p, (size_t)(c.p - name.p)) || !text_take(&c, "+") ||
		!text_take_hex(&c, &f->offset))
		return false;
	f->symbol = w->symbol;
	if (text_take(&c, "/") && !text_take_hex(&c, &f->size))
		return false;
	return take_module(&c, f, w) && text_at_end(&c);
}

bool text_frame(
	struct text_frames *f, struct sm_frames *frames, const char *line, size_t len, uint64_t *ip)
{
	uint32_t id = sm_strings_find(&f->lines, line, len);
	struct sm_frame frame;
	struct words words;

	*ip = 0;
	if (id != SM_NO_STRING) {
		*ip = f->ips[id];
		return true;
	}
	if (!parse(line, len, &frame, &words))
		return true;
	id = sm_strings_add(&f->lines, line, len);
	if (id == SM_NO_STRING || !sm_grow(&f->ips, &f->cap, (size_t)id + 1, sizeof(*f->ips)))
		return false;
	*ip = f->ips[id] = sm_frames_add(frames, &frame);
	return *ip != 0;
}

void text_frames_release(struct text_frames *f)
{
	sm_strings_release(&f->lines);
	free(f->ips);
	*f = (struct text_frames){0};
}
