/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What --fail-if says of a comparison. */
#include <math.h>
#include <stdlib.h>

#include <smtool/diff.h>

/* What a word is about. */
enum word_kind {
	WORD_STATUS,  /* rows that became that */
	WORD_VERDICT, /* rows of a series that are judged so */
	WORD_UP,      /* new and grown together */
	WORD_DOWN,
	WORD_ROWS,  /* all that count */
	WORD_DELTA, /* of the totals */
	WORD_TOTAL, /* of the last input */
};

static const struct word {
	const char *name;
	enum word_kind kind;
	unsigned which;
	bool pair, series; /* where it is known */
} WORDS[] = {
	{"new", WORD_STATUS, SM_DIFF_NEW, true, true},
	{"gone", WORD_STATUS, SM_DIFF_GONE, true, true},
	{"grown", WORD_STATUS, SM_DIFF_GROWN, true, true},
	{"shrunk", WORD_STATUS, SM_DIFF_SHRUNK, true, true},
	{"growing", WORD_VERDICT, SM_VERDICT_GROWING, false, true},
	{"saturating", WORD_VERDICT, SM_VERDICT_SATURATING, false, true},
	{"bursty", WORD_VERDICT, SM_VERDICT_BURSTY, false, true},
	{"shrinking", WORD_VERDICT, SM_VERDICT_SHRINKING, false, true},
	{"increase", WORD_UP, 0, true, true},
	{"decrease", WORD_DOWN, 0, true, true},
	{"rows", WORD_ROWS, 0, true, true},
	{"delta", WORD_DELTA, 0, true, true},
	{"total", WORD_TOTAL, 0, true, true},
};

enum part { PART_SUM, PART_MOST, PART_ROWS };

static const char *const OPS[] = {">=", "<=", "==", "!=", ">", "<"};
enum { OP_GE, OP_LE, OP_EQ, OP_NE, OP_GT, OP_LT };

static struct sm_error *bad(const char *text, const char *why)
{
	return sm_error_new(SM_E_USAGE, NULL, "bad condition",
		"--fail-if '%s': %s; write WORD OP NUMBER, as in grown>1M, new-rows>0, "
		"max-grown>64K, delta>10%%",
		text, why);
}

/* The word at `p`, with the part of it that is meant. */
static bool take_word(const char *p, size_t len, struct sm_condition *c, bool series)
{
	c->part = PART_SUM;
	if (len > 4 && !memcmp(p, "max-", 4)) {
		c->part = PART_MOST;
		p += 4;
		len -= 4;
	} else if (len > 5 && !memcmp(p + len - 5, "-rows", 5)) {
		c->part = PART_ROWS;
		len -= 5;
	}
	for (c->word = 0; c->word < SM_ARRAY_SIZE(WORDS); c->word++) {
		const struct word *w = &WORDS[c->word];

		if (strlen(w->name) != len || memcmp(w->name, p, len) != 0)
			continue;
		if (!(series ? w->series : w->pair))
			return false;
		return c->part == PART_SUM || w->kind < WORD_ROWS;
	}
	return false;
}

/* DIGITS[.DIGITS] with a unit; p is at its end then. */
static const char *take_number(const char *p, struct sm_condition *c)
{
	static const char UNITS[] = "kmgt";
	double scale = 1;
	bool digits = false;

	c->number = 0;
	for (; *p >= '0' && *p <= '9'; p++, digits = true)
		c->number = c->number * 10 + (*p - '0');
	if (*p == '.')
		for (p++; *p >= '0' && *p <= '9'; p++, digits = true) {
			scale /= 10;
			c->number += (*p - '0') * scale;
		}
	if (!digits)
		return NULL;
	c->percent = *p == '%';
	if (c->percent)
		return p + 1;
	for (size_t i = 0; UNITS[i]; i++) {
		if ((*p | 0x20) != UNITS[i])
			continue;
		c->number = ldexp(c->number, 10 * ((int)i + 1));
		p++;
		if (p[0] == 'i' && p[1] == 'B')
			p += 2;
		break;
	}
	return p;
}

static const char *skip_blanks(const char *p)
{
	while (*p == ' ' || *p == '\t')
		p++;
	return p;
}

struct sm_error *sm_condition_parse(const char *text, bool series, struct sm_condition *c)
{
	const char *p = skip_blanks(text), *word = p;
	bool minus;

	*c = (struct sm_condition){.text = text};
	while ((*p >= 'a' && *p <= 'z') || *p == '-')
		p++;
	if (!take_word(word, (size_t)(p - word), c, series))
		return bad(text, series ? "there is no such word for a series"
					: "there is no such word for two inputs");
	p = skip_blanks(p);
	for (c->op = 0; c->op < SM_ARRAY_SIZE(OPS); c->op++)
		if (!strncmp(p, OPS[c->op], strlen(OPS[c->op])))
			break;
	if (c->op == SM_ARRAY_SIZE(OPS))
		return bad(text, "there is no >, >=, <, <=, == or != behind the word");
	p = skip_blanks(p + strlen(OPS[c->op]));
	minus = *p == '-';
	if (minus && WORDS[c->word].kind != WORD_DELTA)
		return bad(text, "only delta can be negative");
	p = take_number(p + minus, c);
	if (!p)
		return bad(text, "there is no number");
	if (minus)
		c->number = -c->number;
	if (*skip_blanks(p))
		return bad(text, "what follows the number is no unit (k, M, G, T or %)");
	if (c->percent && (c->part == PART_ROWS || WORDS[c->word].kind == WORD_ROWS))
		return bad(text, "a number of rows is no share of the old total");
	return NULL;
}

static struct sm_diff_sum add(const struct sm_diff_sum *a, const struct sm_diff_sum *b)
{
	return (struct sm_diff_sum){
		.rows = a->rows + b->rows,
		.up = a->up + b->up,
		.down = a->down + b->down,
		.most = a->most > b->most ? a->most : b->most,
	};
}

static struct sm_diff_sum sum_of(const struct sm_diff *d, const struct word *w)
{
	const struct sm_diff_sum *s = d->of_status;
	struct sm_diff_sum all = {0};

	switch (w->kind) {
	case WORD_STATUS:
		return s[w->which];
	case WORD_VERDICT:
		return d->of_verdict[w->which];
	case WORD_UP:
		return add(&s[SM_DIFF_NEW], &s[SM_DIFF_GROWN]);
	case WORD_DOWN:
		return add(&s[SM_DIFF_GONE], &s[SM_DIFF_SHRUNK]);
	default:
		for (unsigned i = 0; i < SM_DIFF_STATUS_NR; i++)
			all = add(&all, &s[i]);
		return all;
	}
}

/* Without what is suppressed. */
static double figure(const struct sm_diff *d, const struct sm_condition *c)
{
	const struct word *w = &WORDS[c->word];
	struct sm_diff_sum sum;
	size_t last = d->ninputs - 1;

	if (w->kind == WORD_DELTA)
		return sm_diff_delta(d) - (d->accepted.up - d->accepted.down);
	if (w->kind == WORD_TOTAL) {
		double total = sm_diff_value(d, last, d->inputs[last].total);

		for (size_t i = 0; i < d->nsuppressed; i++)
			total -= sm_diff_value(d, last, d->suppressed[i].values[last]);
		return total;
	}
	sum = sum_of(d, w);
	if (c->part == PART_ROWS || w->kind == WORD_ROWS)
		return (double)sum.rows;
	return c->part == PART_MOST ? sum.most : sum.up + sum.down;
}

static bool compare(double x, unsigned op, double y)
{
	switch (op) {
	case OP_GE:
		return x >= y;
	case OP_LE:
		return x <= y;
	case OP_EQ:
		return x == y;
	case OP_NE:
		return x != y;
	case OP_GT:
		return x > y;
	default:
		return x < y;
	}
}

static void add_figure(const struct sm_diff *d, double x, bool rows, struct sm_buf *why)
{
	if (x < 0)
		sm_buf_addc(why, '-');
	x = fabs(x);
	if (rows || !d->is_bytes) {
		if (x == floor(x) && x < 1e15)
			sm_human_count((uint64_t)x, why);
		else
			sm_buf_addf(why, "%.3g", x);
	} else {
		sm_human_bytes(x < 1e19 ? (uint64_t)llround(x) : UINT64_MAX, why);
	}
	if (!rows && d->opts.normalize)
		sm_buf_adds(why, "/s");
}

bool sm_condition_holds(const struct sm_condition *c, const struct sm_diff *d, struct sm_buf *why)
{
	const struct word *w = &WORDS[c->word];
	bool rows = c->part == PART_ROWS || w->kind == WORD_ROWS;
	double x = figure(d, c), old = sm_diff_value(d, 0, d->inputs[0].total);

	sm_buf_addf(why, "%s%s%s is ", c->part == PART_MOST ? "max-" : "", w->name,
		c->part == PART_ROWS ? "-rows" : "");
	add_figure(d, x, rows, why);
	if (!c->percent)
		return compare(x, c->op, c->number);
	/* Of nothing, anything is infinitely much. */
	x = x == 0 ? 0 : 100 * x / old;
	sm_buf_addf(why, ", %.1f%% of the old total", x);
	return compare(x, c->op, c->number);
}
