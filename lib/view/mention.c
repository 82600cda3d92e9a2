/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "mention.h"

#include <stdlib.h>

/* A name that is longer is none of the kernel's (KSYM_NAME_LEN). */
#define MAX_NAME 512
/* What may stand before the first word of a line. */
#define MAX_STAMP 64

static bool is_word(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
	       c == '_' || c == '.' || c == '$' || c == '@';
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static int hex_value(char c)
{
	if (is_digit(c))
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

/* All of [p, end) as a number: 1 to 16 digits; else *v stays as it is. */
static bool read_hex(const char *p, const char *end, uint64_t *v)
{
	uint64_t n = 0;

	if (p == end || end - p > 16)
		return false;
	for (; p < end; p++) {
		int digit = hex_value(*p);

		if (digit < 0)
			return false;
		n = n << 4 | (uint64_t)digit;
	}
	*v = n;
	return true;
}

static const char *word_end(const char *p, const char *end)
{
	while (p < end && is_word(*p))
		p++;
	return p;
}

static bool starts(const char *p, const char *end, const char *with)
{
	size_t len = strlen(with);

	return (size_t)(end - p) >= len && !memcmp(p, with, len);
}

/* A word "0x1f" at *p. */
static bool take_hex(const char **p, const char *end, uint64_t *v)
{
	const char *stop;

	if (!starts(*p, end, "0x"))
		return false;
	stop = word_end(*p, end);
	if (!read_hex(*p + 2, stop, v))
		return false;
	*p = stop;
	return true;
}

/* " [module]" or " [module build-id]" at *p. */
static void take_module(const char **p, const char *end, struct sm_mention *m)
{
	const char *name, *stop;

	if (!starts(*p, end, " ["))
		return;
	name = stop = *p + 2;
	while (stop < end && (is_word(*stop) || *stop == '-'))
		stop++;
	if (stop == name)
		return;
	m->module = name;
	m->module_len = (size_t)(stop - name);
	if (stop < end && *stop == ' ') {
		do
			stop++;
		while (stop < end && hex_value(*stop) >= 0);
	}
	if (stop < end && *stop == ']') {
		*p = stop + 1;
		return;
	}
	m->module = NULL;
	m->module_len = 0;
}

/* What may follow a name: "+0x1f", "/0x40", " [module]". */
static bool take_offset(const char **p, const char *end, struct sm_mention *m)
{
	const char *at = *p;

	if (at == end || *at != '+')
		return false;
	at++;
	if (!take_hex(&at, end, &m->offset))
		return false;
	m->has_offset = true;
	*p = at;
	if (at < end && *at == '/') {
		at++;
		m->has_size = take_hex(&at, end, &m->size);
		if (m->has_size)
			*p = at;
	}
	take_module(p, end, m);
	return true;
}

/* Whether nothing but a time stamp and the like stands before it. */
static bool is_first(const char *line, const char *p)
{
	if (p - line > MAX_STAMP)
		return false;
	for (; line < p; line++)
		if (!is_digit(*line) && !strchr(" \t[]().<>", *line))
			return false;
	return true;
}

static bool take_number(
	const char *line, const char *end, const char *word, const char *stop, struct sm_mention *m)
{
	/* Not what is left of name+0x1f. */
	if (word > line && strchr("+-/", word[-1]))
		return false;
	if (starts(word, stop, "0x"))
		return read_hex(word + 2, stop, &m->offset);
	if (stop - word != 16 || !read_hex(word, stop, &m->offset))
		return false;
	if (word > line && stop < end &&
		((word[-1] == '<' && *stop == '>') || (word[-1] == '[' && *stop == ']')))
		return true;
	return is_first(line, word);
}

/* "=> name" to the line's end. */
static bool is_traced(const char *line, const char *end, const char *word, const char *stop)
{
	if (word - line < 3 || memcmp(word - 3, "=> ", 3))
		return false;
	while (stop < end && (*stop == ' ' || *stop == '\r' || *stop == '\n'))
		stop++;
	return stop == end;
}

bool mention_next(const char *line, size_t len, size_t *pos, struct sm_mention *m)
{
	const char *end = line + len, *p = line + *pos;

	while (p < end) {
		const char *word = p, *stop;

		if (!is_word(*p)) {
			p++;
			continue;
		}
		p = stop = word_end(p, end);
		*m = (struct sm_mention){.text = word};
		if (stop - word >= MAX_NAME)
			continue;
		if (!is_digit(*word) && take_offset(&p, end, m)) {
			m->name = word;
		} else if (!is_digit(*word) && is_traced(line, end, word, stop)) {
			take_module(&p, end, m);
			m->name = word;
		} else if (!take_number(line, end, word, stop, m)) {
			continue;
		} else if (word > line && (word[-1] == '<' || word[-1] == '[')) {
			/* What is added stands behind the brackets. */
			while (p < end && p - stop < 2 && (*p == '>' || *p == ']'))
				p++;
		}
		m->name_len = m->name ? (size_t)(stop - word) : 0;
		m->len = (size_t)(p - word);
		*pos = (size_t)(p - line);
		return true;
	}
	*pos = len;
	return false;
}

bool mention_is_exact(const char *line, size_t from, size_t to)
{
	static const char *const MARKS[] = {
		"RIP:", "EIP:", "pc : ", "PC is at", "epc : ", "NIP [", "WARNING:"};

	for (size_t at = from; at < to; at++)
		for (size_t i = 0; i < SM_ARRAY_SIZE(MARKS); i++)
			if (line[at] == MARKS[i][0] && starts(line + at, line + to, MARKS[i]))
				return true;
	return false;
}

/* ---- addresses that somebody asks for ---- */

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

struct sm_error *sm_mention_take(const char **p, const char *end, struct sm_mention *m, bool *found)
{
	const char *word, *stop, *name_end, *digits;
	struct sm_buf text = {0};
	struct sm_error *err;

	while (*p < end && is_blank(**p))
		++*p;
	word = stop = *p;
	*found = word < end;
	*m = (struct sm_mention){.text = word};
	if (!*found)
		return NULL;
	while (stop < end && !is_blank(*stop))
		stop++;
	name_end = word_end(word, stop);
	digits = starts(word, stop, "0x") || starts(word, stop, "0X") ? word + 2 : word;
	if (name_end == stop && read_hex(digits, stop, &m->offset)) {
		*p = stop;
	} else if (name_end > word && !is_digit(*word)) {
		*p = name_end;
		if (!take_offset(p, end, m))
			take_module(p, end, m);
		m->name = word;
		m->name_len = (size_t)(name_end - word);
	}
	m->len = (size_t)(*p - word);
	if (m->len && m->name_len < MAX_NAME && (*p == end || is_blank(**p)))
		return NULL;
	*p = stop;
	m->len = (size_t)(stop - word);
	sm_buf_add_visible(&text, word, (size_t)(stop - word));
	err = sm_error_new(SM_E_FORMAT, NULL, "not an address",
		"'%.200s': give a hexadecimal number or name+0xOFFSET[/0xSIZE] [MODULE]",
		text.failed ? "?" : text.data);
	sm_buf_release(&text);
	return err;
}

static bool fits(const struct sm_mention *m, const struct sm_symbol *sym)
{
	if (m->has_size && m->offset > m->size)
		return false;
	if (!sym->size)
		return true;
	return m->offset <= sym->size && (!m->has_size || m->size == sym->size);
}

size_t sm_mention_resolve(
	const struct sm_symbols *syms, const struct sm_mention *m, bool any_module, uint64_t *ip)
{
	char name[MAX_NAME], module[MAX_NAME] = "";
	struct sm_symbol *list;
	size_t n, fitting = 0;

	if (!m->name) {
		*ip = m->offset;
		return 1;
	}
	if (!syms || m->name_len >= sizeof(name) || m->module_len >= sizeof(module))
		return 0;
	memcpy(name, m->name, m->name_len);
	name[m->name_len] = '\0';
	if (m->module) {
		memcpy(module, m->module, m->module_len);
		module[m->module_len] = '\0';
	}
	n = sm_symbols_named(syms, m->module ? module : NULL, name, NULL, 0);
	if (!n && !m->module && any_module)
		n = sm_symbols_named(syms, "", name, NULL, 0);
	else
		any_module = false;
	list = n ? calloc(n, sizeof(*list)) : NULL;
	if (!list)
		return 0;
	sm_symbols_named(syms, m->module ? module : any_module ? "" : NULL, name, list, n);
	for (size_t i = 0; i < n; i++) {
		if (!fits(m, &list[i]))
			continue;
		if (!fitting++ || list[i].start + m->offset < *ip)
			*ip = list[i].start + m->offset;
	}
	free(list);
	return fitting;
}
