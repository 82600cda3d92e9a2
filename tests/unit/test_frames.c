/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Frames that have names already: kept once, and told by the symbols as any other. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>

#include <smtool/symbol.h>
#include <smtool/table.h>

static void each_once(void **state)
{
	struct sm_frames *f;
	char name[32];
	uint64_t first[3000];

	(void)state;
	assert_null(sm_frames_new(&f));
	for (unsigned round = 0; round < 2; round++) {
		for (unsigned i = 0; i < SM_ARRAY_SIZE(first); i++) {
			struct sm_line line = {.function = name, .file = "a.c", .line = i % 3};
			struct sm_frame frame = {
				.symbol = name, .offset = i, .lines = &line, .nlines = 1};
			uint64_t ip;

			snprintf(name, sizeof(name), "f%u", i / 3);
			ip = sm_frames_add(f, &frame);
			assert_true(sm_is_named(ip));
			if (round)
				assert_int_equal(ip, first[i]);
			first[i] = ip;
		}
		assert_int_equal(sm_frames_count(f), SM_ARRAY_SIZE(first));
	}
	assert_string_equal(sm_frames_get(f, first[3])->symbol, "f1");
	assert_string_equal(sm_frames_get(f, first[3])->lines[0].function, "f1");
	assert_null(sm_frames_get(f, SM_FRAME_TAG | SM_ARRAY_SIZE(first)));
	assert_null(sm_frames_get(f, 5));
	sm_frames_free(f);
}

static void many_lines(void **state)
{
	struct sm_line lines[100];
	struct sm_frame frame = {.symbol = "f", .lines = lines, .nlines = SM_ARRAY_SIZE(lines)};
	struct sm_frames *f;
	uint64_t ip;

	(void)state;
	for (unsigned i = 0; i < SM_ARRAY_SIZE(lines); i++)
		lines[i] = (struct sm_line){.function = "inner", .line = i};
	assert_null(sm_frames_new(&f));
	ip = sm_frames_add(f, &frame);
	lines[99].line = 5;
	assert_int_not_equal(sm_frames_add(f, &frame), ip);
	assert_int_equal(sm_frames_get(f, ip)->lines[99].line, 99);
	sm_frames_free(f);
}

static void symbols_tell_them(void **state)
{
	static const struct sm_line lines[] = {{"inner", "a.h", 3}, {"outer", "a.c", 9}};
	struct sm_symbols_opts opts = {.none = true, .no_debug = true};
	const struct sm_line *told;
	struct sm_symbols *syms;
	struct sm_frames *f;
	struct sm_symbol sym;
	struct sm_buf text = {0};
	uint64_t ip, hex;

	(void)state;
	assert_null(sm_frames_new(&f));
	ip = sm_frames_add(f, &(struct sm_frame){.symbol = "next",
				      .size = 0x10,
				      .module = "m",
				      .build_id = "abcd",
				      .caller = "outer",
				      .caller_offset = 0x40,
				      .caller_size = 0x40,
				      .lines = lines,
				      .nlines = 2});
	hex = sm_frames_add(f, &(struct sm_frame){.address = 0xffffffff81000123});
	opts.frames = f;
	assert_null(sm_symbols_open(NULL, &opts, &syms));
	assert_true(sm_symbols_find(syms, ip, &sym));
	assert_string_equal(sym.name, "next");
	assert_string_equal(sm_symbols_build_id_at(syms, ip, &sym), "abcd");
	assert_true(sm_symbols_find_caller(syms, ip, &sym));
	assert_string_equal(sym.name, "outer");
	assert_int_equal(sym.offset, 0x40);
	assert_int_equal(sm_symbols_lines(syms, ip, SM_ADDRESS_RETURN, &told), 2);
	assert_int_equal(told[1].line, 9);
	assert_int_equal(sm_symbols_shown_address(syms, ip), 0);
	assert_false(sm_symbols_find(syms, hex, &sym));
	assert_int_equal(sm_symbols_shown_address(syms, hex), 0xffffffff81000123);
	sm_symbols_format(syms, ip, &text);
	sm_buf_addc(&text, ' ');
	sm_symbols_format(syms, hex, &text);
	assert_string_equal(text.data, "next+0x0/0x10 [m] 0xffffffff81000123");
	/* As that of the address itself, where that has no name. */
	assert_int_equal(sm_stack_key(syms, &hex, 1),
		sm_stack_key(NULL, &(uint64_t){0xffffffff81000123}, 1));
	sm_buf_release(&text);
	sm_symbols_free(syms);
	sm_frames_free(f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_once),
		cmocka_unit_test(many_lines),
		cmocka_unit_test(symbols_tell_them),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
