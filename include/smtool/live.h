/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * live: a profile of what goes on: of the running kernel, or of a capture that is played as if it
 * happened now. It is read step by step; between two steps there are snapshots, each a profile like
 * any other. Of room profile.
 */
#ifndef SMTOOL_LIVE_H
#define SMTOOL_LIVE_H

#include <smtool/profile.h>
#include <smtool/timeline.h>

/* All that it points to is borrowed until sm_live_free(). */
struct sm_live_opts {
	/* What is counted. `from` and `to` may be times, or seconds from the first event; what
	 * needs the end to be known (a percentage, the peak) is an SM_E_USAGE. `older` is the age
	 * at the time of each snapshot. `threads` and `stopped` are not looked at. */
	const struct sm_profile_opts *profile;
	/* NULL = no timeline. With points; an interval that is given is an SM_E_USAGE. */
	const struct sm_timeline_opts *timeline;
	const struct sm_log *log;
};

struct sm_live;

/*
 * Plays a capture: each step goes on by `step_ns` of its time. The trace is borrowed until
 * sm_live_free(), and nobody else may run it as long. Errors: SM_E_USAGE; SM_E_MISSING where there
 * are no events of the ring buffer.
 */
struct sm_error *sm_live_open_replay(struct sm_trace *trace, uint64_t step_ns,
	const struct sm_live_opts *opts, struct sm_live **live) SM_MUST_CHECK;
void sm_live_free(struct sm_live *live);

/* All functions are for one thread at a time. Memory follows distinct stacks, attributes' values,
 * and live objects. */

/* Reads and counts what has come: about once a second. An error ends it: what was counted stays,
 * and the next steps only repeat the error. */
struct sm_error *sm_live_step(struct sm_live *live) SM_MUST_CHECK;

/*
 * What was counted up to the last step, as sm_profile_build() would tell it of a capture that ends
 * there. It is independent of what follows, and of `live`, and may be read by another thread at the
 * same time as steps are made; sm_live_trace() must outlive it. `timeline` NULL: not wanted; else
 * its timeline, NULL where opts->timeline was. Time is spent on each row, label and, with
 * `keep_live` or `older`, object that is live. Neither can be divided: sm_timeline_split() needs
 * the capture once more.
 */
struct sm_error *sm_live_profile(struct sm_live *live, struct sm_profile **profile,
	struct sm_timeline **timeline) SM_MUST_CHECK;

struct sm_live_status {
	uint64_t now_ns;     /* time of the trace clock up to which all is counted */
	uint64_t elapsed_ns; /* since the first event */
	uint64_t events;     /* of any kind but stacks, counted or not */
	uint64_t events_per_s;
	/* Records that the kernel overwrote or dropped, and losses that it didn't count. */
	uint64_t lost, lost_unknown;
	uint64_t lost_now; /* of both, since the step before */
	bool ended;        /* nothing comes any more: the capture is at its end */
};

/* As of the last step. */
void sm_live_status(const struct sm_live *live, struct sm_live_status *status);
/* Whose stacks the profiles have; for names: its `src`. */
struct sm_trace *sm_live_trace(struct sm_live *live);

#endif
