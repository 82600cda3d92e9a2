/* SPDX-License-Identifier: GPL-2.0-or-later */
/* allocinfo: places in the source, and what they are called. */
#include "scratch.h"

#include <setjmp.h>
#include <stdlib.h>

#include <cmocka.h>

#include <smtool/record.h>
#include <smtool/table.h>

struct opened {
	struct sm_source *src;
	struct sm_trace *trace;
};

static void open_text(const struct scratch *s, const char *text, struct opened *o)
{
	static const struct sm_trace_opts opts = {0};

	scratch_write(s, "text", text, strlen(text));
	o->src = scratch_open(s, "text");
	assert_null(sm_trace_open(o->src, &opts, &o->trace));
	assert_string_equal(o->trace->text.kind, "allocinfo");
}

static void close_text(struct opened *o)
{
	sm_trace_free(o->trace);
	sm_source_free(o->src);
}

static const struct sm_frame *frame_of(const struct opened *o, size_t row)
{
	struct sm_stack stack =
		sm_stacks_get(o->trace->stacks, o->trace->imported->rows[row].stack);

	assert_int_equal(stack.depth, 1);
	return sm_frames_get(o->trace->frames, stack.ips[0]);
}

static void lines(void **state)
{
	static const struct {
		const char *line, *function, *module, *file;
		uint32_t number;
		uint64_t bytes, count;
	} LINES[] = {
		{"        4096        1 mm/slub.c:123 func:f ", "f", NULL, "mm/slub.c", 123, 4096,
			1},
		{"1 0 a.c:1 func:f", "f", NULL, "a.c", 1, 1, 0},
		{"0 7 a.c:2 func:f", "f", NULL, "a.c", 2, 0, 7},
		{"5 6 a.c:3 [mod] func:f accurate:no ", "f", "mod", "a.c", 3, 5, 6},
		{"5 6 a b:c.c:4 [mod] func:f new:yes accurate:no", "f", "mod", "a b:c.c", 4, 5, 6},
		{"9223372036854769999 9 a.c:4294967295 func:f", "f", NULL, "a.c", UINT32_MAX,
			UINT64_C(9223372036854769999), 9},
	};
	struct sm_buf text = {0};
	struct opened o;

	sm_buf_adds(&text, "allocinfo - version: 2.0\n#     <size>  <calls> <tag info>\n");
	for (size_t i = 0; i < SM_ARRAY_SIZE(LINES); i++)
		sm_buf_addf(&text, "%s\n", LINES[i].line);
	open_text(*state, text.data, &o);
	assert_int_equal(o.trace->text.unknown_lines, 0);
	assert_int_equal(o.trace->text.inaccurate, 1);
	assert_int_equal(o.trace->imported->nrows, SM_ARRAY_SIZE(LINES));
	for (size_t i = 0; i < SM_ARRAY_SIZE(LINES); i++) {
		const struct sm_imported_row *row = &o.trace->imported->rows[i];
		const struct sm_frame *f = frame_of(&o, i);

		assert_string_equal(f->symbol, LINES[i].function);
		if (LINES[i].module)
			assert_string_equal(f->module, LINES[i].module);
		else
			assert_null(f->module);
		assert_int_equal(f->nlines, 1);
		assert_string_equal(f->lines[0].file, LINES[i].file);
		assert_int_equal(f->lines[0].line, LINES[i].number);
		assert_int_equal(row->m[SM_M_LIVE_BYTES], LINES[i].bytes);
		assert_int_equal(row->m[SM_M_LIVE_COUNT], LINES[i].count);
	}
	sm_buf_release(&text);
	close_text(&o);
}

static void not_understood(void **state)
{
	static const char *const LINES[] = {"hello", "1 2 a.c func:f", "1 2 a.c:x func:f",
		"1 2 :3 func:f", "1 2 a.c:3 fun:f", "1 2 a.c:3 func:", "1 2 a.c:3 func: x",
		"x 2 a.c:3 func:f", "1 -2 a.c:3 func:f", "1 2 a.c:4294967296 func:f",
		"99999999999999999999 2 a.c:3 func:f", "1 2 [m] func:f", "1 2 a.c:3 [] func:f",
		"1 2 a.c:3 m] func:f", "1.5M 2 a.c:3 func:f"};
	struct sm_buf text = {0};
	struct opened o;

	sm_buf_adds(&text, "allocinfo - version: 1.0\n1 2 good.c:3 func:f\n");
	for (size_t i = 0; i < SM_ARRAY_SIZE(LINES); i++)
		sm_buf_addf(&text, "%s\n", LINES[i]);
	open_text(*state, text.data, &o);
	assert_int_equal(o.trace->imported->nrows, 1);
	assert_int_equal(o.trace->text.unknown_lines, SM_ARRAY_SIZE(LINES));
	assert_int_equal(o.trace->text.unknown_line, 3);
	assert_int_equal(o.trace->health.unknown_lines, SM_ARRAY_SIZE(LINES));
	assert_null(o.trace->damage);
	sm_buf_release(&text);
	close_text(&o);
}

/* Two tags of one function are two places, whichever order they come in. */
static void keys(void **state)
{
	struct sm_symbols_opts opts = {.none = true};
	struct sm_symbols *syms;
	struct sm_buf text = {0};
	struct opened o;
	uint64_t key[3];

	open_text(*state, "1 1 a.c:1 func:f\n1 1 a.c:2 func:f\n1 1 b.c:1 func:f\n", &o);
	opts.frames = o.trace->frames;
	assert_null(sm_symbols_open(NULL, &opts, &syms));
	for (uint32_t i = 0; i < 3; i++) {
		struct sm_stack stack = sm_stacks_get(o.trace->stacks, i);

		key[i] = sm_stack_key(syms, stack.ips, 1);
		assert_non_null(sm_symbols_tag(syms, stack.ips[0]));
		sm_buf_reset(&text);
		sm_symbols_format(syms, stack.ips[0], &text);
		assert_string_equal(text.data, "f");
	}
	assert_true(key[0] != key[1] && key[0] != key[2] && key[1] != key[2]);
	sm_symbols_free(syms);
	close_text(&o);
	open_text(*state, "9 9 a.c:2 func:f\n", &o);
	opts.frames = o.trace->frames;
	assert_null(sm_symbols_open(NULL, &opts, &syms));
	assert_int_equal(sm_stack_key(syms, sm_stacks_get(o.trace->stacks, 0).ips, 1), key[1]);
	sm_symbols_free(syms);
	sm_buf_release(&text);
	close_text(&o);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(lines, scratch_setup, scratch_teardown),
		cmocka_unit_test_setup_teardown(not_understood, scratch_setup, scratch_teardown),
		cmocka_unit_test_setup_teardown(keys, scratch_setup, scratch_teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
