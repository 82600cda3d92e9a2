/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What became of each row, whether that may be chance, and which rows are shown. */
#include <math.h>
#include <stdlib.h>

#include "diff_internal.h"

/* A joined row with something to say about. */
struct candidate {
	uint32_t at; /* in the join */
	double p, q, delta;
	struct sm_trend trend;
	enum sm_diff_status status;
};

struct judge {
	struct sm_diff *d;
	struct candidate *items;
	size_t n, tested;
	double least_share; /* of the two windows' */
};

static const uint64_t *values_of(const struct sm_diff *d, size_t at)
{
	return &d->priv->join.values[at * d->ninputs];
}

static const uint64_t *counts_of(const struct sm_diff *d, size_t at)
{
	return &d->priv->join.counts[at * d->ninputs];
}

static double weight(const struct sm_diff *d, size_t input)
{
	return d->opts.normalize ? d->inputs[input].window : 1;
}

/* Of the time that the inputs are from. */
static double share(const struct sm_diff *d, size_t input)
{
	double all = 0;

	for (size_t i = 0; i < d->ninputs; i++)
		all += weight(d, i);
	return weight(d, input) / all;
}

static double sum_of(const uint64_t *v, size_t n)
{
	double sum = 0;

	for (size_t i = 0; i < n; i++)
		sum += (double)v[i];
	return sum;
}

/*
 * The chance of two values: that so many objects, each in one of the two with the same probability,
 * are divided so unevenly. They are divided as the values are, so that objects that became larger
 * tell as well as objects that became more.
 */
static double chance_of_pair(const struct sm_diff *d, const uint64_t *values, double objects)
{
	double part = (double)values[1] / sum_of(values, 2);

	return sm_split_chance((uint64_t)objects, (uint64_t)llround(objects * part), share(d, 1));
}

/* The same for more: how far they are from being divided evenly. */
static double chance_of_series(const struct sm_diff *d, const uint64_t *values, double objects)
{
	double all = sum_of(values, d->ninputs), x = 0;

	for (size_t i = 0; i < d->ninputs; i++) {
		double expected = objects * share(d, i);
		double off = objects * ((double)values[i] / all) - expected;

		x += off * off / expected;
	}
	return sm_chi_squared_chance(x, (double)d->ninputs - 1);
}

/* Whether so many objects could show anything, however they fall. Those that couldn't are no tests
 * that others would have to pay for. */
static bool can_tell(const struct judge *j, double objects)
{
	if (j->d->ninputs > 2)
		return objects >= 6 && objects >= (double)j->d->ninputs;
	return 2 * pow(j->least_share, objects) <= j->d->opts.fdr;
}

static bool is_equal(const struct sm_diff *d, const uint64_t *values)
{
	double first = sm_diff_value(d, 0, values[0]);

	for (size_t i = 1; i < d->ninputs; i++)
		if (d->opts.normalize ? sm_diff_value(d, i, values[i]) != first
				      : values[i] != values[0])
			return false;
	return true;
}

static enum sm_diff_status status_of(const struct sm_diff *d, const uint64_t *values, double delta)
{
	uint64_t first = values[0], last = values[d->ninputs - 1];

	if (!first && last)
		return SM_DIFF_NEW;
	if (first && !last)
		return SM_DIFF_GONE;
	return delta > 0 ? SM_DIFF_GROWN : delta < 0 ? SM_DIFF_SHRUNK : SM_DIFF_EQUAL;
}

/* Exact where it can be: values beyond 2^53 may be near each other. */
static double delta_of(const struct sm_diff *d, const uint64_t *values)
{
	size_t last = d->ninputs - 1;

	if (d->opts.normalize)
		return sm_diff_value(d, last, values[last]) - sm_diff_value(d, 0, values[0]);
	return values[last] >= values[0] ? (double)(values[last] - values[0])
					 : -(double)(values[0] - values[last]);
}

static void look_at(struct judge *j, uint32_t at)
{
	struct sm_diff *d = j->d;
	const uint64_t *values = values_of(d, at);
	double objects = sum_of(counts_of(d, at), d->ninputs);
	bool tell = can_tell(j, objects);
	struct candidate *c;

	j->tested += tell;
	if (is_equal(d, values)) {
		d->equal_rows++;
		return;
	}
	c = &j->items[j->n++];
	*c = (struct candidate){.at = at, .p = 1, .q = 1, .delta = delta_of(d, values)};
	c->status = status_of(d, values, c->delta);
	/* Where nobody counted, nothing speaks of chance. */
	if (objects == 0)
		c->p = c->q = 0;
	else if (tell)
		c->p = d->ninputs > 2 ? chance_of_series(d, values, objects)
				      : chance_of_pair(d, values, objects);
}

static int compare_p(const void *a, const void *b)
{
	double x = (*(const struct candidate *const *)a)->p;
	double y = (*(const struct candidate *const *)b)->p;

	return x < y ? -1 : x > y;
}

static bool find_rates(struct judge *j)
{
	struct candidate **order = malloc((j->n + 1) * sizeof(struct candidate *));
	double *p = malloc((j->n + 1) * sizeof(*p)), *q = malloc((j->n + 1) * sizeof(*q));
	bool ok = order && p && q;
	size_t n = 0;

	for (size_t i = 0; ok && i < j->n; i++)
		if (j->items[i].p < 1 && j->items[i].q > 0)
			order[n++] = &j->items[i];
	if (ok && n) {
		qsort(order, n, sizeof(struct candidate *), compare_p);
		for (size_t i = 0; i < n; i++)
			p[i] = order[i]->p;
		sm_discovery_rates(p, n, j->tested, q);
		for (size_t i = 0; i < n; i++)
			order[i]->q = q[i];
	}
	free(order);
	free(p);
	free(q);
	return ok;
}

static bool find_trends(struct judge *j)
{
	struct sm_diff *d = j->d;
	double *v = d->priv->scaled;

	for (size_t i = 0; i < j->n; i++) {
		struct candidate *c = &j->items[i];
		const uint64_t *values = values_of(d, c->at);

		for (size_t k = 0; k < d->ninputs; k++)
			v[k] = sm_diff_value(d, k, values[k]);
		if (!sm_trend_judge(d->priv->times, v, d->ninputs, c->q <= d->opts.fdr, &c->trend))
			return false;
	}
	return true;
}

/* The order of the report. Of a series the leaks come first. */
static int compare_candidates(const void *a, const void *b, void *diff)
{
	const struct candidate *x = a, *y = b;
	const struct sm_diff *d = diff;
	const struct joined_row *rows = d->priv->join.rows;
	const uint64_t *u = values_of(d, x->at), *v = values_of(d, y->at);
	int order;

	if (d->ninputs > 2 && x->trend.verdict != y->trend.verdict)
		return x->trend.verdict < y->trend.verdict ? -1 : 1;
	if (fabs(x->delta) != fabs(y->delta))
		return fabs(x->delta) > fabs(y->delta) ? -1 : 1;
	if (x->delta != y->delta)
		return x->delta > y->delta ? -1 : 1;
	for (size_t i = d->ninputs; i-- > 0;)
		if (u[i] != v[i])
			return u[i] > v[i] ? -1 : 1;
	order = sm_join_compare(&d->priv->join, &rows[x->at], &rows[y->at]);
	if (order)
		return order;
	return x->at < y->at ? -1 : x->at > y->at;
}

static void add(struct sm_diff_sum *sum, double delta)
{
	double most = fabs(delta);

	sum->rows++;
	if (delta > 0)
		sum->up += delta;
	else
		sum->down -= delta;
	sum->most = most > sum->most ? most : sum->most;
}

static void fill(struct sm_diff *d, const struct candidate *c, struct sm_diff_row *row)
{
	const struct joined_row *joined = &d->priv->join.rows[c->at];

	*row = (struct sm_diff_row){
		.label = joined->label,
		.input = joined->input,
		.row = joined->row,
		.values = values_of(d, c->at),
		.counts = counts_of(d, c->at),
		.delta = c->delta,
		.p = c->p,
		.q = c->q,
		.significant = c->q <= d->opts.fdr,
		.status = c->status,
		.suppression = SIZE_MAX,
		.trend = c->trend,
	};
}

/* Which sums the row counts in. False: it isn't shown. */
static bool count(struct sm_diff *d, const struct sm_diff_row *row)
{
	if (!row->significant && !d->opts.all) {
		add(&d->chance, row->delta);
		return d->opts.keep_chance;
	}
	add(&d->of_status[row->status], row->delta);
	if (d->ninputs > 2)
		add(&d->of_verdict[row->trend.verdict], row->delta);
	return true;
}

static bool share_out(struct judge *j)
{
	struct sm_diff *d = j->d;
	size_t limit = d->opts.limit ? d->opts.limit : SIZE_MAX, suppressed_cap = 0, cap = 0;

	for (size_t i = 0; i < j->n; i++) {
		const struct joined_row *joined = &d->priv->join.rows[j->items[i].at];
		struct sm_diff_row row;

		fill(d, &j->items[i], &row);
		row.suppression = sm_join_suppression(&d->priv->join, joined);
		if (row.suppression != SIZE_MAX) {
			add(&d->accepted, row.delta);
			add(&d->of_suppression[row.suppression], row.delta);
			if (!sm_grow(&d->suppressed, &suppressed_cap, d->nsuppressed + 1,
				    sizeof(row)))
				return false;
			d->suppressed[d->nsuppressed++] = row;
			continue;
		}
		if (!count(d, &row))
			continue;
		if (d->nrows >= limit) {
			add(&d->hidden, row.delta);
			continue;
		}
		if (!sm_grow(&d->rows, &cap, d->nrows + 1, sizeof(row)))
			return false;
		d->rows[d->nrows++] = row;
	}
	return true;
}

bool sm_diff_judge(struct sm_diff *d)
{
	struct join *join = &d->priv->join;
	struct judge j = {.d = d, .items = malloc((join->n + 1) * sizeof(*j.items))};
	bool ok = j.items != NULL;

	j.least_share = share(d, 0) < share(d, 1) ? share(d, 0) : share(d, 1);
	for (uint32_t i = 0; ok && i < join->n; i++) {
		ok = !sm_join_stopped(join, i);
		look_at(&j, i);
		/* Labels are matched here, also those of rows that stayed equal. */
		if (join->rows[i].label)
			sm_join_suppression(join, &join->rows[i]);
	}
	ok = ok && find_rates(&j) && (d->ninputs == 2 || find_trends(&j));
	if (ok && j.n)
		qsort_r(j.items, j.n, sizeof(*j.items), compare_candidates, d);
	ok = ok && share_out(&j);
	free(j.items);
	return ok;
}
