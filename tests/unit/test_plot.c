/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Axes of round numbers, and names that tell series apart. */
#include "capture.h"

#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "lib/view/plot_axis.h"

static void test_scale(void **state)
{
	uint64_t random = 5;

	(void)state;
	for (unsigned i = 0; i < 20000; i++) {
		uint64_t most = next_random(&random) >> random_below(&random, 64);
		unsigned labels = 2 + (unsigned)random_below(&random, 8);
		bool bytes = random_below(&random, 2);
		uint64_t top, step, digit;

		axis_scale(most, bytes, labels, &top, &step);
		assert_true(top >= most && step && top >= step);
		/* Little is wasted, and there is a label. */
		assert_true(top == step || top - most <= (step < 4 ? step : step / 4));
		assert_true(most / step < labels || step > UINT64_MAX / 40);
		if (bytes) {
			assert_int_equal(step & (step - 1), 0);
			continue;
		}
		for (digit = step; digit % 10 == 0;)
			digit /= 10;
		assert_true(digit == 1 || digit == 2 || digit == 5);
	}
	axis_scale(UINT64_MAX, true, 5, &(uint64_t){0}, &(uint64_t){0});
	axis_scale(0, false, 5, &(uint64_t){0}, &(uint64_t){0});
}

static void test_time_step(void **state)
{
	uint64_t random = 6;

	(void)state;
	for (unsigned i = 0; i < 20000; i++) {
		uint64_t window = next_random(&random) >> random_below(&random, 64);
		uint64_t n = 1 + random_below(&random, 30), step = axis_time_step(window, n), digit;

		assert_true(window / step <= n || step > UINT64_MAX / 40);
		/* A smaller one would be too small. */
		assert_true(step == 1 || window / (step / 2 + (step % 10 == 5)) > n ||
			    window / (step / 5 * 2) > n);
		for (digit = step; digit % 10 == 0;)
			digit /= 10;
		assert_true(digit == 1 || digit == 2 || digit == 5);
	}
}

static void test_times(void **state)
{
	static const struct {
		uint64_t ns, step;
		const char *text;
	} cases[] = {
		{0, 1, "0.000000000"},
		{1500000000, 500000000, "1.5"},
		{20000000, 20000000, "0.02"},
		{3000000000, 1000000000, "3"},
		{100000000000, 50000000000, "100"},
		{1000000005, 5, "1.000000005"},
	};

	(void)state;
	for (size_t i = 0; i < SM_ARRAY_SIZE(cases); i++) {
		struct sm_buf b = {0};

		axis_time_text(cases[i].ns, cases[i].step, &b);
		assert_string_equal(b.data, cases[i].text);
		sm_buf_release(&b);
	}
}

/* ---- names ---- */

#define HEAD "kernel le 64 page 4096 format 7.2\ninclude symbols64.inc\nat 1000\n"

static void expect_names(void **state, const char *script, const char *const *expected, size_t n)
{
	static const struct sm_symbols_opts symbols;
	const struct sm_profile_opts opts = {0};
	const struct sm_table_opts topts = {.by = SM_M_BYTES, .no_skip = true};
	struct sm_timeline t = {.nseries = n + 1};
	struct sm_timeline_view view = {.timeline = &t, .by = SM_M_BYTES};
	struct series_names names;
	struct sm_symbols *syms;
	struct sm_buf sink = {0};
	struct sm_table *table;
	struct sm_profile *p;
	struct capture c;
	struct sm_out out;

	capture_make(&c, *state, script);
	expect_none(sm_symbols_open(c.src, &symbols, &syms));
	p = capture_profile(&c, &opts);
	expect_none(sm_table_build(p, syms, &topts, &table));
	assert_int_equal(table->nrows, n);
	expect_none(sm_out_init_buf(&out, &sink));
	view.table = table;
	view.profile = p;
	series_names_make(&names, &view, &out);
	assert_int_equal(names.n, n + 1);
	for (size_t i = 0; i < n; i++)
		assert_string_equal(names.items[i], expected[i]);
	assert_string_equal(names.items[n], "[others]");
	series_names_release(&names);
	expect_none(sm_out_finish(&out));
	sm_buf_release(&sink);
	sm_table_free(table);
	sm_profile_free(p);
	sm_symbols_free(syms);
	capture_close(&c);
}

static void test_names(void **state)
{
	static const char *const functions[] = {"do_work", "irq_work"};
	static const char *const callers[] = {
		"do_work <- sys_call", "do_work <- entry", "do_work <- irq_work", "irq_work"};
	static const char *const deep[] = {
		"do_work <- .. <- entry", "do_work <- .. <- free_work", "do_work <- sys_call"};
	static const char *const places[] = {
		"do_work+0x20 <- sys_call+0x30", "do_work+0x20 <- sys_call+0x38", "do_work+0x60"};

	expect_names(state,
		HEAD "kmalloc ptr=1 alloc=64\nstack do_work+0x20 sys_call+0x30\n"
		     "kmalloc ptr=2 alloc=32\nstack irq_work+0x20 sys_call+0x30\n",
		functions, 2);
	expect_names(state,
		HEAD "kmalloc ptr=1 alloc=64\nstack do_work+0x20 sys_call+0x30\n"
		     "kmalloc ptr=2 alloc=32\nstack do_work+0x20 entry+0x10\n"
		     "kmalloc ptr=3 alloc=16\nstack do_work+0x28 irq_work+0x10\n"
		     "kmalloc ptr=4 alloc=8\nstack irq_work+0x28 entry+0x10\n",
		callers, 4);
	/* The last one is all that the others have in common. */
	expect_names(state,
		HEAD "kmalloc ptr=1 alloc=64\nstack do_work+0x20 sys_call+0x30 entry+0x10\n"
		     "kmalloc ptr=2 alloc=32\nstack do_work+0x20 sys_call+0x30 free_work+0x10\n"
		     "kmalloc ptr=3 alloc=16\nstack do_work+0x20 sys_call+0x30\n",
		deep, 3);
	expect_names(state,
		HEAD "kmalloc ptr=1 alloc=64\nstack do_work+0x20 sys_call+0x30\n"
		     "kmalloc ptr=2 alloc=32\nstack do_work+0x20 sys_call+0x38\n"
		     "kmalloc ptr=3 alloc=16\nstack do_work+0x60 sys_call+0x38\n",
		places, 3);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_scale),
		cmocka_unit_test(test_time_step),
		cmocka_unit_test(test_times),
		cmocka_unit_test_setup_teardown(test_names, scratch_setup, scratch_teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
