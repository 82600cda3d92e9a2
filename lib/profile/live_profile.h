/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the two kinds of live profiles share. */
#ifndef SM_PROFILE_LIVE_PROFILE_H
#define SM_PROFILE_LIVE_PROFILE_H

#include <smtool/live.h>
#include <smtool/recorder.h>

#include "counter.h"

/* Where it isn't known yet whether slab or page events are meant, both are counted. */
struct book {
	struct counter counter;
	struct meter meter;
	enum sm_family family;
};

struct sm_live {
	struct sm_live_opts opts;
	struct sm_profile_opts popts;
	struct sm_recorder *recorder; /* NULL = a capture is played */
	struct sm_trace *trace;       /* the kernel's is owned */
	struct sm_stepper *stepper;
	struct book books[2];
	unsigned nbooks;
	bool begun;          /* there was an event */
	uint64_t first, now; /* times of the trace clock */
	uint64_t step_ns;    /* of a replay; of the kernel's last step */
	uint64_t stepped_at; /* monotonic */
	struct sm_live_status status;
};

/* Begins to count live->trace. */
struct sm_error *sm_live_begin(struct sm_live *live, const struct sm_live_opts *opts) SM_MUST_CHECK;

/* ---- live_kernel.c ---- */

struct sm_error *sm_live_step_kernel(struct sm_live *live, sm_sink sink) SM_MUST_CHECK;
void sm_live_tell_kernel(struct sm_live *live, struct sm_live_status *status);

#endif
