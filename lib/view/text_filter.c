/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Text with what the source says about the addresses in it. */
#include <errno.h>
#include <stdlib.h>

#include "mention.h"
#include "places.h"
#include "top.h"

/* Mentions that are remembered: then all is forgotten. */
#define MAX_NOTES ((size_t)1 << 16)

/* What is known of a mention, by its text. */
struct note {
	uint64_t ip;
	bool known; /* the address is */
	bool exact;
	bool named;  /* its name stands there already */
	char *added; /* NULL = not asked for yet */
};

struct sm_filter {
	const struct sm_symbols *syms;
	struct sm_filter_opts opts;
	struct sm_out *out;
	struct sm_strings texts; /* of mentions, how they are meant behind them */
	struct note *notes;      /* by the ids of `texts` */
	size_t nnotes, cap;
	struct sm_addresses returns, exacts; /* of the text at hand */
	struct sm_buf scratch;
	/* The last address that was said to be where the code was: the text of a backtrace that
	 * begins with it, means just that. */
	struct exact_text {
		char text[128];
		size_t len;
	} last_exact;
};

struct sm_filter *sm_filter_new(
	const struct sm_symbols *syms, const struct sm_filter_opts *opts, struct sm_out *out)
{
	struct sm_filter *f = calloc(1, sizeof(*f));

	if (!f)
		return NULL;
	f->syms = syms;
	f->opts = *opts;
	f->out = out;
	return f;
}

static void forget(struct sm_filter *f)
{
	for (size_t i = 0; i < f->nnotes; i++)
		free(f->notes[i].added);
	f->nnotes = 0;
	sm_strings_release(&f->texts);
	memset(&f->texts, 0, sizeof(f->texts));
}

void sm_filter_free(struct sm_filter *f)
{
	if (!f)
		return;
	forget(f);
	free(f->notes);
	sm_addresses_release(&f->returns);
	sm_addresses_release(&f->exacts);
	sm_buf_release(&f->scratch);
	free(f);
}

static void no_memory(struct sm_filter *f)
{
	if (!f->out->errnum)
		f->out->errnum = ENOMEM;
}

/* How a mention is meant. A function's very beginning is no place to return to. */
static bool is_exact(struct sm_filter *f, const char *line, size_t from, const struct sm_mention *m)
{
	struct exact_text *last = &f->last_exact;
	size_t at = (size_t)(m->text - line);

	if (mention_is_exact(line, from, at)) {
		last->len = m->len < sizeof(last->text) ? m->len : 0;
		memcpy(last->text, m->text, last->len);
		return true;
	}
	if (m->name && !m->offset)
		return true;
	return last->len && m->len == last->len && !memcmp(m->text, last->text, m->len);
}

/* A number is anything: what lies in no symbol isn't known, and what begins one isn't returned to.
 */
static void look_up_number(struct sm_filter *f, struct note *note)
{
	struct sm_symbol sym;

	note->known = f->syms && sm_symbols_find(f->syms, note->ip, &sym);
	if (note->known && !sym.offset)
		note->exact = true;
}

static struct note *note_of(struct sm_filter *f, const struct sm_mention *m, bool exact)
{
	struct note *note;
	uint32_t id;

	sm_buf_reset(&f->scratch);
	sm_buf_add(&f->scratch, m->text, m->len);
	sm_buf_addc(&f->scratch, exact ? '!' : '<');
	id = f->scratch.failed ? SM_NO_STRING
			       : sm_strings_add(&f->texts, f->scratch.data, f->scratch.len);
	if (id == SM_NO_STRING || !sm_grow(&f->notes, &f->cap, (size_t)id + 1, sizeof(*f->notes))) {
		no_memory(f);
		return NULL;
	}
	note = &f->notes[id];
	if (id < f->nnotes)
		return note;
	f->nnotes = (size_t)id + 1;
	*note = (struct note){.exact = exact, .named = m->name != NULL};
	/* Where several functions have the name, which one is meant isn't known. */
	note->known = sm_mention_resolve(f->syms, m, false, &note->ip) == 1;
	if (note->known && !m->name)
		look_up_number(f, note);
	return note;
}

static void add_inlined(const struct sm_line *lines, size_t n, struct sm_buf *buf)
{
	/* From the function that stands there inwards. */
	for (size_t i = n - 1; i-- > 0;) {
		const char *name = lines[i].function ? lines[i].function : "??";

		sm_buf_adds(buf, i + 2 == n ? "; inlined: " : ", ");
		sm_buf_add_visible(buf, name, strlen(name));
		if (lines[i].file)
			sm_buf_addc(buf, ' ');
		place_add(&lines[i], buf);
	}
}

/* What is said about an address, with the blank before it; "" where nothing is. */
static const char *added_text(struct sm_filter *f, struct note *note)
{
	const struct sm_line *lines = NULL;
	struct sm_buf *b = &f->scratch;
	size_t n, empty;

	if (note->added)
		return note->added;
	sm_buf_reset(b);
	n = sm_symbols_lines(
		f->syms, note->ip, note->exact ? SM_ADDRESS_EXACT : SM_ADDRESS_RETURN, &lines);
	sm_buf_adds(b, f->opts.color ? " \033[36m(" : " (");
	empty = b->len;
	if (!note->named && note->exact)
		frame_text(f->syms, note->ip, b);
	else if (!note->named)
		sm_call_text(f->syms, note->ip, b);
	if (n && lines[n - 1].file) {
		if (b->len > empty)
			sm_buf_addc(b, ' ');
		place_add(&lines[n - 1], b);
	}
	if (n)
		add_inlined(lines, n, b);
	if (b->len == empty) {
		sm_buf_reset(b);
		sm_buf_adds(b, "");
	} else {
		sm_buf_adds(b, f->opts.color ? ")\033[0m" : ")");
	}
	note->added = b->failed ? NULL : strdup(b->data ? b->data : "");
	if (!note->added)
		no_memory(f);
	return note->added;
}

static void put(struct sm_filter *f, const char *text, size_t len)
{
	const char *end = text + len;

	if (!f->opts.escape) {
		sm_out_bytes(f->out, text, len);
		return;
	}
	while (text < end) {
		const char *p = text;

		while (p < end && *p != '\n' && *p != '\t' &&
			!(*p == '\r' && p + 1 < end && p[1] == '\n'))
			p++;
		sm_out_visible(f->out, text, (size_t)(p - text));
		if (p < end)
			sm_out_char(f->out, *p++);
		text = p;
	}
}

/* Whether nothing but brackets stands there: what is before and behind it belongs together. */
static bool is_joint(const char *p, const char *end)
{
	for (; p < end; p++)
		if (!strchr(" \t<>[]()?", *p))
			return false;
	return true;
}

/* Whether the next mention says the same: "[<ffffffff81234567>] name+0x1f". */
static bool is_repeated(const char *line, size_t len, size_t pos, const struct sm_mention *m)
{
	struct sm_mention next;
	size_t at = pos;

	if (m->name || !mention_next(line, len, &at, &next))
		return false;
	if (!next.name && next.offset != m->offset)
		return false;
	return is_joint(line + pos, next.text);
}

/* Does one of the two rounds over a line: with `write` false it notes what will be asked for. */
static void do_line(struct sm_filter *f, const char *line, size_t len, bool write)
{
	size_t pos = 0, done = 0, from = 0;
	uint64_t last = 0; /* the address that ends at `from`, 0 = none that is known */
	struct sm_mention m;

	while (mention_next(line, len, &pos, &m) && !f->out->errnum) {
		struct note *note;

		if (is_repeated(line, len, pos, &m))
			continue;
		/* "name+0x1f <ffffffff81234567>" */
		if (!m.name && last && m.offset == last && is_joint(line + from, m.text))
			continue;
		note = note_of(f, &m, is_exact(f, line, from, &m));
		from = pos;
		last = note && note->known ? note->ip : 0;
		if (!last)
			continue;
		if (!write) {
			if (!note->added &&
				!sm_addresses_add(
					note->exact ? &f->exacts : &f->returns, &note->ip, 1))
				no_memory(f);
			continue;
		}
		put(f, line + done, pos - done);
		done = pos;
		if (added_text(f, note))
			sm_out_str(f->out, note->added);
	}
	if (write)
		put(f, line + done, len - done);
}

static void do_lines(struct sm_filter *f, const char *text, size_t len, bool write)
{
	const char *end = text + len;

	while (text < end && !f->out->errnum) {
		const char *nl = memchr(text, '\n', (size_t)(end - text));
		const char *next = nl ? nl + 1 : end;

		do_line(f, text, (size_t)(next - text), write);
		text = next;
	}
}

static void prepare(struct sm_filter *f, struct sm_addresses *a, enum sm_address kind)
{
	struct sm_error *err = NULL;

	if (a->n && f->syms)
		err = sm_symbols_prepare(f->syms, a->items, a->n, kind);
	if (err && err->code == SM_E_NOMEM)
		no_memory(f);
	sm_error_free(err);
	sm_addresses_release(a);
}

void sm_filter_write(struct sm_filter *f, const char *text, size_t len)
{
	struct exact_text before = f->last_exact;

	if (f->nnotes > MAX_NOTES)
		forget(f);
	do_lines(f, text, len, false);
	f->last_exact = before;
	prepare(f, &f->returns, SM_ADDRESS_RETURN);
	prepare(f, &f->exacts, SM_ADDRESS_EXACT);
	do_lines(f, text, len, true);
}
