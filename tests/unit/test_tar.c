/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "scratch.h"

#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

#define PER_CPU SM_TRACING "/per_cpu/"
#define LONG_150                                                                                   \
	"sys/module/"                                                                              \
	"a_name_of_a_module_that_is_quite_long_but_fits_into_prefix_and_name_of_the_ustar_format/" \
	"sections/.text.and.more.and.yet.some.more.of.it.and.so.on"
#define X50 "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"
#define LONG_320 "proc/" X50 X50 "/" X50 X50 "/" X50 X50 "y"

static const struct file {
	const char *name;
	size_t size;
} files[] = {
	{"proc/version", 1}, {"smtool.json", 0}, {PER_CPU "cpu0/trace_pipe_raw", 200000},
	{PER_CPU "cpu1/trace_pipe_raw", 511}, {PER_CPU "cpu2/trace_pipe_raw", 512},
	{PER_CPU "cpu10/trace_pipe_raw", 513}, {LONG_150, 77},
	{LONG_320, 70000}, /* the last: ustar can't have it */
};
#define NFILES SM_ARRAY_SIZE(files)

static void write_files(const struct scratch *s, const char *dir)
{
	for (size_t i = 0; i < NFILES; i++) {
		struct sm_buf name = {0};
		uint8_t *data = scratch_pattern(files[i].size, (unsigned)i);

		sm_buf_addf(&name, "%s/%s", dir, files[i].name);
		scratch_write(s, name.data, data, files[i].size);
		sm_buf_release(&name);
		free(data);
	}
}

static void check_files(const struct sm_source *src, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		uint8_t *data = scratch_pattern(files[i].size, (unsigned)i);

		scratch_member_is(src, files[i].name, data, files[i].size);
		free(data);
	}
	scratch_list_is(src, "", "proc smtool.json sys");
	scratch_list_is(src, SM_TRACING "/per_cpu", "cpu0 cpu1 cpu10 cpu2");
	scratch_list_is(src, "proc/version", "");
	scratch_list_is(src, "pro", "");
	assert_false(sm_source_has(src, "proc"));
	assert_false(sm_source_has(src, "proc/"));
}

static void check_archive(
	const struct scratch *s, const char *name, enum sm_source_kind kind, size_t n)
{
	struct sm_source *src = scratch_open(s, name);

	assert_int_equal(sm_source_kind(src), kind);
	assert_null(sm_source_damage(src));
	check_files(src, n);
	sm_source_free(src);
}

static void test_formats(void **state)
{
	static const char *const formats[] = {"gnu", "posix", "oldgnu", "ustar"};
	struct scratch *s = *state;
	bool zstd = scratch_has_program("zstd");

	write_files(s, "c");
	for (size_t i = 0; i < SM_ARRAY_SIZE(formats); i++) {
		size_t n = NFILES;

		if (!strcmp(formats[i], "ustar")) {
			n--;
			scratch_run(s, "rm -r c/proc/xxx*");
		}
		scratch_run(s, "tar --format=%s -C c -cf a.tar .", formats[i]);
		check_archive(s, "a.tar", SM_SOURCE_TAR, n);
		scratch_run(
			s, "tar --format=%s -b 1 -C c -cf a.tar proc sys smtool.json", formats[i]);
		check_archive(s, "a.tar", SM_SOURCE_TAR, n);
		scratch_run(s, "tar --format=%s -cf a.tar c", formats[i]);
		check_archive(s, "a.tar", SM_SOURCE_TAR, n);
		scratch_run(s, "rm -f pipe; mkfifo pipe; cat a.tar >pipe &");
		/* until the fifo is there */
		while (access(scratch_path(s, "pipe"), F_OK))
			usleep(1000);
		check_archive(s, "pipe", SM_SOURCE_TAR, n);
		if (!zstd)
			continue;
		scratch_run(s, "tar --format=%s --zstd -cf a.tar.zst c", formats[i]);
		check_archive(s, "a.tar.zst", SM_SOURCE_TAR_ZST, n);
		scratch_run(s, "zstd -q -f --no-content-size -B100000 a.tar -o b.tar.zst");
		check_archive(s, "b.tar.zst", SM_SOURCE_TAR_ZST, n);
		scratch_run(s, "split -b 50000 a.tar part.; zstd -q -f part.*; "
			       "cat part.*.zst >b.tar.zst; rm part.*");
		check_archive(s, "b.tar.zst", SM_SOURCE_TAR_ZST, n);
	}
}

static void test_layouts(void **state)
{
	struct scratch *s = *state;
	struct sm_source *src;

	scratch_write(s, "a/b/sys/kernel/debug/tracing/trace_clock", "local", 5);
	scratch_write(s, "a/b/README", "x", 1);
	scratch_run(s, "tar -cf a.tar a");
	src = scratch_open(s, "a.tar");
	scratch_member_is(src, SM_TRACING "/trace_clock", "local", 5);
	scratch_list_is(src, "", "README sys");
	scratch_list_is(src, "sys/kernel", "tracing");
	sm_source_free(src);

	scratch_write(s, "tracing/per_cpu/cpu0/stats", "entries: 0", 10);
	scratch_write(s, "tracing/trace_clock", "mono", 4);
	scratch_run(s, "tar -cf a.tar tracing");
	src = scratch_open(s, "a.tar");
	scratch_member_is(src, SM_TRACING "/per_cpu/cpu0/stats", "entries: 0", 10);
	scratch_list_is(src, SM_TRACING, "per_cpu trace_clock");
	scratch_list_is(src, "", "sys");
	sm_source_free(src);

	/* What nothing is known about stays as it is. */
	scratch_write(s, "other/x", "1", 1);
	scratch_run(s, "tar -cf a.tar other");
	src = scratch_open(s, "a.tar");
	scratch_list_is(src, "", "other");
	sm_source_free(src);
}

static void count_warning(void *ctx, enum sm_level level, const char *line)
{
	if (level == SM_WARN && strstr(line, "left out"))
		++*(int *)ctx;
}

static void test_links_and_duplicates(void **state)
{
	struct scratch *s = *state;
	int warnings = 0;
	const struct sm_log log = {.write = count_warning, .ctx = &warnings, .level = SM_WARN};
	const struct sm_source_opts opts = {.log = &log};
	struct sm_source *src;

	scratch_write(s, "proc/a", "first", 5);
	scratch_write(s, "proc/b", "other", 5);
	scratch_run(s, "ln proc/a proc/hard; ln -s a proc/soft; mkfifo proc/fifo; "
		       "tar -cf a.tar proc/a proc/b proc/hard proc/soft proc/fifo; "
		       "echo again >proc/a; tar -rf a.tar proc/a; tar -tf a.tar >/dev/null");
	assert_null(sm_source_open(scratch_path(s, "a.tar"), &opts, &src));
	assert_int_equal(warnings, 3);
	scratch_member_is(src, "proc/a", "again\n", 6);
	scratch_list_is(src, "proc", "a b");
	sm_source_free(src);
}

/* ---- archives made by hand ---- */

struct header {
	const char *name, *prefix;
	char type;
	uint64_t size;
	bool base256, signed_sum, gnu, bad_sum;
};

static void put_header(struct sm_buf *b, struct header h)
{
	uint8_t block[512] = {0};
	int sum = 0;

	memcpy(block, h.name, strlen(h.name));
	memcpy(block + 100, "0000644", 8);
	if (h.base256) {
		for (int i = 0; i < 8; i++)
			block[135 - i] = (uint8_t)(h.size >> 8 * i);
		block[124] = 0x80;
	} else {
		snprintf((char *)block + 124, 12, "%011llo", (unsigned long long)h.size);
	}
	block[156] = (uint8_t)h.type;
	memcpy(block + 257,
		h.gnu ? "ustar  "
		      : "ustar\0"
			"00",
		8);
	if (h.prefix)
		memcpy(block + 345, h.prefix, strlen(h.prefix));
	memset(block + 148, ' ', 8);
	for (int i = 0; i < 512; i++)
		sum += h.signed_sum ? (int8_t)block[i] : block[i];
	snprintf((char *)block + 148, 8, "%06o", (unsigned)(sum + h.bad_sum) & 0777777);
	sm_buf_add(b, block, 512);
}

static void put_data(struct sm_buf *b, const void *data, size_t len)
{
	static const char zeros[512];

	sm_buf_add(b, data, len);
	sm_buf_add(b, zeros, -len & 511);
}

static void put_member(struct sm_buf *b, const char *name, const char *text)
{
	put_header(b, (struct header){.name = name, .type = '0', .size = strlen(text)});
	put_data(b, text, strlen(text));
}

static void save(const struct scratch *s, struct sm_buf *b)
{
	scratch_write(s, "a.tar", b->data, b->len);
	sm_buf_reset(b);
}

static void test_refused(void **state)
{
	static const char *const names[] = {
		"/etc/passwd", "../x", "proc/../../x", "..", "proc/..", "./../x", "//x"};
	struct scratch *s = *state;
	struct sm_buf b = {0};

	for (size_t i = 0; i < SM_ARRAY_SIZE(names); i++) {
		put_member(&b, "proc/version", "good");
		put_member(&b, names[i], "evil");
		save(s, &b);
		scratch_open_fails(s, "a.tar", SM_E_REFUSED, names[i]);
	}
	put_header(&b, (struct header){.name = "x", .type = 'x', .size = 17});
	put_data(&b, "17 path=../../xy\n", 17);
	put_member(&b, "proc/version", "evil");
	save(s, &b);
	scratch_open_fails(s, "a.tar", SM_E_REFUSED, "../../xy");
	put_header(&b, (struct header){.name = "L", .type = 'L', .size = 10, .gnu = true});
	put_data(&b, "/etc/other", 10);
	put_member(&b, "proc/version", "evil");
	save(s, &b);
	scratch_open_fails(s, "a.tar", SM_E_REFUSED, "/etc/other");
	put_header(&b, (struct header){.name = "s", .type = 'S', .gnu = true});
	save(s, &b);
	scratch_open_fails(s, "a.tar", SM_E_UNSUPPORTED, "sparse");
	put_header(&b, (struct header){.name = "x", .type = 'x', .size = 22});
	put_data(&b, "22 GNU.sparse.major=1\n", 22);
	put_member(&b, "s", "");
	save(s, &b);
	scratch_open_fails(s, "a.tar", SM_E_UNSUPPORTED, "sparse");
	sm_buf_release(&b);
}

static void test_headers(void **state)
{
	struct scratch *s = *state;
	struct sm_buf b = {0};
	struct sm_source *src;

	put_header(&b, (struct header){.name = "b", .prefix = "proc/a", .type = '0', .size = 1});
	put_data(&b, "1", 1);
	/* In GNU's old format other things than a prefix are there. */
	put_header(&b, (struct header){.name = "proc/c",
			       .prefix = "1234567",
			       .type = '0',
			       .size = 1,
			       .gnu = true});
	put_data(&b, "2", 1);
	put_header(&b, (struct header){.name = "proc/v7", .size = 1, .base256 = true});
	put_data(&b, "3", 1);
	put_header(&b,
		(struct header){.name = "proc/\xe4", .type = '7', .size = 1, .signed_sum = true});
	put_data(&b, "4", 1);
	put_header(&b, (struct header){.name = "./proc//d/./e", .type = '0', .size = 1});
	put_data(&b, "5", 1);
	/* A directory as v7 has it; a label; a link whose size means nothing. */
	put_header(&b, (struct header){.name = "proc/dir/", .type = '0'});
	put_header(&b, (struct header){.name = "label", .type = 'V', .gnu = true});
	put_header(&b, (struct header){.name = "proc/link", .type = '1', .size = 5000});
	/* A global header, overridden once. */
	put_header(&b, (struct header){.name = "g", .type = 'g', .size = 9});
	put_data(&b, "9 size=2\n", 9);
	put_header(&b, (struct header){.name = "proc/f", .type = '0', .size = 0});
	put_data(&b, "66", 2);
	put_header(&b, (struct header){.name = "x", .type = 'x', .size = 27});
	put_data(&b, "9 size=3\n18 path=proc/long\n", 27);
	put_header(&b, (struct header){.name = "proc/g", .type = '0', .size = 0});
	put_data(&b, "777", 3);
	put_header(&b, (struct header){.name = "proc/h", .type = '0', .size = 0});
	put_data(&b, "88", 2);
	save(s, &b);
	src = scratch_open(s, "a.tar");
	if (sm_source_damage(src)) {
		sm_error_format(sm_source_damage(src), &b);
		fail_msg("%s", b.data);
	}
	scratch_member_is(src, "proc/a/b", "1", 1);
	scratch_member_is(src, "proc/c", "2", 1);
	scratch_member_is(src, "proc/v7", "3", 1);
	scratch_member_is(src, "proc/\xe4", "4", 1);
	scratch_member_is(src, "proc/d/e", "5", 1);
	scratch_member_is(src, "proc/f", "66", 2);
	scratch_member_is(src, "proc/long", "777", 3);
	scratch_member_is(src, "proc/h", "88", 2);
	scratch_list_is(src, "proc", "a c d f h long v7 \xe4");
	sm_source_free(src);
	sm_buf_release(&b);
}

static void damaged(const struct scratch *s, struct sm_buf *b, enum sm_code code, uint64_t offset,
	const char *text)
{
	struct sm_source *src;
	struct sm_buf line = {0};
	const struct sm_error *damage;

	save(s, b);
	src = scratch_open(s, "a.tar");
	damage = sm_source_damage(src);
	assert_non_null(damage);
	sm_error_format(damage, &line);
	assert_non_null(strstr(line.data, text));
	assert_int_equal(damage->code, code);
	assert_true(damage->has_offset);
	assert_int_equal(damage->offset, offset);
	scratch_member_is(src, "proc/version", "good", 4);
	sm_buf_release(&line);
	sm_source_free(src);
}

static void test_damage(void **state)
{
	static const char *const bad_pax[] = {"x", "5 size=1\n", "99999999999 a=b\n", "0 a=b\n",
		"7 path\n", "9 size=x\n", "30 size=99999999999999999999999\n", "8 path=a",
		"18446744073709551615 a=b\n", "3\n\n", "-9 a=b\n"};
	struct scratch *s = *state;
	struct sm_buf b = {0};
	struct sm_source *src;
	struct sm_blob blob;

	put_member(&b, "proc/version", "good");
	put_header(&b, (struct header){.name = "proc/x", .type = '0', .bad_sum = true});
	damaged(s, &b, SM_E_FORMAT, 1024, "checksum");

	/* Nothing but a header that is damaged. */
	put_header(&b, (struct header){.name = "proc/x", .type = '0', .bad_sum = true});
	save(s, &b);
	src = scratch_open(s, "a.tar");
	assert_non_null(sm_source_damage(src));
	scratch_list_is(src, "", "");
	sm_source_free(src);

	put_member(&b, "proc/version", "good");
	put_header(&b,
		(struct header){
			.name = "proc/x", .type = '0', .size = UINT64_MAX >> 1, .base256 = true});
	damaged(s, &b, SM_E_FORMAT, 1024, "size");
	for (size_t i = 0; i < SM_ARRAY_SIZE(bad_pax); i++) {
		put_member(&b, "proc/version", "good");
		put_header(
			&b, (struct header){.name = "x", .type = 'x', .size = strlen(bad_pax[i])});
		put_data(&b, bad_pax[i], strlen(bad_pax[i]));
		put_member(&b, "proc/x", "");
		damaged(s, &b, SM_E_FORMAT, 1024, "extended");
	}
	put_member(&b, "proc/version", "good");
	put_header(&b, (struct header){.name = "x", .type = 'x', .size = UINT64_C(1) << 32});
	damaged(s, &b, SM_E_FORMAT, 1024, "extended tar header of 4294967296 bytes");

	/* A size that isn't there. */
	put_member(&b, "proc/version", "good");
	put_header(&b,
		(struct header){
			.name = "proc/x", .type = '0', .size = UINT64_C(1) << 61, .base256 = true});
	sm_buf_adds(&b, "part");
	damaged(s, &b, SM_E_TRUNCATED, 1540, "cut short");
	src = scratch_open(s, "a.tar");
	assert_null(sm_source_read(src, "proc/x", 0, &blob));
	assert_int_equal(blob.size, 4);
	assert_memory_equal(blob.data, "part", 4);
	scratch_expect(blob.damage, SM_E_TRUNCATED, "'proc/x' has 4 of 2305843009213693952 bytes");
	blob.damage = NULL;
	sm_blob_release(&blob);
	sm_source_free(src);
	sm_buf_release(&b);
}

/* A stream gives what is there, then the error, once. */
static void check_cut_stream(
	const struct sm_source *src, const char *name, const uint8_t *data, size_t have)
{
	struct sm_stream *stream;
	const uint8_t *p;
	size_t n;

	assert_null(sm_source_stream(src, name, &stream));
	assert_null(sm_stream_take(stream, 100000, &p, &n));
	if (have) {
		assert_int_equal(n, have);
		assert_memory_equal(p, data, have);
		scratch_expect(sm_stream_take(stream, 1, &p, &n), SM_E_TRUNCATED, name);
		assert_int_equal(n, 0);
	}
	assert_null(sm_stream_take(stream, 1, &p, &n));
	assert_int_equal(n, 0);
	sm_stream_free(stream);
}

static void test_truncated(void **state)
{
	struct scratch *s = *state;
	size_t total, size = 2000;
	uint8_t *one = scratch_pattern(size, 1), *two = scratch_pattern(size, 2), *all;

	scratch_write(s, "proc/1", one, size);
	scratch_write(s, "proc/2", two, size);
	scratch_run(s, "tar --format=ustar -b 1 -cf whole.tar proc/1 proc/2");
	all = scratch_load(s, "whole.tar", &total);
	assert_int_equal(total, 2 * (512 + 2048) + 1024);
	for (size_t cut = 512; cut <= total; cut += cut % 512 < 3 || cut % 512 > 508 ? 1 : 101) {
		struct sm_source *src;
		bool boundary = cut % 2560 == 0 || cut >= 5120;
		struct sm_blob blob;

		scratch_write(s, "a.tar", all, cut);
		src = scratch_open(s, "a.tar");
		/* Half a zero block is as good as none for the members, but is a fault. */
		if (boundary && cut % 512 == 0)
			assert_null(sm_source_damage(src));
		else if (cut < 5120)
			assert_int_equal(sm_source_damage(src)->offset, cut);
		if (cut >= 512 + size)
			scratch_member_is(src, "proc/1", one, size);
		if (cut >= 2560 + 512 + size)
			scratch_member_is(src, "proc/2", two, size);
		else if (cut >= 2560 + 512) {
			size_t have = cut - 2560 - 512;

			assert_null(sm_source_read(src, "proc/2", 0, &blob));
			assert_int_equal(blob.size, have);
			assert_memory_equal(blob.data, two, have);
			assert_non_null(blob.damage);
			sm_blob_release(&blob);
			if (have)
				check_cut_stream(src, "proc/2", two, have);
		} else {
			assert_false(sm_source_has(src, "proc/2"));
		}
		sm_source_free(src);
	}
	free(one);
	free(two);
	free(all);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, scratch_setup, scratch_teardown)
	const struct CMUnitTest tests[] = {
		TEST(test_formats),
		TEST(test_layouts),
		TEST(test_links_and_duplicates),
		TEST(test_refused),
		TEST(test_headers),
		TEST(test_damage),
		TEST(test_truncated),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
