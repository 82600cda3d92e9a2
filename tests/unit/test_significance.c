/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Chance: against sums made here term by term, published figures, and simulation. */
#include "capture.h"

#include <math.h>
#include <setjmp.h>
#include <stdlib.h>

#include <cmocka.h>

#include <smtool/diff.h>

static void is_near(double have, double want, double relative)
{
	if (fabs(have - want) > relative * fabs(want) + 1e-300)
		fail_msg("%.17g isn't %.17g", have, want);
}

/* Twice the smaller tail, each probability from the one before it, from X = 0 on. */
static double by_sums(unsigned n, unsigned k, double p)
{
	long double term = powl(1 - (long double)p, n), below = 0, above = 0;

	for (unsigned i = 0; i <= n; i++) {
		if (i <= k)
			below += term;
		if (i >= k)
			above += term;
		term = term * (n - i) / (i + 1) * p / (1 - (long double)p);
	}
	below = below < above ? below : above;
	return below < 0.5L ? (double)(2 * below) : 1;
}

static void test_exact(void **state)
{
	static const double PARTS[] = {0.5, 0.25, 0.9, 0.01};

	(void)state;
	for (unsigned n = 1; n < 60; n++)
		for (unsigned k = 0; k <= n; k++)
			for (size_t i = 0; i < SM_ARRAY_SIZE(PARTS); i++)
				is_near(sm_split_chance(n, k, PARTS[i]), by_sums(n, k, PARTS[i]),
					1e-9);
	/* R: binom.test(27, 32)$p.value; by hand: 2 * (1 + 10 + 45) / 1024 */
	is_near(sm_split_chance(32, 27, 0.5), 0.000113074202090, 1e-9);
	is_near(sm_split_chance(10, 8, 0.5), 0.109375, 1e-12);
	is_near(sm_split_chance(5, 0, 0.5), 0.0625, 1e-12);
	is_near(sm_split_chance(6, 6, 0.5), 0.03125, 1e-12);
}

/* Where the approximation serves, up to where its terms can still be added up. */
static void test_large(void **state)
{
	(void)state;
	for (unsigned n = 4100; n < 12000; n += 1300)
		for (unsigned k = n / 2 - 200; k < n / 2 + 200; k += 7)
			is_near(sm_split_chance(n, k, 0.5), by_sums(n, k, 0.5), 1e-5);
	for (unsigned k = 2500; k < 3500; k += 17)
		is_near(sm_split_chance(10000, k, 0.3), by_sums(10000, k, 0.3), 1e-4);
	/* Normal there: 2 * Q(4) = 6.334e-5 */
	is_near(sm_split_chance(UINT64_C(1) << 40, (UINT64_C(1) << 39) + (UINT64_C(1) << 21), 0.5),
		6.334e-5, 1e-3);
}

static void test_edges(void **state)
{
	(void)state;
	assert_true(sm_split_chance(0, 0, 0.5) == 1);
	assert_true(sm_split_chance(1, 0, 0.5) == 1);
	assert_true(sm_split_chance(1, 1, 0.5) == 1);
	assert_true(sm_split_chance(100, 50, 0.5) == 1);
	assert_true(sm_split_chance(3, 7, 0.5) == 1);
	assert_true(sm_split_chance(5, 1, 0) == 1);
	assert_true(sm_split_chance(5, 1, 1) == 1);
	assert_true(sm_split_chance(UINT64_MAX, 0, 0.5) == 0);
	assert_true(sm_split_chance(UINT64_MAX, UINT64_MAX, 0.5) == 0);
	assert_true(sm_split_chance(1000000, 1000000, 1e-300) == 0);
	/* One in a thousand seconds, one in one: 2 * 0.001 * (1 - ...) */
	is_near(sm_split_chance(1, 1, 0.001), 0.002, 1e-9);
}

/* The example of Benjamini and Hochberg's kind that textbooks use, as R's p.adjust has it. */
static void test_rates(void **state)
{
	static const double P[] = {
		0.001, 0.008, 0.039, 0.041, 0.042, 0.06, 0.074, 0.205, 0.212, 0.216};
	static const double WANT[] = {
		0.01, 0.04, 0.084, 0.084, 0.084, 0.1, 0.74 / 7, 0.216, 0.216, 0.216};
	double q[10];

	(void)state;
	sm_discovery_rates(P, 10, 10, q);
	for (size_t i = 0; i < 10; i++)
		is_near(q[i], WANT[i], 1e-12);
	/* Tests that aren't listed count. */
	sm_discovery_rates(P, 2, 100, q);
	is_near(q[0], 0.1, 1e-12);
	is_near(q[1], 0.4, 1e-12);
	sm_discovery_rates(P + 9, 1, 100, q);
	assert_true(q[0] == 1);
}

static void test_chi_squared(void **state)
{
	(void)state;
	/* Quantiles from printed tables. */
	is_near(sm_chi_squared_chance(3.841458820694124, 1), 0.05, 1e-9);
	is_near(sm_chi_squared_chance(18.30703805327515, 10), 0.05, 1e-9);
	is_near(sm_chi_squared_chance(29.58829844507443, 10), 0.001, 1e-9);
	is_near(sm_chi_squared_chance(77.9294651650174, 100), 0.95, 1e-7);
	/* exp(-x/2) with two degrees */
	for (double x = 0.1; x < 700; x *= 1.7)
		is_near(sm_chi_squared_chance(x, 2), exp(-x / 2), 1e-9);
	assert_true(sm_chi_squared_chance(0, 3) == 1);
	assert_true(sm_chi_squared_chance(INFINITY, 3) == 0);
	assert_true(sm_chi_squared_chance(1e6, 3) == 0);
}

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return x < y ? -1 : x > y;
}

static unsigned poisson(uint64_t *seed, double mean)
{
	double limit = exp(-mean), product = 1;
	unsigned n = 0;

	for (;;) {
		product *= (double)(random_below(seed, 1 << 30) + 1) / (1 << 30);
		if (product <= limit)
			return n;
		n++;
	}
}

/* Ten thousand pairs of which 300 differ: what is called a difference is one, but for the share
 * that is accepted. With nothing but chance, hardly ever anything is. */
static void test_simulation(void **state)
{
	enum { ROWS = 10000, REAL = 300 };
	static double p[ROWS], q[ROWS];
	static bool real[ROWS];
	uint64_t seed = 1;
	size_t found = 0, wrong = 0;

	(void)state;
	for (size_t i = 0; i < ROWS; i++) {
		double mean = 5 + (double)(i % 40);
		unsigned a = poisson(&seed, mean), b = poisson(&seed, i < REAL ? 4 * mean : mean);

		/* The real ones are marked by a hair, which sorting keeps. */
		p[i] = sm_split_chance(a + b, b, 0.5) + (i < REAL ? 1e-18 : 0);
		real[i] = i < REAL;
	}
	for (size_t i = 0; i < ROWS; i++)
		wrong += p[i] < 0.05 && !real[i];
	/* Each alone: hundreds. */
	assert_true(wrong > 200);
	qsort(p, REAL, sizeof(*p), compare);
	qsort(p + REAL, ROWS - REAL, sizeof(*p), compare);
	/* Rates need one list: how many of either are below each threshold follows from it. */
	static double all[ROWS];

	memcpy(all, p, sizeof(all));
	qsort(all, ROWS, sizeof(*all), compare);
	sm_discovery_rates(all, ROWS, ROWS, q);
	while (found < ROWS && q[found] <= 0.05)
		found++;
	assert_true(found > 0);
	wrong = 0;
	for (size_t i = REAL; i < ROWS; i++)
		wrong += p[i] <= all[found - 1];
	assert_true(found - wrong > REAL * 2 / 3);
	assert_true(wrong <= found / 10);
	sm_discovery_rates(p + REAL, ROWS - REAL, ROWS - REAL, q);
	assert_true(q[0] > 0.05);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_exact),
		cmocka_unit_test(test_large),
		cmocka_unit_test(test_edges),
		cmocka_unit_test(test_rates),
		cmocka_unit_test(test_chi_squared),
		cmocka_unit_test(test_simulation),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
