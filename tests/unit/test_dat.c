/* SPDX-License-Identifier: GPL-2.0-or-later */
/* trace.dat: what is in it, and what is left of it once it is damaged. */
#include "scratch.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#include "gen/datwriter.h"
#include "lib/source/dat.h"

#define CPU(n) SM_TRACING "/per_cpu/cpu" #n
#define OTHER SM_TRACING "/instances/other"
#define HEADER_PAGE                                                 \
	"\tfield: u64 timestamp;\toffset:0;\tsize:8;\tsigned:0;\n"  \
	"\tfield: local_t commit;\toffset:8;\tsize:4;\tsigned:1;\n" \
	"\tfield: int overwrite;\toffset:8;\tsize:1;\tsigned:1;\n"  \
	"\tfield: char data;\toffset:12;\tsize:4084;\tsigned:1;\n"
#define TEXT(s)                  \
	{                        \
		s, sizeof(s) - 1 \
	}
#define PAGES (23 * 4096)

/* A file with all that is read, of which tests change a part. */
struct sample {
	struct dw_file file;
	struct dw_format formats[4];
	struct dw_cpu top[3], other[2];
	struct dw_buffer buffers[2];
	uint8_t *pages[3];
	char kallsyms[200000];
};

static void make_sample(struct sample *s)
{
	static const struct dw_format formats[] = {
		{"ftrace", TEXT("name: kernel_stack\nID: 4\n")},
		{"kmem", TEXT("name: kmalloc\nID: 300\n")},
		{"kmem", TEXT("name: kfree\nID: 301\n")},
		{"sched", TEXT("name: sched_switch\nID: 302\n")},
	};
	static const char stats[] = "entries: 0\noverrun: 0\nread events: 7\n";

	memset(s, 0, sizeof(*s));
	memcpy(s->formats, formats, sizeof(formats));
	for (size_t i = 0; i + 64 < sizeof(s->kallsyms); i += 64)
		snprintf(s->kallsyms + i, 65, "%016zx T function_%-34zu\n", i, i);
	for (unsigned i = 0; i < 3; i++)
		s->pages[i] = scratch_pattern(PAGES, i);
	s->top[0] = (struct dw_cpu){0, {s->pages[0], PAGES}, stats};
	s->top[1] = (struct dw_cpu){1, {NULL, 0}, "entries: 0\nread events: 0\n"};
	s->top[2] = (struct dw_cpu){2, {s->pages[1], 3 * 4096}, stats};
	s->other[0] = (struct dw_cpu){0, {s->pages[2], 4096}, stats};
	s->other[1] = (struct dw_cpu){1, {NULL, 0}, NULL};
	s->buffers[0] =
		(struct dw_buffer){.name = "other", .clock = "mono", .cpus = s->other, .n = 2};
	s->buffers[1] = (struct dw_buffer){.name = "", .clock = "global", .cpus = s->top, .n = 3};
	s->file = (struct dw_file){
		.version = 7,
		.packing = DW_ZSTD,
		.long_size = 4,
		.page_size = 4096,
		.header_page = TEXT(HEADER_PAGE),
		.header_event = TEXT("# compressed entry header\n"),
		.formats = s->formats,
		.nformats = 4,
		.kallsyms = {s->kallsyms, strlen(s->kallsyms)},
		.printk = TEXT("0xffffffff82000000 : \"hello\\n\"\n"),
		.cmdlines = TEXT("1 init\n2 kthreadd\n"),
		.clocks = "local [global] counter\n",
		.uname = "Linux some host 6.1.0-44-amd64 x86_64",
		.recorder = "3.1.6 not-a-git-repo",
		.buffers = s->buffers,
		.nbuffers = 2,
	};
}

/* What is damaged many times. */
static void make_small(struct sample *s)
{
	make_sample(s);
	s->file.kallsyms.len = 640;
	s->top[0].pages.len = 4096;
	s->top[2].pages.len = 4096;
	s->file.pages_a_chunk = 1;
}

static void drop_sample(struct sample *s)
{
	for (unsigned i = 0; i < 3; i++)
		free(s->pages[i]);
}

static void rewrite_sample(const struct sample *s, struct sm_buf *out, struct dw_marks *marks)
{
	sm_buf_reset(out);
	dw_write(&s->file, out, marks);
}

static void write_sample(const struct scratch *dir, const struct sample *s, struct sm_buf *out,
	struct dw_marks *marks)
{
	rewrite_sample(s, out, marks);
	scratch_write(dir, "trace.dat", out->data, out->len);
}

/* All variants of a sample, one after the other. */
static bool next_variant(struct sample *s, unsigned i)
{
	if (i >= 16)
		return false;
	s->file.big_endian = i & 1;
	s->file.version = i & 2 ? 7 : 6;
	s->file.packing = s->file.version < 7 ? DW_NONE : (enum dw_packing)(i / 4 % 3);
	s->file.no_count = i & 8;
	s->file.old_buffers = i & 8;
	return true;
}

static void has_text(const struct sm_source *src, const char *name, const char *text)
{
	scratch_member_is(src, name, text, strlen(text));
}

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

/* ---- names ---- */

static void damage_is(const struct scratch *dir, const char *text)
{
	struct sm_source *src = scratch_open(dir, "trace.dat");
	const struct sm_error *damage = sm_source_damage(src);
	struct sm_buf line = {0};

	assert_non_null(damage);
	sm_error_format(damage, &line);
	if (!strstr(line.data, text))
		fail_msg("no '%s' in %s", text, line.data);
	sm_buf_release(&line);
	sm_source_free(src);
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
	make_sample(&s);
	s.formats[3].system = "../../etc";
	write_sample(dir, &s, &out, NULL);
	damage_is(dir, "event format without a usable name");
	make_sample(&s);
	s.buffers[0].name = "../other";
	write_sample(dir, &s, &out, NULL);
	damage_is(dir, "buffer without a usable name");
	make_sample(&s);
	s.buffers[0].name = "";
	write_sample(dir, &s, &out, NULL);
	damage_is(dir, "says things twice");
	sm_buf_release(&out);
}

/* ---- damage ---- */

/* Reads everything there is. The sum of what was read, so that it isn't left out. */
static uint64_t read_below(const struct sm_source *src, const char *folder)
{
	struct sm_names names;
	uint64_t sum = 0;

	assert_null(sm_source_list(src, folder, &names));
	for (size_t i = 0; i < names.n; i++) {
		struct sm_buf name = {0};
		struct sm_blob blob;
		struct sm_error *err;

		sm_buf_addf(&name, "%s%s%s", folder, *folder ? "/" : "", names.names[i]);
		if (sm_source_has(src, name.data)) {
			err = sm_source_read(src, name.data, 1 << 20, &blob);
			if (!err)
				sum += blob.size;
			sm_error_free(err);
			sm_blob_release(&blob);
		}
		sum += read_below(src, name.data);
		sm_buf_release(&name);
	}
	sm_names_release(&names);
	return sum;
}

/* Whatever it is, it can be opened and read to the end, or not. In memory: rewriting a file on disk
 * thousands of times waits for the disk. */
static void survive(const void *data, size_t len, bool *damaged)
{
	int fd = memfd_create("trace.dat", MFD_CLOEXEC);
	struct sm_source *src;
	struct sm_error *err;
	char path[64];

	assert_true(fd >= 0);
	assert_int_equal(write(fd, data, len), len);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	err = sm_source_open(path, NULL, &src);
	*damaged = err || sm_source_damage(src);
	if (!err) {
		read_below(src, "");
		sm_source_free(src);
	}
	sm_error_free(err);
	close(fd);
}

static void test_truncated(void **state)
{
	struct sm_buf out = {0};
	struct dw_marks marks;
	struct sample s;

	(void)state;
	make_small(&s);
	for (unsigned i = 0; next_variant(&s, i); i++) {
		uint64_t strings = UINT64_MAX;
		bool damaged;

		rewrite_sample(&s, &out, &marks);
		for (size_t k = 0; k < marks.n; k++)
			if (!strcmp(marks.v[k].what, "strings"))
				strings = marks.v[k].at;
		for (size_t k = 0; k < marks.n; k++)
			for (int by = -9; by < 20; by += by < 0 ? 4 : 1 + by / 4) {
				uint64_t len = marks.v[k].at + (uint64_t)by;

				if (len >= out.len)
					continue;
				survive(out.data, len, &damaged);
				/* Nobody needs the strings. */
				if (!damaged && len < strings)
					fail_msg("variant %u cut at %s%+d: no damage", i,
						marks.v[k].what, by);
			}
	}
	sm_buf_release(&out);
	drop_sample(&s);
}

/* Of a file that is cut short inside the last CPU's pages, all the rest is there. */
static void test_cut_in_pages(void **state)
{
	struct scratch *dir = *state;
	struct sm_buf out = {0};
	struct dw_marks marks;
	struct sample s;

	make_sample(&s);
	s.file.nbuffers = 1;
	s.file.buffers = &s.buffers[1];
	for (unsigned i = 0; next_variant(&s, i); i++) {
		struct sm_source *src;
		struct sm_blob blob;
		uint64_t at = 0;

		write_sample(dir, &s, &out, &marks);
		for (size_t k = 0; k < marks.n; k++)
			if (!strcmp(marks.v[k].what, "pages"))
				at = marks.v[k].at;
		scratch_write(dir, "trace.dat", out.data, at + 2048);
		src = scratch_open(dir, "trace.dat");
		assert_non_null(sm_source_damage(src));
		assert_int_equal(sm_source_damage(src)->code, SM_E_TRUNCATED);
		has_text(src, "proc/kallsyms", s.kallsyms);
		if (s.file.version == 7 && (s.file.packing == DW_NONE || s.file.no_count)) {
			/* Where CPUs' pages end, nobody knows. */
			assert_false(sm_source_has(src, CPU(2) "/trace_pipe_raw"));
			sm_source_free(src);
			continue;
		}
		scratch_member_is(src, CPU(0) "/trace_pipe_raw", s.pages[0], PAGES);
		assert_null(sm_source_read(src, CPU(2) "/trace_pipe_raw", 0, &blob));
		assert_non_null(blob.damage);
		assert_true(blob.size < 3 * 4096);
		assert_memory_equal(blob.data, s.pages[1], blob.size);
		if (s.file.packing == DW_NONE)
			assert_int_equal(blob.size, 2048);
		sm_blob_release(&blob);
		sm_source_free(src);
	}
	sm_buf_release(&out);
	drop_sample(&s);
}

static void test_unfinished(void **state)
{
	struct scratch *dir = *state;
	struct sm_buf out = {0};
	struct sm_source *src;
	struct sample s;
	size_t at;

	make_sample(&s);
	write_sample(dir, &s, &out, NULL);
	at = 10 + 2 + 2 + 4 + 5 + 4;
	memset(out.data + at, 0, 8);
	scratch_write(dir, "trace.dat", out.data, out.len);
	damage_is(dir, "was never finished");
	src = scratch_open(dir, "trace.dat");
	has_text(src, "proc/kallsyms", s.kallsyms);
	scratch_member_is(src, CPU(0) "/trace_pipe_raw", s.pages[0], PAGES);
	scratch_member_is(
		src, OTHER "/per_cpu/cpu0/trace_pipe_raw", s.pages[2], s.other[0].pages.len);
	sm_source_free(src);
	sm_buf_release(&out);
	drop_sample(&s);
}

/* Numbers of all sizes and at all places become wild. */
static void test_hostile_numbers(void **state)
{
	static const uint64_t wild[] = {0, 0x7fffffff, UINT64_MAX - 3, UINT64_MAX};
	struct sm_buf out = {0};
	struct dw_marks marks;
	struct sample s;
	bool damaged;

	(void)state;
	make_small(&s);
	for (unsigned i = 0; next_variant(&s, i); i += 3) {
		rewrite_sample(&s, &out, &marks);
		for (size_t k = 0; k < marks.n; k++)
			for (unsigned by = 0; by <= 16; by += by < 4 ? 2 : 4)
				for (size_t w = 0; w < SM_ARRAY_SIZE(wild); w++) {
					uint64_t at = marks.v[k].at + by, saved;

					if (at + 8 > out.len)
						continue;
					memcpy(&saved, out.data + at, 8);
					memcpy(out.data + at, &wild[w], 8);
					survive(out.data, out.len, &damaged);
					memcpy(out.data + at, &saved, 8);
				}
	}
	sm_buf_release(&out);
	drop_sample(&s);
}

static void test_circle(void **state)
{
	struct scratch *dir = *state;
	struct sm_buf out = {0};
	struct dw_marks marks;
	uint64_t first = 0, last = 0;
	struct sample s;

	make_sample(&s);
	write_sample(dir, &s, &out, &marks);
	for (size_t k = 0; k < marks.n; k++) {
		if (strcmp(marks.v[k].what, "options"))
			continue;
		first = first ? first : marks.v[k].at;
		last = marks.v[k].at;
	}
	/* The last options end with 8 bytes that say where the next are, then come the strings. */
	for (size_t k = 0; k < marks.n; k++)
		if (!strcmp(marks.v[k].what, "strings"))
			memcpy(out.data + marks.v[k].at - 8, &first, 8);
	assert_true(first < last);
	scratch_write(dir, "trace.dat", out.data, out.len);
	damage_is(dir, "lead in a circle");
	sm_buf_release(&out);
	drop_sample(&s);
}

/* A compressed block whose content isn't as long as it says, or isn't compressed data at all. */
static void test_lying_blocks(void **state)
{
	static const char *const members[] = {"proc/kallsyms", CPU(0) "/trace_pipe_raw"};
	static const uint32_t sizes[] = {1, 4095, 40959, 40961, 1u << 30, UINT32_MAX};
	struct scratch *dir = *state;
	struct sm_buf out = {0};
	struct dw_marks marks;
	struct sample s;

	make_sample(&s);
	for (unsigned packing = DW_ZSTD; packing <= DW_ZLIB; packing++)
		for (size_t m = 0; m < SM_ARRAY_SIZE(members); m++)
			for (size_t i = 0; i < SM_ARRAY_SIZE(sizes) + 1; i++) {
				struct sm_source *src;
				struct sm_blob blob;
				uint64_t at = 0;
				bool open = false;

				s.file.packing = (enum dw_packing)packing;
				write_sample(dir, &s, &out, &marks);
				for (size_t k = 0; k < marks.n; k++)
					if (!strcmp(marks.v[k].what, m ? "pages" : "kallsyms") &&
						!at)
						at = marks.v[k].at + (m ? 4 : 16);
				if (i < SM_ARRAY_SIZE(sizes))
					memcpy(out.data + at + 4, &sizes[i], 4);
				else
					memset(out.data + at + 8, 0x5a, 64);
				scratch_write(dir, "trace.dat", out.data, out.len);
				src = scratch_open(dir, "trace.dat");
				open = sm_source_has(src, members[m]);
				assert_true(open || sm_source_damage(src));
				if (open) {
					assert_null(sm_source_read(src, members[m], 0, &blob));
					/* Or all of it is there in spite of that. */
					assert_true(blob.damage || sm_source_damage(src) ||
						    (!m && blob.size == strlen(s.kallsyms)));
					assert_true(blob.size <= sizeof(s.kallsyms));
					assert_memory_equal(blob.data,
						m ? (const void *)s.pages[0] : s.kallsyms,
						blob.size);
					sm_blob_release(&blob);
				}
				sm_source_free(src);
			}
	sm_buf_release(&out);
	drop_sample(&s);
}

/* Bytes anywhere become others. */
static void test_noise(void **state)
{
	struct sm_buf out = {0};
	struct sample s;
	bool damaged;
	uint32_t seed = 1;

	(void)state;
	make_small(&s);
	for (unsigned i = 0; next_variant(&s, i); i++) {
		rewrite_sample(&s, &out, NULL);
		for (unsigned round = 0; round < 60; round++) {
			size_t at;
			char saved;

			seed = seed * 1664525 + 1013904223;
			at = seed % (out.len < 3000 ? out.len : 3000);
			saved = out.data[at];
			out.data[at] = (char)(seed >> 23);
			survive(out.data, out.len, &damaged);
			out.data[at] = saved;
		}
	}
	sm_buf_release(&out);
	drop_sample(&s);
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
		TEST(test_truncated),
		TEST(test_cut_in_pages),
		TEST(test_unfinished),
		TEST(test_hostile_numbers),
		TEST(test_circle),
		TEST(test_lying_blocks),
		TEST(test_noise),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
