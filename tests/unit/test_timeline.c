/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The course of a profile against a model that goes through the same events one by one, with a list
 * of objects; and against profiles that end at each of its points.
 */
#include "capture.h"

#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include <smtool/timeline.h>

#define HEAD "kernel le 64 page 4096 format 7.2\ninclude symbols64.inc\n"
#define STACKS 6
#define MAX_OBJECTS 4000

/* ---- random captures ---- */

static void add_slab(struct sm_buf *b, uint64_t *random)
{
	unsigned stack = (unsigned)random_below(random, STACKS);
	uint64_t ptr = UINT64_C(0xffff888000000000) + random_below(random, 60) * 64;

	if (random_below(random, 100) < 55)
		sm_buf_addf(b, "kmalloc pid=%d ptr=0x%llx site=do_work+%u req=50 alloc=%u\n",
			100 + (int)random_below(random, 3), (unsigned long long)ptr, 16 * stack,
			(unsigned)(64 + random_below(random, 3000)));
	else
		sm_buf_addf(b, "kfree ptr=0x%llx site=do_work\n", (unsigned long long)ptr);
	sm_buf_addf(b, "stack kmem_trace+8 do_work+%u entry+16\n", 16 * stack);
}

static void add_page(struct sm_buf *b, uint64_t *random)
{
	uint64_t block = random_below(random, 40), order = block % 4;

	if (random_below(random, 100) < 45)
		sm_buf_addf(b, "mm_page_alloc pfn=%llu order=%llu\n",
			(unsigned long long)(0x1000 + block * 8), (unsigned long long)order);
	else
		sm_buf_addf(b, "mm_page_free pfn=%llu order=%llu\n",
			(unsigned long long)(0x1000 + block * 8 + random_below(random, 2)),
			(unsigned long long)random_below(random, order + 1));
	sm_buf_addf(b, "stack kmem_trace+8 do_work+%llu entry+16\n",
		(unsigned long long)(16 * (block % STACKS)));
}

/* Events of three CPUs, seldom evenly spaced: bursts, pauses, and several at the same time. */
static void make(struct capture *c, void **state, bool pages, uint64_t seed, unsigned n)
{
	struct sm_buf script = {0};
	uint64_t random = seed, ts = 5000000;

	sm_buf_adds(&script, HEAD);
	for (unsigned i = 0; i < n; i++) {
		uint64_t dice = random_below(&random, 100);

		ts += dice < 20 ? 0 : dice < 97 ? random_below(&random, 900) : 40000;
		sm_buf_addf(&script, "cpu %u\nat %llu\n", (unsigned)random_below(&random, 3),
			(unsigned long long)ts);
		(pages ? add_page : add_slab)(&script, &random);
	}
	capture_make(c, *state, script.data);
	sm_buf_release(&script);
}

/* ---- the model: slab objects in a list ---- */

struct model {
	const struct sm_timeline *t;
	const struct sm_profile_opts *opts;
	struct {
		uint64_t ptr, bytes;
		bool counted;
	} live[MAX_OBJECTS];
	size_t nlive;
	uint64_t from, to;
	struct sm_timeline_point *points;
	struct sm_timeline_level bytes, count; /* now */
	struct sm_timeline_peak bytes_peak, count_peak;
	size_t now;
};

static void reach(struct sm_timeline_level *l)
{
	l->min = l->value < l->min ? l->value : l->min;
	l->max = l->value > l->max ? l->value : l->max;
}

static void enter(struct model *m, uint64_t ts)
{
	while (m->now + 1 < m->t->n && ts > m->t->points[m->now].ts) {
		m->points[m->now].bytes = m->bytes;
		m->points[m->now++].count = m->count;
		m->bytes.min = m->bytes.max = m->bytes.value;
		m->count.min = m->count.max = m->count.value;
		m->bytes.added = m->bytes.dropped = m->count.added = m->count.dropped = 0;
	}
}

static void change(struct model *m, uint64_t ts, uint64_t bytes, bool more)
{
	if (more) {
		m->bytes.value += bytes;
		m->bytes.added += bytes;
		m->count.value++;
		m->count.added++;
	} else {
		m->bytes.value -= bytes;
		m->bytes.dropped += bytes;
		m->count.value--;
		m->count.dropped++;
	}
	reach(&m->bytes);
	reach(&m->count);
	if (m->bytes.value > m->bytes_peak.value)
		m->bytes_peak = (struct sm_timeline_peak){ts, m->bytes.value};
	if (m->count.value > m->count_peak.value)
		m->count_peak = (struct sm_timeline_peak){ts, m->count.value};
}

static void forget(struct model *m, const struct sm_event *ev)
{
	for (size_t i = 0; i < m->nlive; i++) {
		if (m->live[i].ptr != ev->ptr)
			continue;
		if (m->live[i].counted)
			change(m, ev->ts, m->live[i].bytes, false);
		m->live[i] = m->live[--m->nlive];
		return;
	}
}

static struct sm_error *follow(void *ctx, const struct sm_batch *batch)
{
	struct model *m = ctx;

	for (size_t i = 0; i < batch->n; i++) {
		const struct sm_event *ev = &batch->events[i];
		bool counted;

		if (ev->ts > m->to)
			continue;
		enter(m, ev->ts);
		if (ev->ts >= m->from)
			m->points[m->now].events++;
		if (ev->kind == SM_EV_SLAB_FREE)
			forget(m, ev);
		if (ev->kind != SM_EV_SLAB_ALLOC)
			continue;
		counted = ev->ts >= m->from && ev->bytes_alloc >= m->opts->min_size &&
			  (!m->opts->npids || ev->pid == m->opts->pids[0]) &&
			  (!m->opts->stacks || m->opts->stacks[ev->stack]);
		forget(m, ev);
		m->live[m->nlive].ptr = ev->ptr;
		m->live[m->nlive].bytes = ev->bytes_alloc;
		m->live[m->nlive++].counted = counted;
		if (!counted)
			continue;
		m->points[m->now].alloc_bytes += ev->bytes_alloc;
		m->points[m->now].allocs++;
		change(m, ev->ts, ev->bytes_alloc, true);
	}
	return NULL;
}

static void expect_peak(const struct sm_timeline_peak *a, const struct sm_timeline_peak *b)
{
	assert_int_equal(a->ts, b->ts);
	assert_int_equal(a->value, b->value);
}

static void expect_model(struct capture *c, const struct sm_timeline *t,
	const struct sm_profile_opts *opts, uint64_t from, uint64_t to)
{
	struct model *m = calloc(1, sizeof(*m));
	struct sm_run_opts run = {0};

	m->t = t;
	m->opts = opts;
	m->from = from;
	m->to = to;
	m->points = calloc(t->n, sizeof(*m->points));
	expect_none(sm_trace_run(c->trace, &run, follow, m));
	/* What is left goes into the last points. */
	enter(m, UINT64_MAX);
	m->points[m->now].bytes = m->bytes;
	m->points[m->now].count = m->count;
	for (size_t i = 0; i < t->n; i++) {
		m->points[i].ts = t->points[i].ts;
		assert_memory_equal(&m->points[i], &t->points[i], sizeof(m->points[i]));
	}
	expect_peak(&t->bytes_peak, &m->bytes_peak);
	expect_peak(&t->count_peak, &m->count_peak);
	free(m->points);
	free(m);
}

/* ---- what holds of each ---- */

static void expect_grid(const struct sm_timeline *t, const struct sm_timeline_opts *o)
{
	uint64_t window = t->to - t->from;

	assert_true(t->n > 0);
	if (o->interval) {
		assert_int_equal(t->interval, o->interval);
	} else {
		assert_true(t->n <= o->points);
		/* Few are wanting, unless there aren't many ns. */
		assert_true(t->n >= o->points * 94 / 100 || o->points > 500 || t->interval < 64);
		assert_true(t->n >= o->points / 2 || t->interval == 1);
	}
	assert_int_equal(t->n, window ? (window - 1) / t->interval + 1 : 1);
	for (size_t i = 0; i + 1 < t->n; i++)
		assert_int_equal(t->points[i].ts, t->from + (i + 1) * t->interval);
	assert_int_equal(t->points[t->n - 1].ts, t->to);
}

static void expect_sums(const struct sm_timeline *t, const struct sm_profile *p)
{
	struct sm_timeline_point sum = {0};
	uint64_t highest = 0, most = 0;

	for (size_t i = 0; i < t->n; i++) {
		const struct sm_timeline_point *now = &t->points[i];

		sum.alloc_bytes += now->alloc_bytes;
		sum.allocs += now->allocs;
		sum.events += now->events;
		sum.bytes.value += now->bytes.added - now->bytes.dropped;
		sum.count.value += now->count.added - now->count.dropped;
		assert_int_equal(sum.bytes.value, now->bytes.value);
		assert_int_equal(sum.count.value, now->count.value);
		highest = now->bytes.max > highest ? now->bytes.max : highest;
		most = now->count.max > most ? now->count.max : most;
	}
	assert_int_equal(sum.alloc_bytes, p->totals[SM_M_BYTES]);
	assert_int_equal(sum.allocs, p->totals[SM_M_COUNT]);
	assert_int_equal(sum.bytes.value, p->totals[SM_M_LIVE_BYTES]);
	assert_int_equal(sum.count.value, p->totals[SM_M_LIVE_COUNT]);
	assert_int_equal(highest, p->totals[SM_M_PEAK_BYTES]);
	assert_int_equal(t->bytes_peak.value, p->totals[SM_M_PEAK_BYTES]);
	assert_int_equal(t->bytes_peak.ts, p->peak_ts);
	assert_int_equal(most, t->count_peak.value);
}

/* Attributes are numbered anew in each profile. */
static bool same_row(const struct sm_profile *p, const struct sm_row *a, const struct sm_profile *q,
	const struct sm_row *b)
{
	struct sm_buf x = {0}, y = {0};
	bool same = a->stack == b->stack;

	if (p->attr != SM_ATTR_NONE) {
		sm_profile_label(p, a->attr, &x);
		sm_profile_label(q, b->attr, &y);
		same = same && strcmp(x.data, y.data) == 0;
	}
	sm_buf_release(&x);
	sm_buf_release(&y);
	return same;
}

/* Each row of `p` a series of its own, one for what is left. */
static void expect_series(struct capture *c, struct sm_timeline *t, struct sm_profile *p,
	const struct sm_profile_opts *opts, enum sm_metric by, bool every)
{
	uint32_t *series = malloc((p->nrows + 1) * sizeof(*series));
	size_t step = t->n > 40 && !every ? t->n / 20 : 1;

	for (uint32_t i = 0; i < p->nrows; i++)
		series[i] = i;
	expect_none(sm_timeline_split(t, c->trace, p, opts, by, series, p->nrows + 1));
	assert_int_equal(t->nseries, p->nrows + 1);
	for (size_t i = 0; i < t->n; i++) {
		uint64_t sum = 0;

		for (size_t s = 0; s < t->nseries; s++)
			sum += t->values[s * t->n + i];
		assert_int_equal(sum, sm_timeline_value(&t->points[i], by));
	}
	/* `top --at` gives the same for each of them. */
	for (size_t i = 0; i < t->n; i += step) {
		struct sm_profile_opts at = *opts;
		struct sm_profile *then;

		at.threads = 1;
		at.to = (struct sm_moment){.kind = SM_MOMENT_NS, .ns = t->points[i].ts};
		if (sm_timeline_is_rate(by) && i)
			at.from = (struct sm_moment){
				.kind = SM_MOMENT_NS, .ns = t->points[i - 1].ts + 1};
		then = capture_profile(c, &at);
		assert_int_equal(then->totals[by], sm_timeline_value(&t->points[i], by));
		for (size_t r = 0; r < p->nrows; r++) {
			uint64_t value = 0;

			for (size_t k = 0; k < then->nrows; k++)
				if (same_row(p, &p->rows[r], then, &then->rows[k]))
					value = then->rows[k].m[by];
			assert_int_equal(t->values[r * t->n + i], value);
		}
		sm_profile_free(then);
	}
	free(series);
}

static void try_grid(struct capture *c, const struct sm_profile_opts *opts,
	struct sm_timeline_opts grid, uint64_t from, uint64_t to)
{
	static const enum sm_metric keys[] = {
		SM_M_LIVE_BYTES, SM_M_LIVE_COUNT, SM_M_BYTES, SM_M_COUNT};
	struct sm_timeline *t;
	struct sm_profile *p;

	expect_none(sm_timeline_build(c->trace, opts, &grid, &t, &p));
	expect_grid(t, &grid);
	expect_sums(t, p);
	if (p->family == SM_FAMILY_SLAB)
		expect_model(c, t, opts, from, to);
	for (size_t k = 0; k < SM_ARRAY_SIZE(keys); k++)
		expect_series(c, t, p, opts, keys[k], false);
	sm_timeline_free(t);
	sm_profile_free(p);
}

static void test_slab(void **state)
{
	static const uint64_t points[] = {1, 2, 3, 10, 57, 500, 1000};
	static const int64_t pid = 101;

	for (uint64_t seed = 1; seed <= 3; seed++) {
		struct sm_profile_opts all = {0},
				       some = {.pids = &pid, .npids = 1, .min_size = 500};
		struct sm_profile_opts window = {0};
		struct capture c;

		make(&c, state, false, seed, 900);
		for (size_t i = 0; i < SM_ARRAY_SIZE(points); i++)
			try_grid(&c, &all, (struct sm_timeline_opts){.points = points[i]}, 0,
				UINT64_MAX);
		try_grid(&c, &all, (struct sm_timeline_opts){.interval = 7777}, 0, UINT64_MAX);
		try_grid(&c, &some, (struct sm_timeline_opts){.points = 33}, 0, UINT64_MAX);
		window.from = (struct sm_moment){.kind = SM_MOMENT_NS, .ns = 5100000};
		window.to = (struct sm_moment){.kind = SM_MOMENT_NS, .ns = 5300000};
		try_grid(&c, &window, (struct sm_timeline_opts){.points = 40}, 5100000, 5300000);
		try_grid(
			&c, &window, (struct sm_timeline_opts){.interval = 1000}, 5100000, 5300000);
		capture_close(&c);
	}
}

static void test_pages(void **state)
{
	for (uint64_t seed = 1; seed <= 3; seed++) {
		struct sm_profile_opts all = {0};
		struct capture c;

		make(&c, state, true, seed, 700);
		/* Slab events are looked for first: the meter begins anew. */
		try_grid(&c, &all, (struct sm_timeline_opts){.points = 80}, 0, UINT64_MAX);
		all.family = SM_FAMILY_PAGE;
		all.attr = SM_ATTR_ORDER;
		try_grid(&c, &all, (struct sm_timeline_opts){.points = 30}, 0, UINT64_MAX);
		capture_close(&c);
	}
}

/* Attributes, and a profile that ends at the peak: what comes later goes to the last series. */
static void test_parts(void **state)
{
	struct sm_profile_opts opts = {.attr = SM_ATTR_PID}, at;
	const struct sm_timeline_opts grid = {.points = 50};
	struct sm_timeline *t;
	struct sm_profile *p, *peak;
	uint32_t series[1] = {0};
	struct capture c;

	make(&c, state, false, 11, 600);
	try_grid(&c, &opts, grid, 0, UINT64_MAX);
	opts = (struct sm_profile_opts){0};
	expect_none(sm_timeline_build(c.trace, &opts, &grid, &t, &p));
	at = opts;
	at.to = (struct sm_moment){.kind = SM_MOMENT_NS, .ns = t->from};
	peak = capture_profile(&c, &at);
	assert_true(peak->nrows <= 1);
	expect_none(sm_timeline_split(t, c.trace, peak, &opts, SM_M_LIVE_BYTES, series, 2));
	for (size_t i = 0; i < t->n; i++)
		assert_int_equal(t->values[i] + t->values[t->n + i], t->points[i].bytes.value);
	assert_true(t->values[2 * t->n - 1] > 0);
	/* The profile is unharmed. */
	assert_int_equal(peak->totals[SM_M_COUNT], peak->nrows);
	sm_profile_free(peak);
	sm_profile_free(p);
	sm_timeline_free(t);
	capture_close(&c);
}

/* Only some stacks are counted: the rest of the world doesn't exist, peaks included. */
static void test_stacks(void **state)
{
	struct sm_profile_opts opts = {0};
	const struct sm_timeline_opts grid = {.points = 60};
	uint64_t peak_of[2];
	struct capture c;

	make(&c, state, false, 21, 700);
	sm_profile_free(capture_profile(&c, &opts));
	opts.nstacks = sm_stacks_count(c.trace->stacks);
	for (int ignored = 0; ignored < 2; ignored++) {
		uint8_t *stacks = calloc(opts.nstacks + 2, 1);
		struct sm_timeline *t;
		struct sm_profile *p;

		for (uint32_t i = 0; i < opts.nstacks; i++)
			stacks[i] = i % 2 == (uint32_t)ignored;
		opts.stacks = stacks;
		try_grid(&c, &opts, grid, 0, UINT64_MAX);
		expect_none(sm_timeline_build(c.trace, &opts, &grid, &t, &p));
		for (size_t i = 0; i < p->nrows; i++)
			assert_true(p->rows[i].stack < opts.nstacks && stacks[p->rows[i].stack]);
		peak_of[ignored] = t->bytes_peak.value;
		assert_true(peak_of[ignored] > 0);
		sm_timeline_free(t);
		sm_profile_free(p);
		free(stacks);
	}
	assert_int_not_equal(peak_of[0], peak_of[1]);
	capture_close(&c);
}

/* Times that lie far apart, and all at once. */
static void test_extremes(void **state)
{
	static const char *const scripts[] = {
		HEAD "at 1\nkmalloc ptr=0x1000 alloc=64\n",
		HEAD "at 7\nkmalloc ptr=0x1000 alloc=64\nkfree ptr=0x1000\n",
		HEAD "at 1\nkmalloc ptr=0x1000 alloc=64\nat 400000000000000000\nabs\n"
		     "kmalloc ptr=0x2000 alloc=64\n",
		HEAD "at 1\nkmalloc ptr=0x1000 alloc=64\nat 2\nkmalloc ptr=0x3000 alloc=64\n"
		     "at 9000000\nkfree ptr=0x1000\n",
	};
	const struct sm_profile_opts opts = {0};

	for (size_t i = 0; i < SM_ARRAY_SIZE(scripts); i++) {
		struct capture c;

		capture_make(&c, *state, scripts[i]);
		try_grid(&c, &opts, (struct sm_timeline_opts){.points = 1}, 0, UINT64_MAX);
		try_grid(&c, &opts, (struct sm_timeline_opts){.points = 500}, 0, UINT64_MAX);
		capture_close(&c);
	}
}

/* "N LOST UNKNOWN" of each point in a gap. */
static void expect_lost(struct capture *c, const struct sm_profile_opts *opts, uint64_t interval,
	const char *expected, uint64_t uncertain_from)
{
	const struct sm_timeline_opts grid = {.interval = interval};
	struct sm_buf text = {0};
	struct sm_timeline *t;
	struct sm_profile *p;

	sm_buf_adds(&text, "");
	expect_none(sm_timeline_build(c->trace, opts, &grid, &t, &p));
	for (size_t i = 0; i < t->n; i++) {
		assert_true(t->points[i].gap || !t->points[i].lost);
		if (t->points[i].gap)
			sm_buf_addf(&text, "%zu %llu %llu\n", i,
				(unsigned long long)t->points[i].lost,
				(unsigned long long)t->points[i].lost_unknown);
	}
	assert_string_equal(text.data ? text.data : "", expected);
	assert_int_equal(t->uncertain, uncertain_from != 0);
	assert_int_equal(t->uncertain_from, uncertain_from);
	sm_buf_release(&text);
	sm_timeline_free(t);
	sm_profile_free(p);
}

static void test_gaps(void **state)
{
	const struct sm_profile_opts all = {0};
	struct sm_profile_opts some = {0};
	struct capture c;

	capture_make(&c, *state,
		HEAD "at 1000\nkmalloc ptr=0x1000 alloc=64\nat 2000\nkmalloc ptr=0x2000 alloc=64\n"
		     "at 4500\npage lost 7\nkmalloc ptr=0x3000 alloc=64\n"
		     "at 6000\npage lost-unknown\nkfree ptr=0x1000\nat 7000\nkfree ptr=0x9000\n"
		     "cpu 1\nat 1500\nkfree ptr=0x8000\nat 1600\npage lost 2\nkfree ptr=0x8000\n");
	expect_lost(&c, &all, 1000, "0 2 0\n1 0 0\n2 0 0\n3 7 0\n4 0 1\n", 1501);
	/* Intervals are (1000, 2000], (2000, 3000]... */
	some.from = (struct sm_moment){.kind = SM_MOMENT_NS, .ns = 2500};
	expect_lost(&c, &some, 1000, "0 0 0\n1 7 0\n2 0 0\n3 0 1\n", 2500);
	some.from.ns = 6500;
	expect_lost(&c, &some, 100, "", 0);
	some.from.kind = SM_MOMENT_NONE;
	some.to = (struct sm_moment){.kind = SM_MOMENT_NS, .ns = 3000};
	expect_lost(&c, &some, 1000, "0 2 0\n1 7 0\n", 1501);
	some.to.ns = 1550;
	expect_lost(&c, &some, 1000, "0 2 0\n", 1501);
	some.to.ns = 1200;
	expect_lost(&c, &some, 1000, "", 0);
	capture_close(&c);
	capture_play_file(*state, "capture", "lost.txt");
	capture_open(&c, *state, "capture", NULL);
	/* All of health's, also what was lost before the first event. */
	expect_lost(&c, &all, 1000000, "0 42 2\n", 1000000);
	capture_close(&c);
}

static void test_errors(void **state)
{
	const struct sm_profile_opts opts = {0};
	const struct sm_timeline_opts none = {0}, fine = {.interval = 1}, many = {.points = 100001},
				      few = {.points = 100};
	uint32_t series = 0;
	struct sm_timeline *t;
	struct sm_profile *p;
	struct sm_error *err;
	struct capture c;

	capture_make(&c, *state, HEAD "at 1\nkmalloc ptr=1\nat 9000000\nkmalloc ptr=2\n");
	err = sm_timeline_build(c.trace, &opts, &none, &t, &p);
	assert_non_null(err);
	assert_int_equal(err->code, SM_E_USAGE);
	sm_error_free(err);
	err = sm_timeline_build(c.trace, &opts, &many, &t, &p);
	assert_non_null(err);
	assert_int_equal(err->code, SM_E_USAGE);
	sm_error_free(err);
	err = sm_timeline_build(c.trace, &opts, &fine, &t, &p);
	assert_non_null(err);
	assert_int_equal(err->code, SM_E_USAGE);
	assert_string_equal(err->what, "too many intervals");
	assert_null(t);
	assert_null(p);
	sm_error_free(err);
	expect_none(sm_timeline_build(c.trace, &opts, &few, &t, &p));
	err = sm_timeline_split(
		t, c.trace, p, &opts, SM_M_COUNT, &series, SM_TIMELINE_MAX_VALUES / t->n + 1);
	assert_non_null(err);
	assert_int_equal(err->code, SM_E_USAGE);
	assert_null(t->values);
	sm_error_free(err);
	sm_timeline_free(t);
	sm_profile_free(p);
	capture_close(&c);
}

/* A window with nothing in it. */
static void test_empty(void **state)
{
	struct sm_profile_opts opts = {.from = {.kind = SM_MOMENT_NS, .ns = 50}};
	const struct sm_timeline_opts grid = {.points = 10};
	uint32_t series = 0;
	struct sm_timeline *t;
	struct sm_profile *p;
	struct capture c;

	capture_make(&c, *state, HEAD "at 1\npage lost 1\nkmalloc ptr=0x1000 alloc=8\n");
	expect_none(sm_timeline_build(c.trace, &opts, &grid, &t, &p));
	assert_int_equal(t->n, 0);
	assert_false(t->uncertain);
	expect_none(sm_timeline_split(t, c.trace, p, &opts, SM_M_LIVE_BYTES, &series, 1));
	sm_timeline_free(t);
	sm_profile_free(p);
	capture_close(&c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_slab, scratch_setup, scratch_teardown),
		cmocka_unit_test_setup_teardown(test_pages, scratch_setup, scratch_teardown),
		cmocka_unit_test_setup_teardown(test_parts, scratch_setup, scratch_teardown),
		cmocka_unit_test_setup_teardown(test_stacks, scratch_setup, scratch_teardown),
		cmocka_unit_test_setup_teardown(test_extremes, scratch_setup, scratch_teardown),
		cmocka_unit_test_setup_teardown(test_gaps, scratch_setup, scratch_teardown),
		cmocka_unit_test_setup_teardown(test_errors, scratch_setup, scratch_teardown),
		cmocka_unit_test_setup_teardown(test_empty, scratch_setup, scratch_teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
