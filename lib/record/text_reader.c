/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Lines of a member, however large it is. */
#include <stdlib.h>

#include "text.h"

#define CHUNK ((size_t)64 << 10)
/* What an error shows of a line. */
#define SHOWN 60

struct sm_error *text_open(struct text_reader *r, struct sm_trace *trace, const char *member)
{
	*r = (struct text_reader){.trace = trace};
	return sm_source_stream(trace->src, member, &r->stream);
}

static void take_chunk(struct text_reader *r)
{
	const struct sm_trace_private *p = r->trace->priv;
	const uint8_t *data;
	struct sm_error *err;

	if (p->stopped && p->stopped(p->stopped_ctx)) {
		r->failed = sm_error_new(
			SM_E_STOPPED, sm_stream_path(r->stream), "stopped before its end", NULL);
		r->ended = true;
		return;
	}
	sm_progress_tick(p->progress, "reading text", sm_stream_offset(r->stream),
		sm_stream_size(r->stream));
	err = sm_stream_take(r->stream, CHUNK, &data, &r->left);
	r->chunk = (const char *)data;
	if (!err) {
		r->ended = !r->left;
		return;
	}
	r->left = 0;
	r->ended = true;
	if (err->code == SM_E_NOMEM) {
		r->failed = err;
	} else if (!r->trace->damage) {
		r->trace->damage = err;
		r->trace->health.truncated = true;
	} else {
		sm_error_free(err);
	}
}

static void carry(struct text_reader *r, const char *data, size_t len)
{
	size_t room = TEXT_LINE_MAX - r->carry.len;

	sm_buf_add(&r->carry, data, len < room ? len : room);
	if (r->carry.failed && !r->failed)
		r->failed = sm_error_nomem();
}

bool text_next(struct text_reader *r, const char **line, size_t *len)
{
	bool any = false;

	sm_buf_reset(&r->carry);
	r->offset = r->next_offset;
	while (!r->failed) {
		const char *nl = r->left ? memchr(r->chunk, '\n', r->left) : NULL;
		size_t n = nl ? (size_t)(nl - r->chunk) : r->left;
		const char *start = r->chunk;

		if (nl) {
			r->chunk = nl + 1;
			r->left -= n + 1;
			r->next_offset += n + 1;
			r->line++;
			*line = start;
			*len = n < TEXT_LINE_MAX ? n : TEXT_LINE_MAX;
			if (any) {
				carry(r, start, n);
				*line = r->carry.data;
				*len = r->carry.len;
			}
			return !r->failed;
		}
		if (n) {
			carry(r, start, n);
			any = true;
			r->next_offset += n;
			r->left = 0;
		}
		if (!r->ended)
			take_chunk(r);
		if (r->ended)
			break;
	}
	r->broken = any;
	if (!any || r->failed)
		return false;
	r->line++;
	*line = r->carry.data;
	*len = r->carry.len;
	return true;
}

void text_unknown(struct text_reader *r)
{
	struct sm_text *text = &r->trace->text;

	if (text->unknown_lines++)
		return;
	text->unknown_line = r->line;
	text->unknown_offset = r->offset;
}

void text_bad(struct text_reader *r, const char *what, const char *line, size_t len)
{
	struct sm_buf shown = {0};

	sm_buf_add_visible(&shown, line, len < SHOWN ? len : SHOWN);
	r->trace->text.bad_blocks++;
	sm_findings_add(&r->trace->priv->findings, what, sm_stream_path(r->stream), r->offset,
		"line %llu%s%s%s", (unsigned long long)r->line, shown.len ? ": " : "",
		shown.data ? shown.data : "", len > SHOWN ? "..." : "");
	sm_buf_release(&shown);
}

struct sm_error *text_nothing(const struct text_reader *r, const char *what)
{
	const struct sm_text *text = &r->trace->text;
	size_t n;
	const struct sm_finding *bad = sm_trace_findings(r->trace, &n);

	if (n)
		return sm_error_at(SM_E_FORMAT, sm_stream_path(r->stream), bad->offset, what, "%s",
			bad->detail ? bad->detail : bad->what);
	if (text->unknown_lines)
		return sm_error_at(SM_E_FORMAT, sm_stream_path(r->stream), text->unknown_offset,
			what, "line %llu says nothing that is understood, nor does any after it",
			(unsigned long long)text->unknown_line);
	return sm_error_new(SM_E_FORMAT, sm_stream_path(r->stream), what,
		r->next_offset ? "it ends before anything is said" : "it is empty");
}

void text_cut(struct text_reader *r, const char *what, const char *rest)
{
	r->trace->health.truncated = true;
	if (!r->trace->damage)
		r->trace->damage =
			sm_error_at(SM_E_TRUNCATED, sm_stream_path(r->stream), r->next_offset, what,
				"line %llu, the last one: %s", (unsigned long long)r->line, rest);
}

void text_close(struct text_reader *r)
{
	sm_stream_free(r->stream);
	sm_buf_release(&r->carry);
	sm_error_free(r->failed);
}

/* ---- what lines are made of ---- */

bool text_take(struct text_cursor *c, const char *literal)
{
	size_t n = strlen(literal);

	if ((size_t)(c->end - c->p) < n || memcmp(c->p, literal, n) != 0)
		return false;
	c->p += n;
	return true;
}

bool text_take_number(struct text_cursor *c, uint64_t max, uint64_t *v)
{
	const char *p = c->p;

	*v = 0;
	for (; p < c->end && *p >= '0' && *p <= '9'; p++) {
		unsigned digit = (unsigned)(*p - '0');

		if (*v > (max - digit) / 10)
			return false;
		*v = *v * 10 + digit;
	}
	if (p == c->p)
		return false;
	c->p = p;
	return true;
}

bool text_take_signed(struct text_cursor *c, int64_t *v)
{
	struct text_cursor at = *c;
	bool minus = text_take(&at, "-");
	uint64_t n;

	if (!text_take_number(&at, INT64_MAX, &n))
		return false;
	*v = minus ? -(int64_t)n : (int64_t)n;
	*c = at;
	return true;
}

bool text_take_hex(struct text_cursor *c, uint64_t *v)
{
	struct text_cursor at = *c;
	const char *start;

	if (!text_take(&at, "0x"))
		return false;
	*v = 0;
	for (start = at.p; at.p < at.end; at.p++) {
		char d = *at.p;
		unsigned digit = d >= '0' && d <= '9'   ? (unsigned)(d - '0')
				 : d >= 'a' && d <= 'f' ? (unsigned)(d - 'a') + 10
				 : d >= 'A' && d <= 'F' ? (unsigned)(d - 'A') + 10
							: 16;

		if (digit == 16)
			break;
		if (*v >> 60)
			return false;
		*v = *v << 4 | digit;
	}
	if (at.p == start)
		return false;
	*c = at;
	return true;
}

void text_skip_blanks(struct text_cursor *c)
{
	while (c->p < c->end && (*c->p == ' ' || *c->p == '\t' || *c->p == '\r'))
		c->p++;
}

bool text_at_end(struct text_cursor *c)
{
	text_skip_blanks(c);
	return c->p == c->end;
}
