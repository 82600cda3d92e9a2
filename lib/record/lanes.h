/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The CPUs of a trace on their way to one order of time: for sm_trace_run() and the stepper. */
#ifndef SM_RECORD_LANES_H
#define SM_RECORD_LANES_H

#include "internal.h"

#define BATCHES 4

struct lane {
	struct decoder decoder;
	struct event_batch batches[BATCHES];
	unsigned read, write, ready; /* ready batches start at `read`; the merger holds the first */
	bool busy;                   /* somebody fills batches[write] */
	bool done;                   /* the decoder has no more */
	bool dry;                    /* nor has it now, but more may come */
	const struct sm_event *pos, *end; /* what is left of the merger's batch */
	struct sm_health told;            /* of the batches that were merged */
};

struct run {
	struct sm_trace *trace;
	struct lane *lanes;
	size_t nlanes;
	size_t target; /* events of a batch */
	pthread_mutex_t lock;
	pthread_cond_t filled, room; /* the merger waits for the one, workers for the other */
	bool merger_waits;
	unsigned idle; /* workers that wait */
	bool stop;
	struct lane **heap; /* by the time of each lane's next event */
	size_t nheap;
	uint64_t until; /* what is later stays in its lane */
	sm_sink sink;
	void *ctx;
	uint64_t pages_done; /* under the lock */
	uint64_t bytes_done, bytes_total;
};

/* Resets what the trace says of its last run, and opens a decoder for each CPU. sm_run_release() in
 * any case. */
struct sm_error *sm_run_prepare(struct run *run, const struct sm_run_opts *opts) SM_MUST_CHECK;
/* Takes the lane's first batch, or the next one: lets go of the one that was merged. False where it
 * has none. */
bool sm_run_advance(struct run *run, struct lane *lane, bool first);
/* Puts lanes that hold a batch, and aren't in the heap, where they belong. */
void sm_run_order(struct run *run);
/* Hands out what the heap's lanes have, up to run->until. */
struct sm_error *sm_run_merge(struct run *run) SM_MUST_CHECK;
/* What the lanes found, into the trace, once; returns the first fatal error. */
struct sm_error *sm_run_collect(struct run *run) SM_MUST_CHECK;
void sm_run_release(struct run *run);

#endif
