/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "internal.h"

/* Bytes that go into a JSON string as they are, at most `len`. */
static size_t plain_span(const uint8_t *s, size_t len)
{
	size_t i = 0;

	for (;;) {
		size_t n = sm_visible_span(s + i, len - i);
		size_t end = i + n;

		for (; i < end; i++) {
			if (s[i] == '"' || s[i] == '\\')
				return i;
		}
		return i;
	}
}

/* Writes the character at `s` escaped; returns how many bytes it was. */
static size_t escape(struct sm_out *o, const uint8_t *s, size_t len)
{
	char text[4];
	uint32_t code;
	size_t n;

	switch (*s) {
	case '"':
		sm_out_str(o, "\\\"");
		return 1;
	case '\\':
		sm_out_str(o, "\\\\");
		return 1;
	case '\n':
		sm_out_str(o, "\\n");
		return 1;
	case '\r':
		sm_out_str(o, "\\r");
		return 1;
	case '\t':
		sm_out_str(o, "\\t");
		return 1;
	}
	if (*s < 0x80) {
		sm_out_f(o, "\\u%04x", *s);
		return 1;
	}
	/* C1 is valid in JSON, but not on a terminal. */
	n = sm_utf8_decode(s, len, &code);
	if (n) {
		sm_out_f(o, "\\u%04x", (unsigned)code);
		return n;
	}
	sm_out_char(o, '\\');
	sm_hex_escape(*s, text);
	sm_out_bytes(o, text, sizeof(text));
	return 1;
}

void sm_out_json(struct sm_out *o, const char *s, size_t len)
{
	const uint8_t *p = (const uint8_t *)s, *end = p + len;

	sm_out_char(o, '"');
	while (p < end) {
		size_t span = plain_span(p, (size_t)(end - p));

		sm_out_bytes(o, p, span);
		p += span;
		if (p < end)
			p += escape(o, p, (size_t)(end - p));
	}
	sm_out_char(o, '"');
}

void sm_json_init(struct sm_json *j, struct sm_out *out, bool pretty)
{
	*j = (struct sm_json){.out = out, .pretty = pretty, .first = {true}};
}

static void line(struct sm_json *j)
{
	if (!j->pretty)
		return;
	sm_out_char(j->out, '\n');
	sm_out_pad(j->out, ' ', (size_t)2 * j->depth);
}

/* What stands before each value: comma, line, key. */
static void begin(struct sm_json *j, const char *key)
{
	if (!j->first[j->depth])
		sm_out_char(j->out, ',');
	j->first[j->depth] = false;
	if (j->depth)
		line(j);
	if (key) {
		sm_out_char(j->out, '"');
		sm_out_str(j->out, key);
		sm_out_str(j->out, j->pretty ? "\": " : "\":");
	}
}

static void open_level(struct sm_json *j, const char *key, char c)
{
	begin(j, key);
	sm_out_char(j->out, c);
	/* Depth comes from the code, never from input: deeper is a fault of ours. */
	if (j->depth + 1 >= SM_ARRAY_SIZE(j->first))
		abort();
	j->first[++j->depth] = true;
}

static void close_level(struct sm_json *j, char c)
{
	bool empty = j->first[j->depth];

	if (!j->depth)
		abort();
	j->depth--;
	if (!empty)
		line(j);
	sm_out_char(j->out, c);
	/* Values at the top stand alone: JSON Lines puts its own ends between them. */
	if (!j->depth)
		j->first[0] = true;
}

void sm_json_object(struct sm_json *j, const char *key)
{
	open_level(j, key, '{');
}

void sm_json_object_end(struct sm_json *j)
{
	close_level(j, '}');
}

void sm_json_array(struct sm_json *j, const char *key)
{
	open_level(j, key, '[');
}

void sm_json_array_end(struct sm_json *j)
{
	close_level(j, ']');
}

void sm_json_strn(struct sm_json *j, const char *key, const char *s, size_t len)
{
	begin(j, key);
	sm_out_json(j->out, s, len);
}

void sm_json_str(struct sm_json *j, const char *key, const char *s)
{
	if (s)
		sm_json_strn(j, key, s, strlen(s));
	else
		sm_json_null(j, key);
}

void sm_json_u64(struct sm_json *j, const char *key, uint64_t v)
{
	begin(j, key);
	sm_out_u64(j->out, v);
}

void sm_json_i64(struct sm_json *j, const char *key, int64_t v)
{
	begin(j, key);
	sm_out_i64(j->out, v);
}

void sm_json_hex(struct sm_json *j, const char *key, uint64_t v)
{
	begin(j, key);
	sm_out_char(j->out, '"');
	sm_out_hex(j->out, v);
	sm_out_char(j->out, '"');
}

void sm_json_bool(struct sm_json *j, const char *key, bool v)
{
	begin(j, key);
	sm_out_str(j->out, v ? "true" : "false");
}

/* The fewest digits that read back as the same number; JSON has no infinity and no NaN. */
void sm_json_double(struct sm_json *j, const char *key, double v)
{
	char text[40];

	if (!isfinite(v)) {
		sm_json_null(j, key);
		return;
	}
	for (int digits = 15; digits <= 17; digits++) {
		double back;

		snprintf(text, sizeof(text), "%.*g", digits, v);
		back = strtod(text, NULL);
		if (!memcmp(&back, &v, sizeof(v)))
			break;
	}
	begin(j, key);
	sm_out_str(j->out, text);
}

void sm_json_null(struct sm_json *j, const char *key)
{
	begin(j, key);
	sm_out_str(j->out, "null");
}
