// SPDX-License-Identifier: GPL-2.0-or-later
/* expression: the arithmetic of scripts, folded where it is constant. */
#include "gen.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct parser {
	struct gen *g;
	const char *s, *whole;
	unsigned depth;
};

static struct expr *parse_level(struct parser *p, unsigned level);

static void skip(struct parser *p)
{
	while (*p->s == ' ' || *p->s == '\t')
		p->s++;
}

static struct expr *number(struct gen *g, uint64_t v)
{
	struct expr *e = gen_alloc(g, sizeof(*e));

	e->op = '#';
	e->value = v;
	return e;
}

static bool name_char(char c)
{
	return isalnum((unsigned char)c) || c == '_' || c == '.';
}

static unsigned find_var(const struct gen *g, const char *name, size_t len)
{
	unsigned i;

	for (i = 0; i < g->nvars; i++)
		if (strlen(g->vars[i]) == len && !memcmp(g->vars[i], name, len))
			break;
	return i;
}

unsigned expr_var(struct gen *g, const char *name, size_t len)
{
	unsigned i = find_var(g, name, len);

	if (i < g->nvars)
		return i;
	gen_grow(g, &g->vars, &g->vars_cap, g->nvars + 1, sizeof(*g->vars));
	g->vars[g->nvars] = gen_strdup(g, name, len);
	return (unsigned)g->nvars++;
}

static struct expr *parse_name(struct parser *p)
{
	const char *start = p->s;
	uint64_t v;

	while (name_char(*p->s))
		p->s++;
	size_t len = (size_t)(p->s - start);
	for (size_t i = 0; i < p->g->nsymbols; i++) {
		const struct symbol *sym = &p->g->symbols[i];

		if (sym->name.len == len && !memcmp(sym->name.s, start, len))
			return number(p->g, sym->addr);
	}
	if (len == 10 && !memcmp(start, "trampoline", 10))
		return number(p->g, TRAMPOLINE);
	if (len == 4 && !memcmp(start, "ones", 4))
		return number(p->g, UINT64_MAX);
	if (gfp_lookup(&p->g->k, start, len, &v))
		return number(p->g, v);
	gen_die(p->g, "'%.*s' is no symbol: give its kallsyms line before", (int)len, start);
}

static struct expr *parse_unary(struct parser *p)
{
	struct expr *e;

	skip(p);
	if (++p->depth > 100)
		gen_die(p->g, "expression nested too deeply");
	if (*p->s == '-' || *p->s == '~') {
		e = gen_alloc(p->g, sizeof(*e));
		e->op = *p->s == '-' ? 'n' : '~';
		p->s++;
		e->a = parse_unary(p);
		if (e->a->op == '#')
			e = number(p->g, expr_eval(p->g, e));
	} else if (*p->s == '(') {
		p->s++;
		e = parse_level(p, 0);
		skip(p);
		if (*p->s != ')')
			gen_die(p->g, "')' missing in '%s'", p->whole);
		p->s++;
	} else if (*p->s == '$') {
		const char *start = ++p->s;

		while (name_char(*p->s) && *p->s != '.')
			p->s++;
		e = gen_alloc(p->g, sizeof(*e));
		e->op = '$';
		e->var = find_var(p->g, start, (size_t)(p->s - start));
		if (e->var == p->g->nvars)
			gen_die(p->g, "'$%.*s' has no value: let comes before", (int)(p->s - start),
				start);
	} else if (isdigit((unsigned char)*p->s)) {
		char *end;

		errno = 0;
		e = number(p->g, strtoull(p->s, &end, 0));
		if (errno || name_char(*end))
			gen_die(p->g, "bad number in '%s'", p->whole);
		p->s = end;
	} else if (name_char(*p->s)) {
		e = parse_name(p);
	} else {
		gen_die(p->g, "bad expression '%s'", p->whole);
	}
	p->depth--;
	return e;
}

static char operator_at(struct parser *p, unsigned level, unsigned *len)
{
	static const char *const ops[] = {"|", "^", "&", "", "+-", "*/%"};
	char c = *p->s;

	*len = 1;
	if (level == 3) {
		*len = 2;
		if (c == '<' && p->s[1] == '<')
			return 'l';
		return c == '>' && p->s[1] == '>' ? 'r' : 0;
	}
	return c && strchr(ops[level], c) ? c : 0;
}

static struct expr *parse_level(struct parser *p, unsigned level)
{
	struct expr *left = level == 5 ? parse_unary(p) : parse_level(p, level + 1);

	for (;;) {
		unsigned len;
		char op;

		skip(p);
		op = operator_at(p, level, &len);
		if (!op)
			return left;
		p->s += len;
		struct expr *e = gen_alloc(p->g, sizeof(*e));
		e->op = op;
		e->a = left;
		e->b = level == 5 ? parse_unary(p) : parse_level(p, level + 1);
		left = e->a->op == '#' && e->b->op == '#' ? number(p->g, expr_eval(p->g, e)) : e;
	}
}

struct expr *expr_parse(struct gen *g, const char *s)
{
	struct parser p = {.g = g, .s = s, .whole = s};
	struct expr *e = parse_level(&p, 0);

	skip(&p);
	if (*p.s)
		gen_die(g, "'%s' is left over in '%s'", p.s, s);
	return e;
}

uint64_t expr_eval(const struct gen *g, const struct expr *e)
{
	uint64_t a, b;

	if (e->op == '#')
		return e->value;
	if (e->op == '$')
		return g->values[e->var];
	a = expr_eval(g, e->a);
	if (e->op == 'n')
		return -a;
	if (e->op == '~')
		return ~a;
	b = expr_eval(g, e->b);
	switch (e->op) {
	case '+':
		return a + b;
	case '-':
		return a - b;
	case '*':
		return a * b;
	case '/':
	case '%':
		if (!b)
			gen_die(g, "division by zero");
		return e->op == '/' ? a / b : a % b;
	case '&':
		return a & b;
	case '|':
		return a | b;
	case '^':
		return a ^ b;
	case 'l':
		return b > 63 ? 0 : a << b;
	default:
		return b > 63 ? 0 : a >> b;
	}
}
