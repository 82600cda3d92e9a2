/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include <smtool/base.h>

#define NS UINT64_C(1000000000)

struct good {
	const char *text;
	uint64_t value;
};

static void refuse(struct sm_error *err, uint64_t v)
{
	assert_non_null(err);
	assert_int_equal(err->code, SM_E_USAGE);
	assert_non_null(strstr(err->detail, "'--opt'"));
	assert_int_equal(v, 77);
	sm_error_free(err);
}

static void test_size(void **state)
{
	static const struct good good[] = {
		{"0", 0},
		{"4096", 4096},
		{"4k", 4096},
		{"4K", 4096},
		{"4KiB", 4096},
		{"2M", 2 << 20},
		{"2MiB", 2 << 20},
		{"1G", 1 << 30},
		{"1T", UINT64_C(1) << 40},
		{"18446744073709551615", UINT64_MAX},
		{"16777215T", UINT64_C(16777215) << 40},
	};
	static const char *const bad[] = {"", "k", "-1", "+1", " 1", "1 ", "1.5k", "4kb", "4 k",
		"0x10", "1GB", "18446744073709551616", "16777216T", "18014398509481984K", "4k\n"};

	(void)state;
	for (size_t i = 0; i < SM_ARRAY_SIZE(good); i++) {
		uint64_t v = 77;

		assert_null(sm_parse_size("--opt", good[i].text, &v));
		assert_true(v == good[i].value);
	}
	for (size_t i = 0; i < SM_ARRAY_SIZE(bad); i++) {
		uint64_t v = 77;

		refuse(sm_parse_size("--opt", bad[i], &v), v);
	}
}

static void test_duration(void **state)
{
	static const struct good good[] = {
		{"0", 0},
		{"10", 10 * NS},
		{"10s", 10 * NS},
		{"1.5s", 3 * NS / 2},
		{"1.5", 3 * NS / 2},
		{"0.000000001", 1},
		{"0.0000000019999999999999999999999", 1},
		{"20ms", 20000000},
		{"3us", 3000},
		{"2.5us", 2500},
		{"5ns", 5},
		{"2m", 120 * NS},
		{"0.5m", 30 * NS},
		{"1h", 3600 * NS},
		{"18446744073.709551615", UINT64_MAX},
	};
	static const char *const bad[] = {"", "s", ".5", "5.", "1.s", "-1", "1d", "1 s", "1e3",
		"1.5.5", "99999999999999999999", "18446744073.709551616", "99999999999999h"};

	(void)state;
	for (size_t i = 0; i < SM_ARRAY_SIZE(good); i++) {
		uint64_t v = 77;

		assert_null(sm_parse_duration("--opt", good[i].text, &v));
		assert_true(v == good[i].value);
	}
	for (size_t i = 0; i < SM_ARRAY_SIZE(bad); i++) {
		uint64_t v = 77;

		refuse(sm_parse_duration("--opt", bad[i], &v), v);
	}
}

static void test_u64(void **state)
{
	static const struct good good[] = {
		{"0", 0},
		{"010", 10},
		{"0x1F", 31},
		{"0Xffffffff81000000", UINT64_C(0xffffffff81000000)},
		{"18446744073709551615", UINT64_MAX},
		{"0xffffffffffffffff", UINT64_MAX},
	};
	static const char *const bad[] = {"", "0x", "-1", "+1", " 1", "1 ", "1k", "x1", "1f", "0xg",
		"18446744073709551616", "99999999999999999999", "0x10000000000000000"};
	uint64_t v;

	(void)state;
	for (size_t i = 0; i < SM_ARRAY_SIZE(good); i++) {
		v = 77;
		assert_null(sm_parse_u64("--opt", good[i].text, UINT64_MAX, &v));
		assert_true(v == good[i].value);
	}
	for (size_t i = 0; i < SM_ARRAY_SIZE(bad); i++) {
		v = 77;
		refuse(sm_parse_u64("--opt", bad[i], UINT64_MAX, &v), v);
	}
	v = 77;
	refuse(sm_parse_u64("--opt", "101", 100, &v), v);
	assert_null(sm_parse_u64("--opt", "100", 100, &v));
	assert_int_equal(v, 100);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_size),
		cmocka_unit_test(test_duration),
		cmocka_unit_test(test_u64),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
