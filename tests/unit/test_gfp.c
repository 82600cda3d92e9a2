/* SPDX-License-Identifier: GPL-2.0-or-later */
/* GFP names: the constant expressions of print fmt, and how masks are named. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "lib/record/internal.h"

static const struct sm_flag_name *parse(
	struct sm_arena *arena, const char *list, unsigned long_size, uint32_t *n)
{
	const struct sm_flag_name *names = NULL;
	char fmt[20000];

	snprintf(fmt, sizeof(fmt),
		"\"gfp_flags=%%s\", (REC->gfp_flags) ? "
		"__print_flags(REC->gfp_flags, \"|\", %s) : \"none\"",
		list);
	assert_true(sm_gfp_names_parse(arena, fmt, long_size, &names, n));
	return names;
}

static void value_is(const char *expr, unsigned long_size, uint64_t want)
{
	struct sm_arena arena = {0};
	const struct sm_flag_name *names;
	char list[8192];
	uint32_t n;

	snprintf(list, sizeof(list), "{%s, \"X\"}, {2, \"Y\"}", expr);
	names = parse(&arena, list, long_size, &n);
	if (n != 2 || names[0].value != want)
		fail_msg("%s: %u names, value 0x%llx, want 0x%llx", expr, n,
			n ? (unsigned long long)names[0].value : 0, (unsigned long long)want);
	assert_string_equal(names[0].name, "X");
	assert_int_equal(names[1].value, 2);
	sm_arena_release(&arena);
}

/* The list ends where it makes no sense. */
static void bad(const char *expr)
{
	struct sm_arena arena = {0};
	char list[8192];
	uint32_t n;

	snprintf(list, sizeof(list), "{1, \"A\"}, {%s, \"X\"}, {2, \"Y\"}", expr);
	parse(&arena, list, 8, &n);
	assert_int_equal(n, 1);
	sm_arena_release(&arena);
}

static void test_expressions(void **state)
{
	(void)state;
	value_is("0x20u", 8, 0x20);
	value_is("0X1Ful", 8, 0x1f);
	value_is("010", 8, 8);
	value_is("42", 8, 42);
	value_is("( unsigned long)((( gfp_t)(0x400u|0x800u)) | (( gfp_t)0x40u))", 8, 0xc40);
	value_is("(unsigned long)((( gfp_t)((((1UL))) << (10))) & ~(( gfp_t)((((1UL))) << (3))))",
		8, 0x400);
	value_is("(((1UL)) << (10)) | ((1UL) << 3)", 8, 0x408);
	value_is("~0", 8, UINT64_MAX);
	value_is("~0", 4, UINT32_MAX);
	value_is("-1", 4, UINT32_MAX);
	value_is("(gfp_t)~0xffu & 0xfff", 8, 0xf00);
	/* C's precedence: + before <<, << before &, & before ^, ^ before |. */
	value_is("1 + 1 << 3", 8, 16);
	value_is("1 | 6 ^ 3 & 2 << 1", 8, 1 | (6 ^ (3 & (2 << 1))));
	value_is("8 - 2 - 1", 8, 5);
	value_is("256 >> 4 >> 1", 8, 8);
	/* Shifts beyond the word. */
	value_is("1 << 64", 8, 0);
	value_is("1 << 4294967295", 8, 0);
	value_is("1 << 63", 8, UINT64_C(1) << 63);
	value_is("1 << 63", 4, 0);
	value_is("1 >> 70", 8, 0);
	/* Line breaks and tabs, as they occur in print fmt. */
	value_is("\t(1\n<<\t4)", 8, 16);
}

static void test_faults(void **state)
{
	static const char *const exprs[] = {"", "GFP_KERNEL", "1 +", "(1", "1)", "1 << ", "0x",
		"1 2", "sizeof(int)", "1 ? 2 : 3"};
	char deep[4096];
	struct sm_arena arena = {0};
	const struct sm_flag_name *names;
	uint32_t n;

	(void)state;
	for (size_t i = 0; i < SM_ARRAY_SIZE(exprs); i++)
		bad(exprs[i]);
	/* 50 parentheses are read, 1000 are no expression that anybody wrote. */
	for (unsigned depth = 50; depth <= 1000; depth += 950) {
		memset(deep, '(', depth);
		deep[depth] = '7';
		memset(deep + depth + 1, ')', depth);
		deep[2 * depth + 1] = '\0';
		if (depth == 50)
			value_is(deep, 8, 7);
		else
			bad(deep);
		memset(deep, '~', depth);
		deep[depth] = '7';
		deep[depth + 1] = '\0';
		if (depth == 50)
			value_is(deep, 8, 7);
		else
			bad(deep);
	}
	/* A name without its end; no list at all. */
	names = parse(&arena, "{1, \"A\"}, {2, \"B", 8, &n);
	assert_true(n <= 2);
	assert_string_equal(names[0].name, "A");
	assert_true(sm_gfp_names_parse(&arena, "\"no flags here\"", 8, &names, &n));
	assert_int_equal(n, 0);
	assert_null(names);
	sm_arena_release(&arena);
}

/* Every prefix of a list is read without a step beyond its end. */
static void test_prefixes(void **state)
{
	static const char fmt[] = "gfp_flags, \"|\", {( unsigned long)((( gfp_t)(0x400u|0x800u)) | "
				  "(~( gfp_t)0x40u << 3)), \"GFP_KERNEL\" }, {0x1u, \"__GFP_DMA\"}";

	(void)state;
	for (size_t len = 0; len < sizeof(fmt); len++) {
		struct sm_arena arena = {0};
		const struct sm_flag_name *names;
		char *copy = strndup(fmt, len);
		uint32_t n;

		assert_true(sm_gfp_names_parse(&arena, copy, 8, &names, &n));
		free(copy);
		sm_arena_release(&arena);
	}
}

static void test_many(void **state)
{
	struct sm_arena arena = {0};
	struct sm_buf list = {0};
	uint32_t n;

	(void)state;
	for (unsigned i = 0; i < 400; i++)
		sm_buf_addf(&list, "%s{%u, \"F%u\"}", i ? ", " : "", i, i);
	parse(&arena, list.data, 8, &n);
	assert_true(n >= 64 && n <= 400);
	sm_buf_release(&list);
	sm_arena_release(&arena);
}

static void text_is(const struct sm_flag_name *names, uint32_t n, uint64_t gfp, const char *want)
{
	struct sm_buf b = {0};

	sm_gfp_format(names, n, gfp, &b);
	assert_string_equal(b.data, want);
	sm_buf_release(&b);
}

static void test_format(void **state)
{
	static const struct sm_flag_name names[] = {{0xcc0, "GFP_KERNEL"}, {0x820, "GFP_ATOMIC"},
		{0x100, "__GFP_ZERO"}, {0x40, "__GFP_IO"}, {0, "__GFP_NOTHING"},
		{UINT64_C(1) << 40, "__GFP_HIGH40"}};
	const uint32_t n = SM_ARRAY_SIZE(names);

	(void)state;
	text_is(names, n, 0, "none");
	text_is(names, n, 0xcc0, "GFP_KERNEL");
	text_is(names, n, 0xdc0, "GFP_KERNEL|__GFP_ZERO");
	/* Greedy, as the kernel: what a name took isn't named again. */
	text_is(names, n, 0xce0, "GFP_KERNEL|0x20");
	text_is(names, n, 0x140, "__GFP_ZERO|__GFP_IO");
	text_is(names, n, 0x1000000, "0x1000000");
	text_is(names, n, UINT64_C(1) << 40, "__GFP_HIGH40");
	text_is(NULL, 0, 0xcc0, "0xcc0");
	text_is(NULL, 0, UINT64_MAX, "0xffffffffffffffff");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_expressions),
		cmocka_unit_test(test_faults),
		cmocka_unit_test(test_prefixes),
		cmocka_unit_test(test_many),
		cmocka_unit_test(test_format),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
