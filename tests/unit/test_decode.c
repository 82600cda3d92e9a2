/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Pages to events: layouts, byte orders, time, damage; and the same answer from any number of
 * threads. */
#include "capture.h"

#include <dirent.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

#define SYMBOLS "include symbols64.inc\n"

static int is_capture(const struct dirent *e)
{
	size_t len = strlen(e->d_name);

	/* Maps alone have no events; a million of them prove no more than a few. */
	return len > 4 && strcmp(e->d_name + len - 4, ".txt") == 0 &&
	       strncmp(e->d_name, "map-", 4) != 0 && strcmp(e->d_name, "million.txt") != 0 &&
	       strcmp(e->d_name, "two-instances.txt") != 0;
}

static void findings_text(const struct sm_trace *trace, struct sm_buf *b)
{
	size_t n;
	const struct sm_finding *f = sm_trace_findings(trace, &n);

	sm_buf_reset(b);
	sm_buf_adds(b, "");
	for (size_t i = 0; i < n; i++)
		sm_buf_addf(b, "%s %llu %s: %s\n", f[i].path, (unsigned long long)f[i].offset,
			f[i].what, f[i].detail);
}

/* Events, health and findings don't depend on the number of threads, nor on earlier runs. */
static void test_threads(void **state)
{
	struct scratch *s = *state;
	struct dirent **entries;
	int n = scandir(capture_scripts(), &entries, is_capture, alphasort);

	assert_true(n > 10);
	for (int i = 0; i < n; i++) {
		struct sm_buf findings[2] = {0};
		struct sm_health health;
		struct capture c;
		char *want;

		capture_play_file(s, "capture", entries[i]->d_name);
		capture_open(&c, s, "capture", NULL);
		want = capture_events(&c, 1);
		health = c.trace->health;
		findings_text(c.trace, &findings[0]);
		for (unsigned threads = 2; threads <= 5; threads += 3) {
			char *have = capture_events(&c, threads);

			assert_string_equal(have, want);
			assert_memory_equal(&health, &c.trace->health, sizeof(health));
			findings_text(c.trace, &findings[1]);
			assert_string_equal(findings[1].data, findings[0].data);
			free(have);
		}
		free(want);
		sm_buf_release(&findings[0]);
		sm_buf_release(&findings[1]);
		capture_close(&c);
		free(entries[i]);
	}
	free(entries);
}

static void events_are(void **state, const char *script, const char *want)
{
	struct capture c;
	char *have;

	capture_make(&c, *state, script);
	have = capture_events(&c, 1);
	assert_string_equal(have, want);
	free(have);
	capture_close(&c);
}

/* Time bases, deltas, extends, absolute stamps; and all CPUs in one order. */
static void test_time(void **state)
{
	events_are(state,
		"kernel le 64 page 4096 format 6.18\n" SYMBOLS "cpu 0\nat 1000\n"
		"kfree ptr=0x100\n"
		"at 134218727\n" /* 2^27 - 1 later: the largest delta */
		"kfree ptr=0x100\n"
		"at 268436455\n" /* 2^27 later: an extend */
		"kfree ptr=0x100\n"
		"at 576460752303423487\n" /* 2^59 - 1 */
		"abs\n"
		"kfree ptr=0x100\n"
		"at 576460752303423498\n" /* goes over 2^59 */
		"abs\n"
		"kfree ptr=0x100\n"
		"cpu 7\nat 1000\n"
		"kfree ptr=0x100\n"
		"at 134218726\n"
		"kfree ptr=0x100\n",
		"cpu0 1000 kfree none\n"
		"cpu7 1000 kfree none\n"
		"cpu7 134218726 kfree none\n"
		"cpu0 134218727 kfree none\n"
		"cpu0 268436455 kfree none\n"
		"cpu0 576460752303423487 kfree none\n"
		"cpu0 576460752303423498 kfree none\n");
}

static void test_ties(void **state)
{
	events_are(state,
		"kernel le 64 page 4096 format 6.18\n" SYMBOLS "at 5\n"
		"cpu 3\nkfree ptr=1\nkmalloc ptr=2 req=1\n"
		"cpu 1\nkfree ptr=1\nat 6\nkmalloc ptr=2 req=1\n"
		"cpu 2\nat 5\nkmalloc ptr=2 req=1\n",
		"cpu1 5 kfree none\n"
		"cpu2 5 kmalloc none\n"
		"cpu3 5 kfree none\n"
		"cpu3 5 kmalloc none\n"
		"cpu1 6 kmalloc none\n");
}

/* Time that goes back between pages is counted, and costs nothing else. */
static void test_time_back(void **state)
{
	struct capture c;
	char *have;

	capture_make(&c, *state,
		"kernel le 64 page 4096 format 6.18\n" SYMBOLS "at 100\nkfree ptr=1\n"
		"at 50\nkfree ptr=1\nat 60\nkfree ptr=1\n");
	have = capture_events(&c, 2);
	assert_string_equal(have, "cpu0 100 kfree none\ncpu0 50 kfree none\ncpu0 60 kfree none\n");
	assert_int_equal(c.trace->health.time_back, 1);
	assert_int_equal(c.trace->health.first_ts, 50);
	assert_int_equal(c.trace->health.last_ts, 100);
	free(have);
	capture_close(&c);
}

/* Byte order and word size where nothing but the pages tells them. */
static void test_order_of_pages(void **state)
{
	static const struct {
		const char *kernel;
		uint8_t long_size;
		bool big;
	} kernels[] = {
		{"le 64 page 4096", 8, false},
		{"be 64 page 4096", 8, true},
		{"le 32 page 4096", 4, false},
		{"be 32 page 4096", 4, true},
		{"le 64 page 65536", 8, false},
		{"be 64 page 65536", 8, true},
	};

	for (size_t i = 0; i < SM_ARRAY_SIZE(kernels); i++) {
		char script[512];
		struct capture c;
		char *have;

		snprintf(script, sizeof(script),
			"kernel %s format 6.18\nomit sys/kernel/notes\nomit smtool.json\n"
			"at 77\nkmalloc pid=300 ptr=0x80000010 site=0x80000001 req=5 alloc=8\n"
			"stack 0x80000001 0x80000002\n",
			kernels[i].kernel);
		capture_make(&c, *state, script);
		assert_int_equal(c.trace->layout.long_size, kernels[i].long_size);
		assert_int_equal(c.trace->layout.swap, sm_host_big_endian() != kernels[i].big);
		have = capture_events(&c, 1);
		assert_string_equal(have, "cpu0 77 kmalloc 80000001,80000002\n");
		free(have);
		capture_close(&c);
	}
}

static void test_counters(void **state)
{
	const struct sm_trace_cpu *cpu;
	struct capture c;

	capture_make(&c, *state,
		"kernel le 64 page 4096 format 6.18\n" SYMBOLS
		"stats 2 entries=10 overrun=1 commit_overrun=2 bytes=300 dropped=4 read=5\n"
		"stats 9 entries=1 overrun=0 commit_overrun=0 bytes=3 dropped=7 read=0\n"
		"cpu 2\nat 1\nkfree ptr=1\nstack 5\npage lost 9\nkfree ptr=1\n"
		"cpu 9\npage lost-unknown\nkfree ptr=1\nzeropage\n");
	for (unsigned run = 0; run < 2; run++) {
		free(capture_events(&c, 2));
		assert_int_equal(c.trace->ncpus, 2);
		cpu = &c.trace->cpus[0];
		assert_int_equal(cpu->cpu, 2);
		assert_int_equal(cpu->pages, 2);
		assert_int_equal(cpu->records, 3);
		assert_int_equal(cpu->lost_events, 9);
		assert_int_equal(cpu->corrupt_pages, 0);
		assert_int_equal(cpu->stats.entries, 10);
		assert_int_equal(cpu->stats.commit_overrun, 2);
		assert_int_equal(cpu->stats.read, 5);
		cpu = &c.trace->cpus[1];
		assert_int_equal(cpu->cpu, 9);
		assert_int_equal(cpu->lost_unknown, 1);
		assert_int_equal(cpu->corrupt_pages, 1);
		assert_int_equal(c.trace->health.dropped, 11);
	}
	capture_close(&c);
}

/* A format that places a field at the far end of what a payload can be. */
static void test_far_field(void **state)
{
	static const char format[] =
		"name: kmalloc\nID: %u\nformat:\n"
		"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"
		"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n"
		"\n"
		"\tfield:unsigned long ptr;\toffset:65535;\tsize:8;\tsigned:0;\n";
	const char *path = "capture/" SM_TRACING "/events/kmem/kmalloc/format";
	struct scratch *s = *state;
	struct capture c;
	char text[1024];
	char *have, *id;
	size_t len;

	capture_play(s, "capture",
		"kernel le 64 page 131072 format 6.18\nat 1\nkmalloc pid=5 ptr=1 req=1 size=65536\n"
		"cutpage 65560\n");
	id = (char *)scratch_load(s, path, &len);
	snprintf(text, sizeof(text), "name: kmalloc\nID: %lu\n%s",
		strtoul(strstr(id, "ID: ") + 4, NULL, 10), strstr(format, "format:"));
	free(id);
	scratch_write(s, path, text, strlen(text));
	capture_open(&c, s, "capture", NULL);
	have = capture_events(&c, 1);
	assert_string_equal(have, "cpu0 1 kmalloc none\n");
	assert_int_equal(c.trace->health.bad_records, 1);
	free(have);
	capture_close(&c);
}

/* Damage costs its own page. Each file is cut at every length, and read. */
static void test_cut_anywhere(void **state)
{
	const char *path = "capture/" SM_TRACING "/per_cpu/cpu0/trace_pipe_raw";
	struct scratch *s = *state;
	uint8_t *pages;
	size_t len;

	capture_play_file(s, "capture", "lost.txt");
	pages = scratch_load(s, path, &len);
	for (size_t n = 0; n <= len; n += 61) {
		struct capture c;

		unlink(scratch_path(s, path)); /* quicker than truncating it */
		scratch_write(s, path, pages, n);
		capture_open(&c, s, "capture", NULL);
		free(capture_events(&c, 2));
		assert_true(c.trace->health.corrupt_pages <= 1);
		if (c.trace->health.truncated)
			assert_int_equal(c.trace->health.corrupt_pages, 1);
		if (n % 4096 == 0)
			assert_int_equal(c.trace->health.corrupt_pages, 0);
		sm_trace_free(c.trace);
		sm_source_free(c.src);
	}
	free(pages);
}

static struct sm_error *stop_later(void *ctx, const struct sm_batch *batch)
{
	unsigned *left = ctx;

	(void)batch;
	if (!*left)
		return sm_error_new(SM_E_STOPPED, NULL, "stopped", NULL);
	--*left;
	return NULL;
}

static struct sm_error *fail_now(void *ctx, const struct sm_batch *batch)
{
	(void)ctx;
	(void)batch;
	return sm_error_new(SM_E_OTHER, NULL, "sink failed", NULL);
}

static void test_stop(void **state)
{
	struct capture c;

	capture_make(&c, *state,
		"kernel le 64 page 4096 format 6.18\nstep 1\nat 1\nrepeat 20000 {\n"
		"cpu 0\nkfree ptr=1\ncpu 1\nkfree ptr=1\n}\n");
	for (unsigned threads = 1; threads <= 4; threads++) {
		struct sm_run_opts opts = {.threads = threads};

		for (unsigned n = 0; n < 20; n += 3) {
			unsigned left = n;

			assert_null(sm_trace_run(c.trace, &opts, stop_later, &left));
			assert_int_equal(left, 0);
		}
		scratch_expect(
			sm_trace_run(c.trace, &opts, fail_now, NULL), SM_E_OTHER, "sink failed");
		assert_null(sm_trace_run(c.trace, &opts, NULL, NULL));
		assert_int_equal(c.trace->health.events, 40000);
	}
	capture_close(&c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define TEST(f) cmocka_unit_test_setup_teardown(f, scratch_setup, scratch_teardown)
		TEST(test_threads),
		TEST(test_time),
		TEST(test_ties),
		TEST(test_time_back),
		TEST(test_order_of_pages),
		TEST(test_counters),
		TEST(test_far_field),
		TEST(test_cut_anywhere),
		TEST(test_stop),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
