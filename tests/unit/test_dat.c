/* SPDX-License-Identifier: GPL-2.0-or-later */
/* trace.dat: what is in it. */
#include "dat_sample.h"

#include <setjmp.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

static void json_has(const struct sm_source *src, const char *text)
{
	struct sm_blob blob;
	char *copy;

	assert_null(sm_source_read(src, "smtool.json", 0, &blob));
	copy = strndup((const char *)blob.data, blob.size);
	if (!strstr(copy, text))
		fail_msg("no '%s' in %s", text, copy);
	free(copy);
	sm_blob_release(&blob);
}

static void check_members(const struct sm_source *src, const struct sample *s)
{
	assert_null(sm_source_damage(src));
	assert_int_equal(sm_source_kind(src), SM_SOURCE_DAT);
	scratch_list_is(src, "", "proc smtool.json sys");
	scratch_list_is(src, SM_TRACING,
		"events instances per_cpu printk_formats saved_cmdlines trace_clock");
	scratch_list_is(src, SM_TRACING "/events", "ftrace header_event header_page kmem sched");
	scratch_list_is(src, SM_TRACING "/events/kmem", "kfree kmalloc");
	has_text(src, SM_TRACING "/events/header_page", HEADER_PAGE);
	has_text(src, SM_TRACING "/events/header_event", "# compressed entry header\n");
	has_text(src, SM_TRACING "/events/ftrace/kernel_stack/format",
		"name: kernel_stack\nID: 4\n");
	has_text(src, SM_TRACING "/events/kmem/kfree/format", "name: kfree\nID: 301\n");
	has_text(src, "proc/kallsyms", s->kallsyms);
	has_text(src, SM_TRACING "/saved_cmdlines", "1 init\n2 kthreadd\n");
	has_text(src, SM_TRACING "/trace_clock", "local [global] counter\n");
	scratch_list_is(src, SM_TRACING "/per_cpu", "cpu0 cpu1 cpu2");
	scratch_member_is(src, CPU(0) "/trace_pipe_raw", s->pages[0], PAGES);
	scratch_member_is(src, CPU(1) "/trace_pipe_raw", "", 0);
	scratch_member_is(src, CPU(2) "/trace_pipe_raw", s->pages[1], s->top[2].pages.len);
	has_text(src, CPU(1) "/stats", "entries: 0\nread events: 0\n");
	has_text(src, OTHER "/trace_clock", "[mono]\n");
	scratch_member_is(
		src, OTHER "/per_cpu/cpu0/trace_pipe_raw", s->pages[2], s->other[0].pages.len);
	has_text(src, OTHER "/per_cpu/cpu0/stats", s->other[0].stats);
	json_has(src, "\"kernel_release\": \"6.1.0-44-amd64\"");
	json_has(src, "\"machine\": \"x86_64\"");
	json_has(src, "\"recorder\": \"trace-cmd 3.1.6\"");
	json_has(src, "\"trace_id\": \"0x123456789abcdef0\"");
	json_has(src, "\"long_size\": 4");
	json_has(src, "\"page_size\": 4096");
	json_has(
		src, s->file.big_endian ? "\"byte_order\": \"big\"" : "\"byte_order\": \"little\"");
}

static void test_members(void **state)
{
	struct scratch *dir = *state;
	struct sm_buf out = {0};
	struct sample s;

	make_sample(&s);
	for (unsigned i = 0; next_variant(&s, i); i++) {
		struct sm_source *src;

		write_sample(dir, &s, &out, NULL);
		src = scratch_open(dir, "trace.dat");
		check_members(src, &s);
		sm_source_free(src);
	}
	sm_buf_release(&out);
	drop_sample(&s);
}

static void test_stdin(void **state)
{
	struct scratch *dir = *state;
	int saved = dup(STDIN_FILENO), fds[2], fd;
	struct sm_buf out = {0};
	struct sm_source *src;
	struct sample s;

	make_sample(&s);
	write_sample(dir, &s, &out, NULL);
	assert_int_equal(pipe(fds), 0);
	if (!fork()) {
		for (size_t at = 0; at < out.len;) {
			ssize_t n = write(fds[1], out.data + at, out.len - at);

			if (n <= 0)
				_exit(1);
			at += (size_t)n;
		}
		_exit(0);
	}
	close(fds[1]);
	fd = fds[0];
	dup2(fd, STDIN_FILENO);
	close(fd);
	src = scratch_open(dir, "-");
	dup2(saved, STDIN_FILENO);
	close(saved);
	check_members(src, &s);
	sm_source_free(src);
	sm_buf_release(&out);
	drop_sample(&s);
}

static void test_times(void **state)
{
	struct scratch *dir = *state;
	struct sm_buf out = {0};
	struct sm_source *src;
	struct sample s;

	make_sample(&s);
	s.file.date = "0x10";
	s.file.offset = "-7";
	s.file.multiplier = 3000000000u;
	s.file.shift = 22;
	for (unsigned i = 0; next_variant(&s, i); i++) {
		write_sample(dir, &s, &out, NULL);
		src = scratch_open(dir, "trace.dat");
		assert_null(sm_source_damage(src));
		json_has(src, "\"multiplier\": 3000000000,\n    \"shift\": 22,\n"
			      "    \"offset_ns\": 15993");
		sm_source_free(src);
	}
	s.file.date = "0x7fffffffffffffff";
	s.file.shift = 64;
	write_sample(dir, &s, &out, NULL);
	src = scratch_open(dir, "trace.dat");
	assert_non_null(sm_source_damage(src));
	assert_string_equal(sm_source_damage(src)->what, "time offset out of range");
	json_has(src, "\"offset_ns\": -7");
	sm_source_free(src);
	sm_buf_release(&out);
	drop_sample(&s);
}

static void test_latency(void **state)
{
	struct scratch *dir = *state;
	static const char text[] = "# tracer: wakeup\n";
	struct sm_buf out = {0};
	struct sample s;

	make_sample(&s);
	s.buffers[1].text = text;
	s.file.nbuffers = 1;
	s.file.buffers = &s.buffers[1];
	for (unsigned i = 0; next_variant(&s, i); i++) {
		struct sm_source *src;

		write_sample(dir, &s, &out, NULL);
		src = scratch_open(dir, "trace.dat");
		assert_null(sm_source_damage(src));
		has_text(src, SM_TRACING "/trace", text);
		assert_false(sm_source_has(src, CPU(0) "/trace_pipe_raw"));
		sm_source_free(src);
	}
	sm_buf_release(&out);
	drop_sample(&s);
}

/* An instance that alone has pages is the one that is meant; where none has any, all are empty. */
static void test_empty_buffers(void **state)
{
	struct scratch *dir = *state;
	struct sm_buf out = {0};
	struct sm_source *src;
	struct sample s;

	make_sample(&s);
	s.top[0].pages.len = s.top[2].pages.len = 0;
	for (unsigned i = 0; next_variant(&s, i); i++) {
		s.other[0].pages.len = 4096;
		write_sample(dir, &s, &out, NULL);
		src = scratch_open(dir, "trace.dat");
		assert_false(sm_source_has(src, CPU(0) "/trace_pipe_raw"));
		assert_true(sm_source_has(src, OTHER "/per_cpu/cpu0/trace_pipe_raw"));
		sm_source_free(src);
		s.other[0].pages.len = 0;
		write_sample(dir, &s, &out, NULL);
		src = scratch_open(dir, "trace.dat");
		scratch_member_is(src, CPU(2) "/trace_pipe_raw", "", 0);
		sm_source_free(src);
	}
	sm_buf_release(&out);
	drop_sample(&s);
}

static void test_sub_buffers(void **state)
{
	struct scratch *dir = *state;
	struct sm_buf out = {0};
	struct sm_source *src;
	struct sample s;

	make_sample(&s);
	s.buffers[0].page_size = 16384;
	write_sample(dir, &s, &out, NULL);
	src = scratch_open(dir, "trace.dat");
	has_text(src, SM_TRACING "/events/header_page", HEADER_PAGE);
	has_text(src, OTHER "/events/header_page",
		"\tfield: u64 timestamp;\toffset:0;\tsize:8;\tsigned:0;\n"
		"\tfield: local_t commit;\toffset:8;\tsize:4;\tsigned:1;\n"
		"\tfield: int overwrite;\toffset:8;\tsize:1;\tsigned:1;\n"
		"\tfield: char data;\toffset:12;\tsize:16372;\tsigned:1;\n");
	sm_source_free(src);
	sm_buf_release(&out);
	drop_sample(&s);
}

static void test_unknown(void **state)
{
	struct scratch *dir = *state;
	struct sm_buf out = {0};
	struct sample s;

	make_sample(&s);
	s.file.version = 8;
	write_sample(dir, &s, &out, NULL);
	scratch_open_fails(dir, "trace.dat", SM_E_UNSUPPORTED, "trace-cmd convert");
	s.file.version = 7;
	s.file.packing_name = "lzo";
	write_sample(dir, &s, &out, NULL);
	scratch_open_fails(dir, "trace.dat", SM_E_UNSUPPORTED, "'lzo'");
	scratch_write(dir, "trace.dat", out.data, 11);
	scratch_open_fails(dir, "trace.dat", SM_E_TRUNCATED, "at byte 10");
	sm_buf_release(&out);
	drop_sample(&s);
}

static void test_names(void **state)
{
	static const struct dw_text bad[] = {TEXT("name: ../x\nID: 1\n"),
		TEXT("name: a/b\nID: 1\n"), TEXT("name: ..\nID: 1\n"), TEXT("name: \nID: 1\n"),
		TEXT("name: a\0b\nID: 1\n"), TEXT("name: unended"), TEXT("ID: 1\n"), TEXT("")};
	struct scratch *dir = *state;
	struct sm_buf out = {0};
	struct sample s;

	make_sample(&s);
	for (size_t i = 0; i < SM_ARRAY_SIZE(bad); i++) {
		struct sm_source *src;

		s.formats[1].text = bad[i];
		write_sample(dir, &s, &out, NULL);
		damage_is(dir, "event format without a usable name");
		src = scratch_open(dir, "trace.dat");
		scratch_list_is(src, SM_TRACING "/events/kmem", "kfree");
		sm_source_free(src);
	}
	drop_sample(&s);
	make_sample(&s);
	s.formats[3].system = "../../etc";
	write_sample(dir, &s, &out, NULL);
	damage_is(dir, "event format without a usable name");
	drop_sample(&s);
	make_sample(&s);
	s.buffers[0].name = "../other";
	write_sample(dir, &s, &out, NULL);
	damage_is(dir, "buffer without a usable name");
	drop_sample(&s);
	make_sample(&s);
	s.buffers[0].name = "";
	write_sample(dir, &s, &out, NULL);
	damage_is(dir, "says things twice");
	drop_sample(&s);
	sm_buf_release(&out);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, scratch_setup, scratch_teardown)
	const struct CMUnitTest tests[] = {
		TEST(test_members),
		TEST(test_stdin),
		TEST(test_times),
		TEST(test_latency),
		TEST(test_empty_buffers),
		TEST(test_sub_buffers),
		TEST(test_unknown),
		TEST(test_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
