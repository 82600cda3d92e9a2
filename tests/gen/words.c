// SPDX-License-Identifier: GPL-2.0-or-later
/* words: a line of a script to words, with quotes and the escapes of C anywhere in them. */
#include "gen.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

static char unescape(struct gen *g, const char **s)
{
	const char *names = "abefnrtv\\\"'# ", *values = "\a\b\033\f\n\r\t\v\\\"'# ";
	const char *p = *s, *hit;

	if (*p == 'x' && isxdigit((unsigned char)p[1]) && isxdigit((unsigned char)p[2])) {
		char hex[3] = {p[1], p[2], 0};

		*s += 3;
		return (char)strtoul(hex, NULL, 16);
	}
	if (*p >= '0' && *p <= '7') {
		unsigned v = 0;

		for (int i = 0; i < 3 && **s >= '0' && **s <= '7'; i++)
			v = v * 8 + (unsigned)(*(*s)++ - '0');
		return (char)v;
	}
	hit = *p ? strchr(names, *p) : NULL;
	if (!hit)
		gen_die(g, "unknown escape '\\%c'", *p);
	(*s)++;
	return values[hit - names];
}

/* Room that a word needs at most: quotes and escapes only shorten it. */
static size_t word_size(const char *s)
{
	bool quoted = false;
	size_t n = 0;

	for (; s[n] && (quoted || !strchr(" \t\r\n", s[n])); n++) {
		if (s[n] == '"')
			quoted = !quoted;
		else if (s[n] == '\\' && s[n + 1])
			n++;
	}
	return n + 1;
}

size_t words_split(struct gen *g, const char *s, struct text *words, size_t max)
{
	static const char blank[] = " \t\r\n";
	size_t n = 0;

	for (;;) {
		char *word;
		size_t len = 0;
		bool quoted = false;

		s += strspn(s, blank);
		if (!*s || *s == '#')
			return n;
		if (n == max)
			gen_die(g, "too many words in a line");
		word = gen_alloc(g, word_size(s));
		while (*s && (quoted || !strchr(blank, *s))) {
			if (*s == '"') {
				quoted = !quoted;
				s++;
			} else if (*s == '\\') {
				s++;
				word[len++] = unescape(g, &s);
			} else {
				word[len++] = *s++;
			}
		}
		if (quoted)
			gen_die(g, "a quote is not closed");
		words[n].s = word;
		words[n++].len = len;
	}
}
