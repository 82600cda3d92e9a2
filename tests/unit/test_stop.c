/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Readings that nobody wants any more end, wherever they are. */
#include "capture.h"

#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include <smtool/timeline.h>

#define EVENTS 20000
/* Questions of one reading at most: one for each thousand events. */
#define QUESTIONS (EVENTS / 1024 + 1)

struct asker {
	unsigned asked, stop_at; /* question number, 0 = never */
};

static bool ask(void *ctx)
{
	struct asker *a = ctx;

	return ++a->asked == a->stop_at;
}

static void make(struct capture *c, struct scratch *s)
{
	struct sm_buf script = {0};

	/* CPUs in turns, so that batches are small. */
	sm_buf_addf(&script,
		"kernel le 64 page 4096 format 6.18\nstep 1000\nat 1000000\nlet i = 0\n"
		"repeat %u {\ncpu $i%%3\n"
		"kmalloc ptr=0x100000+64*$i site=0xffffffff81002020 req=64\n"
		"stack 0xffffffff81002020 0xffffffff81001000+$i%%50\nlet i = $i + 1\n}\n",
		EVENTS);
	capture_make(c, s, script.data);
	sm_buf_release(&script);
}

/* One question after the other says stop; then all of them are answered. */
static void test_profile(void **state)
{
	static const struct sm_moment percent = {.kind = SM_MOMENT_PERCENT, .percent = 100};
	static const struct sm_moment peak = {.kind = SM_MOMENT_PEAK};
	const struct {
		struct sm_moment to;
		unsigned readings;
	} CASES[] = {{{0}, 1}, {percent, 2}, {peak, 2}};
	struct capture c;

	make(&c, *state);
	for (size_t k = 0; k < SM_ARRAY_SIZE(CASES); k++) {
		struct asker a = {0};
		struct sm_profile_opts opts = {
			.to = CASES[k].to, .stopped = ask, .stopped_ctx = &a, .threads = 2};
		struct sm_profile *p = NULL;
		unsigned all;

		expect_none(sm_profile_build(c.trace, &opts, &p));
		assert_int_equal(p->totals[SM_M_COUNT], EVENTS);
		sm_profile_free(p);
		all = a.asked;
		assert_in_range(
			all, CASES[k].readings * EVENTS / 2048, CASES[k].readings * QUESTIONS);
		for (unsigned at = 1; at <= all; at++) {
			a = (struct asker){.stop_at = at};
			scratch_expect(sm_profile_build(c.trace, &opts, &p), SM_E_STOPPED,
				"stopped before its end");
			assert_null(p);
			assert_int_equal(a.asked, at);
		}
		/* And the trace is as good as before. */
		a = (struct asker){0};
		expect_none(sm_profile_build(c.trace, &opts, &p));
		assert_int_equal(p->totals[SM_M_COUNT], EVENTS);
		sm_profile_free(p);
	}
	capture_close(&c);
}

static void test_timeline(void **state)
{
	struct asker a = {.stop_at = 3};
	struct sm_profile_opts opts = {.stopped = ask, .stopped_ctx = &a};
	struct sm_timeline_opts points = {.points = 10};
	struct sm_timeline *t;
	struct sm_profile *p;
	uint32_t *series;
	struct capture c;

	make(&c, *state);
	scratch_expect(sm_timeline_build(c.trace, &opts, &points, &t, &p), SM_E_STOPPED, "");
	assert_null(t);
	assert_null(p);
	assert_int_equal(a.asked, 3);
	a = (struct asker){0};
	expect_none(sm_timeline_build(c.trace, &opts, &points, &t, &p));
	series = calloc(p->nrows, sizeof(*series));
	a = (struct asker){.stop_at = 3};
	scratch_expect(
		sm_timeline_split(t, c.trace, p, &opts, SM_M_BYTES, series, 1), SM_E_STOPPED, "");
	assert_int_equal(a.asked, 3);
	a = (struct asker){0};
	expect_none(sm_timeline_split(t, c.trace, p, &opts, SM_M_BYTES, series, 1));
	assert_int_equal(t->values[t->n - 1], t->points[t->n - 1].alloc_bytes);
	free(series);
	sm_timeline_free(t);
	sm_profile_free(p);
	capture_close(&c);
}

static void test_text(void **state)
{
	struct scratch *s = *state;
	struct asker a = {0};
	struct sm_trace_opts topts = {.stopped = ask, .stopped_ctx = &a};
	struct sm_profile_opts opts = {.stopped = ask, .stopped_ctx = &a};
	struct sm_buf text = {0};
	struct sm_source *src;
	struct sm_trace *trace;
	struct sm_profile *p;
	unsigned all;

	for (unsigned i = 0; i < EVENTS; i++)
		sm_buf_addf(&text,
			"Page allocated via order 0, mask 0x0(GFP_X), pid 1, tgid 1 (a), ts %u ns\n"
			"PFN 0x%x type Movable Block 1 type Movable Flags 0x0()\n"
			" prep_new_page+0x10/0x20\n\n",
			1000 + i, i);
	scratch_write(s, "owner", text.data, text.len);
	src = scratch_open(s, "owner");
	expect_none(sm_trace_open(src, &topts, &trace));
	all = a.asked;
	assert_true(all > text.len / 65536);
	a = (struct asker){0};
	expect_none(sm_profile_build(trace, &opts, &p));
	assert_int_equal(p->totals[SM_M_LIVE_COUNT], EVENTS);
	sm_profile_free(p);
	assert_in_range(a.asked, EVENTS / 2048, QUESTIONS);
	a = (struct asker){.stop_at = a.asked / 2};
	scratch_expect(sm_profile_build(trace, &opts, &p), SM_E_STOPPED, "");
	sm_trace_free(trace);
	for (unsigned at = 1; at <= all; at += 3) {
		a = (struct asker){.stop_at = at};
		scratch_expect(sm_trace_open(src, &topts, &trace), SM_E_STOPPED, "owner");
		assert_null(trace);
		assert_int_equal(a.asked, at);
	}
	sm_source_free(src);
	sm_buf_release(&text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define TEST(f) cmocka_unit_test_setup_teardown(f, scratch_setup, scratch_teardown)
		TEST(test_profile),
		TEST(test_timeline),
		TEST(test_text),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
