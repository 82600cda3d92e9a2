/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Verdicts on series that are made here: leaks, caches that fill, and what comes and goes. */
#include "capture.h"

#include <math.h>
#include <setjmp.h>
#include <stdlib.h>

#include <cmocka.h>

#include <smtool/diff.h>

enum shape {
	LEAK, /* doubles */
	NOISY_LEAK,
	SMALL_LEAK, /* 1 % of what is there */
	FILLING,    /* to 95 % in a third of the time or half of it */
	FILLING_SLOW,
	PERIODIC,
	CONSTANT,
	JUMP, /* in the middle; after the first point */
	EARLY_JUMP,
	SPIKE, /* one point, which returns */
	STAIRS,
	ACCELERATING,
	DECLINE,
	DRAIN,
	STEADY, /* noise that is small beside the level */
};

/* Roughly normal, of variance 1. */
static double noise(uint64_t *seed)
{
	double sum = -6;

	for (int i = 0; i < 12; i++)
		sum += (double)random_below(seed, 1 << 20) / (1 << 20);
	return sum;
}

static double value_of(enum shape shape, size_t i, size_t n, uint64_t *seed)
{
	double x = (double)i / (double)(n - 1), e = noise(seed);

	switch (shape) {
	case LEAK:
		return 1000 + 1000 * x + 50 * e;
	case NOISY_LEAK:
		return 1000 + 1000 * x + 150 * e;
	case SMALL_LEAK:
		return 100000 + 1000 * x + 50 * e;
	case FILLING:
		return 1000 * (1 - exp(-9 * x)) + 20 * e;
	case FILLING_SLOW:
		return 500 + 1000 * (1 - exp(-4 * x)) + 20 * e;
	case PERIODIC:
		return 1000 + 500 * sin((double)i * 1.7 + 0.3) + 30 * e;
	case CONSTANT:
		return 1000;
	case JUMP:
		return (i >= n / 2 ? 2000 : 1000) + 20 * e;
	case EARLY_JUMP:
		return (i ? 2000 : 1000) + 20 * e;
	case SPIKE:
		return (i == n / 2 ? 6000 : 1000) + 20 * e;
	case STAIRS:
		return 1000 + 400 * floor(3.99 * x) + 20 * e;
	case ACCELERATING:
		return 100 + 10 * exp(5 * x) + 2 * e;
	case DECLINE:
		return 2000 - 1000 * x + 50 * e;
	case DRAIN:
		return 1000 * exp(-6 * x) + 20 * e;
	default:
		return 1000 + 10 * e;
	}
}

/* How many of 200 series of that shape and length get the verdict. */
static unsigned judged(enum shape shape, size_t n, bool moved, enum sm_verdict want, double *sure)
{
	double t[200], v[200];
	uint64_t seed = n + 1000 * (uint64_t)shape;
	unsigned count = 0;

	*sure = 0;
	for (unsigned r = 0; r < 200; r++) {
		struct sm_trend trend;

		for (size_t i = 0; i < n; i++) {
			t[i] = 60 * (double)i;
			v[i] = floor(value_of(shape, i, n, &seed));
		}
		assert_true(sm_trend_judge(t, v, n, moved, &trend));
		assert_true(trend.confidence >= 0 && trend.confidence <= 1);
		if (trend.verdict != want)
			continue;
		count++;
		*sure += trend.confidence;
	}
	*sure /= count ? count : 1;
	return count;
}

static void expect(enum shape shape, size_t n, enum sm_verdict want, unsigned least, double sure)
{
	double have;
	unsigned count = judged(shape, n, true, want, &have);

	if (count < least || have < sure)
		fail_msg("shape %d of %zu points is %s in %u of 200, with %.2f", (int)shape, n,
			sm_verdict_name(want), count, have);
}

static void test_shapes(void **state)
{
	static const size_t LENGTHS[] = {8, 12, 20, 32, 100};

	(void)state;
	for (size_t i = 0; i < SM_ARRAY_SIZE(LENGTHS); i++) {
		size_t n = LENGTHS[i];

		expect(LEAK, n, SM_VERDICT_GROWING, 195, 0.9);
		expect(NOISY_LEAK, n, SM_VERDICT_GROWING, 170, 0.7);
		expect(SMALL_LEAK, n, SM_VERDICT_GROWING, 195, 0.9);
		expect(STAIRS, n, SM_VERDICT_GROWING, 195, 0.9);
		expect(ACCELERATING, n, SM_VERDICT_GROWING, 200, 0.9);
		expect(FILLING, n, SM_VERDICT_SATURATING, 198, 0.9);
		expect(FILLING_SLOW, n, SM_VERDICT_SATURATING, 198, 0.9);
		expect(JUMP, n, SM_VERDICT_SATURATING, 198, 0.9);
		expect(EARLY_JUMP, n, SM_VERDICT_SATURATING, n < 100 ? 198 : 0, 0);
		expect(PERIODIC, n, SM_VERDICT_BURSTY, 195, 0.7);
		expect(SPIKE, n, SM_VERDICT_BURSTY, n < 100 ? 198 : 0, 0.9 * (n < 100));
		expect(CONSTANT, n, SM_VERDICT_FLAT, 200, 1);
		expect(STEADY, n, SM_VERDICT_FLAT, 198, 0.3);
		expect(DECLINE, n, SM_VERDICT_SHRINKING, 198, 0.9);
		expect(DRAIN, n, SM_VERDICT_SHRINKING, 198, 0.9);
	}
}

/* What a leak must not be called, and what must not be called a leak. */
static void test_confusions(void **state)
{
	double sure;

	(void)state;
	for (size_t n = 4; n <= 40; n++) {
		assert_true(judged(LEAK, n, true, SM_VERDICT_SATURATING, &sure) <= 14);
		assert_true(judged(CONSTANT, n, true, SM_VERDICT_GROWING, &sure) == 0);
		assert_true(judged(FILLING, n, true, SM_VERDICT_GROWING, &sure) <= 4);
		assert_true(judged(SPIKE, n, true, SM_VERDICT_GROWING, &sure) <= 1);
		assert_true(judged(STEADY, n, false, SM_VERDICT_FLAT, &sure) == 200);
		assert_true(sure >= 0.5);
	}
}

static void test_few(void **state)
{
	static const double T[] = {0, 10, 20, 30, 40};
	static const double UP[] = {100, 200, 300, 400, 500};
	static const double FILLS[] = {0, 600, 850, 950, 980};
	static const double DOWN[] = {500, 300, 200, 150, 20};
	static const double BACK[] = {10, 90, 20, 80, 10};
	struct sm_trend trend;

	(void)state;
	for (size_t n = 0; n < SM_TREND_POINTS; n++) {
		assert_true(sm_trend_judge(T, UP, n, true, &trend));
		assert_int_equal(trend.verdict, SM_VERDICT_TOO_FEW);
		assert_true(trend.confidence == 0);
		assert_true(trend.slope == (n > 1 ? 10 : 0));
	}
	for (size_t n = 4; n <= 5; n++) {
		assert_true(sm_trend_judge(T, UP, n, true, &trend));
		assert_int_equal(trend.verdict, SM_VERDICT_GROWING);
		assert_true(trend.confidence > 0.4 && trend.confidence <= 0.5);
		assert_true(sm_trend_judge(T, UP, n, false, &trend));
		assert_int_equal(trend.verdict, SM_VERDICT_FLAT);
	}
	assert_true(sm_trend_judge(T, FILLS, 5, true, &trend));
	assert_int_equal(trend.verdict, SM_VERDICT_SATURATING);
	assert_true(sm_trend_judge(T, DOWN, 5, true, &trend));
	assert_int_equal(trend.verdict, SM_VERDICT_SHRINKING);
	assert_true(trend.slope < 0);
	assert_true(sm_trend_judge(T, BACK, 5, true, &trend));
	assert_int_equal(trend.verdict, SM_VERDICT_BURSTY);
}

/* Theil and Sen's slope takes no notice of an outlier; times needn't be even. */
static void test_slope(void **state)
{
	double t[20], v[20];
	struct sm_trend trend;

	(void)state;
	for (size_t i = 0; i < 20; i++) {
		t[i] = (double)(i * i);
		v[i] = 5 + 3 * t[i];
	}
	v[7] = 1e9;
	assert_true(sm_trend_judge(t, v, 20, true, &trend));
	assert_true(fabs(trend.slope - 3) < 1e-9);
	assert_int_equal(trend.verdict, SM_VERDICT_GROWING);
	/* Nor is anything wrong with the largest values there are. */
	for (size_t i = 0; i < 20; i++)
		v[i] = i & 1 ? 0 : 18446744073709551615.0;
	assert_true(sm_trend_judge(t, v, 20, true, &trend));
	assert_int_equal(trend.verdict, SM_VERDICT_BURSTY);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_shapes),
		cmocka_unit_test(test_confusions),
		cmocka_unit_test(test_few),
		cmocka_unit_test(test_slope),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
