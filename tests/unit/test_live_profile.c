/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Captures that are played in steps: at the end, whatever the steps, all is as sm_profile_build()
 * has it of the same capture; in between, as a profile that ends there.
 */
#include "capture.h"

#include <dirent.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

#include <smtool/live.h>

#define HEAD "kernel le 64 page 4096 format 7.2\ninclude symbols64.inc\n"
#define ATTRS (1u << SM_ATTR_COMM | 1u << SM_ATTR_CACHE | 1u << SM_ATTR_SIZE | 1u << SM_ATTR_CPU)

/* The same capture twice: one is played, the other one read whole. */
struct pair {
	struct capture played, whole;
};

static void pair_open(struct pair *p, struct scratch *s)
{
	capture_open(&p->played, s, "capture", NULL);
	capture_open(&p->whole, s, "capture", NULL);
}

static void pair_close(struct pair *p)
{
	sm_trace_free(p->whole.trace);
	sm_source_free(p->whole.src);
	capture_close(&p->played);
}

/* ---- comparing ---- */

/* A row as text: stacks and attributes by what they are, not by number. */
static void add_row(const struct sm_profile *p, const struct sm_row *row, struct sm_buf *b)
{
	if (row->stack >= SM_STACK_UNRESOLVED) {
		sm_buf_adds(b, row->stack == SM_STACK_NONE ? "none" : "unresolved");
	} else {
		struct sm_stack stack = sm_stacks_get(p->trace->stacks, row->stack);

		for (uint32_t i = 0; i < stack.depth; i++)
			sm_buf_addf(b, "%llx,", (unsigned long long)stack.ips[i]);
	}
	for (unsigned a = SM_ATTR_NONE + 1; a < SM_ATTR_NR; a++) {
		const char *value = sm_profile_value(p, row->attr, (enum sm_attr)a);

		if (value)
			sm_buf_addf(b, " %u=%s", a, value);
	}
	for (unsigned k = 0; k < SM_M_NR; k++)
		sm_buf_addf(b, " %llu", (unsigned long long)row->m[k]);
}

static int compare_lines(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static char *rows_of(const struct sm_profile *p)
{
	char **lines = calloc(p->nrows + 1, sizeof(*lines));
	struct sm_buf text = {0};

	for (size_t i = 0; i < p->nrows; i++) {
		struct sm_buf line = {0};

		add_row(p, &p->rows[i], &line);
		lines[i] = line.data;
	}
	if (p->nrows)
		qsort(lines, p->nrows, sizeof(*lines), compare_lines);
	sm_buf_adds(&text, "");
	for (size_t i = 0; i < p->nrows; i++) {
		sm_buf_addf(&text, "%s\n", lines[i]);
		free(lines[i]);
	}
	free(lines);
	return text.data;
}

static void expect_same(const struct sm_profile *got, const struct sm_profile *want)
{
	struct sm_age got_ages[SM_AGES], want_ages[SM_AGES];
	char *a = rows_of(got), *b = rows_of(want);
	uint64_t got_oldest, want_oldest;

	if (strcmp(a, b) != 0)
		fail_msg("rows:\n%s\nwanted:\n%s", a, b);
	free(a);
	free(b);
	for (unsigned k = 0; k < SM_M_NR; k++)
		assert_int_equal(got->totals[k], want->totals[k]);
	assert_int_equal(got->peak_ts, want->peak_ts);
	assert_int_equal(got->from, want->from);
	assert_int_equal(got->known, want->known);
	assert_int_equal(got->family, want->family);
	assert_int_equal(got->mixed, want->mixed);
	assert_int_equal(got->named, want->named);
	assert_int_equal(got->attrs, want->attrs);
	assert_int_equal(got->health.unmatched_frees, want->health.unmatched_frees);
	assert_int_equal(got->health.failed_allocs, want->health.failed_allocs);
	assert_int_equal(got->health.reused, want->health.reused);
	assert_int_equal(sm_profile_ages(got, NULL, got_ages, &got_oldest),
		sm_profile_ages(want, NULL, want_ages, &want_oldest));
	assert_memory_equal(got_ages, want_ages, sizeof(got_ages));
	assert_int_equal(got_oldest, want_oldest);
}

static void expect_same_end(const struct sm_profile *got, const struct sm_profile *want)
{
	expect_same(got, want);
	assert_int_equal(got->to, want->to);
	assert_memory_equal(&got->health, &want->health, sizeof(got->health));
	assert_int_equal(sm_profile_window_ns(got), sm_profile_window_ns(want));
}

static void expect_same_timeline(const struct sm_timeline *got, const struct sm_timeline *want)
{
	assert_int_equal(got->from, want->from);
	assert_int_equal(got->to, want->to);
	assert_int_equal(got->interval, want->interval);
	assert_int_equal(got->n, want->n);
	if (want->n)
		assert_memory_equal(got->points, want->points, want->n * sizeof(*want->points));
	assert_memory_equal(&got->bytes_peak, &want->bytes_peak, sizeof(want->bytes_peak));
	assert_memory_equal(&got->count_peak, &want->count_peak, sizeof(want->count_peak));
	assert_int_equal(got->uncertain, want->uncertain);
	assert_int_equal(got->uncertain_from, want->uncertain_from);
}

/* ---- playing ---- */

static struct sm_live *open_live(struct pair *p, uint64_t step_ns,
	const struct sm_profile_opts *popts, const struct sm_timeline_opts *topts)
{
	const struct sm_live_opts opts = {.profile = popts, .timeline = topts};
	struct sm_live *live;

	expect_none(sm_live_open_replay(p->played.trace, step_ns, &opts, &live));
	return live;
}

/* A profile of the whole that ends where the playing is. */
static struct sm_profile *build_to(
	struct pair *p, const struct sm_profile_opts *popts, const struct sm_live_status *st)
{
	struct sm_profile_opts opts = *popts;

	if (!st->ended)
		opts.to = (struct sm_moment){.kind = SM_MOMENT_NS, .ns = st->now_ns};
	return capture_profile(&p->whole, &opts);
}

/* Plays all of it; after each `every`th step (0 = none) the snapshot is compared. Returns the
 * number of steps. */
static unsigned play(
	struct pair *p, const struct sm_profile_opts *popts, uint64_t step_ns, unsigned every)
{
	const struct sm_timeline_opts topts = {.points = 20};
	struct sm_profile *got, *want, *kept = NULL;
	struct sm_timeline *timeline, *whole;
	uint64_t events = 0, lost = 0;
	struct sm_live_status st;
	struct sm_live *live;
	unsigned steps = 0;

	live = open_live(p, step_ns, popts, &topts);
	do {
		expect_none(sm_live_step(live));
		sm_live_status(live, &st);
		steps++;
		assert_true(steps < 100000);
		assert_true(st.events >= events);
		events = st.events;
		lost += st.lost_now;
		assert_int_equal(lost, st.lost + st.lost_unknown);
		if (!every || steps % every)
			continue;
		expect_none(sm_live_profile(live, &got, &timeline));
		assert_int_equal(got->health.events, st.events);
		want = build_to(p, popts, &st);
		expect_same(got, want);
		sm_timeline_free(timeline);
		sm_profile_free(want);
		sm_profile_free(kept);
		kept = got;
	} while (!st.ended);
	/* The end stays the end. */
	expect_none(sm_live_step(live));
	expect_none(sm_live_profile(live, &got, &timeline));
	sm_live_free(live);
	want = capture_profile(&p->whole, popts);
	expect_same_end(got, want);
	if (popts->older) {
		sm_timeline_free(timeline);
	} else {
		sm_profile_free(want);
		expect_none(sm_timeline_build(p->whole.trace, popts, &topts, &whole, &want));
		expect_same_timeline(timeline, whole);
		sm_timeline_free(timeline);
		sm_timeline_free(whole);
	}
	sm_profile_free(want);
	sm_profile_free(got);
	sm_profile_free(kept);
	return steps;
}

/* ---- random captures ---- */

static void add_event(struct sm_buf *b, uint64_t *random, bool pages)
{
	unsigned stack = (unsigned)random_below(random, 6);
	uint64_t n = random_below(random, 60), order = n % 4;
	bool alloc = random_below(random, 100) < 55;

	if (pages)
		sm_buf_addf(b, "mm_page_%s pfn=%llu order=%llu\n", alloc ? "alloc" : "free",
			(unsigned long long)(0x1000 + n * 8 +
					     (alloc ? 0 : random_below(random, 2))),
			(unsigned long long)(alloc ? order : random_below(random, order + 1)));
	else if (alloc)
		sm_buf_addf(b, "kmalloc pid=%d ptr=%llu site=do_work+%u req=50 alloc=%u\n",
			100 + (int)random_below(random, 3), (unsigned long long)(4096 + n * 64),
			16 * stack, (unsigned)(64 + random_below(random, 9) * 512));
	else
		sm_buf_addf(
			b, "kfree ptr=%llu site=do_work\n", (unsigned long long)(4096 + n * 64));
	/* Some have no stack, some get it after another context's pair. */
	if (random_below(random, 20) == 0)
		return;
	if (random_below(random, 20) == 0)
		sm_buf_adds(b, "kmalloc ctx=irq ptr=64 site=do_work\nstack do_work entry+32\n"
			       "kfree ctx=irq ptr=64\nstack do_work entry+48\n");
	sm_buf_addf(b, "stack kmem_trace+8 do_work+%u entry+16\n", 16 * stack);
}

/* Of three CPUs; losses between. */
static void make(struct pair *p, void **state, bool pages, uint64_t seed, unsigned n)
{
	struct sm_buf script = {0};
	uint64_t random = seed, ts = 5000000;

	sm_buf_adds(&script, HEAD "comm 100 a\ncomm 101 b\n");
	for (unsigned i = 0; i < n; i++) {
		uint64_t dice = random_below(&random, 100);

		ts += dice < 80 ? random_below(&random, 2000) : dice < 97 ? 0 : 40000;
		sm_buf_addf(&script, "cpu %u\nat %llu\n", (unsigned)random_below(&random, 3),
			(unsigned long long)ts);
		if (random_below(&random, 60) == 0)
			sm_buf_addf(&script, "page %s\n",
				random_below(&random, 3) ? "lost 7" : "lost-unknown");
		add_event(&script, &random, pages);
	}
	capture_play(*state, "capture", script.data);
	sm_buf_release(&script);
	pair_open(p, *state);
}

static void test_steps(void **state)
{
	/* ns; the whole is about two million of them */
	static const uint64_t STEPS[] = {700, 12345, 300000, UINT64_C(1) << 40, UINT64_MAX};

	for (unsigned pages = 0; pages < 2; pages++) {
		const struct sm_profile_opts plain = {.keep_live = true};
		const struct sm_profile_opts detailed = {
			.attr = SM_ATTR_COMM, .attrs = ATTRS, .by_stack = true, .keep_live = true};
		struct pair p;

		make(&p, state, pages, 7 + pages, 1500);
		for (size_t i = 0; i < SM_ARRAY_SIZE(STEPS); i++) {
			unsigned steps = play(&p, &plain, STEPS[i], i ? 1 : 97);

			assert_true(i < 3 ? steps > 4 : steps == 1);
		}
		play(&p, &detailed, 90000, 1);
		pair_close(&p);
	}
}

static void test_options(void **state)
{
	static const int64_t cpu = 1;
	static const char *const names[] = {"kmalloc"};
	static const struct sm_moment first = {.kind = SM_MOMENT_FROM_START, .ns = 300000};
	static const struct sm_moment last = {.kind = SM_MOMENT_NS, .ns = 5900000};
	const struct sm_profile_opts CASES[] = {
		{.older = 100000, .keep_live = true},
		{.cpus = &cpu, .ncpus = 1, .min_size = 700},
		{.events = {names, 1}, .attr = SM_ATTR_PID},
		{.family = SM_FAMILY_PAGE},
		{.from = first},
		{.from = first, .older = 50000},
	};
	struct sm_profile_opts ends = {.from = first, .to = last};
	struct sm_profile *got, *want;
	struct sm_live_status st;
	struct sm_live *live;
	struct pair p;

	make(&p, state, false, 99, 1200);
	for (size_t i = 0; i < SM_ARRAY_SIZE(CASES); i++)
		play(&p, &CASES[i], 111111, 1);
	live = open_live(&p, 250000, &ends, NULL);
	do {
		expect_none(sm_live_step(live));
		sm_live_status(live, &st);
	} while (!st.ended);
	expect_none(sm_live_profile(live, &got, NULL));
	want = capture_profile(&p.whole, &ends);
	expect_same_end(got, want);
	sm_profile_free(got);
	sm_profile_free(want);
	sm_live_free(live);
	pair_close(&p);
}

static void test_usage(void **state)
{
	static const struct sm_timeline_opts interval = {.interval = 5};
	const struct sm_profile_opts ok = {0};
	const struct sm_profile_opts BAD[] = {
		{.to = {.kind = SM_MOMENT_PEAK}},
		{.to = {.kind = SM_MOMENT_PERCENT, .percent = 50}},
		{.from = {.kind = SM_MOMENT_PERCENT, .percent = 50}},
	};
	struct sm_live_opts opts = {0};
	struct sm_live *live;
	struct pair p;

	make(&p, state, false, 1, 20);
	for (size_t i = 0; i < SM_ARRAY_SIZE(BAD); i++) {
		opts.profile = &BAD[i];
		scratch_expect(sm_live_open_replay(p.played.trace, 5, &opts, &live), SM_E_USAGE,
			"that moment needs an end");
		assert_null(live);
	}
	opts.profile = &ok;
	scratch_expect(sm_live_open_replay(p.played.trace, 0, &opts, &live), SM_E_USAGE, "length");
	opts.timeline = &interval;
	scratch_expect(
		sm_live_open_replay(p.played.trace, 5, &opts, &live), SM_E_USAGE, "interval");
	pair_close(&p);
	capture_play_file(*state, "capture", "map-le.txt");
	capture_open(&p.played, *state, "capture", NULL);
	opts.timeline = NULL;
	scratch_expect(
		sm_live_open_replay(p.played.trace, 5, &opts, &live), SM_E_MISSING, "no events");
	capture_close(&p.played);
}

/* A loss is told when what lies behind it is, not before; and so are events without stacks. */
static void test_moments(void **state)
{
	static const struct {
		uint64_t events, lost, lost_now, no_stack;
	} WANT[] = {{1, 0, 0, 0}, {2, 0, 0, 0}, {2, 0, 0, 0}, {3, 9, 9, 1}, {4, 9, 0, 1}};
	const struct sm_profile_opts popts = {0};
	struct sm_live_status st;
	struct sm_profile *p;
	struct sm_live *live;
	struct pair pair;

	capture_play(*state, "capture",
		HEAD "at 1000000\nkmalloc ptr=0x1000 req=8\nstack do_work entry\n"
		     "at 2000000\nkmalloc ptr=0x2000 req=8\nstack do_work entry\n"
		     "at 4000000\npage lost 9\nkmalloc ptr=0x3000 req=8\n"
		     "cpu 1\nat 5000000\nkfree ptr=0x1000\nstack do_work entry\n");
	pair_open(&pair, *state);
	live = open_live(&pair, 900000, &popts, NULL);
	for (size_t i = 0; i < SM_ARRAY_SIZE(WANT); i++) {
		expect_none(sm_live_step(live));
		sm_live_status(live, &st);
		expect_none(sm_live_profile(live, &p, NULL));
		assert_int_equal(st.events, WANT[i].events);
		assert_int_equal(st.lost, WANT[i].lost);
		assert_int_equal(st.lost_now, WANT[i].lost_now);
		assert_int_equal(p->health.events, WANT[i].events);
		assert_int_equal(p->health.lost_events, WANT[i].lost);
		assert_int_equal(p->health.no_stack, WANT[i].no_stack);
		assert_int_equal(st.ended, i == 4);
		assert_int_equal(st.elapsed_ns, i == 4 ? 4000000 : (i + 1) * 900000);
		sm_profile_free(p);
	}
	sm_live_free(live);
	pair_close(&pair);
}

/* A snapshot is what it was, whatever comes after it. */
static void test_snapshots(void **state)
{
	const struct sm_profile_opts popts = {
		.attr = SM_ATTR_COMM, .attrs = ATTRS, .by_stack = true, .keep_live = true};
	struct sm_profile *kept[64];
	char *texts[64];
	struct sm_live_status st;
	struct sm_live *live;
	struct pair pair;
	unsigned n = 0;

	make(&pair, state, false, 4, 1500);
	live = open_live(&pair, 50000, &popts, NULL);
	do {
		expect_none(sm_live_step(live));
		sm_live_status(live, &st);
		expect_none(sm_live_profile(live, &kept[n], NULL));
		texts[n] = rows_of(kept[n]);
		n++;
	} while (!st.ended && n < 64);
	assert_true(n > 10);
	sm_live_free(live);
	for (unsigned i = 0; i < n; i++) {
		char *now = rows_of(kept[i]);

		assert_string_equal(now, texts[i]);
		free(now);
		free(texts[i]);
		sm_profile_free(kept[i]);
	}
	pair_close(&pair);
}

/* Every script there is: byte orders, damage, maps, clocks. */
static void test_scripts(void **state)
{
	const struct sm_profile_opts popts = {.keep_live = true};
	DIR *dir = opendir(capture_scripts());
	struct dirent *entry;
	unsigned played = 0;

	assert_non_null(dir);
	while ((entry = readdir(dir))) {
		size_t len = strlen(entry->d_name);
		struct pair p;

		if (len < 4 || strcmp(entry->d_name + len - 4, ".txt") != 0 ||
			strncmp(entry->d_name, "map-", 4) == 0 ||
			strcmp(entry->d_name, "million.txt") == 0 ||
			strcmp(entry->d_name, "two-instances.txt") == 0)
			continue;
		capture_play_file(*state, "capture", entry->d_name);
		pair_open(&p, *state);
		if (sm_trace_has_pages(p.played.trace)) {
			struct sm_profile *whole = capture_profile(&p.whole, &popts);
			const struct sm_health *h = &whole->health;

			played++;
			play(&p, &popts, (h->last_ts - h->first_ts) / 300 + 1, 10);
			sm_profile_free(whole);
			play(&p, &popts, UINT64_MAX, 1);
		}
		pair_close(&p);
	}
	closedir(dir);
	assert_true(played > 20);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_steps, scratch_setup, scratch_teardown),
		cmocka_unit_test_setup_teardown(test_options, scratch_setup, scratch_teardown),
		cmocka_unit_test_setup_teardown(test_usage, scratch_setup, scratch_teardown),
		cmocka_unit_test_setup_teardown(test_moments, scratch_setup, scratch_teardown),
		cmocka_unit_test_setup_teardown(test_snapshots, scratch_setup, scratch_teardown),
		cmocka_unit_test_setup_teardown(test_scripts, scratch_setup, scratch_teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
