/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which event a stack belongs to. */
#include "capture.h"

#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#define KERNEL                                \
	"kernel le 64 page 4096 format 7.2\n" \
	"include symbols64.inc\n"             \
	"step 1\nat 100\n"

/* What the run of `script` prints, the same with any number of threads, and its health. */
static struct sm_health events_are(void **state, const char *script, const char *want)
{
	struct sm_health health = {0};
	struct capture c;

	capture_make(&c, *state, script);
	for (unsigned threads = 1; threads <= 4; threads++) {
		char *have = capture_events(&c, threads);

		assert_string_equal(have, want);
		if (threads > 1)
			assert_memory_equal(&health, &c.trace->health, sizeof(health));
		health = c.trace->health;
		free(have);
	}
	capture_close(&c);
	return health;
}

static void test_nested(void **state)
{
	struct sm_health h = events_are(state,
		KERNEL "kmalloc pid=100 site=1 ptr=0x100 req=1\n"
		       "kmalloc pid=100 ctx=softirq site=2 ptr=0x200 req=1\n"
		       "kmalloc pid=100 ctx=irq site=3 ptr=0x300 req=1\n"
		       "kmalloc pid=100 ctx=nmi site=4 ptr=0x400 req=1\n"
		       "stack 4\n"
		       "stack 3 pid=100 ctx=irq\n"
		       "kmalloc pid=100 ctx=irq site=5 ptr=0x500 req=1\n"
		       "stack 5\n"
		       "stack 2 pid=100 ctx=softirq\n"
		       "stack 1 pid=100 ctx=task\n",
		"cpu0 100 kmalloc 1\n"
		"cpu0 101 kmalloc 2\n"
		"cpu0 102 kmalloc 3\n"
		"cpu0 103 kmalloc 4\n"
		"cpu0 104 kmalloc 5\n");

	assert_int_equal(h.orphan_stacks, 0);
	assert_int_equal(h.no_stack, 0);
	assert_int_equal(h.stray_call_sites, 0);
	assert_int_equal(h.events, 5);
}

/* The preempt count tells contexts apart as well; other bits of the flags don't. */
static void test_context(void **state)
{
	struct sm_health h = events_are(state,
		KERNEL "kmalloc pid=100 flags=1 preempt=0 site=1 ptr=0x100 req=1\n"
		       "kmalloc pid=100 flags=1 preempt=2 site=2 ptr=0x200 req=1\n"
		       "stack 1 pid=100 flags=0 preempt=0\n"
		       "stack 2 pid=100 flags=4 preempt=2\n",
		"cpu0 100 kmalloc 1\n"
		"cpu0 101 kmalloc 2\n");

	assert_int_equal(h.orphan_stacks, 0);
}

/* Another task between an event and its stack, on the same CPU. */
static void test_tasks(void **state)
{
	struct sm_health h = events_are(state,
		KERNEL "kmalloc pid=100 site=1 ptr=0x100 req=1\n"
		       "kmalloc pid=200 site=2 ptr=0x200 req=1\n"
		       "stack 2\n"
		       "sched_switch pid=200 prev_pid=200 next_pid=100\n"
		       "stackid 7 pid=200\n"
		       "stack 1 pid=100\n"
		       /* the same task on another CPU waits there alone */
		       "cpu 1\n"
		       "kmalloc pid=100 site=3 ptr=0x300 req=1\n"
		       "cpu 0\n"
		       "stack 3 pid=100\n",
		"cpu0 100 kmalloc 1\n"
		"cpu0 101 kmalloc 2\n"
		"cpu0 102 sched_switch unresolved id 7\n"
		"cpu1 103 kmalloc none\n");

	assert_int_equal(h.orphan_stacks, 1);
	assert_int_equal(h.no_stack, 1);
	assert_int_equal(h.unresolved_ids, 1);
}

/* Two events of a context in a row, the first without its stack. */
static void test_superseded(void **state)
{
	struct sm_health h = events_are(state,
		KERNEL "kmalloc pid=100 site=1 ptr=0x100 req=1\n"
		       "kmalloc pid=100 site=2 ptr=0x200 req=1\n"
		       "stack 9 2\n"
		       /* neither this nor that of another call site is the first one's */
		       "stack 9 3\n"
		       "stack 9 2\n"
		       "stack 9 1\n"
		       "stack 9 1\n",
		"cpu0 100 kmalloc 9,1\n"
		"cpu0 101 kmalloc 9,2\n");

	assert_int_equal(h.orphan_stacks, 3);
	assert_int_equal(h.stray_call_sites, 0);
	/* An interrupt's event in between makes no difference. */
	h = events_are(state,
		KERNEL "kmalloc pid=100 site=1 ptr=0x100 req=1\n"
		       "kmalloc pid=100 ctx=irq site=5 ptr=0x500 req=1\n"
		       "kmalloc pid=100 site=2 ptr=0x200 req=1\n"
		       "stack 9 2\n"
		       "stack 9 3\n"
		       "stack 5 ctx=irq\n",
		"cpu0 100 kmalloc none\n"
		"cpu0 101 kmalloc 5\n"
		"cpu0 102 kmalloc 9,2\n");
	assert_int_equal(h.orphan_stacks, 1);
	assert_int_equal(h.no_stack, 1);
}

/* A stack right after its event is its own, whatever it holds. */
static void test_stray(void **state)
{
	struct sm_health h = events_are(state,
		KERNEL "kmalloc pid=100 site=1 ptr=0x100 req=1\n"
		       "stack 7 8\n"
		       /* page events have no call site */
		       "mm_page_alloc pid=100 pfn=1\n"
		       "stack 7 9\n",
		"cpu0 100 kmalloc 7,8\n"
		"cpu0 101 mm_page_alloc 7,9\n");

	assert_int_equal(h.stray_call_sites, 1);
	assert_int_equal(h.orphan_stacks, 0);
}

static void test_ids(void **state)
{
	struct sm_health h = events_are(state,
		KERNEL "map {\nstack 3 1 9 1\nstack 524287 1 9 2\n}\n"
		       "kmalloc pid=1 site=1 ptr=0x100 req=1\nstackid 3\n"
		       "kmalloc pid=1 site=2 ptr=0x200 req=1\nstackid 524287\n"
		       "kmalloc pid=1 site=2 ptr=0x300 req=1\nstackid 4\n"
		       "kmalloc pid=1 site=2 ptr=0x400 req=1\nstackid 524288\n"
		       "kmalloc pid=1 site=2 ptr=0x500 req=1\nstackid 0x7fffffff\n"
		       "kmalloc pid=1 site=2 ptr=0x600 req=1\nstackid -1\n"
		       "kmalloc pid=1 site=2 ptr=0x700 req=1\nstackid 0x80000000\n"
		       /* another's call site: joined, as it comes at once */
		       "kmalloc pid=1 site=2 ptr=0x800 req=1\nstackid 3\n",
		"cpu0 100 kmalloc 9,1 id 3\n"
		"cpu0 101 kmalloc 9,2 id 524287\n"
		"cpu0 102 kmalloc unresolved id 4\n"
		"cpu0 103 kmalloc unresolved id 524288\n"
		"cpu0 104 kmalloc unresolved id 2147483647\n"
		"cpu0 105 kmalloc none\n"
		"cpu0 106 kmalloc none\n"
		"cpu0 107 kmalloc 9,1 id 3\n");

	assert_int_equal(h.unresolved_ids, 3);
	assert_int_equal(h.invalid_ids, 2);
	assert_int_equal(h.no_stack, 2);
	assert_int_equal(h.stray_call_sites, 1);
	assert_int_equal(h.orphan_stacks, 0);
}

static void test_loss(void **state)
{
	struct sm_health h = events_are(state,
		KERNEL "kmalloc pid=1 site=1 ptr=0x100 req=1\n"
		       /* a page's end alone loses nothing */
		       "page\n"
		       "stack 1\n"
		       "kmalloc pid=1 site=2 ptr=0x200 req=1\n"
		       "page lost 3\n"
		       "stack 2\n"
		       "kmalloc pid=1 site=3 ptr=0x300 req=1\n"
		       "page lost-unknown\n"
		       "stack 3\n"
		       "kmalloc pid=1 site=4 ptr=0x400 req=1\n"
		       /* damage may have cost the event of the next stack */
		       "rawwords 28 0\n"
		       "page\n"
		       "stack 4\n"
		       "kmalloc pid=1 site=5 ptr=0x500 req=1\n"
		       "zeropage\n"
		       "page\n"
		       "stack 5\n",
		"cpu0 100 kmalloc 1\n"
		"cpu0 101 kmalloc none\n"
		"cpu0 102 kmalloc none\n"
		"cpu0 103 kmalloc none\n"
		"cpu0 104 kmalloc none\n");

	assert_int_equal(h.lost_events, 3);
	assert_int_equal(h.lost_unknown, 1);
	assert_int_equal(h.orphan_stacks, 4);
	assert_int_equal(h.corrupt_pages, 2);
}

/* More events wait than are remembered: the oldest are given up. */
static void test_many_waiting(void **state)
{
	const unsigned n = 100, kept = 64;
	struct sm_buf script = {0}, want = {0};
	struct sm_health h;

	sm_buf_adds(&script, KERNEL);
	for (unsigned i = 0; i < n; i++) {
		sm_buf_addf(&script, "kmalloc pid=%u site=%u ptr=%u req=1\n", i + 1, i + 1,
			(i + 1) * 64);
		if (i < n - kept)
			sm_buf_addf(&want, "cpu0 %u kmalloc none\n", 100 + i);
		else
			sm_buf_addf(&want, "cpu0 %u kmalloc 9,%x\n", 100 + i, i + 1);
	}
	for (unsigned i = 0; i < n; i++)
		sm_buf_addf(&script, "stack 9 %u pid=%u\n", i + 1, i + 1);
	h = events_are(state, script.data, want.data);
	assert_int_equal(h.orphan_stacks, n - kept);
	assert_int_equal(h.no_stack, n - kept);
	sm_buf_release(&script);
	sm_buf_release(&want);
}

struct raw_check {
	struct capture *c;
	unsigned bad, n;
};

/* Each event's payload is its own: pid and pointer are what they were. */
static struct sm_error *check_raw(void *ctx, const struct sm_batch *batch)
{
	struct raw_check *r = ctx;

	for (size_t i = 0; i < batch->n; i++) {
		const struct sm_event *ev = &batch->events[i];
		const uint8_t *p = batch->raw + ev->raw;

		r->n++;
		r->bad += ev->raw_len < 24 || sm_load32(p + 4, false) != (uint32_t)ev->pid ||
			  sm_load64(p + 16, false) != ev->ptr;
	}
	return NULL;
}

/* An event that waits for its stack over `between` others, which have theirs: over many batches. */
static void carried(void **state, unsigned between, bool joined)
{
	struct scratch *s = *state;
	struct sm_buf script = {0};
	char *first = NULL;
	struct capture c;

	sm_buf_adds(&script, KERNEL);
	/* Another CPU's events lie between them in time, so that batches are cut up. */
	for (unsigned cpu = 0; cpu < 3; cpu++) {
		sm_buf_addf(&script,
			"cpu %u\nat %u\n"
			"kmalloc pid=%u site=7 ptr=0x7000 req=1\n"
			"let p = 0x10000\n"
			"repeat %u {\n"
			"kmalloc pid=%u ctx=irq site=8 ptr=$p req=1\n"
			"stack 9 8\n"
			"let p = $p + 64\n"
			"}\n"
			"stack 9 7 pid=%u ctx=task\n"
			"kfree pid=50 site=6 ptr=0x7000\nstack 6\n",
			cpu, 1000 + cpu, cpu + 1, between, cpu + 1, cpu + 1);
	}
	capture_play(s, "capture", script.data);
	for (unsigned threads = 1; threads <= 4; threads++) {
		struct raw_check raw = {.c = &c};
		char *have;

		capture_open(&c, s, "capture", NULL);
		have = capture_events(&c, threads);
		assert_int_equal(c.trace->health.events, 3 * (between + 2));
		assert_int_equal(c.trace->health.no_stack, joined ? 0 : 3);
		assert_int_equal(c.trace->health.orphan_stacks, joined ? 0 : 3);
		assert_int_equal(c.trace->health.time_back, 0);
		expect_none(sm_trace_run(c.trace,
			&(struct sm_run_opts){.threads = threads, .raw = true}, check_raw, &raw));
		assert_int_equal(raw.n, 3 * (between + 2));
		assert_int_equal(raw.bad, 0);
		sm_trace_free(c.trace);
		sm_source_free(c.src);
		assert_non_null(strstr(
			have, joined ? "cpu0 1000 kmalloc 9,7\n" : "cpu0 1000 kmalloc none\n"));
		assert_non_null(strstr(
			have, joined ? "cpu2 1002 kmalloc 9,7\n" : "cpu2 1002 kmalloc none\n"));
		if (!first)
			first = strdup(have);
		assert_string_equal(have, first);
		free(have);
	}
	free(first);
	scratch_run(s, "rm -rf capture");
	sm_buf_release(&script);
}

static void test_carried(void **state)
{
	carried(state, 30, true);
	carried(state, 1500, true);
	carried(state, 4000, true);
	/* Further than an event may hold up the others. */
	carried(state, 6000, false);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define TEST(f) cmocka_unit_test_setup_teardown(f, scratch_setup, scratch_teardown)
		TEST(test_nested),
		TEST(test_context),
		TEST(test_tasks),
		TEST(test_superseded),
		TEST(test_stray),
		TEST(test_ids),
		TEST(test_loss),
		TEST(test_many_waiting),
		TEST(test_carried),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
