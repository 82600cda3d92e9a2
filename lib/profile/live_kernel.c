/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The running kernel as a live profile: a recording of its own, read as it comes. */
#include <stdlib.h>

#include "live_profile.h"

static struct sm_error *record(struct sm_live *live, const struct sm_live_opts *o)
{
	const struct sm_recorder_opts opts = {
		.root = o->root,
		.spool_dir = o->spool_dir,
		.events = o->events,
		.nevents = o->nevents,
		.slab = o->slab,
		.page = o->page,
		.buffer_kb = o->buffer_kb,
		.size_limit = o->spool_limit,
		.clock = o->clock,
		.instance = o->instance,
		.live = true,
		.output_fd = -1,
		.command = o->command,
		.log = o->log,
	};
	struct sm_trace_opts topts = {.no_map = true, .log = o->log};
	struct sm_error *err = sm_recorder_new(&opts, &live->recorder);

	if (err)
		return err;
	topts.instance = sm_recorder_instance(live->recorder);
	return sm_trace_open(sm_recorder_source(live->recorder), &topts, &live->trace);
}

struct sm_error *sm_live_open_kernel(const struct sm_live_opts *opts, struct sm_live **out)
{
	struct sm_live *live = calloc(1, sizeof(*live));
	struct sm_error *err;

	*out = NULL;
	if (!live)
		return sm_error_nomem();
	err = record(live, opts);
	if (!err)
		err = sm_live_begin(live, opts);
	if (!err)
		err = sm_recorder_start(live->recorder);
	if (err) {
		sm_live_free(live);
		return err;
	}
	live->stepped_at = sm_now_ns();
	*out = live;
	return NULL;
}

/* Names first: what is counted next has them. */
static struct sm_error *read_names(struct sm_live *live)
{
	struct sm_error *err;
	bool changed;

	err = sm_trace_read_comms(live->trace, &changed);
	for (unsigned i = 0; i < live->nbooks && changed && !err; i++) {
		struct attr_set *attrs = live->books[i].counter.attrs;

		for (unsigned k = 0; k < attrs->n && !err; k++)
			if (!sm_attr_name_again(&attrs->columns[k], live->trace))
				err = sm_error_nomem();
	}
	return err;
}

struct sm_error *sm_live_step_kernel(struct sm_live *live, sm_sink sink)
{
	struct sm_error *err;
	uint64_t until;

	err = sm_recorder_sweep(live->recorder, &until);
	if (!err)
		err = read_names(live);
	return err ? err : sm_stepper_step(live->stepper, until, sink, live);
}

/* What the recorder knows sooner than the pages tell, or that they don't. */
void sm_live_tell_kernel(struct sm_live *live, struct sm_live_status *st)
{
	struct sm_recorder_status rec;

	sm_recorder_status(live->recorder, &rec);
	st->elapsed_ns = rec.elapsed_ns;
	st->lost = rec.lost > st->lost ? rec.lost : st->lost;
	st->own_events = rec.own_events;
	st->kept_bytes = rec.kept_bytes;
	st->kept_all = rec.kept_all;
}

struct sm_error *sm_live_save(struct sm_live *live, int fd, const char *path)
{
	struct sm_buf comms = {0};
	struct sm_error *err;

	if (!live->recorder)
		return sm_error_new(SM_E_USAGE, NULL, "a capture is played",
			"it is there already: nothing was recorded");
	sm_trace_write_comms(live->trace, &comms);
	err = comms.failed
		      ? sm_error_nomem()
		      : sm_recorder_save_now(live->recorder, fd, path, comms.len ? &comms : NULL);
	sm_buf_release(&comms);
	return err;
}
