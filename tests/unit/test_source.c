/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "scratch.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#define CPU0 SM_TRACING "/per_cpu/cpu0/trace_pipe_raw"

static void put_text(const struct scratch *s, const char *name, const char *text)
{
	scratch_write(s, name, text, strlen(text));
}

static void test_directory(void **state)
{
	struct scratch *s = *state;
	size_t len = 300001;
	uint8_t *pages = scratch_pattern(len, 1);
	struct sm_source *src;
	struct sm_stream *stream;
	struct sm_blob blob;

	put_text(s, "c/proc/version", "Linux\n");
	put_text(s, "c/smtool.json", "");
	scratch_write(s, "c/" CPU0, pages, len);
	src = scratch_open(s, "c");
	assert_int_equal(sm_source_kind(src), SM_SOURCE_DIR);
	assert_string_equal(sm_source_path(src), scratch_path(s, "c"));
	assert_null(sm_source_damage(src));
	scratch_member_is(src, "proc/version", "Linux\n", 6);
	scratch_member_is(src, "smtool.json", "", 0);
	scratch_member_is(src, CPU0, pages, len);
	scratch_list_is(src, "", "proc smtool.json sys");
	scratch_list_is(src, SM_TRACING, "per_cpu");
	scratch_list_is(src, "nothing/here", "");
	scratch_list_is(src, "proc/version", "");
	scratch_list_is(src, "../c", "");
	assert_false(sm_source_has(src, "proc"));
	assert_false(sm_source_has(src, "../c/proc/version"));
	assert_false(sm_source_has(src, "proc/./version"));
	assert_false(sm_source_has(src, ""));
	scratch_expect(sm_source_read(src, "../c/proc/version", 0, &blob), SM_E_MISSING, "name");
	scratch_expect(sm_source_read(src, "proc/modules", 0, &blob), SM_E_MISSING, "proc/modules");
	scratch_expect(sm_source_stream(src, "proc/version/x", &stream), SM_E_MISSING, "version");
	scratch_expect(sm_source_read(src, "proc", 0, &blob), SM_E_REFUSED, "not a regular file");
	scratch_expect(sm_source_read(src, CPU0, len - 1, &blob), SM_E_REFUSED, "too large");
	scratch_expect(sm_source_read(src, "proc/version", 5, &blob), SM_E_REFUSED, "too large");
	assert_null(sm_source_read(src, "proc/version", 6, &blob));
	assert_string_equal(blob.path, scratch_path(s, "c/proc/version"));
	sm_blob_release(&blob);
	assert_null(sm_source_stream(src, CPU0, &stream));
	assert_int_equal(sm_stream_size(stream), len);
	assert_string_equal(sm_stream_path(stream), scratch_path(s, "c/" CPU0));
	sm_stream_free(stream);
	sm_source_free(src);
	free(pages);
}

static void test_directory_links(void **state)
{
	struct scratch *s = *state;
	struct sm_source *src;
	struct sm_blob blob;

	put_text(s, "secret", "no");
	put_text(s, "c/proc/version", "Linux\n");
	scratch_run(s, "ln -s ../../secret c/proc/up; ln -s \"$PWD/secret\" c/proc/absolute; "
		       "ln -s version c/proc/inside; ln -s ../.. c/sys; ln -s loop c/proc/loop; "
		       "mkfifo c/proc/fifo");
	src = scratch_open(s, "c");
	scratch_member_is(src, "proc/inside", "Linux\n", 6);
	scratch_expect(sm_source_read(src, "proc/up", 0, &blob), SM_E_REFUSED, "symbolic link");
	scratch_expect(sm_source_read(src, "proc/absolute", 0, &blob), SM_E_REFUSED, "symbolic");
	scratch_expect(sm_source_read(src, "proc/loop", 0, &blob), SM_E_REFUSED, "symbolic");
	scratch_expect(sm_source_read(src, "sys/secret", 0, &blob), SM_E_REFUSED, "symbolic");
	scratch_expect(sm_source_read(src, "proc/fifo", 0, &blob), SM_E_REFUSED, "regular");
	assert_false(sm_source_has(src, "proc/up"));
	assert_false(sm_source_has(src, "proc/fifo"));
	sm_source_free(src);
}

static void test_tracing_elsewhere(void **state)
{
	struct scratch *s = *state;
	struct sm_source *src;

	put_text(s, "debug/sys/kernel/debug/tracing/trace_clock", "[local]");
	put_text(s, "debug/sys/kernel/notes", "n");
	src = scratch_open(s, "debug");
	scratch_member_is(src, SM_TRACING "/trace_clock", "[local]", 7);
	scratch_list_is(src, "sys/kernel", "debug notes tracing");
	scratch_list_is(src, SM_TRACING, "trace_clock");
	sm_source_free(src);

	put_text(s, "bare/events/header_page", "h");
	put_text(s, "bare/per_cpu/cpu1/stats", "s");
	src = scratch_open(s, "bare");
	scratch_member_is(src, SM_TRACING "/events/header_page", "h", 1);
	scratch_list_is(src, "", "sys");
	scratch_list_is(src, "sys/kernel", "tracing");
	scratch_list_is(src, SM_TRACING, "events per_cpu");
	scratch_list_is(src, SM_TRACING "/per_cpu", "cpu1");
	assert_false(sm_source_has(src, "events/header_page"));
	scratch_list_is(src, "events", "");
	sm_source_free(src);
}

static void test_live(void **state)
{
	struct sm_source *src;
	struct sm_blob blob;

	(void)state;
	assert_null(sm_source_open(NULL, NULL, &src));
	assert_int_equal(sm_source_kind(src), SM_SOURCE_LIVE);
	assert_string_equal(sm_source_path(src), "running kernel");
	assert_null(sm_source_read(src, "proc/version", 0, &blob));
	assert_string_equal(blob.path, "/proc/version");
	assert_true(blob.size > 0);
	sm_blob_release(&blob);
	scratch_expect(
		sm_source_read(src, "proc/nothing", 0, &blob), SM_E_MISSING, "/proc/nothing");
	sm_source_free(src);
}

static void test_bare_map(void **state)
{
	static const uint8_t magics[][4] = {{0x42, 0x4d, 0x53, 0x46}, {0x46, 0x53, 0x4d, 0x42},
		{0x42, 0x53, 0x4d, 0x46}, {0x46, 0x4d, 0x53, 0x42}};
	struct scratch *s = *state;

	for (size_t i = 0; i < SM_ARRAY_SIZE(magics); i++)
		for (size_t len = 4; len < 100000; len = len * 12 + 1) {
			uint8_t *map = scratch_pattern(len, 3);
			struct sm_source *src;
			struct sm_blob blob;

			memcpy(map, magics[i], 4);
			scratch_write(s, "map", map, len);
			src = scratch_open(s, "map");
			assert_int_equal(sm_source_kind(src), SM_SOURCE_MAP);
			scratch_member_is(src, SM_MEMBER_MAP, map, len);
			scratch_list_is(src, "", "sys");
			scratch_list_is(src, SM_TRACING, "stack_map_bin");
			scratch_list_is(src, SM_MEMBER_MAP, "");
			scratch_expect(sm_source_read(src, "proc/version", 0, &blob), SM_E_MISSING,
				"stack_map_bin");
			scratch_expect(sm_source_read(src, SM_MEMBER_MAP, 3, &blob), SM_E_REFUSED,
				"too large");
			assert_null(sm_source_read(src, SM_MEMBER_MAP, 0, &blob));
			assert_string_equal(blob.path, scratch_path(s, "map"));
			sm_blob_release(&blob);
			sm_source_free(src);
			free(map);
		}
}

static void test_not_a_capture(void **state)
{
	static const struct {
		const char *data;
		size_t len;
		enum sm_code code;
		const char *text;
	} cases[] = {
		{"", 0, SM_E_FORMAT, "empty file"},
		{"a", 1, SM_E_FORMAT, "only 1 bytes"},
		{"\x42\x4d\x53", 3, SM_E_FORMAT, "only 3 bytes"},
		{"hello, world\n", 13, SM_E_FORMAT, "a text file"},
		{"stack_id 1 [ref 2, depth 1]\n", 28, SM_E_FORMAT, "text form of a stack map"},
		{"\x7f"
		 "ELF\2\1\1\0",
			8, SM_E_FORMAT, "want a capture"},
		{"\x1f\x8b\x08\0\0\0\0\0", 8, SM_E_FORMAT, "gzip -d"},
		{"\xfd"
		 "7zXZ\0\0\0",
			8, SM_E_FORMAT, "xz -d"},
		{"\0\0\0\0\0\0\0\0", 8, SM_E_FORMAT, "not a capture"},
	};
	struct scratch *s = *state;

	for (size_t i = 0; i < SM_ARRAY_SIZE(cases); i++) {
		scratch_write(s, "file.tar", cases[i].data, cases[i].len);
		scratch_open_fails(s, "file.tar", cases[i].code, cases[i].text);
	}
	scratch_open_fails(s, "nothing", SM_E_MISSING, "nothing");
}

/* Runs with standard input from `from`, and looks at the map that it is. */
static void map_from_stdin(const struct scratch *s, int from, const uint8_t *map, size_t len)
{
	int saved = dup(STDIN_FILENO);
	struct sm_source *src;

	assert_true(from >= 0);
	dup2(from, STDIN_FILENO);
	close(from);
	src = scratch_open(s, "-");
	dup2(saved, STDIN_FILENO);
	close(saved);
	assert_string_equal(sm_source_path(src), "<stdin>");
	scratch_member_is(src, SM_MEMBER_MAP, map, len);
	sm_source_free(src);
}

static void test_stdin(void **state)
{
	struct scratch *s = *state;
	size_t len = 200003;
	uint8_t *map = scratch_pattern(len, 4);
	struct sm_buf command = {0};
	struct sm_source *src;
	FILE *pipe;
	int fd;

	memcpy(map, "\x42\x4d\x53\x46", 4);
	scratch_write(s, "map", map, len);
	map_from_stdin(s, open(scratch_path(s, "map"), O_RDONLY), map, len);
	scratch_run(s, "(printf 12345; cat map) >later");
	fd = open(scratch_path(s, "later"), O_RDONLY);
	lseek(fd, 5, SEEK_SET);
	map_from_stdin(s, fd, map, len);
	sm_buf_addf(&command, "cat '%s'", scratch_path(s, "map"));
	pipe = popen(command.data, "r");
	assert_non_null(pipe);
	map_from_stdin(s, dup(fileno(pipe)), map, len);
	pclose(pipe);
	sm_buf_release(&command);
	/* A fifo by name. */
	scratch_run(s, "mkfifo pipe; cat map >pipe &");
	src = scratch_open(s, "pipe");
	scratch_member_is(src, SM_MEMBER_MAP, map, len);
	sm_source_free(src);
	free(map);
	scratch_open_fails(s, "../../../../../../dev/null", SM_E_FORMAT, "a device");
}

static void test_take(void **state)
{
	struct scratch *s = *state;
	size_t len = 3 << 20, n;
	uint8_t *data = scratch_pattern(len, 5);
	struct sm_source *src;
	struct sm_stream *stream;
	const uint8_t *p;

	scratch_write(s, "c/proc/big", data, len);
	src = scratch_open(s, "c");
	assert_null(sm_source_stream(src, "proc/big", &stream));
	assert_null(sm_stream_take(stream, 0, &p, &n));
	assert_int_equal(n, 0);
	assert_null(sm_stream_take(stream, 3, &p, &n));
	assert_int_equal(n, 3);
	/* More than the stream keeps by itself. */
	assert_null(sm_stream_take(stream, 2 << 20, &p, &n));
	assert_int_equal(n, 2 << 20);
	assert_memory_equal(p, data + 3, n);
	/* A claim of much more than there is costs no more than there is. */
	assert_null(sm_stream_take(stream, SIZE_MAX / 2, &p, &n));
	assert_int_equal(n, (1 << 20) - 3);
	assert_memory_equal(p, data + len - n, n);
	assert_int_equal(sm_stream_offset(stream), len);
	for (int i = 0; i < 2; i++) {
		assert_null(sm_stream_take(stream, 1, &p, &n));
		assert_int_equal(n, 0);
	}
	sm_stream_free(stream);
	sm_source_free(src);
	free(data);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, scratch_setup, scratch_teardown)
	const struct CMUnitTest tests[] = {
		TEST(test_directory),
		TEST(test_directory_links),
		TEST(test_tracing_elsewhere),
		TEST(test_live),
		TEST(test_bare_map),
		TEST(test_not_a_capture),
		TEST(test_stdin),
		TEST(test_take),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
