/* SPDX-License-Identifier: GPL-2.0-or-later */
/* trace.dat: what is left of it once it is damaged, by accident or by design. */
#include "dat_sample.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

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
