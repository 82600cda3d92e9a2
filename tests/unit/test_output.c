/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include <cmocka.h>

#include <smtool/base.h>

typedef void put_fn(struct sm_out *out, const char *s, size_t len);

static void expect_n(put_fn *put, const char *s, size_t len, const char *want)
{
	struct sm_buf buf = {0};
	struct sm_out out;

	assert_null(sm_out_init_buf(&out, &buf));
	put(&out, s, len);
	assert_null(sm_out_finish(&out));
	assert_int_equal(out.written, strlen(want));
	assert_string_equal(buf.data ? buf.data : "", want);
	sm_buf_release(&buf);
}

static void expect(put_fn *put, const char *s, const char *want)
{
	expect_n(put, s, strlen(s), want);
}

static void put_buf_visible(struct sm_out *out, const char *s, size_t len)
{
	struct sm_buf buf = {0};

	sm_buf_add_visible(&buf, s, len);
	sm_out_bytes(out, buf.data, buf.len);
	sm_buf_release(&buf);
}

static void check_visible(put_fn *put)
{
	expect(put, "", "");
	expect(put, "plain text, longer than a word", "plain text, longer than a word");
	expect(put, "back\\slash \"quoted\"", "back\\slash \"quoted\"");
	expect_n(put, "a\0b", 3, "a\\x00b");
	expect(put, "\x1b[31m\x07\x7f\t\r\n", "\\x1b[31m\\x07\\x7f\\x09\\x0d\\x0a");
	/* 1, 2, 3 and 4 bytes, the least and the largest of each. */
	expect(put, "~\u00a0\u07ff\u0800\ud7ff\ue000\uffff\U00010000\U0010ffff",
		"~\u00a0\u07ff\u0800\ud7ff\ue000\uffff\U00010000\U0010ffff");
	/* C1, as UTF-8 and bare. */
	expect(put, "\xc2\x80\xc2\x9b\xc2\x9f", "\\xc2\\x80\\xc2\\x9b\\xc2\\x9f");
	expect(put, "\x9b[2J", "\\x9b[2J");
	/* Overlong, surrogate, past the end, stray, 5-byte. */
	expect(put, "\xc0\xaf\xc1\x9b", "\\xc0\\xaf\\xc1\\x9b");
	expect(put, "\xe0\x82\x9b", "\\xe0\\x82\\x9b");
	expect(put, "\xf0\x80\x82\x9b", "\\xf0\\x80\\x82\\x9b");
	expect(put, "\xed\xa0\x80", "\\xed\\xa0\\x80");
	expect(put, "\xf4\x90\x80\x80", "\\xf4\\x90\\x80\\x80");
	expect(put, "\xf8\x88\x80\x80\x80", "\\xf8\\x88\\x80\\x80\\x80");
	expect(put, "\xfe\xff", "\\xfe\\xff");
	/* Cut off, at the end and by another character. */
	expect(put, "\xe2\x82", "\\xe2\\x82");
	expect(put, "\xe2\x82z", "\\xe2\\x82z");
	expect(put, "\xe2\xc3\xa9", "\\xe2\u00e9");
	expect_n(put, "\u20ac", 2, "\\xe2\\x82");
}

static void test_visible(void **state)
{
	(void)state;
	check_visible(sm_out_visible);
	check_visible(put_buf_visible);
}

/* Each byte at each place of the words that are tested at once. */
static void test_visible_words(void **state)
{
	(void)state;
	for (unsigned c = 0; c < 256; c++) {
		for (size_t at = 0; at < 20; at++) {
			char s[20], want[32];
			int n;

			memset(s, 'a', sizeof(s));
			s[at] = (char)c;
			if (c >= 0x20 && c < 0x7f)
				n = snprintf(want, sizeof(want), "%.20s", s);
			else
				n = snprintf(want, sizeof(want), "%.*s\\x%02x%.*s", (int)at, s, c,
					(int)(19 - at), s + at + 1);
			assert_true(n > 0);
			expect_n(sm_out_visible, s, sizeof(s), want);
		}
	}
}

static void test_json_string(void **state)
{
	(void)state;
	expect(sm_out_json, "", "\"\"");
	expect(sm_out_json, "a\"b\\c/d", "\"a\\\"b\\\\c/d\"");
	expect(sm_out_json, "\n\r\t\x01\x1b\x7f", "\"\\n\\r\\t\\u0001\\u001b\\u007f\"");
	expect_n(sm_out_json, "a\0b", 3, "\"a\\u0000b\"");
	expect(sm_out_json, "\u20ac \U0001f600", "\"\u20ac \U0001f600\"");
	expect(sm_out_json, "\xc2\x9b", "\"\\u009b\"");
	expect(sm_out_json, "\xff\xe2\x82", "\"\\\\xff\\\\xe2\\\\x82\"");
}

static void test_csv(void **state)
{
	(void)state;
	expect(sm_out_csv, "", "");
	expect(sm_out_csv, "kmalloc-64", "kmalloc-64");
	expect(sm_out_csv, "a,b", "\"a,b\"");
	expect(sm_out_csv, "say \"hi\"", "\"say \"\"hi\"\"\"");
	expect(sm_out_csv, "\"", "\"\"\"\"");
	expect(sm_out_csv, " a", "\" a\"");
	expect(sm_out_csv, "a ", "\"a \"");
	expect(sm_out_csv, "a\nb", "a\\x0ab");
	expect(sm_out_csv, "a,\r\n\x1b", "\"a,\\x0d\\x0a\\x1b\"");
}

static void test_numbers(void **state)
{
	static const uint64_t values[] = {0, 1, 9, 10, 15, 16, 99, 100, 101, 999, 1000, 65535,
		UINT32_MAX, UINT64_C(1) << 60, INT64_MAX, UINT64_C(1) << 63, UINT64_MAX};
	struct sm_buf buf = {0}, want = {0};
	struct sm_out out;

	(void)state;
	assert_null(sm_out_init_buf(&out, &buf));
	for (size_t i = 0; i < SM_ARRAY_SIZE(values); i++) {
		uint64_t v = values[i];

		sm_out_u64(&out, v);
		sm_out_char(&out, ' ');
		sm_out_i64(&out, (int64_t)v);
		sm_out_char(&out, ' ');
		sm_out_hex(&out, v);
		sm_out_f(&out, " %d\n", (int)i);
		sm_buf_addf(&want, "%llu %lld 0x%llx %d\n", (unsigned long long)v, (long long)v,
			(unsigned long long)v, (int)i);
	}
	assert_null(sm_out_finish(&out));
	assert_string_equal(buf.data, want.data);
	sm_buf_release(&buf);
	sm_buf_release(&want);
}

/* More than the buffer holds, in pieces of all sizes, and in order. */
static void test_large(void **state)
{
	struct sm_buf buf = {0}, want = {0}, block = {0};
	struct sm_out out;

	(void)state;
	for (int i = 0; i < 40000; i++)
		sm_buf_addf(&block, "%d,", i);
	assert_null(sm_out_init_buf(&out, &buf));
	for (size_t i = 0; i < 200; i++) {
		size_t n = i * i * 4;

		sm_out_bytes(&out, block.data, n);
		sm_buf_add(&want, block.data, n);
		sm_out_pad(&out, '.', i);
		for (size_t k = 0; k < i; k++)
			sm_buf_addc(&want, '.');
		sm_out_u64(&out, i);
		sm_buf_addf(&want, "%zu", i);
	}
	sm_out_bytes(&out, block.data, block.len);
	sm_buf_add(&want, block.data, block.len);
	sm_out_f(&out, "%s", block.data);
	sm_buf_add(&want, block.data, block.len);
	assert_null(sm_out_finish(&out));
	assert_int_equal(buf.len, want.len);
	assert_memory_equal(buf.data, want.data, want.len);
	sm_buf_release(&buf);
	sm_buf_release(&want);
	sm_buf_release(&block);
}

static void test_full_disk(void **state)
{
	int fd = open("/dev/full", O_WRONLY | O_CLOEXEC);
	struct sm_error *err;
	struct sm_out out;

	(void)state;
	if (fd < 0)
		skip();
	assert_null(sm_out_init_fd(&out, fd, "/dev/full"));
	sm_out_str(&out, "x");
	assert_false(sm_out_failed(&out));
	err = sm_out_flush(&out);
	assert_non_null(err);
	assert_int_equal(err->errnum, ENOSPC);
	assert_string_equal(err->path, "/dev/full");
	sm_error_free(err);
	assert_true(sm_out_failed(&out));
	/* Dropped, however much it is. */
	for (int i = 0; i < 200000; i++)
		sm_out_str(&out, "more");
	assert_int_equal(out.written, 0);
	err = sm_out_finish(&out);
	assert_non_null(err);
	assert_int_equal(err->errnum, ENOSPC);
	sm_error_free(err);
	close(fd);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_visible),
		cmocka_unit_test(test_visible_words),
		cmocka_unit_test(test_json_string),
		cmocka_unit_test(test_csv),
		cmocka_unit_test(test_numbers),
		cmocka_unit_test(test_large),
		cmocka_unit_test(test_full_disk),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
