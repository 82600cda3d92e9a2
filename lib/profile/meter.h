/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the counter tells as it counts, kept over time. */
#ifndef SM_PROFILE_METER_H
#define SM_PROFILE_METER_H

#include <smtool/timeline.h>

struct meter {
	/* Interval i holds what comes after origin + i * interval, up to and with
	 * origin + (i + 1) * interval; the first one holds its origin too. */
	uint64_t origin, interval;
	uint64_t end; /* of the current interval */
	bool started;
	bool early;     /* there were events before the window */
	uint64_t given; /* the interval's length, 0 = found while it runs: */
	uint64_t max;   /* so many points, then it is doubled */
	struct sm_timeline_point *points, *now; /* the current one is the last */
	size_t n, cap;
	struct sm_timeline_peak count_peak;
	/* Of a second reading, whose grid is known: */
	const uint32_t *series; /* per row, else NULL */
	size_t nrows, nseries;
	enum sm_metric by;
	uint64_t *level;  /* of each series */
	uint64_t *values; /* as struct sm_timeline has them */
};

/* ---- timeline.c ---- */

/* A meter for what `opts` ask; sm_meter_reset() before it is used. */
struct sm_error *sm_timeline_meter(const struct sm_trace *trace,
	const struct sm_timeline_opts *opts, struct meter *m) SM_MUST_CHECK;
/* What it has, up to the profile's end, as a timeline, which takes its points. `popts` are the
 * profile's. */
struct sm_error *sm_timeline_take(struct meter *m, const struct sm_profile *profile,
	const struct sm_profile_opts *popts, const struct sm_timeline_opts *opts,
	struct sm_timeline **timeline) SM_MUST_CHECK;

/* ---- meter.c ---- */

/* Begins anew: another reading. */
void sm_meter_reset(struct meter *m);
/* Puts each k points together to one. */
void sm_meter_join(struct meter *m, uint64_t k);
/* When the interval ends. */
uint64_t sm_meter_end(const struct meter *m, uint64_t index);
/* Ends at `to`, the window's last moment. */
struct sm_error *sm_meter_finish(struct meter *m, uint64_t to) SM_MUST_CHECK;
/* Makes the interval that holds `ts` the current one. */
struct sm_error *sm_meter_advance(struct meter *m, uint64_t from, uint64_t ts) SM_MUST_CHECK;

/* An event of this time comes next; the window begins at `from`. */
static inline struct sm_error *meter_event(struct meter *m, uint64_t from, uint64_t ts)
{
	if (!m->started || ts > m->end) {
		struct sm_error *err = sm_meter_advance(m, from, ts);

		if (err || !m->started)
			return err;
	}
	m->now->events += ts >= from;
	return NULL;
}

static inline uint64_t *meter_level(struct meter *m, uint32_t row)
{
	return &m->level[row < m->nrows ? m->series[row] : m->nseries - 1];
}

static inline void meter_counted(struct meter *m, uint32_t row, uint64_t bytes)
{
	m->now->alloc_bytes += bytes;
	m->now->allocs++;
	if (m->series && m->by == SM_M_BYTES)
		*meter_level(m, row) += bytes;
	else if (m->series && m->by == SM_M_COUNT)
		*meter_level(m, row) += 1;
}

static inline void meter_change(struct sm_timeline_level *l, uint64_t more, uint64_t less)
{
	l->added += more;
	l->dropped += less;
	l->value += more - less;
	l->max = l->value > l->max ? l->value : l->max;
	l->min = l->value < l->min ? l->value : l->min;
}

static inline void meter_live_bytes(struct meter *m, uint32_t row, uint64_t more, uint64_t less)
{
	meter_change(&m->now->bytes, more, less);
	if (m->series && m->by == SM_M_LIVE_BYTES)
		*meter_level(m, row) += more - less;
}

static inline void meter_live_count(
	struct meter *m, uint32_t row, uint64_t more, uint64_t less, uint64_t ts)
{
	meter_change(&m->now->count, more, less);
	if (m->now->count.value > m->count_peak.value)
		m->count_peak = (struct sm_timeline_peak){ts, m->now->count.value};
	if (m->series && m->by == SM_M_LIVE_COUNT)
		*meter_level(m, row) += more - less;
}

#endif
