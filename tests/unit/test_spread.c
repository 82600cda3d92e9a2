/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Quantiles over machines against the same of all values, sorted. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include <smtool/imported.h>

static uint64_t exact(const uint64_t *sorted, size_t n, double q)
{
	size_t rank = (size_t)(q * (double)n);

	if ((double)rank < q * (double)n)
		rank++;
	return sorted[rank ? rank - 1 : 0];
}

static int compare(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

static void few_values_are_exact(void **state)
{
	struct sm_spread s = {0};

	(void)state;
	assert_int_equal(sm_spread_quantile(&s, 0.5), 0);
	assert_true(sm_spread_add(&s, 1234567, 1));
	assert_int_equal(sm_spread_quantile(&s, 0.5), 1234567);
	assert_true(sm_spread_add(&s, 10, 1));
	assert_true(sm_spread_add(&s, UINT64_MAX, 2));
	assert_true(sm_spread_add(&s, 0, 1));
	assert_int_equal(s.total, 5);
	assert_int_equal(sm_spread_quantile(&s, 0.2), 0);
	assert_int_equal(sm_spread_quantile(&s, 0.21), 10);
	assert_int_equal(sm_spread_quantile(&s, 0.5), 1234567);
	assert_int_equal(sm_spread_quantile(&s, 0.95), UINT64_MAX);
	sm_spread_release(&s);
}

static void many_values_are_close(void **state)
{
	enum { N = 20000 };
	uint64_t *all = malloc(N * sizeof(*all)), seed = 7;
	struct sm_spread whole = {0}, halves[2] = {{0}, {0}};

	(void)state;
	assert_non_null(all);
	for (size_t i = 0; i < N; i++) {
		seed = seed * UINT64_C(6364136223846793005) + 1442695040888963407u;
		/* Over twelve powers of two. */
		all[i] = (seed >> 40) >> (seed >> 20 & 15);
		assert_true(sm_spread_add(&whole, all[i], 1));
		assert_true(sm_spread_add(&halves[i & 1], all[i], 1));
	}
	assert_true(whole.n <= SM_SPREAD_MAX);
	assert_true(whole.bits >= 3);
	assert_true(sm_spread_merge(&halves[0], &halves[1]));
	assert_int_equal(halves[0].total, N);
	qsort(all, N, sizeof(*all), compare);
	for (double q = 0.01; q < 1; q += 0.01) {
		double want = (double)exact(all, N, q);
		double error = want / (double)(1u << whole.bits);

		assert_true((double)sm_spread_quantile(&whole, q) <= want + error);
		assert_true((double)sm_spread_quantile(&whole, q) >= want - error);
		error = want / (double)(1u << halves[0].bits);
		assert_true((double)sm_spread_quantile(&halves[0], q) <= want + error);
		assert_true((double)sm_spread_quantile(&halves[0], q) >= want - error);
	}
	sm_spread_release(&whole);
	sm_spread_release(&halves[0]);
	sm_spread_release(&halves[1]);
	free(all);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(few_values_are_exact),
		cmocka_unit_test(many_values_are_close),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
