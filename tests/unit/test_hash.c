/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <cmocka.h>

#include <smtool/base.h>

static int compare(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

static size_t collisions(uint64_t *h, size_t n)
{
	size_t same = 0;

	qsort(h, n, sizeof(*h), compare);
	for (size_t i = 1; i < n; i++)
		same += h[i] == h[i - 1];
	return same;
}

/* Each length, at each alignment, and each single bit of it count; the bytes beside don't. */
static void test_bits(void **state)
{
	static uint64_t h[200 * 8 + 1];
	uint8_t buf[208];

	(void)state;
	for (size_t len = 0; len <= 200; len++) {
		size_t n = 0;

		for (size_t i = 0; i < sizeof(buf); i++)
			buf[i] = (uint8_t)(i * 37);
		h[n++] = sm_hash(buf, len, 0);
		buf[len] ^= 0xff;
		assert_true(sm_hash(buf, len, 0) == h[0]);
		for (size_t shift = 1; shift < 8; shift++) {
			uint8_t moved[216];

			memcpy(moved + shift, buf, len);
			assert_true(sm_hash(moved + shift, len, 0) == h[0]);
		}
		for (size_t bit = 0; bit < 8 * len; bit++) {
			buf[bit / 8] ^= (uint8_t)(1 << bit % 8);
			h[n++] = sm_hash(buf, len, 0);
			buf[bit / 8] ^= (uint8_t)(1 << bit % 8);
		}
		assert_int_equal(collisions(h, n), 0);
	}
}

static void test_lengths_of_zeros(void **state)
{
	static const uint8_t zeros[1024];
	uint64_t h[1025];

	(void)state;
	for (size_t len = 0; len <= 1024; len++)
		h[len] = sm_hash(zeros, len, 0);
	assert_int_equal(collisions(h, 1025), 0);
	assert_true(sm_hash(zeros, 8, 0) != sm_hash(zeros, 8, 1));
}

/* Stacks that differ in few frames spread over a table as random numbers would. */
static void test_spread(void **state)
{
	enum { N = 1 << 16 };
	uint64_t *h = calloc(N, sizeof(*h)), ips[64];
	uint32_t *low = calloc(N, sizeof(*low)), *high = calloc(N, sizeof(*high));
	size_t empty_low = 0, empty_high = 0;

	(void)state;
	assert_non_null(h);
	assert_non_null(low);
	assert_non_null(high);
	for (size_t depth = 1; depth <= 64; depth += 9) {
		empty_low = empty_high = 0;
		memset(low, 0, N * sizeof(*low));
		memset(high, 0, N * sizeof(*high));
		for (size_t i = 0; i < 64; i++)
			ips[i] = UINT64_C(0xffffffff81000000) + i * 0x1230;
		for (size_t i = 0; i < N; i++) {
			ips[depth - 1] = UINT64_C(0xffffffff81000000) + (i << 4);
			h[i] = sm_hash(ips, depth * 8, 0);
			low[h[i] & (N - 1)]++;
			high[h[i] >> 48]++;
		}
		for (size_t i = 0; i < N; i++) {
			empty_low += !low[i];
			empty_high += !high[i];
		}
		/* N / e = 24109 are expected, with a standard deviation of about 80. */
		assert_in_range(empty_low, 23500, 24700);
		assert_in_range(empty_high, 23500, 24700);
		assert_int_equal(collisions(h, N), 0);
	}
	free(h);
	free(low);
	free(high);
}

static void test_fnv(void **state)
{
	(void)state;
	assert_true(sm_fnv(SM_FNV_INIT, "", 0) == SM_FNV_INIT);
	assert_true(sm_fnv(SM_FNV_INIT, "a", 1) == UINT64_C(0xaf63dc4c8601ec8c));
	assert_true(sm_fnv(SM_FNV_INIT, "foobar", 6) == UINT64_C(0x85944171f73967e8));
	assert_true(sm_fnv(sm_fnv(SM_FNV_INIT, "foo", 3), "bar", 3) ==
		    sm_fnv(SM_FNV_INIT, "foobar", 6));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_bits),
		cmocka_unit_test(test_lengths_of_zeros),
		cmocka_unit_test(test_spread),
		cmocka_unit_test(test_fnv),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
