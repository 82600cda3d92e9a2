/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Intervals while their length isn't known yet: it begins with 1 ns, and whenever there are too
 * many of them, neighbours become one. That costs a pass over the points for each doubling, and one
 * reading is enough.
 */
#include <stdlib.h>

#include "meter.h"

void sm_meter_reset(struct meter *m)
{
	m->n = 0;
	m->now = NULL;
	m->started = m->early = false;
	m->interval = m->given ? m->given : 1;
	m->count_peak = (struct sm_timeline_peak){0};
}

static void join_level(struct sm_timeline_level *a, const struct sm_timeline_level *b)
{
	a->value = b->value;
	a->min = b->min < a->min ? b->min : a->min;
	a->max = b->max > a->max ? b->max : a->max;
	a->added += b->added;
	a->dropped += b->dropped;
}

/* b follows a. */
static void join(struct sm_timeline_point *a, const struct sm_timeline_point *b)
{
	join_level(&a->bytes, &b->bytes);
	join_level(&a->count, &b->count);
	a->alloc_bytes += b->alloc_bytes;
	a->allocs += b->allocs;
	a->events += b->events;
}

void sm_meter_join(struct meter *m, uint64_t k)
{
	size_t n = 0;

	for (size_t i = 0; i < m->n; i++) {
		if (i % k)
			join(&m->points[n - 1], &m->points[i]);
		else
			m->points[n++] = m->points[i];
	}
	m->n = n;
	m->interval *= k;
}

static uint64_t index_of(const struct meter *m, uint64_t ts)
{
	return ts > m->origin ? (ts - m->origin - 1) / m->interval : 0;
}

uint64_t sm_meter_end(const struct meter *m, uint64_t index)
{
	uint64_t end;

	if (__builtin_mul_overflow(index + 1, m->interval, &end) ||
		__builtin_add_overflow(end, m->origin, &end))
		return UINT64_MAX;
	return end;
}

/* The points up to `index`, each beginning as the one before it ended. */
static struct sm_error *extend(struct meter *m, uint64_t index)
{
	if (!sm_grow(&m->points, &m->cap, (size_t)index + 1, sizeof(*m->points)))
		return sm_error_nomem();
	for (; m->n <= index; m->n++) {
		struct sm_timeline_point *p = &m->points[m->n];

		memset(p, 0, sizeof(*p));
		if (!m->n)
			continue;
		p->bytes.value = p->bytes.min = p->bytes.max = p[-1].bytes.value;
		p->count.value = p->count.min = p->count.max = p[-1].count.value;
	}
	m->now = &m->points[index];
	m->end = sm_meter_end(m, index);
	return NULL;
}

/* What the series hold, into the points from the current one up to, and without, `index`. */
static void keep_series(struct meter *m, uint64_t index)
{
	bool rate = sm_timeline_is_rate(m->by);

	for (size_t s = 0; s < m->nseries; s++) {
		uint64_t *values = m->values + s * m->max;

		for (uint64_t i = m->n - 1; i < index; i++) {
			values[i] = m->level[s];
			if (rate)
				m->level[s] = 0;
		}
	}
}

struct sm_error *sm_meter_advance(struct meter *m, uint64_t from, uint64_t ts)
{
	uint64_t index;

	if (!m->started && ts < from) {
		m->early = true;
		return NULL;
	}
	if (!m->started) {
		m->origin = m->early ? from : ts;
		m->started = true;
	}
	while (index_of(m, ts) >= m->max) {
		if (m->given)
			return sm_error_new(SM_E_USAGE, NULL, "too many intervals",
				"%llu ns each make more than %llu of the window: give a longer one",
				(unsigned long long)m->interval, (unsigned long long)m->max);
		if (m->n)
			sm_meter_join(m, 2);
		else
			m->interval *= 2;
	}
	index = index_of(m, ts);
	if (m->series && m->n)
		keep_series(m, index);
	/* After a doubling what comes may well belong to the current one. */
	return extend(m, index);
}

struct sm_error *sm_meter_finish(struct meter *m, uint64_t to)
{
	struct sm_error *err = NULL;

	if (!m->started)
		return NULL;
	if (to > m->end)
		err = sm_meter_advance(m, m->origin, to);
	if (!err && m->series)
		keep_series(m, m->n);
	return err;
}
