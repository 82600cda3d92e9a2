/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A run in steps over pages that come piece by piece, as a recording has them: what is handed out,
 * and when. The recording is one without a kernel: a capture's files, and its pages through taps.
 */
#include "capture.h"

#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "lib/profile/internal.h"
#include "lib/source/recording.h"

#define HEAD "kernel le 64 page 4096 format 7.2\ninclude symbols64.inc\n"
#define PAGE 4096
#define CPUS 3
#define LIMIT (UINT64_C(64) << 20)

struct feed {
	struct capture whole; /* as a capture that is read as usual */
	struct sm_recorder rec;
	struct sm_recording live;
	struct sm_spool spools[CPUS];
	struct sm_blob pages[CPUS];
	size_t given[CPUS]; /* bytes */
	struct sm_trace *trace;
	struct sm_stepper *stepper;
	struct sm_buf text; /* of what was handed out: "cpuN TS stack" a line */
	void *cctx;
};

static void add_members(struct feed *f, const char *dir)
{
	struct sm_names names;

	expect_none(sm_source_list(f->whole.src, dir, &names));
	for (size_t i = 0; i < names.n; i++) {
		char name[512];
		struct sm_member *m;
		struct sm_blob blob;

		snprintf(name, sizeof(name), "%s/%s", dir, names.names[i]);
		if (!sm_source_has(f->whole.src, name)) {
			add_members(f, name);
			continue;
		}
		expect_none(sm_source_read(f->whole.src, name, 0, &blob));
		assert_true(sm_grow(
			&f->rec.members, &f->rec.members_cap, f->rec.nmembers + 1, sizeof(*m)));
		m = &f->rec.members[f->rec.nmembers++];
		*m = (struct sm_member){.name = strdup(name)};
		sm_buf_add(&m->data, blob.data, blob.size);
		sm_blob_release(&blob);
	}
	sm_names_release(&names);
}

static void feed_open(struct feed *f, struct scratch *s, const char *script)
{
	const struct sm_trace_opts opts = {.no_map = true};
	const struct sm_run_opts run = {.threads = 1};

	memset(f, 0, sizeof(*f));
	capture_play(s, "capture", script);
	capture_open(&f->whole, s, "capture", NULL);
	f->rec.live = &f->live;
	f->rec.spools = f->spools;
	f->rec.ncpus = f->whole.trace->ncpus;
	assert_true(f->rec.ncpus <= CPUS);
	add_members(f, SM_TRACING "/events");
	expect_none(sm_tally_layout_parse(&f->rec.layout, "header_page",
		sm_recorder_member(&f->rec, SM_TRACING "/events/header_page")->data));
	f->live.files = scratch_open(s, "capture");
	expect_none(sm_taps_new(f->rec.ncpus, &f->rec.layout, LIMIT, &f->live.taps));
	expect_none(sm_recording_view(&f->rec, &f->live.view));
	for (size_t i = 0; i < f->rec.ncpus; i++) {
		f->spools[i] = (struct sm_spool){.cpu = f->whole.trace->cpus[i].cpu, .fd = -1};
		expect_none(sm_source_read(
			f->whole.src, f->whole.trace->cpus[i].member, 0, &f->pages[i]));
	}
	expect_none(sm_trace_open(f->live.view, &opts, &f->trace));
	assert_int_equal(f->trace->ncpus, f->rec.ncpus);
	expect_none(sm_stepper_new(f->trace, &run, &f->stepper));
	sm_buf_adds(&f->text, "");
}

static void feed_close(struct feed *f)
{
	sm_stepper_free(f->stepper);
	sm_trace_free(f->trace);
	sm_source_free(f->live.view);
	sm_source_free(f->live.files);
	sm_taps_free(f->live.taps);
	sm_recorder_forget_last(&f->rec, 0);
	free(f->rec.members);
	for (size_t i = 0; i < f->rec.ncpus; i++)
		sm_blob_release(&f->pages[i]);
	sm_frame_release(&f->cctx);
	sm_buf_release(&f->text);
	capture_close(&f->whole);
}

/* Gives `n` more pages of a CPU, in one frame. */
static void give(struct feed *f, size_t index, size_t n)
{
	const uint8_t *data = f->pages[index].data + f->given[index];
	struct sm_packed packed = {.index = index, .raw = n * PAGE};
	struct sm_buf frame = {0};

	if (!n)
		return;
	assert_true(f->given[index] + n * PAGE <= f->pages[index].size);
	expect_none(sm_frame_compress(&f->cctx, 1, data, n * PAGE, &frame));
	packed.frame = frame.data;
	packed.len = frame.len;
	packed.time = sm_page_time(&f->rec.layout, data);
	sm_taps_push(f->live.taps, &packed);
	sm_buf_release(&frame);
	f->given[index] += n * PAGE;
}

/* Pages that begin at `until` or before, of which a CPU's next one may be. */
static size_t due(const struct feed *f, size_t index, uint64_t until)
{
	size_t n = 0;

	while (f->given[index] + n * PAGE < f->pages[index].size &&
		sm_page_time(&f->rec.layout, f->pages[index].data + f->given[index] + n * PAGE) <=
			until)
		n++;
	return n;
}

static struct sm_error *print(void *ctx, const struct sm_batch *batch)
{
	struct feed *f = ctx;

	for (size_t i = 0; i < batch->n; i++)
		sm_buf_addf(&f->text, "cpu%u %llu%s\n", batch->events[i].cpu,
			(unsigned long long)batch->events[i].ts,
			batch->events[i].stack == SM_STACK_NONE ? " none" : "");
	return NULL;
}

static void step(struct feed *f, uint64_t until)
{
	expect_none(sm_stepper_step(f->stepper, until, print, f));
}

static void expect_step(struct feed *f, uint64_t until, const char *want)
{
	sm_buf_reset(&f->text);
	sm_buf_adds(&f->text, "");
	step(f, until);
	assert_string_equal(f->text.data, want);
}

/* ---- what is held up ---- */

static void test_waiting(void **state)
{
	struct feed f;

	feed_open(&f, *state,
		HEAD "at 1000000\nkmalloc ptr=64 site=do_work\nstack do_work\n"
		     "at 2000000\nkmalloc ptr=128 site=do_work\npage\nstack do_work\n"
		     "at 4000000\nkfree ptr=64\nstack do_work\n"
		     "cpu 1\nat 1500000\nkmalloc ptr=192 site=do_work\nstack do_work\n"
		     "at 3000000\nkfree ptr=192\nstack do_work\n");
	expect_step(&f, 500000, "");
	give(&f, 0, 1);
	give(&f, 1, 1);
	/* The second event's stack isn't there: neither it nor what is later leaves. */
	expect_step(&f, 3000000, "cpu0 1000000\ncpu1 1500000\n");
	assert_int_equal(sm_stepper_reached(f.stepper), 1999999);
	assert_int_equal(f.trace->health.events, 2);
	assert_int_equal(f.trace->health.no_stack, 0);
	give(&f, 0, 1);
	expect_step(&f, 3000000, "cpu0 2000000\ncpu1 3000000\n");
	assert_int_equal(sm_stepper_reached(f.stepper), 3000000);
	expect_step(&f, 3999999, "");
	expect_step(&f, 4000000, "cpu0 4000000\n");
	assert_int_equal(f.trace->health.events, 5);
	assert_int_equal(f.trace->health.no_stack, 0);
	assert_false(sm_stepper_ended(f.stepper));
	feed_close(&f);
}

/* An event that never had a stack holds up nothing for long. */
static void test_patience(void **state)
{
	struct feed f;

	feed_open(&f, *state,
		HEAD "at 1000000000\nkmalloc ptr=64 site=do_work\n"
		     "cpu 1\nat 1010000000\nkmalloc ptr=192 site=do_work\nstack do_work\n"
		     "at 3000000000\nkfree ptr=192\nstack do_work\n");
	give(&f, 0, 1);
	give(&f, 1, 1);
	expect_step(&f, 1050000000, "");
	expect_step(&f, 1100000000, "");
	expect_step(&f, 1100000001, "cpu0 1000000000 none\ncpu1 1010000000\n");
	assert_int_equal(f.trace->health.no_stack, 1);
	expect_step(&f, UINT64_MAX, "cpu1 3000000000\n");
	feed_close(&f);
}

/* What came too late leaves all the same. */
static void test_late(void **state)
{
	struct feed f;

	feed_open(&f, *state,
		HEAD "at 1000000\nkmalloc ptr=64 site=do_work\nstack do_work\n"
		     "cpu 1\nat 2000000\nkmalloc ptr=192 site=do_work\nstack do_work\n");
	give(&f, 1, 1);
	expect_step(&f, 5000000, "cpu1 2000000\n");
	give(&f, 0, 1);
	expect_step(&f, 6000000, "cpu0 1000000\n");
	assert_int_equal(f.trace->health.first_ts, 1000000);
	feed_close(&f);
}

/* ---- any order of arrival ---- */

static void add_events(struct sm_buf *b, uint64_t *random, unsigned n)
{
	uint64_t ts = 1000000;

	for (unsigned i = 0; i < n; i++) {
		ts += random_below(random, 3000);
		sm_buf_addf(b, "cpu %u\nat %llu\n", (unsigned)random_below(random, CPUS),
			(unsigned long long)ts);
		if (random_below(random, 40) == 0)
			sm_buf_addf(b, "page%s\n", random_below(random, 2) ? " lost 3" : "");
		sm_buf_addf(b, "kmalloc pid=%d ptr=%u site=do_work req=8\n",
			100 + (int)random_below(random, 2), 64 + 64 * i);
		if (random_below(random, 30) == 0)
			sm_buf_adds(b, "page\n");
		if (random_below(random, 15))
			sm_buf_addf(b, "stack kmem_trace+8 do_work entry+%u\n",
				16 * (unsigned)random_below(random, 9));
	}
}

static void expect_health(const struct sm_health *got, const struct sm_health *want)
{
	assert_int_equal(got->events, want->events);
	assert_int_equal(got->no_stack, want->no_stack);
	assert_int_equal(got->orphan_stacks, want->orphan_stacks);
	assert_int_equal(got->lost_events, want->lost_events);
	assert_int_equal(got->first_ts, want->first_ts);
	assert_int_equal(got->last_ts, want->last_ts);
}

/* What leaves is what a reading of the whole hands out, in the same order, however pages come. */
static void test_arrival(void **state)
{
	for (uint64_t seed = 1; seed <= 12; seed++) {
		uint64_t random = seed, until = 900000;
		struct sm_buf script = {0}, got;
		struct sm_run_opts run = {0};
		struct feed f;

		sm_buf_adds(&script, HEAD);
		add_events(&script, &random, 900);
		feed_open(&f, *state, script.data);
		sm_buf_release(&script);
		for (bool all = false; !all;) {
			all = true;
			until += random_below(&random, 400000);
			for (size_t i = 0; i < CPUS; i++) {
				size_t left, n = due(&f, i, until);

				/* In one frame or two, and maybe more than is due. */
				give(&f, i, n / 2);
				give(&f, i, n - n / 2);
				left = (f.pages[i].size - f.given[i]) / PAGE;
				if (left && random_below(&random, 3) == 0)
					give(&f, i, 1);
				all &= f.given[i] == f.pages[i].size;
			}
			step(&f, until);
			assert_true(sm_stepper_reached(f.stepper) <= until);
			assert_true(f.trace->health.last_ts <= until);
		}
		step(&f, UINT64_MAX);
		got = f.text;
		memset(&f.text, 0, sizeof(f.text));
		sm_buf_adds(&f.text, "");
		expect_none(sm_trace_run(f.whole.trace, &run, print, &f));
		assert_string_equal(got.data, f.text.data);
		expect_health(&f.trace->health, &f.whole.trace->health);
		sm_buf_release(&got);
		feed_close(&f);
	}
}

/* What didn't fit into memory is told where it was. */
static void test_overflow(void **state)
{
	struct sm_packed packed = {.index = 0, .raw = PAGE, .records = 5, .time = 1500000};
	struct feed f;

	feed_open(&f, *state,
		HEAD "at 1000000\nkmalloc ptr=64 site=do_work\nstack do_work\npage\n"
		     "at 2000000\nkmalloc ptr=128 site=do_work\nstack do_work\n");
	give(&f, 0, 1);
	packed.frame = "";
	packed.len = LIMIT + 1;
	sm_taps_push(f.live.taps, &packed);
	packed.records = 3;
	sm_taps_push(f.live.taps, &packed);
	expect_step(&f, 1500000, "cpu0 1000000\n");
	assert_int_equal(f.trace->health.lost_events, 0);
	give(&f, 0, 1);
	expect_step(&f, 2500000, "cpu0 2000000\n");
	assert_int_equal(f.trace->health.lost_events, 8);
	feed_close(&f);
}

/* Names that the kernel learns are those of what comes next; those that it forgets stay. */
static void test_names(void **state)
{
	static const char later[] = "7 eight\n9 nine\n8 <...>\n";
	struct attr_table table = {.attr = SM_ATTR_COMM};
	struct sm_event ev = {.pid = 7};
	struct sm_buf text = {0};
	struct feed f;
	uint32_t label;
	bool changed;

	feed_open(&f, *state, HEAD "comm 7 seven\ncomm 8 \"so so\"\nat 1\nkfree ptr=64\n");
	expect_none(sm_trace_read_comms(f.trace, &changed));
	assert_false(changed);
	label = sm_attr_of(&table, f.trace, &ev);
	assert_string_equal(sm_strings_get(&table.labels, label), "seven");
	ev.pid = 9;
	assert_string_equal(
		sm_strings_get(&table.labels, sm_attr_of(&table, f.trace, &ev)), "<...>");
	scratch_write(*state, "capture/" SM_TRACING "/saved_cmdlines", later, strlen(later));
	expect_none(sm_trace_read_comms(f.trace, &changed));
	assert_true(changed);
	assert_string_equal(sm_trace_comm(f.trace, 7), "eight");
	assert_string_equal(sm_trace_comm(f.trace, 8), "so so");
	assert_string_equal(sm_trace_comm(f.trace, 9), "nine");
	assert_null(sm_trace_comm(f.trace, 10));
	assert_true(sm_attr_name_again(&table, f.trace));
	assert_string_equal(
		sm_strings_get(&table.labels, sm_attr_of(&table, f.trace, &ev)), "nine");
	ev.pid = 7;
	assert_string_equal(
		sm_strings_get(&table.labels, sm_attr_of(&table, f.trace, &ev)), "eight");
	assert_string_equal(sm_strings_get(&table.labels, label), "seven");
	sm_trace_write_comms(f.trace, &text);
	assert_non_null(strstr(text.data, "7 eight\n"));
	assert_non_null(strstr(text.data, "8 so so\n"));
	assert_non_null(strstr(text.data, "9 nine\n"));
	assert_null(strstr(text.data, "seven"));
	assert_null(strstr(text.data, "<...>"));
	sm_buf_release(&text);
	sm_attr_release(&table);
	feed_close(&f);
}

/* The view has the recording's formats, and nothing that lies about. */
static void test_view(void **state)
{
	struct sm_blob blob;
	struct feed f;

	feed_open(&f, *state, HEAD "comm 7 seven\nat 1\nkfree ptr=64\n");
	assert_true(sm_source_has(f.live.view, "proc/kallsyms"));
	assert_true(sm_source_has(f.live.view, SM_TRACING "/events/kmem/kfree/format"));
	assert_false(sm_source_has(f.live.view, "smtool.json"));
	assert_string_equal(sm_trace_comm(f.trace, 7), "seven");
	scratch_expect(sm_source_read(f.live.view, "smtool.json", 0, &blob), SM_E_MISSING, "");
	sm_recorder_forget_last(&f.rec, 0);
	assert_false(sm_source_has(f.live.view, SM_TRACING "/events/kmem/kfree/format"));
	scratch_list_is(f.live.view, SM_TRACING "/events", "");
	feed_close(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_waiting, scratch_setup, scratch_teardown),
		cmocka_unit_test_setup_teardown(test_patience, scratch_setup, scratch_teardown),
		cmocka_unit_test_setup_teardown(test_late, scratch_setup, scratch_teardown),
		cmocka_unit_test_setup_teardown(test_arrival, scratch_setup, scratch_teardown),
		cmocka_unit_test_setup_teardown(test_overflow, scratch_setup, scratch_teardown),
		cmocka_unit_test_setup_teardown(test_names, scratch_setup, scratch_teardown),
		cmocka_unit_test_setup_teardown(test_view, scratch_setup, scratch_teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
