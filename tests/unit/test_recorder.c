/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The recorder on a tracefs of ordinary files. What only a kernel can do is in
 * tests/root/record.sh. */
#include "scratch.h"

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "lib/source/recording.h"

#define TRACEFS "root/sys/kernel/tracing"
#define PAGE 4096

#define HEADER_PAGE                                                 \
	"\tfield: u64 timestamp;\toffset:0;\tsize:8;\tsigned:0;\n"  \
	"\tfield: local_t commit;\toffset:8;\tsize:8;\tsigned:1;\n" \
	"\tfield: int overwrite;\toffset:8;\tsize:1;\tsigned:1;\n"  \
	"\tfield: char data;\toffset:16;\tsize:4080;\tsigned:0;\n"

#define COMMON                                                                         \
	"format:\n"                                                                    \
	"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"         \
	"\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n"         \
	"\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n" \
	"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"

static void put(const struct scratch *s, const char *name, const char *text)
{
	char path[512];

	snprintf(path, sizeof(path), TRACEFS "/%s", name);
	scratch_write(s, path, text, strlen(text));
}

static void is(const struct scratch *s, const char *name, const char *text)
{
	char path[512];
	uint8_t *data;
	size_t len;

	snprintf(path, sizeof(path), TRACEFS "/%s", name);
	data = scratch_load(s, path, &len);
	assert_string_equal((char *)data, text);
	free(data);
}

static void put_event(const struct scratch *s, const char *event, unsigned id)
{
	char name[128], text[1024];

	snprintf(name, sizeof(name), "events/%s/format", event);
	snprintf(text, sizeof(text), "name: x\nID: %u\n" COMMON, id);
	put(s, name, text);
	if (strncmp(event, "ftrace/", 7)) {
		snprintf(name, sizeof(name), "events/%s/enable", event);
		put(s, name, "0\n");
	}
}

/* What every tracefs has, idle. */
static void put_tracefs(const struct scratch *s)
{
	put(s, "tracing_on", "1\n");
	put(s, "current_tracer", "nop\n");
	put(s, "set_event", "");
	put(s, "buffer_size_kb", "7 (expanded: 1408)\n");
	put(s, "buffer_percent", "50\n");
	put(s, "trace_clock", "[local] global mono boot\n");
	put(s, "saved_cmdlines_size", "128\n");
	put(s, "saved_cmdlines", "1 init\n");
	put(s, "trace", "");
	put(s, "options/overwrite", "1\n");
	put(s, "options/stacktrace", "0\n");
	put(s, "options/record-cmd", "1\n");
	put(s, "events/header_page", HEADER_PAGE);
	put_event(s, "ftrace/kernel_stack", 4);
	put_event(s, "kmem/kmalloc", 100);
	put_event(s, "kmem/kfree", 101);
	put_event(s, "kmem/kmem_cache_alloc", 102);
	put_event(s, "kmem/kmem_cache_free", 103);
	put_event(s, "kmem/mm_page_free_batched", 104);
	put_event(s, "sched/sched_switch", 200);
	put_event(s, "sched/sched_wakeup", 201);
	put(s, "per_cpu/cpu0/stats",
		"entries: 0\noverrun: 7\ncommit overrun: 0\ndropped events: 2\nread events: 5\n");
	put(s, "per_cpu/cpu2/stats", "entries: 0\n");
	put(s, "per_cpu/cpu2/trace_pipe_raw", "");
	scratch_run(s, "mkdir -p " TRACEFS "/instances root/run root/proc");
}

static void put32(uint8_t *p, uint32_t v)
{
	memcpy(p, &v, sizeof(v));
}

/* One data record of 8 bytes of payload. */
static size_t put_record(uint8_t *p, uint16_t type, int32_t pid)
{
	put32(p, sm_host_big_endian() ? 2U << 27 : 2);
	put32(p + 4, 0);
	memcpy(p + 4, &type, sizeof(type));
	memcpy(p + 8, &pid, sizeof(pid));
	return 12;
}

/* Three events, one of them of pid 77, and a stack. */
static void make_page(uint8_t *page)
{
	uint8_t *p = page + 16;
	uint64_t commit;

	memset(page, 0, PAGE);
	p += put_record(p, 100, 1);
	p += put_record(p, 4, 1);
	put32(p, sm_host_big_endian() ? 30U << 27 : 30); /* a time */
	p += 8;
	p += put_record(p, 101, 77);
	p += put_record(p, 103, 2);
	commit = (uint64_t)(p - page - 16);
	memcpy(page + 8, &commit, sizeof(commit));
}

static void put_map(const struct scratch *s)
{
	uint8_t pages[3 * PAGE];

	put_event(s, "ftrace/stack_id", 30);
	put(s, "options/stackmap", "0\n");
	put(s, "stack_map", "");
	put(s, "stack_map_bin", "BMSF and so on");
	put(s, "stack_map_stat", "entries:      2500 / 16384\n");
	make_page(pages);
	make_page(pages + PAGE);
	make_page(pages + 2 * PAGE);
	scratch_write(s, TRACEFS "/per_cpu/cpu0/trace_pipe_raw", pages, sizeof(pages));
}

static struct sm_recorder_opts make_opts(const struct scratch *s, int fd)
{
	return (struct sm_recorder_opts){
		.root = strdup(scratch_path(s, "root")),
		.output_fd = fd,
		.output = "out",
		.spool_dir = s->dir,
	};
}

static void expect_new(const struct sm_recorder_opts *opts, enum sm_code code, const char *text)
{
	struct sm_recorder *rec;

	scratch_expect(sm_recorder_new(opts, &rec), code, text);
	assert_null(rec);
}

static void test_clock(void **state)
{
	static const char all[] = "[local] global counter uptime perf mono mono_raw boot\n";
	char name[16];

	(void)state;
	assert_string_equal(sm_clock_choose(all, NULL, false), "mono");
	assert_string_equal(sm_clock_choose(all, NULL, true), "global");
	assert_string_equal(sm_clock_choose(all, "local", false), "local");
	assert_string_equal(sm_clock_choose(all, "boot", false), "boot");
	assert_null(sm_clock_choose(all, "mon", false));
	assert_null(sm_clock_choose(all, "sundial", false));
	assert_string_equal(sm_clock_choose("[local] mono_raw", NULL, false), "mono_raw");
	sm_clock_current(all, name, sizeof(name));
	assert_string_equal(name, "local");
	sm_clock_current("1408\n", name, sizeof(name));
	assert_string_equal(name, "");
}

static void test_stats(void **state)
{
	struct sm_buffer_stats st;

	(void)state;
	sm_buffer_stats_parse("entries: 3\noverrun: 4\ncommit overrun: 5\nbytes: 9\n"
			      "oldest event ts: 1.5\ndropped events: 6\nread events: 7\n",
		&st);
	assert_int_equal(st.entries, 3);
	assert_int_equal(st.overrun, 4);
	assert_int_equal(st.commit_overrun, 5);
	assert_int_equal(st.dropped, 6);
	assert_int_equal(st.read, 7);
	assert_false(st.has_now);
	sm_buffer_stats_parse("entries: 3\nnow ts:  2982.090824\n", &st);
	assert_true(st.has_now);
	assert_int_equal(st.now, UINT64_C(2982090824000));
	sm_buffer_stats_parse("entries: 3\nnow ts: 77\n", &st);
	assert_true(st.has_now);
	assert_int_equal(st.now, 77);
	sm_buffer_stats_parse("", &st);
	assert_int_equal(st.overrun, 0);
}

static void test_tally(void **state)
{
	struct sm_tally_layout l = {.stack_types = {4, -1, -1}};
	const int32_t own[] = {9, 77};
	struct sm_tally t = {0};
	uint8_t page[PAGE];
	unsigned i;

	(void)state;
	assert_null(sm_tally_layout_parse(&l, "p", HEADER_PAGE));
	assert_int_equal(l.page_size, PAGE);
	assert_int_equal(l.long_size, 8);
	assert_true(sm_tally_common_parse(&l, COMMON));
	assert_int_equal(sm_tally_event_id("name: x\nID: 42\n"), 42);
	assert_int_equal(sm_tally_event_id("name: x\n"), -1);
	make_page(page);
	sm_tally_pages(&l, page, PAGE, own, 2, &t);
	assert_int_equal(t.records, 4);
	assert_int_equal(t.events, 3);
	assert_int_equal(t.own, 1);
	/* Lengths that lie, everywhere: no harm, whatever is counted. */
	for (i = 8; i < 80; i++) {
		make_page(page);
		page[i] ^= 0xff;
		sm_tally_pages(&l, page, PAGE, own, 2, &t);
	}
	memset(page, 0xff, PAGE);
	sm_tally_pages(&l, page, PAGE, own, 2, &t);
	scratch_expect(sm_tally_layout_parse(&l, "p", "field: char data; offset:16; size:4;"),
		SM_E_FORMAT, "layout");
	scratch_expect(sm_tally_layout_parse(&l, "p", NULL), SM_E_FORMAT, "layout");
}

static void test_find(void **state)
{
	struct scratch *s = *state;
	char *root = strdup(scratch_path(s, "root")), *path;

	scratch_expect(sm_tracefs_find(root, &path), SM_E_MISSING,
		"mount -t tracefs nodev /sys/kernel/tracing");
	scratch_write(s, "root/sys/kernel/debug/tracing/tracing_on", "1", 1);
	assert_null(sm_tracefs_find(root, &path));
	assert_non_null(strstr(path, "root/sys/kernel/debug/tracing"));
	free(path);
	scratch_write(s, "root/sys/kernel/security/lockdown", "none [integrity] x\n", 19);
	scratch_expect(sm_tracefs_error(root, EPERM, "p", "cannot"), SM_E_REFUSED, "locked down");
	scratch_expect(sm_tracefs_error(root, EACCES, "p", "cannot"), SM_E_IO, "run it as root");
	free(root);
}

static void expect_events(const struct scratch *s, const char *pattern, const char *want)
{
	struct sm_event_refs refs = {0};
	struct sm_buf got = {0};
	size_t i, matches;

	assert_null(sm_event_refs_add(&refs, scratch_path(s, TRACEFS), pattern, &matches));
	assert_int_equal(matches, refs.n);
	sm_buf_adds(&got, "");
	for (i = 0; i < refs.n; i++)
		sm_buf_addf(
			&got, "%s%s:%s", i ? " " : "", refs.items[i].system, refs.items[i].name);
	assert_string_equal(got.data ? got.data : "", want);
	/* Once more: each only once. */
	assert_null(sm_event_refs_add(&refs, scratch_path(s, TRACEFS), pattern, &matches));
	assert_int_equal(matches, refs.n);
	sm_buf_release(&got);
	sm_event_refs_release(&refs);
}

static void test_events(void **state)
{
	struct scratch *s = *state;

	put_tracefs(s);
	expect_events(s, "kmem:kmalloc", "kmem:kmalloc");
	expect_events(s, "kfree", "kmem:kfree");
	expect_events(s, "sched:*", "sched:sched_switch sched:sched_wakeup");
	expect_events(s, "sched", "sched:sched_switch sched:sched_wakeup");
	expect_events(s, "*:*wakeup", "sched:sched_wakeup");
	expect_events(s, "ftrace:*", "");
	expect_events(s, "nonesuch", "");
	expect_events(s, "", "");
}

static void test_undo(void **state)
{
	struct scratch *s = *state;
	char *root = strdup(scratch_path(s, "root")), *tracefs = strdup(scratch_path(s, TRACEFS));
	struct sm_undo u;
	struct stat st;
	char list[512];

	put_tracefs(s);
	assert_null(sm_undo_init(&u, root, tracefs, NULL));
	assert_null(sm_undo_set(&u, "buffer_percent", "50"));
	assert_null(sm_undo_set(&u, "buffer_percent", "60")); /* undone before */
	put(s, "buffer_percent", "70");
	assert_int_equal(stat(u.path, &st), 0);
	snprintf(list, sizeof(list), "%s", u.path);
	sm_undo_release(&u);
	is(s, "buffer_percent", "50");
	assert_int_not_equal(stat(list, &st), 0);

	/* 31 lives, 32 is gone, 33 is another one now. The last line of 32's was cut short. */
	scratch_write(s, "root/proc/31/stat",
		"31 (a) b) S 1 1 1 0 -1 0 0 0 0 0 0 0 0 0 20 0 1 0 555 0\n", 57);
	scratch_write(s, "root/proc/33/stat",
		"33 (x) S 1 1 1 0 -1 0 0 0 0 0 0 0 0 0 20 0 1 0 999 0\n", 54);
	assert_int_equal(sm_process_start(root, 31), 555);
	assert_int_equal(sm_process_start(root, 32), 0);
	scratch_run(s, "cd " TRACEFS "/instances && "
		       "mkdir smtool-31-555 smtool-32-5 smtool-33-5 smtool-x other named");
	scratch_run(s,
		"cd root/run && "
		"printf 'smtool-restore 1 x\\nset\\ttracing_on\\t0\\n' >smtool-31-555.restore && "
		"printf 'smtool-restore 1 x\\nset\\tbuffer_percent\\t33\\nremove\\tnamed\\n"
		"set\\t../../../../evil\\tx\\nset\\ttrace_clock\\tlo' >smtool-32-5.restore");
	sm_undo_sweep(root, tracefs, NULL);
	is(s, "tracing_on", "1\n");
	is(s, "buffer_percent", "33");
	is(s, "trace_clock", "[local] global mono boot\n");
	assert_int_not_equal(stat(scratch_path(s, "evil"), &st), 0);
	assert_int_equal(stat(scratch_path(s, TRACEFS "/instances/smtool-31-555"), &st), 0);
	assert_int_equal(stat(scratch_path(s, TRACEFS "/instances/smtool-x"), &st), 0);
	assert_int_equal(stat(scratch_path(s, TRACEFS "/instances/other"), &st), 0);
	assert_int_not_equal(stat(scratch_path(s, TRACEFS "/instances/smtool-32-5"), &st), 0);
	assert_int_not_equal(stat(scratch_path(s, TRACEFS "/instances/smtool-33-5"), &st), 0);
	assert_int_not_equal(stat(scratch_path(s, TRACEFS "/instances/named"), &st), 0);
	assert_int_equal(stat(scratch_path(s, "root/run/smtool-31-555.restore"), &st), 0);
	assert_int_not_equal(stat(scratch_path(s, "root/run/smtool-32-5.restore"), &st), 0);
	free(root);
	free(tracefs);
}

static void test_refusals(void **state)
{
	struct scratch *s = *state;
	struct sm_recorder_opts opts = make_opts(s, -1);
	static const char *const nonesuch[] = {"kmem:nonesuch"};

	expect_new(&opts, SM_E_MISSING, "tracefs is not mounted");
	put_tracefs(s);
	opts.stackmap = SM_RECORDER_MAP_YES;
	expect_new(&opts, SM_E_UNSUPPORTED, "no stack map");
	opts.stackmap = SM_RECORDER_MAP_AUTO;
	opts.instance = "a/b";
	expect_new(&opts, SM_E_USAGE, "invalid instance name");
	opts.instance = NULL;
	opts.events = nonesuch;
	opts.nevents = 1;
	expect_new(&opts, SM_E_MISSING, "kmem:nonesuch");
	opts.nevents = 0;
	opts.page = true; /* mm_page_alloc isn't there */
	expect_new(&opts, SM_E_MISSING, "kmem:mm_page_alloc");
	opts.page = false;
	/* An instance of ordinary files stays empty: an error midway. All is undone. */
	expect_new(&opts, SM_E_MISSING, "cannot change a tracing setting");
	is(s, "saved_cmdlines_size", "128");
	scratch_run(s, "test -z \"$(ls root/run " TRACEFS "/instances | grep smtool)\"");
	free((char *)opts.root);
}

/* Everything but tracing_on, which is written to twice. */
static void settings_are_as_before(const struct scratch *s)
{
	is(s, "tracing_on", "1");
	is(s, "buffer_size_kb", "1408");
	is(s, "buffer_percent", "50");
	is(s, "trace_clock", "local");
	is(s, "options/stacktrace", "0");
	is(s, "options/stackmap", "0");
	is(s, "options/overwrite", "1\n");
	is(s, "events/kmem/kmalloc/enable", "0");
	is(s, "saved_cmdlines_size", "128");
	scratch_run(s, "test -z \"$(ls root/run)\"");
}

static void test_global(void **state)
{
	struct scratch *s = *state;
	struct sm_recorder_opts opts;
	struct sm_recorder_status st;
	struct sm_recorder *rec;
	struct sm_source *src;
	uint8_t pages[3 * PAGE];
	struct sm_blob blob;
	int fd;

	put_tracefs(s);
	put_map(s);
	fd = open(scratch_path(s, "out.tar.zst"), O_RDWR | O_CREAT, 0600);
	opts = make_opts(s, fd);
	assert_null(sm_recorder_new(&opts, &rec));
	assert_null(sm_recorder_instance(rec));
	assert_string_equal(sm_recorder_clock(rec), "mono");
	is(s, "stack_map", "reset");
	is(s, "buffer_size_kb", "8192");
	is(s, "options/stackmap", "1");
	is(s, "options/stacktrace", "1");
	is(s, "events/kmem/kmalloc/enable", "1");
	is(s, "events/sched/sched_switch/enable", "0\n");
	is(s, "tracing_on", "0");
	assert_null(sm_recorder_start(rec));
	is(s, "tracing_on", "1");
	put(s, "per_cpu/cpu0/stats",
		"entries: 0\noverrun: 9\ncommit overrun: 0\ndropped events: 2\nread events: 17\n");
	sm_recorder_status(rec, &st);
	assert_true(st.has_map);
	assert_int_equal(st.map_entries, 2500);
	assert_null(sm_recorder_stop(rec));
	settings_are_as_before(s);
	assert_null(sm_recorder_save(rec));
	sm_recorder_status(rec, &st);
	assert_int_equal(st.records, 12);
	assert_int_equal(st.saved_records, 12);
	assert_int_equal(st.events, 9);
	assert_int_equal(st.lost, 2);
	assert_int_equal(st.raw_bytes, 3 * PAGE);
	assert_int_equal(st.cpus, 1);
	sm_recorder_free(rec);
	close(fd);

	src = scratch_open(s, "out.tar.zst");
	make_page(pages);
	memcpy(pages + PAGE, pages, PAGE);
	memcpy(pages + 2 * PAGE, pages, PAGE);
	scratch_member_is(src, SM_TRACING "/per_cpu/cpu0/trace_pipe_raw", pages, sizeof(pages));
	scratch_member_is(src, SM_MEMBER_MAP, "BMSF and so on", 14);
	scratch_list_is(src, SM_TRACING "/per_cpu", "cpu0 cpu2");
	scratch_list_is(src, SM_TRACING "/per_cpu/cpu2", "stats");
	assert_null(sm_source_read(src, "smtool.json", 0, &blob));
	assert_non_null(memmem(blob.data, blob.size, "\"map_generation\": \"intact\"", 26));
	assert_non_null(memmem(blob.data, blob.size, "\"read_events\": 5", 16));
	sm_blob_release(&blob);
	sm_source_free(src);
	free((char *)opts.root);
}

/* Events of others: auto stays away from the global buffer, yes takes it over and gives it back. */
static void test_global_in_use(void **state)
{
	struct scratch *s = *state;
	struct sm_recorder_opts opts = make_opts(s, -1);
	struct sm_recorder *rec;

	put_tracefs(s);
	put_map(s);
	put(s, "set_event", "sched:sched_switch\nkmem:kfree\n");
	put(s, "events/sched/sched_switch/enable", "1*\n");
	put(s, "events/kmem/kfree/enable", "1\n");
	put(s, "events/kmem/kfree/filter", "comm ~ \"[a]*\"\n");
	put(s, "options/stackmap", "1\n");
	expect_new(&opts, SM_E_MISSING, "instances/smtool-");
	is(s, "events/sched/sched_switch/enable", "1*\n");

	opts.stackmap = SM_RECORDER_MAP_YES;
	assert_null(sm_recorder_new(&opts, &rec));
	is(s, "stack_map", ""); /* in use: not reset */
	is(s, "events/sched/sched_switch/enable", "0");
	is(s, "events/kmem/kfree/enable", "1");
	is(s, "events/kmem/kfree/filter", "0");
	assert_null(sm_recorder_start(rec));
	sm_recorder_free(rec); /* given up midway */
	is(s, "events/sched/sched_switch/enable", "1");
	is(s, "events/kmem/kfree/enable", "1");
	is(s, "events/kmem/kfree/filter", "comm ~ \"[a]*\"");
	is(s, "options/stackmap", "1\n");
	is(s, "options/stacktrace", "0");
	is(s, "tracing_on", "1");
	scratch_run(s, "test -z \"$(ls root/run)\"");
	free((char *)opts.root);
}

static bool always(void *ctx)
{
	(void)ctx;
	return true;
}

static void test_cancelled(void **state)
{
	struct scratch *s = *state;
	struct sm_recorder_opts opts = make_opts(s, -1);
	struct sm_recorder *rec;

	put_tracefs(s);
	put_map(s);
	opts.cancelled = always;
	assert_null(sm_recorder_new(&opts, &rec));
	assert_null(sm_recorder_start(rec));
	scratch_expect(sm_recorder_stop(rec), SM_E_STOPPED, "nothing saved");
	settings_are_as_before(s);
	sm_recorder_free(rec);
	free((char *)opts.root);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, scratch_setup, scratch_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_clock),
		cmocka_unit_test(test_stats),
		cmocka_unit_test(test_tally),
		TEST(test_find),
		TEST(test_events),
		TEST(test_undo),
		TEST(test_refusals),
		TEST(test_global),
		TEST(test_global_in_use),
		TEST(test_cancelled),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
