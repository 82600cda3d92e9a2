/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Code maps of random units, against the rules one by one. */
#include "capture.h"
#include "made_unit.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

static bool equal_maps(const struct code_map *x, const struct code_map *y)
{
	return x->base == y->base && x->nsegments == y->nsegments && x->nscopes == y->nscopes &&
	       x->strings_len == y->strings_len &&
	       memcmp(x->segments, y->segments, x->nsegments * sizeof(*x->segments)) == 0 &&
	       memcmp(x->scopes, y->scopes, x->nscopes * sizeof(*x->scopes)) == 0 &&
	       memcmp(x->strings, y->strings, x->strings_len) == 0;
}

/* The units, shared out among builders that are merged, make the same map. */
static void check_merged(const struct made_file *m, uint64_t *seed)
{
	struct code_builder *builders[3];
	struct code_map map;
	size_t bad = 0;

	for (size_t i = 0; i < SM_ARRAY_SIZE(builders); i++) {
		builders[i] = sm_code_builder_new(m->l.dwarf, NULL);
		assert_non_null(builders[i]);
	}
	for (uint32_t i = (uint32_t)sm_dwarf_units(m->l.dwarf); i--;)
		expect_none(sm_code_builder_add(builders[random_below(seed, 3)], i, NULL, 0, &bad));
	expect_none(sm_code_builder_merge(builders[2], builders[1]));
	expect_none(sm_code_builder_merge(builders[0], builders[2]));
	/* What was taken isn't there any more. */
	expect_none(sm_code_builder_finish(builders[1], &map));
	assert_int_equal(map.nsegments, 0);
	expect_none(sm_code_builder_finish(builders[0], &map));
	assert_true(equal_maps(&map, &m->l.map));
	for (size_t i = 0; i < SM_ARRAY_SIZE(builders); i++)
		sm_code_builder_free(builders[i]);
}

/* ---- anything, against the rules one by one ---- */

#define MAX_SPECS 24
#define MAX_UNITS 3

struct random_unit {
	struct spec specs[MAX_SPECS];
	char names[MAX_SPECS][8];
	size_t n;
	struct row rows[40];
	size_t nrows;
};

static uint16_t between(uint64_t *seed, uint16_t low, uint16_t high)
{
	return (uint16_t)(low + random_below(seed, (uint64_t)high - low));
}

/* Ranges within the parent's begin; sometimes they go beyond its end. */
static void make_scope(
	struct random_unit *u, uint64_t *seed, unsigned depth, uint16_t start, uint16_t end)
{
	struct spec *s = &u->specs[u->n];
	uint16_t low = between(seed, start, end), high;

	high = (uint16_t)(low + 1 + random_below(seed, (uint64_t)(end - low) + 2));
	if (high > TEXT_SIZE)
		high = TEXT_SIZE;
	snprintf(u->names[u->n], sizeof(u->names[0]), "s%zu", u->n);
	*s = (struct spec){depth, u->names[u->n], 1, {{low, high}}};
	u->n++;
	while (u->n < MAX_SPECS && depth < 4 && random_below(seed, 3))
		make_scope(u, seed, depth + 1, low, high < end ? high : end);
}

static void make_unit(struct random_unit *u, uint64_t *seed, bool overlap)
{
	uint16_t at = 0;

	u->n = u->nrows = 0;
	for (uint16_t i = 0; i < TEXT_SIZE / 0x48 && u->n < MAX_SPECS - 4; i++) {
		uint16_t start =
			overlap ? between(seed, 0, TEXT_SIZE - 0x40) : (uint16_t)(i * 0x48);

		make_scope(u, seed, 0, start, (uint16_t)(start + 0x40));
	}
	while (u->nrows + 1 < SM_ARRAY_SIZE(u->rows) && at < TEXT_SIZE - 0x20) {
		at = (uint16_t)(at + 1 + random_below(seed, 0x18));
		u->rows[u->nrows++] = (struct row){at, between(seed, 0, 5)};
		if (u->nrows == 1 || !u->rows[u->nrows - 2].line)
			u->rows[u->nrows - 1].line = 7;
	}
	u->rows[u->nrows++] = (struct row){(uint16_t)(at + 0x10), 0};
}

/* Which of a unit's scopes has an address: the function by the rules, and within it what starts
 * latest of that whose parents are there. */
static const struct spec *innermost(const struct random_unit *u, size_t function, uint16_t at)
{
	const struct spec *best = NULL;
	uint16_t ends[8];

	for (size_t i = function; i < u->n && (i == function || u->specs[i].depth); i++) {
		const struct spec *s = &u->specs[i];
		uint16_t end = s->ranges[0][1];

		if (s->depth && ends[s->depth - 1] < end)
			end = ends[s->depth - 1];
		ends[s->depth] = end;
		if (s->ranges[0][0] <= at && at < end &&
			(!best || s->ranges[0][0] >= best->ranges[0][0]))
			best = s;
	}
	return best;
}

static uint16_t line_at(const struct random_unit *u, uint16_t at)
{
	uint16_t line = 0;

	for (size_t i = 0; i < u->nrows && u->rows[i].at <= at; i++)
		line = u->rows[i].line;
	return line;
}

/* Checks names and the first line. */
static void check_at(
	const struct made_file *m, const struct random_unit *units, size_t n, uint16_t at)
{
	const struct random_unit *best_unit = NULL;
	const struct spec *best = NULL, *s;
	struct sm_buf want = {0};
	const char *got = lookup_chain(&m->l, TEXT + at);
	size_t best_index = 0;
	uint16_t line;

	for (size_t i = 0; i < n; i++) {
		for (size_t k = 0; k < units[i].n; k++) {
			const uint16_t *range = units[i].specs[k].ranges[0];

			if (units[i].specs[k].depth || at < range[0] || at >= range[1])
				continue;
			if (best && (range[0] < best->ranges[0][0] ||
					    (range[0] == best->ranges[0][0] &&
						    range[1] >= best->ranges[0][1])))
				continue;
			best_unit = &units[i];
			best = &units[i].specs[k];
			best_index = k;
		}
	}
	if (!best)
		return;
	line = line_at(best_unit, at);
	s = innermost(best_unit, best_index, at);
	for (;;) {
		size_t i = (size_t)(s - best_unit->specs);
		const struct spec *parent = s;

		sm_buf_addf(&want, "%s%s %s:%u", want.len ? " < " : "", s->name, line ? "a.c" : "?",
			line);
		if (!s->depth)
			break;
		while (parent->depth >= s->depth)
			parent--;
		line = (uint16_t)(100 + i);
		s = parent;
	}
	assert_string_equal(got, want.data);
	sm_buf_release(&want);
}

static void test_anything(void **state)
{
	static struct random_unit units[MAX_UNITS];
	uint64_t seed = 12;

	(void)state;
	for (unsigned round = 0; round < 150; round++) {
		size_t n = 1 + round % MAX_UNITS;
		struct made_file m;

		made_begin(&m);
		for (size_t i = 0; i < n; i++) {
			make_unit(&units[i], &seed, n > 1 || round % 2);
			made_unit(&m, units[i].specs, units[i].n, units[i].rows, units[i].nrows);
		}
		made_look(&m);
		assert_int_equal(m.l.bad, 0);
		for (uint16_t at = 0; at < TEXT_SIZE; at++)
			check_at(&m, units, n, at);
		check_merged(&m, &seed);
		/* Alone it is the same, but that the reader looks for one function. */
		for (uint16_t at = (uint16_t)(round % 5);
			n == 1 && round % 2 == 0 && at < TEXT_SIZE; at += 5)
			lookup_expect(&m.l, ".text", at, lookup_chain(&m.l, TEXT + at));
		for (size_t i = 1; i < m.l.map.nsegments; i++) {
			const struct code_segment *x = &m.l.map.segments[i - 1], *y = x + 1;

			assert_true(x->start < y->start);
			assert_true(
				x->scope != y->scope || x->file != y->file || x->line != y->line);
		}
		lookup_close(&m.l);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_anything),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
