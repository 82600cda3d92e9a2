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
	/* Of the running kernel, as in struct sm_recorder_opts: */
	const char *root;
	const char *const *events;
	size_t nevents;
	bool slab, page;
	uint64_t buffer_kb;
	const char *clock, *instance, *command;
	const char *spool_dir;
	/* Compressed bytes of pages that are kept for sm_live_save(), 0 = all. Past it the oldest
	 * go; what is saved then tells them as lost. */
	uint64_t spool_limit;
	const struct sm_log *log;
};

struct sm_live;

/*
 * Records the running kernel in an instance of its own and starts at once, with full stacks: as
 * root. tracefs is as it was after sm_live_free(), and after sm_recorder_new()'s next run where the
 * process was killed. Errors: those of sm_recorder_new() and sm_recorder_start(); SM_E_USAGE.
 */
struct sm_error *sm_live_open_kernel(
	const struct sm_live_opts *opts, struct sm_live **live) SM_MUST_CHECK;
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
	uint64_t lost_now;   /* of both, since the step before */
	uint64_t own_events; /* of this process's threads that record and count; in `events`, too */
	uint64_t kept_bytes; /* compressed, that sm_live_save() would write */
	bool kept_all;       /* none of what was seen is missing there */
	bool ended;          /* nothing comes any more: the capture is at its end */
};

/* As of the last step. */
void sm_live_status(const struct sm_live *live, struct sm_live_status *status);
/* Whose stacks the profiles have; its `src` is what sm_symbols_open() needs. The kernel's lives as
 * long as `live`, and so must all profiles. */
struct sm_trace *sm_live_trace(struct sm_live *live);
/* Writes what has been recorded up to now to `fd`, which `path` names in messages: a capture
 * (.tar.zst) that all commands read. The recording goes on meanwhile. SM_E_USAGE for a replay. */
struct sm_error *sm_live_save(struct sm_live *live, int fd, const char *path) SM_MUST_CHECK;

#endif
