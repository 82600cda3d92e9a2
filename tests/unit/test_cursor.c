/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include <smtool/base.h>

static const uint8_t bytes[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};

static void test_reads(void **state)
{
	struct sm_cursor c;
	const uint8_t *p;
	uint64_t v64;
	uint32_t v32;
	uint16_t v16;
	uint8_t v8;

	(void)state;
	/* Read as big-endian, whatever the host is. */
	sm_cursor_init(&c, bytes, sizeof(bytes), "f", 100, !sm_host_big_endian());
	assert_null(sm_cursor_u8(&c, "x", &v8));
	assert_int_equal(v8, 1);
	assert_null(sm_cursor_u16(&c, "x", &v16));
	assert_int_equal(v16, 0x0203);
	assert_null(sm_cursor_u32(&c, "x", &v32));
	assert_int_equal(v32, 0x04050607);
	assert_null(sm_cursor_u64(&c, "x", &v64));
	assert_true(v64 == UINT64_C(0x08090a0b0c0d0e0f));
	assert_int_equal(sm_cursor_left(&c), 0);
	assert_int_equal(sm_cursor_offset(&c), 115);
	assert_null(sm_cursor_bytes(&c, "x", 0, &p));
	assert_ptr_equal(p, bytes + sizeof(bytes));
}

static void test_no_swap(void **state)
{
	struct sm_cursor c;
	uint16_t v;

	(void)state;
	sm_cursor_init(&c, bytes, 2, NULL, 0, sm_host_big_endian());
	assert_null(sm_cursor_u16(&c, "x", &v));
	assert_int_equal(v, 0x0201);
}

static void expect_short(
	struct sm_cursor *c, struct sm_error *err, uint64_t offset, const char *text)
{
	struct sm_buf buf = {0};

	assert_non_null(err);
	assert_int_equal(err->code, SM_E_TRUNCATED);
	assert_int_equal(err->offset, offset);
	sm_error_format(err, &buf);
	assert_string_equal(buf.data, text);
	sm_buf_release(&buf);
	sm_error_free(err);
	/* Nothing was consumed. */
	assert_int_equal(sm_cursor_offset(c), offset);
}

static void test_bounds(void **state)
{
	struct sm_cursor c;
	const uint8_t *p = NULL;
	uint64_t v64 = 7;
	uint32_t v32 = 7;
	uint16_t v16 = 7;
	uint8_t v8 = 7;

	(void)state;
	sm_cursor_init(&c, bytes, 8, "f", 10, false);
	assert_null(sm_cursor_u8(&c, "x", &v8));
	expect_short(&c, sm_cursor_u64(&c, "record header", &v64), 11,
		"record header cut short: 'f' at byte 11: needs 8 bytes, 7 left");
	expect_short(&c, sm_cursor_bytes(&c, "ips", SIZE_MAX, &p), 11,
		"ips cut short: 'f' at byte 11: needs 18446744073709551615 bytes, 7 left");
	assert_null(sm_cursor_bytes(&c, "x", 4, &p));
	assert_ptr_equal(p, bytes + 1);
	expect_short(&c, sm_cursor_u32(&c, "n", &v32), 15,
		"n cut short: 'f' at byte 15: needs 4 bytes, 3 left");
	assert_null(sm_cursor_bytes(&c, "x", 2, &p));
	expect_short(&c, sm_cursor_u16(&c, "n", &v16), 17,
		"n cut short: 'f' at byte 17: needs 2 bytes, 1 left");
	assert_null(sm_cursor_u8(&c, "x", &v8));
	expect_short(&c, sm_cursor_u8(&c, "n", &v8), 18,
		"n cut short: 'f' at byte 18: needs 1 bytes, 0 left");
	assert_int_equal(v64, 7);
	assert_int_equal(v32, 7);
	assert_int_equal(v16, 7);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_reads),
		cmocka_unit_test(test_no_swap),
		cmocka_unit_test(test_bounds),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
