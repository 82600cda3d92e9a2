/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Names of GFP bits. Their values differ between kernels, so they come from the print fmt of the
 * event's own format: __print_flags(REC->gfp_flags, "|", {VALUE, "NAME"}, ...), where VALUE is a
 * constant C expression of casts, shifts and bit operations.
 */
#include <stdlib.h>

#include "internal.h"

/* A print fmt comes from a file: no expression may nest deeper than this. */
#define MAX_NESTING 100
#define MAX_NAMES 256

struct expr {
	const char *pos, *end;
	unsigned depth;
	bool bad;
};

static void skip_space(struct expr *e)
{
	while (e->pos < e->end && (*e->pos == ' ' || *e->pos == '\t' || *e->pos == '\n'))
		e->pos++;
}

static bool accept(struct expr *e, const char *token)
{
	size_t n = strlen(token);

	skip_space(e);
	if ((size_t)(e->end - e->pos) < n || memcmp(e->pos, token, n) != 0)
		return false;
	e->pos += n;
	return true;
}

static bool is_word(char c)
{
	return c == '_' || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
	       (c >= '0' && c <= '9');
}

/* "(gfp_t)", "( unsigned long)": words in parentheses, the first not a number. */
static bool accept_cast(struct expr *e)
{
	const char *p = e->pos;
	bool any = false;

	if (p >= e->end || *p != '(')
		return false;
	for (p++; p < e->end && (is_word(*p) || *p == ' ' || *p == '*'); p++) {
		if (!any && *p >= '0' && *p <= '9')
			return false;
		any |= is_word(*p);
	}
	if (!any || p >= e->end || *p != ')')
		return false;
	e->pos = p + 1;
	return true;
}

static uint64_t parse_or(struct expr *e);

static uint64_t parse_number(struct expr *e)
{
	uint64_t v = 0;
	bool any = false;
	unsigned base = 10;

	if (e->end - e->pos > 2 && e->pos[0] == '0' && (e->pos[1] == 'x' || e->pos[1] == 'X')) {
		base = 16;
		e->pos += 2;
	} else if (e->pos < e->end && *e->pos == '0') {
		base = 8;
	}
	for (; e->pos < e->end; e->pos++) {
		char c = *e->pos;
		unsigned d = c >= '0' && c <= '9'   ? (unsigned)(c - '0')
			     : c >= 'a' && c <= 'f' ? (unsigned)(c - 'a') + 10
			     : c >= 'A' && c <= 'F' ? (unsigned)(c - 'A') + 10
						    : 99;

		if (d >= base)
			break;
		v = v * base + d;
		any = true;
	}
	while (e->pos < e->end &&
		(*e->pos == 'U' || *e->pos == 'u' || *e->pos == 'L' || *e->pos == 'l'))
		e->pos++;
	e->bad |= !any;
	return v;
}

static uint64_t parse_unary(struct expr *e)
{
	uint64_t v;

	skip_space(e);
	if (++e->depth > MAX_NESTING) {
		e->bad = true;
		return 0;
	}
	if (accept(e, "~")) {
		v = ~parse_unary(e);
	} else if (accept(e, "-")) {
		v = -parse_unary(e);
	} else if (accept_cast(e)) {
		v = parse_unary(e);
	} else if (accept(e, "(")) {
		v = parse_or(e);
		e->bad |= !accept(e, ")");
	} else {
		v = parse_number(e);
	}
	e->depth--;
	return v;
}

static uint64_t parse_sum(struct expr *e)
{
	uint64_t v = parse_unary(e);

	while (!e->bad) {
		if (accept(e, "+"))
			v += parse_unary(e);
		else if (accept(e, "-"))
			v -= parse_unary(e);
		else
			break;
	}
	return v;
}

static uint64_t parse_shift(struct expr *e)
{
	uint64_t v = parse_sum(e), by;

	while (!e->bad) {
		if (accept(e, "<<")) {
			by = parse_sum(e);
			v = by < 64 ? v << by : 0;
		} else if (accept(e, ">>")) {
			by = parse_sum(e);
			v = by < 64 ? v >> by : 0;
		} else {
			break;
		}
	}
	return v;
}

static uint64_t parse_and(struct expr *e)
{
	uint64_t v = parse_shift(e);

	while (!e->bad && accept(e, "&"))
		v &= parse_shift(e);
	return v;
}

static uint64_t parse_xor(struct expr *e)
{
	uint64_t v = parse_and(e);

	while (!e->bad && accept(e, "^"))
		v ^= parse_and(e);
	return v;
}

static uint64_t parse_or(struct expr *e)
{
	uint64_t v = parse_xor(e);

	while (!e->bad && accept(e, "|"))
		v |= parse_xor(e);
	return v;
}

bool sm_gfp_names_parse(struct sm_arena *arena, const char *print_fmt, unsigned long_size,
	const struct sm_flag_name **names, uint32_t *n)
{
	const char *p = strstr(print_fmt, "gfp_flags, \"|\",");
	struct sm_flag_name list[MAX_NAMES], *copy;
	uint64_t mask = long_size == 4 ? UINT32_MAX : UINT64_MAX;
	struct expr e = {0};
	uint32_t count = 0;

	*names = NULL;
	*n = 0;
	if (!p)
		return true;
	e.pos = p + strlen("gfp_flags, \"|\",");
	e.end = e.pos + strlen(e.pos);
	/* What doesn't parse ends the list: the bits left unnamed are then printed as hex. */
	while (count < MAX_NAMES && accept(&e, "{")) {
		const char *quote;

		list[count].value = parse_or(&e) & mask;
		if (e.bad || !accept(&e, ",") || !accept(&e, "\""))
			break;
		quote = memchr(e.pos, '"', (size_t)(e.end - e.pos));
		if (!quote)
			break;
		list[count].name = sm_arena_strndup(arena, e.pos, (size_t)(quote - e.pos));
		if (!list[count].name)
			return false;
		e.pos = quote + 1;
		count++;
		if (!accept(&e, "}") || !accept(&e, ","))
			break;
	}
	copy = sm_arena_alloc(arena, (count ? count : 1) * sizeof(*copy));
	if (!copy)
		return false;
	memcpy(copy, list, count * sizeof(*copy));
	*names = copy;
	*n = count;
	return true;
}

static int compare_whole(const struct sm_flag_name *a, uint64_t mask)
{
	int x = __builtin_popcountll(a->value), y = __builtin_popcountll(mask);

	if (x != y)
		return x > y ? -1 : 1;
	return a->value < mask ? -1 : a->value > mask;
}

static int compare_names(const void *a, const void *b)
{
	return compare_whole(a, ((const struct sm_flag_name *)b)->value);
}

/* Those with more bits first: sm_gfp_format(), which takes what fits, then finds a whole one at
 * once. */
void sm_gfp_whole_sort(struct sm_flag_name *names, uint32_t n)
{
	if (n)
		qsort(names, n, sizeof(*names), compare_names);
}

uint32_t sm_gfp_whole_find(const struct sm_event_type *type, uint64_t mask)
{
	uint32_t lo = 0, hi = type->ngfp;

	while (lo < hi) {
		uint32_t mid = lo + (hi - lo) / 2;
		int order = compare_whole(&type->gfp[mid], mask);

		if (!order)
			return mid;
		if (order < 0)
			lo = mid + 1;
		else
			hi = mid;
	}
	return UINT32_MAX;
}

void sm_gfp_format(const struct sm_flag_name *names, uint32_t n, uint64_t gfp, struct sm_buf *buf)
{
	bool first = true;

	if (gfp == 0) {
		sm_buf_adds(buf, "none");
		return;
	}
	for (uint32_t i = 0; i < n && gfp; i++) {
		uint64_t v = names[i].value;

		if (v == 0 || (gfp & v) != v)
			continue;
		if (!first)
			sm_buf_addc(buf, '|');
		sm_buf_adds(buf, names[i].name);
		gfp &= ~v;
		first = false;
	}
	if (gfp)
		sm_buf_addf(buf, first ? "0x%llx" : "|0x%llx", (unsigned long long)gfp);
}
