/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Addresses in text, and what is added behind them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <cmocka.h>

#include "lib/view/mention.h"
#include "scratch.h"

/* Each as text, in brackets where it is exact. From a copy without a byte behind its end. */
static void finds(const char *line, const char *want)
{
	size_t len = strlen(line), pos = 0, from = 0;
	char *copy = malloc(len ? len : 1);
	struct sm_buf have = {0};
	struct sm_mention m;

	assert_non_null(copy);
	memcpy(copy, line, len);
	sm_buf_adds(&have, "");
	while (mention_next(copy, len, &pos, &m)) {
		bool exact = mention_is_exact(copy, from, (size_t)(m.text - copy));

		from = pos;
		assert_true(m.text >= copy && m.text + m.len == copy + pos);
		sm_buf_adds(&have, have.len ? "|" : "");
		sm_buf_adds(&have, exact ? "(" : "");
		sm_buf_add(&have, m.text, m.len);
		sm_buf_adds(&have, exact ? ")" : "");
	}
	assert_int_equal(pos, len);
	assert_string_equal(have.data, want);
	sm_buf_release(&have);
	free(copy);
}

static void test_names(void **state)
{
	(void)state;
	finds("RIP: 0010:do_work+0x12/0x40 Code: 12", "(do_work+0x12/0x40)");
	finds("[    1.234567]  ? do_work.isra.0+0x12/0x40", "do_work.isra.0+0x12/0x40");
	finds(" open+0x4/0x30 [some]", "open+0x4/0x30 [some]");
	finds(" open+0x4/0x30 [nf_x-y 0123456789abcdef] (P)", "open+0x4/0x30 [nf_x-y "
							      "0123456789abcdef]");
	finds(" open+0x4/0x30 [not this!]", "open+0x4/0x30");
	finds(" open+0x4/0x30 []", "open+0x4/0x30");
	finds(" open+0x4/0x30 [some", "open+0x4/0x30");
	finds("pc : a+0x1/0x2 lr : b+0x3/0x4", "(a+0x1/0x2)|b+0x3/0x4");
	finds("PC is at a+0x1/0x2", "(a+0x1/0x2)");
	finds("WARNING: CPU: 1 PID: 2 at mm/slub.c:12 a+0x1/0x2", "(a+0x1/0x2)");
	finds("caller=a+0x1/0x2,b+0x1", "a+0x1/0x2|b+0x1");
	finds("a+0x1/0xg", "a+0x1");
	finds("a+0x1/0x", "a+0x1");
	finds("a+0x a+1 a+ +0x1 9a+0x1 0x1+0x2", "0x1");
	finds("a+0x12345678901234567", "");
	finds("a+0x1/0x12345678901234567", "a+0x1");
	finds("", "");
}

static void test_numbers(void **state)
{
	(void)state;
	finds("call_site=0xffffffff81000010 ptr=0x0", "0xffffffff81000010|0x0");
	finds("[<ffffffff81000010>] a+0x1/0x2", "ffffffff81000010>]|a+0x1/0x2");
	finds("[ffffffff81000010]", "ffffffff81000010]");
	finds("[    1.2] ffffffff81000010 T _stext", "ffffffff81000010");
	finds("\tffffffff81000010 _stext+0x10 ([kernel.kallsyms])", "ffffffff81000010|_stext+0x10");
	/* Registers hold numbers that only look like code. */
	finds("RAX: ffffffff81000010 RBX: 0000000000000000", "");
	finds("RSP: 0018:ffffc90000013e68 EFLAGS: 00000246", "");
	finds("ffffffff8100001 0xffffffff810000100 0xg 0x", "");
}

static void test_traced(void **state)
{
	(void)state;
	finds(" => do_work", "do_work");
	finds(" => do_work\r\n", "do_work");
	finds(" => do_work+0x1/0x2 [some]", "do_work+0x1/0x2 [some]");
	finds(" => do work", "");
	finds("x=> do_work.", "do_work.");
	finds("=>do_work", "");
}

/* Any text costs no more than its length. */
static void test_long(void **state)
{
	static const char *const parts[] = {"1234567890123456 ", "=> ", "a+0x1 [", "0x1 ", "[<",
		"a+0x1/0x2 [b 0123456789abcdef0123456789abcdef", "RIP:", "    "};
	size_t size = 1 << 20;
	char *text = malloc(size);

	(void)state;
	assert_non_null(text);
	for (size_t i = 0; i < SM_ARRAY_SIZE(parts); i++) {
		size_t len = strlen(parts[i]), pos = 0, from = 0, n = 0;
		struct sm_mention m;

		for (size_t at = 0; at < size; at++)
			text[at] = parts[i][at % len];
		while (mention_next(text, size, &pos, &m)) {
			n += mention_is_exact(text, from, (size_t)(m.text - text));
			assert_true(pos > from);
			from = pos;
		}
		assert_int_equal(n, 0);
	}
	free(text);
}

/* ---- the filter, without debug information ---- */

static const char KALLSYMS[] = "ffffffff81000000 T _stext\n"
			       "ffffffff81001000 t do_work\n"
			       "ffffffff81001040 T next\n"
			       "ffffffff81004000 T _etext\n"
			       "ffffffffc0001000 t open\t[some]\n";

static void filters(
	void **state, const struct sm_filter_opts *opts, const char *text, const char *want)
{
	struct sm_symbols_opts symbols = {.no_debug = true};
	struct sm_buf have = {0};
	struct sm_symbols *syms;
	struct sm_filter *f;
	struct sm_out out;

	scratch_write(*state, "kallsyms", KALLSYMS, sizeof(KALLSYMS) - 1);
	symbols.kallsyms = scratch_path(*state, "kallsyms");
	assert_null(sm_symbols_open(NULL, &symbols, &syms));
	assert_null(sm_out_init_buf(&out, &have));
	f = sm_filter_new(syms, opts, &out);
	assert_non_null(f);
	sm_filter_write(f, text, strlen(text));
	sm_filter_free(f);
	assert_null(sm_out_finish(&out));
	assert_string_equal(have.data, want);
	sm_buf_release(&have);
	sm_symbols_free(syms);
}

static void test_filter(void **state)
{
	static const struct sm_filter_opts plain;

	filters(state, &plain,
		"x=0xffffffff81001010 y=0x1\r\n"
		"[<ffffffff81001010>] do_work+0x10/0x40\n"
		"[<ffffffff81001010>] ? do_work+0x10/0x40\n"
		"RIP: 0010:[<ffffffff81001010>]  [<ffffffff81001010>] what\n"
		" => do_work+0x10/0x40 <ffffffff81001010>\n"
		"0xffffffff81001010 <0xffffffff81001012>\n"
		" \x1b[1m\x80 0xffffffffc0001004",
		"x=0xffffffff81001010 (do_work+0x10/0x40) y=0x1\r\n"
		"[<ffffffff81001010>] do_work+0x10/0x40\n"
		"[<ffffffff81001010>] ? do_work+0x10/0x40\n"
		"RIP: 0010:[<ffffffff81001010>]  [<ffffffff81001010>] (do_work+0x10/0x40) what\n"
		" => do_work+0x10/0x40 <ffffffff81001010>\n"
		"0xffffffff81001010 (do_work+0x10/0x40) "
		"<0xffffffff81001012> (do_work+0x12/0x40)\n"
		" \x1b[1m\x80 0xffffffffc0001004 (open+0x4/0x1000 [some])");
	/* A function's beginning is itself; the byte behind a call that ends one is the caller's.
	 */
	filters(state, &plain, "f=0xffffffff81001000 g=0xffffffff81001041",
		"f=0xffffffff81001000 (do_work+0x0/0x40) g=0xffffffff81001041 (next+0x1/0x2fc0)");
}

static void test_filter_terminal(void **state)
{
	static const struct sm_filter_opts opts = {.color = true, .escape = true};

	filters(state, &opts, "\ta\x1b[1m\x80\r\n\rb\n 0xffffffff81001010\n",
		"\ta\\x1b[1m\\x80\r\n\\x0db\n 0xffffffff81001010 "
		"\x1b[36m(do_work+0x10/0x40)\x1b[0m\n");
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_names),
		cmocka_unit_test(test_numbers),
		cmocka_unit_test(test_traced),
		cmocka_unit_test(test_long),
		cmocka_unit_test_setup_teardown(test_filter, scratch_setup, scratch_teardown),
		cmocka_unit_test_setup_teardown(
			test_filter_terminal, scratch_setup, scratch_teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
