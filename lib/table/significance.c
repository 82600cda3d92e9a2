/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Whether a difference of two counts may be chance. With the sum of two Poisson counts given, each
 * event falls into the second with the same probability: the split is binomial, and no rate need be
 * known.
 */
#include <math.h>

#include <smtool/diff.h>

/* Variance above which the tail is taken from Peizer and Pratt's approximation, which there is
 * right to four digits. */
#define LARGE 1000.0

static double log_gamma(double x)
{
	int sign;

	return lgamma_r(x, &sign);
}

/* P(X >= k) for k at or above the mean: terms from k outward, each smaller than the one before. */
static double upper_tail_sum(double n, double k, double p)
{
	double odds = p / (1 - p), sum = 1, term = 1;

	for (double i = k; i < n; i++) {
		term *= (n - i) / (i + 1) * odds;
		sum += term;
		if (term < sum * 1e-16)
			break;
	}
	return exp(log_gamma(n + 1) - log_gamma(k + 1) - log_gamma(n - k + 1) + k * log(p) +
		       (n - k) * log1p(-p)) *
	       sum;
}

static double peizer_pratt_g(double x)
{
	double d = 1 - x;

	if (fabs(d) < 1e-4) /* its series: (1 - x^2 + 2x ln x) / (1 - x)^2 */
		return d / 3 + d * d / 6;
	if (x <= 0)
		return 1;
	return (1 - x * x + 2 * x * log(x)) / (d * d);
}

/* P(X >= k) of a binomial distribution that is nearly normal. */
static double upper_tail_normal(double n, double k, double p)
{
	/* 1 - P(X <= below); beyond 2^53, all of n may be below + 0. */
	double q = 1 - p, below = k - 1, left = n - below < 1 ? 1 : n - below;
	double d = below + 2.0 / 3 - (n + 1.0 / 3) * p +
		   0.02 * (q / (below + 1) - p / left + (q - 0.5) / (n + 1));
	double z = d * sqrt((1 + q * peizer_pratt_g((below + 0.5) / (n * p)) +
				    p * peizer_pratt_g((left - 0.5) / (n * q))) /
			       ((n + 1.0 / 6) * p * q));

	return erfc(z / M_SQRT2) / 2;
}

double sm_split_chance(uint64_t n, uint64_t second, double p)
{
	double size = (double)n, k = (double)second, tail;

	if (!n || !(p > 0) || !(p < 1) || second > n)
		return 1;
	if (k < size * p) { /* seen from the first part, it has too many */
		k = (double)(n - second);
		p = 1 - p;
	}
	if (size * p * (1 - p) > LARGE)
		tail = upper_tail_normal(size, k, p);
	else
		tail = upper_tail_sum(size, k, p);
	return tail < 0.5 ? 2 * tail : 1;
}

void sm_discovery_rates(const double *p, size_t n, size_t tested, double *q)
{
	double least = 1;

	for (size_t i = n; i-- > 0;) {
		double rate = p[i] * (double)tested / (double)(i + 1);

		if (rate < least)
			least = rate;
		q[i] = least;
	}
}

/* The regularised incomplete gamma function: by its series below a + 1, where the lower part is
 * meant, by its continued fraction above, for the upper one. */
static double lower_gamma_series(double a, double x)
{
	double term = 1 / a, sum = term;

	for (double i = a + 1; term > sum * 1e-16; i++) {
		term *= x / i;
		sum += term;
	}
	return sum * exp(a * log(x) - x - log_gamma(a));
}

static double upper_gamma_fraction(double a, double x)
{
	double b = x + 1 - a, c = 1e300, d = 1 / b, h = d;

	for (unsigned i = 1; i < 10000; i++) {
		double an = -(double)i * ((double)i - a), step;

		b += 2;
		d = 1 / (an * d + b);
		c = b + an / c;
		step = c * d;
		h *= step;
		if (fabs(step - 1) < 1e-15)
			break;
	}
	return h * exp(a * log(x) - x - log_gamma(a));
}

double sm_chi_squared_chance(double x, double degrees)
{
	double a = degrees / 2;

	if (!(x > 0) || !(a > 0))
		return 1;
	if (!isfinite(x))
		return 0;
	x /= 2;
	return x < a + 1 ? 1 - lower_gamma_series(a, x) : upper_gamma_fraction(a, x);
}
