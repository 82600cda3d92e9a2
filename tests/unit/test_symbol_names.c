/* SPDX-License-Identifier: GPL-2.0-or-later */
/* From names to addresses. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

#include <smtool/view.h>

#include "scratch.h"

#define BASE UINT64_C(0xffffffff81000000)

static const char KALLSYMS[] = "ffffffff81000000 T _stext\n"
			       "ffffffff81001000 t init_once\n"
			       "ffffffff81001040 T middle\n"
			       "ffffffff81001040 T alias\n"
			       "ffffffff81002000 t init_once\n"
			       "ffffffff81002080 T last\n"
			       "ffffffff81004000 T _etext\n"
			       "ffffffffc0001000 t init_once\t[some]\n"
			       "ffffffffc0001030 t only_here\t[some]\n"
			       "ffffffffc0101000 t init_once\t[other]\n";

static struct sm_symbols *open_symbols(const struct scratch *s, const char *text, size_t len)
{
	struct sm_symbols_opts opts = {.no_debug = true};
	struct sm_symbols *syms;

	scratch_write(s, "kallsyms", text, len);
	opts.kallsyms = scratch_path(s, "kallsyms");
	assert_null(sm_symbols_open(NULL, &opts, &syms));
	return syms;
}

static int compare(const void *a, const void *b)
{
	const struct sm_symbol *x = a, *y = b;

	return x->start < y->start ? -1 : x->start > y->start;
}

/* "OFFSET/SIZE [MODULE]" from BASE on, in the order of addresses. */
static void expect_named(
	const struct sm_symbols *syms, const char *module, const char *name, const char *want)
{
	struct sm_symbol found[8];
	struct sm_buf text = {0};
	size_t n = sm_symbols_named(syms, module, name, found, SM_ARRAY_SIZE(found));

	assert_int_equal(n, sm_symbols_named(syms, module, name, NULL, 0));
	assert_true(n <= SM_ARRAY_SIZE(found));
	qsort(found, n, sizeof(*found), compare);
	sm_buf_adds(&text, "");
	for (size_t i = 0; i < n; i++) {
		assert_string_equal(found[i].name, name);
		assert_int_equal(found[i].offset, 0);
		sm_buf_addf(&text, "%s%llx/%llx", i ? " " : "",
			(unsigned long long)(found[i].start - BASE),
			(unsigned long long)found[i].size);
		if (found[i].module)
			sm_buf_addf(&text, "[%s]", found[i].module);
	}
	assert_string_equal(text.data, want);
	sm_buf_release(&text);
}

static void test_named(void **state)
{
	struct sm_symbols *syms = open_symbols(*state, KALLSYMS, sizeof(KALLSYMS) - 1);

	expect_named(syms, NULL, "init_once", "1000/40 2000/80");
	expect_named(syms, "some", "init_once", "3f001000/30[some]");
	expect_named(syms, "", "only_here", "3f001030/fd0[some]");
	expect_named(syms, NULL, "only_here", "");
	expect_named(syms, "other", "only_here", "");
	expect_named(syms, "none", "init_once", "");
	/* Both names of a place. */
	expect_named(syms, NULL, "middle", "1040/fc0");
	expect_named(syms, NULL, "alias", "1040/fc0");
	expect_named(syms, NULL, "nobody", "");
	expect_named(syms, "", "", "");
	sm_symbols_free(syms);
}

/* Equal names don't cost more than others. */
static void test_many_equal(void **state)
{
	const size_t n = 200000;
	char *text = malloc(n * 32), *p = text;
	struct sm_symbols *syms;

	assert_non_null(text);
	for (size_t i = 0; i < n; i++)
		p += sprintf(p, "%016llx t same\n", (unsigned long long)(BASE + i * 16));
	syms = open_symbols(*state, text, (size_t)(p - text));
	assert_int_equal(sm_symbols_named(syms, NULL, "same", NULL, 0), n);
	sm_symbols_free(syms);
	free(text);
}

/* ADDR... as they are asked for, to "ADDRESS" or "?" or "N:LOWEST". */
static void expect_resolved(const struct sm_symbols *syms, const char *text, const char *want)
{
	const char *p = text, *end = text + strlen(text);
	struct sm_buf have = {0};
	struct sm_mention m;
	bool found;

	sm_buf_adds(&have, "");
	for (;;) {
		uint64_t ip = 0;
		size_t n;

		assert_null(sm_mention_take(&p, end, &m, &found));
		if (!found)
			break;
		n = sm_mention_resolve(syms, &m, true, &ip);
		if (have.len)
			sm_buf_addc(&have, ' ');
		if (n > 1)
			sm_buf_addf(&have, "%zu:", n);
		if (n)
			sm_buf_addf(&have, "%llx", (unsigned long long)ip);
		else
			sm_buf_addc(&have, '?');
	}
	assert_string_equal(have.data, want);
	sm_buf_release(&have);
}

static void test_resolve(void **state)
{
	struct sm_symbols *syms = open_symbols(*state, KALLSYMS, sizeof(KALLSYMS) - 1);

	expect_resolved(syms, "ffffffff81001044 0xFFFFFFFF81001044 12",
		"ffffffff81001044 "
		"ffffffff81001044 12");
	expect_resolved(syms, "middle+0x4/0xfc0 last", "ffffffff81001044 ffffffff81002080");
	/* Begins like a number. */
	expect_resolved(syms, "alias", "ffffffff81001040");
	/* The size tells which of two; without it the lowest is taken. */
	expect_resolved(syms, "init_once+0x8/0x80 init_once+0x8 init_once+0x60",
		"ffffffff81002008 2:ffffffff81001008 ffffffff81002060");
	expect_resolved(syms, "init_once+0x8/0x44 middle+0x1000 middle+0xfc0/0xfc0",
		"? ? ffffffff81002000");
	expect_resolved(syms, "init_once+0x8/0x30 [some]\n\tonly_here+0x1 last+0x0 [some]",
		"ffffffffc0001008 ffffffffc0001031 ?");
	expect_resolved(syms, " \t\r\n", "");
	expect_resolved(NULL, "0x12 last", "12 ?");
	sm_symbols_free(syms);
}

static void refuse(const char *text)
{
	const char *p = text;
	struct sm_error *err;
	struct sm_mention m;
	bool found;

	err = sm_mention_take(&p, text + strlen(text), &m, &found);
	assert_non_null(err);
	assert_int_equal(err->code, SM_E_FORMAT);
	/* The word is taken: what follows can be. */
	assert_true(found && m.text == text && p == text + m.len);
	assert_true(!*p || *p == ' ');
	sm_error_free(err);
}

static void test_refused(void **state)
{
	char long_name[600];

	(void)state;
	refuse("0x");
	refuse("0x12g 1");
	refuse("12345678901234567");
	refuse("9lives");
	refuse("name+");
	refuse("name+12");
	refuse("name+0x1/ 2");
	refuse("name+0x1/0x12345678901234567");
	refuse("a,b");
	refuse("[some]");
	refuse("\x1b[1m");
	memset(long_name, 'n', sizeof(long_name) - 1);
	long_name[sizeof(long_name) - 1] = '\0';
	refuse(long_name);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_named, scratch_setup, scratch_teardown),
		cmocka_unit_test_setup_teardown(test_many_equal, scratch_setup, scratch_teardown),
		cmocka_unit_test_setup_teardown(test_resolve, scratch_setup, scratch_teardown),
		cmocka_unit_test(test_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
