/* SPDX-License-Identifier: GPL-2.0-or-later */
/* When events are missing: losses that the kernel tells of, damage, and where there are very many.
 */
#include "capture.h"

#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "lib/record/internal.h"

#define HEAD "kernel le 64 page 4096 format 7.2\ninclude symbols64.inc\nstep 1000\nat 1000000\n"

/* "cpuN FROM TO lost N unknown N damaged N" a line, after a run; ends as "-". */
static void expect_gaps(struct capture *c, const char *expected)
{
	struct sm_run_opts opts = {.threads = 2};
	const struct sm_gap *gaps;
	struct sm_buf text = {0};
	uint64_t lost = 0, unknown = 0;
	size_t n;

	sm_buf_adds(&text, "");
	expect_none(sm_trace_run(c->trace, &opts, NULL, NULL));
	gaps = sm_trace_gaps(c->trace, &n);
	for (size_t i = 0; i < n; i++) {
		sm_buf_addf(&text, "cpu%u %llu ", gaps[i].cpu, (unsigned long long)gaps[i].from);
		if (gaps[i].to == SM_GAP_OPEN)
			sm_buf_addc(&text, '-');
		else
			sm_buf_addf(&text, "%llu", (unsigned long long)gaps[i].to);
		sm_buf_addf(&text, " lost %llu unknown %llu damaged %llu\n",
			(unsigned long long)gaps[i].lost, (unsigned long long)gaps[i].lost_unknown,
			(unsigned long long)gaps[i].damaged);
		lost += gaps[i].lost;
		unknown += gaps[i].lost_unknown;
	}
	assert_string_equal(text.data ? text.data : "", expected);
	assert_int_equal(lost, c->trace->health.lost_events);
	assert_int_equal(unknown, c->trace->health.lost_unknown);
	sm_buf_release(&text);
}

static void test_losses(void **state)
{
	struct capture c;

	capture_play_file(*state, "capture", "lost.txt");
	capture_open(&c, *state, "capture", NULL);
	/* The first pages of CPU 1 tell of a loss before them. Each time twice: a second run tells
	 * the same. */
	for (int i = 0; i < 2; i++)
		expect_gaps(&c, "cpu1 0 1006000 lost 5 unknown 0 damaged 0\n"
				"cpu0 1001000 1001000 lost 37 unknown 0 damaged 0\n"
				"cpu0 1003000 1003000 lost 0 unknown 1 damaged 0\n"
				"cpu0 1005000 1005000 lost 0 unknown 1 damaged 0\n");
	capture_close(&c);
}

/* As the events', where the clock's ticks aren't ns. */
static void test_scaled(void **state)
{
	struct capture c;

	capture_make(&c, *state,
		HEAD "json {\"time\":{\"multiplier\":2048,\"shift\":10,\"offset_ns\":-1000}}\n"
		     "kfree ptr=0x1000\nat 5000000\npage lost 3\nkfree ptr=0x3000\n");
	expect_gaps(&c, "cpu0 1999000 9999000 lost 3 unknown 0 damaged 0\n");
	capture_close(&c);
}

static void test_none(void **state)
{
	struct capture c;

	capture_make(
		&c, *state, HEAD "kfree ptr=0x1000\npage\nkfree ptr=0x2000\ncpu 1\nkfree ptr=1\n");
	expect_gaps(&c, "");
	capture_close(&c);
}

/* From the last record that could be read to the next page; with the loss of that page it is one.
 */
static void test_damage(void **state)
{
	struct capture c;

	capture_make(&c, *state,
		HEAD "kfree ptr=0x1000\nrawwords 0\nkfree ptr=0x2000\n"
		     "at 5000000\npage lost 3\nkfree ptr=0x3000\n"
		     "at 6000000\npage\nkfree ptr=0x4000\n"
		     "zeropage\n"
		     "at 7000000\npage\nkfree ptr=0x5000\n"
		     "at 8000000\npage\nkfree ptr=0x6000\ncutpage 24\n");
	expect_gaps(&c, "cpu0 1000000 5000000 lost 3 unknown 0 damaged 1\n"
			"cpu0 6000000 7000000 lost 0 unknown 0 damaged 1\n"
			"cpu0 8000000 - lost 0 unknown 0 damaged 1\n");
	capture_close(&c);
}

/* The list stays small, nothing is forgotten, and what was a gap stays one. */
static void test_many(void **state)
{
	struct gap_list list = {0}, all = {0};
	uint64_t lost = 0, n = MAX_GAPS * 5 + 3, sum = 0;

	(void)state;
	for (uint64_t i = 0; i < n; i++) {
		assert_true(sm_gaps_add(&list,
			&(struct sm_gap){.from = i * 10, .to = i * 10 + 5, .lost = i, .cpu = 7}));
		assert_true(list.n <= MAX_GAPS);
		lost += i;
	}
	for (uint64_t i = 0, at = 0; i < n; i++) {
		while (at < list.n && list.items[at].to < i * 10 + 5)
			at++;
		assert_true(at < list.n && list.items[at].from <= i * 10);
	}
	assert_true(sm_gaps_move(&all, &list));
	assert_int_equal(list.n, 0);
	sm_gaps_finish(&all, &(struct clock_scale){0});
	for (size_t i = 0; i < all.n; i++) {
		assert_true(i == 0 || all.items[i - 1].to <= all.items[i].from);
		sum += all.items[i].lost;
	}
	assert_int_equal(sum, lost);
	sm_gaps_release(&all);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_losses, scratch_setup, scratch_teardown),
		cmocka_unit_test_setup_teardown(test_scaled, scratch_setup, scratch_teardown),
		cmocka_unit_test_setup_teardown(test_none, scratch_setup, scratch_teardown),
		cmocka_unit_test_setup_teardown(test_damage, scratch_setup, scratch_teardown),
		cmocka_unit_test(test_many),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
