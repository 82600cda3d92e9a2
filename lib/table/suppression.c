/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is known and accepted, in a file that says why. */
#include <regex.h>
#include <stdlib.h>

#include "suppression.h"

struct sm_suppressions {
	struct sm_arena arena;
	struct entry {
		struct sm_suppression public;
		regex_t regex;
	} * items;
	size_t n, cap;
};

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r';
}

static void trim(const char **from, const char **to)
{
	while (*from < *to && is_blank(**from))
		++*from;
	while (*to > *from && is_blank((*to)[-1]))
		--*to;
}

/* The # that begins the reason: blanks are before it, and behind it unless the line ends. */
static const char *find_reason(const char *p, const char *end)
{
	for (const char *c = p + 1; c < end; c++)
		if (*c == '#' && is_blank(c[-1]) && (c + 1 == end || is_blank(c[1])))
			return c;
	return end;
}

static struct sm_error *add(struct sm_suppressions *s, const char *path, unsigned line,
	const char *pattern, const char *pattern_end, const char *reason, const char *reason_end)
{
	char why[160];
	struct entry *e;
	int rc;

	if (!sm_grow(&s->items, &s->cap, s->n + 1, sizeof(*s->items)))
		return sm_error_nomem();
	e = &s->items[s->n];
	memset(e, 0, sizeof(*e));
	e->public.line = line;
	e->public.pattern = sm_arena_strndup(&s->arena, pattern, (size_t)(pattern_end - pattern));
	if (reason < reason_end)
		e->public.reason =
			sm_arena_strndup(&s->arena, reason, (size_t)(reason_end - reason));
	if (!e->public.pattern || (reason < reason_end && !e->public.reason))
		return sm_error_nomem();
	rc = regcomp(&e->regex, e->public.pattern, REG_EXTENDED | REG_NOSUB);
	if (!rc) {
		s->n++;
		return NULL;
	}
	if (rc == REG_ESPACE)
		return sm_error_nomem();
	regerror(rc, &e->regex, why, sizeof(why));
	return sm_error_new(SM_E_USAGE, NULL, "bad suppression", "%s:%u: '%s': %s", path, line,
		e->public.pattern, why);
}

static struct sm_error *parse_line(
	struct sm_suppressions *s, const char *path, unsigned line, const char *p, const char *end)
{
	const char *reason, *hash;

	if (memchr(p, '\0', (size_t)(end - p)))
		return sm_error_new(SM_E_USAGE, NULL, "bad suppression",
			"%s:%u: a NUL byte: this is no text", path, line);
	trim(&p, &end);
	if (p == end || *p == '#')
		return NULL;
	hash = find_reason(p, end);
	reason = hash < end ? hash + 1 : end;
	trim(&reason, &end);
	trim(&p, &hash);
	return add(s, path, line, p, hash, reason, end);
}

struct sm_error *sm_suppressions_parse(
	const char *path, const char *text, size_t len, struct sm_suppressions **out)
{
	struct sm_suppressions *s = calloc(1, sizeof(*s));
	const char *p = text, *end = text + len;
	struct sm_error *err = NULL;

	*out = NULL;
	if (!s)
		return sm_error_nomem();
	for (unsigned line = 1; !err && p < end; line++) {
		const char *nl = memchr(p, '\n', (size_t)(end - p));

		err = parse_line(s, path, line, p, nl ? nl : end);
		p = nl ? nl + 1 : end;
	}
	if (err) {
		sm_suppressions_free(s);
		return err;
	}
	*out = s;
	return NULL;
}

void sm_suppressions_free(struct sm_suppressions *s)
{
	if (!s)
		return;
	for (size_t i = 0; i < s->n; i++)
		regfree(&s->items[i].regex);
	free(s->items);
	sm_arena_release(&s->arena);
	free(s);
}

size_t sm_suppressions_count(const struct sm_suppressions *s)
{
	return s ? s->n : 0;
}

const struct sm_suppression *sm_suppressions_get(const struct sm_suppressions *s, size_t i)
{
	return &s->items[i].public;
}

size_t sm_suppressions_match(const struct sm_suppressions *s, const char *text, bool *used)
{
	size_t first = SIZE_MAX;

	for (size_t i = 0; i < sm_suppressions_count(s); i++) {
		if (regexec(&s->items[i].regex, text, 0, NULL, 0))
			continue;
		used[i] = true;
		if (first == SIZE_MAX)
			first = i;
	}
	return first;
}
