/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * worker: the thread that alone touches sources, profiles, symbols and tables. The user interface
 * hands it jobs, and takes what they came to.
 */
#ifndef SMTOOL_TUI_WORKER_H
#define SMTOOL_TUI_WORKER_H

#include <stdatomic.h>

#include <smtool/base.h>

/* Embedded in what a job needs. Filled with zeros but for the functions. */
struct job {
	void (*work)(struct job *job); /* in the worker's thread */
	/* In the interface's thread, always, in order: takes over `err` and what was made, also of
	 * a cancelled job, and frees it all. */
	void (*done)(struct job *job);
	const char *what; /* a literal for the status line: "counting" */
	struct sm_error *err;
	/* Set by job_cancel(): what comes of it isn't wanted any more. */
	atomic_bool cancelled;

	struct job *next; /* private */
};

struct worker;

/* `idle` is called in the worker's thread while there are no jobs, until it returns false. */
struct sm_error *worker_new(
	bool (*idle)(void *ctx), void *ctx, struct worker **worker) SM_MUST_CHECK;
/* Cancels all jobs, ends the thread, and calls done() of all jobs that are left. */
void worker_free(struct worker *w);
/* From the interface's thread: jobs are worked off in the order in which they come. */
void worker_post(struct worker *w, struct job *job);
/* There may be something for idle() again. */
void worker_wake(struct worker *w);
/* A descriptor that is readable when there is something for worker_collect(); worker_signal()
 * makes it so, from any thread. */
int worker_fd(const struct worker *w);
void worker_signal(struct worker *w);
/* Calls done() of the jobs that have ended; true when there were any. */
bool worker_collect(struct worker *w);
/* No job waits or is worked on, none waits for worker_collect(), and idle() has nothing to do. */
bool worker_is_idle(struct worker *w);
/* What is being worked on, and since when (ns); NULL = nothing. */
const char *worker_what(struct worker *w, uint64_t *since);

static inline void job_cancel(struct job *job)
{
	atomic_store_explicit(&job->cancelled, true, memory_order_relaxed);
}
static inline bool job_is_cancelled(const struct job *job)
{
	return atomic_load_explicit(&job->cancelled, memory_order_relaxed);
}
/* For sm_profile_opts.stopped and its like. */
bool job_stopped(void *job);

#endif
