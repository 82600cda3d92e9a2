/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A verdict on a series of a few noisy values, with an outlier among them now and then: lines by
 * medians of slopes (Theil and Sen), errors as absolute values, trends by ranks (Mann and Kendall),
 * and models compared by Akaike's criterion, corrected for few points (AICc, of errors that have
 * Laplace's distribution).
 */
#include <math.h>
#include <stdlib.h>

#include <smtool/diff.h>

#define MAX_POINTS 32 /* more are put together, by medians, before they are judged */
#define MAX_PAIRS (MAX_POINTS * (MAX_POINTS - 1) / 2)
#define FEW 7       /* points below which models can't be compared */
#define EXACT 10    /* points up to which the rank statistic's distribution is counted out */
#define CHANCE 0.05 /* of a trend that isn't one */
#define RARE 0.001  /* ... whatever the models, or the size, say */
#define FADED 0.25  /* late slope / early slope, with few points */
#define SURE 4      /* times likelier than the safer thing to say */
#define SMALL 0.1   /* spread / median that isn't worth a word */

struct series {
	double t[MAX_POINTS], v[MAX_POINTS];
	size_t n;
	double span; /* of time */
	double min, max, median;
};

enum model_kind { CONSTANT, LINE, FADING, ACCELERATING, STEP, MODELS };

struct model {
	double score; /* AICc; INFINITY = doesn't exist */
	double rise;  /* what it says of the whole time */
};

static void swap(double *a, double *b)
{
	double x = *a;

	*a = *b;
	*b = x;
}

/* The k-th smallest, at v[k]; those before are no larger. Reorders. */
static double select_nth(double *v, size_t n, size_t k)
{
	size_t lo = 0, hi = n - 1;

	while (lo < hi) {
		double pivot = v[lo + (hi - lo) / 2];
		size_t i = lo, j = hi;

		for (;;) {
			while (v[i] < pivot)
				i++;
			while (v[j] > pivot)
				j--;
			if (i >= j)
				break;
			swap(&v[i++], &v[j--]);
		}
		/* v[lo..j] <= pivot <= v[j + 1..hi] */
		if (k <= j)
			hi = j;
		else
			lo = j + 1;
	}
	return v[k];
}

/* Reorders. n > 0. */
static double median(double *v, size_t n)
{
	double upper = select_nth(v, n, n / 2), lower;

	if (n & 1)
		return upper;
	lower = v[0];
	for (size_t i = 1; i < n / 2; i++)
		if (v[i] > lower)
			lower = v[i];
	return lower + (upper - lower) / 2;
}

struct pair {
	double slope, weight;
};

/* The slope that has half of all weight on either side. Reorders. */
static double weighted_median(struct pair *p, size_t n, double all)
{
	size_t lo = 0, hi = n - 1;
	double below = 0; /* weight before lo */

	while (lo < hi) {
		double pivot = p[lo + (hi - lo) / 2].slope, left = 0;
		size_t i = lo, j = hi;

		for (;;) {
			struct pair x;

			while (p[i].slope < pivot)
				i++;
			while (p[j].slope > pivot)
				j--;
			if (i >= j)
				break;
			x = p[i];
			p[i++] = p[j];
			p[j--] = x;
		}
		for (size_t k = lo; k <= j; k++)
			left += p[k].weight;
		if (below + left >= all / 2) {
			hi = j;
		} else {
			below += left;
			lo = j + 1;
		}
	}
	return p[lo].slope;
}

/* The median of all pairs' slopes. Where x runs at other speeds, by how far apart a pair is: else
 * the noise of points that x hardly tells apart would decide. */
static double theil_sen(const double *x, const double *y, size_t n, bool weighted)
{
	struct pair pairs[MAX_PAIRS];
	double slopes[MAX_PAIRS], all = 0;
	size_t n_pairs = 0;

	for (size_t i = 0; i < n; i++) {
		for (size_t k = i + 1; k < n; k++) {
			double apart = x[k] - x[i];

			if (!(apart > 0))
				continue;
			slopes[n_pairs] = pairs[n_pairs].slope = (y[k] - y[i]) / apart;
			pairs[n_pairs++].weight = apart;
			all += apart;
		}
	}
	if (!n_pairs)
		return 0;
	return weighted ? weighted_median(pairs, n_pairs, all) : median(slopes, n_pairs);
}

/* The sum of absolute errors around the line of that slope. */
static double error_of_line(const double *x, const double *y, size_t n, double slope)
{
	double rest[MAX_POINTS], middle, sum = 0;

	for (size_t i = 0; i < n; i++)
		rest[i] = y[i] - slope * x[i];
	middle = median(rest, n);
	for (size_t i = 0; i < n; i++)
		sum += fabs(rest[i] - middle);
	return sum;
}

/* AICc: each parameter, the errors' width among them, must pay for itself. */
static double score(const struct series *s, double error, double parameters)
{
	double n = (double)s->n, least = n * (s->max - s->min) * 1e-6;

	if (n - parameters - 1 <= 0)
		return INFINITY;
	return 2 * n * log((error > least ? error : least) / n) + 2 * parameters +
	       2 * parameters * (parameters + 1) / (n - parameters - 1);
}

/* A line over a time that runs ever slower, or ever faster: the best of several bends. */
static void fit_bent(const struct series *s, bool fading, struct model *m)
{
	static const double SCALES[] = {0.05, 0.1, 1.0 / 6, 0.25, 1.0 / 3, 0.5, 0.75};

	m->score = INFINITY;
	for (size_t k = 0; k < SM_ARRAY_SIZE(SCALES); k++) {
		double x[MAX_POINTS], slope, points;

		for (size_t i = 0; i < s->n; i++) {
			double at = (s->t[i] - s->t[0]) / s->span;

			x[i] = fading ? 1 - exp(-at / SCALES[k]) : exp((at - 1) / SCALES[k]);
		}
		slope = theil_sen(x, s->v, s->n, true);
		points = score(s, error_of_line(x, s->v, s->n, slope), 4);
		if (points < m->score) {
			m->score = points;
			m->rise = slope * (x[s->n - 1] - x[0]);
		}
	}
}

/* Two levels, of which the second lasts for a quarter of the points and two of them. */
static void fit_step(const struct series *s, struct model *m)
{
	size_t held = (s->n + 3) / 4;

	m->score = INFINITY;
	for (size_t at = 1; at + (held > 2 ? held : 2) <= s->n; at++) {
		double part[MAX_POINTS], low, high, error = 0, points;

		memcpy(part, s->v, at * sizeof(*part));
		low = median(part, at);
		memcpy(part, s->v + at, (s->n - at) * sizeof(*part));
		high = median(part, s->n - at);
		for (size_t i = 0; i < s->n; i++)
			error += fabs(s->v[i] - (i < at ? low : high));
		points = score(s, error, 4);
		if (points < m->score) {
			m->score = points;
			m->rise = high - low;
		}
	}
}

/* The chance that n values in any order, no two the same, have at least as many more pairs that
 * rise than pairs that fall: `s` of them. */
static double rank_chance_exact(size_t n, int s)
{
	double ways[EXACT * (EXACT - 1) / 2 + 1] = {1}, all = 1, sum = 0;
	int pairs = 0, falling;

	/* How many orders of i values have so many falling pairs. */
	for (int i = 2; i <= (int)n; i++) {
		pairs += i - 1;
		all *= i;
		for (int f = pairs; f > 0; f--)
			for (int k = 1; k < i && k <= f; k++)
				ways[f] += ways[f - k];
	}
	falling = (pairs - s) / 2;
	for (int f = 0; f <= falling && f <= pairs; f++)
		sum += ways[f];
	return sum / all;
}

/* Mann and Kendall: the chances of a trend at least as strong, upwards and downwards. */
static void rank_chances(const struct series *s, double *up, double *down)
{
	double n = (double)s->n, variance = n * (n - 1) * (2 * n + 5), sd;
	int sum = 0;
	bool ties = false;

	for (size_t i = 0; i < s->n; i++) {
		double same = 0, before = 0;

		for (size_t k = 0; k < s->n; k++) {
			same += s->v[k] == s->v[i];
			before += k < i && s->v[k] == s->v[i];
			if (k > i)
				sum += (s->v[k] > s->v[i]) - (s->v[k] < s->v[i]);
		}
		if (same > 1 && before == 0) {
			variance -= same * (same - 1) * (2 * same + 5);
			ties = true;
		}
	}
	if (!ties && s->n <= EXACT) {
		*up = rank_chance_exact(s->n, sum);
		*down = rank_chance_exact(s->n, -sum);
		return;
	}
	sd = sqrt(variance / 18);
	*up = sd > 0 ? erfc((sum - 1) / sd / M_SQRT2) / 2 : 1;
	*down = sd > 0 ? erfc((-sum - 1) / sd / M_SQRT2) / 2 : 1;
}

static bool is_small(const struct series *s)
{
	return s->max - s->min <= SMALL * fabs(s->median);
}

/* What there is to say of values that move without a trend. */
static void judge_level(const struct series *s, double share, struct sm_trend *trend)
{
	double net = fabs(s->v[s->n - 1] - s->v[0]), path = 0;

	for (size_t i = 1; i < s->n; i++)
		path += fabs(s->v[i] - s->v[i - 1]);
	if (is_small(s)) {
		trend->verdict = SM_VERDICT_FLAT;
		trend->confidence = share;
		return;
	}
	/* Jumps that return. */
	trend->verdict = SM_VERDICT_BURSTY;
	trend->confidence = path > 0 ? 1 - net / path : 0;
}

/* Growth that has all but ended: its late slope against the early one. */
static bool has_faded(const struct series *s)
{
	size_t middle = s->n / 2, last = s->n - 1;
	double early = (s->v[middle] - s->v[0]) / (s->t[middle] - s->t[0]);
	double late = (s->v[last] - s->v[middle]) / (s->t[last] - s->t[middle]);

	return late < FADED * early;
}

static void judge_few(
	const struct series *s, bool moved, double up, double down, struct sm_trend *trend)
{
	trend->confidence = 0.5;
	if (!moved) {
		trend->verdict = SM_VERDICT_FLAT;
	} else if (up <= CHANCE) {
		trend->verdict = has_faded(s) ? SM_VERDICT_SATURATING : SM_VERDICT_GROWING;
		trend->confidence *= 1 - up;
	} else if (down <= CHANCE) {
		trend->verdict = SM_VERDICT_SHRINKING;
		trend->confidence *= 1 - down;
	} else {
		judge_level(s, 1, trend);
		trend->confidence /= 2;
	}
}

static enum sm_verdict says(enum model_kind kind, const struct model *m)
{
	if (kind == CONSTANT || m->rise == 0)
		return SM_VERDICT_FLAT;
	if (m->rise < 0)
		return SM_VERDICT_SHRINKING;
	return kind == LINE || kind == ACCELERATING ? SM_VERDICT_GROWING : SM_VERDICT_SATURATING;
}

static void judge_models(
	const struct series *s, bool moved, double up, double down, struct sm_trend *trend)
{
	struct model m[MODELS] = {0};
	double weights[SM_VERDICT_NR] = {0}, all = 0;
	enum model_kind best = CONSTANT;

	m[CONSTANT].score = score(s, error_of_line(s->t, s->v, s->n, 0), 2);
	m[LINE].rise = trend->slope * s->span;
	m[LINE].score = score(s, error_of_line(s->t, s->v, s->n, trend->slope), 3);
	fit_bent(s, true, &m[FADING]);
	fit_bent(s, false, &m[ACCELERATING]);
	fit_step(s, &m[STEP]);
	for (enum model_kind k = 0; k < MODELS; k++)
		if (m[k].score < m[best].score)
			best = k;
	for (enum model_kind k = 0; k < MODELS; k++) {
		double weight = exp((m[best].score - m[k].score) / 2);

		weights[says(k, &m[k])] += weight;
		all += weight;
	}
	trend->verdict = moved ? says(best, &m[best]) : SM_VERDICT_FLAT;
	/* To miss a leak is worse than to watch a cache for longer. */
	if (trend->verdict == SM_VERDICT_SATURATING && up <= CHANCE &&
		weights[SM_VERDICT_SATURATING] < SURE * weights[SM_VERDICT_GROWING])
		trend->verdict = SM_VERDICT_GROWING;
	if (weights[trend->verdict] < SURE * weights[SM_VERDICT_FLAT] ||
		(is_small(s) && up > RARE && down > RARE))
		trend->verdict = SM_VERDICT_FLAT;
	trend->confidence = weights[trend->verdict] / all;
	if (!moved) {
		trend->confidence = 0.5 + trend->confidence / 2;
		return;
	}
	/* An outlier is an error that all models share; ranks know better. */
	if (trend->verdict == SM_VERDICT_FLAT && (up <= RARE || down <= RARE)) {
		trend->confidence = 0.5;
		trend->verdict =
			down <= RARE ? SM_VERDICT_SHRINKING
			: weights[SM_VERDICT_SATURATING] < SURE * weights[SM_VERDICT_GROWING]
				? SM_VERDICT_GROWING
				: SM_VERDICT_SATURATING;
		return;
	}
	/* A line through what has no order is no trend. */
	if (trend->verdict == SM_VERDICT_GROWING) {
		trend->confidence *= 1 - up;
		if (up > CHANCE)
			trend->verdict = SM_VERDICT_FLAT;
	} else if (trend->verdict == SM_VERDICT_SHRINKING && best == LINE && down > CHANCE) {
		trend->verdict = SM_VERDICT_FLAT;
	}
	if (trend->verdict == SM_VERDICT_FLAT)
		judge_level(s, weights[SM_VERDICT_FLAT] / all, trend);
}

/* At most MAX_POINTS of them: neighbours by their medians. */
static bool gather(struct series *s, const double *times, const double *values, size_t n)
{
	size_t points = n < MAX_POINTS ? n : MAX_POINTS;
	double sorted[MAX_POINTS], *part = malloc((n / points + 1) * sizeof(*part));

	if (!part)
		return false;
	s->n = points;
	for (size_t i = 0; i < points; i++) {
		size_t from = n * i / points, to = n * (i + 1) / points;

		memcpy(part, values + from, (to - from) * sizeof(*part));
		s->v[i] = median(part, to - from);
		s->t[i] = times[from] + (times[to - 1] - times[from]) / 2;
	}
	free(part);
	s->span = s->t[points - 1] - s->t[0];
	memcpy(sorted, s->v, points * sizeof(*sorted));
	s->median = median(sorted, points);
	s->min = s->max = s->v[0];
	for (size_t i = 1; i < points; i++) {
		s->min = s->v[i] < s->min ? s->v[i] : s->min;
		s->max = s->v[i] > s->max ? s->v[i] : s->max;
	}
	return true;
}

bool sm_trend_judge(
	const double *times, const double *values, size_t n, bool moved, struct sm_trend *trend)
{
	struct series s;
	double up, down;

	*trend = (struct sm_trend){.verdict = SM_VERDICT_TOO_FEW};
	if (n < 2)
		return true;
	if (!gather(&s, times, values, n))
		return false;
	trend->slope = theil_sen(s.t, s.v, s.n, false);
	if (n < SM_TREND_POINTS || !(s.span > 0))
		return true;
	if (s.max == s.min) {
		trend->verdict = SM_VERDICT_FLAT;
		trend->confidence = 1;
		return true;
	}
	rank_chances(&s, &up, &down);
	if (s.n < FEW)
		judge_few(&s, moved, up, down, trend);
	else
		judge_models(&s, moved, up, down, trend);
	return true;
}

const char *sm_verdict_name(enum sm_verdict verdict)
{
	static const char *const NAMES[SM_VERDICT_NR] = {
		[SM_VERDICT_GROWING] = "growing",
		[SM_VERDICT_SATURATING] = "saturating",
		[SM_VERDICT_BURSTY] = "bursty",
		[SM_VERDICT_SHRINKING] = "shrinking",
		[SM_VERDICT_FLAT] = "flat",
		[SM_VERDICT_TOO_FEW] = "too few",
	};

	return NAMES[verdict];
}
