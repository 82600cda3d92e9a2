/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A profile with its course over time, and its parts. */
#include <stdlib.h>

#include "counter.h"

/* Points are first kept so many times as fine, up to so many, so that few are wanting when some are
 * joined to one. */
#define FINE 128
#define FINE_MAX 16384

bool sm_timeline_knows(enum sm_metric by)
{
	return by == SM_M_LIVE_BYTES || by == SM_M_LIVE_COUNT || sm_timeline_is_rate(by);
}

bool sm_timeline_is_rate(enum sm_metric by)
{
	return by == SM_M_BYTES || by == SM_M_COUNT;
}

uint64_t sm_timeline_value(const struct sm_timeline_point *point, enum sm_metric by)
{
	switch (by) {
	case SM_M_LIVE_COUNT:
		return point->count.value;
	case SM_M_BYTES:
		return point->alloc_bytes;
	case SM_M_COUNT:
		return point->allocs;
	default:
		return point->bytes.value;
	}
}

struct sm_timeline_peak sm_timeline_peak(const struct sm_timeline *t, enum sm_metric by)
{
	struct sm_timeline_peak peak = {0};

	if (by == SM_M_LIVE_BYTES)
		return t->bytes_peak;
	if (by == SM_M_LIVE_COUNT)
		return t->count_peak;
	for (size_t i = 0; i < t->n; i++) {
		uint64_t value = sm_timeline_value(&t->points[i], by);

		if (value > peak.value)
			peak = (struct sm_timeline_peak){t->points[i].ts, value};
	}
	return peak;
}

static size_t index_of(const struct sm_timeline *t, uint64_t ts)
{
	uint64_t i = ts > t->from ? (ts - t->from - 1) / t->interval : 0;

	return i < t->n ? (size_t)i : t->n - 1;
}

/* The gap lies after `from` and ends at `to`. What was lost at the very ends, before the first or
 * after the last event, belongs to a window that wasn't chosen to begin or end there. */
static void mark_gap(
	struct sm_timeline *t, const struct sm_gap *gap, bool chosen_from, bool chosen_to)
{
	uint64_t from = gap->from < UINT64_MAX ? gap->from + 1 : gap->from, to = gap->to;
	size_t last;

	if ((chosen_from && to < t->from) || (chosen_to && from > t->to))
		return;
	from = from < t->from ? t->from : from > t->to ? t->to : from;
	to = to < from ? from : to > t->to ? t->to : to;
	last = index_of(t, to);
	for (size_t i = index_of(t, from); i <= last; i++)
		t->points[i].gap = true;
	t->points[last].lost += gap->lost;
	t->points[last].lost_unknown += gap->lost_unknown;
	if (!t->uncertain || from < t->uncertain_from)
		t->uncertain_from = from;
	t->uncertain = true;
}

static void mark_gaps(
	struct sm_timeline *t, const struct sm_trace *trace, const struct sm_profile_opts *opts)
{
	size_t n;
	const struct sm_gap *gaps = sm_trace_gaps(trace, &n);

	for (size_t i = 0; t->n && i < n; i++)
		mark_gap(t, &gaps[i], opts->from.kind != SM_MOMENT_NONE,
			opts->to.kind != SM_MOMENT_NONE);
}

static uint64_t clamp(uint64_t v, uint64_t least, uint64_t most)
{
	return v < least ? least : v > most ? most : v;
}

static struct sm_error *check(const struct sm_trace *trace)
{
	if (sm_trace_has_events(trace))
		return NULL;
	return sm_error_new(SM_E_MISSING, sm_source_path(trace->src),
		"no events: nothing over time",
		"it tells how much, not when; 'smtool top' ranks that, and 'smtool record' makes a "
		"capture with events");
}

/* What the meter has, as a timeline. Takes its points. */
static struct sm_error *take_points(struct sm_timeline *t, struct meter *m,
	const struct sm_profile *p, const struct sm_timeline_opts *opts)
{
	struct sm_error *err;

	err = sm_meter_finish(m, p->to);
	if (err)
		return err;
	if (!m->given && m->n > opts->points)
		sm_meter_join(m, (m->n + opts->points - 1) / opts->points);
	t->from = m->started ? m->origin : p->from;
	t->to = p->to > t->from ? p->to : t->from;
	t->interval = m->interval;
	t->points = m->points;
	t->n = m->n;
	for (size_t i = 0; i < t->n; i++)
		t->points[i].ts = i + 1 < t->n ? sm_meter_end(m, i) : t->to;
	t->bytes_peak = (struct sm_timeline_peak){p->peak_ts, p->totals[SM_M_PEAK_BYTES]};
	t->count_peak = m->count_peak;
	m->points = NULL;
	return NULL;
}

struct sm_error *sm_timeline_meter(
	const struct sm_trace *trace, const struct sm_timeline_opts *opts, struct meter *m)
{
	struct sm_error *err = check(trace);

	if (err)
		return err;
	*m = (struct meter){.given = opts->interval, .max = SM_TIMELINE_MAX_POINTS};
	if (!m->given && (!opts->points || opts->points > SM_TIMELINE_MAX_POINTS / 10))
		return sm_error_new(SM_E_USAGE, NULL, "not a number of points", "1 to %llu",
			(unsigned long long)SM_TIMELINE_MAX_POINTS / 10);
	if (!m->given)
		m->max = clamp(opts->points * FINE, 2 * opts->points,
			opts->points * 2 > FINE_MAX ? opts->points * 2 : FINE_MAX);
	return NULL;
}

struct sm_error *sm_timeline_take(struct meter *m, const struct sm_profile *profile,
	const struct sm_profile_opts *opts, const struct sm_timeline_opts *topts,
	struct sm_timeline **out)
{
	struct sm_timeline *t = calloc(1, sizeof(*t));
	struct sm_error *err = t ? take_points(t, m, profile, topts) : sm_error_nomem();

	*out = NULL;
	if (err) {
		sm_timeline_free(t);
		return err;
	}
	mark_gaps(t, profile->trace, opts);
	*out = t;
	return NULL;
}

struct sm_error *sm_timeline_build(struct sm_trace *trace, const struct sm_profile_opts *opts,
	const struct sm_timeline_opts *topts, struct sm_timeline **out, struct sm_profile **profile)
{
	struct sm_profile_opts popts = *opts;
	struct meter m;
	struct sm_error *err;

	*out = NULL;
	*profile = NULL;
	err = sm_timeline_meter(trace, topts, &m);
	if (err)
		return err;
	popts.older = 0;
	err = sm_profile_measure(trace, &popts, &m, profile);
	if (!err)
		err = sm_timeline_take(&m, *profile, opts, topts, out);
	free(m.points);
	if (err) {
		sm_profile_free(*profile);
		*profile = NULL;
	}
	return err;
}

void sm_timeline_free(struct sm_timeline *t)
{
	if (!t)
		return;
	free(t->points);
	free(t->values);
	free(t);
}

/* Which series each of the counter's rows belongs to: those that the profile left out have nothing
 * that counts. */
static struct sm_error *assign_rows(
	struct counter *c, const uint32_t *series, size_t nseries, uint32_t **of_row, size_t *nrows)
{
	const struct sm_profile *p = c->profile;
	struct row_table *rows = c->rows;
	uint32_t *of = malloc((rows->n + 1) * sizeof(*of));

	*of_row = of;
	*nrows = rows->n;
	if (!of)
		return sm_error_nomem();
	for (size_t i = 0; i < rows->n; i++)
		of[i] = (uint32_t)nseries - 1;
	for (size_t i = 0; i < p->nrows; i++) {
		const struct sm_row *row = &p->rows[i];
		uint32_t at = !p->priv->attrs.n ? sm_rows_by_stack(rows, row->stack)
						: sm_rows_by_pair(rows, row->stack, row->attr);

		if (at == ROW_NONE)
			return sm_error_nomem();
		if (at < *nrows && series[i] < nseries)
			of[at] = series[i];
	}
	return NULL;
}

static struct sm_error *read_again(
	struct sm_timeline *t, struct counter *c, const struct sm_profile_opts *opts)
{
	struct sm_error *err;

	sm_rows_restart(c->rows, c->epoch);
	err = sm_count_pages(c, opts, c->profile->family, c->profile->from, t->to);
	if (!err)
		err = sm_meter_finish(c->meter, t->to);
	return err;
}

struct sm_error *sm_timeline_split(struct sm_timeline *t, struct sm_trace *trace,
	struct sm_profile *profile, const struct sm_profile_opts *opts, enum sm_metric by,
	const uint32_t *series, size_t nseries)
{
	struct meter m = {.given = t->interval,
		.interval = t->interval,
		.max = t->n,
		.by = by,
		.nseries = nseries};
	struct counter c = {.profile = profile,
		.trace = trace,
		.rows = &profile->priv->rows,
		.attrs = &profile->priv->attrs,
		.meter = &m,
		.epoch = 1};
	uint32_t *of_row = NULL;
	struct sm_error *err;

	if (sm_source_kind(trace->src) == SM_SOURCE_LIVE)
		return sm_error_new(SM_E_USAGE, sm_source_path(trace->src),
			"its parts need a second reading",
			"events of the running kernel can be read once: record a capture");
	if (!t->n || !nseries)
		return NULL;
	if (nseries > SM_TIMELINE_MAX_VALUES / t->n)
		return sm_error_new(SM_E_USAGE, NULL, "too many values",
			"%zu series of %zu points: ask for fewer of the one or the other", nseries,
			t->n);
	free(t->values);
	t->nseries = nseries;
	t->values = m.values = calloc(t->n * nseries, sizeof(*t->values));
	m.level = calloc(nseries, sizeof(*m.level));
	err = m.values && m.level ? assign_rows(&c, series, nseries, &of_row, &m.nrows)
				  : sm_error_nomem();
	m.series = of_row;
	if (!err)
		err = read_again(t, &c, opts);
	sm_counter_release(&c);
	free(of_row);
	free(m.level);
	free(m.points);
	return err;
}
