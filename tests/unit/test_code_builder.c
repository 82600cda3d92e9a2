/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How scopes, rows and units become a code map. */
#include "capture.h"
#include "finding.h"
#include "made_unit.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

static void expect(const struct made_file *m, uint64_t from, uint64_t to, const char *chain)
{
	lookup_expect_range(&m->l, ".text", from, to, chain);
}

/* Where several units have an address: in the map of all. */
static void expect_all(const struct made_file *m, uint64_t from, uint64_t to, const char *chain)
{
	for (uint64_t at = from; at < to; at++)
		assert_string_equal(lookup_chain(&m->l, TEXT + at), chain);
}

/* ---- one unit ---- */

static void test_scopes_meet_rows(void **state)
{
	static const struct spec specs[] = {
		{0, "f", 1, {{0x10, 0x40}}}, {1, "g", 1, {{0x18, 0x28}}},
		{2, "h", 1, {{0x20, 0x28}}}, {0, "bare", 1, {{0x80, 0x90}}}, /* without lines */
	};
	static const struct row rows[] = {{0x08, 1}, {0x14, 2}, {0x20, 3}, {0x24, 4}, {0x30, 5},
		{0x38, 0}, {0xa0, 9}, {0xa8, 0}};
	struct made_file m;

	(void)state;
	made_begin(&m);
	MADE_UNIT(&m, specs, rows);
	made_look(&m);
	expect(&m, 0, 0x08, "");
	expect(&m, 0x08, 0x10, "? a.c:1");
	expect(&m, 0x10, 0x14, "f a.c:1");
	expect(&m, 0x14, 0x18, "f a.c:2");
	expect(&m, 0x18, 0x20, "g a.c:2 < f a.c:101");
	expect(&m, 0x20, 0x24, "h a.c:3 < g a.c:102 < f a.c:101");
	expect(&m, 0x24, 0x28, "h a.c:4 < g a.c:102 < f a.c:101");
	expect(&m, 0x28, 0x30, "f a.c:4");
	expect(&m, 0x30, 0x38, "f a.c:5");
	expect(&m, 0x38, 0x40, "f ?:0");
	expect(&m, 0x40, 0x80, "");
	expect(&m, 0x80, 0x90, "bare ?:0");
	expect(&m, 0xa0, 0xa8, "? a.c:9");
	expect(&m, 0xa8, 0x100, "");
	assert_int_equal(m.l.bad, 0);
	/* Nothing twice, and nothing for nothing. */
	assert_int_equal(m.l.map.nscopes, 4);
	assert_int_equal(m.l.map.nsegments, 14);
	lookup_close(&m.l);
}

static void test_no_code(void **state)
{
	static const struct spec specs[] = {
		{0, "f", 1, {{0x10, 0x40}}},
		{1, "empty", 1, {{0x18, 0x18}}},
		{1, "first", 1, {{0x20, 0x28}}},
		{1, "second", 1, {{0x28, 0x30}}},
		{0, "none", 1, {{0x50, 0x50}}},
	};
	static const struct row rows[] = {{0x10, 1}, {0x40, 0}};
	struct made_file m;

	(void)state;
	made_begin(&m);
	MADE_UNIT(&m, specs, rows);
	made_look(&m);
	expect(&m, 0x10, 0x20, "f a.c:1");
	expect(&m, 0x20, 0x28, "first a.c:1 < f a.c:102");
	expect(&m, 0x28, 0x30, "second a.c:1 < f a.c:103");
	expect(&m, 0x30, 0x40, "f a.c:1");
	expect(&m, 0x40, 0x60, "");
	assert_int_equal(m.l.map.nscopes, 3);
	lookup_close(&m.l);
}

/* Hot and cold parts, of functions and of what is inlined; equal calls are one scope. */
static void test_parts(void **state)
{
	static const struct spec specs[] = {
		{0, "f", 3, {{0x80, 0x90}, {0x10, 0x20}, {0x20, 0x30}}},
		{1, "g", 2, {{0x84, 0x90}, {0x18, 0x28}}}, /* over the seam of two parts */
		{2, "h", 2, {{0x20, 0x28}, {0x88, 0x8c}}},
	};
	static const struct row rows[] = {{0x10, 1}, {0x30, 0}, {0x80, 2}, {0x90, 0}};
	struct made_file m;

	(void)state;
	made_begin(&m);
	MADE_UNIT(&m, specs, rows);
	made_look(&m);
	expect(&m, 0x10, 0x18, "f a.c:1");
	expect(&m, 0x18, 0x20, "g a.c:1 < f a.c:101");
	expect(&m, 0x20, 0x28, "h a.c:1 < g a.c:102 < f a.c:101");
	expect(&m, 0x28, 0x30, "f a.c:1");
	expect(&m, 0x30, 0x80, "");
	expect(&m, 0x80, 0x84, "f a.c:2");
	expect(&m, 0x84, 0x88, "g a.c:2 < f a.c:101");
	expect(&m, 0x88, 0x8c, "h a.c:2 < g a.c:102 < f a.c:101");
	expect(&m, 0x8c, 0x90, "g a.c:2 < f a.c:101");
	assert_int_equal(m.l.map.nscopes, 3);
	lookup_close(&m.l);
}

/* Not sound: what is inlined sticks out, or overlaps its sibling. */
static void test_sticking_out(void **state)
{
	static const struct spec specs[] = {
		{0, "f", 1, {{0x20, 0x40}}},
		{1, "out", 1, {{0x38, 0x50}}},
		{2, "deeper", 1, {{0x3c, 0x60}}},
		{1, "early", 1, {{0x10, 0x24}}},
		{0, "g", 1, {{0x80, 0xc0}}},
		{1, "a", 1, {{0x88, 0xa0}}},
		{2, "in_a", 1, {{0x8c, 0x98}}},
		{1, "b", 1, {{0x90, 0xb0}}},
		{2, "in_b", 1, {{0xa8, 0xb8}}},
		{1, "same", 1, {{0xb8, 0xc0}}},
		{1, "later", 1, {{0xb8, 0xbc}}},
		{0, "alone", 1, {{0xe0, 0xf0}}},
		{1, "elsewhere", 1, {{0x100, 0x110}}},
	};
	static const struct row rows[] = {{0, 1}, {0x180, 0}};
	struct made_file m;

	(void)state;
	made_begin(&m);
	MADE_UNIT(&m, specs, rows);
	made_look(&m);
	expect(&m, 0, 0x20, "? a.c:1");
	expect(&m, 0x20, 0x24, "early a.c:1 < f a.c:103");
	expect(&m, 0x24, 0x38, "f a.c:1");
	expect(&m, 0x38, 0x3c, "out a.c:1 < f a.c:101");
	expect(&m, 0x3c, 0x40, "deeper a.c:1 < out a.c:102 < f a.c:101");
	expect(&m, 0x40, 0x80, "? a.c:1");
	expect(&m, 0x88, 0x8c, "a a.c:1 < g a.c:105");
	expect(&m, 0x8c, 0x90, "in_a a.c:1 < a a.c:106 < g a.c:105");
	expect(&m, 0x90, 0xa8, "b a.c:1 < g a.c:107");
	expect(&m, 0xa8, 0xb0, "in_b a.c:1 < b a.c:108 < g a.c:107");
	expect(&m, 0xb0, 0xb8, "g a.c:1");
	expect(&m, 0xb8, 0xbc, "later a.c:1 < g a.c:110");
	expect(&m, 0xbc, 0xc0, "same a.c:1 < g a.c:109");
	expect(&m, 0xe0, 0xf0, "alone a.c:1");
	expect(&m, 0xf0, 0x180, "? a.c:1");
	lookup_close(&m.l);
}

/* An assembler has a function for each name. */
static void test_aliases(void **state)
{
	struct spec specs[40];
	static const struct row rows[] = {{0, 1}, {1, 2}, {2, 3}, {3, 4}, {0x10, 0}};
	struct made_file m;

	(void)state;
	for (size_t i = 0; i < SM_ARRAY_SIZE(specs); i++)
		specs[i] = (struct spec){0, i ? "other" : "first", 1, {{0, 0x10}}};
	made_begin(&m);
	MADE_UNIT(&m, specs, rows);
	made_look(&m);
	expect(&m, 3, 0x10, "first a.c:4");
	assert_int_equal(m.l.bad, 0);
	lookup_close(&m.l);
}

/* Functions that all hold all lines: a small file that would become a large table. */
static void test_overlapping_all_over(void **state)
{
	struct spec specs[200];
	struct row rows[201];
	struct made_file m;

	(void)state;
	for (uint16_t i = 0; i < 200; i++) {
		specs[i] = (struct spec){0, "f", 1, {{i, 0x1ff - i / 2}}};
		rows[i] = (struct row){i, (uint16_t)(i % 7 + 1)};
	}
	rows[200] = (struct row){0x1ff, 0};
	made_begin(&m);
	MADE_UNIT(&m, specs, rows);
	made_look(&m);
	assert_int_equal(m.l.bad, 1);
	assert_true(m.l.map.nsegments < 8 * (200 + 201) + 64);
	lookup_close(&m.l);
}

/* ---- several units ---- */

static void test_overlap(void **state)
{
	static const struct spec first[] = {
		{0, "outer", 1, {{0x10, 0x80}}},
		{1, "inl", 1, {{0x20, 0x30}}},
		{0, "same", 1, {{0xa0, 0xc0}}},
		{0, "twice", 1, {{0xe0, 0xf0}}},
	};
	static const struct spec second[] = {
		{0, "nested", 1, {{0x28, 0x40}}},
		{0, "sticks", 1, {{0x70, 0x90}}},
		{0, "shorter", 1, {{0xa0, 0xb0}}},
		{0, "copy", 1, {{0xe0, 0xf0}}},
	};
	static const struct row rows1[] = {{0x10, 1}, {0x50, 2}, {0x100, 0}};
	static const struct row rows2[] = {{0x00, 5}, {0x130, 0}};
	static const struct row rows3[] = {{0x60, 8}, {0x110, 9}, {0x140, 0}};
	struct made_file m;

	(void)state;
	made_begin(&m);
	MADE_UNIT(&m, first, rows1);
	MADE_UNIT(&m, second, rows2);
	made_unit(&m, NULL, 0, rows3, SM_ARRAY_SIZE(rows3));
	made_look(&m);
	expect_all(&m, 0x00, 0x10, "? a.c:5");
	expect_all(&m, 0x10, 0x20, "outer a.c:1");
	expect_all(&m, 0x20, 0x28, "inl a.c:1 < outer a.c:101");
	expect_all(&m, 0x28, 0x40, "nested a.c:5");
	expect_all(&m, 0x40, 0x50, "outer a.c:1");
	expect_all(&m, 0x50, 0x70, "outer a.c:2");
	expect_all(&m, 0x70, 0x90, "sticks a.c:5");
	expect_all(&m, 0x90, 0xa0, "? a.c:5");
	expect_all(&m, 0xa0, 0xb0, "shorter a.c:5");
	expect_all(&m, 0xb0, 0xc0, "same a.c:2");
	expect_all(&m, 0xe0, 0xf0, "twice a.c:2");
	/* Lines of none are of those that start nearest, too; else of the shorter. */
	expect_all(&m, 0xf0, 0x100, "? a.c:2");
	expect_all(&m, 0x100, 0x130, "? a.c:5");
	expect_all(&m, 0x130, 0x140, "? a.c:9");
	expect_all(&m, 0x140, 0x200, "");
	lookup_close(&m.l);
}

/* ---- what doesn't fit, and faults ---- */

static void test_base(void **state)
{
	static const struct spec specs[] = {{0, "f", 1, {{0x10, 0x40}}}};
	static const struct row rows[] = {{0x10, 1}, {0x40, 0}};
	const uint64_t base = UINT64_C(0xffff800008000000);
	struct ew_section *low, *far;
	struct code_builder *b;
	struct code_map map;
	struct said said = {0};
	struct made_file m;
	size_t bad = 0;

	(void)state;
	made_begin_at(&m, base);
	low = ew_text(m.f, ".low.text", 0x10000, 0x20);
	far = ew_text(m.f, ".far.text", base + 0xfffffe00, 0x100);
	MADE_UNIT(&m, specs, rows);
	for (UNIT(m.d, compile)) {
		dw_name(m.d, "b.c");
		RANGES(m.d, {low, 0, 0x20}, {far, 0, 0x100});
		for (DIE(m.d, subprogram)) {
			dw_name(m.d, "low");
			dw_code(m.d, low, 0, 0x20);
		}
		for (DIE(m.d, subprogram)) {
			dw_name(m.d, "far");
			dw_code(m.d, far, 0, 0x100);
		}
	}
	made_look(&m);
	assert_true(m.l.map.base == base);
	expect(&m, 0x10, 0x40, "f a.c:1");
	assert_string_equal(lookup_chain(&m.l, base + 0xfffffe00), "far ?:0");
	assert_string_equal(lookup_chain(&m.l, base + 0xfffffeff), "far ?:0");
	assert_string_equal(lookup_chain(&m.l, base + 0xffffff00), "");
	assert_string_equal(lookup_chain(&m.l, 0x10000), "");
	said_listen(&said);
	b = sm_code_builder_new(m.l.dwarf, &said.log);
	for (uint32_t i = 0; i < 2; i++)
		expect_none(sm_code_builder_add(b, i, NULL, 0, &bad));
	expect_none(sm_code_builder_finish(b, &map));
	said_was(&said, SM_DEBUG, "1 ranges of code are more than 4 GiB away: left out");
	assert_int_equal(bad, 0);
	sm_code_builder_free(b);
	sm_buf_release(&said.text);
	lookup_close(&m.l);
}

/* A damaged line table costs the lines, a damaged tree the functions; it is said once. */
static void test_faults(void **state)
{
	static const struct spec specs[] = {{0, "f", 1, {{0x10, 0x40}}}};
	static const struct row rows[] = {{0x10, 1}, {0x40, 0}};
	struct said said = {0};
	struct code_builder *b;
	struct code_map map;
	struct made_file m;
	size_t bad = 0;

	(void)state;
	made_begin(&m);
	MADE_UNIT(&m, specs, rows);
	made_unit(&m, (const struct spec[]){{0, "g", 1, {{0x80, 0x90}}}}, 1, rows, 0);
	ew_patch(ew_find(m.f, ".debug_line"), 4, 2, 77);
	made_look(&m);
	assert_int_equal(m.l.bad, 1);
	expect_all(&m, 0x10, 0x40, "f ?:0");
	expect_all(&m, 0x80, 0x90, "g ?:0");
	said_listen(&said);
	b = sm_code_builder_new(m.l.dwarf, &said.log);
	for (uint32_t i = 0; i < 2; i++)
		expect_none(sm_code_builder_add(b, i, NULL, 0, &bad));
	said_was(&said, SM_DEBUG,
		"unit 0: damaged line table in .debug_line: 'generated' at byte 6: "
		"its version is none of 2 to 5");
	/* A unit that isn't there has nothing. */
	expect_none(sm_code_builder_add(b, 1000, NULL, 0, &bad));
	expect_none(sm_code_builder_finish(b, &map));
	sm_code_builder_free(b);
	/* Nothing at all. */
	b = sm_code_builder_new(m.l.dwarf, NULL);
	expect_none(sm_code_builder_finish(b, &map));
	assert_int_equal(map.nsegments + map.nscopes, 0);
	assert_int_equal(map.strings[map.strings_len - 1], 0);
	sm_code_builder_free(b);
	sm_buf_release(&said.text);
	lookup_close(&m.l);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_scopes_meet_rows),
		cmocka_unit_test(test_no_code),
		cmocka_unit_test(test_parts),
		cmocka_unit_test(test_sticking_out),
		cmocka_unit_test(test_aliases),
		cmocka_unit_test(test_overlapping_all_over),
		cmocka_unit_test(test_overlap),
		cmocka_unit_test(test_base),
		cmocka_unit_test(test_faults),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
