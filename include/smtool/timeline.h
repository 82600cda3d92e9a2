/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * timeline: what a profile counts, over time: the window in intervals of equal length, with what is
 * live at the end of each. Of room profile.
 */
#ifndef SMTOOL_TIMELINE_H
#define SMTOOL_TIMELINE_H

#include <smtool/profile.h>

/* With an interval that is given; a tenth of them where its length is to be found. */
#define SM_TIMELINE_MAX_POINTS UINT64_C(1000000)
/* Points times series. */
#define SM_TIMELINE_MAX_VALUES (UINT64_C(1) << 24)

struct sm_timeline_opts {
	/* At most so many intervals. The length is found while the input is read, once: up to 6%
	 * may be wanting of 500, and nearly half of very many. */
	uint64_t points;
	uint64_t interval; /* ns, instead of `points`; 0 = not given */
};

/* Bytes or objects that are live. Between two points value + added - dropped leads on. */
struct sm_timeline_level {
	uint64_t value;    /* at the interval's end */
	uint64_t min, max; /* within it, its begin included */
	uint64_t added, dropped;
};

struct sm_timeline_point {
	uint64_t ts; /* the interval's end, which is in it; its begin is the end of the one before
		      */
	struct sm_timeline_level bytes, count;
	uint64_t alloc_bytes, allocs; /* as SM_M_BYTES and SM_M_COUNT */
	uint64_t events;              /* of any kind, counted or not */
	/* In gaps that end in it. */
	uint64_t lost, lost_unknown;
	bool gap; /* events of a CPU are missing in some part of it */
};

struct sm_timeline_peak {
	uint64_t ts;    /* of the event that reached it, first; of rates, the interval's end */
	uint64_t value; /* 0 = there is none */
};

/* Read-only to users. */
struct sm_timeline {
	uint64_t from, to; /* ns; no points: nothing happened in the window that was chosen */
	uint64_t interval;
	struct sm_timeline_point *points;
	size_t n;
	struct sm_timeline_peak bytes_peak, count_peak; /* of what is live */
	bool uncertain;          /* events were lost: live figures may be wrong... */
	uint64_t uncertain_from; /* ... from here on */
	/* From sm_timeline_split(): series after series, of n values each. */
	uint64_t *values;
	size_t nseries;
};

/* The keys that have a course: SM_M_LIVE_BYTES, SM_M_LIVE_COUNT, and, per interval, SM_M_BYTES and
 * SM_M_COUNT. */
bool sm_timeline_knows(enum sm_metric by);
/* Per interval, not at its end. */
bool sm_timeline_is_rate(enum sm_metric by);
uint64_t sm_timeline_value(const struct sm_timeline_point *point, enum sm_metric by);
struct sm_timeline_peak sm_timeline_peak(const struct sm_timeline *timeline, enum sm_metric by);

/*
 * Reads `trace` as sm_profile_build() does, and what is counted over time along with it. What is
 * live begins at 0: memory that was allocated before the window is unknown. Of `opts` all holds,
 * but `older`. Memory follows the number of points and what the profile needs. Errors: those of
 * sm_profile_build(); SM_E_MISSING where there are no pages; SM_E_USAGE for an interval that makes
 * too many points.
 */
struct sm_error *sm_timeline_build(struct sm_trace *trace, const struct sm_profile_opts *opts,
	const struct sm_timeline_opts *timeline_opts, struct sm_timeline **timeline,
	struct sm_profile **profile) SM_MUST_CHECK;
void sm_timeline_free(struct sm_timeline *timeline);

/*
 * Divides the timeline by the rows of a profile of the same trace, from its second reading: fills
 * `values`. `opts` are those that `profile` was built with; its window may end sooner.
 * series[i], below `nseries`, is where the profile's row i goes; rows that came later, or have
 * UINT32_MAX there, go to the last one. The trace must be one that can be read again.
 */
struct sm_error *sm_timeline_split(struct sm_timeline *timeline, struct sm_trace *trace,
	struct sm_profile *profile, const struct sm_profile_opts *opts, enum sm_metric by,
	const uint32_t *series, size_t nseries) SM_MUST_CHECK;

#endif
